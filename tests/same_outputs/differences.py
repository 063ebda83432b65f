# SPDX-License-Identifier: Apache-2.0
"""In what two outputs differ, field by field: compare() of two files.

A difference is a pair (what, field). What an addition is: a field, row, table or file that was not
there ("added ..."); a field that was empty and has a value ("filled"); words at the end or in the
middle of a line of text ("added words"); strings that have other numbers since there are more of
them ("renumbered"). Everything else is a change: "removed ...", "changed", "order" (the same in
another order) and "bytes" (a file that says the same in other bytes).

What is made alike before, by plain(): the version, where the two builds have different ones, and the
frequency of the clock to 6 digits, since of a session that nobody ended one pair of clocks is that of
the time when it is read. Nothing else in an output depends on when, where or by which process it was
written."""

import collections
import csv
import difflib
import gzip
import io
import json
import pathlib
import re
import sqlite3
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "perfetto"))
import decode  # noqa: E402

ADDITIONS = {"added field", "added row", "added table", "added file", "added words", "filled",
             "renumbered"}
# Columns of the databases that are ids of StringIds.
TEXT_IDS = {"nameId", "shortName", "demangledName", "mangledName", "textId", "jsonTextId", "srcFile",
            "funcName", "varName", "kernelName", "CpuInstruction", "module", "sourceFile"}
# By these fields a row is found again where the number of rows differs.
IDENTITY = ("type", "kind", "ph", "cat", "name", "ts", "dur", "pid", "tid", "id", "start", "end",
            "start_ns", "end_ns", "timestamp", "key", "globalTid", "globalPid", "eventType",
            "correlationId", "correlation", "table", "processId", "position", "Name", "Range")


class Difference:
    """What differs, how often, and the first of it in words."""

    def __init__(self):
        self.found = collections.Counter()
        self.first = None
        self.first_change = None

    def add(self, what, field, old=None, new=None):
        self.found[what, field] += 1
        words = f"{what} {field}"
        if what in ("changed", "filled", "added words"):
            words += f": {short(old)} -> {short(new)}"
        elif old is not None or new is not None:
            words += f": {short(new if old is None else old)}"
        self.first = self.first or words
        if what not in ADDITIONS:
            self.first_change = self.first_change or words

    def is_addition(self):
        return all(what in ADDITIONS for what, _ in self.found)


def short(value):
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."


def plain(text, versions):
    """The text without the versions of the two builds, and with round frequencies."""
    for version in versions or ():
        text = text.replace(version, "VERSION")
    return re.sub(r'("clock_hz": ?)([0-9.e+]+)', lambda m: f"{m[1]}{float(m[2]):.6g}", text)


# ---- Values ----

def label(value):
    """What kind of row an object is."""
    for key in ("type", "cat", "ph", "kind"):
        if isinstance(value.get(key), str):
            return value[key]
    return ""


def is_empty(value):
    return value is None or value == ""


def values(difference, field, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        objects(difference, field, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        rows(difference, field, old, new)
    elif type(old) is not type(new) or old != new:
        difference.add("filled" if is_empty(old) else "changed", field, old, new)


def objects(difference, field, old, new):
    for key in old:
        if key not in new:
            difference.add("removed field", f"{field}.{key}", old[key])
        else:
            values(difference, f"{field}.{key}", old[key], new[key])
    for key in new:
        if key not in old:
            difference.add("added field", f"{field}.{key}", None, new[key])
    if [key for key in new if key in old] != [key for key in old if key in new]:
        difference.add("order", f"of the fields of {field}", list(new))


def identity(row, keys):
    return tuple((key, repr(row.get(key))) for key in keys)


def rows(difference, field, old, new):
    """Two lists: by position if they are as long, else objects by what identifies them."""
    if len(old) == len(new):
        for a, b in zip(old, new):
            values(difference, f"{field}[{label(a)}]" if isinstance(a, dict) else f"{field}[]", a, b)
        return
    if not all(isinstance(row, dict) for row in old + new):
        lines(difference, field, [repr(row) for row in old], [repr(row) for row in new])
        return
    keys = IDENTITY if any(key in row for row in old[:1] for key in IDENTITY) else \
        [key for row in old[:1] for key in row]
    places = collections.defaultdict(collections.deque)
    for number, row in enumerate(new):
        places[identity(row, keys)].append(number)
    last = -1
    for row in old:
        name = f"{field}[{label(row)}]"
        found = places[identity(row, keys)]
        if not found:
            difference.add("removed row", name, row)
            continue
        number = found.popleft()
        if number < last:
            difference.add("order", f"of the rows of {name}", row)
        last = number
        values(difference, name, row, new[number])
    for left in places.values():
        for number in left:
            difference.add("added row", f"{field}[{label(new[number])}]", None, new[number])


def is_within(old, new):
    """Whether new is old with words added."""
    rest = iter(new.split())
    return all(word in rest for word in old.split())


def lines(difference, field, old, new):
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) > 5000)
    for what, a, a_end, b, b_end in matcher.get_opcodes():
        if what == "replace" and a_end - a == b_end - b:
            for x, y in zip(old[a:a_end], new[b:b_end]):
                difference.add("added words" if is_within(x, y) else "changed", f"{field} line", x, y)
        elif what != "equal":
            for line in old[a:a_end]:
                difference.add("removed row", f"{field} line", line)
            for line in new[b:b_end]:
                difference.add("added row", f"{field} line", None, line)


