# SPDX-License-Identifier: Apache-2.0
"""Raw activity buffers are replayed through the recorder: those that a GPU gave once
(tests/data/cupti/*.cupti, which tests/gpu/run.sh --out writes), and, on the way there, those of the
stand-in."""

import csv
import glob
import io
import json
import os

from cases_rules import run_client
from double import Skip, expect_equal, fail_if

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "..", "data", "cupti")
# CUPTI's kinds that make items of one type each
KINDS = {"10": "kernel", "2": "memset", "38": "sync", "51": "graph", "49": "memory",
         "36": "cuda_event", "17": "cuda_overhead", "4": "cuda_driver"}


def replay(test, raw):
    """Everything is there once, with its name and its call."""
    for wait_ms in (300, 3000, 30000):  # the stand-in's thread notes when it has delivered all
        run = test.cuda(f"init sleep={wait_ms}", ("--cuda-memory-usage=true", "--cuda-event-trace=true",
                                                  "--cuda-trace-all-apis=true"), replay=raw)
        n = dict(run.calls("replayed"))
        if n:
            break
    fail_if(not n, "nothing was replayed")
    for kind, what in KINDS.items():
        expect_equal(run.count(what), int(n.get(kind, 0)), f"{what} of {raw}")
    expect_equal(run.count("memcpy"), int(n.get("1", 0)) + int(n.get("22", 0)), f"memcpy of {raw}")
    calls = {c["correlation"] for c in run.of_type("cuda_runtime", "cuda_driver")}
    for kernel in run.of_type("kernel"):
        fail_if(not kernel["name"] or kernel["correlation"] not in calls, kernel)
        fail_if(kernel["end_ns"] < kernel["start_ns"], kernel)
    test.command("export", "-t", "sqlite", "-o", run.path("run.sqlite"), run.output)
    return run


def case_replay_standin(test):
    """What the stand-in delivers, dumped by a client, comes through as it does at once."""
    for version in ("18", "26", "130001"):
        os.environ["RF_DOUBLE_CUPTI_VERSION"] = version
        client = run_client(test, "none", "init launch=30 copy=64 set=64 alloc=64 peer=64 graph=2 "
                                          "event sync")
        del os.environ["RF_DOUBLE_CUPTI_VERSION"]
        run = replay(test, client.path("raw"))
        expect_equal(run.count("kernel"), 30, "kernels")
        began = min(c["start_ns"] for c in run.of_type("cuda_runtime"))
        fail_if(not 0 <= began < 1_000_000_000, f"begins at {began}")


def case_replay_recorded(test):
    """What GPUs gave."""
    fixtures = sorted(glob.glob(os.path.join(FIXTURES, "*.cupti")))
    if not fixtures:
        raise Skip("no raw buffers of a GPU are here")
    for raw in fixtures:
        replay(test, raw)


def case_replay_files(test):
    """Recordings of an H200, as they were made there: a step of PyTorch and NCCL with one rank."""
    step = os.path.join(FIXTURES, "h200-torch-step.rf")
    info = json.loads(test.command("info", "--json", step).stdout)
    expect_equal(info["n_calls"], 347, "calls")
    expect_equal(info["gpu_work"], {"kernel": 287, "memcpy": 12, "memset": 8}, "work of the step")
    table = test.command("stats", "-q", "-r", "nvtx_gpu_proj_sum", "-f", "csv", step)
    rows = {row["Range"]: row for row in csv.DictReader(io.StringIO(table.stdout.decode()))}
    # the rest is launched by the thread of the backward pass, which has no range
    expect_equal({name: row["Total GPU Ops"] for name, row in rows.items()},
                 {":step 5": "115", ":window": "115"}, "work below the ranges of a thread")
    nccl = os.path.join(FIXTURES, "h200-nccl.rf")
    table = test.command("stats", "-q", "-r", "collectives", "-f", "csv", nccl)
    rows = {row["Operation"]: row for row in csv.DictReader(io.StringIO(table.stdout.decode()))}
    expect_equal({name: (row["Instances"], row["Bytes"]) for name, row in rows.items()},
                 {"AllGather": ("10", "41943040"), "AllReduce": ("10", "41943040")}, "collectives")
