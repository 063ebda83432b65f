#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what NVTX has in a recording into new ones, one for each process, through NVTX's writer
interface: ranges, marks, their payloads, and counters, at the times that they had.

    python3 rewrite.py RECORDING FOLDER

What the interface has no words for is left out: why a range was cut, what was lost, calls and work
of a GPU; the payload of an event is a member of its payload. Threads become streams, one for each of
their domains and scopes. Payloads and counters of unsigned numbers need NumPy.
"""

import os
import sys

import rangefinder
from rangefinder import nvtx
from rangefinder.nvtx import writer

SAMPLE_TYPES = {"int64": int, "uint64": "u8", "double": float}
DEFAULT = "NVTX"  # what the default domain is called
EVENT_KINDS = {"push_pop": nvtx.EventKind.RANGE_PUSHPOP, "start_end": nvtx.EventKind.RANGE_STARTEND,
               "mark": nvtx.EventKind.MARK}


# ---- Payloads ----


def dtype_of(value):
    """What a value that Python read is written as; None: nothing."""
    if isinstance(value, int):
        return "i8" if -(1 << 63) <= value < 1 << 63 else "u8" if 0 <= value < 1 << 64 else None
    if isinstance(value, float):
        return "f8"
    if isinstance(value, str):
        return f"U{max(1, len(value))}"
    if isinstance(value, bytes):
        return (("u1", (len(value),))) if value else None
    return [(name, dtype) for name, dtype, _ in fields_of(value)] or None


def fields_of(value):
    """(name, dtype, value) of each member of an object or list."""
    if value is None:
        return []
    members = value.items() if isinstance(value, dict) else ((str(i), part) for i, part in enumerate(value))
    typed = ((name, dtype_of(part), part) for name, part in members)
    return [(name or "_", dtype, part) for name, dtype, part in typed if dtype is not None]


def row_of(value):
    """A value as NumPy takes it for its dtype."""
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, (dict, list)):
        return tuple(row_of(part) for _, _, part in fields_of(value))
    return value


def write_by_schema(stream, domain, event, begin, end, category):
    """An event of a schema of its own: times, name, color and category beside the payload, if there is one.
    Unlike write_mark() and its like it tells no name from an empty one."""
    field, roles, stands = nvtx.numpy_dtype, nvtx.EntryKind, nvtx.PayloadEntryType
    kind = EVENT_KINDS[event.kind]
    times = [("at", field("i8", entry_kind=roles.MARK))] if kind is nvtx.EventKind.MARK else [
        ("begin", field("i8", entry_kind=roles.RANGE_BEGIN)), ("end", field("i8", entry_kind=roles.RANGE_END))]
    dtype = [*times, ("color", field("u4", entry_type=stands.COLOR_ARGB)),
             ("category", field("u4", entry_type=stands.CATEGORY)),
             ("message", field("u8", entry_kind=roles.MESSAGE, entry_type=stands.REGISTERED_STRING))]
    has_payload = dtype_of(event.payload) is not None
    if has_payload:
        dtype.append(("payload", dtype_of(event.payload)))
    name = domain.get_registered_string(event.name).handle if event.name is not None else 0
    number = domain.get_category_id(category) if isinstance(category, str) else category or 0
    row = (*((begin, end)[: len(times)]), event.color or 0, number, name)
    if has_payload:
        row += (row_of(event.payload),)
    stream.write_event(domain.get_schema(dtype, kind=kind), row)


# ---- Events ----


class Rewriter:
    """One process of a recording, on its way into a session."""

    def __init__(self, session, recording, process):
        self.session = session
        self.process = process
        self.zero_ns = recording.info.epoch_mono_ns
        self.streams = {}
        self.n_pairs = 0

    def domain(self, name):
        return self.session.get_domain(None if name == DEFAULT else name)

    def stream(self, thread, domain, scope):
        """The stream of a thread's events in a domain and scope; times are those of CLOCK_MONOTONIC."""
        key = thread.index, domain, scope
        if key not in self.streams:
            registered = self.domain(domain)
            name = f"{thread.name or 'thread'} {thread.tid} | {domain or ''} | {scope or ''}"
            stream = self.session.create_stream(
                name, domain=registered, scope=None if scope is None else registered.get_scope(scope),
                time_domain_id=nvtx.TimestampType.CPU_CLOCK_GETTIME_MONOTONIC)
            stream.open()
            self.streams[key] = stream
        return self.streams[key]

    def write(self, event):
        domain, category = self.domain(event.domain), event.category_name or event.category
        stream = self.stream(event.thread, event.domain, event.scope)
        begin = self.zero_ns + event.start_ns
        end = begin if event.kind == "mark" else self.zero_ns + event.end_ns
        looks = {"message": event.name, "color": event.color, "category": category}
        if event.name is None or dtype_of(event.payload) is not None:
            write_by_schema(stream, domain, event, begin, end, category)
        elif event.kind == "mark":
            stream.write_mark(begin, **looks)
        elif event.kind == "push_pop":
            stream.write_pushpop(begin, end, **looks)
        elif event.end_thread is None or event.end_thread == event.thread:
            stream.write_startend(begin, end, **looks)
        else:
            self.n_pairs += 1
            stream.write_start(begin, self.n_pairs, **looks)
            self.stream(event.end_thread, event.domain, event.scope).write_end(end, self.n_pairs)

    def write_counter(self, counter):
        domain = self.domain(counter.domain)
        limits = {"min": counter.min, "max": counter.max}
        if counter.scale_numerator is not None:
            limits.update(unit_scale_numerator=counter.scale_numerator,
                          unit_scale_denominator=counter.scale_denominator)
        semantics = nvtx.CounterSemantics(
            unit=counter.unit, value_type=nvtx.CounterValueType[(counter.value_type or "absolute").upper()],
            interpolation=nvtx.CounterInterpolation[(counter.interpolation or "point").upper()], **limits)
        scope = None if counter.scope is None else domain.get_scope(counter.scope)
        name, dtype = counter.name, SAMPLE_TYPES[counter.number]
        group, _, field = name.rpartition(".")
        is_group = group and dtype == "u8"  # a counter of another dtype is called NAME.DTYPE
        if is_group:
            name, dtype = group, [(field, dtype)]
        written = domain.get_counter(name, dtype, description=counter.description, scope=scope,
                                     semantics=semantics)
        stream = self.stream(self.process.threads[0], counter.domain, None)
        for sample in counter.samples:
            time = self.zero_ns + sample.start_ns
            if sample.value is None:
                stream.write_counter_sample_no_value(written, time, nvtx.CounterNoValueReason.UNAVAILABLE)
            else:
                stream.write_counter_sample(written, time, (sample.value,) if is_group else sample.value)


def rewrite(recording, process, path):
    """Writes what NVTX has of a process into a recording at path, which must not exist."""
    events = [event for event in (*recording.ranges, *recording.marks) if event.process == process]
    # numbers of categories that have no name must not become those of named ones
    events.sort(key=lambda event: (event.category_name is not None, event.start_ns))
    name = process.name or f"process {process.pid}"
    with writer.Session(name, config=f"output={path}") as session:
        rewriter = Rewriter(session, recording, process)
        for event in events:
            rewriter.write(event)
        for counter in recording.counters:
            if counter.process == process and counter.number in SAMPLE_TYPES:
                rewriter.write_counter(counter)


def main():
    with rangefinder.open(sys.argv[1]) as recording:
        for process in recording.processes:
            path = os.path.join(sys.argv[2], f"{process.index}.rf")
            rewrite(recording, process, path)
            print(f"{path}: process {process.pid}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
