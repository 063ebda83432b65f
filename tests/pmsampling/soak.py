#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak.py --build DIR [--minutes N] [--hz N]: samples the stand-in's GPU by the clock, and looks for
what is missing: every sample follows the one before it."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "gpu"))

import metrics_log  # noqa: E402


def record(build, minutes, hz, path):
    """Seconds of processor time."""
    double = os.path.join(os.path.abspath(build), "tests", "pmsampling", "double")
    environment = dict(
        os.environ,
        LD_LIBRARY_PATH=double,
        RANGEFINDER_CUPTI=os.path.join(double, "libcupti.so.13"),
        RF_PM_DOUBLE="realtime=1,chip=GH100",
    )
    command = [os.path.join(build, "bin", "rangefinder"), "gpu-metrics", "record", "-o", path,
               "--duration=%g" % (60 * minutes), "--gpu-metrics-frequency=%d" % hz]
    child = subprocess.Popen(command, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("FAILED: rangefinder gpu-metrics record: exit status %d" % child.returncode)
    return usage.ru_utime + usage.ru_stime


def n_gaps(path, interval_ns):
    """Samples, and how many do not begin where the one before ended, or are of another length."""
    starts, ends = metrics_log.times_of(path)
    gaps = sum(start != end for start, end in zip(starts[1:], ends))
    wrong = sum(end - start != interval_ns for start, end in zip(starts, ends))
    return len(starts), gaps, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--hz", type=int, default=10000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rangefinder-soak-") as folder:
        path = os.path.join(folder, "soak.rf")
        begin = time.monotonic()
        processor_s = record(arguments.build, arguments.minutes, arguments.hz, path)
        wall_s = time.monotonic() - begin
        samples, gaps, wrong = n_gaps(path, 1000000000 // arguments.hz)
        size = os.path.getsize(path)
    wanted = int(60 * arguments.minutes * arguments.hz)
    print("GPU metrics: %s samples in %.0f s, %.0f MB, %.1f %% of a core with the writing of the file; "
          "%d gaps" % (format(samples, ","), wall_s, size / 1e6, 100 * processor_s / wall_s, gaps))
    if gaps or wrong or samples < 0.999 * wanted:
        print("FAILED: %s samples were to come; %d have a wrong length" % (format(wanted, ","), wrong))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
