#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostile.py BUILD GROUP [COUNT]: exports of nsys that are wrong, through every verb and format. Each run
has a limit of time and of memory, and each result is defined: an error, or output that is valid
and a count of what was left out.

defects  the files of tests/data/nsys_exports/defects
nulls    every column of every table NULL, one file each
types    every column of every table with values of other types and out of range, one file each
missing  every column and every table missing, one file each
payloads every column of payloads, their layouts and counters of NVTX: NULL, other values, missing
foreign  what is no export, or not one as nsys writes it
texts    texts that are long, or not UTF-8
times    the ends of the range of times
deep     100,000 ranges in each other, or crossing
width    COUNT threads, processes, domains, streams, GPUs, by default 100,000"""

import csv
import decimal
import filecmp
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[1:1] = [HERE, *(os.path.join(HERE, "..", folder) for folder in ("export", "perfetto", "support"))]
import check_trace  # noqa: E402
import decode  # noqa: E402
import hostile_files as files  # noqa: E402
from hostile_files import GPID, GTID, N_ROWS, SILENT, TABLES, complete, launches, many  # noqa: E402
from sanitized import is_sanitized  # noqa: E402

SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)  # how many times as long as usual

FORMATS = ("json", "perfetto", "sqlite", "jsonl", "csv", "text")
REPORTS = "nvtx_sum,nvtx_gpu_proj_sum,nvtx_gpu_proj_trace,nvtx_kern_sum,cuda_gpu_kern_sum"
ALL = ["-t", "kernel", "nvtx", "nvtx-kernel", "cuda-api"]
INT64_MAX, INT64_MIN = 2**63 - 1, -2**63
EVENTS = {"NVTX_EVENTS", "OSRT_API"} | {name for name in TABLES if "KIND" in name} \
    - {"CUPTI_ACTIVITY_KIND_OVERHEAD", "CUPTI_ACTIVITY_KIND_CUDA_EVENT"}
failures = []


def check(is_right, what):
    if not is_right:
        failures.append(what)
        print("FAILED:", what, flush=True)


# ---- One run ----

def run(*command, status=0, seconds=60, mb=200, out=None):
    """Runs a program of the build. Returns its messages; with a file out, its output goes there."""
    slow = 10 if SANITIZED else 1
    with open("stderr", "w+b") as err, open(out or os.devnull, "wb") as to:
        process = subprocess.Popen([os.path.join(BIN, command[0]), *command[1:]], stdout=to,
                                   stderr=err)
        timer = threading.Timer(seconds * slow, process.kill)
        timer.start()
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        timer.cancel()
        err.seek(0)
        messages = err.read()
    check(process.returncode == status, f"{command}: status {process.returncode} in at most "
                                        f"{seconds * slow} s: {messages[-300:]}")
    check(status == 0 or messages.startswith((b"rangefinder: ", b"nsys2json: ")),
          f"{command}: {messages}")
    check(SANITIZED or usage.ru_maxrss <= mb * 1024,
          f"{command}: {usage.ru_maxrss // 1024} MB, more than {mb}")
    return messages


def info(path, mb=200):
    run("rangefinder", "info", "--json", path, out="info.json", mb=mb)
    with open("info.json", encoding="utf-8") as file:
        return json.load(file)


def counts(path, mb=200):
    """{(table, reason): rows} of what was left out or changed."""
    return {(row["table"], row["reason"]): row["rows"]
            for row in info(path, mb).get("not_read", [])}


# ---- Every format, and whether it is valid ----

def check_json(path, what):
    """A large one elsewhere: what is run is charged with the memory of the program that runs it."""
    if os.path.getsize(path) < 1 << 20:
        is_right = check_trace.Checker(path).check()
    else:
        is_right = subprocess.run([sys.executable, check_trace.__file__, path],
                                  check=False).returncode == 0
    check(is_right, f"{what}: the trace is not right")


def check_perfetto(path, what):
    try:
        decode.Trace(decode.read(path))
    except Exception as error:  # pylint: disable=broad-except
        check(False, f"{what}: {path}: {error!r}")


def check_sqlite(path, what):
    db = sqlite3.connect(path)
    check(db.execute("PRAGMA integrity_check").fetchone() == ("ok",), f"{what}: a bad database")
    db.close()
    run("rangefinder", "info", path)


def check_lines(path, what):
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                json.loads(line)
    except ValueError as error:
        check(False, f"{what}: {path}: {error}")


def check_csv(path, what):
    with open(path, encoding="utf-8", newline="") as file:
        widths = {len(row) for row in csv.reader(file)}
    check(len(widths) == 1, f"{what}: rows of {widths} cells")


def check_text(path, what):
    with open(path, encoding="utf-8") as file:
        check(all(c >= " " or c == "\n" for line in file for c in line), f"{what}: raw characters")


CHECKS = {"json": ("json", check_json), "perfetto": ("pftrace", check_perfetto),
          "sqlite": ("sqlite", check_sqlite), "jsonl": ("jsonl", check_lines),
          "csv": ("csv", check_csv), "text": ("txt", check_text)}


def check_compat(path, what, *options):
    done = run("nsys2json", "-f", path, "-o", "o.compat", *options)
    if not failures:
        with open("o.compat", "rb") as file:
            text = file.read()
        check(text.decode("ascii") == json.dumps(json.loads(text)), f"{what}: {done}")


def same_by_library(path, what):
    """What SQLite's library reads of the file comes out as o.* did, byte for byte."""
    run("rangefinder", "export", "-q", "-f", "true", "-t", ",".join(FORMATS), "-o", "library",
        "--import=library", path)
    for ending, _ in CHECKS.values():
        check(filecmp.cmp("o." + ending, "library." + ending, shallow=False),
              f"{what}: {ending} is not that of SQLite's library")


