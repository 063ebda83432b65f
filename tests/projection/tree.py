#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tree.py RANGEFINDER FOLDER: nvtx_tree of the exports of nsys in FOLDER (*.sqlite.gz), and of their summaries,
with the numbers in names and without, against the ranges one by one (nvtx_pushpop_trace)."""

import collections
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

rangefinder, folder = sys.argv[1:3]


MAX_PATHS = 1000


def report(name, path, *options):
    done = subprocess.run(
        [rangefinder, "stats", "-q", "-r", name, "-f", "json", *options, path], capture_output=True, check=True
    )
    return json.loads(done.stdout)


def paths_of_tree(rows):
    """{names from the outermost on: row}, after a look at how the rows stand."""
    path, at = {}, {}
    for number, row in enumerate(rows, 1):
        name = row["Range"].removeprefix("  " * row["Lvl"])
        around = at[row["Parent"]] if row["Parent"] is not None else ()
        assert row["Node"] == number and len(around) == row["Lvl"], row
        at[number] = (*around, name)
        assert at[number] not in path, f"twice: {at[number]}"
        path[at[number]] = row
    return path


def check_order(tree):
    """Behind each range what is inside it, the longest first."""
    last = {}
    order = list(tree)
    for path in order:
        assert len(path) == 1 or path[:-1] in last, path
        before = last.get((path[:-1], "child"))
        assert before is None or before >= tree[path]["Total Time (ns)"], path
        last[path[:-1], "child"] = tree[path]["Total Time (ns)"]
        last[path] = True


def expected(path, fold):
    """{names: [durations, self]} of the ranges one by one."""
    rows = report("nvtx_pushpop_trace", path)
    by_id = {row["RangeId"]: row for row in rows}
    sums = collections.defaultdict(lambda: [[], 0])
    for row in rows:
        names, at = [], row
        while at is not None:
            names.append(re.sub("[0-9]+", "#", at["Name"]) if fold else at["Name"])
            at = by_id.get(at["ParentId"])
        mine = sums[tuple(reversed(names))]
        mine[0].append(row["Duration (ns)"])
        mine[1] += row["DurNonChild (ns)"]
    return sums


def check(path, summary, options):
    """Returns the number of paths, and the GPU's time under them."""
    tree = paths_of_tree(report("nvtx_tree", path, *options))
    check_order(tree)
    wanted = expected(path, "--fold-numbers" in options)
    if len(wanted) > MAX_PATHS:
        assert (":(all other names)",) in tree or ("(all other names)",) in tree, "the others are nowhere"
    else:
        assert set(tree) == set(wanted), sorted(set(tree) ^ set(wanted))[:5]
    for names in set(tree) & set(wanted):
        (durations, self_ns), row = wanted[names], tree[names]
        got = [row[c] for c in ("Instances", "Total Time (ns)", "Min (ns)", "Max (ns)", "Self (ns)")]
        assert got == [len(durations), sum(durations), min(durations), max(durations), self_ns], (names, got)
        inside = sum(tree[other]["GPU (ns)"] for other in tree if other[:-1] == names)
        assert row["GPU (ns)"] >= inside, names
    assert sum(row["Instances"] for row in tree.values()) == sum(len(d) for d, _ in wanted.values())
    assert sum(row["Self (ns)"] for row in tree.values()) == sum(self_ns for _, self_ns in wanted.values())
    covered = sum(row["GPU (ns)"] for names, row in tree.items() if len(names) == 1)
    subprocess.run([rangefinder, "summarize", "-q", "-f", "--max-kb=0", *options, "-o", summary, path], check=True)
    drop = ("Input", "Host", "Rank")
    assert [{k: v for k, v in row.items() if k not in drop} for row in report("nvtx_tree", summary)] == list(tree.values())
    return len(tree), covered


def main():
    n_paths = covered = 0
    with tempfile.TemporaryDirectory() as work:
        for packed in sorted(glob.glob(os.path.join(folder, "*.sqlite.gz"))):
            path = os.path.join(work, os.path.basename(packed)[: -len(".gz")])
            with gzip.open(packed) as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
            summary = os.path.join(work, "sums.rfsum")
            n, gpu = check(path, summary, [])
            n_folded, gpu_folded = check(path, summary, ["--fold-numbers"])
            print(f"{os.path.basename(path)}: {n} paths, {n_folded} without numbers, {gpu} ns of GPU work")
            assert n_folded < n and gpu_folded == gpu
            n_paths += n
            covered += gpu
    assert n_paths > 100 and covered > 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
