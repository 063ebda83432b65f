#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scrub.py RANGEFINDER DATA_FOLDER: copies of exports of nsys that can be given away.

What is to go holds the word SECRET; it must not be in the bytes of the copy, and all else must be
in its tables."""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

RANGEFINDER, DATA = sys.argv[1:3]
CASES = ["a_1proc_text", "b_4gpu_mixed", "c_real_h100_2gpu", "d_4proc_same_device"]

PRIVATE = """
PRAGMA secure_delete = OFF;
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES
    (1, 'kernel<float>'), (2, 'registered'), (3, '/home/SECRET/bin/app'), (4, 'TOKEN=SECRET'),
    (5, 'SECRET printed this'), (6, '/home/SECRET/lib/libmodel.so'), (7, '/home/SECRET/a.txt'),
    (8, '/both/a/name/and/a/path'), (9, 'main'), (10, 'SECRET alone'), (11, '[kernel]'),
    (12, 'kworker/0:1');
CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
    globalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (5, 90, 59, '/home/me/of the program', 281593860070318, NULL, 0),
    (10, 50, 59, NULL, 281593860070318, 2, 0), (20, 30, 59, NULL, 281593860070318, 8, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,
    contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER, shortName INTEGER, note TEXT NOT NULL, more);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (30, 40, 0, 1, 7, 3, 281593860063232, 1, 1, 'SECRET note', x'534543524554');
CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER, symbol INTEGER, module INTEGER);
INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 9, 6), (2, 9, 8), (3, 9, 11);
CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
INSERT INTO ThreadNames VALUES (3, 20, 281593860070318), (12, 20, 281593860070319);
CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES
    (281593860063232, 7086, '/home/SECRET/bin/app'), (281593876840448, 7087, 'tool --key=SECRET'),
    (281593893617664, 7088, '/home/SECRET X/my app'), (281593910394880, 7089, './run'),
    (281593927172096, 7090, 'python /home/me/SECRET.py'), (281593943949312, 7091, NULL);
CREATE TABLE ProcessStreams(globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
INSERT INTO ProcessStreams VALUES (281593860063232, 7, 5);
CREATE TABLE ANALYSIS_FILE(id INTEGER PRIMARY KEY, filename TEXT, contentId INTEGER);
INSERT INTO ANALYSIS_FILE VALUES (1, '/proc/SECRET', 5);
CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT NOT NULL,
    name TEXT NOT NULL, nameEnum INTEGER, value TEXT NOT NULL);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'SECRET device', 'CpuCores', 1, '64'),
    (1, 'SECRET device', 'Hostname', 619, 'SECRET'), (1, '', 'CpuSECRET', 1, 'a text'),
    (1, 'SECRET device', 'DeviceEnvironment', 2, 'HOME=/home/SECRET');