def all_formats(path, what):
    run("rangefinder", "export", "-q", "-f", "true", "-t", ",".join(FORMATS), "-o", "o", path)
    same_by_library(path, what)
    for ending, look in CHECKS.values():
        look("o." + ending, what)
    check_compat(path, what, *ALL)
    run("rangefinder", "stats", "-q", "--allow-empty", "-r", REPORTS, path)


def n_rows_of_export():
    """Rows of o.jsonl, which all_formats() left, but those that describe."""
    about = tuple(f'{{"type":"{what}",' for what in ("recording", "process", "thread", "gpu",
                                                    "counter"))
    with open("o.jsonl", encoding="utf-8") as file:
        return sum(not line.startswith(about) for line in file)


# ---- Every column ----

def pairs():
    return [(table, column) for table, columns in TABLES.items() for column in columns]


def left_out(found):
    return sum(n for (_, reason), n in found.items()
               if "left out" in reason and "of a payload" not in reason)


def each_column(change_to, what):
    """A file per column, whose values change_to(i) makes; what is lost is counted."""
    complete("base.sqlite")
    all_formats("base.sqlite", "base")
    base, n_base = counts("base.sqlite"), n_rows_of_export()
    check(left_out(base) == 0 and n_base > 50, f"base: {n_base} rows, {base}")
    unread = {table for table, reason in base if "not read" in reason or "passed over" in reason}
    for table, column in pairs():
        if table in unread and column != TABLES[table][0]:
            continue  # one column of it will do
        complete("t.sqlite", lambda t, c, i, value: change_to(i) if (t, c) == (table, column)
                 else value)
        name = f"{table}.{column} {what}"
        all_formats("t.sqlite", name)
        found, n = counts("t.sqlite"), n_rows_of_export()
        lost = left_out(found)
        check(n == n_base - lost if table in EVENTS else n_base - lost <= n <= n_base,
              f"{name}: {n} rows of {n_base}, {found}")
        if column in ("start", "eventType") and table not in unread and what == "NULL":
            check(left_out(found) == N_ROWS, f"{name}: {found}")
        if table == "CUPTI_ACTIVITY_KIND_RUNTIME" and column == "globalTid" and what == "NULL":
            check(found[table, "no globalTid: shown as thread 0 of process 0"] == N_ROWS,
                  f"{name}: {found}")


def nulls():
    each_column(lambda i: None, "NULL")


def types():
    values = ("text", b"\xff\x00", INT64_MAX, INT64_MIN, 1e300, -1)
    each_column(lambda i: values[i], "of other types")


