#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ranks.py BUILD: the reports over ranks: of a real job of four processes with a slow rank, of its summaries, and of
summaries of jobs whose truth is known, among them ones that lack something."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from job_summary import Job, write  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
RANGEFINDER = BUILD / "bin" / "rangefinder"
REPORTS = ("rank_summary", "stragglers", "balance", "rank_heatmap", "rank_step_heatmap", "collectives_trace",
           "collectives")


def run(*args, status=0):
    done = subprocess.run([RANGEFINDER, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, (args, done.returncode, done.stderr)
    return done


def rows(report, *inputs, options=()):
    out = run("stats", "-q", "-r", report, "-f", "json", *options, *inputs).stdout
    assert "NaN" not in out and "nan" not in out.lower().replace("none", ""), out[:500]
    return json.loads(out)


def said(report, *inputs, status=0):
    done = run("stats", "-q", "-r", report, "-f", "column", *inputs, status=status)
    return done.stdout + done.stderr


def close(a, b, part=1e-9):
    return abs(a - b) <= part * max(abs(a), abs(b), 1)


# ---- A real job ----

def record(folder, ranks, steps, slow):
    """A recording of each rank. They run at the same time."""
    programs = []
    for rank in range(ranks):
        env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks))
        programs.append(subprocess.Popen(
            [RANGEFINDER, "profile", "-q", "-o", folder / f"rank{rank}.rf", BUILD / "bin" / "job_rank", folder / "barrier",
             str(ranks), str(rank), str(steps), str(slow)], env=env))
    assert [program.wait() for program in programs] == [0] * ranks
    return [folder / f"rank{rank}.rf" for rank in range(ranks)]


def real_job(folder):
    files = record(folder, 4, 60, 2)
    found = rows("stragglers", *files)
    assert [row["Rank"] for row in found if row["Straggler"] == "always"] == [2], found
    assert found[0]["Rank"] == 2 and found[0]["Times Last"] > 40 and found[0]["Collectives"] == 60, found
    shares = {row["Rank"]: row["Busy (%)"] for row in rows("rank_summary", *files)}
    assert sorted(shares) == [0, 1, 2, 3] and max(shares, key=shares.get) == 2, shares
    table = {row["Range"]: row for row in rows("balance", *files)}
    assert table["(all)"]["Max Rank"] == 2 and table[":work"]["Max Rank"] == 2, table
    findings = [of for of in json.loads(run("advise", "--json", *files).stdout)["findings"] if of["id"] == "straggler"]
    assert [of["subject"] for of in findings] == ["rank 2"] and "stats -r stragglers" in findings[0]["command"], findings
    columns(files[:2])
    # A summary of each, of all, and the order of the inputs change nothing.
    summaries = []
    for rank, path in enumerate(files):
        summaries.append(folder / f"rank{rank}.rfsum")
        run("summarize", "-q", "-o", summaries[-1], path)
    run("summarize", "-q", "-o", folder / "all.rfsum", *files)
    for report in REPORTS:
        truth = rows(report, *files)
        paths = {}  # of recordings and of summaries they are the same
        for inputs in (reversed(files), summaries, [folder / "all.rfsum"], [*summaries[2:], *files[:2]]):
            assert rows(report, *inputs, options=()) == truth, (report, paths)
    only = rows("nvtx_sum", *files)
    both = json.loads("[" + run("stats", "-q", "-r", "nvtx_sum,stragglers", "-f", "json", *files).stdout
                      .replace("]\n\n[", "],\n[").strip() + "]")
    assert both[0] == only and both[1] == found, "two reports are not what each is"


def columns(files):
    """Every table of several recordings says whose its rows are."""
    reports = [line.lstrip("* ").split()[0] for line in run("stats", "--help-reports").stdout.splitlines()
               if line[:2] in ("* ", "  ")]
    assert len(reports) > 40 and "stragglers" in reports, reports
    for report in reports:
        head = run("stats", "-q", "--allow-empty", "-r", report, "-f", "csv", *files).stdout.splitlines()[0].split(",")
        if report in ("rank_summary", "stragglers", "rank_heatmap", "rank_step_heatmap"):
            assert head[0] == "Rank" and "Host" in head, (report, head)
        elif report == "collectives_trace":
            assert "Rank" in head, head
        elif report != "balance":
            assert head[:3] == ["Input", "Host", "Rank"], (report, head)
        assert len(set(head)) == len(head) or report == "mpi_event_trace", (report, head)  # nsys has a Rank there


# ---- Jobs whose truth is known ----

