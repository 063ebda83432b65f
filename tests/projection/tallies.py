#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tallies.py RANGEFINDER FOLDER: tables of the exports of nsys in FOLDER (*.sqlite.gz), to which is added what few of them have, and of
their summaries: all but medians and quantiles is the same, and those are at most 0.4 % off. Merged summaries are the same bytes in every
order and grouping, and have the sums that SQL finds."""

import collections
import contextlib
import gzip
import itertools
import json
import math
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from sanitized import is_sanitized  # noqa: E402

rangefinder, folder = sys.argv[1], pathlib.Path(sys.argv[2])

REPORTS = (
    "nvtx_gpu_proj_sum", "nvtx_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_kern_exec_sum", "launch_latency", "breakdown", "breakdown_steps", "critical",
    "nvtx_gpu_metrics_sum", "mpi_event_sum", "mpi_msg_size_sum", "openacc_sum", "openmp_sum", "syscall_sum", "um_sum:rows=100000", "um_total_sum", "um_cpu_page_faults_sum")
OF_WORK = REPORTS[:7]
# As docs/summaries.md has it.
BUCKETS = """
    SELECT tally, bucket, n
    FROM (SELECT tally, value AS n,
                 sum(max(1, -value)) OVER (PARTITION BY tally ORDER BY key) - 1 AS bucket
          FROM tally_histograms, json_each(buckets))
    WHERE n > 0
"""
APPROXIMATE = re.compile(r"Med\b|p\d+ ")

TABLES = """
CREATE TABLE IF NOT EXISTS StringIds(id, value);
INSERT INTO StringIds(id, value) VALUES (900001, 'MPI_Send'), (900002, 'MPI_Allreduce'), (900003, 'acc_wait'), (900004, 'wait.c'),
    (900005, 'task'), (900006, 'read'), (900007, '0x55aa');
CREATE TABLE MPI_P2P_EVENTS(start, end, globalTid, textId, commHandle, tag, remoteRank, size, requestHandle);
CREATE TABLE MPI_COLLECTIVES_EVENTS(start, end, globalTid, textId, commHandle, rootRank, size, recvSize, requestHandle);
CREATE TABLE SYSCALL(start, end, eventClass, globalTid, nameId);
CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_OTHER(start, end, nameId, globalTid, eventKind, DeviceType, lineNo, cuDeviceId, cuContextId,
    cuStreamId, srcFile, funcName, lineNoEnd, version, funcLineNo, funcLineNoEnd, eventClass);
