#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""critical.py RANGEFINDER: the report critical on planted waits, and against its definition on generated ones."""
import collections
import os
import random
import subprocess
import sys
import tempfile

from gpu_data import Data, notes_of, rows_of

rangefinder = sys.argv[1]
NOTHING = "(no work)"
DEVICE, STREAM, EVENT, COPY = "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy"


def table_of(path, *options):
    """{(function, range, work): (time, waits, longest, last)}"""
    rows = rows_of(rangefinder, path, "critical", *options)
    times = [row["Wait (ns)"] for row in rows]
    assert times == sorted(times, reverse=True)
    table = {}
    for row in rows:
        key = row["Function"], row["Range"], row["Work"]
        assert key not in table, key
        assert abs(row["Avg (ns)"] - row["Wait (ns)"] / row["Waits"]) <= 0.06
        assert abs(row["Time (%)"] - (100 * row["Wait (ns)"] / sum(times) if sum(times) else 0)) <= 0.06
        table[key] = row["Wait (ns)"], row["Waits"], row["Max (ns)"], row["Last"]
    return table


def summary_of(path):
    subprocess.run([rangefinder, "summarize", "-q", "-o", path + ".rfsum", path], check=True)
    return path + ".rfsum"


def planted(path):
    with Data(path) as data:
        data.range("step 1", 0, 1000)
        data.range("step 2", 1000, 2000)
        for i in range(2):
            at = 1000 * i
            data.launch("gemm", at + 10, at + 20, at + 30, at + 400)
            data.launch("relu", at + 21, at + 25, at + 420, at + 500)
            data.launch("other", at + 26, at + 29, at + 40, at + 560, stream=8)  # not waited for
            correlation = data.call(STREAM + "_v3020", at + 300, at + 510)
            data.sync(3, at + 301, at + 509, correlation, stream=7)
        # a copy that blocks waits for the work before it
        data.launch("scan", 2000, 2010, 2020, 2600, thread=2)
        data.copy(2610, 2630, data.call(COPY + "_v3020", 2100, 2650, thread=2))
        # an event: what was launched behind it does not count, nor what is on another stream
        data.launch("before", 3000, 3005, 3020, 3100)
        data.event(5, data.call("cudaEventRecord_v3020", 3006, 3008))
        data.launch("behind", 3009, 3010, 3100, 3130)
        data.launch("aside", 2990, 2999, 3020, 3120, stream=8)
        data.sync(1, 3050, 3149, data.call(EVENT + "_v3020", 3050, 3150), event=5)
        # nothing to wait for, and a call of the driver inside
        data.call(DEVICE + "_v3020", 5000, 5004)
        data.call("cuCtxSynchronize", 5001, 5003)
    wanted = {
        (STREAM, ":step 1", "gemm"): (100, 1, 100, 0), (STREAM, ":step 2", "gemm"): (100, 1, 100, 0),
        (STREAM, ":step 1", "relu"): (80, 1, 80, 1), (STREAM, ":step 2", "relu"): (80, 1, 80, 1),
        (STREAM, ":step 1", NOTHING): (30, 1, 30, 0), (STREAM, ":step 2", NOTHING): (30, 1, 30, 0),
        (COPY, "None", "scan"): (500, 1, 500, 0), (COPY, "None", "[CUDA memcpy DtoH]"): (20, 1, 20, 1),
        (COPY, "None", NOTHING): (30, 1, 30, 0),
        (EVENT, "None", "before"): (50, 1, 50, 1), (EVENT, "None", NOTHING): (50, 1, 50, 0),
        (DEVICE, "None", NOTHING): (4, 1, 4, 1)}
    assert table_of(path) == wanted, table_of(path)
    folded = table_of(path, "--fold-numbers")
    assert folded[STREAM, ":step #", "gemm"] == (200, 2, 100, 0) and len(folded) == len(wanted) - 3, folded
    summary = summary_of(path)
    assert table_of(summary) == wanted, table_of(summary)
    for of in path, summary:
        assert "of 1 of 5 waits" in notes_of(rangefinder, of, "critical")
    assert "medians" not in notes_of(rangefinder, summary, "critical")
    first = table_of(path, "--filter-time=0ns/1us")
    assert set(first) == {key for key in wanted if key[1] == ":step 1"}, first


def many(path):
    """With more than 100 names those that differ by numbers are one, unless each is asked for."""
    with Data(path) as data:
        for i in range(101):
            data.range(f"step {i}", 100 * i, 100 * i + 90)
            data.call(DEVICE, 100 * i + 10, 100 * i + 20)
            data.launch("gemm", 100 * i + 1, 100 * i + 2, 100 * i + 3, 100 * i + 18)
    assert table_of(path) == {(DEVICE, ":step #", "gemm"): (808, 101, 8, 101), (DEVICE, ":step #", NOTHING): (202, 101, 2, 0)}
    assert "--fold-numbers=false shows each" in notes_of(rangefinder, path, "critical")
    assert len(table_of(path, "--fold-numbers=false")) == 202


