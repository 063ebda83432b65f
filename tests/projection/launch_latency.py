#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch_latency.py RANGEFINDER: the report launch_latency on planted launches, and against its definition on generated ones."""
import collections
import math
import os
import random
import statistics
import sys
import tempfile

from gpu_data import Data, notes_of, rows_of

rangefinder = sys.argv[1]


def planted(path):
    with Data(path) as data:
        data.range("step", 0, 5000)
        for i in range(4):  # the GPU waits for each: 100 ns less the 30 of the kernel before
            data.launch("tiny", 100 * i, 100 * i + 10, 100 * i + 15, 100 * i + 45)
        for i in range(4):  # each waits for those before
            data.launch("big", 1000 + 10 * i, 1005 + 10 * i, 1020 + 500 * i, 1520 + 500 * i)
        graph = data.call("cudaGraphLaunch", 4000, 4010)  # of a graph the first node counts
        data.kernel("node b", 4100, 4150, graph, node=2)
        data.kernel("node a", 4020, 4090, graph, node=1)
        data.launch("early", 4500, 4510, 4490, 4520)  # clocks
        data.kernel("stray", 4600, 4700)
        data.launch("called", 4550, 4560, 4800, 4900)  # it waited for something else
    rows = {row["Name"]: row for row in rows_of(rangefinder, path, "launch_latency", "--quantiles=50")}
    short = {name: tuple(row[c] for c in ("Count", "Bound (%)", "Idle (ns)", "LMed (ns)", "LMax (ns)", "QMed (ns)", "DMed", "DMax", "Lp50 (ns)", "Dp50"))
             for name, row in rows.items()}
    assert short == {
        "tiny": (4, 100.0, 210, 15.0, 15, 5.0, 0.0, 0, 15, 0),
        "big": (4, 25.0, 675, 755.0, 1490, 750.0, 1.5, 3, 510, 1),
        "node a": (1, 100.0, 1000, 20.0, 20, 10.0, 0.0, 0, 20, 0),
        "early": (1, 100.0, 340, 0.0, 0, 0.0, 0.0, 0, 0, 0),
        "called": (1, 0.0, 0, 250.0, 250, 240.0, 0.0, 0, 250, 0)}, short
    assert list(rows) == ["node a", "big", "early", "tiny", "called"]
    text = notes_of(rangefinder, path, "launch_latency")
    assert "left out: 1" in text and "counts as 0: 1" in text, text
    assert {row["Name"] for row in rows_of(rangefinder, path, "launch_latency:nvtx-name")} == {"step/" + name for name in rows}


def generate(path, seed):
    """[(name, start, end, device, stream, start and end of the call)]"""
    dice = random.Random(seed)
    work = []
    with Data(path) as data:
        for start in dice.sample(range(100, 4000), 60):
            end, called, device, stream = start + dice.choice([0, 1, 30, 300]), None, dice.randrange(2), dice.randrange(2)
            name, is_copy = f"k{dice.randrange(4)}", dice.random() < 0.2
            correlation = 0
            if dice.random() < 0.9:
                called = start - dice.choice([-2, 0, 5, 90, 500])
                called = called, called + dice.choice([0, 4, 40])
                correlation = data.call("cudaLaunchKernel", *called, 1 + dice.randrange(3))
            place = {"device": device, "stream": stream, "context": device + 1}
            if is_copy:
                data.copy(start, end, correlation, **place)
            else:
                data.kernel(name, start, end, correlation, **place)
            work.append((None if is_copy else name, start, end, device, stream, called))
    return work


def check(path, seed):
    work = generate(path, seed)
    groups = collections.defaultdict(list)
    for piece in work:
        name, start, _, device, stream, call = piece
        if name is None or call is None:
            continue
        others = [w for w in work if w is not piece and w[3] == device]
        before = [w[2] for w in others if w[1] < start]
        idle_since = max(before, default=None)
        is_idle = idle_since is None or idle_since < start
        bound = is_idle and (idle_since is None or call[0] >= idle_since or call[1] > idle_since)
        idle = start - idle_since if bound and before else 0
        asked = [(w[5][0] if w[5] else w[1], w) for w in others if w[4] == stream]
        depth = sum(at < call[0] and (w[2] > call[0]) for at, w in asked)
        groups[device, name].append((max(start - call[0], 0), max(start - call[1], 0), depth, bound, idle))
    rows = rows_of(rangefinder, path, "launch_latency", "--quantiles=90")
    assert {(row["GPU"], row["Name"]) for row in rows} == set(groups)
    for row in rows:
        latency, queue, depth, bound, idle = zip(*groups[row["GPU"], row["Name"]])
        assert row["Count"] == len(latency) and row["Idle (ns)"] == sum(idle), (row, idle)
        assert abs(row["Bound (%)"] - 100 * sum(bound) / len(bound)) <= 0.06, row
        for prefix, unit, values in (("L", " (ns)", latency), ("Q", " (ns)", queue), ("D", "", depth)):
            assert abs(row[f"{prefix}Avg{unit}"] - statistics.mean(values)) <= 0.06, (row, values)
            assert abs(row[f"{prefix}Med{unit}"] - statistics.median(values)) <= 0.06, (row, values)
            assert row[f"{prefix}p90{unit}"] == sorted(values)[math.ceil(0.9 * len(values)) - 1], (row, values)
        assert (row["LMin (ns)"], row["LMax (ns)"], row["QMax (ns)"], row["DMax"]) == (min(latency), max(latency), max(queue), max(depth)), row
    return len(rows)


def main():
    with tempfile.TemporaryDirectory() as name:
        planted(os.path.join(name, "planted.sqlite"))
        n = sum(check(os.path.join(name, f"{seed}.sqlite"), seed) for seed in range(60))
        assert n > 300, n


main()
