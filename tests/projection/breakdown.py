#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""breakdown.py RANGEFINDER FOLDER: the reports breakdown and breakdown_steps against the tables of the exports of
nsys in FOLDER (*.sqlite.gz) and of generated ones, moment by moment, and breakdown_steps of summaries."""

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


WAITING = "cudaStreamSynchronize_v3020"
IDLE = ("idle, waiting for the host", "idle, launching", "idle, other")
COLUMNS = {"compute": "Compute (ns)", "communication hidden": "Comm Hidden (ns)", "communication exposed": "Comm Exposed (ns)",
           "copies": "Copies (ns)", IDLE[0]: "Idle Host (ns)", IDLE[1]: "Idle Launch (ns)", IDLE[2]: "Idle Other (ns)"}


def generate(path, seed):
    dice = random.Random(seed)
    names = ["gemm", "ncclDevKernel_AllReduce", "nccl"]
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value)")
        db.executemany("INSERT INTO StringIds VALUES(?, ?)", [*enumerate(names), (9, "cudaLaunchKernel_v7000"), (10, WAITING)])
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId, returnValue)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId, globalPid,"
                   " demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind)")
        db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        pid = 1 << 24 | 1 << 48
        for correlation in range(1, 120):
            called = 100 * dice.randrange(4000)
            start = called + 100 * dice.choice([0, 8, 40, 59, dice.randrange(250)])
            end = start + dice.choice([0, 1, 500, 4000, 9000])
            device, stream = dice.randrange(2), dice.randrange(3)
            thread = pid + 1 + (dice.random() < 0.2)
            if dice.random() < 0.9:
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, ?, ?, 9, 0)",
                           (called, called + dice.choice([0, 300, 1000, 4000]), thread, correlation))
            if dice.random() < 0.8:
                name = dice.randrange(3)
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, ?, 1, ?, ?, ?, ?, ?, 1, 1, 1, 1, 1, 1)",
                           (start, end, device, stream, correlation, pid, name, name))
            else:
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(?, ?, ?, 1, ?, ?, ?, 64, 1)",
                           (start, end, device, stream, correlation, pid))
        for correlation in range(1000, 1000 + dice.randrange(30)):
            start = 100 * dice.randrange(4000)
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, ?, ?, 10, 0)",
                       (start, start + dice.choice([0, 500, 6000]), pid + 1 + (dice.random() < 0.2), correlation))
        at = 100 * dice.randrange(-500, 500)
        for number in range(dice.randrange(3, 9)):  # the third thread gave no work to a GPU
            end = at + dice.choice([1, 2000, 30000, 150000])
            for thread in (1, 3):
                db.execute("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, 0)", (at, end, f"step {number}", pid + thread))
            at = end + dice.choice([0, 1, 10000])


def work_of(db):
    """{gpu: [(start, end, class, (start and end of the call, its thread) or None)]}, {thread: calls that wait, or cause work}"""
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    strings = dict(db.execute("SELECT id, value FROM StringIds"))
    calls, busy, working = {}, collections.defaultdict(list), set()
    for start, end, tid, correlation, name in db.execute(
        "SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME"
    ):
        calls[tid >> 24, correlation] = (start, end, tid)
        if strings[name] == WAITING:
            busy[tid].append((start, end, IDLE[2]))
    work = collections.defaultdict(list)
    for table, kind in WORK.items():
        if table not in tables:
            continue
        name = "shortName" if kind == "compute" else "NULL"
        for start, end, gpu, correlation, pid, text in db.execute(
            f"SELECT start, end, deviceId, correlationId, globalPid, {name} FROM {table}"
        ):
            is_communication = text is not None and strings[text][:4] in ("nccl", "rccl") and len(strings[text]) > 4
            key = pid >> 24, correlation
            work[gpu].append((start, end, "communication" if is_communication else kind, calls.get(key)))
            if key in calls and key not in working:
                working.add(key)
                start, end, tid = calls[key]
                busy[tid].append((start, end, IDLE[1]))
    return work, {tid: sorted(of_tid, key=lambda piece: (piece[0], -piece[1])) for tid, of_tid in busy.items()}


def moment_at(work, busy, ns):
    running = {kind for s, e, kind, _ in work if s <= ns < e}
    if "communication" in running:
        return "communication hidden" if "compute" in running else "communication exposed"
    if running:
        return "compute" if "compute" in running else "copies"
    later = [piece for piece in work if piece[0] > ns]
    if not later:
        return IDLE[0]
    call = min(later, key=lambda piece: piece[0])[3]
    if call is None:
        return IDLE[2]
    before = [e for s, e, _, _ in work if s <= ns]
    if before and call[0] < max(before) and call[1] <= max(before):
        return IDLE[2]
    if call[0] <= ns:
        return IDLE[1 if ns < call[1] + 10000 else 2]
    return next((reason for s, e, reason in busy.get(call[2], ()) if s <= ns < e), IDLE[0])


def moments_of(work, busy, begin, end):
    """Every moment of a time, between those at which something may change."""
    ns = collections.Counter()
    times = {begin, end} | {t for piece in work for t in piece[:2] + (piece[3] or ())[:2]} | {p[3][1] + 10000 for p in work if p[3]}
    times |= {t for of_tid in busy.values() for piece in of_tid for t in piece[:2]}
    times = sorted(t for t in times if begin <= t <= end)
    for first, last in zip(times, times[1:]):
        ns[moment_at(work, busy, first)] += last - first
    return +ns


def rows_of(path, report):
    done = subprocess.run([rangefinder, "stats", "-q", "-r", report, "-f", "json", path], capture_output=True, check=True)
    return json.loads(done.stdout)


def check_steps(path, work, busy):
    rows = rows_of(path, "breakdown_steps")
    gpus = sorted(work)
    wanted_gpus = {1: sorted({gpu for gpu in gpus if any(w[3] and w[3][2] & 3 == 1 for w in work[gpu])}), 3: gpus}
    assert {row["TID"] & 3 for row in rows} == {1, 3}
    for row in rows:
        got = {what: row[column] for what, column in COLUMNS.items() if row[column]}
        assert sum(got.values()) == row["Duration (ns)"], row
        wanted = moments_of(work[row["GPU"]], busy, row["Start (ns)"], row["Start (ns)"] + row["Duration (ns)"])
        assert got == wanted, (row, wanted)
        busy_ns = sum(ns for what, ns in got.items() if what not in IDLE)
        assert abs(row["Busy (%)"] - (100 * busy_ns / row["Duration (ns)"] if row["Duration (ns)"] else 0)) <= 0.06
    for thread, of_thread in wanted_gpus.items():
        keys = [(row["Step"], row["GPU"]) for row in rows if row["TID"] & 3 == thread]
        assert keys == [(step, gpu) for step in range(1, keys[-1][0] + 1) for gpu in of_thread], keys


def check_summary(path):
    """Summaries have the same rows, or those of the steps that begin first; of one without them a message says how to have them."""
    summary, whole = path + ".rfsum", rows_of(path, "breakdown_steps")
    starts = sorted({(row["Start (ns)"], row["TID"]) for row in whole})
    for most in 1000, 2:
        subprocess.run([rangefinder, "summarize", "-q", "-f", f"--max-steps={most}", "-o", summary, path], check=True)
        rows = [{column: row[column] for column in whole[0]} for row in rows_of(summary, "breakdown_steps")]
        last = starts[:most][-1][0]
        wanted = [row for row in whole if row["Start (ns)"] <= last]
        assert all(row in wanted for row in rows) and (most == 2 or len(rows) == len(wanted)), (path, most)
        assert len({(row["Start (ns)"], row["TID"]) for row in rows}) == min(most, len(starts)), (path, most)
    with sqlite3.connect(summary) as db:
        assert db.execute("SELECT count(*) FROM step_gpus").fetchone()[0] == len(rows)
        db.executescript("DROP TABLE step_gpus; DELETE FROM tally_inputs WHERE kind = 'step_gpu'")
    done = subprocess.run([rangefinder, "stats", "-q", "-r", "breakdown_steps", summary], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "made by an older rangefinder" in done.stderr, done


def check(path, has_steps=False):
    got = collections.defaultdict(dict)
    for row in rows_of(path, "breakdown"):
        got[row["GPU"]][row["What"]] = row["Time (ns)"]
    with sqlite3.connect(path) as db:
        work, busy = work_of(db)
    assert set(got) == set(work), (set(got), set(work))
    for gpu, rows in got.items():
        begin, end = min(w[0] for w in work[gpu]), max(w[1] for w in work[gpu])
        assert sum(rows.values()) == end - begin, gpu
        if len(work[gpu]) > 1200:
            continue  # the definition takes the square of it
        wanted = moments_of(work[gpu], busy, begin, end)
        assert {what: ns for what, ns in rows.items() if ns} == wanted, (gpu, rows, wanted)
    if has_steps:
        check_steps(path, work, busy)
        check_summary(path)
    return {what for rows in got.values() for what, ns in rows.items() if ns}


def distinct(path):
    """Whether no two pieces of work of a GPU begin together."""
    with sqlite3.connect(path) as db:
        return all(len({w[0] for w in work}) == len(work) for work in work_of(db)[0].values())


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
                seen |= check(path, True)
                n += 1
    print(f"{n} databases: {', '.join(sorted(seen))}")
    assert n > 12 and len(seen) == 7
    return 0


if __name__ == "__main__":
    sys.exit(main())
