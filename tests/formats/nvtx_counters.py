# SPDX-License-Identifier: Apache-2.0
"""Counters of NVTX and their samples (docs/format.md, section 11), as lines."""

import math
import struct

from clocks import ForeignClock

NONE, UNCHANGED = object(), object()
SCOPES = {1: "root", 2: "machine", 3: "socket", 4: "physical_core", 5: "core", 15: "hardware",
          16: "hypervisor", 17: "vm", 18: "kernel", 19: "container", 20: "os", 21: "process",
          22: "thread", 31: "software"}
# NVTX's types of numbers: code of struct; those of C as most programs have them
CODES = {1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I", 7: "q", 8: "Q", 9: "q", 10: "Q", 11: "b",
         12: "B", 13: "h", 14: "H", 15: "i", 16: "I", 17: "q", 18: "Q", 19: "f", 20: "d", 22: "Q",
         32: "B", 42: "e", 43: "f", 44: "d"}
VALUE_TYPES = ("absolute", "absolute", "delta", "delta_since_start")
INTERPOLATIONS = ("until_next", "point", "since_last", "until_next", "linear")


def text_at(data, offset):
    if not 0 < offset < len(data):
        return None
    return data[offset:].split(b"\0", 1)[0].decode("utf-8", "replace")


class Entry:
    """A number in a sample: where it lies, and what the schema says of it."""

    def __init__(self, kind, at=0, name=None, description=None, semantics=None):
        self.kind, self.at, self.name, self.description = kind, at, name, description
        self.semantics = semantics or {}
        self.size = 2 if kind == 50 else struct.calcsize(CODES[kind])

    def read(self, sample):
        if self.kind == 50:  # the upper half of a float
            return struct.unpack_from("<f", b"\0\0" + sample[self.at : self.at + 2])[0]
        return struct.unpack_from("<" + CODES[self.kind], sample, self.at)[0]

    @property
    def number(self):
        code = "f" if self.kind == 50 else CODES[self.kind]
        return "double" if code in "efd" else "uint64" if code.isupper() else "int64"


