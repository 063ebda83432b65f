#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""merged_sqlite.py RANGEFINDER NSYS_EXPORTS ACT: several recordings in one database. Reports on
the whole give what they give of the inputs, added up; queries that join nsys's tables find for each
input what they find in it; ids, strings and times are right beside each other."""

import collections
import csv
import gzip
import io
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

RANGEFINDER, EXPORTS, ACT = sys.argv[1:4]
SECOND = 10**9
CASES = {"b_4gpu_mixed": 0, "c_real_h100_2gpu": 3, "d_4proc_same_device": -2, "a_1proc_text": 9}
HOSTILE_NAME = "<script>alert(1)</script>\x1b[31m\u202e'\"; --"
REPORTS = ["nvtx_sum", "cuda_gpu_kern_sum", "nvtx_gpu_proj_sum", "cuda_api_sum", "nvtx_kern_sum",
           "cuda_gpu_mem_time_sum"]


def run(*args, status=0):
    done = subprocess.run([RANGEFINDER, *map(str, args)], capture_output=True, check=False)
    assert done.returncode == status, (args, done.returncode, done.stderr)
    return done.stdout.decode() if status == 0 else done.stderr.decode()


def make_inputs(folder):
    """Databases of nsys, with times of day; the last two are of one run, at other times."""
    made = []
    for name, seconds in [*CASES.items(), ("b_4gpu_mixed", 5)]:
        path = folder / f"{len(made)}.sqlite"
        path.write_bytes(gzip.decompress(pathlib.Path(EXPORTS, f"{name}.sqlite.gz").read_bytes()))
        with sqlite3.connect(path) as db:
            db.execute("DROP TABLE IF EXISTS TARGET_INFO_SESSION_START_TIME")
            db.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime, localTime)")
            db.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(?, '', '')",
                       (1700000000 * SECOND + seconds * SECOND,))
        db.close()
        made.append(path)
    return made


def totals(report, paths):
    """Per name and column: what adds up."""
    found = collections.Counter()
    for path in paths:
        for row in csv.DictReader(io.StringIO(run("stats", "-q", "-f", "csv", "-o", "-", "--allow-empty", "-r", report, path))):
            name = row.get("Range") or row.get("Name") or row.get("Operation") or row["NVTX Range"]
            for column, value in row.items():
                if "Total" in column or column in ("Instances", "Count", "Num Calls", "Kern Inst", "Range Instances"):
                    found[name, row.get("Style"), row.get("Kernel Name"), column] += int(float(value))
    return found


def check_reports(merged, inputs):
    for report in REPORTS:
        one, several = totals(report, [merged]), totals(report, inputs)
        assert one and one == several, (report, (one - several), (several - one))
    summed = run("stats", "-q", "-f", "csv", "-o", "-", "-r", "cuda_gpu_kern_sum", "--sum-inputs", *inputs)
    one = run("stats", "-q", "-f", "csv", "-o", "-", "-r", "cuda_gpu_kern_sum", merged)
    columns = ("Name", "Total Time (ns)", "Instances", "Avg (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)")
    tables = [[tuple(row[c] for c in columns) for row in csv.DictReader(io.StringIO(text))] for text in (summed, one)]
    assert sorted(tables[0]) == sorted(tables[1])


# As nsys's own reports join: by correlation id alone, by the id of the GPU alone.
BY_CALL = """SELECT count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k
    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON k.correlationId = r.correlationId
    AND k.globalPid = r.globalTid & ~0xffffff"""
BY_CALL_ALONE = BY_CALL[:BY_CALL.index("AND")]
BY_GPU = "SELECT count(*), min(g.name) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN TARGET_INFO_GPU g ON g.id = k.deviceId"
NAMES = """SELECT s.value, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName
    {} GROUP BY 1 ORDER BY 1"""
EVENTS = """SELECT coalesce(text, (SELECT value FROM StringIds WHERE id = textId)), start - ?, end - ?
    FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60) AND globalTid >> 48 BETWEEN ? AND ? ORDER BY 1, 2, 3"""


def check_joins(db, alone, of_input):
    shift, first, last, correlation, device = of_input
    mine = f"WHERE globalPid >> 48 BETWEEN {first} AND {last}"
    on = f" AND k.globalPid >> 48 BETWEEN {first} AND {last}"
    for query in (BY_CALL, BY_CALL_ALONE, BY_GPU):
        if "TARGET_INFO_GPU" not in query or alone.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'TARGET_INFO_GPU'").fetchone()[0]:
            assert db.execute(query + on).fetchall() == alone.execute(query).fetchall(), query
    assert db.execute(NAMES.format(mine)).fetchall() == alone.execute(NAMES.format("")).fetchall()
    assert db.execute(EVENTS, (shift, shift, first, last)).fetchall() == alone.execute(
        EVENTS, (0, 0, 0, 1 << 16)).fetchall()
    ids = f"SELECT correlationId - {{}}, deviceId - {{}}, contextId, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL {{}} ORDER BY rowid"
    assert db.execute(ids.format(correlation, device, mine)).fetchall() == alone.execute(
        ids.format(0, 0, "")).fetchall()


def check_whole(db, n):
    def one(query):
        return db.execute(query).fetchone()

    assert one("PRAGMA integrity_check") == ("ok",)
    assert one("SELECT count(*), count(DISTINCT value) FROM StringIds")[0] == one("SELECT count(DISTINCT value) FROM StringIds")[0]
    assert one("SELECT count(*) FROM PROCESSES") == one("SELECT count(DISTINCT globalPid) FROM PROCESSES")
    assert one("SELECT count(*) FROM TARGET_INFO_GPU") == one("SELECT count(DISTINCT id) FROM TARGET_INFO_GPU")
    for table in ("ANALYSIS_DETAILS", "TARGET_INFO_SESSION_START_TIME"):
        assert one(f"SELECT count(*) FROM {table}") == (1,), table
    assert one("SELECT count(*), count(DISTINCT name) FROM EXPORT_META_DATA") == one(
        "SELECT count(*), count(*) FROM EXPORT_META_DATA")
    assert one("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") == (0,)
    assert one("SELECT count(*) FROM RANGEFINDER_INPUTS") == (n,)


def check_nsys_exports(folder):
    inputs = make_inputs(folder)
    merged = folder / "merged.sqlite"
    run("export", "-q", "-o", merged, *inputs)
    check_reports(merged, inputs)
    db = sqlite3.connect(merged)
    check_whole(db, len(inputs))
    rows = db.execute("SELECT file, clockOffsetNs, firstMachine, lastMachine, correlationOffset, deviceOffset"
                      " FROM RANGEFINDER_INPUTS ORDER BY inputId").fetchall()
    assert [row[1] for row in rows] == [s * SECOND for s in [*CASES.values(), 5]]
    for path, row in zip(inputs, rows):
        assert row[0] == str(path)
        single = folder / "single.sqlite"
        run("export", "-q", "-f", "-o", single, path)
        alone = sqlite3.connect(single)
        check_joins(db, alone, row[1:])
        alone.close()
    db.close()
    check_nsys(merged)


def check_nsys(merged):
    nsys = shutil.which("nsys")
    if nsys is None:
        print("nsys is not installed: its own reports are not run, the joins above are its")
        return
    done = subprocess.run([nsys, "stats", "-q", "-f", "csv", "-r", "gpukernsum", str(merged)], capture_output=True,
                          check=False)
    lines = done.stdout.decode().splitlines()
    rows = list(csv.DictReader(lines[next(i for i, l in enumerate(lines) if "Time (%)" in l):]))
    ours = totals("cuda_gpu_kern_sum", [merged])
    assert sum(int(r["Instances"]) for r in rows) == sum(v for k, v in ours.items() if k[3] == "Instances")


def check_own(folder):
    """Recordings of our own: notes stand beside the events that they are of."""
    inputs = [folder / f"own{i}.rf" for i in range(3)]
    for i, path in enumerate(inputs):
        run("profile", "-q", "-o", path, ACT, f"ranges:{i + 2}", "domain:d", f"trigger:r{i}", "push:cut", "mark:m")
    merged = folder / "own.sqlite"
    run("export", "-q", "-o", merged, *inputs)
    db = sqlite3.connect(merged)
    cuts = ("SELECT e.start - ?, e.globalTid & 0xffffffffffff, reason FROM RANGEFINDER_NVTX_CUTS c JOIN NVTX_EVENTS e"
            " ON e.rowid = c.eventId WHERE e.globalTid >> 48 BETWEEN ? AND ? ORDER BY e.rowid")
    threads = ("SELECT t.tid, p.pid, t.globalTid & 0xffffffffffff FROM RANGEFINDER_THREADS t JOIN"
               " RANGEFINDER_PROCESSES p USING (processId) WHERE t.globalTid >> 48 BETWEEN ? AND ? ORDER BY threadId")
    n_cuts = 0
    for path, row in zip(inputs, db.execute("SELECT clockOffsetNs, firstMachine, lastMachine FROM RANGEFINDER_INPUTS"
                                            " ORDER BY inputId").fetchall()):
        single = folder / "single.sqlite"
        run("export", "-q", "-f", "-o", single, path)
        alone = sqlite3.connect(single)
        expected = alone.execute(cuts, (0, 0, 1 << 16)).fetchall()
        n_cuts += len(expected)
        assert db.execute(cuts, row).fetchall() == expected
        assert db.execute(threads, row[1:]).fetchall() == alone.execute(threads, (0, 1 << 16)).fetchall()
        alone.close()
    assert n_cuts > 0
    db.close()
    assert totals("nvtx_sum", [merged]) == totals("nvtx_sum", inputs)


def record_pieces(folder, name):
    """The files of a run: ranges over their ends, a child that begins late, what is named in a file behind the first."""
    steps = ["domain:d", "start:over all", "push:outer", "part:early", "unpart", "part:across", "trigger:registered", "sleep:150",
             "pop", "mark:m", "domain:",
             "ranges:3", "sleep:150", "domain:late", "push:inner", "sleep:30", "pop", "unpart", "domain:d", "sleep:150",
             "part:late", "unpart", "pop", "end",
             f"linger:{folder / name}.go", f"touch:{folder / name}.go", "sleep:150", "mark:last", "push:never ends"]
    run("profile", "-q", "--split=100ms", "-o", folder / name, ACT, *steps)
    return sorted(folder.glob(f"{name}.*.rf"), key=lambda path: int(path.suffixes[-2][1:]))


def check_one_run(db, n_processes):
    """Each process is one process, and nothing that several files tell stands twice."""
    def one(query):
        return db.execute(query).fetchone()[0]

    assert one("PRAGMA integrity_check") == "ok"
    for table in ("PROCESSES", "RANGEFINDER_PROCESSES"):
        assert one(f"SELECT count(DISTINCT globalPid) FROM {table}") == one(f"SELECT count(*) FROM {table}") == n_processes
    for table, columns in (("NVTX_EVENTS", "eventType, globalTid >> 24, domainId, coalesce(category, 0)"),
                           ("RANGEFINDER_DOMAINS", "processId, domainId"), ("ThreadNames", "globalTid, 0"),
                           ("RANGEFINDER_THREADS", "processId, globalTid, tid, serial")):
        where = "WHERE eventType IN (33, 75)" if table == "NVTX_EVENTS" else ""
        assert one(f"SELECT count(*) FROM {table} {where}") == one(
            f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM {table} {where})"), table
    assert one("SELECT count(*) FROM NVTX_EVENTS") == one("SELECT value FROM RANGEFINDER_INFO WHERE name = 'events'") == one(
        "SELECT sum(events) FROM RANGEFINDER_THREADS")
    assert one("SELECT count(rangeId) FROM NVTX_EVENTS") == one(
        "SELECT count(*) FROM (SELECT DISTINCT rangeId, globalTid >> 24 FROM NVTX_EVENTS WHERE rangeId IS NOT NULL)")
    assert one("SELECT count(*) FROM RANGEFINDER_NVTX_CUTS WHERE eventId NOT IN (SELECT rowid FROM NVTX_EVENTS)") == 0
    assert one("SELECT count(*) FROM RANGEFINDER_NVTX_CUTS WHERE reason = 'still open'") == 0
    assert db.execute("SELECT e.text, w.text, count(*) FROM RANGEFINDER_NVTX_PARENTS p JOIN NVTX_EVENTS e ON"
                      " e.rowid = p.eventId JOIN NVTX_EVENTS w ON w.rangeId = p.parentRangeId AND w.globalTid = e.globalTid"
                      " GROUP BY 1, 2").fetchall() == [(name, "over all", n_processes // 2) for name in
                                                       ("across", "early", "late")]
    # each process is of the machines of one input
    assert db.execute("SELECT (SELECT count(*) FROM RANGEFINDER_INPUTS WHERE globalPid >> 48 BETWEEN firstMachine AND"
                      " lastMachine) FROM PROCESSES").fetchall() == [(1,)] * n_processes


def check_pieces(folder):
    """Files of runs that were split, in any order and among each other: each process is one in the whole."""
    a, b = record_pieces(folder, "a"), record_pieces(folder, "b")
    assert len(a) > 2 and len(b) > 2, (a, b)
    mixed = [path for pair in zip(a, b) for path in pair] + a[len(b):] + b[len(a):]
    expected = {tuple(a): totals("nvtx_sum", a), tuple(mixed): totals("nvtx_sum", mixed)}
    for inputs in (a, a[::-1], a[1:] + a[:1], mixed, mixed[::-1]):
        merged = folder / "pieces.sqlite"
        run("export", "-q", "-f", "-o", merged, *inputs)
        db = sqlite3.connect(merged)
        check_one_run(db, 2 if len(inputs) == len(a) else 4)
        marks = db.execute("SELECT text, count(*) FROM NVTX_EVENTS WHERE eventType = 34 GROUP BY 1").fetchall()
        db.close()
        n = 1 if len(inputs) == len(a) else 2
        assert marks == [("last", n), ("left behind", n), ("m", n)], marks
        assert totals("nvtx_sum", [merged]) == next(v for k, v in expected.items() if set(k) == set(inputs))
    # where the file between is not there, a range is open over it
    run("export", "-q", "-f", "-o", folder / "pieces.sqlite", a[0], a[2])
    over = totals("nvtx_sum", [folder / "pieces.sqlite"])
    assert [n for (name, *_, column), n in over.items() if "outer" in name and column == "Instances"] == [1], over


def check_many_threads(folder):
    """Twice 10,000 threads: none is lost or taken for another."""
    inputs = [folder / f"many{i}.sqlite" for i in range(2)]
    for i, path in enumerate(inputs):
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
                       " globalTid INTEGER, domainId INTEGER)")
            db.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime, localTime)")
            db.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(?, '', '')", ((1700000000 + i) * SECOND,))
            db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, 0)",
                           ((t, t + 5, HOSTILE_NAME, 1 << 48 | 100 << 24 | t) for t in range(100, 10100)))
        db.close()
    for output in ("many.sqlite", "many.pftrace", "many.json"):
        run("export", "-q", "-o", folder / output, *inputs)
    db = sqlite3.connect(folder / "many.sqlite")
    assert db.execute("SELECT count(DISTINCT globalTid), count(*), min(text), max(text) FROM NVTX_EVENTS").fetchall() == [
        (20000, 20000, HOSTILE_NAME, HOSTILE_NAME)]
    db.close()
    text = (folder / "many.json").read_text(encoding="utf-8")
    assert "\x1b" not in text and len({(e["pid"], e["tid"]) for e in json.loads(text)["traceEvents"]
                                       if e.get("name") == HOSTILE_NAME}) == 20000
    assert totals("nvtx_sum", [folder / "many.sqlite"]) == totals("nvtx_sum", inputs)


def check_damaged(folder):
    good, bad = folder / "own0.rf", folder / "bad.sqlite"
    bad.write_bytes(gzip.decompress(pathlib.Path(EXPORTS, "b_4gpu_mixed.sqlite.gz").read_bytes())[:9000])
    before = sorted(folder.iterdir())
    for output in ("out.sqlite", "missing/out.sqlite"):
        run("export", "-q", "-o", folder / output, good, bad, status=1)
    assert sorted(folder.iterdir()) == before


def main():
    with tempfile.TemporaryDirectory(prefix="rf-merged-sqlite-") as name:
        check_nsys_exports(pathlib.Path(name))
        check_own(pathlib.Path(name))
        check_pieces(pathlib.Path(name))
        check_many_threads(pathlib.Path(name))
        check_damaged(pathlib.Path(name))


main()
