#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the checks of parts/*.py. tests/gpu/run.sh calls this.

The parts run side by side, as many as the machine has room for, and after them, one by one in the
order of their names, those that say ALONE = True: they measure, or look at what the whole GPU does."""

import argparse
import concurrent.futures
import glob
import importlib.util
import json
import os
import platform
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import checks  # noqa: E402
from gpu import Gpu  # noqa: E402
from machine import Machine  # noqa: E402

END_S = 560  # what runs then is killed: a machine may be there for ten minutes only
BEGIN_SHARE = 6 / 7  # of that time; what would begin later is skipped
PACKED = "files.tar"


def load_parts(names):
    """The checks of all parts, or of those that are named."""
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "parts", "*.py"))):
        name = os.path.basename(path)[:-3]
        if names and name not in names and name.split("_", 1)[-1] not in names:
            continue
        spec = importlib.util.spec_from_file_location("part_" + name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for check in checks.take_registered():
            check.part = name
            check.is_alone = getattr(module, "ALONE", False)
            found.append(check)
    return found


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--spent", type=float, default=0, help="seconds that went before")
    parser.add_argument("--limit", type=float, default=END_S, help="seconds, with those before")
    parser.add_argument("--jobs", type=int, default=max((os.cpu_count() or 1) // 2, 1),
                        help="parts that run at the same time")
    parser.add_argument("parts", nargs="*")
    return parser.parse_args()


class Output:
    """What is printed goes to results.txt in --out, too."""

    def __init__(self, folder):
        if folder:
            os.makedirs(folder, exist_ok=True)
        self.file = open(os.path.join(folder, "results.txt"), "w") if folder else None

    def say(self, text):
        print(text, flush=True)
        if self.file:
            self.file.write(text + "\n")
            self.file.flush()


def pack(folder):
    """Of the files in --out those stay that somebody reads at once; from some machines only a few
    come back."""
    others = set(os.listdir(folder)) - {"results.txt", "results.json", "log.txt", PACKED}
    if not others:
        return
    with tarfile.open(os.path.join(folder, PACKED), "a") as packed:
        for name in sorted(others):
            packed.add(os.path.join(folder, name), name)
            os.remove(os.path.join(folder, name))


def write_results(folder, report, gpu):
    rows = [dict(zip(("number", "result", "check", "measured", "seconds"), row))
            for row in report.rows]
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump({"machine": gpu.machine.describe(), "checks": rows, "numbers": dict(gpu.numbers),
                   "questions": dict(gpu.answers)}, file, indent=1)


def run_part(part, report, gpu):
    for check in part:
        report.run(check, gpu)
        if gpu.out:  # what is there when somebody ends the run
            with gpu.lock:
                write_results(gpu.out, report, gpu)
                pack(gpu.out)


def run_all(chosen, report, gpu, jobs):
    parts = {}
    for check in chosen:
        parts.setdefault(check.part, []).append(check)
    alone = [part for part in parts.values() if part[0].is_alone]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(run_part, part, report, gpu)
                   for part in parts.values() if part not in alone]
        for future in running:
            future.result()
    for part in alone:
        run_part(part, report, gpu)


def main():
    arguments = parse_arguments()
    start = time.monotonic() - arguments.spent
    output = Output(arguments.out)
    machine = Machine(os.path.abspath(arguments.build), os.environ.get("RF_GPU_DRY"))
    output.say("machine: %s; %d processors, Linux %s, Python %s" % (
        machine.describe(), os.cpu_count() or 0, platform.release(), platform.python_version()))
    chosen = load_parts(arguments.parts)
    if arguments.parts and not chosen:
        sys.exit("run.py: no part %s" % " ".join(arguments.parts))
    if any("torch" in check.needs for check in chosen):
        machine.look_for_torch()
    report = checks.Report(output.say, start + BEGIN_SHARE * arguments.limit)
    with Gpu(machine, os.path.abspath(arguments.build), arguments.out, arguments.quick,
             start + arguments.limit) as gpu:
        gpu.log_machine()
        run_all(chosen, report, gpu, arguments.jobs)
        if any("torch" in check.needs for check in chosen):
            output.say("PyTorch: %s" % (machine.torch()[0] or "not there"))
        for letter in sorted(gpu.answers):
            output.say("question (%s): %s" % (letter, gpu.answers[letter]))
    output.say("%.0f s" % (time.monotonic() - start))
    if not report.count("PASS") and not report.count("FAIL"):
        output.say("nothing was checked: everything was skipped")
    output.say(report.last_line())
    return 1 if report.count("FAIL") else 0 if report.count("PASS") else 3


if __name__ == "__main__":
    sys.exit(main())