def missing():
    for table, column in pairs():
        if table.startswith(SILENT):
            continue
        tables = {t: [c for c in columns if (t, c) != (table, column)]
                  for t, columns in TABLES.items() if (t, columns[0]) != (table, column)}
        complete("t.sqlite", tables={t: columns for t, columns in tables.items() if columns})
        run("rangefinder", "export", "-q", "-f", "true", "-t", ",".join(FORMATS), "-o", "o",
            "t.sqlite")
        check_json("o.json", f"without {table}.{column}")
        run("nsys2json", "-f", "t.sqlite", "-o", "o.compat", *ALL)
        run("rangefinder", "stats", "-q", "--allow-empty", "-r", REPORTS, "t.sqlite")


# ---- Payloads ----

WRONG = ("text", b"\xff\x00", INT64_MAX, INT64_MIN, 1e300, -1)


def payloads():
    """Whatever a column has, the other events and counters are there."""
    files.with_payloads("t.sqlite")
    all_formats("t.sqlite", "payloads")
    found, n_base = counts("t.sqlite"), n_rows_of_export()
    check(not found and n_base == 2 * N_ROWS, f"payloads: {n_base} rows, {found}")
    with open("o.jsonl", encoding="utf-8") as file:
        kinds = [json.loads(line).get("payload_type") for line in file]
    check(kinds.count("extended") == N_ROWS, f"payloads: {kinds}")
    for table, columns in files.PAYLOAD_TABLES.items():
        for column in columns:
            for what, value in (("NULL", lambda i: None), ("of other types", lambda i: WRONG[i]),
                                ("rotated", lambda i: WRONG[i - 3]), ("missing", lambda i: LookupError)):
                files.with_payloads("t.sqlite", lambda t, c, i, own, v=value: v(i)
                                    if (t, c) == (table, column) else own)
                all_formats("t.sqlite", f"{table}.{column} {what}")
                n, lost = n_rows_of_export(), left_out(counts("t.sqlite"))
                check(n >= n_base - lost - N_ROWS, f"{table}.{column} {what}: {n} rows, {lost} lost")


# ---- What is no export ----

def refused(path, text, *before):
    """An error that names the file; nothing is written."""
    for command in (["rangefinder", "info", path], ["nsys2json", "-f", path, "-o", "o.none"],
                    ["rangefinder", "export", "-q", "-t", "json", "-o", "o.none", path],
                    ["rangefinder", "stats", "-q", path]):
        message = run(*before, *command, status=1).decode()
        check(path in message and text in message, f"{command}: {message}")
    check(not os.path.exists("o.none"), f"{path}: an output is left")


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def made(path, script):
    with files.create(path) as db:
        db.executescript(script)


