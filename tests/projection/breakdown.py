#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""breakdown.py RANGEFINDER FOLDER: the report breakdown against the tables of the exports of nsys in FOLDER
(*.sqlite.gz) and of generated ones, moment by moment."""

import collections
import glob
import gzip
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

rangefinder, folder = sys.argv[1:3]
WORK = {"CUPTI_ACTIVITY_KIND_KERNEL": "compute", "CUPTI_ACTIVITY_KIND_MEMCPY": "copies", "CUPTI_ACTIVITY_KIND_MEMSET": "copies"}


def generate(path, seed):
    dice = random.Random(seed)
    names = ["gemm", "ncclDevKernel_AllReduce", "nccl"]
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value)")
        db.executemany("INSERT INTO StringIds VALUES(?, ?)", [*enumerate(names), (9, "cudaLaunchKernel_v7000")])
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId, returnValue)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId, globalPid,"
                   " demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind)")
        pid = 1 << 24 | 1 << 48
        for correlation in range(1, 120):
            called = dice.randrange(4000)
            start = called + dice.randrange(60)
            end = start + dice.choice([0, 1, 5, 40, 90])
            device, stream = dice.randrange(2), dice.randrange(3)
            if dice.random() < 0.9:
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, ?, ?, 9, 0)", (called, called + 10, pid + 1, correlation))
            if dice.random() < 0.8:
                name = dice.randrange(3)
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, ?, 1, ?, ?, ?, ?, ?, 1, 1, 1, 1, 1, 1)",
                           (start, end, device, stream, correlation, pid, name, name))
            else:
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(?, ?, ?, 1, ?, ?, ?, 64, 1)",
                           (start, end, device, stream, correlation, pid))


def work_of(db):
    """{gpu: [(start, end, class, start of the call or None)]}"""
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    strings = dict(db.execute("SELECT id, value FROM StringIds"))
    calls = {}
    for start, tid, correlation in db.execute("SELECT start, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        calls[tid >> 24, correlation] = start
    work = collections.defaultdict(list)
    for table, kind in WORK.items():
        if table not in tables:
            continue
        name = "shortName" if kind == "compute" else "NULL"
        for start, end, gpu, correlation, pid, text in db.execute(
            f"SELECT start, end, deviceId, correlationId, globalPid, {name} FROM {table}"
        ):
            is_communication = text is not None and strings[text][:4] in ("nccl", "rccl") and len(strings[text]) > 4
            work[gpu].append((start, end, "communication" if is_communication else kind, calls.get((pid >> 24, correlation))))
    return work


def moments_of(work):
    """Every moment between two times at which something changes."""
    ns = collections.Counter()
    times = sorted({t for start, end, _, _ in work for t in (start, end)})
    starts = sorted(work, key=lambda piece: piece[0])
    for begin, end in zip(times, times[1:]):
        running = {kind for s, e, kind, _ in work if s <= begin < e}
        if "communication" in running:
            ns["communication hidden" if "compute" in running else "communication exposed"] += end - begin
        elif running:
            ns["compute" if "compute" in running else "copies"] += end - begin
        else:  # until the next work begins
            called = {call for s, _, _, call in starts if s == end}
            assert len(called) == 1, "one work at a time, or it is not said which is the next"
            call = called.pop()
            if call is None or call < begin:
                ns["idle, other"] += end - begin
            else:
                ns["idle, waiting for the host"] += min(call, end) - begin
                ns["idle, launching"] += end - min(call, end)
    return ns


def check(path):
    done = subprocess.run([rangefinder, "stats", "-q", "-r", "breakdown", "-f", "json", path], capture_output=True, check=True)
    got = collections.defaultdict(dict)
    for row in json.loads(done.stdout):
        got[row["GPU"]][row["What"]] = row["Time (ns)"]
    with sqlite3.connect(path) as db:
        work = work_of(db)
    assert set(got) == set(work), (set(got), set(work))
    for gpu, rows in got.items():
        assert sum(rows.values()) == max(w[1] for w in work[gpu]) - min(w[0] for w in work[gpu]), gpu
        if len(work[gpu]) > 2000:
            continue  # the definition takes the square of it
        wanted = moments_of(work[gpu])
        assert {what: ns for what, ns in rows.items() if ns} == +wanted, (gpu, rows, wanted)
    return {what for rows in got.values() for what, ns in rows.items() if ns}


def distinct(path):
    """Whether no two pieces of work of a GPU begin together."""
    with sqlite3.connect(path) as db:
        return all(len({w[0] for w in work}) == len(work) for work in work_of(db).values())


def main():
    seen, n = set(), 0
    with tempfile.TemporaryDirectory() as name:
        for packed in sorted(glob.glob(os.path.join(folder, "*.sqlite.gz"))):
            path = os.path.join(name, "real.sqlite")
            with gzip.open(packed) as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
            seen |= check(path)
            n += 1
        for seed in range(120):
            path = os.path.join(name, f"{seed}.sqlite")
            generate(path, seed)
            if distinct(path):
                seen |= check(path)
                n += 1
    print(f"{n} databases: {', '.join(sorted(seen))}")
    assert n > 12 and len(seen) == 7
    return 0


if __name__ == "__main__":
    sys.exit(main())