def new_job(folder, **values):
    path = folder / "job.rfsum"
    path.unlink(missing_ok=True)
    return path, write(path, Job(**values))


def change(path, *statements):
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)


def sums(folder):
    """Busy and collectives add up to the time; waits are those of the simulation, and balance is theirs."""
    path, steps = new_job(folder, ranks=6, steps=50, straggler=3, slow=0.3, ranks_per_host=99)
    found = {row["Rank"]: row for row in rows("rank_summary", path)}
    own = {rank: sum(start - begin for begin, start, _ in (step[rank] for step in steps)) for rank in range(6)}
    time = {rank: sum(end - begin for begin, _, end in (step[rank] for step in steps)) for rank in range(6)}
    for rank, row in found.items():
        assert row["Time (ns)"] == row["Busy (ns)"] + row["In Collectives (ns)"] == time[rank], row
        assert row["Busy (ns)"] == own[rank] and row["Steps"] == row["Collectives"] == 50, row
        waits = sum(max(start for _, start, _ in step) - step[rank][1] for step in steps)
        assert row["Own Wait (ns)"] == waits, (row, waits)
    (all_of,) = rows("balance", path)
    assert all_of["Max Rank"] == 3 and close(all_of["Load Balance (%)"], round(100 * sum(own.values()) / 6 / own[3], 1))
    assert close(all_of["Comm. Efficiency (%)"], round(100 * own[3] / max(time.values()), 1))
    trace = rows("collectives_trace", path)
    assert len(trace) == 300 and all(row["Own Wait (ns)"] + row["Transfer (ns)"] == row["Duration (ns)"] for row in trace)
    late = {row["Rank"]: row for row in rows("stragglers", path)}
    for rank, row in late.items():
        last = [step for step in steps if max(range(6), key=lambda of: step[of][1]) == rank]
        assert row["Times Last"] == len(last), row
        assert row["Others Wait (ns)"] == sum(step[rank][1] - step[of][1] for step in last for of in range(6)), row
        assert row["Cost (ns)"] == sum(step[rank][1] - sorted(s[1] for s in step)[-2] for step in last), row
    heat = rows("rank_step_heatmap", path)
    assert len(heat) == 6 and len(heat[0]) == 3 + 25 and "Steps from 1 (ns)" in heat[0], heat[0]
    busy = rows("rank_heatmap", path)
    assert len(busy[0]) == 3 + 40 and all(0 <= row[f"T{i} (%)"] <= 100 for row in busy for i in range(1, 41)), busy[0]


def clocks(folder):
    """Hosts whose clocks are a second apart: arrivals are right to the scatter of the ends, and it is said how well."""
    scatter = 10_000
    path, steps = new_job(folder, ranks=24, steps=100, straggler=5, slow=0.05, host_offset=10**9)
    text = said("stragglers", path)
    assert "ranks come by the clocks of 3 hosts, put side by side by the ends of the operations, which scatter by" in text, text
    found = {(row["Number"], row["Rank"]): row["Start (ns)"] for row in rows("collectives_trace", path)}
    for number, step in enumerate(steps, 1):
        for rank, (_, start, _) in enumerate(step):
            error = found[number, rank] - found[number, 0] - (start - step[0][1])
            assert abs(error) <= 3 * scatter, (number, rank, error)
    (all_of,) = rows("collectives", path)
    spread = sum(max(start for _, start, _ in step) - min(start for _, start, _ in step) for step in steps) / len(steps)
    assert abs(all_of["Avg Spread (ns)"] - spread) <= 3 * scatter and all_of["Last Rank"] == 5, (all_of, spread)
    assert "ranks come by the clocks of 3 hosts" in said("collectives", path)
    # hosts that never meet each other have clocks of their own
    change(path, "UPDATE collectives SET communicator = 7 WHERE rank < 8")
    assert "their hosts have clocks of their own" in said("stragglers", path)
    assert "could not be put side by side" in said("collectives", path)


def order(folder):
    path, _ = new_job(folder, ranks=32, steps=60, straggler=5, slow=0.05, host_offset=10**6)
    truth = {report: run("stats", "-q", "-r", report, "-f", "csv", path).stdout for report in REPORTS}
    for seed in (1, 2):
        new_job(folder, ranks=32, steps=60, straggler=5, slow=0.05, host_offset=10**6, order=seed)
        for report in REPORTS:
            assert run("stats", "-q", "-r", report, "-f", "csv", path).stdout == truth[report], report