# ---- Files ----

def of_lines(difference, old, new):
    lines(difference, "", *(text.decode(errors="backslashreplace").splitlines() for text in (old, new)))


def of_json(difference, old, new):
    values(difference, "", *(json.loads(text) for text in (old, new)))


def of_jsonl(difference, old, new):
    rows(difference, "", *([json.loads(line) for line in text.splitlines()] for text in (old, new)))


def of_csv(difference, old, new):
    rows(difference, "", *(list(csv.DictReader(io.StringIO(text.decode(errors="backslashreplace"))))
                           for text in (old, new)))


def load_database(path, versions):
    """{table: {"columns": {name: type}, "rows": [row]}}, {other things: how they are made}; numbers of
    strings with the string."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    database.text_factory = lambda text: plain(text.decode(errors="backslashreplace"), versions)
    tables, others, strings = {}, {}, {}
    made = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    for kind, name, sql in made:
        if kind == "table":
            cursor = database.execute(f'SELECT * FROM "{name}"')
            columns = [column[0] for column in cursor.description]
            types = database.execute(f'PRAGMA table_info("{name}")').fetchall()
            tables[name] = {"columns": {row[1]: repr(row[2:]) for row in types},
                            "rows": [dict(zip(columns, row)) for row in cursor]}
        else:
            others[name] = sql
    database.close()
    for row in tables.get("StringIds", {"rows": ()})["rows"]:
        strings[row.get("id")] = row.get("value")
    for row in tables.get("RANGEFINDER_INFO", {"rows": ()})["rows"]:
        if row.get("name") == "clockHz":
            row["value"] = float(f"{row['value']:.6g}")
    return tables, others, strings


def frequency(path):
    """What plain() rounds, in a database."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        found = database.execute("SELECT value FROM RANGEFINDER_INFO WHERE name = 'clockHz'")
        return found.fetchone()
    except sqlite3.DatabaseError:
        return None
    finally:
        database.close()


def of_sqlite(difference, old_path, new_path, versions):
    old, old_others, old_strings = load_database(old_path, versions)
    new, new_others, new_strings = load_database(new_path, versions)
    for name in old:
        if name not in new:
            difference.add("removed table", name)
    for name in new:
        if name not in old:
            difference.add("added table", name)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        difference.add("order", "of the tables")
    values(difference, "schema", old_others, new_others)
    for name in old:
        if name in new:
            values(difference, name, old[name]["columns"], new[name]["columns"])
            table_rows(difference, name, (old[name]["rows"], old_strings),
                       (new[name]["rows"], new_strings))


def table_rows(difference, name, old, new):
    if name == "StringIds":
        texts = [[row["value"] for row in side[0]] for side in (old, new)]
        lines(difference, name, *texts)
        if any(new[1].get(key) != text for key, text in old[1].items()):
            difference.add("renumbered", name)
        return
    named = [[{key: (strings.get(value, value) if key in TEXT_IDS else value)
               for key, value in row.items()} for row in table] for table, strings in (old, new)]
    # a column that is there says so once, and not in every row
    known = set(named[0][0]) if named[0] else None
    if known is not None:
        named[1] = [{key: value for key, value in row.items() if key in known} for row in named[1]]
    rows(difference, name, *named)


