# SPDX-License-Identifier: Apache-2.0
"""A job of eight Python processes, each recorded by itself: its sums, by every way."""

import json
import os
import subprocess
import sys

import pytest

from conftest import HERE, RANGEFINDER, run

PROGRAM = HERE.parent.parent / "examples" / "python" / "training_loop.py"
N_RANKS = 8
EXACT = ("Instances", "Total Time (ns)", "Min (ns)", "Max (ns)")


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job")
    command = [RANGEFINDER, "profile", "-q", "-o", folder / "rank%q{RANK}", sys.executable, PROGRAM]
    ranks = [
        subprocess.Popen(command, env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(N_RANKS)}, stdout=subprocess.DEVNULL)
        for rank in range(N_RANKS)
    ]
    assert [rank.wait() for rank in ranks] == [0] * N_RANKS
    return folder


def rows(*inputs):
    """{(rank, range): row} of nvtx_sum."""
    done = run(RANGEFINDER, "stats", "-q", "-r", "nvtx_sum", "-f", "json", *inputs)
    assert done.returncode == 0, done.stderr
    return {(row["Rank"], row["Range"]): row for row in json.loads(done.stdout)}


def summarize(*arguments):
    done = run(RANGEFINDER, "summarize", "-q", *arguments)
    assert done.returncode == 0, done.stderr


def test_ranks(job):
    info = json.loads(run(RANGEFINDER, "info", "--json", job / "rank5.rf").stdout)
    assert (info["rank"], info["world_size"]) == (5, N_RANKS)


def test_sums(job, tmp_path):
    apart = rows(job)
    names = {name for _, name in apart}
    assert len(names) == 5 and len(apart) == 5 * N_RANKS
    summarize(job, "-o", tmp_path / "ranks.rfsum")
    ranks = rows(tmp_path / "ranks.rfsum")
    assert {key: [row[c] for c in EXACT] for key, row in ranks.items()} == {
        key: [row[c] for c in EXACT] for key, row in apart.items()
    }
    summarize("--merge", job, "-o", tmp_path / "total.rfsum")
    total = rows(tmp_path / "total.rfsum")
    for name in names:
        of = [apart[rank, name] for rank in range(N_RANKS)]
        assert [total[None, name][c] for c in EXACT] == [
            sum(row["Instances"] for row in of),
            sum(row["Total Time (ns)"] for row in of),
            min(row["Min (ns)"] for row in of),
            max(row["Max (ns)"] for row in of),
        ]


def test_merging_summaries_of_ranks(job, tmp_path):
    """Each rank summed up where it lies, then merged: the bytes of all at once."""
    for rank in range(N_RANKS):
        summarize(job / f"rank{rank}.rf", "-o", tmp_path / f"{rank}.rfsum")
    summarize("--merge", *(tmp_path / f"{rank}.rfsum" for rank in reversed(range(N_RANKS))), "-o", tmp_path / "parts.rfsum")
    summarize("--merge", job, "-o", tmp_path / "whole.rfsum")
    assert (tmp_path / "parts.rfsum").read_bytes() == (tmp_path / "whole.rfsum").read_bytes()
