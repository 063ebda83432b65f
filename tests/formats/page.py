# SPDX-License-Identifier: Apache-2.0
"""docs/format.md as data: its tables of structures, enumerations and constants, and its examples."""

import re
import struct

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i16": 2, "i32": 4, "i64": 8, "f64": 8, "char": 1}
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i16": "h", "i32": "i", "i64": "q", "f64": "d"}


class PageError(Exception):
    """The page cannot be read; says at which line."""


class Structure:
    """A structure: its size in bytes, and its fields as {name: (offset, type, dimensions)}."""

    def __init__(self, page, name, size):
        self.page, self.name, self.size = page, name, size
        self.fields = {}
        self.plain = None

    def field_size(self, name):
        """Bytes of a field."""
        _, kind, dimensions = self.fields[name]
        n = self.page.structs[kind[7:]].size if kind.startswith("struct ") else SIZES[kind]
        for dimension in dimensions:
            n *= dimension
        return n

    def compile(self):
        """Fields that are one number are unpacked together."""
        layout, at, names = "<", 0, []
        for name, (offset, kind, dimensions) in self.fields.items():
            if kind in CODES and not dimensions:
                layout += f"{offset - at}x{CODES[kind]}"
                at = offset + SIZES[kind]
                names.append(name)
        self.plain = struct.Struct(f"{layout}{self.size - at}x"), names

    def read(self, data, offset=0):
        """The structure that stands there: {field: number, bytes or list}. Short data is as if
        zeros followed."""
        if self.plain is None:
            self.compile()
        if len(data) < offset + self.size:
            data, offset = bytes(data[offset:]).ljust(self.size, b"\0"), 0
        values = dict(zip(self.plain[1], self.plain[0].unpack_from(data, offset)))
        for name, (at, kind, dimensions) in self.fields.items():
            if name not in values:
                values[name] = self.element(data, offset + at, kind, dimensions)
        return values

    def element(self, data, at, kind, dimensions):
        if not dimensions:
            if kind.startswith("struct "):
                return self.page.structs[kind[7:]].read(data, at)
            return struct.unpack_from("<" + CODES[kind], data, at)[0]
        if kind in ("char", "u8") and len(dimensions) == 1:
            return bytes(data[at : at + dimensions[0]])
        size = self.page.structs[kind[7:]].size if kind.startswith("struct ") else SIZES[kind]
        for dimension in dimensions[1:]:
            size *= dimension
        return [
            self.element(data, at + i * size, kind, dimensions[1:]) for i in range(dimensions[0])
        ]

    def write(self, values):
        """The bytes of a structure; fields that values lacks are zero. Arrays and structures are
        given as bytes."""
        data = bytearray(self.size)
        for name, value in values.items():
            offset, kind, dimensions = self.fields[name]
            if isinstance(value, bytes):
                data[offset : offset + len(value)] = value
            else:
                struct.pack_into("<" + CODES[kind], data, offset, value)
        return bytes(data)


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def constant(text):
    """`61 62` are bytes, `name` is text, 12 and 0x1f are numbers."""
    if not text.startswith("`"):
        return int(text, 0)
    text = text.strip("`")
    return bytes.fromhex(text) if re.fullmatch(r"([0-9a-f]{2} ?)+", text) else text.encode()


class Page:
    """structs: {name: Structure}; enums: {name: {enumerator: value}}; constants: {name: value};
    examples: [(line number, what, [lines])]."""

    def __init__(self, path):
        self.structs, self.enums, self.constants, self.examples = {}, {}, {}, []
        self.said = ""  # text since the last table
        lines = open(path, encoding="utf-8").read().splitlines()
        i = 0
        while i < len(lines):
            if lines[i].startswith("```"):
                i = self.take_block(lines, i)
            elif lines[i].startswith("|"):
                i = self.take_table(lines, i)
            else:
                self.said += " " + lines[i]
                i += 1

    def take_block(self, lines, i):
        end = lines.index("```", i + 1)
        if lines[i].startswith("```example"):
            self.examples.append((i + 1, lines[i][10:].strip(), lines[i + 1 : end]))
        return end + 1

    def take_table(self, lines, i):
        end = i
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        head, rows = cells_of(lines[i]), [cells_of(line) for line in lines[i + 2 : end]]
        try:
            if head[:3] == ["at", "type", "field"]:
                self.take_struct(rows)
            elif head[:1] == ["value"] and head[1].startswith("name"):
                named = re.findall(r"`enum (\w+)`", head[1] if "`" in head[1] else self.said)[-1]
                self.add(self.enums, named, {row[1]: int(row[0]) for row in rows})
            elif head[:2] == ["name", "value"]:
                for row in rows:
                    self.add(self.constants, row[0], constant(row[1]))
        except (ValueError, IndexError, KeyError) as error:
            raise PageError(f"line {i + 1}: the table cannot be read: {error!r}") from error
        if "`enum" not in lines[i]:
            self.said = ""
        return end

    def take_struct(self, rows):
        name, size = re.findall(r"`struct (\w+)`, ([\d,]+) bytes", self.said)[-1]
        structure = Structure(self, name, int(size))
        self.add(self.structs, name, structure)
        for at, kind, field, *_ in rows:
            base, dimensions = re.fullmatch(r"([\w ]+?)((?:\[\d+\])*)", kind).groups()
            self.add(
                structure.fields,
                field,
                (int(at), base, [int(n) for n in re.findall(r"\d+", dimensions)]),
            )

    @staticmethod
    def add(table, name, value):
        if name in table:
            raise ValueError(f"{name} stands there twice")
        table[name] = value
