# SPDX-License-Identifier: Apache-2.0
"""The records of a recording with their payloads, read as docs/format.md says (tests/formats)."""

import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "formats"))

from container import Container  # noqa: E402
from page import Page  # noqa: E402
from records import Attributes, Stream, definitions  # noqa: E402

PAGE = Page(os.path.join(HERE, "..", "..", "docs", "format.md"))
TYPES = {value: name for name, value in PAGE.enums["rf_record_type"].items()}
EXT_KINDS = {value: name for name, value in PAGE.enums["rf_ext_kind"].items()}


class Row:
    """A record: process, slot, type, message, words from word 2 on (EXT: kind before them), payloads
    [(schema, bytes)], references [(address, bytes)], arrays, addresses of the payloads."""

    def __init__(self, key, record):
        self.process, self.slot, self.ticks = *key, record.ticks
        self.type, self.message, self.words = TYPES[record.type], None, record.words[1:]
        if self.type in ("MARK", "PUSH", "START"):
            self.message = Attributes(PAGE, record).text
        if self.type == "EXT":
            self.domain = record.words[1] >> PAGE.constants["RF_EXT_DOMAIN_SHIFT"] & 0xFFFFFF
            self.words = (EXT_KINDS[record.words[1] & 0xFF], *record.words[2:])
        of = lambda kind: [data for data in record.behind if data.kind == kind]
        self.payloads = [(data.words[0], data.bytes) for data in of("PAYLOAD")]
        self.sizes = [data.size for data in of("PAYLOAD")]
        self.addresses = [data.words[2] for data in of("PAYLOAD") if len(data.words) > 2]
        self.references = [(data.words[0], data.bytes) for data in of("REFERENCE")]
        self.arrays = [data.bytes for data in of("ARRAY")]
        self.n_behind = len(record.behind)


class Rows(list):
    """The rows of all streams, one after another; definitions: [(process, kind, domain, id, text)];
    container."""

    def __init__(self, path):
        super().__init__()
        self.container = container = Container(PAGE, path)
        keys = {}
        for part in container.parts:
            keys.setdefault(part.name[:2], []).append(part)
        self.n_parts = len(container.parts)
        for key, parts in keys.items():
            items = []
            Stream(PAGE, parts, lambda who, ticks, items=items: items)
            self += [Row(key, r) for r in items if r.type is not None and r.type in TYPES]
        kinds = {value: name for name, value in PAGE.enums["rf_nvtx_def"].items()}
        self.definitions = [
            (process, kinds[row["index"]], row["domain"], row["value"], text)
            for process, data in sorted(container.definitions.items())
            for kind, row, text, _ in definitions(PAGE, data, 0)
            if TYPES.get(kind) == "NVTX_DEF"
        ]

    def of(self, *types):
        return [row for row in self if row.type in types]

    def samples(self):
        return [row.words for row in self if row.type == "EXT"]


def text_at(text, offset):
    """A name in a definition; None: there is none."""
    return text[offset:].split(b"\0", 1)[0] if offset else None


def read_structs(text, name, at, n=1):
    layout = PAGE.structs[name]
    return [layout.read(text, at + i * layout.size) for i in range(n)]


def signed(value):
    return struct.unpack("<q", struct.pack("<Q", value))[0]