def foreign():
    """Other databases and what is none."""
    complete("good.sqlite")
    with open("good.sqlite", "rb") as file:
        good = file.read()
    write("empty.sqlite", b"")
    write("text.sqlite", b"these are no events\n" * 100)
    write("zero.sqlite", bytes(8192))
    write("magic.sqlite", b"SQLite format 3\0")
    write("half.sqlite", good[:len(good) // 2])
    write("page.sqlite", good[:512])
    write("old.sqlite", b"** This file contains an SQLite 2.1 database **\0" + bytes(2000))
    write("parquet.sqlite", b"PAR1" + bytes(100) + b"PAR1")
    write("gzip.sqlite", b"\x1f\x8b\x08" + bytes(100))
    for name in ("empty", "text", "zero", "magic", "half", "page", "old", "parquet", "gzip"):
        refused(name + ".sqlite", "")
    os.mkdir("folder.sqlite")
    refused("folder.sqlite", "")
    refused("missing.sqlite", "No such file")
    made("nvprof.sqlite", "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(_id_ INTEGER PRIMARY KEY, start,"
         " end, name); CREATE TABLE StringTable(_id_, value)")
    made("rocpd.sqlite", "CREATE TABLE rocpd_api(id, pid, tid, start, end);"
         " CREATE TABLE rocpd_op(id, gpuId); CREATE TABLE rocpd_string(id, string)")
    made("none.sqlite", "VACUUM")
    made("views.sqlite", "CREATE TABLE t(start, end); CREATE VIEW NVTX_EVENTS AS SELECT * FROM t;"
         " CREATE VIEW StringIds AS SELECT * FROM t;")
    for name in ("nvprof", "rocpd", "none", "views"):
        refused(name + ".sqlite", "no export of nsys")
    damaged(good)
    disguised()
    beside()


def damaged(good):
    """Each page overwritten: an error, or what is left of it. Never nothing said."""
    for page in range(1, len(good) // 4096):
        for filling in (bytes(4096), b"\xff" * 4096, good[4096:8192]):
            write("page.sqlite", good[:page * 4096] + filling + good[(page + 1) * 4096:])
            done = subprocess.run([os.path.join(BIN, "rangefinder"), "export", "-q", "-f", "true",
                                   "-t", "jsonl", "-o", "o.jsonl", "page.sqlite"], check=False,
                                  stderr=subprocess.PIPE, timeout=60 * SLOW)
            check(done.returncode in (0, 1) and bool(done.stderr) == bool(done.returncode),
                  f"page {page}: status {done.returncode}: {done.stderr}")


NVTX = "start, end, eventType, globalTid, text"


def disguised():
    """Tables that are not as nsys makes them: the same rows, or none of them."""
    row = f"(100, 200, 59, {GTID}, 'range')"
    made("rowid.sqlite", f"CREATE TABLE NVTX_EVENTS({NVTX}, PRIMARY KEY(start, text)) WITHOUT ROWID;"
         f"INSERT INTO NVTX_EVENTS VALUES {row}")
    made("generated.sqlite", "CREATE TABLE NVTX_EVENTS(start, end AS (start + 100) STORED,"
         " eventType, globalTid, text, twice AS (start * 2));"
         f"INSERT INTO NVTX_EVENTS VALUES (100, 59, {GTID}, 'range')")
    made("default.sqlite", f"CREATE TABLE NVTX_EVENTS(start, end, globalTid);"
         f"INSERT INTO NVTX_EVENTS VALUES (100, 200, {GTID});"
         "ALTER TABLE NVTX_EVENTS ADD COLUMN eventType DEFAULT 59;"
         "ALTER TABLE NVTX_EVENTS ADD COLUMN text DEFAULT 'range'")
    made("key.sqlite", f"CREATE TABLE NVTX_EVENTS(start INTEGER PRIMARY KEY, end, eventType,"
         f" globalTid, text); INSERT INTO NVTX_EVENTS VALUES {row}")
    made("strict.sqlite", "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT,"
         f" globalTid INT, text TEXT) STRICT; INSERT INTO NVTX_EVENTS VALUES {row}")
    made("utf16.sqlite", f"PRAGMA encoding = 'UTF-16'; CREATE TABLE NVTX_EVENTS({NVTX});"
         f"INSERT INTO NVTX_EVENTS VALUES {row}")
    made("case.sqlite", f"CREATE TABLE nvtx_events({NVTX.upper()});"
         f"INSERT INTO nvtx_events VALUES {row}")
    made("index.sqlite", f"CREATE TABLE NVTX_EVENTS({NVTX}); CREATE INDEX i ON NVTX_EVENTS(start);"
         f"CREATE TRIGGER t AFTER INSERT ON NVTX_EVENTS BEGIN SELECT 1; END;"
         f"INSERT INTO NVTX_EVENTS VALUES {row}")
    for name in ("rowid", "generated", "default", "key", "strict", "utf16", "case", "index"):
        all_formats(name + ".sqlite", name)
        check(n_rows_of_export() == 1 or name == "generated" and n_rows_of_export() <= 1, name)
        found = info(name + ".sqlite")
        check(found["n_ranges"] == 1, f"{name}: {found['n_ranges']} ranges")
    made("virtual.sqlite", "CREATE TABLE ENUM_NSYS_EVENT_TYPE(id);"
         "CREATE VIRTUAL TABLE NVTX_EVENTS USING fts4(start, end, eventType)")
    made("series.sqlite", "CREATE TABLE ENUM_NSYS_EVENT_TYPE(id);"
         "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
         " SELECT n AS start, n AS end, 59 AS eventType FROM r;"
         "CREATE VIEW OSRT_API AS SELECT load_extension('x') AS start, 1 AS end")
    for name in ("virtual", "series"):
        all_formats(name + ".sqlite", name)
        check(n_rows_of_export() == 0, name)


def beside():
    """A journal or a write-ahead log beside the file: what was committed, and no file changed."""
    db = sqlite3.connect("wal.sqlite")
    db.executescript(f"PRAGMA journal_mode = WAL; CREATE TABLE NVTX_EVENTS({NVTX});"
                     f"INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, {GTID}, 'range')")
    for name in os.listdir("."):
        if name.startswith("wal.sqlite"):
            with open(name, "rb") as file:
                write(name.replace("wal", "copy", 1), file.read())
    db.close()
    if os.path.exists("copy.sqlite-shm"):
        os.remove("copy.sqlite-shm")
    check(info("copy.sqlite")["n_ranges"] == 1, "what stands in the log is not read")
    for name, data in (("-wal", b"no log"), ("-journal", b"no journal"),
                       ("-journal", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))):
        complete("t.sqlite")
        write("t.sqlite" + name, data)
        done = subprocess.run([os.path.join(BIN, "rangefinder"), "info", "t.sqlite"], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60 * SLOW)
        check(done.returncode in (0, 1), f"{name}: {done.returncode} {done.stderr}")
        check(done.returncode == 0 or b"t.sqlite" in done.stderr, f"{name}: {done.stderr}")
        os.remove("t.sqlite" + name) if os.path.exists("t.sqlite" + name) else None


# ---- Texts ----

def texts():
    values = [b"\xff\xfe", b"a\x00b", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80",
              b"\x1b[31m\x07\x7f", b"\xe2\x80\xa8 \xef\xbb\xbf", b'"\\</script>', b"\xf0\x9f\x98",
              bytes(range(256))]
    with files.create("t.sqlite") as db:
        db.execute(f"CREATE TABLE NVTX_EVENTS({NVTX}, domainId, textId, category)")
        db.execute("CREATE TABLE StringIds(id, value)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, globalPid, shortName,"
                   " demangledName, correlationId, streamId, deviceId)")
        db.execute("CREATE TABLE PROCESSES(globalPid, pid, name)")
        db.execute("CREATE TABLE ThreadNames(nameId, priority, globalTid)")
        db.execute("CREATE TABLE TARGET_INFO_GPU(id, name, chipName, uuid)")
        for i, value in enumerate(values):
            text = "CAST(? AS TEXT)"
            tid = GTID + i
            db.execute(f"INSERT INTO StringIds VALUES (?, {text})", (i, value))
            for kind in (59, 34, 33, 75, 60):
                db.execute(f"INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, {text}, ?, NULL, ?)",
                           (i, i + 9, kind, tid, value, i, i))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?, 0, ?, ?)",
                       (i, i + 5, GPID, i, i, i, i))
            db.execute("INSERT INTO ThreadNames VALUES (?, 1, ?)", (i, tid))
            db.execute(f"INSERT INTO PROCESSES VALUES (?, 10, {text})", (GPID, value))
            db.execute(f"INSERT INTO TARGET_INFO_GPU VALUES (?, {text}, {text}, {text})",
                       (i, value, value, value))
        db.commit()
    all_formats("t.sqlite", "texts")
    check(n_rows_of_export() == 6 * len(values), "texts: rows are missing")
    long_texts()


