# SPDX-License-Identifier: Apache-2.0
"""Traces that are opened as recordings: our own ones say what the recording says that they were made
of, and HolisticTraceAnalysis computes of its own traces what our reports say. Those are looked for
in the folder that RF_HTA_TRACES names (tests/data of the project's sources)."""

import csv
import glob
import gzip
import io
import json
import math
import os
import re
import subprocess

from cases_analyzers import ask
from cases_traces import recordings
from harness import Failure, Skip, expect_equal, fail_if
from ranks import export, unpack

REPORTS = ("cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "cuda_api_sum",
           "nvtx_sum", "nvtx_gpu_proj_sum", "breakdown", "launch_latency")

# What a trace of Kineto's says in other words: operators without the sizes behind their names, a graph
# that was recorded as a whole as a kernel; or not at all.
OTHER_WORDS = {
    "d09_start_end": {"nvtx_gpu_proj_sum"},  # which thread ended a range
    "c_real_h100_2gpu": {"nvtx_sum", "nvtx_gpu_proj_sum"},
    "d20_overlap": {"nvtx_sum", "nvtx_gpu_proj_sum"},  # a domain without a name
    "v1.2": {"cuda_gpu_kern_sum", "launch_latency"},
    "v1.4": {"cuda_gpu_kern_sum", "launch_latency"},
    "v1.5": {"cuda_gpu_kern_sum", "launch_latency"},
    # and ranges that go on in the next piece of a run, which tables count there
    "v1.6": {"cuda_gpu_kern_sum", "launch_latency", "nvtx_sum", "nvtx_gpu_proj_sum"},
    "v1.8": {"cuda_gpu_kern_sum", "launch_latency", "nvtx_sum", "nvtx_gpu_proj_sum"},
}

# The same of our own layout.
OWN_REPORTS = REPORTS + ("osrt_sum", "nvtx_kern_sum")
OWN_OTHER_WORDS = {
    "d09_start_end": {"nvtx_gpu_proj_sum", "nvtx_kern_sum"},  # which thread ended a range
    "d15_straddle": {"nvtx_kern_sum"},  # ranges that cross are on two tracks
    "d20_overlap": {"nvtx_sum", "nvtx_gpu_proj_sum", "nvtx_kern_sum"},  # a domain without a name
    "v1.6": {"nvtx_sum"},  # ranges that go on in the next piece of a run
    "v1.7": {"nvtx_sum"},  # start/end ranges whose scope is no thread
    "v1.8": {"nvtx_sum"},
    "v2.0": {"nvtx_sum"},
}


