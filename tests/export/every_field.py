# SPDX-License-Identifier: Apache-2.0
"""Every field of calls and GPU work comes out of every form that can hold it: a database in nsys's
schema, in which each column of the tables of src/model/fields has a value of its own, is exported in
every form, and each value is looked for where that form has the field.

usage: every_field.py BUILD FIELD_LIST"""

import collections
import csv
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "perfetto"))
import decode  # noqa: E402

PID = 4711
GLOBAL_PID = PID << 24
Field = collections.namedtuple("Field", "set kind table name column perfetto chrome type size own_table own_column beside")

# Written by hand in some forms, or not at all, and why.
BESIDE = {
    "name": "the slice's or row's own name",
    "graph": "the id of a graph that was traced as one is a part of its name as well",
}
ELSEWHERE_IN_CSV = {"copy_kind": "operation", "sync_type": "operation"}
# Viewers show the demangled name; the mangled one is in the databases and in jsonl, csv, Python.
NOT_IN_VIEWERS = {"mangled_name"}
PERFETTO_CATEGORIES = {"cuda_runtime": "cuda_api", "osrt": "osrt"}  # else gpu_ before the kind


def read_list(program):
    fields, words = [], {}
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        parts = line.split("\t")
        if parts[0] == "word":
            words[parts[1], int(parts[2])] = parts[3]
        else:
            fields.append(Field(*parts))
    return fields, words


