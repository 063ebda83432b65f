# SPDX-License-Identifier: Apache-2.0
"""rows.py RECORDING: everything that the Python package shows of a recording, as JSON lines."""

import dataclasses
import json
import sys

import rangefinder


def plain(value):
    """What stands for a value; of another row, which one it is."""
    if isinstance(value, (type(None), bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "as_dict"):
        return f"{type(value).__name__} {getattr(value, 'index', '')}".strip()
    return type(value).__name__


def attributes(thing):
    found = {}
    for name in dir(thing):
        if name.startswith("_"):
            continue
        try:
            value = getattr(thing, name)
        except Exception as error:
            value = f"{type(error).__name__}: {error}"
        if not callable(value):
            found[name] = plain(value)
    return found


def say(**fields):
    print(json.dumps(fields, sort_keys=True))


def say_rows(name, rows):
    columns = rows.columns()
    say(type=f"columns of {name}", **{key: columns[key].type for key in columns.keys()})
    for row in rows:
        say(type=name, columns=plain(row.as_dict()), attributes=attributes(row))


def main():
    try:
        recording = rangefinder.open(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
    say(type="info", **plain(dataclasses.asdict(recording.info)))
    say(type="messages", messages=recording.messages, skipped=plain(recording.skipped))
    for name in sorted(dir(type(recording))):
        value = None if name.startswith("_") else getattr(recording, name)
        if hasattr(value, "columns"):
            say_rows(name, value)
    for by_process in (False, True):
        say_rows(f"projections {by_process}", recording.projections(by_process=by_process))


main()