def report(test, path, name):
    done = subprocess.run([test.rangefinder, "stats", "-q", "--allow-empty", "-f", "csv", "-r", name,
                           path], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{name} of {path}: {done.stderr}")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    for row in rows:
        if name == "cuda_api_sum":  # a trace has no version behind the names of calls
            row["Name"] = re.sub(r"_v\d+$", "", row["Name"])
    return rows


def case_import_round(test):
    """A recording, its trace, and that opened again have the same tables."""
    n_rows = 0
    for source in recordings(test):
        trace = export(test, source, test.path("round.json.gz"), "-f", "--flavor=kineto")
        other = OTHER_WORDS.get(os.path.basename(source).rsplit(".", 1)[0], ())
        for name in REPORTS:
            if name in other:
                continue
            rows = report(test, source, name)
            expect_equal(report(test, trace, name), rows, f"{name} of {os.path.basename(source)}")
            n_rows += len(rows)
    fail_if(n_rows < 500, f"only {n_rows} rows were compared")


def compare_reports(test, trace, source, names):
    """How many rows these reports have of a trace, which are those of its source."""
    n_rows = 0
    for name in names:
        rows = report(test, source, name)
        expect_equal(report(test, trace, name), rows, f"{name} of {os.path.basename(source)}")
        n_rows += len(rows)
    return n_rows


def case_own_import_round(test):
    """The same in our own layout: GPU work of several processes, its ranges as the GPU saw them, full
    names, graphs, calls of the system's libraries."""
    n_rows = 0
    for source in recordings(test):
        trace = export(test, source, test.path("own.json.gz"), "-f")
        other = OWN_OTHER_WORDS.get(os.path.basename(source).rsplit(".", 1)[0], ())
        n_rows += compare_reports(test, trace, source,
                                  [name for name in OWN_REPORTS if name not in other])
    fail_if(n_rows < 500, f"only {n_rows} rows were compared")


def case_own_import_merged(test):
    """Two recordings in one trace, whose correlation ids are the same."""
    sources = [unpack(test, f"{name}.sqlite") for name in ("b_4gpu_mixed", "d_4proc_same_device")]
    trace, database = test.path("merged.json"), test.path("merged.sqlite")
    for output in (trace, database):
        subprocess.run([test.rangefinder, "export", "-q", "-o", output, *sources], check=True)
    n_rows = compare_reports(test, trace, database, ("nvtx_sum", "nvtx_gpu_proj_sum", "cuda_gpu_kern_sum"))
    fail_if(n_rows < 100, f"only {n_rows} rows were compared")


def case_own_import_of_devices(test):
    """What pids of GPU work are numbers of devices in other traces, also where a process has one."""
    call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 5, "ts": 1, "dur": 1}
    work = {"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 9, "dur": 1,
            "args": {"device": 1, "stream": 7, "correlation": 3}}
    events = [{**call, "pid": pid, "args": {"correlation": 3}} for pid in (1, 2)] + [work]
    for head, is_linked in (({}, False), ({"otherData": {"exported_by": "another 1.0"}}, False),
                            ({"otherData": {"exported_by": "Rangefinder 0.2.0"}}, True)):
        path = test.path("devices.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**head, "traceEvents": events}, file)
        expect_equal(len(report(test, path, "cuda_kern_exec_sum")), int(is_linked), f"links of {head}")


def case_import_twice(test):
    """A trace that was read and written is read as what it was."""
    source = os.path.join(os.path.dirname(__file__), "..", "data", "kineto", "stacks.json.gz")
    trace = export(test, source, test.path("again.json"), "--flavor=kineto")
    with open(trace, encoding="utf-8") as file:
        json.load(file)
    for name in ("nvtx_sum", "nvtx_pushpop_sum"):
        first, again = report(test, source, name), report(test, trace, name)
        expect_equal(sum(int(row["Instances"]) for row in again),
                     sum(int(row["Instances"]) for row in first), f"instances of {name}")
        expect_equal(sum(int(row["Total Time (ns)"]) for row in again),
                     sum(int(row["Total Time (ns)"]) for row in first), f"time of {name}")


def case_import_of_a_gpu(test):
    """Kernels, copies and their calls are those of the trace, with their times: two steps on an H200."""
    source = os.path.join(os.path.dirname(__file__), "..", "data", "kineto", "h200.json.gz")
    with gzip.open(source, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    sums = {"kernel": "cuda_gpu_kern_sum", "gpu_memcpy": "cuda_gpu_mem_time_sum"}
    for category, name in sums.items():
        theirs = [event for event in events if event.get("cat") == category]
        rows = [row for row in report(test, source, name) if "memset" not in row.get("Operation", "")]
        expect_equal(sum(int(row.get("Instances") or row["Count"]) for row in rows), len(theirs), f"instances of {name}")
        expect_equal(sum(int(row["Total Time (ns)"]) for row in rows), round(sum(event["dur"] for event in theirs) * 1000), f"time of {name}")
    names = {event["name"] for event in events if event.get("cat") == "kernel"}
    expect_equal({row["Name"] for row in report(test, source, "cuda_gpu_kern_sum")}, names, "kernels")
    launched = report(test, source, "cuda_kern_exec_sum")
    expect_equal(sum(int(row["Count"]) for row in launched), 186, "kernels with their launch")


# ---- HolisticTraceAnalysis ----

MAX_SIZE = 1_000_000  # HTA takes minutes for larger ones


def has_all_calls(events):
    """Whether there is GPU work, and none whose call is missing: HTA leaves that out."""
    calls = {event["args"].get("correlation") for event in events
             if event.get("cat") in ("cuda_runtime", "cuda_driver")}
    work = [event for event in events
            if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    return bool(work) and all(event["args"].get("correlation") in calls for event in work)


def hta_traces():
    """Those with GPU work and a rank, without waits: to HTA these keep their stream busy."""
    folder = os.environ.get("RF_HTA_TRACES")
    if folder is None:
        raise Skip("RF_HTA_TRACES names no folder with the traces of HolisticTraceAnalysis"
                   " (tests/data of its sources)")
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.json.gz"), recursive=True)):
        if os.path.getsize(path) > MAX_SIZE:
            continue
        with gzip.open(path, "rt", encoding="utf-8") as file:
            trace = json.load(file)
        events = trace.get("traceEvents", []) if isinstance(trace, dict) else []
        categories = {event.get("cat") for event in events}
        rank = trace.get("distributedInfo", {}).get("rank") if isinstance(trace, dict) else None
        if rank is not None and "cpu_op" in categories and has_all_calls(events):
            trace["traceEvents"] = [event for event in events if event.get("cat") != "cuda_sync"]
            yield path, rank, trace


def close(found, expected, what):
    fail_if(not math.isclose(found, expected, rel_tol=1e-5, abs_tol=1),
            f"{what}: {found} of our breakdown, {expected} of HTA")


def check_hta(found, rows, name):
    """HTA's times are microseconds; communication is what overlaps, too."""
    fail_if(len({row["GPU"] for row in rows}) != 1, f"{name}: GPUs {rows}")
    us = {row["What"]: int(row["Time (ns)"]) / 1000 for row in rows}
    hidden, exposed = us["communication hidden"], us["communication exposed"]
    close(sum(us.values()), found["total"], f"{name}: time")
    close(sum(value for what, value in us.items() if what.startswith("idle")), found["idle"],
          f"{name}: idle time")
    close(us["compute"] + hidden, found["compute"], f"{name}: computation")
    if hidden + exposed > 0:
        fail_if(abs(100 * hidden / (hidden + exposed) - found["overlap"]) > 0.01,
                f"{name}: overlap of {hidden} and {exposed}, {found['overlap']} % of HTA")


def case_import_hta(test):
    n = 0
    for path, rank, trace in hta_traces():
        folder = test.path("hta-" + os.path.basename(path))
        os.mkdir(folder)
        with gzip.open(os.path.join(folder, "trace.json.gz"), "wt", encoding="utf-8") as file:
            json.dump(trace, file, indent=1)
        try:
            found = ask(test, "hta_sums.py", "HolisticTraceAnalysis", "RF_HTA_PYTHON", folder)
        except Failure as error:
            print(f"{os.path.basename(path)}: not compared: {str(error).splitlines()[-1]}")
            continue
        check_hta(found[str(rank)], report(test, path, "breakdown"), os.path.basename(path))
        n += 1
    fail_if(n == 0, "no trace was compared")
    print(f"{n} traces")