CREATE TABLE OPENMP_EVENT_KIND_TASK(start, end, eventClass, globalTid, correlationId, nameId, eventKind, parallelId, taskId, kind);
CREATE TABLE OPENMP_EVENT_KIND_FLUSH(start, end, eventClass, globalTid, correlationId, nameId, eventKind, threadId);
CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start, globalPid, address, originalFaultPc, CpuInstruction, module, unresolvedFaultPc);
CREATE TABLE IF NOT EXISTS GPU_METRICS(timestamp, typeId, metricId, value);
CREATE TABLE IF NOT EXISTS TARGET_INFO_GPU_METRICS(typeId, sourceId, typeName, metricId, metricName);
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start, end, globalPid, deviceId, address, numberOfPageFaults, faultAccessType);
"""


def plant(database, tid, pid, seed):
    """Adds what only nsys records."""
    dice = random.Random(seed)
    database.executescript(TABLES)

    def add(table, *rows):
        for row in rows:
            database.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)

    for i in range(50):
        at = 1000 * i
        end = at + dice.choice((0, 7, dice.randrange(900)))
        add("MPI_P2P_EVENTS", (at, end, tid, 900001, 1, i, 1, dice.choice((None, 64, 1 << 20)), None))
        add("MPI_COLLECTIVES_EVENTS", (at, end, tid, dice.choice((900001, 900002)), 1, None, 8 * i, dice.choice((None, 9 * i)), None))
        add("SYSCALL", (at, end, dice.choice((107, 107, 108)), tid, 900006))
        add("CUPTI_ACTIVITY_KIND_OPENACC_OTHER",
            (at, end, 900003, tid, 1, 4, dice.randrange(3), 0, 1, 7, dice.choice((None, 900004)), None, 0, 1, 0, 0, 1))
        add("OPENMP_EVENT_KIND_TASK", (at, end, 1, tid, 0, 900005, 3, 1, 2, 0))
        add("OPENMP_EVENT_KIND_FLUSH", (at, end, 1, tid, 0, 900005, 3, 1))
        add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", (at, pid, 4096 * dice.randrange(9), None, dice.choice((900006, 900007)), None, None))
        add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", (at, end, pid, 0, 4096 * dice.randrange(9), dice.randrange(5) + 1, 1))
    begin, end = database.execute("SELECT min(start), max(end) FROM NVTX_EVENTS").fetchone()
    for gpu, (metric, name, most) in itertools.product(range(4), ((7, "SMs Active [Throughput %]", 100), (8, "PCIe RX", 10**13), (9, "Heat", 40))):
        add("TARGET_INFO_GPU_METRICS", (gpu, 1, "set", metric, name))
        for at in range(begin, end, max((end - begin) // 200, 1)):
            add("GPU_METRICS", (at, gpu, metric, dice.randrange(most) - (20 if most == 40 and gpu == 1 and seed % 2 else 0)))


def move_pages(database):
    """Some of the copies become moves of unified memory."""
    names = {row[1] for row in database.execute("PRAGMA table_info(CUPTI_ACTIVITY_KIND_MEMCPY)")}
    if "virtualAddress" in names:
        database.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 11 + rowid % 2, virtualAddress = 4096 * (rowid % 7)"
                         " WHERE rowid % 3 = 0")


def report(name, path, *options):
    done = subprocess.run([rangefinder, "stats", "-q", "-r", name, "-f", "json", "--allow-empty", *options, path], capture_output=True,
                          text=True, check=True)
    return [{k: v for k, v in row.items() if k not in ("Input", "Host", "Rank", "Approximate")} for row in json.loads(done.stdout or "[]")]


def split(rows):
    """What has to be the same, with the rest of each row."""
    exact = collections.defaultdict(list)
    for row in rows:
        about = {k: v for k, v in row.items() if APPROXIMATE.search(k)}
        key = json.dumps([(k, round(v, 3 if k == "Avg" else 6) if isinstance(v, float) else v) for k, v in row.items() if k not in about])
        exact[key].append(about)
    return exact


def is_near(a, b):
    if a is None or b is None:
        return a is None and b is None
    return math.isclose(a, b, rel_tol=1 / 255, abs_tol=0.5)


def compare(what, whole, summed):
    a, b = split(whole), split(summed)
    assert a.keys() == b.keys(), (what, sorted(a.keys() ^ b.keys())[:4])
    for key in a:
        assert len(a[key]) == len(b[key]), (what, key)
        for x, y in zip(a[key], b[key]):
            if len(a[key]) == 1:
                assert x.keys() == y.keys() and all(is_near(x[k], y[k]) for k in x), (what, key, x, y)


def notes(name, path):
    done = subprocess.run([rangefinder, "stats", "-q", "-r", name, "-f", "column", "--allow-empty", path], capture_output=True, text=True,
                          check=True)
    return sorted(line.strip().split('.sqlite: ')[-1] for line in done.stdout.splitlines() if re.search("coverage:|left out|counts as 0|waits", line))


has_negative = set()


def check(path, summary, has_notes=True):
    """Returns how many rows each report has."""
    n = {}
    subprocess.run([rangefinder, "summarize", "-q", "-f", "--steps", "--max-tallies=1000000", "--max-paths=1000000", "-o", summary, path], check=True)
    for name in REPORTS:
        whole = report(name, path)
        if name == "nvtx_gpu_metrics_sum":  # sums have no sign
            for row in whole:
                row["Avg"] = row["Avg"] if math.copysign(1, row["Avg"]) > 0 else None
            has_negative.update(row["Avg"] is None for row in whole)
        compare((path.name, name), whole, report(name, summary))
        n[name] = len(whole)
        if has_notes:
            assert notes(name, path) == notes(name, summary), (path.name, name, notes(name, path), notes(name, summary))
    quantiles = "--quantiles=10,50,99"
    for name in ("nvtx_gpu_proj_sum", "cuda_kern_exec_sum", "launch_latency", "nvtx_kern_sum", "mpi_event_sum", "mpi_msg_size_sum",
                 "openacc_sum", "openmp_sum", "syscall_sum"):
        compare((path.name, name, quantiles), report(name, path, quantiles), report(name, summary, quantiles))
    return n


# ---- Limits ----


def check_limit(path, summary):
    """Of few tallies the others are one row, and the sums stay."""
    subprocess.run([rangefinder, "summarize", "-q", "-f", "--max-tallies=3", "-o", summary, path], check=True)
    for name, n, total in (("nvtx_gpu_proj_sum", "Range Instances", "Total Proj Time (ns)"), ("nvtx_kern_sum", "Kern Inst", "Total Time (ns)"),
                           ("cuda_gpu_kern_gb_sum", "Instances", "Total Time (ns)"), ("cuda_kern_exec_sum", "Count", None),
                           ("critical", "Last", "Wait (ns)")):
        whole, few = report(name, path), report(name, summary)
        assert len(few) < len(whole) and any("(all other names)" in str(row.values()) for row in few), (path.name, name)
        assert sum(row[n] for row in few) == sum(row[n] for row in whole), (path.name, name)
        assert total is None or sum(row[total] for row in few) == sum(row[total] for row in whole), (path.name, name)


def check_metrics(path, summary):
    """Samples are in memory where that is asked for; of few tallies the others are one row for each metric."""
    name = "nvtx_gpu_metrics_sum"
    subprocess.run([rangefinder, "summarize", "-q", "-f", "-o", summary, path], check=True)
    done = subprocess.run([rangefinder, "stats", "-q", "-r", name, summary], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "--steps" in done.stderr, done
    subprocess.run([rangefinder, "summarize", "-q", "-f", "--steps", "--max-tallies=3", "-o", summary, path], check=True)
    whole, few = report(name, path), report(name, summary)
    added = {json.dumps({k: v for k, v in row.items() if k != "Avg"}) for row in report(name, path, "--sum-inputs")}
    n_styles = len({row["Style"] for row in whole})
    for metric in {row["Metric"] for row in whole}:
        all_rows, rows = ([row for row in of if row["Metric"] == metric] for of in (whole, few))
        assert len(rows) < len(all_rows) and sum("(all other names)" in row["Range"] for row in rows) >= n_styles, (path.name, metric)
        for column in "GPU Time (ns)", "Range Instances":
            assert sum(row[column] for row in rows) == sum(row[column] for row in all_rows), (path.name, metric, column)
        kept = [row for row in rows if "(all other names)" not in row["Range"]]
        assert kept and all(json.dumps({k: v for k, v in row.items() if k != "Avg"}) in added for row in kept), (path.name, metric)


def check_size(path, summary):
    """A file is as large as it may be, and has what fewer paths and tallies would be."""
    tallies = ("SELECT kind, {}, is_rest, pid, tid, device, n, total, min, max, sum1, sum2, sum3, sum4 FROM tallies ORDER BY tally"
               .format(", ".join(f"(SELECT value FROM tally_texts WHERE text = {column})" for column in TEXTS)))
    counts = "SELECT kind, n_searched, n_left_out FROM tally_inputs ORDER BY kind"
    totals = "SELECT kind, sum(n), sum(total) FROM sums GROUP BY kind"
    whole = kept_of(path, summary, totals, "--max-paths=1000000")
    n_before = 0
    for kilobytes in (50, 75, 100):
        option = f"--max-kb={kilobytes}"
        (few, n_left_out, n_paths) = kept_of(path, summary, tallies, option), kept_of(path, summary, counts), kept_of(path, summary, PATHS)[0][0]
        assert kept_of(path, summary, totals) == whole, option
        assert 0.9 * kilobytes < summary.stat().st_size / 1000 / N_PROCESSES <= 1.05 * kilobytes, (path.name, option, summary.stat().st_size)
        assert n_paths > n_before, (path.name, option)
        n_before = n_paths
        most = max(collections.Counter(row[0] for row in few if not row[5] and row[0] == "range_kernel").values())
        assert kept_of(path, summary, tallies, f"--max-tallies={most}") == few, (path.name, option, most)
        assert kept_of(path, summary, counts) == n_left_out, (path.name, option, most)


N_PROCESSES = 2  # of that recording
PATHS = "SELECT count(*) FROM paths"


def kept_of(path, summary, query, *options):
    """What a summary has; options: it is written anew."""
    if options:
        subprocess.run([rangefinder, "summarize", "-q", "-f", *options, "-o", summary, path], check=True)
    with contextlib.closing(sqlite3.connect(summary)) as db:
        return db.execute(query).fetchall()


# ---- Merging ----

TEXTS = ("domain", "name", "style", "detail")
KEYS = "kind, " + ", ".join(f"(SELECT value FROM tally_texts WHERE text = {column})" for column in TEXTS)
SUMS = "sum(n), sum(total), sum(squares_high), min(CASE WHEN n > 0 THEN min END), max(max), sum(sum1), sum(sum2), sum(sum3), sum(sum4)"


def sums_of(paths):
    found = {}
    for path in paths:
        with sqlite3.connect(path) as db:
            for row in db.execute(f"SELECT {KEYS}, {SUMS} FROM tallies GROUP BY 1, 2, 3, 4, 5"):
                before = found.get(row[:5])
                now = row[5:]
                if before is not None:
                    least = [v for v in (before[3], now[3]) if v is not None]
                    now = (*(a + b for a, b in zip(before[:3], now[:3])), min(least, default=None), max(before[4], now[4]),
                           *(a + b for a, b in zip(before[5:], now[5:])))
                found[row[:5]] = now
    return found


def merge(out, *inputs):
    subprocess.run([rangefinder, "summarize", "-q", "-f", "--merge", "-o", out, *inputs], check=True)
    return out


def check_merges(summaries, work):
    wanted = merge(work / "all.rfsum", *summaries)
    for i, order in enumerate(itertools.permutations(summaries)):
        if i % 5 != 0:
            continue
        few = merge(work / "few.rfsum", *order[:2])
        rest = merge(work / "rest.rfsum", *order[2:])
        assert merge(work / "again.rfsum", rest, few).read_bytes() == wanted.read_bytes(), order
    merged, apart = sums_of([wanted]), sums_of(summaries)
    assert merged.keys() == apart.keys()
    for key in merged:  # the lower halves of squares carry
        assert merged[key][:2] == apart[key][:2] and merged[key][3:] == apart[key][3:], (key, merged[key], apart[key])
    assert len(merged) > 100


def check_version_1(path, copy):
    """Version 1 has a row per bucket: the same is read of it. SQL finds these rows, too."""
    shutil.copyfile(path, copy)
    with sqlite3.connect(copy) as db:
        db.execute("PRAGMA user_version = 1")
        for owner, table, older in (("sum", "sum_histograms", "buckets"), ("tally", "tally_histograms", "tally_buckets")):
            rows = []
            for number, buckets in db.execute(f"SELECT {owner}, buckets FROM {table}"):
                numbers = json.loads(buckets)
                places = itertools.accumulate(max(1, -n) for n in numbers)
                rows += ((number, place - 1, n) for place, n in zip(places, numbers) if n > 0)
            if sqlite3.sqlite_version_info >= (3, 38):
                assert sorted(db.execute(BUCKETS.replace("tally_histograms", table).replace("tally", owner))) == sorted(rows)
            db.executescript(f"DROP TABLE {table}; CREATE TABLE {older} ({owner} INTEGER NOT NULL, bucket INTEGER NOT NULL,"
                             f" n INTEGER NOT NULL, PRIMARY KEY ({owner}, bucket)) WITHOUT ROWID")
            db.executemany(f"INSERT INTO {older} VALUES (?, ?, ?)", rows)
    again = copy.with_name("again.rfsum")
    subprocess.run([rangefinder, "summarize", "-q", "-f", "-o", again, copy], check=True)
    assert again.read_bytes() == path.read_bytes(), path


def main():
    n_rows, summaries = collections.Counter(), []
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        packed = sorted(folder.glob("*.sqlite.gz"))
        for seed, source in enumerate(packed):
            path = work / source.name.removesuffix(".gz")
            path.write_bytes(gzip.decompress(source.read_bytes()))
            with sqlite3.connect(path) as database:
                tid = database.execute("SELECT globalTid FROM NVTX_EVENTS WHERE globalTid > 0").fetchone()[0]
                plant(database, tid, tid >> 24 << 24, seed)
                move_pages(database)
            summary = path.with_suffix(".rfsum")
            n_rows.update(check(path, summary))
            summaries.append(summary)
            check_version_1(summary, work / "older.rfsum")
            check_limit(path, work / "limited.rfsum")
            check_metrics(path, work / "metrics.rfsum")
            if source.name.startswith("c_"):
                check_size(path, work / "sized.rfsum")
        check_merges(summaries, work)
        for source in sorted(folder.glob("defects/*.sqlite.gz")):
            path = work / source.name.removesuffix(".gz")
            path.write_bytes(gzip.decompress(source.read_bytes()))
            n_rows.update(check(path, path.with_suffix(".rfsum"), not is_sanitized(rangefinder)))  # each is a table more
    print(dict(n_rows))
    assert has_negative == {False, True}
    assert len(packed) == 4 and all(n_rows[name] > 2 for name in REPORTS), n_rows
    return 0


if __name__ == "__main__":
    sys.exit(main())
