# SPDX-License-Identifier: Apache-2.0
"""The tables of a job in Parquet. docs/parquet.md describes them: a change of a column is a new VERSION, a
further table or column is not."""

VERSION = 1

# Table: (rows of a Recording, {column: its source there}). start_ns becomes start_utc_ns.
EVENTS = {
    "ranges": ("ranges", ("start_ns", "duration_ns", "name", "domain", "category_name", "kind", "cut", "pid", "tid")),
    "marks": ("marks", ("start_ns", "name", "domain", "category_name", "pid", "tid")),
    "calls": ("calls", ("start_ns", "duration_ns", "kind", "name", "correlation", "result", "pid", "tid")),
    "kernels": ("kernels", ("start_ns", "duration_ns", "name", "device", "context", "stream", "correlation", "grid_x",
                            "grid_y", "grid_z", "block_x", "block_y", "block_z", "pid", "tid")),
    "gpu_ops": ("gpu_ops", ("start_ns", "duration_ns", "kind", "name", "bytes", "device", "context", "stream",
                            "correlation", "pid", "tid")),
    "counters": ("samples", ("start_ns", "name", "value")),
}

# Table: ({column: type of Arrow}, query of a summary). docs/summaries.md has the tables that they read.
_PATH = """WITH RECURSIVE full(path, text) AS (
    SELECT path, coalesce(name, '') FROM paths WHERE parent = 0
    UNION ALL
    SELECT p.path, f.text || '/' || coalesce(p.name, '') FROM paths p JOIN full f ON p.parent = f.path)
"""
SUMMARIES = {
    "summaries": (
        {"kind": "string", "domain": "string", "name": "string", "path": "string", "n": "int64", "total": "int64",
         "min": "int64", "max": "int64", "self": "int64", "gpu": "int64", "n_gpu": "int64"},
        _PATH + """SELECT kind, domain, name, full.text, n, total, min, max, self, gpu, n_gpu
                   FROM sums JOIN paths USING (path) JOIN full USING (path) ORDER BY sum""",
    ),
    "steps": (
        {"name": "string", "number": "int64", "start_utc_ns": "int64", "duration_ns": "int64", "self_ns": "int64",
         "busy_ns": "int64", "wait_ns": "int64", "cut": "string", "pid": "int64", "tid": "int64"},
        """SELECT name, number, start_utc_ns, duration, self, busy, wait, cut, pid, tid
           FROM steps JOIN step_threads USING (thread) JOIN paths USING (path) ORDER BY step""",
    ),
    "collectives": (
        {"kind": "string", "operation": "string", "communicator": "int64", "number": "int64", "start_utc_ns": "int64",
         "end_utc_ns": "int64", "bytes": "int64", "pid": "int64", "tid": "int64", "device": "int64",
         "stream": "int64"},
        """SELECT kind, operation, communicator, number, start_utc_ns + start, start_utc_ns + start + duration, bytes, pid,
                  tid, device, stream
           FROM collective_times JOIN collective_series USING (series)
           ORDER BY start_utc_ns + start, kind, operation, communicator, number""",
    ),
}

# What a clock of a recording was, a row per file: members of Info, and of Recording.clocks.
CLOCKS = {"path": "string", "host": "string", "clock_name": "string", "clock_hz": "float64", "epoch_utc_ns": "int64",
          "epoch_mono_ns": "int64", "epoch_boot_ns": "int64", "end_ns": "int64", "n_events": "int64",
          "n_lost_records": "int64", "n_cut": "int64", "boot_id": "string", "time_namespace": "int64",
          "utc_error_ns": "int64", "n_steps": "int64"}
