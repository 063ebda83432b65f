# SPDX-License-Identifier: Apache-2.0
"""What programs for PyTorch's traces compute of ours is what SQL says of the database. They are
looked for in the Python that RF_HTA_PYTHON or RF_TRACELENS_PYTHON names, else in that of the
tests."""

import json
import math
import os
import subprocess
import sys

from harness import Failure, Skip, expect_equal, fail_if
from ranks import Rank, length_us, overlap_us, unpack

HERE = os.path.dirname(os.path.abspath(__file__))


def ask(test, script, what, variable, argument):
    python = os.environ.get(variable, sys.executable)
    try:
        done = subprocess.run([python, os.path.join(HERE, script), argument], cwd=test.folder,
                              capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{variable}: {error}") from error
    if done.returncode == 77:
        raise Skip(f"{what} is not installed ({done.stderr.strip()}); {variable} may name a"
                   " Python that has it")
    if done.returncode != 0:
        raise Failure(f"{what}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def close(found, expected, what):
    fail_if(not math.isclose(found, expected, rel_tol=1e-6, abs_tol=0.5),
            f"{what}: {found}, but SQL says {expected}")


# ---- HolisticTraceAnalysis ----

def check_hta(found, rank):
    close(found["total"], rank.total_us(), "kernel time")
    close(found["idle"], rank.total_us() - length_us(rank.busy()), "idle time")
    close(found["compute"], length_us(rank.busy("computation")), "compute time")
    for kind, value in found["sums"].items():
        close(value, rank.sum_us(kind.lower()), f"sum of {kind}")
    gaps = rank.gaps_us()
    expect_equal(sorted(found["gaps"]), sorted(str(stream) for stream in gaps), "streams")
    for stream, value in gaps.items():
        close(found["gaps"][str(stream)], value, f"idle time of stream {stream}")
    launches = rank.launches()
    expect_equal(found["launches"], len(launches), "launches")
    close(found["launch_cpu"], sum(c.end - c.start for c, _ in launches) / 1000, "their calls")
    close(found["launch_gpu"], sum(w.end - w.start for _, w in launches) / 1000, "their work")
    communication = rank.busy("communication")
    if communication:
        overlap = overlap_us(communication, rank.busy("computation"))
        fail_if(abs(found["overlap"] - 100 * overlap / length_us(communication)) > 0.1,
                f"overlap: {found['overlap']} %, but SQL says"
                f" {100 * overlap / length_us(communication)} %")


def hta(test, name, pids):
    source = unpack(test, name + ".sqlite")
    os.mkdir(test.path("ranks"))
    ranks = [Rank(test, source, pid, number) for number, pid in enumerate(pids)]
    for rank in ranks:
        os.rename(rank.path, test.path("ranks", os.path.basename(rank.path)))
    found = ask(test, "hta_sums.py", "HolisticTraceAnalysis", "RF_HTA_PYTHON", test.path("ranks"))
    expect_equal(sorted(found), [str(rank.number) for rank in ranks], "ranks")
    for rank in ranks:
        check_hta(found[str(rank.number)], rank)
    return found


def case_hta_one_rank(test):
    fail_if(hta(test, "a_1proc_text", [1000])["0"]["annotations"] == 0, "no annotations")


def case_hta_real_two_ranks(test):
    fail_if(hta(test, "c_real_h100_2gpu", [111, 112])["0"]["annotations"] == 0, "no annotations")


def case_hta_four_ranks(test):
    hta(test, "b_4gpu_mixed", [1000, 1001, 1002, 1003])


# ---- TraceLens ----

def case_tracelens(test):
    """In this file all work has its call, and TraceLens counts only what has one."""
    rank = Rank(test, unpack(test, "a_1proc_text.sqlite"), 1000, 0)
    found = ask(test, "tracelens_sums.py", "TraceLens", "RF_TRACELENS_PYTHON", rank.path)
    expect_equal(found["work"], len(rank.work), "GPU work")
    expect_equal(found["linked"], len(rank.work), "work with its call")
    close(found["total_time"], rank.total_us(), "total time")
    close(found["busy_time"], length_us(rank.busy()), "busy time")
    close(found["computation_time"], length_us(rank.busy("computation")), "computation")
    close(found["total_comm_time"], length_us(rank.busy("communication")), "communication")
    close(found["total_memcpy_time"], length_us(rank.busy("memory")), "copies")


def case_tracelens_operators(test):
    """Operators of PyTorch are what launches."""
    rank = Rank(test, unpack(test, "c_real_h100_2gpu.sqlite"), 111, 0)
    found = ask(test, "tracelens_sums.py", "TraceLens", "RF_TRACELENS_PYTHON", rank.path)
    fail_if("aten::mm" not in found["launchers"], f"launchers: {found['launchers']}")
    expect_equal(found["work"], len(rank.work), "GPU work")
    ids = {call.correlation for call in rank.calls}
    expect_equal(found["linked"], sum(work.correlation in ids for work in rank.work), "with a call")
