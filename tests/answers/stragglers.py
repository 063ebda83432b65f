#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stragglers.py BUILD [SEEDS]: stragglers planted in summaries of jobs. `stats -r stragglers` names a rank that is 2 %
slower among 256 in at least 95 of 100 seeds, and names none in at least 95 % of clean jobs. `./dev soak stragglers`
runs 200 seeds; a test 10."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from job_summary import Job, write  # noqa: E402

LEAST = 0.95
RANKS = 256

# What is planted, and which ranks are to be named.
CAUSES = {
    "clean": ({}, set()),
    "stalls": ({"stall": 0.01}, set()),
    "noise": ({"noise": 0.1}, set()),
    "2 %": ({"straggler": 17, "slow": 0.02}, {17}),
    "2 %, hosts of their own clocks": ({"straggler": 99, "slow": 0.02, "host_offset": 10**9}, {99}),
    "2 %, stalls": ({"straggler": 17, "slow": 0.02, "stall": 0.001}, {17}),
    "a quarter of the run": ({"straggler": 200, "slow": 0.10, "from_step": 50, "to_step": 100}, {200}),
}
MAIN = ("clean", "2 %")


def named(rangefinder, path):
    out = subprocess.run([rangefinder, "stats", "-q", "-r", "stragglers", "-f", "json", path], check=True,
                         stdout=subprocess.PIPE).stdout
    return {row["Rank"] for row in json.loads(out) if row["Straggler"]}


def main():
    build, seeds = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    is_wrong = False
    with tempfile.TemporaryDirectory() as folder:
        for cause, (planted, truth) in CAUSES.items():
            n = n_named = 0
            n_seeds = seeds if cause in MAIN else max(2, seeds // 5)
            for seed in range(n_seeds):
                path = pathlib.Path(folder) / "job.rfsum"
                path.unlink(missing_ok=True)
                write(path, Job(ranks=RANKS, seed=seed, **planted))
                found = named(build / "bin" / "rangefinder", path)
                n += truth <= found
                n_named += bool(found - truth)
            # Of few seeds one may be wrong by chance.
            most_wrong = max(1, int(n_seeds * (1 - LEAST)))
            print(f"{cause}: named in {n} of {n_seeds}, others named in {n_named}")
            is_wrong |= n < n_seeds - most_wrong or n_named > most_wrong
    return is_wrong


if __name__ == "__main__":
    sys.exit(main())
