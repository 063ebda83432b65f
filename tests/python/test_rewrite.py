# SPDX-License-Identifier: Apache-2.0
"""Recordings that examples/python/rewrite.py writes again through NVTX's writer interface have what they
had: the golden ones, and one of all that a program can send."""

import collections
import json
import math
import os
import re

import pytest

from conftest import BUILD, HERE, RANGEFINDER, run

SOURCE = HERE.parent.parent
EXAMPLE = SOURCE / "examples" / "python" / "rewrite.py"
OURS = str(BUILD / "python")
GOLDEN = sorted(path.name for path in (SOURCE / "tests" / "golden").glob("*.rf"))
MEAN_OVER_TIME = re.compile(r",[^,]*(,[^,]*,[^,]*,time)$")
REPORTS = ("nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum", "nvtx_counter_sum")


@pytest.fixture
def rewritten(tmp_path, nvtx_python):
    """rewritten(path) -> the recording and, for each of its processes, the one that was written"""
    import rangefinder

    opened = []

    def rewritten(path):
        folder = tmp_path / "again"
        folder.mkdir()
        done = run(nvtx_python, "-W", "error", EXAMPLE, path, folder, env={**os.environ, "PYTHONPATH": OURS})
        assert done.returncode == 0, done.stderr
        opened.append(rangefinder.open(path))
        for process in opened[0].processes:
            opened.append(rangefinder.open(folder / f"{process.index}.rf"))
        return opened[0], opened[1:]

    yield rewritten
    for recording in opened:
        recording.close()


def plain(value):
    """A payload with lists as objects of their indices, bytes as lists, and without what is null; a struct
    of one member is that: so it is read where it lies in another one."""
    if isinstance(value, bytes):
        value = list(value)
    if isinstance(value, (list, tuple)):
        value = {str(i): part for i, part in enumerate(value)}
    if isinstance(value, dict):
        members = {name or "_": plain(part) for name, part in value.items()}
        members = {name: part for name, part in members.items() if part is not None}
        return next(iter(members.values())) if len(members) == 1 else members or None
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value


def event_of(event, zero_ns, thread, payload, category):
    end = event.start_ns if event.kind == "mark" else event.end_ns
    return (event.kind, zero_ns + event.start_ns, zero_ns + end, event.name, event.domain or "NVTX", category,
            event.color or None, event.scope, thread, repr(plain(payload)))


def before(recording, process):
    """The events of a process, as the example has to write them."""
    for event in (*recording.ranges, *recording.marks):
        if event.process == process:
            yield event_of(event, recording.info.epoch_mono_ns,
                           f"{event.thread.name or 'thread'} {event.thread.tid}", event.payload,
                           event.category_name or event.category or None)


def after(recording):
    for event in (*recording.ranges, *recording.marks):
        assert not event.is_bad_payload and not getattr(event, "is_cut", False)
        payload = event.payload.get("payload") if isinstance(event.payload, dict) else None
        yield event_of(event, recording.info.epoch_mono_ns, event.thread.name.split(" | ")[0], payload,
                       event.category_name or event.category or None)


def counter_of(counter, zero_ns):
    # a program may sample a counter of integers with a double, which the interface cannot
    is_cut_off = counter.number == "int64"
    samples = [(zero_ns + sample.start_ns, int(sample.value) if is_cut_off and sample.value is not None
                else sample.value) for sample in counter.samples]
    name = counter.name[: -len(".uint64")] if counter.name.endswith(".uint64") else counter.name
    return (name, counter.domain, counter.unit, counter.description, counter.scope, counter.number,
            counter.value_type, counter.interpolation, counter.min, counter.max,
            counter.scale_numerator or 1, counter.scale_denominator or 1, samples)


def counters(recording, process=None):
    return sorted((counter_of(counter, recording.info.epoch_mono_ns) for counter in recording.counters
                   if counter.number is not None and process in (None, counter.process)), key=repr)


def differences(found, wanted):
    found, wanted = collections.Counter(found), collections.Counter(wanted)
    return list((wanted - found).elements()), list((found - wanted).elements())


def compare(recording, written):
    """Returns how many events were compared."""
    n = 0
    for process, again in zip(recording.processes, written):
        wanted = list(before(recording, process))
        assert differences(after(again), wanted) == ([], []), process.pid
        assert counters(again) == counters(recording, process)
        assert again.info.n_lost_records == 0
        n += len(wanted)
    return n


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(rewritten, name):
    recording, written = rewritten(SOURCE / "tests" / "golden" / name)
    assert compare(recording, written) == recording.info.n_ranges + recording.info.n_marks > 2


def json_lines(path):
    """What JSON lines have of events, but for ids and payloads, which the reader compares; at absolute times."""
    done = run(RANGEFINDER, "export", "-q", "-t", "jsonl", "-o", "-", path)
    assert done.returncode == 0, done.stderr
    head, *lines = map(json.loads, done.stdout.splitlines())
    for line in lines:
        if line["type"] not in ("push_pop", "start_end", "mark"):
            continue
        for key in ("pid", "tid", "thread", "domain_id", "range", "range_id", "payload", "payload_type",
                    "is_registered", "end_thread"):
            line.pop(key, None)
        if "category_name" in line or line.get("category") == 0:
            del line["category"]
        for key in ("start_ns", "end_ns"):
            if key in line:
                line[key] += head["epoch_monotonic_ns"]
        yield json.dumps(line, sort_keys=True)


def reports(path, pid):
    """The tables of the reports that are made of what NVTX has, but for the pid."""
    for name in REPORTS:
        done = run(RANGEFINDER, "stats", "-q", "-r", name, "-f", "csv", "-o", "-", path)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.replace(f"\n{pid},", "\nPID,").replace(".uint64,", ",").splitlines()
        # the last value of a counter lasts until the recording ends: here the last time that was written
        yield name, [MEAN_OVER_TIME.sub(r"\1", line) for line in lines]


def test_reports(rewritten, tmp_path, nvtx_python):
    """All that the package nvtx can send, here by rangefinder.nvtx; and what reports say of it."""
    path = tmp_path / "sent.rf"
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", nvtx_python, HERE / "sent_cases.py", "rangefinder.nvtx",
               tmp_path / "expected", env={**os.environ, "PYTHONPATH": OURS})
    assert done.returncode == 0, done.stderr
    recording, written = rewritten(path)
    assert compare(recording, written) > 90 and len(written) == 1
    again = dict(reports(tmp_path / "again" / "0.rf", written[0].processes[0].pid))
    assert again == dict(reports(path, recording.processes[0].pid))
    assert differences(json_lines(tmp_path / "again" / "0.rf"), json_lines(path)) == ([], [])
    assert all(len(table) > 2 for table in again.values())


def test_unnamed_categories(rewritten, tmp_path, nvtx_python):
    """The number of a category without a name, of an event with a payload, does not become that of a named one."""
    path, library = tmp_path / "categories.rf", BUILD / "tests" / "python" / "library.so"
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", nvtx_python, "-c",
               f"import ctypes; ctypes.CDLL({str(library)!r}).annotate_categories()")
    assert done.returncode == 0, done.stderr
    recording, written = rewritten(path)
    assert [(mark.category, mark.category_name) for mark in recording.marks] == [(1, None), (2, "named")]
    assert compare(recording, written) == 2