def long_row(**change):
    """One range, with values that are SQL. Made elsewhere: this program would keep the memory, and
    what it runs would be charged with it."""
    values = {"start": 1, "end": 2, "eventType": 59, "globalTid": GTID, "text": "'x'",
              "jsonText": "NULL", "textId": "NULL", **change}
    script = (f"CREATE TABLE NVTX_EVENTS({', '.join(values)});"
              f"INSERT INTO NVTX_EVENTS VALUES ({', '.join(map(str, values.values()))})")
    if os.path.exists("long.sqlite"):
        os.remove("long.sqlite")
    subprocess.run([sys.executable, "-c", "import sqlite3, sys\n"
                    "sqlite3.connect('long.sqlite').executescript(sys.argv[1])",
                    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + script], check=True)


def long_texts():
    """Above 16 MiB a text is cut: it and what is kept of it are in memory, each once."""
    size = 100_000_000
    long_row(text=f"CAST(zeroblob({size}) AS TEXT)")
    check(os.path.getsize("long.sqlite") >= size, "long.sqlite is small")
    for command in (["stats", "-q", "long.sqlite"],
                    ["export", "-q", "-f", "true", "-t", "json,perfetto,jsonl", "-o", "o",
                     "long.sqlite"]):
        run("rangefinder", *command, mb=200)
    check(os.path.getsize("o.json") < 200 << 20, f"long text: {os.path.getsize('o.json')}")
    found = counts("long.sqlite", mb=200)
    check(found == {("NVTX_EVENTS", "text of more than 16 MiB, cut"): 1}, f"long text: {found}")
    for column in ("text", "start", "globalTid", "jsonText", "textId"):
        long_row(**{column: "zeroblob(100000000)"})
        run("rangefinder", "export", "-q", "-f", "true", "-t", "json", "-o", "o.json",
            "long.sqlite", mb=200)
    os.remove("long.sqlite")


