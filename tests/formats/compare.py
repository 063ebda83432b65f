# SPDX-License-Identifier: Apache-2.0
"""Compares what the reader of this folder and `rangefinder export -t jsonl` say of a recording."""

import collections
import json
import os
import struct
import subprocess

import lines
from nvtx_counters import Deferred

BESIDE = ("path", "exported_by")  # about the export, not about the recording
# Facts of GPU work as nsys's databases number them: docs/sqlite.md is about those.
OF_DATABASES = (
    "mem_kind memory_operation_type memory_pool_type local_memory_pool_address"
    " local_memory_pool_release_threshold local_memory_pool_size local_memory_pool_utilized_size"
    " imported_memory_pool_address event_class overhead_type"
).split()
EVENTS_ONLY = ("recording", "process", "thread", "capture", "gpu", "counter")


class Difference(Exception):
    """The two do not agree; says in what."""


def exported(rangefinder, path, output):
    """The lines of an export."""
    command = [rangefinder, "export", "-t", "jsonl", "-f", "-o", output, path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise Difference(f"{' '.join(command)}: {done.stdout.decode()}")
    return read_lines(output)


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line, parse_int=parse_int) for line in file]


def parse_int(text):
    return -0.0 if text == "-0" else int(text)


def plain(line, mangled):
    """A line as it is compared. mangled: the names in the recording of what is demangled here."""
    line = {k: v for k, v in line.items() if k not in BESIDE and k not in OF_DATABASES}
    if line.get("payload_type") in ("float", "double") and not isinstance(line["payload"], str):
        code = line["payload_type"][0]
        line["payload"] = struct.unpack(code, struct.pack(code, line["payload"]))[0]
    if line["type"] == "sample" and isinstance(line["value"], int) and line["value"] < 1 << 53:
        line["value"] = float(line["value"])
    if line["type"] == "counter":
        line.update((key, float(line[key])) for key in ("min", "max") if key in line)
    if line["type"] == "cuda_overhead":
        line.pop("name", None)
    if line["type"] == "kernel":
        full = line.pop("full_name")
        name = line.pop("name", full)
        line["full_name"] = mangled.get(name, full)
    return line


def mangled_names(theirs, ours):
    """{short name: mangled name}, for those that stand in it as C++ mangles names."""
    shorts = {line["name"] for line in theirs if line["type"] == "kernel" and "name" in line}
    full = {line["full_name"] for line in ours if line["type"] == "kernel"}
    return {
        short: name
        for short in shorts
        for name in full
        if short and name and name.startswith("_Z") and f"{len(short)}{short}" in name
    }


def recorded(all_lines):
    """The lines without counters that are reckoned (memory in use); samples tell their counter."""
    counters = {line["counter"]: line for line in all_lines if line["type"] == "counter"}
    for line in all_lines:
        counter = counters.get(line.get("counter"), {})
        if "pid" in counter and "number" not in counter:
            continue
        if line["type"] in ("counter", "sample"):
            keys = ("device", "set", "name", "domain", "pid", "thread")
            line = dict(line, counter=[counter.get(key) for key in keys])
        yield line


def check_order(theirs):
    times = [line.get("start_ns") for line in theirs if line["type"] not in EVENTS_ONLY]
    times = [ns for ns in times if ns is not None]
    if times != sorted(times):
        raise Difference("the export's events are not sorted by time")


def check(page_path, rangefinder, path, folder, is_live=False):
    """Compares a recording; returns how many lines it has. is_live: it ends now, whenever that
    is."""
    theirs = exported(rangefinder, path, os.path.join(folder, "export.jsonl"))
    writer = lines.writer(page_path, path, theirs[0]["end_ns"] if is_live else None)
    check_order(theirs)
    try:
        expect_same(theirs, list(writer.lines()), path)
    except Difference:
        if writer.nvtx.has_deferred:
            raise Deferred from None
        raise
    return len(theirs)


def expect_same(theirs, ours, path):
    """Whether two lists have the same lines, whatever their order."""
    mangled = mangled_names(theirs, ours)
    keys = [
        collections.Counter(json.dumps(plain(line, mangled), sort_keys=True) for line in recorded(both))
        for both in (ours, theirs)
    ]
    wrong = [f"reader: {key}" for key in (keys[0] - keys[1]).elements()]
    wrong += [f"export: {key}" for key in (keys[1] - keys[0]).elements()]
    if wrong:
        wrong.sort(key=lambda line: line[8:])
        shown = "\n".join(wrong[:20])
        raise Difference(f"{path}: {len(wrong)} lines differ:\n{shown}")
