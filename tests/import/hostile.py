#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostile.py BUILD GROUP: exports of nsys that are wrong, through every verb and format. Each run
has a limit of time and of memory, and each result is defined: an error, or output that is valid
and a count of what was left out.

nulls    every column of every table NULL, one file each
types    every column of every table with values of other types and out of range, one file each
missing  every column and every table missing, one file each
foreign  what is no export, or not one as nsys writes it
texts    texts that are long, or not UTF-8
times    the ends of the range of times
deep     100,000 ranges in each other, or crossing
many     very many threads, processes, domains, streams, GPUs"""

import csv
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[1:1] = [HERE, os.path.join(HERE, "..", "export"), os.path.join(HERE, "..", "perfetto")]
import check_trace  # noqa: E402
import decode  # noqa: E402
import hostile_files as files  # noqa: E402
from hostile_files import GPID, GTID, N_ROWS, SILENT, TABLES, complete, launches, many  # noqa: E402

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


def is_sanitized():
    """The sanitizers take memory of their own, and time."""
    with open(os.path.join(BIN, "rangefinder"), "rb") as file:
        data = file.read()
    return b"__asan_init" in data or b"__tsan_init" in data


# ---- One run ----

def run(*command, status=0, seconds=60, mb=200, out=subprocess.DEVNULL):
    """Runs a program of the build; returns its messages, or output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    slow = 10 if SANITIZED else 1
    with open("stderr", "w+b") as err:
        try:
            done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], stdout=out,
                                  stderr=err, check=False, timeout=seconds * slow)
        except subprocess.TimeoutExpired:
            check(False, f"{command}: not ready in {seconds} s")
            return b""
        err.seek(0)
        messages = err.read()
    check(done.returncode == status, f"{command}: status {done.returncode}: {messages[-300:]}")
    check(status == 0 or messages.startswith((b"rangefinder: ", b"nsys2json: ")),
          f"{command}: {messages}")
    # of all that ran so far, the largest
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check(SANITIZED or after == before or after <= mb * 1024, f"{command}: {after // 1024} MB")
    return done.stdout if out == subprocess.PIPE else messages


def info(path):
    found = json.loads(run("rangefinder", "info", "--json", path, out=subprocess.PIPE))
    return found


def counts(path):
    """{(table, reason): rows} of what was left out or changed."""
    return {(row["table"], row["reason"]): row["rows"] for row in info(path).get("not_read", [])}


# ---- Every format, and whether it is valid ----

def check_json(path, what):
    check(check_trace.Checker(path).check(), f"{what}: the trace is not right")


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


def all_formats(path, what):
    run("rangefinder", "export", "-q", "-f", "true", "-t", ",".join(FORMATS), "-o", "o", path)
    for ending, look in CHECKS.values():
        look("o." + ending, what)
    check_compat(path, what, *ALL)
    run("rangefinder", "stats", "-q", "-r", REPORTS, path)


def n_rows_of_export():
    """Events of o.jsonl, which all_formats() left."""
    with open("o.jsonl", encoding="utf-8") as file:
        return sum('"start_ns"' in line and '"type":"process"' not in line for line in file)


# ---- Every column ----

def pairs():
    return [(table, column) for table, columns in TABLES.items() for column in columns]


def left_out(found):
    return sum(n for (_, reason), n in found.items()
               if "left out" in reason and not reason.startswith("bytes of a payload"))


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
        run("rangefinder", "stats", "-q", "-r", REPORTS, "t.sqlite")


GROUPS = {"nulls": nulls, "types": types, "missing": missing}

if __name__ == "__main__":
    BIN = os.path.join(os.path.abspath(sys.argv[1]), "bin")
    SANITIZED = is_sanitized()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        GROUPS[sys.argv[2]]()
        os.chdir("/")
    print(f"{len(failures)} failures")
    sys.exit(len(failures) > 0)