CREATE TABLE META_DATA_CAPTURE(name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_CAPTURE VALUES ('DEVICE_DISPLAY_NAME', 'SECRET'), ('RATE_HZ', '1000'),
    ('PROCESS_0:ENVIRONMENT:SECRET_PIN', '1234'), ('PROCESS_0:WORKING_DIR', '/home/SECRET'),
    ('COLLECT_SECRET', 'x'), ('CAPTURE_EVENT_TYPE', 'Cuda');
CREATE TABLE META_DATA_EXPORT(name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_HOST', '10.20.30.40'), ('EXPORT_USER', 'SECRET'),
    ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_SCHEMA_VERSION', '3.25.0'),
    ('EXPORT_PARAM_INPUT_PATH', '/home/SECRET/x.nsys-rep');
CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, text TEXT NOT NULL);
INSERT INTO DIAGNOSTIC_EVENT VALUES (77, 'SECRET could not be opened');
CREATE TABLE NOT_KNOWN_V3(number INTEGER, fact REAL, word TEXT);
INSERT INTO NOT_KNOWN_V3 VALUES (1, 2.5, 'SECRET'), ('SECRET', NULL, x'534543524554');
CREATE TABLE StringIds_of_mine(id INTEGER, value TEXT DEFAULT 'SECRET default' CHECK(value <> 'SECRET'));
CREATE INDEX "SECRET index" ON NVTX_EVENTS(start);
CREATE VIEW "SECRET view" AS SELECT * FROM StringIds;
CREATE TRIGGER "SECRET trigger" AFTER INSERT ON PROCESSES BEGIN SELECT 'SECRET'; END;
CREATE TABLE junk(value TEXT);
INSERT INTO junk VALUES ('SECRET in a free page');
DROP TABLE junk;
"""

LEFT = {
    "StringIds": [(1, "kernel<float>"), (2, "registered"), (3, "app"), (6, "libmodel.so"),
                  (8, "/both/a/name/and/a/path"), (9, "main"), (11, "[kernel]"),
                  (12, "kworker/0:1")],
    "CUPTI_ACTIVITY_KIND_KERNEL": [(30, 40, 0, 1, 7, 3, 281593860063232, 1, 1, "", None)],
    "SAMPLING_CALLCHAINS": [(1, 9, 6), (2, 9, 8), (3, 9, 11)],
    "ProcessStreams": [],
    "ANALYSIS_FILE": [],
    "TARGET_INFO_SYSTEM_ENV": [(1, "", "CpuCores", 1, "64")],
    "META_DATA_CAPTURE": [("RATE_HZ", "1000"), ("CAPTURE_EVENT_TYPE", "Cuda")],
    "META_DATA_EXPORT": [("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"),
                         ("EXPORT_SCHEMA_VERSION", "3.25.0")],
    "DIAGNOSTIC_EVENT": [(77, "")],
    "NOT_KNOWN_V3": [(1, 2.5, None), (None, None, None)],
    "StringIds_of_mine": [],
}


def run(*args, status=0):
    done = subprocess.run([RANGEFINDER, *args], capture_output=True, text=True)
    assert done.returncode == status, (args, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def rows(path, table):
    with sqlite3.connect(path) as db:
        return db.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()


def tables(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT type, name FROM sqlite_master ORDER BY name").fetchall()


def check_private():
    with sqlite3.connect("private.sqlite") as db:
        db.executescript(PRIVATE)
    with open("private.sqlite", "rb") as file:
        assert b"SECRET in a free page" in file.read()
    run("scrub", "private.sqlite")
    with open("private-scrubbed.sqlite", "rb") as file:
        data = file.read()
    for word in (b"SECRET", b"1234", b"10.20.30.40"):
        assert word not in data, word
    for table, left in LEFT.items():
        assert rows("private-scrubbed.sqlite", table) == left, rows("private-scrubbed.sqlite", table)
    for table in ("NVTX_EVENTS", "ThreadNames"):
        assert rows("private-scrubbed.sqlite", table) == rows("private.sqlite", table)
    assert [name for _, _, name in rows("private-scrubbed.sqlite", "PROCESSES")] == \
        ["app", "tool", "", "run", "", None]
    kinds = {kind for kind, _ in tables("private-scrubbed.sqlite")}
    assert kinds == {"table"}, kinds


def events(path):
    """Every line of the recording but the first, which says where it is from."""
    lines = [json.loads(line) for line in run("export", "-t", "jsonl", "-o", "-", path).splitlines()]
    return [line for line in lines if line["type"] not in ("recording", "process")]


def check_exports():
    """Of what nsys exported nothing is lost: these files have been cleaned before."""
    for name in CASES:
        with gzip.open(f"{DATA}/{name}.sqlite.gz") as packed, open("x.sqlite", "wb") as file:
            file.write(packed.read())
        run("scrub", "-f", "x.sqlite", "-o", "y.sqlite")
        assert tables("y.sqlite") == [row for row in tables("x.sqlite") if row[0] == "table"]
        assert events("x.sqlite") == events("y.sqlite")
        for _, table in tables("y.sqlite"):
            if table not in ("StringIds", "META_DATA_EXPORT", "META_DATA_CAPTURE", "PROCESSES"):
                assert rows("x.sqlite", table) == rows("y.sqlite", table), table
        run("scrub", "-f", "-o", "z.sqlite", "y.sqlite")
        with open("y.sqlite", "rb") as first, open("z.sqlite", "rb") as second:
            assert first.read() == second.read(), "scrubbed twice is scrubbed once"


def check_refusals():
    os.mkdir("folder")
    assert "exists already; use -f" in run("scrub", "private.sqlite", status=1)
    assert "is the input" in run("scrub", "-f", "-o", "x.sqlite", "x.sqlite", status=1)
    assert "nsys export -t sqlite" in run("scrub", "report1.nsys-rep", status=1)
    with sqlite3.connect("other.sqlite") as db:
        db.execute("CREATE TABLE t(a)")
    assert "no export of nsys" in run("scrub", "other.sqlite", status=1)
    with sqlite3.connect("wide.sqlite") as db:
        db.execute("CREATE TABLE NVTX_EVENTS(%s)" % ", ".join(f"c{i}" for i in range(101)))
    assert "more than 100 columns" in run("scrub", "wide.sqlite", status=1)
    with open("x.sqlite", "rb") as file:
        data = file.read()
    with open("cut.sqlite", "wb") as file:
        file.write(data[:len(data) // 2])
    assert "cut.sqlite" in run("scrub", "cut.sqlite", status=1)
    assert "name a file" in run("scrub", "-f", "-o", "-", "x.sqlite", status=1)
    left = sorted(name for name in os.listdir() if "-scrubbed" in name or ".tmp-" in name)
    assert left == ["private-scrubbed.sqlite"], left


with tempfile.TemporaryDirectory() as folder:
    DATA = os.path.abspath(DATA)
    os.chdir(folder)
    check_private()
    check_exports()
    check_refusals()
