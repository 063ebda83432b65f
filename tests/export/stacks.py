#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stacks.py RANGEFINDER FOLDER: what folded and speedscope say of the exports of nsys in FOLDER (*.sqlite.gz), and
of ranges that cross: the times of nvtx_tree, and of the ranges one by one; every range ends before those around it."""

import collections
import glob
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

rangefinder, folder = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([rangefinder, *arguments], capture_output=True, check=True).stdout.decode()


def crossing(path):
    """Two stacks of one thread, and names that are hard to write."""
    rows = [(0, 100, "out;er", 0), (10, 80, "a b", 1), (20, 90, "c", 2), (85, 95, "in\nner", 1), (30, 40, "", 2)]
    rows += [(200 + i, 400 + i, f"nest {i}", i % 9) for i in range(100)]  # each crosses all others
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, 281474976776193, ?)", rows)
        db.executemany("INSERT INTO NVTX_EVENTS VALUES(0, NULL, 75, ?, 281474976776193, ?)",
                       [(f"domain {i}", i) for i in range(1, 9)])


def check_folded(path):
    tree = json.loads(run("stats", "-q", "-r", "nvtx_tree", "-f", "json", path))
    wanted, way = collections.Counter(), []
    for row in tree:
        domain, _, name = row["Range"][2 * row["Lvl"]:].replace(";", ":").partition(":")
        name = (domain + ":" if domain else "") + (name or "(empty)")
        way[row["Lvl"]:] = [name.replace("\\", "\\\\").replace("\n", "\\n")]
        wanted[";".join(way)] += row["Self (ns)"]
    got = collections.Counter()
    for line in run("export", "-q", "-t", "folded", "-o", "-", path).splitlines():
        stack, ns = line.rsplit(" ", 1)
        assert stack not in got and int(ns) > 0, line
        got[stack] += int(ns)
    if not any("(all other names)" in row["Range"] for row in tree):
        assert got == +wanted, [k for k in wanted if wanted[k] != got[k]][:5]
    assert sum(got.values()) == sum(wanted.values())
    return len(got)


def check_speedscope(path):
    trace = json.loads(run("export", "-q", "-t", "speedscope", "-o", "-", path))
    frames = [frame["name"] for frame in trace["shared"]["frames"]]
    assert trace["$schema"] == "https://www.speedscope.app/file-format-schema.json" and len(set(frames)) == len(frames)
    wanted, got, n = collections.Counter(), collections.Counter(), 0
    for line in run("export", "-q", "-t", "jsonl", "-o", "-", path).splitlines():
        event = json.loads(line)
        if event["type"] == "push_pop":
            name = event.get("name", "(null)") or "(empty)"
            wanted[(event["domain"] + ":" if event.get("domain") else "") + name] += event["end_ns"] - event["start_ns"]
    for profile in trace["profiles"]:
        stack, last = [], profile["startValue"]
        assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds") and profile["events"]
        for event in profile["events"]:
            assert last <= event["at"] <= profile["endValue"], event
            last = event["at"]
            if event["type"] == "O":
                stack.append(event)
            else:
                begin = stack.pop()
                assert begin["frame"] == event["frame"], (begin, event)
                got[frames[event["frame"]]] += event["at"] - begin["at"]
            n += 1
        assert not stack, stack
    assert set(frames) == set(wanted)
    return n, wanted, got


def main():
    n_stacks = n_events = 0
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, "crossing.sqlite")]
        crossing(paths[0])
        for packed in sorted(glob.glob(os.path.join(folder, "*.sqlite.gz"))):
            paths.append(os.path.join(work, os.path.basename(packed)[: -len(".gz")]))
            with gzip.open(packed) as source, open(paths[-1], "wb") as target:
                shutil.copyfileobj(source, target)
        for path in paths:
            stacks = check_folded(path)
            n, wanted, got = check_speedscope(path)
            if path == paths[0]:  # of 100 that cross, 64 are opened again
                assert sum(got.values()) < sum(wanted.values())
                for name in ("out;er", "domain 1:a b", "domain 2:c", "domain 1:in\nner", "domain 2:(empty)"):
                    assert got[name] == wanted[name] > 0, (name, got[name], wanted[name])
            else:
                assert got == +wanted, [k for k in wanted if wanted[k] != got[k]][:5]
            print(f"{os.path.basename(path)}: {stacks} stacks, {n} events")
            n_stacks += stacks
            n_events += n
        report = os.path.join(work, "by_name.speedscope.json")
        run("export", "-q", "-o", report, paths[1])
        assert json.load(open(report))["profiles"], "the name says the format"
    assert n_stacks > 500 and n_events > 1000
    return 0


if __name__ == "__main__":
    sys.exit(main())
