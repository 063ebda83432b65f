# SPDX-License-Identifier: Apache-2.0
"""Recordings in Python hold what the command line exports, in every form in which they give it."""

import contextlib
import csv
import ctypes
import io
import json
import operator
import os
import pickle
import re
import sqlite3
import sys

import pytest

import recordings
from conftest import BUILD, RANGEFINDER, run
from recordings import focused, imported, path  # fixtures

import rangefinder
from rangefinder import recording as reader


# ---- Against what the command line says ----


def only(line, *members):
    return {member: line.get(member) for member in members}


def color_of(text):
    """0xAARRGGBB of '#rrggbb' or '#aarrggbb'."""
    return None if text is None else int(text[1:], 16) | (0xFF000000 if len(text) == 7 else 0)


def payload_of(line):
    payload = line.get("payload")
    if line.get("payload_type") == "unknown":
        return None  # perhaps an address
    if line.get("payload_type") == "float":
        return ctypes.c_float(float(payload)).value
    if line.get("payload_type") == "double":
        return float(payload)
    return payload


def expected_event(line):
    kind = line["type"]
    is_range = kind in ("push_pop", "start_end")
    has_attributes = is_range or kind == "mark"
    event = only(line, "start_ns", "pid", "tid", "thread", "name", "domain", "domain_id", "category")
    if not is_range:
        event["category"] = line.get("category") if kind in ("mark", "category") else None
    event["kind"] = kind
    if event["domain_id"] == 0:
        event["domain"] = "NVTX"
    for member in ("end_ns", "duration_ns", "cut"):
        event[member] = line.get(member) if is_range else None
    event["end_thread"] = line.get("end_thread", line["thread"]) if is_range else None
    event["range_id"] = int(line["range_id"], 16) if kind == "start_end" else None
    event["category_name"] = line.get("category_name")
    event["color"] = color_of(line.get("color"))
    event["payload"] = payload_of(line) if has_attributes else None
    event["payload_type"] = line.get("payload_type") if has_attributes else None
    event["is_registered"] = line.get("is_registered", False)
    if is_range:
        event["is_cut"] = "cut" in line
    return event


def shown_event(event, expected):
    row = event.as_dict()
    row["payload"] = event.payload
    return {member: row[member] for member in expected}


def same(a, b):
    """Equal, and nan is nan."""
    return repr(a) == repr(b) or a == b


EVENTS = ("push_pop", "start_end", "mark", "category", "thread_name", "domain_create",
          "domain_destroy", "object_name", "resource", "resource_destroy", "sync_create",
          "sync_destroy")


def is_event(line):
    return line["type"] in EVENTS or (line["type"] == "sync" and "operation" in line)


def test_events_are_those_of_the_export(path):
    lines = [line for line in recordings.lines(path) if is_event(line)]
    with rangefinder.open(path) as recording:
        assert len(recording.events) == len(lines)
        for line, event in zip(lines, recording.events):
            expected = expected_event(line)
            shown = shown_event(event, expected)
            for member, value in expected.items():
                if member == "end_thread" and value is not None and shown[member] is None:
                    continue  # where it ended is not known
                assert same(shown[member], value), (member, line, event)


def test_ranges_and_marks_are_events(path):
    with rangefinder.open(path) as recording:
        events = list(recording.events)
        ranges = [event for event in events if event.kind in ("push_pop", "start_end")]
        assert list(recording.ranges) == ranges
        assert list(recording.marks) == [event for event in events if event.kind == "mark"]
        assert len(ranges) == recording.info.n_ranges == len(recording.ranges)
        assert len(events) == recording.info.n_events


def test_processes_and_threads(path):
    lines = recordings.lines(path)
    with rangefinder.open(path) as recording:
        for line in (line for line in lines if line["type"] == "process"):
            process = recording.processes[line["process"]]
            assert only(line, "pid", "ppid", "name", "exe", "cwd") == {
                member: getattr(process, member) for member in ("pid", "ppid", "name", "exe", "cwd")
            }
            assert list(process.args) == line["args"] and list(process.env) == line["env"]
            parent = process.forked_from
            assert (parent.index if parent else None) == line.get("forked_from")
            assert process.exit_ns == line.get("exit_ns")
            assert all(thread.process == process for thread in process.threads)
        threads = [line for line in lines if line["type"] == "thread"]
        assert len(threads) == len(recording.threads)
        for line, thread in zip(threads, recording.threads):
            assert (thread.tid, thread.name, thread.is_named, thread.end_ns, thread.n_events) == (
                line["tid"], line["name"], line["is_named"], line.get("end_ns"), line["events"])
            assert thread.process == recording.processes[line["process"]]
            assert len(thread.events) == line["events"]
            assert list(thread.ranges) == list(recording.ranges.filter(thread=thread))


