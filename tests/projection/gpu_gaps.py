#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_gaps.py RANGEFINDER: the report gpu_gaps on planted gaps, against its definition on generated ones, and on many."""
import collections
import os
import random
import subprocess
import sys
import tempfile

from gpu_data import Data, notes_of, rows_of

rangefinder = sys.argv[1]
LAUNCH = "cudaLaunchKernel"


def planted(path):
    """Three reasons: a loader that takes long, a slow launch, and work that waits for a copy."""
    with Data(path) as data:
        us = 1000
        data.range("step", 0, 900 * us)
        data.range("load", 105 * us, 290 * us)
        data.os_call("read", 110 * us, 285 * us)
        data.launch("gemm", 0, 5 * us, 10 * us, 100 * us)
        data.launch("gemm", 300 * us, 305 * us, 310 * us, 400 * us)
        data.launch("relu", 395 * us, 460 * us, 462 * us, 500 * us)  # the call was under way when the GPU became idle
        data.launch("late", 465 * us, 468 * us, 600 * us, 640 * us)  # it had returned
        data.call("cudaStreamSynchronize", 600 * us, 660 * us)
        data.launch("gemm", 670 * us, 672 * us, 680 * us, 700 * us)
        data.kernel("stray", 800 * us, 810 * us)
        data.kernel("empty", 850 * us, 850 * us)
        data.kernel("near", 855 * us, 900 * us)
        data.launch("queued", 950 * us, 955 * us, 995 * us, 1000 * us, stream=9)  # not by the launch: it takes 10 us at most
    rows = rows_of(rangefinder, path, "gpu_gaps")
    short = [tuple(row[c] for c in ("Duration (ns)", "Why", "Host (ns)", "Launch (ns)", "Other (ns)", "Late (ns)", "Before", "After", "Range",
                                    "In Range (ns)", "Call", "In Call (ns)", "TID")) for row in rows]
    us = 1000
    assert short == [
        (210 * us, "host", 200 * us, 10 * us, 0, 200 * us, "gemm", "gemm", ":load", 185 * us, "read", 175 * us, 1),
        (100 * us, "other", 0, 0, 100 * us, -35 * us, "relu", "late", ":step", 100 * us, "None", 0, 1),
        (100 * us, "other", 0, 0, 100 * us, None, "gemm", "stray", "None", 0, "None", 0, None),
        (95 * us, "host", 50 * us, 15 * us, 30 * us, 50 * us, "near", "queued", "None", 0, LAUNCH, 5 * us, 1),
        (62 * us, "launch", 0, 62 * us, 0, -5 * us, "gemm", "relu", ":step", 62 * us, LAUNCH, 60 * us, 1),
        (40 * us, "other", 10 * us, 10 * us, 20 * us, 30 * us, "late", "gemm", ":step", 40 * us, "cudaStreamSynchronize", 20 * us, 1),
        (40 * us, "other", 0, 0, 40 * us, None, "stray", "empty", "None", 0, "None", 0, None)], short
    assert [row["Time (%)"] for row in rows] == [21.2, 10.1, 10.1, 9.6, 6.3, 4.0, 4.0], rows
    text = notes_of(rangefinder, path, "gpu_gaps")
    assert "1 gaps are shorter, and take 5.000 us" in text, text
    for gap, n in (("62us", 5), ("62001", 4), ("62000ns", 5), ("1ms", 0), ("0", 8), ("5us", 8), ("1s", 0)):
        assert len(rows_of(rangefinder, path, f"gpu_gaps:gap={gap}")) == n, gap
    for gap in ("", "-1", "1.5us", "us", "2m", "99999999999s", "99999999999999999999", "1 us"):
        done = subprocess.run([rangefinder, "stats", "-r", f"gpu_gaps:gap={gap}", path], capture_output=True)
        assert done.returncode == 2 and b"is no time such as" in done.stderr, (gap, done)
    # a filter leaves less of the work: the gap of the loader is not in it
    cut = rows_of(rangefinder, path, "gpu_gaps", "--filter-time=300us/1ms")
    assert [row["Duration (ns)"] for row in cut] == [100 * us, 100 * us, 95 * us, 62 * us, 40 * us, 40 * us], cut


def generate(path, seed):
    """What the definition needs: work by GPU, calls and ranges by thread."""
    dice = random.Random(seed)
    work, calls, ranges = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    with Data(path) as data:
        for start in dice.sample(range(5000), 40):
            device, end, thread = dice.randrange(2), start + dice.choice([0, 1, 40, 200]), 1 + dice.randrange(2)
            called = start - dice.randrange(-3, 300)
            call = None
            if dice.random() < 0.9:
                call = called, called + dice.choice([0, 4, 60]), thread
                calls[thread].append((*call[:2], LAUNCH))
                data.launch(f"k{start}", *call[:2], start, end, thread, device=device, stream=dice.randrange(3))
            else:
                data.kernel(f"k{start}", start, end, device=device)
            work[device].append((start, end, f"k{start}", call))
        for thread in (1, 2):
            for start in dice.sample(range(5000), 20):
                end = start + dice.choice([1, 30, 300])
                name = dice.choice(["cudaStreamSynchronize", "cudaMalloc", "read"])
                calls[thread].append((start, end, name))
                (data.os_call if name == "read" else data.call)(name, start, end, thread)
            for start in dice.sample(range(5000), 40):
                end, name = start + dice.choice([0, 10, 100, 1000]), f"r{dice.randrange(6)}"
                ranges[thread].append((start, end, name))
                data.range(name, start, end, thread)
    return work, calls, ranges


