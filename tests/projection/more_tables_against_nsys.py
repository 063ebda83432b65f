#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""more_tables_against_nsys.py RANGEFINDER DATA TABLES: each report that `nsys stats` (2022.4.2) has of each
database in DATA, number by number; TABLES has what nsys printed. tables_against_nsys.py says which
differences are meant everywhere. Those of single databases are below, with who is right; a table that
no longer differs is a failure too."""
import csv
import gzip
import io
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

import tables_against_nsys

NO_NAME = "a name that is not in StringIds: ours is the number (0x1), nsys's None"
NO_TEXT = "a range without a text: ours is (null), nsys's None"
NO_END = "the only range has no end: ours lasts until the last event, nsys's has no duration"
EQUAL = "ranges of equal times: ours are nested as they began, nsys's are each other's parents, without a level"
NO_CALL = "a correlation id that is missing: ours is 0, nsys's None"
NO_PROCESS = "kernels without a process: ours go by the correlation id alone, nsys's are under no range"
# database, report -> why they differ
DIFFER = {
    ("d04_null_end", "nvtxppsum"): NO_END,
    ("d04_null_end", "nvtxsum"): NO_END,
    ("d07_identical", "nvtxgpuproj"): EQUAL,
    ("d13c_inject2", "nvtxgpuproj"): EQUAL,
    ("d17_null_text_child_color", "nvtxgpuproj"): NO_TEXT,
    ("d17_null_text_child_color", "nvtxkernsum"): NO_TEXT,
    ("d17_null_text_child_color", "nvtxkernsum:base"): NO_TEXT,
    ("d17_null_text_child_color", "nvtxppsum"): NO_TEXT,
    ("d17_null_text_child_color", "nvtxpptrace"): NO_TEXT,
    ("d17_null_text_child_color", "nvtxsum"): NO_TEXT,
    ("d18_missing_stringid", "apigpusum"): NO_NAME,
    ("d18_missing_stringid", "apigpusum:base"): NO_NAME,
    ("d18_missing_stringid", "cudaapisum"): NO_NAME,
    ("d18_missing_stringid", "cudaapitrace"): NO_NAME,
    ("d18_missing_stringid", "kernexecsum"): NO_NAME,
    ("d18_missing_stringid", "kernexecsum:base"): NO_NAME,
    ("d18_missing_stringid", "kernexectrace"): NO_NAME,
    ("d18_missing_stringid", "kernexectrace:base"): NO_NAME,
    ("d19_null_corr", "cudaapitrace"): NO_CALL,
    ("d19_null_corr", "gputrace"): NO_CALL,
    ("d23_old_schema_null_globalPid", "nvtxkernsum"): NO_PROCESS,
    ("d23_old_schema_null_globalPid", "nvtxkernsum:base"): NO_PROCESS,
}


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def difference(rangefinder, path, report, theirs):
    """What differs; "": nothing."""
    run = subprocess.run([rangefinder, "stats", "-q", "--allow-empty", "-r", report, "-f", "csv", "-o", "-", path],
                         capture_output=True, text=True)
    if run.returncode != 0:
        return f"status {run.returncode}: {run.stderr}"
    ours = rows_of(run.stdout)
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, nsys has {len(theirs)}"
    try:
        tables_against_nsys.compare((path.name, report), ours, theirs, {"GreenCtx"})
    except AssertionError as error:
        return str(error)
    return ""


def main():
    rangefinder, data, tables = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    of_databases = json.loads(lzma.decompress((tables / "more.json.xz").read_bytes()))
    found = {path.name.removesuffix(".sqlite.gz"): path for path in data.rglob("*.sqlite.gz")}
    failed = n = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, reports in of_databases.items():
            path = pathlib.Path(folder) / f"{name}.sqlite"
            path.write_bytes(gzip.decompress(found[name].read_bytes()))
            for report, text in reports.items():
                differs, why = difference(rangefinder, path, report, rows_of(text)), DIFFER.get(
                    (name, report))
                n += 1
                if bool(differs) != bool(why):
                    print(f"{name} {report}: {differs or 'no longer differs'}")
                    failed += 1
            path.unlink()
    assert n > 500 and not set(DIFFER) - {(d, r) for d in of_databases for r in of_databases[d]}
    print(f"{n} tables, {len(DIFFER)} differ as they are meant to")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