def test_info_is_that_of_the_export(path):
    line = recordings.lines(path)[0]
    with rangefinder.open(path) as recording:
        info = recording.info
    assert (info.path, info.product, info.host) == (str(path), line["recorded_by"], line["host"])
    assert (info.epoch_utc_ns, info.end_ns) == (line["epoch_utc_ns"], line["end_ns"])
    assert (info.n_events, info.n_cut) == (line["events"], line["cut_ranges"])
    assert info.n_lost_records == line["lost_events"]


# Calls of the memory extension, which are not recorded.
EXTENSIONS = """
import ctypes, os
from ctypes import c_size_t, c_ssize_t, c_uint16, c_void_p

class Segment(ctypes.Structure):
    _fields_ = [("id", c_size_t), ("n", c_size_t), ("slots", ctypes.POINTER(c_ssize_t))]

class Module(ctypes.Structure):
    _fields_ = [(name, c_uint16) for name in ("version", "size", "number", "compatible")] + [
        ("n", c_size_t), ("segment", ctypes.POINTER(Segment)), ("export", c_void_p), ("info", c_void_p)]

recorder = ctypes.CDLL(os.environ["NVTX_INJECTION64_PATH"])
for number, slots_to_call in ((1, range(17)),):
    slots = (c_ssize_t * 20)()
    segment = Segment(0, 20, slots)
    module = Module(3, ctypes.sizeof(Module), number, 0x0102, 1, ctypes.pointer(segment), None, None)
    assert recorder.InitializeInjectionNvtxExtension(ctypes.byref(module)) == 1
    for slot in slots_to_call:
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(slots[slot])(None, None, None, None)
"""


def test_info_is_that_of_the_command_line(tmp_path):
    path = tmp_path / "calls.rf"
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", sys.executable, "-c", EXTENSIONS)
    assert done.returncode == 0, done.stderr
    said = json.loads(run(RANGEFINDER, "info", "--json", path).stdout)
    with rangefinder.open(path) as recording:
        info = vars(recording.info)
    assert (info["n_time_calls"], info["n_memory_calls"]) == (0, 0)
    assert [row["rows"] for row in said["not_read"] if row["table"] == "NVTX memory"] == [5] + 10 * [1]
    both = info.keys() & said.keys()
    assert {"n_time_calls", "n_memory_calls", "n_lost_records", "n_stalls"} <= both
    assert only(info, *both - {"path"}) == only(said, *both - {"path"})


def test_captures(focused):
    lines = [line for line in recordings.lines(focused) if line["type"] == "capture"]
    with rangefinder.open(focused) as recording:
        assert recording.info.is_focused
        assert [only(line, "number", "start_ns", "end_ns", "is_open") for line in lines] == [
            {key: value for key, value in capture.as_dict().items() if key != "duration_ns"}
            for capture in recording.captures
        ]


@pytest.fixture(scope="module", params=["every_field", "v1.2.rf", "b_4gpu_mixed.sqlite.gz"])
def work(request, tmp_path_factory):
    """Recordings with calls and GPU work."""
    folder = tmp_path_factory.mktemp("work")
    if request.param == "every_field":
        return recordings.every_field(folder / "every.sqlite")
    return recordings.make(request.param, folder)


TRACK = ("device", "context", "stream")  # of a wait for whole contexts None, in lines 0xffffffff


def as_columns(line):
    """The members of a line as Python's columns have them."""
    row = {"kind": line["type"]}
    for member, value in line.items():
        if isinstance(value, list):
            row.update(zip((f"{member}_{axis}" for axis in "xyz"), value))
        elif member not in ("type", "flags"):  # flags are words in lines
            row[member] = None if member in TRACK and value == 0xFFFFFFFF else value
    return row


def compare_columns(lines, rows, elsewhere=()):
    """Each member of each line is in a column; what a line leaves out is None or 0. elsewhere:
    members that columns of other rows have."""
    table = rows.columns()
    values = {name: table[name].tolist() for name in table}
    assert len(lines) == len(rows)
    for i, line in enumerate(lines):
        expected = as_columns(line)
        found = {name: column[i] for name, column in values.items()}
        for name in expected.keys() - set(elsewhere):
            assert found[name] == expected[name], (name, line)
        for name in found.keys() - expected.keys() - {"process", "flags"}:
            assert found[name] in (None, 0), (name, line)
    return set(values)


