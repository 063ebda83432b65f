#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verbs.py RANGEFINDER DATA_FOLDER: the verbs on exports of nsys.

nvtx_sum is computed once more here, as nsys defines it: per label and style, sample deviation."""

import csv
import gzip
import io
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

RANGEFINDER, DATA = sys.argv[1:3]
CASES = ["a_1proc_text", "b_4gpu_mixed", "c_real_h100_2gpu", "d_4proc_same_device"]


def run(*args, status=0, **options):
    done = subprocess.run([RANGEFINDER, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)
    assert done.returncode == status, (args, done.returncode, done.stderr)
    return done.stdout.decode() if status == 0 else done.stderr.decode()


def nvtx_sum(path):
    """{(label, style): (total, instances, average, median, least, most, deviation)}"""
    db = sqlite3.connect(path)
    domains = dict(db.execute("SELECT domainId, text FROM NVTX_EVENTS WHERE eventType = 75"))
    groups = {}
    for start, end, kind, domain, text in db.execute(
            "SELECT start, ifnull(end, (SELECT max(max(start, ifnull(end, 0))) FROM NVTX_EVENTS)),"
            " eventType, domainId, coalesce(text, (SELECT value FROM StringIds WHERE id = textId))"
            " FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71)"):
        label = f"{domains.get(domain, '')}:{text}"
        style = "PushPop" if kind in (59, 70) else "StartEnd"
        groups.setdefault((label, style), []).append(end - start)
    return {key: (sum(all_of), len(all_of), round(statistics.mean(all_of), 1),
                  round(statistics.median(all_of), 1), min(all_of), max(all_of),
                  round(statistics.stdev(all_of), 1) if len(all_of) > 1 else 0.0)
            for key, all_of in groups.items()}


def check_nvtx_sum(path):
    expected = nvtx_sum(path)
    rows = list(csv.DictReader(io.StringIO(run("stats", "-q", "-r", "nvtx_sum", "-f", "csv", "-o",
                                               "-", path))))
    assert len(rows) == len(expected), (len(rows), len(expected))
    for row in rows:
        values = [float(row[name]) for name in (
            "Total Time (ns)", "Instances", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)",
            "StdDev (ns)")]
        for value, right in zip(values, expected[row["Range"], row["Style"]]):
            assert abs(value - right) <= 0.11, (row, right)


def check_exports(path, folder):
    """Each format has every range; SQLite keeps them."""
    n_ranges = json.loads(run("info", "--json", path))["n_ranges"]
    for form in ("json", "jsonl", "csv", "text", "sqlite"):
        out = os.path.join(folder, "out." + form)
        run("export", "-t", form, "-o", out, "-f", "true", path)
        assert os.path.getsize(out) > 0
    again = os.path.join(folder, "out.sqlite")
    assert json.loads(run("info", "--json", again))["n_ranges"] == n_ranges
    assert nvtx_sum(again) == nvtx_sum(path)


def check_report(sqlite, folder):
    """A .nsys-rep, with a stand-in for nsys, and without."""
    report = os.path.join(folder, "report.nsys-rep")
    with open(report, "w", encoding="utf-8") as file:
        file.write("what only nsys can read")
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    alone = {"PATH": tools, "TMPDIR": folder}
    message = run("info", report, status=1, env=alone)
    assert "nsys is not on the PATH" in message and "nsys export" in message, message
    nsys = os.path.join(tools, "nsys")
    with open(nsys, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ "$1$2$3" = export--type=sqlite--force-overwrite=true ] || exit 9\n'
                   f'echo noise; exec {shutil.which("cp")} "{sqlite}" "$5"\n')
    os.chmod(nsys, 0o755)
    info = json.loads(run("info", "--json", report, env=alone))
    assert info["path"] == report and info["n_ranges"] == 491, info
    with open(nsys, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 3\n")
    assert "status 3" in run("info", report, status=1, env=alone)
    assert sorted(os.listdir(folder)) == sorted(["a.sqlite", "report.nsys-rep", "tools"])


def check_unknown_domain(folder):
    """A domain whose creation was not recorded: ranges stand under what can be typed into a filter."""
    path = os.path.join(folder, "nccl.sqlite")
    tid = 1 << 48 | 10 << 24 | 10
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, ?)", [
            (10, 90, "ncclGroupEnd", tid, 3), (100, 200, "step", tid, 0)])
    rows = list(csv.DictReader(io.StringIO(run("stats", "-q", "-r", "nvtx_sum", "-f", "csv", path))))
    assert {row["Range"] for row in rows} == {"ncclGroupEnd", ":step"}, rows
    for option in ("--filter-name", "--filter-nvtx"):
        text = run("export", "-t", "text", option, "ncclGroupEnd", "-o", "-", path)
        assert "  ncclGroupEnd" in text and "step" not in text, text


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_unknown_domain(folder)
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.sqlite")
            with gzip.open(os.path.join(DATA, case + ".sqlite.gz")) as packed:
                with open(path, "wb") as file:
                    file.write(packed.read())
            if case == CASES[0]:
                check_report(path, folder)
            check_nvtx_sum(path)
            check_exports(path, folder)
            info = run("info", path)
            assert "not read" not in info, info


main()