def resolve(found, known):
    """A message with the names in place of the numbers that were defined for them."""
    if isinstance(found, list):
        return [resolve(item, known) for item in found]
    if not isinstance(found, dict):
        return found
    whole = {}
    for key, value in found.items():
        if key == "debug_annotations" or key == "args":
            named = [resolve(item, known) for item in value]
            whole[key] = {item.pop("name_iid", "?"): next(iter(item.values()), None)
                          for item in named}
        elif key in known:
            whole[key] = [known[key].get(n, n) for n in value] if isinstance(value, list) else \
                known[key].get(value, value)
        else:
            whole[key] = resolve(value, known)
    return whole


INTERNED = {"category_iids": "event_categories", "string_value_iid": "debug_annotation_string_values",
            "stage_iid": "gpu_specifications", "hw_queue_iid": "gpu_specifications",
            "context": "graphics_contexts", "kernel_iid": "compute_kernels",
            "counter_descriptor_iid": "gpu_counter_descriptors"}


def packets(data):
    """The packets of a trace, without the definitions of names, in which `type` says what each is."""
    state, whole = {}, []
    for packet in decode.packets_of(data):
        sequence = packet.get("trusted_packet_sequence_id", 0)
        if packet.get("sequence_flags", 0) & 1:
            state[sequence] = collections.defaultdict(dict)
        names = state.setdefault(sequence, collections.defaultdict(dict))
        for kind, entries in packet.pop("interned_data", {}).items():
            for entry in entries:
                said = {key: value for key, value in entry.items() if key != "iid"}
                names[kind][entry["iid"]] = next(iter(said.values())) if len(said) == 1 else said
        if len(packet) > 2 or "gpu_info" in packet or "track_descriptor" in packet:
            whole.append(packet_with_names(packet, names))
    return whole


def packet_with_names(packet, names):
    known = {key: names[kind] for key, kind in INTERNED.items()}
    about = packet.get("track_event", packet.get("gpu_render_stage_event", {}))
    if "name_iid" in about:  # in an argument, this is the number of another name
        about["name_iid"] = names["event_names"].get(about["name_iid"], about["name_iid"])
    launch = about.pop("launch", None)
    packet = resolve(packet, dict(known, name_iid=names["debug_annotation_names"]))
    if launch is not None:
        packet["launch"] = resolve(launch, dict(known, name_iid=names["compute_arg_names"]))
    kind = next((key for key in packet if isinstance(packet[key], dict)), "packet")
    category = packet.get("track_event", {}).get("category_iids", [kind])[0]
    return {"type": category, "ts": packet.get("timestamp"), "id": about.get("track_uuid"), **packet}


def of_pftrace(difference, old, new):
    try:
        rows(difference, "", packets(old), packets(new))
    except decode.BadTrace as error:
        difference.add("changed", f"trace that cannot be read: {error}")


READERS = {".json": of_json, ".jsonl": of_jsonl, ".csv": of_csv, ".txt": of_lines,
           ".messages": of_lines, ".pftrace": of_pftrace, ".text": of_lines}


def compare(old_path, new_path, versions=None):
    """None if the files are alike, else a Difference."""
    old, new = old_path.read_bytes(), new_path.read_bytes()
    if old == new:
        return None
    difference, ending = Difference(), old_path.suffix
    if ending == ".gz":
        old, new, ending = gzip.decompress(old), gzip.decompress(new), pathlib.Path(old_path.stem).suffix
    if ending in READERS and ending != ".pftrace":
        old, new = (plain(data.decode(errors="surrogateescape"), versions).encode(
            errors="surrogateescape") for data in (old, new))
        if old == new:
            return None
    if ending == ".sqlite":
        of_sqlite(difference, old_path, new_path, versions)
    elif ending in READERS:
        try:
            READERS[ending](difference, old, new)
        except ValueError as error:
            difference.add("changed", f"what cannot be read: {error}")
    is_plain = versions and ending == ".pftrace" or ending == ".sqlite" and (
        versions or frequency(old_path) != frequency(new_path))
    if not difference.found and not is_plain:
        difference.add("bytes", f"of the file, from byte {first_other(old, new)}")
    return difference if difference.found else None


def first_other(old, new):
    return next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