def test_gpu_work_is_that_of_the_export(work):
    kinds = ("kernel", "memcpy", "memset", "graph", "sync")
    lines = [line for line in recordings.lines(work)
             if line["type"] in kinds and "operation" not in line]
    kernels = [line for line in lines if line["type"] == "kernel"]
    with rangefinder.open(work) as recording:
        assert kernels
        of_kernels = compare_columns(kernels, recording.kernels)
        compare_columns(lines, recording.gpu_ops, of_kernels - set(recording.gpu_ops.columns()))


def test_calls_are_those_of_the_export(work):
    lines = [line for line in recordings.lines(work)
             if line["type"] in ("cuda_runtime", "cuda_driver", "osrt")]
    with rangefinder.open(work) as recording:
        assert lines
        compare_columns(lines, recording.calls)


def test_calls_and_their_gpu_work(imported):
    with rangefinder.open(imported) as recording:
        assert len(recording.calls) > 100 and len(recording.gpu_ops) > 100
        assert sum(len(call.ops) for call in recording.calls) == sum(
            op.call is not None and op.kind != "sync" for op in recording.gpu_ops)
        for op in recording.gpu_ops[:200]:
            assert op.call is None or op.kind == "sync" or op in op.call.ops


def test_fields_say_what_they_are():
    about = {kind: {name: getattr(kind, name).__doc__ for name in vars(kind)}
             for kind in (reader.Call, reader.GpuOp, reader.Kernel, reader.Range)}
    assert about[reader.Kernel]["registers"] == "int: per thread."
    assert about[reader.Kernel]["cluster_x"] == "int: blocks per cluster; or None."
    assert about[reader.Kernel]["graph_node"] == "int: the node of the CUDA graph; or None."
    assert about[reader.GpuOp]["copy_kind"] == "str: from where to where, 'HtoD', 'DtoH', ...; or None."
    assert about[reader.Call]["result"] == "int: what the call returned; or None."
    assert about[reader.Range]["category"] == "int: as the program numbers it; or None."
    assert about[reader.Range]["cut"] == \
        "str: why its end was not recorded, 'thread ended', 'process ended', ...; or None."