def bad_input(folder):
    path, _ = new_job(folder, ranks=8, ranks_per_host=99)
    change(path, "UPDATE inputs SET rank = 3 WHERE rank = 4", "UPDATE collectives SET rank = 3 WHERE rank = 4",
           "UPDATE step_threads SET rank = 3 WHERE rank = 4")
    text = said("stragglers", path, status=1)
    assert "2 inputs are rank 3, 'rank3.rf' is the first" in text and "--rank-from" in text, text

    new_job(folder, ranks=8, without=(2, 5))
    text = said("stragglers", path)
    assert "6 of 8 ranks are there; not there: 2, 5" in text, text

    new_job(folder, ranks=4, straggler=1, slow=0.1)
    change(path, "DELETE FROM collectives WHERE rank = 3 AND number > 100", "DELETE FROM steps WHERE thread = 4 AND number > 100")
    assert "ranks have from 100 to 200 steps" in said("rank_summary", path)
    assert [row["Rank"] for row in rows("stragglers", path) if row["Straggler"]] == [1]

    new_job(folder, ranks=1)
    text = said("stragglers", path)
    assert "stragglers has no rows" in text or "has several ranks" in text, text
    assert len(rows("rank_summary", path)) == 1 and rows("balance", path)[0]["Load Balance (%)"] == 100

    new_job(folder, ranks=4, collectives=0)
    for report in ("stragglers", "collectives_trace", "collectives"):
        message = run("stats", "-q", "-r", report, "-f", "csv", path, status=1).stderr
        assert f"nothing for {report}" in message and "--collective=NAME" in message, message
    assert rows("rank_summary", path)[0]["Busy (%)"] == 100

    new_job(folder, ranks=4, steps=3)
    assert "3 collectives are too few" in said("stragglers", path)

    new_job(folder, ranks=8, straggler=6, slow=0.1, ranks_per_host=99)
    change(path, "UPDATE collectives SET start_utc_ns = start_utc_ns + 5000000000, end_utc_ns = end_utc_ns + 5000000000 "
                 "WHERE rank = 2 AND number > 50")
    text = said("stragglers", path)
    assert "clocks are not compared" in text and "rank 6 is late" in text, text

    new_job(folder, ranks=4)
    change(path, "UPDATE collective_inputs SET n_left_out = 7", "DELETE FROM steps", "DELETE FROM step_threads",
           "DELETE FROM step_inputs")
    text = said("rank_heatmap", path)
    assert "28 collectives behind them were left out" in text and "in 4 inputs steps" in text, text

    new_job(folder, ranks=4)
    change(path, "UPDATE inputs SET world_size = 16 WHERE rank = 1")
    assert "jobs of different sizes" in said("rank_summary", path)

    new_job(folder, ranks=4)
    change(path, "UPDATE inputs SET rank = -1", "UPDATE collectives SET rank = -1", "UPDATE step_threads SET rank = -1")
    assert "no input has a rank: they are numbered in the order of their names" in said("balance", path)
    change(path, "UPDATE inputs SET n_inputs = 2 WHERE input = 1")
    assert "--rank-from=order" in said("balance", path, status=1)

    new_job(folder, ranks=4, kind="nccl", operation="AllReduce", straggler=1, slow=0.05)
    text = said("stragglers", path)
    assert "ranks come by the clock of node0" in text, text

    new_job(folder, ranks=4, straggler=1, slow=0.05)
    boots = ("CREATE TABLE boots (input INTEGER PRIMARY KEY, boot_id TEXT)",
             f"INSERT INTO boots VALUES (1, '{'0a' * 16}'), (2, '{'0a' * 16}'), (3, '{'0b' * 16}')")
    change(path, *boots)
    text = said("stragglers", path)
    assert "ranks come by the clocks of 2 hosts, put side by side" in text, text
    for wrong in ("'0a'", f"'{'0g' * 16}'", "7", "NULL"):
        change(path, f"UPDATE boots SET boot_id = {wrong} WHERE input = 2")
        assert "not read" in run("stats", "-q", "-r", "stragglers", path, status=1).stdout, wrong
    change(path, "DELETE FROM boots", f"INSERT INTO boots VALUES (5, '{'0a' * 16}')")
    assert "a row of boots" in run("stats", "-q", "-r", "stragglers", path, status=1).stderr

    new_job(folder, ranks=2)
    missing = folder / "missing.rfsum"
    done = run("stats", "-q", "-r", "stragglers", path, missing, status=1)
    assert "missing.rfsum: not read" in done.stdout and "missing.rfsum" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for check in (sums, clocks, order, bad_input, real_job):
            check(folder)
            print(f"{check.__name__}: as it is to be")


if __name__ == "__main__":
    main()