class Counter:
    """A counter or a group as a process uses it."""

    def __init__(self, reader, process, domain, handle, data):
        self.reader, self.process, self.domain, self.handle = reader, process, domain, handle
        row = reader.structs["rf_counter_def"].read(data)
        self.name, self.description = (text_at(data, row[key]) for key in ("name", "description"))
        self.semantics, self.scope = reader.semantics(data, row["semantics"]), row["scope"]
        self.time_at, self.size, self.entries = None, 0, []
        self.clock = self.semantics.get(2, {}).get("value", 0)
        self.is_group, self.tracks = row["schema"] >= 1 << 24, {}
        if self.is_group:
            self.lay_out(reader.find(process, handle, "SCHEMA", row["schema"]))
        else:
            self.take_number(row["schema"])

    def take_number(self, kind):
        if kind in CODES or kind == 50:
            self.entries = [Entry(kind)]
            self.size = self.entries[0].size

    def lay_out(self, data):
        """Entries that are marked as counters, or else all; structures and arrays are not read."""
        if data is None:
            return
        head, layout = (self.reader.structs[f"rf_schema_{n}"] for n in ("def", "entry"))
        row, end, align = head.read(data), 0, 1
        all_rows = [layout.read(data, head.size + i * layout.size) for i in range(row["n_entries"])]
        is_marked = any(entry["flags"] >> 12 & 7 == 4 for entry in all_rows)
        for entry in all_rows:
            found = Entry(entry["type"], 0, text_at(data, entry["name"]),
                          text_at(data, entry["description"]),
                          self.reader.semantics(data, entry["semantics"]))
            align = max(align, found.size)
            found.at = entry["offset"] or (end + found.size - 1) // found.size * found.size
            end = found.at + found.size
            if entry["flags"] >> 10 & 3 == 2:
                self.time_at = found.at
            elif entry["flags"] >> 12 & 7 == 4 if is_marked else not entry["flags"] & 0x600:
                self.entries.append(found)
        self.size = row["static_size"] or (end + align - 1) // align * align

    def add(self, thread, ns, values, flags=()):
        recording = self.reader.recording
        is_left_out = recording.is_focused and not recording.overlaps(ns, ns)
        for i, (entry, value) in enumerate(zip(self.entries, values)):
            is_of_thread = self.scope_of(entry) in (22, 31)
            thread.is_needed |= is_of_thread
            tracks = self.tracks.setdefault(thread if is_of_thread else None, [[] for _ in self.entries])
            if not is_left_out:
                tracks[i].append((ns, value, flags))

    def scope_of(self, entry):
        return entry.semantics.get(1, {}).get("value", self.scope)

    def lines(self):
        for thread, tracks in self.tracks.items():
            for entry, samples in zip(self.entries, tracks):
                if samples:
                    yield self.line(entry, thread, len(samples)), settled(samples)

    def line(self, entry, thread, n):
        name = ".".join(filter(None, (self.name, entry.name)))
        line = {"type": "counter", "name": name, "number": entry.number, "samples": n}
        line["pid"] = self.process.facts.get("PID", 0)
        said = entry.semantics.get(5) or self.semantics.get(5, {})
        scope = self.scope_of(entry)
        flags, limit = said.get("flags", 0), said.get("limit_type", 0)
        line["value_type"] = VALUE_TYPES[flags >> 4 & 3]
        line["interpolation"] = dict(enumerate(INTERPOLATIONS)).get(flags >> 8 & 7, "until_next")
        scale = said.get("scale_numerator", 0), said.get("scale_denominator", 0)
        if all(scale) and scale[0] != scale[1]:
            line["scale_numerator"], line["scale_denominator"] = scale
        for key, bit in (("min", 4), ("max", 8)):
            if flags & bit and 1 <= limit <= 3:
                data = struct.pack("<Q", said[key])
                line[key] = struct.unpack("<" + "qQd"[limit - 1], data)[0]
        words = {"unit": said.get("unit_text"), "scope": self.reader.scope(self, scope),
                 "description": entry.description or self.description}
        if self.domain.name is not None:
            words["domain"] = self.domain.name.decode("utf-8", "replace")
        if thread is not None:
            words["thread"] = thread.index
        line.update((key, word) for key, word in words.items() if word is not None)
        return line


def settled(samples):
    """(ns, value, flags) by time; one that says that nothing changed has the value before."""
    last = NONE
    for ns, value, flags in sorted(samples, key=lambda sample: sample[0]):
        value = last if value is UNCHANGED else value
        last = last if value is NONE else value
        flags = (["no_value"] if value is NONE else []) + list(flags)
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        yield ns, None if value is NONE else value, flags


class Deferred(Exception):
    """The recording has events of another time, which this reader does not place (11.3)."""