class Database:
    """One row of each table; every column has a number that no other one of its table has."""

    def __init__(self, path, fields):
        self.db = sqlite3.connect(path)
        self.values = {}
        self.db.execute("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        self.strings = {}
        tables = collections.defaultdict(list)
        for field in fields:
            if field.column and field not in tables[field.table]:
                tables[field.table].append(field)
        for i, (table, of_table) in enumerate(tables.items()):
            self.add(table, of_table, 1000 * (i + 1))
        self.db.executemany("INSERT INTO StringIds VALUES(?, ?)", [(v, k) for k, v in self.strings.items()])
        self.db.commit()
        self.db.close()

    def add(self, table, fields, start):
        row = {"start": start, "end": start + 100}
        if fields[0].set == "call":
            row.update(eventClass=27 if table == "OSRT_API" else 0, globalTid=GLOBAL_PID | PID)
        for i, field in enumerate(fields):
            for axis in ("XYZ" if field.type == "triple" else ("",)):
                row.setdefault(field.column + axis, self.value(table, field, i * 3 + "XYZ".find(axis or "X")))
        for name in ("callchainId", "nestingLevel", "deprecatedSrcId"):
            row.pop(name, None)
        names = ", ".join(f"{name} INTEGER" for name in row)
        self.db.execute(f"CREATE TABLE {table}({names})")
        self.db.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", list(row.values()))
        self.values[table] = row

    def value(self, table, field, i):
        if field.type == "string":
            return self.strings.setdefault(f"text {field.column} of {table}", len(self.strings) + 1)
        if field.type == "process":
            return GLOBAL_PID
        if field.type == "word":
            return 2
        if field.column == "correlationId":
            return 70 + len(self.values)
        small = 41 + i  # fits one byte
        assert small < 256
        return small if field.size == "1" else (1 << 40) + small if field.size == "8" else 1000 + small


def shown(field, row, words, strings, form):
    """What a field of the row is in a form."""
    if field.type == "triple":
        triple = [row[field.column + axis] for axis in "XYZ"]
        return {"csv": "x".join(map(str, triple)), "perfetto": " x ".join(map(str, triple))}.get(form, triple)
    value = row[field.column]
    if field.type == "string":
        return strings[value]
    if field.type == "word":
        return words[field.name, value]
    if form == "csv" or (form == "json" and field.type == "node"):
        return str(value)
    return value


class Check:
    def __init__(self):
        self.n, self.wrong = collections.Counter(), []

    def see(self, form, field, found, expected):
        self.n[form] += 1
        if found != expected:
            self.wrong.append(f"{form}: {field.kind}: {field.name}: {found!r}, not {expected!r}")


def export(build, database, form, folder):
    path = os.path.join(folder, "out." + form)
    subprocess.run([os.path.join(build, "bin/rangefinder"), "export", "-q", "-f", "true", "-t", form, "-o", path,
                    database], check=True, stderr=subprocess.PIPE)
    return path


def perfetto_arguments(path):
    """{category of the slice: arguments by name}"""
    return {found.category: found.args for found in decode.Trace(decode.read(path)).slices}


def python_rows(build, database):
    """{kind: row}"""
    sys.path.insert(0, os.path.join(build, "python"))
    import rangefinder

    recording = rangefinder.open(database)
    rows = {row.kind: row for row in [*recording.calls, *recording.gpu_ops]}
    rows["kernel"] = next(iter(recording.kernels))
    return rows


def see_in_python(check, field, row, values, words, strings):
    expected = shown(field, values, words, strings, "python")
    if field.type == "triple":
        for axis, value in zip("xyz", expected):
            check.see("python", field, getattr(row, f"{field.name}_{axis}", None), value)
    else:
        check.see("python", field, getattr(row, field.name, None), expected)


def main():
    build, program = sys.argv[1:3]
    fields, words = read_list(program)
    check = Check()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "every.sqlite")
        database = Database(path, fields)
        strings = {v: k for k, v in database.strings.items()}
        fields = [f for f in fields if f.column and f.type not in ("empty", "process")
                  and f.kind != "cuda_driver"]

        out = sqlite3.connect(export(build, path, "sqlite", folder))
        out.row_factory = sqlite3.Row
        texts = dict(out.execute("SELECT id, value FROM StringIds").fetchall())
        by_table = {table: out.execute(f"SELECT * FROM {table}").fetchone() for table in database.values}
        jsonl = {row["type"]: row for row in map(json.loads, open(export(build, path, "jsonl", folder)))}
        table = {row["type"]: row for row in csv.DictReader(open(export(build, path, "csv", folder)))}
        chrome = {event.get("cat"): event for event in
                  json.load(open(export(build, path, "json", folder)))["traceEvents"] if event["ph"] == "X"}
        categories = {"memcpy": "gpu_memcpy", "memset": "gpu_memset", "graph": "cuda_graph", "sync": "cuda_sync"}
        slices = perfetto_arguments(export(build, path, "perfetto", folder))
        has_python = os.path.exists(os.path.join(build, "python/rangefinder/__init__.py"))
        rows = python_rows(build, path) if has_python else None
        if rows is None:
            print("the Python package is not built: its columns are not looked at")
        for field in fields:
            row = database.values[field.table]
            for axis in ("XYZ" if field.type == "triple" else ("",)):
                found = by_table[field.table][field.column + axis]
                expected = row[field.column + axis]
                if field.type == "string":
                    found, expected = texts.get(found), strings[expected]
                check.see("sqlite", field, found, expected)
            check.see("jsonl", field, jsonl[field.kind].get(field.name),
                      shown(field, row, words, strings, "jsonl"))
            column = ELSEWHERE_IN_CSV.get(field.name, field.name)
            check.see("csv", field, table[field.kind].get(column), shown(field, row, words, strings, "csv"))
            if field.name not in NOT_IN_VIEWERS and field.name not in BESIDE:
                args = chrome[categories.get(field.kind, field.kind)]["args"]
                check.see("json", field, args.get(field.chrome or "full name"), shown(field, row, words, strings, "json"))
                args = slices[PERFETTO_CATEGORIES.get(field.kind, "gpu_" + field.kind)]
                check.see("perfetto", field, args.get(field.perfetto),
                          shown(field, row, words, strings, "perfetto"))
            if rows is not None:
                see_in_python(check, field, rows[field.kind], row, words, strings)
    print(", ".join(f"{form}: {n} values" for form, n in check.n.items()))
    if min(check.n.values(), default=0) < 40:
        sys.exit("too few fields were looked at")
    if check.wrong:
        sys.exit("\n".join(check.wrong))


if __name__ == "__main__":
    main()