class Generated:
    """What the definition is computed from."""

    def __init__(self, path, seed):
        dice = random.Random(seed)
        self.work, self.waits, records = [], [], []  # work: name, start, end, context, stream, start and thread of the call
        with Data(path) as data:
            ends = dice.sample(range(100, 4000), 60)
            for end in ends:
                start = end - dice.choice([0, 1, 30, 300])
                called = start - dice.randrange(500) if dice.random() < 0.9 else start + 5
                name, thread, context = f"kernel{dice.randrange(4)}", 1 + dice.randrange(2), 1 + dice.randrange(2)
                stream = 7 + dice.randrange(2)
                if dice.random() < 0.1:
                    data.kernel(name, start, end, 0, 0, context, stream)
                    called = None
                else:
                    data.launch(name, called, called + 4, start, end, thread, context=context, stream=stream)
                self.work.append((name, start, end, context, stream, called, thread))
            for i in range(dice.randrange(5)):
                at, place = dice.randrange(4000), (1 + dice.randrange(2), 7 + dice.randrange(2))
                event = dice.randrange(2)
                if (event, at) not in [r[:2] for r in records]:
                    records.append((event, at) + place)
                    data.event(event, data.call("cudaEventRecord", at, at + 1, 3), context=place[0], stream=place[1])
            for thread in (1, 2):
                at = dice.randrange(300)
                while at < 4500:
                    end = at + dice.choice([0, 1, 50, 400, 2000])
                    self.wait(data, dice, thread, at, end, records)
                    at = end + dice.choice([1, 30, 500])
                for i in range(6):
                    data.range(f"range {thread}", 800 * i, 800 * i + 400, thread)

    def wait(self, data, dice, thread, start, end, records):
        kind = dice.choice(["nothing", "stream", "context", "event"])
        context, stream, before = None, None, start
        correlation = data.call(DEVICE, start, end, thread)
        if kind == "stream":
            context, stream = 1 + dice.randrange(2), 7 + dice.randrange(2)
            data.sync(3, start, end, correlation, context=context, stream=stream)
        elif kind == "context":
            context = 1 + dice.randrange(2)
            data.sync(4, start, end, correlation, context=context)
        elif kind == "event":
            event = dice.randrange(3)
            data.sync(1, start, end, correlation, event=event)
            recorded = [r for r in records if r[0] == event and r[1] <= start]
            if recorded:
                _, before, context, stream = max(recorded)
        self.waits.append((thread, start, end, context, stream, before))

    def chain(self, wait):
        """[(work or NOTHING, time)] from the return backwards."""
        thread, start, end, context, stream, before = wait
        scope = [w for w in self.work if context in (None, w[3]) and stream in (None, w[4]) and
                 (w[5] is None or w[5] < before or (w[6] == thread and start <= w[5] <= end))]
        at, pieces = end, []
        while at > start:
            last = max((w for w in scope if start < w[2] <= at), key=lambda w: w[2], default=None)
            if last is None:
                pieces.append((NOTHING, at - start))
                break
            if last[2] < at:
                pieces.append((NOTHING, at - last[2]))
            pieces.append((last[0], last[2] - max(last[1], start)))
            at = max(last[1], start)
            scope.remove(last)
        return pieces

    def table(self):
        table = collections.defaultdict(lambda: [0, 0, 0, 0])
        for wait in self.waits:
            pieces = self.chain(wait)
            text = "None"
            if any(800 * i <= wait[1] and wait[2] <= 800 * i + 400 for i in range(6)):
                text = f":range {wait[0]}"
            of_work = collections.Counter()
            for work, ns in pieces:
                of_work[work] += ns
            last = next((work for work, _ in pieces if work != NOTHING), NOTHING)
            for work in set(of_work) | {last}:
                row = table[DEVICE, text, work]
                row[0] += of_work[work]
                row[1] += 1
                row[2] = max(row[2], of_work[work])
                row[3] += work == last
        return {key: tuple(row) for key, row in table.items()}


def main():
    with tempfile.TemporaryDirectory() as name:
        planted(os.path.join(name, "planted.sqlite"))
        many(os.path.join(name, "many.sqlite"))
        n = 0
        for seed in range(60):
            path = os.path.join(name, f"{seed}.sqlite")
            wanted = Generated(path, seed)
            got = table_of(path)
            assert got == wanted.table(), (seed, got, wanted.table())
            assert seed % 6 != 0 or table_of(summary_of(path)) == got, seed
            assert sum(row[0] for row in got.values()) == sum(wait[2] - wait[1] for wait in wanted.waits)
            assert sum(row[3] for row in got.values()) == len(wanted.waits)
            n += len(got)
    assert n > 400, n


main()
