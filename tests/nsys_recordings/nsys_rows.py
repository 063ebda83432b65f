# SPDX-License-Identifier: Apache-2.0
"""NVTX_EVENTS of an nsys-style SQLite export in a form that two runs can be compared in: strings
resolved, threads numbered in the order of their first row, times reduced to their order."""

import json
import sqlite3

RANGES = (59, 60)  # push/pop and start/end, in ENUM_NSYS_EVENT_TYPE
EVENTS = (34, *RANGES)
COLUMNS = (
    "eventType rangeId category color text domainId uint64Value int64Value doubleValue "
    "uint32Value int32Value floatValue"
).split()


def text_of(value):
    """Bytes as text that survives JSON, whatever their encoding."""
    return None if value is None else bytes(value).decode("latin-1")


def read_rows(path):
    """The rows in the order of their starts, as dictionaries without what is NULL."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    database.text_factory = bytes
    tables = {row[0] for row in database.execute("select name from sqlite_master")}
    if b"NVTX_EVENTS" not in tables:
        return []
    found = database.execute(
        "select e.*, s.value as registered from NVTX_EVENTS e "
        "left join StringIds s on s.id = e.textId order by e.start, e.rowid"
    ).fetchall()
    database.close()
    threads = {}
    rows = [to_row(row, threads) for row in found]
    add_order_of_ends(rows)
    for row in rows:
        for key in ("start", "end"):
            row.pop(key, None)
    return rows


def to_row(found, threads):
    row = {name: found[name] for name in COLUMNS if found[name] is not None}
    if "text" in row:
        row["text"] = text_of(row["text"])
    if found["registered"] is not None:
        row["registered"] = text_of(found["registered"])
    row["thread"] = threads.setdefault(found["globalTid"], len(threads))
    if found["endGlobalTid"] is not None:
        row["endThread"] = threads.setdefault(found["endGlobalTid"], len(threads))
    row["start"], row["end"] = found["start"], found["end"]
    return row


def add_order_of_ends(rows):
    """endsAfter: how many marks and ranges of its thread began before this range ended."""
    events = [row for row in rows if row["eventType"] in EVENTS]
    for row in events:
        if row["eventType"] in RANGES and row["end"] is not None:
            row["endsAfter"] = sum(
                1 for other in events
                if other["thread"] == row["thread"] and other["start"] <= row["end"]
            )


def write_rows(rows, file):
    for row in rows:
        file.write(json.dumps(row, sort_keys=True) + "\n")


def load_rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