# ---- Times ----

def times():
    edges = [0, -1, 1, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, 1 << 53, -(1 << 62)]
    with files.create("t.sqlite") as db:
        db.execute(f"CREATE TABLE NVTX_EVENTS({NVTX})")
        for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "OSRT_API"):
            db.execute(f"CREATE TABLE {table}(start, end, globalTid, correlationId, nameId)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId,"
                   " correlationId, globalPid)")
        n = 0
        for start in edges:
            for end in edges + [None]:
                n += 1
                for kind in (59, 60, 34):
                    db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, 'x')",
                               (start, end, kind, GTID + n % 3))
                for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "OSRT_API"):
                    db.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, NULL)",
                               (start, end, GTID + n % 3, n))
                db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, ?, ?)",
                           (start, end, n % 4, n, GPID))
        db.commit()
    all_formats("t.sqlite", "times")
    found = counts("t.sqlite")
    check(n_rows_of_export() == 6 * n - left_out(found), f"times: {found}")
    impossible = sum(abs(start) >= 1 << 62 for start in edges)
    check(left_out(found) == 6 * impossible * (len(edges) + 1), f"times: {found}")
    check(any("ends before it starts" in reason for _, reason in found), f"times: {found}")


# ---- Depth ----

def deep():
    """What would be written or held for every kernel and every range around it has a limit."""
    n_deep = 10_000 if SANITIZED else 100_000
    inside = launches(1000, 1_000_000)
    n_open = n_deep // 2 * 10
    nest = f"n, 10000000 - n, %d, {GTID}, 3, 0"
    cases = {
        "nested": [("NVTX_EVENTS", n_deep, nest % 59), *inside],
        "the same": [("NVTX_EVENTS", n_deep, f"5, 10000000, 59, {GTID}, 3, 0"), *inside],
        "start/end": [("NVTX_EVENTS", n_deep, nest % 60), *inside],
        "crossing": [("NVTX_EVENTS", n_deep, f"n * 10, n * 10 + {n_open}, 59, {GTID}, 3, n % 3"),
                     *launches(1000, n_open)],
        "calls": [("OSRT_API", n_deep, f"n, 10000000 - n, {GTID}, 2")],
        "kernels": [("CUPTI_ACTIVITY_KIND_KERNEL", n_deep,
                     f"n, n + 1000000, 0, 1, 7, n, {GPID}, 1")],
    }
    for name, rows in cases.items():
        many("t.sqlite", *rows)
        is_over = name not in ("calls", "kernels") and not SANITIZED
        is_crossing = name == "crossing"
        every_form("t.sqlite", name, is_over and is_crossing)
        check(info("t.sqlite")["n_ranges"] == (0 if name in ("calls", "kernels") else n_deep), name)


def every_form(path, what, is_refused, mb=500):
    """One after the other: memory is that of one. One of the forms can be refused."""
    for form in FORMATS:
        ending, look = CHECKS[form]
        run("rangefinder", "export", "-q", "-f", "true", "-t", form, "-o", "o." + ending, path,
            mb=mb)
        if form in ("json", "sqlite") and os.path.getsize("o." + ending) < 30 << 20:
            look("o." + ending, what)
        os.remove("o." + ending)
    for options in ([], ALL):
        messages = run("nsys2json", "-f", path, "-o", "-", *options, mb=mb, out="o.compat",
                       status=int(is_refused))
        check(not is_refused or b"too many cross each other" in messages, f"{what}: {messages}")
        check(os.path.getsize("o.compat") < 40 << 20, f"{what}: {os.path.getsize('o.compat')}")
    run("nsys2json", "-f", path, "-o", "-", "-t", "kernel", "nvtx", "cuda-api", mb=mb)
    for report in REPORTS.split(","):
        run("rangefinder", "stats", "-q", "--allow-empty", "-r", report, path, mb=mb)


