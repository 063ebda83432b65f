# SPDX-License-Identifier: Apache-2.0
"""Payloads of NVTX's extension (docs/format.md, section 11), as lines have them. Unions, offsets and
entries that are the message, the category or the color of an event are not read."""

import struct

from nvtx_counters import CODES, text_at

POINTER, ARRAY, FIXED, TERMINATED, LENGTH = 2, 0x70, 0x10, 0x20, 0x30
REFERENCED, RAW, STATIC_IDS, DYNAMIC = 1022, 1023, 1 << 24, 2
CHARS = {1: 1, 75: 1, 76: 1, 77: 2, 78: 4}  # bytes of a character; of what is no text without a length: 1
TEXTS = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}
BYTE = 32


class Schema:
    """A struct: entries with their names, sizes and places; size 0: that depends on the payload."""

    def __init__(self, reader, process, domain, data):
        head, layout = (reader.structs[f"rf_schema_{name}"] for name in ("def", "entry"))
        row = head.read(data)
        self.name, self.is_dynamic = text_at(data, row["name"]), row["type"] == DYNAMIC
        self.entries = [Entry(reader, process, domain, data, layout.read(data, head.size + i * layout.size))
                        for i in range(row["n_entries"])]
        self.align = max([entry.align for entry in self.entries], default=1)
        self.size = row["static_size"]

    def read(self, group, data, base, is_nested=False):
        """({name: value}, where it ends); entries without an offset follow each other."""
        values, places, at = {}, [], base
        for i, entry in enumerate(self.entries):
            at = base + entry.offset if entry.offset else -(-at // entry.align) * entry.align
            places.append(at)
            value, at = entry.read(group, data, at, self, places)
            values[entry.name if entry.name is not None else str(i)] = value
        return self.wrapped(values, is_nested), base + self.size if self.size else at

    def wrapped(self, values, is_nested):
        """What is only wrapped stands for itself."""
        if len(self.entries) == 1 and (self.entries[0].name is None or (is_nested and self.name is None)):
            return list(values.values())[0]
        is_array = self.name is None and len(self.entries) == 2 and self.entries[1].array == LENGTH
        return list(values.values())[1] if is_array else values


class Entry:
    def __init__(self, reader, process, domain, data, row):
        self.name, self.kind, self.offset = text_at(data, row["name"]), row["type"], row["offset"]
        self.detail, self.array, self.is_pointer = row["detail"], row["flags"] & ARRAY, row["flags"] & POINTER
        self.schema, self.names, self.size = None, None, CHARS.get(self.kind, 0)
        if self.kind in (75, 76, 77, 78) and not self.array and self.detail:
            self.array = FIXED
        if self.kind in CODES and self.kind not in CHARS:
            self.size = struct.calcsize(CODES[self.kind])
        if self.kind >= STATIC_IDS and not self.is_pointer:
            self.find(reader, process, domain)
        self.where = reader, process, domain
        self.align = 8 if self.is_pointer else self.schema.align if self.schema else max(self.size, 1)

    def find(self, reader, process, domain):
        found = reader.find(process, domain, "SCHEMA", self.kind)
        if found is not None:
            self.schema = Schema(reader, process, domain, found)
            self.size = self.schema.size
            return
        data = reader.find(process, domain, "ENUM", self.kind)
        head, layout = (reader.structs[f"rf_enum_{name}"] for name in ("def", "entry"))
        row = head.read(data)
        rows = [layout.read(data, head.size + i * layout.size) for i in range(row["n_entries"])]
        self.size, self.names = row["size"], [(r["value"], text_at(data, r["name"]), r["is_flag"]) for r in rows]

    def read(self, group, data, at, schema, places):
        """(value, where the next entry may begin)"""
        if not self.is_pointer:
            return self.content(group, data, at, schema, data, places)
        if self.kind >= STATIC_IDS and self.schema is None:  # only now: a struct may point to its like
            self.find(*self.where)
        (address,) = struct.unpack_from("<Q", data, at)
        for start, found in group:
            if start <= address < start + len(found):
                return self.content(group, found, address - start, schema, data, places)[0], at + 8
        return (f"0x{address:x}" if address else None), at + 8

    def content(self, group, data, at, schema, own, places):
        if self.array == TERMINATED or (self.kind in (75, 76, 77, 78) and not self.array):
            n = next(i for i in range(len(data)) if not any(data[at + i * self.size:at + (i + 1) * self.size]))
        elif self.array == FIXED:
            n = self.detail
        elif self.array == LENGTH:
            n = schema.entries[self.detail].number(own, places[self.detail])
        else:
            return self.one(group, data, at)
        end = at + n * self.size
        if self.kind in CHARS:
            return data[at:end].decode(TEXTS[self.size], "replace").split("\0")[0], end
        if self.kind == BYTE:
            return data[at:end].hex(), end
        values = []
        for _ in range(n):
            value, at = self.one(group, data, at)
            values.append(value)
        return values, at

    def number(self, data, at):
        return struct.unpack_from("<" + CODES[self.kind], data, at)[0]

    def one(self, group, data, at):
        if self.schema is not None:
            return self.schema.read(group, data, at, True)
        if self.names is not None:
            return self.name_of(int.from_bytes(data[at:at + self.size], "little")), at + self.size
        value = self.number(data, at)
        return (str(value) if value != value or abs(value) == float("inf") else value), at + self.size

    def name_of(self, value):
        """A value of an enum; of flags, those that are set, and the rest."""
        names = [name for number, name, is_flag in self.names if number == value and not is_flag]
        if names:
            return names[0]
        words, rest = [], value
        for number, name, is_flag in self.names:
            if is_flag and number and rest & number == number:
                words, rest = words + [name], rest & ~number
        return "|".join(words + ([str(rest)] if rest else [])) if words else value


def values_of(reader, process, domain, records):
    """The payloads in the DATA records of an event's begin or end."""
    group = [(data.words[2] if data.kind == "PAYLOAD" else data.words[0], data.bytes)
             for data in records if data.kind == "REFERENCE" or len(data.words) > 2]
    return [read(reader, process, domain, group, data.words[0], data.bytes)
            for data in records if data.kind == "PAYLOAD" and data.words[0] != REFERENCED]


def read(reader, process, domain, group, kind, data):
    if kind == RAW:
        return data.hex()
    if kind in CHARS:
        return data.decode(TEXTS[CHARS[kind]], "replace").split("\0")[0]
    if kind < STATIC_IDS:
        values = list(struct.unpack(f"<{len(data) // struct.calcsize(CODES[kind])}{CODES[kind]}", data))
        return values[0] if len(values) == 1 else values
    return Schema(reader, process, domain, reader.find(process, domain, "SCHEMA", kind)).read(group, data, 0)[0]
