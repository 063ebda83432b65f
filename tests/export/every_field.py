# SPDX-License-Identifier: Apache-2.0
"""Every field that is recorded comes out of every form that can hold it. Two recordings in which each
field has a value of its own are exported in every form, and each value is looked for where the tables
of src/model/fields say that the form has it:

  - a database in nsys's schema, with a value in each column of the tables of fields;
  - a recording of our own, with a value in each member of the records of docs/format.md
    (own_recording.py), also for annotations, counters and what has tables of other kinds.

A form that cannot hold a field stands in LEFT_OUT below with the reason.

usage: every_field.py BUILD FIELD_LIST FORMAT.md"""

import collections
import csv
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / folder) for folder in ("export", "formats", "perfetto")]
import decode  # noqa: E402
import own_recording  # noqa: E402
from page import Page  # noqa: E402

PID = 4711
GLOBAL_PID = PID << 24
FORMS = ("sqlite", "jsonl", "csv", "json", "perfetto", "text", "python")
Field = collections.namedtuple(
    "Field", "set kind table name column perfetto chrome type size own_table own_column beside")

Attribute = collections.namedtuple(
    "Attribute", "kind name column type text beside not_in_python own_table own_column")

# (field, form): why it is not there, or not under its name.
BESIDE = "the row's own name, place or label says it"
LEFT_OUT = {
    ("name", "json"): BESIDE,
    ("name", "perfetto"): BESIDE,
    ("graph of graph", "json"): "the id is a part of the name as well",
    ("mangled_name", "json"): "viewers show the demangled name, which says the same to people",
    ("mangled_name", "perfetto"): "likewise; with --gpu-events it is the name of the kernel",
    ("grid_id", "perfetto"): "the driver's own number of a launch, which its flow and its call name",
    ("mangled_name", "text"): "people read the short name; a full one can take a thousand characters",
    ("full_name", "text"): "likewise",
    ("peer_device", "sqlite"): "nsys says it with srcDeviceId and dstDeviceId",
    ("range_id", "every form but jsonl and Python"): "what nvtxRangeStart returned; `range` names the range",
    ("scope", "databases that are read"): "tests/record/cases_deferred.py looks for it in every form",
    ("is_registered", "every form but jsonl, SQLite, Python"): "how the text was passed, not what it is",
}
# Columns of NVTX_EVENTS, which are written by hand, and what else says it.
IN_NVTX_EVENTS = {"category": "category", "color": "color", "payload": "int64Value", "range": "rangeId"}
ELSEWHERE_IN_SQLITE = {
    "is_registered": "textId",
    "category_name": "a row of event type 33",
    "payload_type": "the column that the payload is in",
    "range_id": "as elsewhere",
    "end_thread": "endGlobalTid",
    "cut": "RANGEFINDER_NVTX_CUTS",
    "": "endGlobalTid; the thread that began a range is the row's",
}
ELSEWHERE_IN_CSV = {"copy_kind": "operation", "sync_type": "operation"}
EVENT_TYPES = {"push_pop": 59, "mark": 34, "start_end": 60}
CHROME_CATEGORIES = {"memcpy": "gpu_memcpy", "memset": "gpu_memset", "graph": "cuda_graph", "sync": "cuda_sync"}
PERFETTO_CATEGORIES = {"cuda_runtime": "cuda_api", "osrt": "osrt"}  # else gpu_ before the kind


def read_list(program):
    fields, words, attributes = [], {}, []
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        parts = line.split("\t")
        if parts[0] == "word":
            words[parts[1], int(parts[2])] = parts[3]
        elif parts[0] == "attribute":
            attributes.append(Attribute(*parts[1:]))
        else:
            fields.append(Field(*parts))
    return [f for f in fields if f.type not in ("empty", "process") and f.kind != "cuda_driver"], words, attributes


