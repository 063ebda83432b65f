#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""own_payloads.py RANGEFINDER BUILD GOLDEN: recordings of our own with payloads and counters of NVTX,
written as databases and opened: every form shows them as it shows the recording."""

import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

RANGEFINDER, BUILD, GOLDEN = sys.argv[1:4]
csv.field_size_limit(1 << 24)
PYTHON = """
import os
from rangefinder import nvtx

def work():
    with nvtx.annotate("list", payload=[1, -2, 3], domain="dom"):
        pass
    with nvtx.annotate("range", payload=range(5)):
        nvtx.mark("bytes", payload=b"abc\\x00\\xff")
    nvtx.mark("floats", payload=[1.5, float("nan"), float("inf"), 3.25], domain="dom")
    nvtx.mark("number", payload=5)
    counter.sample(5)
    counter.sample_no_value(nvtx.CounterNoValueReason.UNAVAILABLE)
    real.sample(float("nan"))
    real.sample(-0.5)
    nvtx.push_range("open", payload=[7])
    nvtx.start_range("started")

domain = nvtx.get_domain("dom")
counter = domain.get_counter("count", int)
real = domain.get_counter("real", float)
work()
child = os.fork()
if child == 0:
    work()
    os._exit(0)
os.waitpid(child, 0)
"""
PROGRAM = str(pathlib.Path(BUILD, "tests", "record", "payload"))
DEFERRED = str(pathlib.Path(BUILD, "tests", "record", "deferred"))
CASES = {"all": [PROGRAM, "all"], "fork": [PROGRAM, "fork"], "pointers": [PROGRAM, "pointers"],
         "domains": [PROGRAM, "domains"], "small": [PROGRAM, "small", "20"],
         "dated": [DEFERRED, "calls"],
         "captured": ["-c", "nvtx", "-p", "step", "--nvtx-capture-unregistered", DEFERRED, "captured"],
         "sizes": [PROGRAM, "sizes", "0", "1", "9", "65000", "200000"],
         "python": [sys.executable, "-c", PYTHON]}
# Why ranges were cut; each form has it, and so has the database.
CUT = {"python": {"process ended", "killed"}, "captured": {"capture ended"}}


def run(*args, **options):
    done = subprocess.run([RANGEFINDER, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)
    assert done.returncode == 0, (args, done.returncode, done.stderr)
    return done.stdout


def export(path, form, *options):
    return run("export", "-t", form, "-o", "-", *options, path).decode()


def rows(path, *options):
    """The lines that tell of events and counters. Of a database the numbers of start/end ranges are
    read, not their ids."""
    found = [json.loads(line) for line in export(path, "jsonl", *options).splitlines()]
    for row in found:
        row.pop("range_id", None)
    return [row for row in found if row["type"] not in ("recording", "capture", "process")]


def chrome(path):
    """What stands in a trace, without the names of processes. Ids only say what belongs together."""
    found = [event for event in json.loads(export(path, "json"))["traceEvents"] if event["ph"] != "M"]
    ids = {}
    for event in found:
        if "id2" in event:
            event["id2"] = ids.setdefault(event["id2"]["local"], len(ids))
    return found


def table(path):
    return list(csv.DictReader(io.StringIO(export(path, "csv"))))


def text(path):
    return [line for line in export(path, "text").splitlines() if not line.startswith("#")]


def check_same(what, recorded, opened):
    for one, other in zip(recorded, opened):
        assert one == other, f"{what}: recorded {one}\nopened {other}"
    assert len(recorded) == len(opened), (what, len(recorded), len(opened))


def check_forms(name, recording, database):
    check_same(name + " jsonl", rows(recording), rows(database))
    check_same(name + " csv", table(recording), table(database))
    check_same(name + " text", text(recording)[1:], text(database)[1:])
    check_same(name + " json", chrome(recording), chrome(database))
    check_same(name + " filtered", rows(recording, "--filter-name", "*"),
               rows(database, "--filter-name", "*"))


def write_database(recording, database, *options):
    run("export", "-t", "sqlite", "-o", database, *options, recording)


def check_case(name, command, folder):
    recording, database, again = (str(folder / (name + end)) for end in (".rf", ".sqlite", ".2.sqlite"))
    # a counter of 100 MHz gives neighbours one time, and databases have no other order; reading this clock takes longer
    env = dict(os.environ, PYTHONPATH=str(pathlib.Path(BUILD, "python")), RANGEFINDER_CLOCK="monotonic")
    run("profile", "-o", recording, *command, env=env, stdin=subprocess.DEVNULL)
    write_database(recording, database)
    check_forms(name, recording, database)
    if name in CUT:
        seen = {row["cut"] for row in rows(database) if "cut" in row}
        assert seen == CUT[name], (name, seen)
    n_payloads = sum(row.get("payload_type") == "extended" for row in rows(recording))
    assert n_payloads > 0, f"{name} has no payloads"
    write_database(database, again)
    check_same(name + " twice", rows(recording), rows(again))


def counters_of(path):
    """Those of NVTX. A database has no threads without events, so that others have their numbers."""
    found = [row for row in rows(path) if row["type"] in ("counter", "sample")]
    own = {row["counter"] for row in found if "domain" in row}
    for row in found:
        row.pop("thread", None)
    return [row for row in found if row["counter"] in own]


def check_golden(folder):
    """Counters of every kind, of a recording that is kept."""
    database = str(folder / "golden.sqlite")
    write_database(GOLDEN, database)
    wanted = [counters_of(path) for path in (GOLDEN, database)]
    check_same("golden", *wanted)
    assert len(wanted[0]) > 10, "the recording has counters"


def check_filtered(folder):
    """Layouts of a part of a recording: only of the processes that it has."""
    recording, part = str(folder / "fork.rf"), str(folder / "part.sqlite")
    child = max(row["pid"] for row in rows(recording) if "payload" in row)
    write_database(recording, part, "--filter-process", str(child))
    check_same("part", rows(recording, "--filter-process", str(child)), rows(part))
    (n,) = sqlite3.connect(part).execute(
        "SELECT count(DISTINCT globalPid) FROM NVTX_PAYLOAD_SCHEMAS").fetchone()
    assert n == 1, n


def check_bytes_alone(folder):
    """What nsys writes: one payload, no JSON, and nobody whose the layouts are."""
    recording, database = str(folder / "all.rf"), str(folder / "nsys.sqlite")
    write_database(recording, database)
    with sqlite3.connect(database) as db:
        db.execute("UPDATE NVTX_EVENTS SET jsonText = NULL")
        for table in ("SCHEMAS", "SCHEMA_ENTRIES", "ENUMS", "ENUM_ENTRIES"):
            db.execute(f"ALTER TABLE NVTX_PAYLOAD_{table} DROP COLUMN globalPid")
    seen = [row for row in rows(database) if not row["type"].startswith("payload_")]
    check_same("bytes alone", rows(recording), seen)
    kinds = {row["type"] for row in rows(database)}
    assert {"payload_schema", "payload_entry", "payload_enum", "payload_enum_entry"} <= kinds, kinds


def main():
    with tempfile.TemporaryDirectory(prefix="rangefinder-own-") as name:
        folder = pathlib.Path(name)
        for case, command in CASES.items():
            if case == "python" and not pathlib.Path(BUILD, "python", "rangefinder").exists():
                print("python: the modules are not built")
                continue
            check_case(case, command, folder)
        check_golden(folder)
        check_filtered(folder)
        check_bytes_alone(folder)


main()