def report(path, name, *options):
    done = run(RANGEFINDER, "stats", "--allow-empty", "-r", name, "-f", "csv", "-o", "-", *options, path)
    assert done.returncode == 0, done.stderr
    text = done.stdout[done.stdout.index("\n", done.stdout.find("Processing")) + 1:] \
        if "Processing" in done.stdout else done.stdout
    return list(csv.DictReader(io.StringIO(text.strip() + "\n")))


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A kernel in a stream of which much is known, and one in a stream of which nothing is."""
    path = tmp_path_factory.mktemp("places") / "places.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("""
            CREATE TABLE StringIds(id, value);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,
                correlationId, globalPid);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1, 2, 0, 1, 7, 1, 7 << 24),
                (3, 4, 5, 6, 8, 2, 7 << 24);
            CREATE TABLE TARGET_INFO_GPU(id, name, busLocation, l2CacheSize, ctrlDevPath);
            INSERT INTO TARGET_INFO_GPU VALUES(0, 'first', NULL, NULL, NULL),
                (1, 'second', '0000:3b:00.0', 52428800, '/dev/x');
            CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId, cudaId, pid);
            INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(1, 0, 7);
            CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId, hwId, vmId, processId, contextId, priority);
            INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(7, 0, 0, 7, 1, 4294967294);
            CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM(name, hwId, vmId, processId, contextId, streamId);
            INSERT INTO TARGET_INFO_NVTX_CUDA_STREAM VALUES('compute', 0, 0, 7, 1, 7);
            CREATE TABLE TARGET_INFO_NVTX_CUDA_DEVICE(name, hwId, vmId, deviceId);
            INSERT INTO TARGET_INFO_NVTX_CUDA_DEVICE VALUES('trainer', 0, 0, 0)""")
        database.commit()
    return path


def test_where_gpu_work_ran(places):
    with rangefinder.open(places) as recording:
        first, second = recording.gpus
        assert (first.bus, first.facts) == (None, {})
        assert second.bus == "0000:3b:00.0"
        assert second.facts == {"l2CacheSize": 52428800, "ctrlDevPath": "/dev/x"}
        known, unknown = recording.gpu_streams
        assert (known.name, known.priority, known.device_name) == ("compute", -2, "trainer")
        assert (known.gpu, known.context_name) == (second, None)
        assert (unknown.name, unknown.priority, unknown.gpu) == (None, None, None)
        assert recording.gpu_streams.columns()["name"].tolist() == ["compute", None]


@pytest.mark.parametrize("name", ["nvtx_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_size_sum",
                                  "nvtx_gpu_proj_trace", "steps"])
def test_reports_are_those_of_the_command_line(imported, name):
    expected = report(imported, name)
    with rangefinder.open(imported) as recording:
        rows = recording.stats(name)
        assert len(rows) == len(expected) > 0
        for row, line in zip(rows, expected):
            for title, text in line.items():
                value = row[title]
                if isinstance(value, float):
                    assert abs(value - float(text)) <= 0.0501, (title, row)
                else:
                    assert str(value) == text, (title, row)
        assert recording.stats(name).columns().keys() == tuple(expected[0])


def test_options_of_reports(imported):
    with rangefinder.open(imported) as recording:
        longest = max(recording.ranges, key=lambda span: span.duration_ns)
        steps = recording.stats("steps", step=longest.name)
        assert longest.duration_ns in [row["Duration (ns)"] for row in steps]
        assert all(row["Self (ns)"] <= row["Duration (ns)"] for row in steps)
        numbers = [row["Step"] for row in steps if (row["PID"], row["TID"]) == (steps[0]["PID"], steps[0]["TID"])]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all("#" not in row["Range"] for row in recording.stats("nvtx_tree"))
        folded = recording.stats("nvtx_tree", fold_numbers=True)
        assert sum(row["Instances"] for row in folded) == sum(row["Instances"] for row in recording.stats("nvtx_tree"))
        with pytest.raises(ValueError, match="no range 'none of this name'"):
            recording.stats("steps", step="none of this name")
        named = recording.stats("collectives", collective=longest.name)
        assert len(named) == len(recording.stats("collectives")) + 1
        with pytest.raises(ValueError, match="no range 'none of this name'"):
            recording.stats("collectives", collective="none of this name")


def test_projections(imported):
    with rangefinder.open(imported) as recording:
        projections = recording.projections()
        expected = report(imported, "nvtx_gpu_proj_trace")
        assert len(projections) == len(expected)
        assert sum(p.duration_ns for p in projections) == sum(
            int(line["Projected Duration (ns)"]) for line in expected)
        assert sum(p.n_ops for p in projections) == sum(int(line["NumGPUOps"]) for line in expected)
        for projection in projections[:50]:
            assert projection.range.projection == projection
            assert projection.name == projection.range.name
            assert projection.range_start_ns == projection.range.start_ns
        only_kernels = recording.projections(kernels_only=True)
        assert 0 < len(only_kernels) <= len(projections)
        recording.close()
        assert only_kernels[0].range.name == only_kernels[0].name


def test_parents_enclose(path):
    with rangefinder.open(path) as recording:
        for thread in recording.threads:
            own = [r for r in thread.ranges if r.end_thread in (None, thread)][:300]
            for r in own:
                around = [o for o in own if o != r and o.start_ns <= r.start_ns
                          and o.end_ns >= r.end_ns and o.duration_ns > r.duration_ns]
                parent = r.parent
                if around:
                    assert parent is not None
                if parent is None:
                    assert r.depth == 0 and not around
                    continue
                assert parent.start_ns <= r.start_ns and parent.end_ns >= r.end_ns
                assert r.depth == parent.depth + 1
                assert r in parent.children
                assert all(parent.duration_ns <= o.duration_ns for o in around)


def test_self_time_is_what_no_range_inside_covers(path):
    with rangefinder.open(path) as recording:
        for thread in recording.threads:
            own = [r for r in thread.ranges if r.end_thread in (None, thread)][:200]
            for r in own:
                assert 0 <= r.self_ns <= r.duration_ns
                inside = [o for o in own if o != r and o.start_ns >= r.start_ns
                          and o.end_ns <= r.end_ns and o.duration_ns < r.duration_ns]
                if len(own) < 200 and all(o in r.children for o in inside) and not any(
                        a.end_ns > b.start_ns for a, b in zip(inside, inside[1:])):
                    assert r.self_ns == r.duration_ns - sum(o.duration_ns for o in inside)


def test_the_range_of_a_call(imported):
    with rangefinder.open(imported) as recording:
        n_found = 0
        for kernel in recording.kernels[:200]:
            if kernel.call is not None:
                assert kernel.call.range == kernel.range
                n_found += kernel.range is not None
        assert n_found > 0
        for call in recording.calls[:200]:
            around = call.range
            if around is not None:
                assert around.thread == call.thread
                assert around.start_ns <= call.start_ns and call.end_ns <= around.end_ns


def test_counters(tmp_path):
    sqlite = tmp_path / "counters.sqlite"
    import sqlite3

    with sqlite3.connect(recordings.make("d_4proc_same_device.sqlite.gz", tmp_path)) as old, \
            sqlite3.connect(sqlite) as new:
        old.backup(new)
        new.execute("create table if not exists GPU_METRICS"
                    "(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER)")
        new.execute("create table if not exists TARGET_INFO_GPU_METRICS"
                    "(typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT)")
        new.execute("insert into TARGET_INFO_GPU_METRICS values(1, 1, 'set', 7, 'SMs Active')")
        new.executemany("insert into GPU_METRICS values(?, 1, 7, ?)", [(i * 1000, i) for i in range(9)])
    old.close()
    new.close()
    lines = recordings.lines(sqlite)
    with rangefinder.open(sqlite) as recording:
        counters = [line for line in lines if line["type"] == "counter"]
        assert [c.name for c in recording.counters] == [line["name"] for line in counters] != []
        samples = [line for line in lines if line["type"] == "sample"]
        assert [(s.start_ns, s.value, s.counter.index) for s in recording.samples] == [
            (line["start_ns"], line["value"], line["counter"]) for line in samples]
        first = recording.counters[0].samples
        values = memoryview(first.columns()["value"])
        assert values.tolist() == [sample.value for sample in first]
        assert values.strides == (8,)
        every_other = memoryview(first[1::2].columns()["value"])
        assert every_other.tolist() == values.tolist()[1::2] and every_other.strides == (16,)


def value_of(line):
    return float(line["value"]) if isinstance(line["value"], str) else line["value"]


def test_nvtx_counters():
    """What jsonl has of counters of NVTX; integers are ints, and None is no value."""
    seed = recordings.TESTS / "fuzz" / "corpus_rf" / "seed-everything"
    lines = recordings.lines(seed)
    counters = [line for line in lines if line["type"] == "counter"]
    samples = [line for line in lines if line["type"] == "sample"]
    for line in counters:
        if "scope" in line:  # one of NVTX; a line leaves the default domain out
            line.setdefault("domain", "NVTX")
    names = ("unit", "description", "scope", "number", "value_type", "interpolation", "min", "max",
             "scale_numerator", "scale_denominator", "domain")
    with rangefinder.open(seed) as recording:
        assert [only(c.as_dict(), "name", "thread", *names) for c in recording.counters] == [
            only(line, "name", "thread", *names) for line in counters]
        assert [(s.start_ns, s.value, s.is_placed, s.counter.index) for s in recording.samples] == [
            (line["start_ns"], value_of(line), "placed" in line.get("flags", ""), line["counter"])
            for line in samples]
        ours = {c.name: c for c in recording.counters if c.number is not None}
        assert {"memory.used", "memory.share", "queue"} <= set(ours)
        column = ours["memory.used"].samples.columns()["value"]
        assert memoryview(column).format == "q" and column.tolist() == [2, 1]
        assert all(isinstance(value, int) for value in column.tolist())
        assert memoryview(ours["queue"].samples.columns()["value"]).format == "d"
        assert ours["queue"].thread.tid == 100


def test_limits_of_counters(tmp_path):
    """Integers are exact, beyond what a double holds, too."""
    database = tmp_path / "limits.sqlite"
    run(RANGEFINDER, "export", "-q", "-o", database, recordings.TESTS / "fuzz" / "corpus_rf" / "seed-everything",
        check=True)
    with sqlite3.connect(database) as connection:
        connection.execute("update RANGEFINDER_NVTX_COUNTERS set minimum = -9007199254740993, maximum = ?",
                           (str(2**64 - 1),))
    connection.close()
    with rangefinder.open(database) as recording:
        ours = [counter for counter in recording.counters if counter.number is not None]
        assert {(counter.min, counter.max) for counter in ours} == {(-(2**53) - 1, 2**64 - 1)}
        columns = recording.counters.columns()
        assert (memoryview(columns["min"]).format, memoryview(columns["max"]).format) == ("q", "Q")
        assert 2**64 - 1 in columns["max"].tolist()


def test_sampled(tmp_path):
    """Counters that were sampled together share their times; their samples are rows of their own."""
    double = BUILD / "tests" / "pmsampling" / "double"
    if not (double / "libcupti.so.13").exists():
        pytest.skip("the stand-ins are not built")
    path = tmp_path / "sampled.rf"
    env = {**os.environ, "RANGEFINDER_CUPTI": str(double / "libcupti.so.13"),
           "LD_LIBRARY_PATH": str(double), "RF_PM_DOUBLE": "realtime=1,chip=GH100",
           "RF_DOUBLE_CUPTI_VERSION": "130000"}
    done = run(RANGEFINDER, "gpu-metrics", "record", "-q", "-o", path, "-d", "0.3", env=env)
    assert done.returncode == 0, done.stderr
    with rangefinder.open(path) as recording:
        a, b = recording.counters[0].samples, recording.counters[1].samples
        assert len(a) == len(b) > 20
        assert [s.start_ns for s in a] == [s.start_ns for s in b]
        assert a[3] == recording.counters[0].samples[3] != b[3]
        assert len({a[3], b[3], a[3]}) == 2
        assert [s.value for s in a] != [s.value for s in b]
        for rows in (a, b, b[5:], b[::-2]):
            assert memoryview(rows.columns()["value"]).tolist() == [s.value for s in rows]
            assert memoryview(rows.columns()["start_ns"]).tolist() == [s.start_ns for s in rows]
        assert len(recording.samples) == sum(c.n_samples for c in recording.counters)
        early = recording.filter(time=f"/{a[9].start_ns}ns").counters[1].samples
        assert [s.value for s in early] == [s.value for s in b[:10]]


def test_other_rows(tmp_path):
    import sqlite3

    path = recordings.make("d_4proc_same_device.sqlite.gz", tmp_path)
    with sqlite3.connect(path) as database:
        pid = database.execute("select globalTid from NVTX_EVENTS limit 1").fetchone()[0] & ~0xFFFFFF
        database.execute("create table CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER, globalPid INTEGER,"
                         " deviceId INTEGER, contextId INTEGER, address INTEGER, pc INTEGER,"
                         " bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, name TEXT,"
                         " correlationId INTEGER, streamId INTEGER)")
        database.executemany(
            "insert into CUDA_GPU_MEMORY_USAGE_EVENTS values(?, ?, 0, 1, 4096, 7, ?, 2, 0, ?, ?, 7)",
            [(1000 * i, pid, 256 * i, (None, "a name")[i % 2], i) for i in range(1, 6)])
    database.close()
    lines = [line for line in recordings.lines(path) if line["type"] == "memory"]
    with rangefinder.open(path) as recording:
        rows = recording.extras.filter(kind="memory")
        assert len(rows) == len(lines) == 5
        for line, row in zip(lines, rows):
            common = ("start_ns", "name", "pid", "tid", "device", "context", "stream", "correlation")
            assert only(line, *common) == {member: row[member] for member in common}
            assert row.end_ns is None and row.process.pid == row.pid
            rest = {key: value for key, value in row.values.items() if value is not None}
            assert rest == {key: value for key, value in line.items()
                            if key not in common + ("type", "thread")}
            assert rest["bytes"] == 256 * row.correlation and rest["mem_kind"] == 2
        assert recording.table("extras")["kind"].categories[-1] == "memory"


# ---- Sequences ----


def test_rows_are_sequences(path):
    with rangefinder.open(path) as recording:
        rows = recording.events
        every = list(rows)
        n = len(every)
        assert rows[0] == every[0] and rows[-1] == every[-1] == rows[n - 1]
        for part in (slice(2), slice(1, None, 2), slice(None, None, -1), slice(-3, None),
                     slice(5, 2), slice(n, 0, -3), slice(1, n + 5)):
            assert list(rows[part]) == every[part]
            assert list(rows[part][::-2]) == every[part][::-2]
        assert every[0] in rows and list(reversed(rows)) == every[::-1]
        for index in (n, -n - 1, 2**70, -(2**70)):
            with pytest.raises(IndexError):
                rows[index]
        with pytest.raises(TypeError, match="must be an int or a slice, not str"):
            rows["name"]
        assert len({row: None for row in every}) == n
        assert every[0] != 1 and not every[0] == None  # noqa: E711
        assert repr(rows) == f"<{n} events>" and repr(every[0]).startswith("<Event kind='")


def test_an_empty_view_has_columns(focused):
    with rangefinder.open(focused) as recording:
        for rows in (recording.kernels, recording.ranges.filter(name="there is none"),
                     recording.ranges[:0]):
            assert len(rows) == 0 and list(rows) == []
            for name, column in ((name, rows.columns()[name]) for name in rows.columns()):
                assert len(column) == 0 and column.tolist() == [], name
                assert column.type == "text" or memoryview(column).tolist() == []
                assert column.nulls is None


def test_filter_of_rows(path):
    with rangefinder.open(path) as recording:
        events = list(recording.events)
        values = {
            "name": [events[0].name, events[-1].name, None],
            "kind": ["mark", ["push_pop", "start_end"]],
            "domain": [None, events[-1].domain],
            "tid": [events[0].tid, [events[0].tid, events[-1].tid], -1, 2**80],
            "process": [events[-1].process, events[-1].process.index, None],
            "thread": [events[0].thread, {0, 1}],
            "start_ns": [events[1].start_ns],
            "payload": [events[0]["payload"], None, 1.5],
            "is_registered": [True, False],
            "color": [None, events[-1].color],
        }
        for column, wanted in values.items():
            for value in wanted:
                these = value if isinstance(value, (list, set)) else [value]
                these = [one.index if isinstance(one, reader.Row) else one for one in these]
                if column == "domain" and value is None:
                    these = ["NVTX", None]  # what has no name of its own
                expected = [event for event in events if event[column] in these]
                assert list(recording.events.filter(**{column: value})) == expected, (column, value)
                expected = [event for event in events if event not in expected]
                assert list(recording.events.filter(**{column + "__ne": value})) == expected
        pattern = re.compile("[aeiou]t?")
        assert list(recording.events.filter(name=pattern, kind="push_pop")) == [
            event for event in events
            if event.kind == "push_pop" and event.name and pattern.search(event.name)]
        assert list(recording.events.filter(kind="push_pop").filter(name=pattern)[::2]) == [
            event for event in events
            if event.kind == "push_pop" and event.name and pattern.search(event.name)][::2]


def test_comparisons(path):
    compare = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
    with rangefinder.open(path) as recording:
        events = list(recording.events)
        middle = events[len(events) // 2]
        values = {
            "start_ns": [middle.start_ns, middle.start_ns + 0.5, -1e30, 2**80, -(2**80), 1e30],
            "duration_ns": [0, middle.duration_ns or 5],
            "payload": [0, 7, -1.5, float("nan"), 2**63],
            "payload_bits": [2**63, 2**64, 0, 1.5],
            "tid": [middle.tid, middle.tid - 0.5],
            "thread": [0, 1],
        }
        for column, wanted in values.items():
            for value in wanted:
                for name, function in compare.items():
                    expected = [event for event in events
                                if event[column] is not None and function(event[column], value)]
                    found = recording.events.filter(**{f"{column}__{name}": value})
                    assert list(found) == expected, (column, name, value)
        low, high = middle.start_ns, events[-1].start_ns
        for first, last in ((low, high), (low, None), (None, high), (high, low), (low + 0.5, 1e300)):
            expected = [event for event in events
                        if (first is None or first <= event.start_ns)
                        and (last is None or event.start_ns < last)]
            assert list(recording.events.filter(start_ns=(first, last))) == expected
        both = recording.events.filter(start_ns__ge=low, start_ns__lt=high)
        assert list(both) == list(recording.events.filter(start_ns=(low, high)))


def test_flags_are_columns(focused):
    with rangefinder.open(focused) as recording:
        names = [name for name in recording.ranges.columns() if name.startswith("is_")]
        assert names == ["is_cut", "is_cut_at_start", "is_clamped", "is_foreign_end",
                         "is_registered", "is_bad_handle", "is_bad_payload"]
        assert len(recording.ranges.filter(is_cut=True)) == recording.info.n_cut > 0
        assert len(recording.ranges.filter(is_cut_at_start=True)) == recording.info.n_cut_at_start
        assert not hasattr(recording.ranges[0], "flags")


def test_filter_of_rows_names_what_is_wrong(focused):
    with rangefinder.open(focused) as recording:
        with pytest.raises(TypeError, match="ranges have no column 'nam'; there are: kind, start_ns"):
            recording.ranges.filter(nam="x")
        with pytest.raises(TypeError, match="ranges have no column 'nam__gt'; there are: kind"):
            recording.ranges.filter(nam__gt="x")
        with pytest.raises(TypeError, match="no comparison '__above', but __ne, __lt"):
            recording.ranges.filter(start_ns__above=5)
        with pytest.raises(TypeError, match="start_ns is compared with a number, not str"):
            recording.ranges.filter(start_ns__lt="5")
        with pytest.raises(TypeError, match="start_ns is compared with a number, not NoneType"):
            recording.ranges.filter(start_ns__lt=None)
        with pytest.raises(TypeError, match="name is not a number: it has the comparison __ne only"):
            recording.ranges.filter(name__lt="x")
        with pytest.raises(TypeError, match="start_ns as a tuple must be .from, to., not of 3"):
            recording.ranges.filter(start_ns=(1, 2, 3))
        with pytest.raises(TypeError, match="end_ns is compared with a number, not str"):
            recording.ranges.filter(end_ns=(1, "2"))
        with pytest.raises(KeyError, match="ranges have no column 'bogus'; there are: kind, start"):
            recording.ranges.columns("bogus")
        with pytest.raises(KeyError, match="no column 'bogus' in this table; there are: name, tid"):
            recording.ranges.columns("name", "tid")["bogus"]
        with pytest.raises(KeyError, match="no rows 'bogus', but: events, ranges"):
            recording.table("bogus")
        with pytest.raises(TypeError, match="name must be a str, a regular expression.* not int"):
            recording.ranges.filter(name=[1])
        with pytest.raises(TypeError, match="tid must be an int.* not str"):
            recording.ranges.filter(tid="1")
        with pytest.raises(TypeError, match="thread must be an int.* not .*Process"):
            recording.ranges.filter(thread=recording.processes[0])
        with pytest.raises(TypeError, match="by name"):
            recording.ranges.filter("x")
        broken = type("Broken", (), {"search": lambda self, text: 1 / 0})()
        with pytest.raises(ZeroDivisionError):
            recording.ranges.filter(name=broken)
        assert len(recording.ranges.filter()) == len(recording.ranges)


def test_rows_as_mappings(focused):
    with rangefinder.open(focused) as recording:
        row = recording.ranges[0]
        assert row["name"] == row.name and row["thread"] == row.thread.index
        assert list(row.as_dict()) == list(recording.ranges.columns().keys())
        for name in ("nothing", 1, None):
            with pytest.raises(KeyError):
                row[name]
        with pytest.raises(AttributeError):
            row.name = "x"
        with pytest.raises(TypeError):
            type(row)()


# ---- Parts ----


def test_filtered_recordings(imported, tmp_path):
    with rangefinder.open(imported) as recording:
        name = recording.ranges[0].name
        part = recording.filter(name=name)
        assert {r.name for r in part.ranges} == {name}
        assert part.info.n_ranges == len(recording.ranges.filter(name=name))
        a, b = recording.ranges[10].start_ns, recording.ranges[20].end_ns
        in_time = recording.filter(time=(a, b))
        assert len(in_time.ranges) == sum(r.start_ns <= b and r.end_ns >= a for r in recording.ranges)
        assert len(recording.filter(time=f"{a}ns/{b}ns").ranges) == len(in_time.ranges)
        pids = [process.pid for process in recording.processes]
        for process in (pids[-1], [pids[-1]], str(pids[-1])):
            assert {r.pid for r in recording.filter(process=process).ranges} <= {pids[-1]}
        tid = recording.threads[0].tid
        for thread in (tid, [tid], str(tid)):
            part = recording.filter(thread=thread)
            assert {r.tid for r in part.ranges} == {tid}
            assert len(part.ranges) == sum(r.tid == tid for r in recording.ranges)
        part = recording.filter(name=name)
        nothing_but = recording.filter(activity=["nvtx", "kernel"])
        assert len(nothing_but.calls) == 0 and len(nothing_but.kernels) == len(recording.kernels)
        part_of_part = part.filter(activity="nvtx")
        recording.close()
        part.close()
        assert {r.name for r in part_of_part.ranges} == {name}
        with pytest.raises(ValueError, match="closed"):
            part.filter(name="x")
    with rangefinder.open(imported) as recording:
        for wrong in ({"time": "x"}, {"process": 99999999}, {"nvtx": "there is no such range"},
                      {"activity": "cooking"}, {"name": "/(/"}, {"thread": "nobody"},
                      {"rank": 77}, {"rank": "x"}, {"cut_ranges": "mark"}):
            with pytest.raises(ValueError):
                recording.filter(**wrong)


def test_ranges_that_were_cut_are_left_out(focused):
    with rangefinder.open(focused) as recording:
        whole = [r for r in recording.ranges if r.cut is None and not r.is_cut_at_start]
        assert 0 < len(whole) < len(recording.ranges)
        part = recording.filter(cut_ranges="leave-out")
        assert [(r.name, r.start_ns) for r in part.ranges] == [(r.name, r.start_ns) for r in whole]
        assert len(pickle.loads(pickle.dumps(part)).ranges) == len(whole)
        assert len(recording.filter(cut_ranges="count").ranges) == len(recording.ranges)