def longest(pieces, begin, end, inner):
    """{name: time}: of what is open, that which began last (inner), or first."""
    times = sorted({begin, end} | {t for s, e, _ in pieces for t in (s, e) if begin < t < end})
    ns = collections.Counter()
    for first, last in zip(times, times[1:]):
        is_open = [piece for piece in pieces if piece[0] <= first < piece[1]]
        if is_open:
            ns[(max if inner else min)(is_open, key=lambda piece: piece[0])[2]] += last - first
    return ns


def check_most(row, name, time, ns):
    most = max(ns.values(), default=0)
    assert row[time] == most and (ns[row[name].lstrip(":")] == most if most else row[name] == "None"), (row, ns)


def check_gap(row, work, calls, ranges):
    begin, end = row["Start (ns)"], row["Start (ns)"] + row["Duration (ns)"]
    assert not any(s < end and e > begin for s, e, _, _ in work), row
    assert any(e == begin and name == row["Before"] for _, e, name, _ in work), row
    call = next(call for s, _, name, call in work if s == end and name == row["After"])
    parts = row["Host (ns)"], row["Launch (ns)"], row["Other (ns)"]
    assert sum(parts) == row["Duration (ns)"] and parts[["host", "launch", "other"].index(row["Why"])] == max(parts), row
    if call is None:
        assert (parts[2], row["Late (ns)"], row["TID"], row["Range"], row["Call"]) == (end - begin, None, None, "None", "None"), row
        return
    assert row["Late (ns)"] == call[0] - begin and row["TID"] == call[2], row
    asked = min(max(call[0], begin), end)
    waiting = {"cudaStreamSynchronize": 1, LAUNCH: 2}  # the earlier one of those that overlap
    state = [next((waiting[name] for s, e, name in sorted(calls[call[2]]) if name in waiting and s <= t < e), 0) for t in range(begin, asked)]
    if call[0] < begin and call[1] <= begin:
        assert parts == (0, 0, end - begin), row
    else:
        assert parts == (state.count(0), end - asked + state.count(2), state.count(1)), row
    check_most(row, "Range", "In Range (ns)", longest(ranges[call[2]], begin, end, True))
    check_most(row, "Call", "In Call (ns)", longest(calls[call[2]], begin, end, False))


def check(path, seed):
    work, calls, ranges = generate(path, seed)
    if any(len({start for start, _, _ in of[thread]}) < len(of[thread]) for of in (calls, ranges) for thread in of):
        return 0  # of two that begin together the definition does not say which is inside
    rows = rows_of(rangefinder, path, "gpu_gaps:gap=0")
    assert [row["Duration (ns)"] for row in rows] == sorted((row["Duration (ns)"] for row in rows), reverse=True)
    for gpu, of_gpu in work.items():
        busy = {t for s, e, _, _ in of_gpu for t in range(s, e)}
        begin, end = min(w[0] for w in of_gpu), max(w[1] for w in of_gpu)
        got = [row for row in rows if row["GPU"] == gpu]
        idle = [t for t in range(begin, end) if t not in busy]
        assert sum(row["Duration (ns)"] for row in got) == len(idle)
        for row in got:
            check_gap(row, of_gpu, calls, ranges)
            assert abs(row["Time (%)"] - 100 * row["Duration (ns)"] / (end - begin)) <= 0.06
    return len(rows)


def many(path):
    """100,000 gaps under ranges that are open all the time, and as many calls."""
    with Data(path) as data:
        for i in range(50):
            data.range(f"around {i}", i - 50, 10**9)
        for i in range(100001):
            at = 1000 * i
            data.launch("tiny", at, at + 10, at + 20, at + 30)
            data.range("step", at, at + 500)
    rows = rows_of(rangefinder, path, "gpu_gaps:gap=990")
    assert len(rows) == 100000 and {row["Range"] for row in rows} == {":around 49"}
    assert {(row["Host (ns)"], row["Launch (ns)"], row["In Range (ns)"], row["In Call (ns)"]) for row in rows} == {(970, 20, 500, 10)}


def main():
    with tempfile.TemporaryDirectory() as name:
        planted(os.path.join(name, "planted.sqlite"))
        n = sum(check(os.path.join(name, f"{seed}.sqlite"), seed) for seed in range(60))
        assert n > 700, n
        many(os.path.join(name, "many.sqlite"))


main()
