# SPDX-License-Identifier: Apache-2.0
"""merged.py BUILD: two ranks in one trace, in Perfetto's own trace processor.

An example is recorded twice, and both recordings are exported apart and together. The trace of both
has the processes and slices of each, under names with rank and host, and the times of the one beside
those of the other as CLOCK_MONOTONIC had them."""

import collections
import gzip
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import trace_processor  # noqa: E402

RANKS = 2
SLICES = ("select p.name, s.name, s.ts, s.dur from slice s"
          " left join process_track k on s.track_id = k.id"
          " left join thread_track t on s.track_id = t.id left join thread d using (utid)"
          " join process p on p.upid = coalesce(k.upid, d.upid)"
          " where s.category = 'nvtx' order by s.ts, s.name")


def record(program, folder):
    """Records the example for each rank; returns the recordings."""
    recordings = []
    for rank in range(RANKS):
        path = folder / f"rank{rank}.rf"
        subprocess.run([program, "profile", "-q", "-o", path, program.parent / "example-ranges"],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder,
                       env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(RANKS)})
        recordings.append(path)
    return recordings


def should_be(program, recordings):
    """What the trace should hold: rank, name, time by CLOCK_MONOTONIC, duration."""
    for rank, path in enumerate(recordings):
        lines = subprocess.run([program, "export", "-q", "-t", "jsonl", "-o", "-", path], check=True,
                               capture_output=True).stdout.splitlines()
        about, *rows = map(json.loads, lines)
        for row in rows:
            if row["type"] in ("push_pop", "start_end", "mark"):
                yield (rank, row["name"], about["epoch_monotonic_ns"] + row["start_ns"],
                       row.get("duration_ns", 0))


def relative(rows):
    """The same with times after the first one."""
    rows = sorted(rows, key=lambda row: (row[2], row[1]))
    return collections.Counter((rank, name, ns - rows[0][2], dur) for rank, name, ns, dur in rows)


def is_rank(rank):
    return f"rank {rank} @ {socket.gethostname()[:63]}: example-ranges"


def check(engine, trace, should):
    """Of both forms the names, pids, slices and times; what says how clocks were related."""
    engine.load(trace)
    assert engine.complaints() == [], engine.complaints()
    names = {is_rank(rank): rank for rank in range(RANKS)}
    processes = engine.query("select name, pid, upid from process where name like 'rank%'")
    assert sorted(row[0] for row in processes) == sorted(names), processes
    assert len({row[1] for row in processes}) == RANKS, processes
    found = [(names[process], name, ns, dur) for process, name, ns, dur in engine.query(SLICES)]
    assert relative(found) == relative(should), (relative(found), relative(should))
    if ".json" in trace.name:
        check_json(trace)
        return
    about = engine.query("select string_value from args where key = 'debug.clock_method'")
    assert sorted(row[0] for row in about) == ["first input", "monotonic"], about


def check_json(trace):
    opened = gzip.open if trace.suffix == ".gz" else open
    with opened(trace) as file:
        read = json.load(file)
    inputs = read["otherData"]["inputs"]
    assert [about["clock_method"] for about in inputs] == ["first input", "monotonic"], inputs
    assert {len(about["processes"]) for about in inputs} == {1}, inputs
    assert min(event["ts"] for event in read["traceEvents"] if "ts" in event) > 0
    assert "clock: monotonic" in read["metadata"]["input_1"], read["metadata"]


def main():
    trace_processor.need()
    program = pathlib.Path(sys.argv[1], "bin", "rangefinder").resolve()
    with tempfile.TemporaryDirectory() as name, trace_processor.TraceProcessor() as engine:
        folder = pathlib.Path(name)
        recordings = record(program, folder)
        should = list(should_be(program, recordings))
        assert len({row[0] for row in should}) == RANKS and len(should) > 40, should
        for order in (recordings, recordings[::-1]):
            for ending in ENDINGS:
                trace = folder / f"{order[0].stem}.both{ending}"
                subprocess.run([program, "export", "-q", "-o", trace, *order], check=True)
                check(engine, trace, should)


ENDINGS = (".pftrace", ".pftrace.gz", ".json", ".json.gz")

if __name__ == "__main__":
    main()
