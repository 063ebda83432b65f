#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""options.py RANGEFINDER DECODER: --by-process of `export`; tables that would be too large, calls
that are not shown, and parents of ranges that cross, in `stats`. On exports of nsys that are made here; DECODER is the folder of
the decoder of Perfetto's traces."""
import csv
import io
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

RANGEFINDER = sys.argv[1]
sys.path.insert(0, sys.argv[2])
import decode  # noqa: E402

PID, FIRST, SECOND = 100, 100 << 24 | 101, 100 << 24 | 102
DEFAULT = ["self_time", "nvtx_gpu_proj_sum", "nvtx_kern_sum", "cuda_gpu_kern_sum"]


def check(is_right, what):
    if not is_right:
        raise AssertionError(what)


def run(*command, status=0):
    done = subprocess.run([RANGEFINDER, *command], capture_output=True)
    check(done.returncode == status, f"{command}: {done.returncode}, {done.stderr.decode()}")
    return done


def make(path, ranges, calls):
    """ranges: (type, start, end, text, thread, thread of the end); calls: (start, end, thread), each
    with a kernel a microsecond later."""
    pathlib.Path(path).unlink(missing_ok=True)
    file = sqlite3.connect(path)
    file.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'work');
        CREATE TABLE NVTX_EVENTS (eventType INT, start INT, end INT, text TEXT, globalTid INT,
                                  endGlobalTid INT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,
                                                  correlationId INT, nameId INT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT,
            streamId INT, correlationId INT, globalPid INT, shortName INT, demangledName INT);""")
    file.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?, ?)", ranges)
    for i, (start, end, thread) in enumerate(calls):
        file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 1)",
                     (start, end, thread, i + 1))
        file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 2, 2)",
                     (start + 1000, start + 1005, i + 1, PID << 24))
    file.commit()
    file.close()


def by_process():
    """A range that ended on another thread: without the option nothing is projected of it."""
    make("t.sqlite", [(59, 0, 100, "own", FIRST, None), (60, 0, 500, "across", FIRST, SECOND)],
         [(10, 20, FIRST), (400, 410, SECOND)])
    for options, expected in ((["--by-process=false"], {"own": None}),
                              (["--by-process"], {"own": None, "across": True})):
        run("export", "-q", "-f", *options, "-t", "json,perfetto", "-o", "o", "t.sqlite")
        with open("o.json", encoding="utf-8") as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "nvtx_gpu"]
        check({e["name"]: e["args"].get("by process") for e in events} == expected, events)
        for event in events:
            both = event["name"] == "across"
            check((event["dur"], event["args"]["gpu operations"]) ==
                  ((0.395, 2) if both else (0.005, 1)), event)
        trace = decode.Trace(decode.read("o.pftrace"))
        slices = [s for s in trace.slices if s.category == "nvtx_gpu_projection"]
        check({s.name: s.args.get("by_process") for s in slices} ==
              {name: value and 1 for name, value in expected.items()}, slices)
        check({s.name: s.end - s.start for s in slices} ==
              {name: 395 if name == "across" else 5 for name in expected}, slices)
    for form in ("--flavor=kineto", "--compat=nsys2json"):
        said = run("export", "--by-process", form, "-o", "x.json", "t.sqlite", status=2).stderr
        check(b"'--by-process' is not for " + form.encode() in said, said)
        check(not os.path.exists("x.json"), form)


def too_many():
    """9000 kernels under 9000 ranges of one name are counted; of 47,000 names one table is left out, which
    is a failure if it was asked for."""
    n = 9000
    make("t.sqlite", [(59, i, 3 * n - i, "r", FIRST, None) for i in range(n)],
         [(n + i, n + i, FIRST) for i in range(n)])
    done = run("stats", "-f", "csv", "-r", "nvtx_kern_sum", "t.sqlite")
    check(b"\n:r,PushPop,%d,%d,%d,%d,%d," % (PID, FIRST & 0xffffff, n, n, 5 * n * n) in done.stdout,
          done.stdout)
    n = 47000
    make("t.sqlite", [(59, i, 3 * n - i, f"r{i}", FIRST, None) for i in range(n)],
         [(n + i, n + i, FIRST) for i in range(n)])
    done = run("stats", "t.sqlite")
    check([name for name in DEFAULT if f"({name})".encode() in done.stdout] ==
          ["self_time", "nvtx_gpu_proj_sum", "cuda_gpu_kern_sum"], done.stdout[:2000])
    check(done.stderr.count(b"cannot compute nvtx_kern_sum of 't.sqlite'") == 1, done.stderr)
    done = run("stats", "-r", "nvtx_kern_sum,cuda_gpu_kern_sum", "t.sqlite", status=1)
    check(b"(cuda_gpu_kern_sum)" in done.stdout, done.stdout)
    run("stats", "-r", "nvtx_kern_sum", "-o", "x.csv", "t.sqlite", status=1)
    check(not os.path.exists("x.csv"), "an output is left")


def hidden_calls():
    """What is under a range does not depend on whether calls are shown."""
    make("t.sqlite", [(59, 0, 100, "own", FIRST, None)], [(10, 20, FIRST), (200, 210, FIRST)])
    whole = run("stats", "-f", "csv", "-r", "nvtx_kern_sum", "t.sqlite").stdout
    check(whole.count(b"\n") == 3 and b":own,PushPop," in whole and b"\nNone," in whole, whole)
    part = run("stats", "-f", "csv", "-r", "nvtx_kern_sum", "--activity=nvtx,kernel",
               "t.sqlite").stdout
    check(part == whole, part)


def parents():
    """The shortest push/pop range around a push/pop range, as if no start/end range were there."""
    dice = random.Random(4)
    for _ in range(20):
        ranges = []
        for i in range(120):
            start = dice.randrange(60)
            ranges.append((dice.choice((59, 60)), start, start + dice.randrange(30), f"r{i}", FIRST,
                           None))
        ranges.sort(key=lambda r: r[1])
        own = sorted((r for r in ranges if r[0] == 59), key=lambda r: (r[1], -r[2]))
        expected = {}
        for i, (_, start, end, name, *_) in enumerate(own):
            around = [(r[2] - r[1], -k, r[3]) for k, r in enumerate(own[:i]) if r[2] >= end]
            expected[":" + name] = ":" + min(around)[2] if around else None
        make("t.sqlite", ranges, [])
        table = run("stats", "-f", "csv", "-r", "nvtx_pushpop_trace", "t.sqlite").stdout.decode()
        rows = list(csv.DictReader(io.StringIO(table)))
        names = {row["RangeId"]: row["Name"] for row in rows} | {"None": None}
        check({row["Name"]: names[row["ParentId"]] for row in rows} == expected, ranges)
        for row in rows:
            children = [r for r in rows if r["ParentId"] == row["RangeId"]]
            check(int(row["NumChild"]) == len(children), row)
            check(int(row["DurChild (ns)"]) == sum(int(r["Duration (ns)"]) for r in children), row)
            check(int(row["Lvl"]) == row["RangeStack"].count(":") - 1, row)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    by_process()
    too_many()
    hidden_calls()
    parents()
    os.chdir("/")