# ---- Width ----

def wide(count):
    event, kernel = "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_KERNEL"
    call = ("CUPTI_ACTIVITY_KIND_RUNTIME", count, f"n, n + 5, {1 << 24} * (n % 16777216), n, 2")
    return {
        "threads": [(event, count, f"n, n + 10, 59, {GPID} + n, 3, 0")],
        "processes": [(event, count, f"n, n + 10, 59, {1 << 24} * n + 1, 3, 0")],
        "domains": [(event, count, f"n, n + 10, 59, {GTID}, 3, n")],
        "streams": [(kernel, count, f"n, n + 10, 0, 1, n, n, {GPID}, 1")],
        "contexts": [(kernel, count, f"n, n + 10, 0, n, 7, n, {GPID}, 1")],
        "GPUs": [(kernel, count, f"n, n + 10, n, 1, 7, n, {GPID}, 1")],
        "kernels of no process": [call, (kernel, count, "n, n + 10, 0, 1, 7, n + 1, NULL, 1")],
        "kernels of one call": [*launches(1, 5), (event, 1, f"1, 100, 59, {GTID}, 3, 0"),
                                (kernel, count, f"n, n + 10, 0, 1, 7, 1, {GPID}, 1")],
    }


def width():
    """Memory is a kilobyte for each, at most; what grows with the square does not end in time."""
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000 if SANITIZED else 100_000
    mb, seconds = 100 + count // 800, 10 + count // 20_000
    for name, rows in wide(count).items():
        many("t.sqlite", *rows)
        for command in (["export", "-q", "-t", "json", "-o", "-"],
                        ["export", "-q", "-t", "perfetto", "-o", "-"],
                        ["export", "-q", "-f", "true", "-t", "sqlite", "-o", "o.sqlite"],
                        ["stats", "-q", "--allow-empty", "-r", "nvtx_gpu_proj_sum"]):
            run("rangefinder", *command, "t.sqlite", mb=mb, seconds=seconds)
        run("nsys2json", "-f", "t.sqlite", "-o", "-", *ALL, mb=mb, seconds=seconds)


# ---- What the script got wrong ----

DEFECTS = os.path.join(HERE, "..", "data", "nsys_exports", "defects")


def kernels_of(path, key):
    """{(start, length): the ranges over the kernel}, of a trace in either layout."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    events, moved = trace, 0
    if isinstance(trace, dict):
        events, moved = trace["traceEvents"], trace["otherData"].get("ts_of_time_0", 0)
    return {(float(e["ts"] - moved), float(e["dur"])): [name or "(null)" for name in e["args"].get(key, [])]
            for e in events if e.get("cat") in ("kernel", "cuda")}


def defects():
    """Every form is valid, and the full one has the same ranges over each kernel as the layout of
    nsys2json, whose right answers tests/nsys2json has, but where it says more or less: start/end
    ranges, and of ranges that cross the owner with what is around it."""
    other = {"d13c_inject2": [["x", "proc range"]], "d20_overlap": [["B overlaps (two domains)"]]}
    names = sorted(os.listdir(DEFECTS))
    check(len(names) >= 28, f"{len(names)} files")
    for name in names:
        with gzip.open(os.path.join(DEFECTS, name)) as packed:
            write("t.sqlite", packed.read())
        all_formats("t.sqlite", name)
        full, compat = kernels_of("o.json", "nvtx ranges"), kernels_of("o.compat", "NVTXRegions")
        want = other.get(name.split(".")[0], [*compat.values()])
        check(full.keys() == compat.keys() and [*full.values()] == want,
              f"{name}: {full}, not {want}")


GROUPS = {"defects": defects, "nulls": nulls, "types": types, "missing": missing, "payloads": payloads, "foreign": foreign, "texts": texts,
          "times": times, "deep": deep, "width": width}

if __name__ == "__main__":
    BIN = os.path.join(os.path.abspath(sys.argv[1]), "bin")
    SANITIZED = is_sanitized(os.path.join(BIN, "rangefinder"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        GROUPS[sys.argv[2]]()
        os.chdir("/")
    print(f"{len(failures)} failures")
    sys.exit(len(failures) > 0)