class Reader:
    """The counters of a recording. skipped: samples that do not fit what was defined."""

    def __init__(self, page, recording):
        self.recording, self.structs, self.enums = recording, page.structs, page.enums
        self.clock, self.skipped, self.counters, self.has_deferred = None, 0, {}, False
        kinds = {value: name for name, value in page.enums["rf_ext_kind"].items()}
        for thread in recording.threads:
            for record in thread.ext:
                words = list(record.words[1:4]) + [0, 0, 0]
                kind = kinds.get(words[0] & 0xFF)
                self.has_deferred |= kind in ("EVENT", "EVENTS")
                self.take(thread, record, kind, words)

    def find(self, process, domain, kind, id_):
        """The text of a definition, in a process or before its fork in those that it came from."""
        key = kind, domain if id_ < 1 << 32 else None, id_
        while process is not None:
            if key in process.nvtx:
                return process.nvtx[key]
            process = process.parent
        return None

    def semantics(self, data, at):
        layout, found = self.structs["rf_semantics"], {}
        for _ in range(16):
            if not 0 < at <= len(data) - layout.size:
                break
            link = layout.read(data, at)
            found.setdefault(link["id"], dict(link, unit_text=text_at(data, link["unit"])))
            at = link["next"]
        return found

    def scope(self, counter, scope):
        path = []
        if scope < 32:
            return SCOPES.get(scope)
        for _ in range(32):
            data = self.find(counter.process, counter.handle, "SCOPE", scope)
            if data is None:
                break
            row = self.structs["rf_scope_def"].read(data)
            path.insert(0, (text_at(data, row["path"]) or "").lstrip("/"))
            scope = row["parent"]
        return "/".join(filter(None, path)) or None

    def counter(self, process, domain, id_):
        data = self.find(process, domain, "COUNTER", id_)
        if data is None:
            return None
        key = process, domain, id_
        if key not in self.counters:
            self.counters[key] = Counter(self, process, process.domain(domain), domain, data)
        return self.counters[key]

    def take(self, thread, record, kind, words):
        domain, id_ = words[0] >> 8 & 0xFFFFFF, words[1]
        ns = self.recording.clock.ns(record.ticks)
        counter = self.counter(thread.process, domain, id_)
        if kind not in ("INT64", "FLOAT64", "NO_VALUE", "SAMPLE", "BATCH") or counter is None:
            self.skipped += 1
            return
        if not counter.entries and kind in ("INT64", "FLOAT64", "NO_VALUE"):
            counter.take_number(20 if kind == "FLOAT64" else 17)
        if kind in ("INT64", "FLOAT64"):
            raw = struct.pack("<Q", words[2])
            (value,) = struct.unpack("<d" if kind == "FLOAT64" else "<q", raw)
            if kind == "INT64" and counter.entries[0].number == "uint64":
                value = words[2]
            counter.add(thread, ns, [value])
        elif kind == "NO_VALUE":
            value = {0: 0, 1: UNCHANGED}.get(words[2], NONE)
            zero = [0.0 if e.number == "double" else 0 for e in counter.entries]
            counter.add(thread, ns, [z if value == 0 else value for z in zero])
        else:
            self.take_arrays(thread, ns, counter, words[2] if kind == "BATCH" else None,
                             [data.bytes for data in record.behind if data.kind == "ARRAY"])

    def take_arrays(self, thread, ns, counter, flags, arrays):
        data, size = arrays[0] if arrays else b"", counter.size
        n = len(data) // size if size else 0
        n = min(n, 1) if flags is None else n
        times = arrays[1] if len(arrays) > 1 else b""
        for i in range(n):
            sample = data[i * size : (i + 1) * size]
            values = [entry.read(sample) for entry in counter.entries]
            at = ns if flags is None else self.time(counter, flags, times, sample, i, n)
            counter.add(thread, ns if at is None else at, values, ["placed"] if at is None else [])

    def time(self, counter, flags, times, sample, i, n):
        """When sample i of n was taken; None: nobody knows."""
        all_times = struct.unpack(f"<{len(times) // 8}q", times[: len(times) // 8 * 8])
        if flags >> 32 & 3 and len(all_times) > 1:
            at = all_times[0] + (i if flags >> 32 & 1 else i + 1 - n) * all_times[1]
        elif all_times and not flags >> 32 & 3:
            at = all_times[i] if i < len(all_times) else None
        elif counter.time_at is not None:
            (at,) = struct.unpack_from("<q", sample, counter.time_at)
        else:
            at = None
        return None if at is None else self.ns(counter.clock, at)

    def ns(self, clock, at):
        recording = self.recording
        if clock in (0, 1) or (clock == 10 and recording.control["clock_kind"] == 1):
            return recording.clock.ns(at % (1 << 64))
        if clock in (14, 16):
            return at - recording.clock.first[1]
        if clock in (12, 13):
            self.clock = self.clock or ForeignClock(recording.clock, recording.control)
            return recording.clock.ns(self.clock.ticks(at))
        return None

    def lines(self, first):
        """Numbers of counters begin at first: where they come does not matter."""
        for counter in self.counters.values():
            for line, samples in counter.lines():
                yield dict(line, counter=first)
                for ns, value, flags in samples:
                    more = {"flags": "+".join(flags)} if flags else {}
                    yield {"type": "sample", "start_ns": ns, "counter": first, "value": value, **more}
                first += 1