class Database:
    """One row of each table; every column has a number that no other one of its table has."""

    def __init__(self, path, fields):
        self.db = sqlite3.connect(path)
        self.values, self.strings = {}, {}
        self.db.execute("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        tables = collections.defaultdict(list)
        for field in fields:
            if field.column:
                tables[field.table].append(field)
        for i, (table, of_table) in enumerate(tables.items()):
            self.add(table, of_table, 1000 * (i + 1))
        self.db.executemany("INSERT INTO StringIds VALUES(?, ?)", [(v, k) for k, v in self.strings.items()])
        self.db.commit()
        self.db.close()
        self.texts = {v: k for k, v in self.strings.items()}

    def add(self, table, fields, start):
        row = {"start": start, "end": start + 100}
        if fields[0].set == "call":
            row.update(eventClass=27 if table == "OSRT_API" else 0, globalTid=GLOBAL_PID | PID)
        else:
            row.update(globalPid=GLOBAL_PID)
        for i, field in enumerate(fields):
            for axis in axes(field):
                row.setdefault(field.column + axis, self.value(table, field, i * 3 + "XYZ".find(axis or "X")))
        names = ", ".join(f"{name} INTEGER" for name in row)
        self.db.execute(f"CREATE TABLE {table}({names})")
        self.db.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", list(row.values()))
        self.values[table] = row

    def value(self, table, field, i):
        if field.type == "string":
            return self.strings.setdefault(f"text {field.column} of {table}", len(self.strings) + 1)
        if field.type == "word":
            return 2
        if field.column == "correlationId":
            return 70 + len(self.values)
        small = 41 + i  # fits one byte
        assert small < 256
        return small if field.size == "1" else (1 << 40) + small if field.size == "8" else 1000 + small

    def raw(self, field):
        """The number, text or triple of a field; None: nsys has no column for it."""
        if not field.column:
            return None
        found = [self.values[field.table][field.column + axis] for axis in axes(field)]
        return found if field.type == "triple" else self.texts[found[0]] if field.type == "string" else found[0]


def axes(field):
    return "XYZ" if field.type == "triple" else ("",)


def shown(field, value, words, form):
    """What a field is in a form."""
    if field.type == "triple":
        return {"csv": "x".join(map(str, value)), "text": "x".join(map(str, value)),
                "perfetto": " x ".join(map(str, value))}.get(form, value)
    if field.type == "word" and form != "sqlite":
        return words[field.name, value]
    if form in ("csv", "text") or (form == "json" and field.type == "node"):
        return str(value)
    return value


class Check:
    def __init__(self):
        self.n, self.wrong = collections.Counter(), []

    def see(self, form, what, found, expected):
        self.n[form] += 1
        if found != expected:
            self.wrong.append(f"{form}: {what}: {found!r}, not {expected!r}")


def export(build, recording, form, folder):
    path = os.path.join(folder, "out." + form)
    subprocess.run([os.path.join(build, "bin/rangefinder"), "export", "-q", "-f", "true", "-t", form, "-o", path,
                    recording], check=True, stderr=subprocess.PIPE)
    return path


class Forms:
    """A recording in every form."""

    def __init__(self, build, recording, folder):
        def path(form):
            return export(build, recording, form, folder)

        self.db = sqlite3.connect(path("sqlite"))
        self.db.row_factory = sqlite3.Row
        self.texts = dict(self.db.execute("SELECT id, value FROM StringIds").fetchall())
        self.lines = [json.loads(line) for line in open(path("jsonl"))]
        self.table = list(csv.DictReader(open(path("csv"))))
        self.chrome = json.load(open(path("json")))["traceEvents"]
        self.trace = decode.Trace(decode.read(path("perfetto")))
        self.text = open(path("text")).read().splitlines()
        self.python = None
        if os.path.exists(os.path.join(build, "python/rangefinder/__init__.py")):
            sys.path.insert(0, os.path.join(build, "python"))
            import rangefinder

            self.python = rangefinder.open(recording)

    def row(self, table):
        try:
            return self.db.execute(f"SELECT * FROM {table}").fetchone()
        except sqlite3.OperationalError:
            return None

    def work(self, rows, kind):
        """The call or GPU work among lines or rows: annotations, which have a domain, can have its type."""
        return next(row for row in rows if row["type"] == kind and not row.get("domain_id"))

    def slice(self, category):
        return next(self.trace.args_of_work(found) for found in self.trace.slices if found.category == category)

    def object(self, kind):
        rows = self.python.kernels if kind == "kernel" else [*self.python.calls, *self.python.gpu_ops]
        return next(row for row in rows if row.kind == kind)

    def line_of(self, correlation):
        """The line for people; calls of the system have no correlation, but their name."""
        pattern = rf"correlation {correlation}\b" if isinstance(correlation, int) else re.escape(correlation)
        return next((line for line in self.text if re.search(pattern, line)), "")


# ---- Calls and GPU work ----


def see_in_sqlite(check, forms, field, value, words):
    table, column = (field.table, field.column) if field.column else (field.own_table, field.own_column)
    row = forms.row(table)
    found = [row[column + axis] if row is not None else None for axis in axes(field)]
    if field.type == "string":
        found = [forms.texts.get(found[0])]
    check.see("sqlite", f"{table}: {field.name}", found if field.type == "triple" else found[0],
              shown(field, value, words, "sqlite"))


def see_in_text(check, forms, field, value, words, correlation):
    text = shown(field, value, words, "text")
    line = forms.line_of(correlation)
    text = "gpu" + text if field.name == "device" else text
    name = field.name.replace("_", " ")
    wanted = text if field.beside == "1" else f"{text} {name}" if name.endswith("bytes") else f"{name} {text}"
    is_there = re.search(r"(?<![\w])" + re.escape(wanted) + r"(?!\w)", line) is not None
    check.see("text", f"{field.kind}: {field.name}", wanted if is_there else line, wanted)


def see_in_python(check, row, field, value, words):
    names = [f"{field.name}_{axis}" for axis in "xyz"] if field.type == "triple" else [field.name]
    found = [getattr(row, name, None) for name in names]
    check.see("python", f"{field.kind}: {field.name}", found if field.type == "triple" else found[0],
              shown(field, value, words, "python"))


def see_field(check, forms, field, value, words, correlation):
    def is_left_out(form):
        return (field.name, form) in LEFT_OUT or (f"{field.name} of {field.kind}", form) in LEFT_OUT

    def see(form, found):
        if not is_left_out(form):
            check.see(form, f"{field.kind}: {field.name}", found(), shown(field, value, words, form))

    if not is_left_out("sqlite"):
        see_in_sqlite(check, forms, field, value, words)
    see("jsonl", lambda: forms.work(forms.lines, field.kind).get(field.name))
    column = ELSEWHERE_IN_CSV.get(field.name, field.name)
    see("csv", lambda: forms.work(forms.table, field.kind).get(column))
    category = CHROME_CATEGORIES.get(field.kind, field.kind)
    args = next(e["args"] for e in forms.chrome if e["ph"] == "X" and e.get("cat") == category)
    see("json", lambda: args.get(field.chrome or "full name"))
    args = forms.slice(PERFETTO_CATEGORIES.get(field.kind, "gpu_" + field.kind))
    see("perfetto", lambda: args.get(field.perfetto))
    if not is_left_out("text"):
        see_in_text(check, forms, field, value, words, correlation)
    if forms.python is not None:
        see_in_python(check, forms.object(field.kind), field, value, words)


def see_work(check, forms, source, fields, words):
    # what names the line for people
    correlations = {f.kind: source.raw(f) for f in fields if f.name == "name" and f.kind == "osrt"}
    correlations.update((f.kind, source.raw(f)) for f in fields if f.name == "correlation")
    for field in fields:
        value = source.raw(field)
        if value is not None:
            see_field(check, forms, field, value, words, correlations[field.kind])


# ---- What our own recording has beside them ----


def see_extras(check, forms, source):
    """Values of other tables, which texts show as NAME=VALUE."""
    for record, kind in own_recording.EXTRA_KIND.items():
        line, row = forms.work(forms.lines, kind), forms.work(forms.table, kind)
        text = next(text for text in forms.text if f"<{kind}>" in text)
        rows = [r for r in forms.python.extras if r.kind == kind] if forms.python is not None else []
        table = {"memory": "CUDA_GPU_MEMORY_USAGE_EVENTS", "cuda_event": "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                 "cuda_overhead": "CUPTI_ACTIVITY_KIND_OVERHEAD"}[kind]
        in_database = forms.row(table)
        for name, value in source.values[record].items():
            snake = re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name)
            if name == "object":
                check.see("jsonl", f"{kind}: {name}", [line[k] for k in own_recording.PLACE], value)
                continue
            check.see("jsonl", f"{kind}: {name}", line.get(snake), value)
            is_own = snake not in own_recording.PLACE and name not in ("name", "correlation")
            found = row.get(snake) if not is_own else re.search(rf"\b{snake}=(\S+)", row["payload"])[1]
            check.see("csv", f"{kind}: {name}", found, str(value))
            if is_own:
                check.see("text", f"{kind}: {name}", f"{snake}={value}" in text, True)
            column = {"device": "deviceId", "context": "contextId", "stream": "streamId",
                      "correlation": "correlationId"}.get(name, name)
            check.see("sqlite", f"{kind}: {name}", in_database[column], value)
            for found in rows:
                check.see("python", f"{kind}: {name}",
                          found.values[snake] if is_own else getattr(found, snake), value)


def see_attribute_in_sqlite(check, forms, attribute, row_name, value):
    kind, name = attribute.kind, attribute.name
    if name in ELSEWHERE_IN_SQLITE:
        return
    join = f"LEFT JOIN {attribute.own_table} ON eventId = NVTX_EVENTS.rowid" if attribute.own_column else ""
    column = attribute.own_column or IN_NVTX_EVENTS.get(name, f"'{name} has no column'")
    row = forms.db.execute(f"SELECT {column} FROM NVTX_EVENTS {join} WHERE text = ? AND eventType = ?",
                           (row_name, EVENT_TYPES[kind])).fetchone()
    check.see("sqlite", f"{kind}: {name}", row[0], as_number(value, attribute.type))


def as_number(value, type_):
    if type_ == "color":
        return int(value[1:], 16)
    return int(value, 16) if type_ == "hex" else value


def see_attributes(check, forms, attributes):
    """What the tables say that ranges and marks have, in SQLite, JSON lines, CSV, text and Python."""
    for attribute in attributes:
        kind, name, column, type_, text, beside, not_in_python = attribute[:7]
        if name == "scope":  # of recordings, not of databases
            continue
        of_kind, row_name, value = own_recording.FOUND_ELSEWHERE.get(
            name, (kind, "task", own_recording.RANGE.get(name or column)))
        if of_kind != kind:
            continue
        see_attribute_in_sqlite(check, forms, attribute, row_name, value)

        def chosen(rows):
            return next(row for row in rows if row["type"] == kind and row["name"] == row_name)

        if name:
            check.see("jsonl", f"{kind}: {name}", chosen(forms.lines).get(name), value)
        if column:
            check.see("csv", f"{kind}: {column}", chosen(forms.table).get(column), str(value))
        if name and not_in_python == "0" and forms.python is not None:
            rows = forms.python.marks if kind == "mark" else forms.python.ranges
            found = getattr(next(row for row in rows if row.kind == kind and row.name == row_name), name, None)
            check.see("python", f"{kind}: {name}", found.index if name == "end_thread" else found,
                      as_number(value, type_))
        if beside == "0":
            wanted = f"({value})" if type_ == "string" else f"{text} {value}"
            lines = [line for line in forms.text if f"lib:{row_name}" in line and ("* " in line) == (kind == "mark")
                     and ("start/end" in line) == (kind == "start_end")]
            check.see("text", f"{kind}: {wanted}", any(wanted in line for line in lines), True)


def see_annotations(check, forms):
    """A range, a mark and a start/end range that have every attribute; see also see_attributes()."""
    want = own_recording.RANGE
    attributes = ("category", "category_name", "color", "payload")
    for kind in ("push_pop", "mark", "start_end"):
        of_kind = attributes + (("range", "parent") if kind == "start_end" else ())

        def chosen(rows):
            return next(row for row in rows if row["type"] == kind and row["name"] == "task")

        line, row = chosen(forms.lines), chosen(forms.table)
        for name in ("domain", "domain_id", "name"):
            check.see("jsonl", f"{kind}: {name}", line.get(name), want[name])
            check.see("csv", f"{kind}: {name}", row.get(name), str(want[name]))
        ph = {"push_pop": "X", "mark": "i", "start_end": "b"}[kind]
        args = next(e["args"] for e in forms.chrome if e["ph"] == ph and e.get("name") == "task")
        found = forms.trace.instants if kind == "mark" else forms.trace.slices
        of_slice = next(s.args for s in found if s.name == "task" and ("range" in s.args) == (kind == "start_end"))
        for name in ("domain",) + of_kind:
            check.see("json", f"{kind}: {name}", args.get(name), want[name])
            check.see("perfetto", f"{kind}: {name}", of_slice.get(name), want[name])
        text = "[category 7 (io), color #80112233, payload -5"
        text += ", start/end 2, parent 1, ended by thread 101]" if kind == "start_end" else "]"
        check.see("text", kind, any("lib:task" in t and text in t for t in forms.text), True)
        see_annotation_in_sqlite(check, forms, kind)
        if forms.python is not None:
            see_annotation_in_python(check, forms, kind)
    check.see("json", "start_end: end_thread", args["end_thread"], 101)
    check.see("perfetto", "start_end: end_thread", of_slice["end_thread"], 101)


def see_annotation_in_sqlite(check, forms, kind):
    row = forms.db.execute("SELECT rowid, * FROM NVTX_EVENTS WHERE text = 'task' AND eventType = ?",
                           (EVENT_TYPES[kind],)).fetchone()
    check.see("sqlite", f"{kind}: domainId", row["domainId"], 1)
    if kind == "start_end":
        check.see("sqlite", f"{kind}: endGlobalTid", row["endGlobalTid"] & 0xFFFFFF, 101)


def see_annotation_in_python(check, forms, kind):
    rows = forms.python.marks if kind == "mark" else forms.python.ranges
    row = next(r for r in rows if r.kind == kind and r.name == "task")
    check.see("python", f"{kind}: domain", (row.domain, row.domain_id), ("lib", 1))
    if kind == "start_end":
        check.see("python", f"{kind}: parent", row.parent.name, "outer")
        check.see("python", f"{kind}: end_thread", row.end_thread.tid, 101)


def see_sync(check, forms):
    line = next(row for row in forms.lines if row["type"] == "sync" and row.get("domain_id"))
    want = {"sync": 3, "operation": "acquire_failed", "handle": "0x3"}
    check.see("jsonl", "sync", {name: line.get(name) for name in want}, want)
    row = next(row for row in forms.table if row["type"] == "sync" and row["domain_id"])
    check.see("csv", "sync", (row["id"], row["operation"], row["payload"]), ("3", "acquire_failed", "0x3"))
    event = next(e for e in forms.chrome if e.get("cat") == "nvtx.sync")
    check.see("json", "sync", event["args"], {"sync": 3, "handle": "0x3"})
    found = next(s for s in forms.trace.instants if s.category == "nvtx.sync")
    check.see("perfetto", "sync", found.args, {"sync": 3, "handle": "0x3"})
    check.see("text", "sync", any("<sync 3 acquire_failed>" in t for t in forms.text), True)
    row = forms.db.execute("SELECT * FROM RANGEFINDER_SYNC WHERE operation = 'acquire_failed'").fetchone()
    check.see("sqlite", "sync", (row["syncId"], row["handle"]), (3, "0x3"))
    if forms.python is not None:
        row = next(event for event in forms.python.events if event.kind == "sync")
        check.see("python", "sync", (row.sync, row.operation, row.handle), (3, "acquire_failed", 3))


def see_counter(check, forms):
    line = next(row for row in forms.lines if row["type"] == "counter")
    check.see("jsonl", "counter", (line["name"], line["set"], line["device"]), ("SMs", "basic", 12))
    sample = next(row for row in forms.lines if row["type"] == "sample")
    check.see("jsonl", "sample", (sample["start_ns"], sample["value"]), (4000, 37.5))
    row = next(row for row in forms.table if row["type"] == "counter")
    check.see("csv", "sample", [row[k] for k in ("start_ns", "name", "payload", "full_name", "device")],
              ["4000", "SMs", "37.5", "basic", "12"])
    check.see("json", "sample", [e["args"] for e in forms.chrome if e["ph"] == "C" and "SMs" in e["name"]][0],
              {"value": 37.5})
    check.see("perfetto", "sample", any(37.5 in dict(p).values() for p in forms.trace.points.values()), True)
    check.see("text", "sample", any("gpu12" in t and "SMs = 37.5" in t for t in forms.text), True)
    check.see("sqlite", "sample", tuple(forms.db.execute(
        "SELECT timestamp, value, metricName, typeName FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS"
        " USING(typeId, metricId)").fetchone()), (4000, 37.5, "SMs", "basic"))
    if forms.python is not None:
        counter = next(c for c in forms.python.counters if c.name == "SMs")
        check.see("python", "counter", (counter.set, counter.device, counter.samples[0].value), ("basic", 12, 37.5))


def main():
    build, program, page = sys.argv[1:4]
    fields, words, attributes = read_list(program)
    check = Check()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "every.sqlite")
        database = Database(path, fields)
        see_work(check, Forms(build, path, folder), database, fields, words)
        path = os.path.join(folder, "every.rf")
        own = own_recording.Own(Page(page), path)
        forms = Forms(build, path, folder)
        see_work(check, forms, own, fields, words)
        see_extras(check, forms, own)
        see_attributes(check, forms, attributes)
        see_annotations(check, forms)
        see_sync(check, forms)
        see_counter(check, forms)
        for field in fields:
            if database.raw(field) is None and own.raw(field) is None:
                check.wrong.append(f"{field.kind}: {field.name}: neither recording has it")
        if forms.python is None:
            print("the Python package is not built: its columns are not looked at")
    print(", ".join(f"{form}: {n} values" for form, n in check.n.items()))
    if check.wrong:
        sys.exit("\n".join(check.wrong))
    if min(check.n.values(), default=0) < 100 or len(check.n) < len(FORMS) - (forms.python is None):
        sys.exit("too few fields were looked at")


if __name__ == "__main__":
    main()
