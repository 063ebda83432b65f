#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""summary_size.py RANGEFINDER: a summary takes about 100 kB for each process, or what --max-kb says. What does not fit goes into rows of all
other names: sums stay. Medians of launches are at most 4 % off, others 0.4 %."""

import contextlib
import json
import math
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

rangefinder = sys.argv[1]
MAKE_NSYS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "make_nsys.py"
N_KERNELS = 20000  # of random durations

TOTALS = "SELECT kind, sum(n), sum(total), sum(squares_high), sum(squares_low), min(min), max(max) FROM {} WHERE n > 0 GROUP BY kind"
STEPS = "SELECT name FROM steps JOIN paths USING (path) ORDER BY step"
CHILDREN = "SELECT step, sum(n), sum(total) FROM step_children GROUP BY step ORDER BY step"


def summarize(path, summary, *options):
    subprocess.run([rangefinder, "summarize", "-q", "-f", "-o", summary, *options, path], check=True)
    return summary.stat().st_size / 1000


def query(path, sql):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def squares_added(rows):
    """The lower halves of squares carry."""
    return [(*row[:3], row[3] * 2**48 + row[4], *row[5:]) for row in rows]


def check_same_sums(few, whole):
    for table in "sums", "tallies":
        assert squares_added(query(few, TOTALS.format(table))) == squares_added(query(whole, TOTALS.format(table))), (few.name, table)
    assert query(few, CHILDREN) == query(whole, CHILDREN), few.name


def report(name, path):
    done = subprocess.run([rangefinder, "stats", "-q", "-r", name, "-f", "json", path], capture_output=True, text=True, check=True)
    return [{k: v for k, v in row.items() if k not in ("Input", "Host", "Rank", "Approximate")} for row in json.loads(done.stdout)]


def note(name, path):
    return subprocess.run([rangefinder, "stats", "-q", "-r", name, "-f", "column", path], capture_output=True, text=True, check=True).stdout


def check_medians(path, summary, name, off):
    """Returns how far medians of the same rows are off, at most."""
    def by_row(rows):
        return {json.dumps({k: v for k, v in row.items() if "Med" not in k}): [v for k, v in row.items() if "Med" in k] for row in rows}

    whole, few = by_row(report(name, path)), by_row(report(name, summary))
    same = whole.keys() & few.keys()
    assert same, name
    most = max(abs(a - b) / max(a, 1) for key in same for a, b in zip(whole[key], few[key]))
    assert most <= off, (name, most)
    assert f"at most {100 * off:g} % off" in note(name, summary), name
    return most


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        path, whole, few = work / "run.sqlite", work / "whole.rfsum", work / "few.rfsum"
        for n_processes in 1, 3:
            subprocess.run([sys.executable, MAKE_NSYS, "--kernels", str(N_KERNELS), "--processes", str(n_processes), path], check=True,
                           capture_output=True)
            all_of_it = summarize(path, whole, "--max-kb=0")
            sizes = [all_of_it]
            for option, limit in ((), 100), (("--max-kb=200",), 200), (("--max-kb=60",), 60), (("--max-kb=1",), 60):
                size = summarize(path, few, *option)
                check_same_sums(few, whole)
                assert query(few, STEPS) == query(whole, STEPS) or limit < 100, option
                assert size < 1.05 * n_processes * limit, (option, size)
                assert size < all_of_it or option == ("--max-kb=200",), (option, size)
                sizes.append(size)
            print(f"{n_processes} processes: " + ", ".join(f"{size:.0f} kB" for size in sizes))
            for option in "--max-paths=1000", "--max-tallies=100":  # the limits that hold without one of bytes
                assert summarize(path, few, option) == all_of_it and few.read_bytes() == whole.read_bytes(), option
            summarize(path, few)
            assert query(few, "SELECT n_paths_folded FROM inputs")[0] > query(whole, "SELECT n_paths_folded FROM inputs")[0]
            assert check_medians(path, few, "cuda_gpu_kern_sum", 0.004) <= 0.004
            coarse = check_medians(path, few, "launch_latency", 0.04)
            assert coarse > 0.004 and not math.isnan(coarse), "no histogram was made coarser"
            few.unlink()
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
