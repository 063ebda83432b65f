#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every example of docs/format.md, with the reader of this folder and, where it is a
recording, with `rangefinder export`. usage: examples.py BUILD FORMAT.md"""

import json
import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True

import compare  # noqa: E402
import lines  # noqa: E402
from container import crc32c  # noqa: E402
from page import Page  # noqa: E402

EPOCH = 1_700_000_000_000_000_000


class Recording:
    """A packed file, as an example describes it."""

    def __init__(self, page):
        self.page, self.chunks, self.process = page, [], 0
        self.definitions, self.metrics, self.parts = {}, [], []
        self.clock = [(0, 0), (10**9, 10**9)]
        self.windows = []
        self.control = {
            "magic": page.constants["RF_CONTROL_MAGIC"],
            "version": 1,
            "size": 20480,
            "clock_kind": 3,
            "records_all": 1,
            "is_finished": 1,
        }

    def set(self, words):
        """control NAME=VALUE..."""
        for word in words:
            name, value = word.split("=")
            self.control[name] = int(value, 0)

    def part(self, words):
        """part NAME=VALUE...: of the chunk's or the part's header."""
        values = {"process": self.process, "seq": 1, "ticks": 1000, "tid": 100, "serial": 1}
        values.update((word.split("=")[0], int(word.split("=")[1], 0)) for word in words)
        self.parts.append([values, b""])

    def add(self, section, data):
        if section == "records":
            if not self.parts or self.parts[-1][0]["process"] != self.process:
                self.part([])
            self.parts[-1][1] += data
        elif section == "definitions":
            self.definitions[self.process] = self.definitions.get(self.process, b"") + data
        elif section == "metrics":
            self.metrics[-1] += data
        else:
            raise ValueError(f"bytes in a section '{section}'")

    def chunk(self, kind, payload, **header):
        layout = self.page.structs["rf_chunk_header"]
        header.update(magic=self.page.constants["RF_CHUNK_MAGIC"], header_size=64)
        header.update(type=self.page.enums["rf_chunk_type"][kind], size=len(payload))
        self.chunks.append((header, layout.write(header) + payload))

    def control_page(self):
        nested = {k: v for k, v in self.control.items() if "." in k}
        page = dict((k, v) for k, v in self.control.items() if "." not in k)
        pair, window = (self.page.structs[f"rf_{k}"] for k in ("clock_pair", "capture_window"))
        page["clock"] = b"".join(
            pair.write({"ticks": t, "mono_ns": ns, "real_ns": EPOCH + ns}) for t, ns in self.clock
        )
        page["window"] = b"".join(
            window.write({"begin_ticks": begin, "end_ticks": end}) for begin, end in self.windows
        )
        capture = {name.split(".")[1]: value for name, value in nested.items()}
        page["capture"] = self.page.structs["rf_capture"].write(capture)
        return self.page.structs["rf_control"].write(page)

    def save(self, path):
        for values, records in self.parts:
            of_chunk = ("process", "seq", "ticks", "slot", "mono_ns")
            head = {k: values[k] for k in values if k in of_chunk}
            rest = {k: values[k] for k in values if k not in head}
            self.chunk("PART", self.page.structs["rf_part_header"].write(rest) + records, **head)
        for process, definitions in self.definitions.items():
            self.chunk("DEFS", definitions, process=process)
        for i, payload in enumerate(self.metrics):
            self.chunk("METRICS", payload, seq=i + 1)
        self.chunk("SESSION", self.control_page())
        header = {"magic": self.page.constants["RF_FILE_MAGIC"], "version_major": 1}
        header.update(version_minor=2, header_size=64)
        data, entries = self.page.structs["rf_file_header"].write(header), b""
        for header, chunk in self.chunks:
            row = {key: header.get(key, 0) for key in ("type", "process", "slot", "seq")}
            row.update(offset=len(data), size=len(chunk), crc32c=crc32c(chunk))
            entries += self.page.structs["rf_index_entry"].write(row)
            data += chunk
        self.chunks = []
        self.chunk("INDEX", entries, seq=len(data), slot=crc32c(entries))
        with open(path, "wb") as file:
            file.write(data + self.chunks[0][1])


def parse(page, text):
    """(the recording, [expected lines]) of an example."""
    recording, section, expected = Recording(page), None, []
    for line in text:
        line = line.split("  #")[0] if not line.startswith("=") else line
        words = line.split()
        if line.startswith("="):
            expected.append(json.loads(line[1:]))
        elif not words or line.startswith("#"):
            continue
        elif words[0] == "control":
            recording.set(words[1:])
        elif words[0] == "clock":
            recording.clock = [tuple(map(int, word.split(":"))) for word in words[1:]]
        elif words[0] == "window":
            recording.windows += [tuple(map(int, word.split("-"))) for word in words[1:]]
        elif words[0] == "part":
            recording.part(words[1:])
        elif words[0] == "process":
            recording.process = int(words[1])
        elif words[0] in ("definitions", "records", "metrics"):
            section = words[0]
            recording.metrics += [b""] if section == "metrics" else []
        else:
            recording.add(section, bytes.fromhex(line))
    return recording, expected


def is_event(line):
    return line["type"] not in compare.EVENTS_ONLY


def expect_lines(expected, got, who):
    """Every expected line is part of one that there is, in order; there is no other event."""
    rest = sorted(got, key=lambda line: line.get("start_ns", 0) if is_event(line) else -EPOCH)
    for wanted in expected:
        found = [line for line in rest if wanted.items() <= freeze(line).items()]
        if not found:
            shown = "\n".join(json.dumps(line) for line in got)
            raise compare.Difference(f"{who} does not say {json.dumps(wanted)}, but\n{shown}")
        rest = rest[rest.index(found[0]) + 1 :]
    n = sum(is_event(line) for line in got)
    expected_events = [line for line in expected if is_event({"type": "?", **line})]
    if len(expected_events) != n:
        raise compare.Difference(f"{who} has {n} events, not {len(expected_events)}")


def freeze(line):
    return {k: v for k, v in line.items()}


def check_structure(page, name, text):
    hex_lines = [line.split("#")[0] for line in text if not line.startswith("=")]
    expected = [json.loads(line[1:]) for line in text if line.startswith("=")][0]
    got = page.structs[name].read(bytes.fromhex("".join(hex_lines)))
    wrong = {key: got[key] for key in expected if got[key] != expected[key]}
    if wrong:
        raise compare.Difference(f"the bytes say {wrong}")


def check(page, page_path, rangefinder, what, text, folder):
    if what.startswith("struct "):
        check_structure(page, what.split()[1], text)
    elif what == "crc32c":
        if crc32c(bytes.fromhex(text[0])) != int(text[1][1:]):
            raise compare.Difference(f"the CRC is {crc32c(bytes.fromhex(text[0]))}")
    elif what == "":
        recording, expected = parse(page, text)
        path = os.path.join(folder, "example.rf")
        recording.save(path)
        expect_lines(expected, lines.read(page_path, path), "the reader")
        theirs = compare.exported(rangefinder, path, os.path.join(folder, "example.jsonl"))
        expect_lines(expected, theirs, "rangefinder export")
        compare.check(page_path, rangefinder, path, folder)
    else:
        raise compare.Difference(f"nobody knows what an example of '{what}' is")


def main():
    build, page_path = sys.argv[1:3]
    page, n_wrong = Page(page_path), 0
    rangefinder = os.path.join(build, "bin", "rangefinder")
    with tempfile.TemporaryDirectory(prefix="rf-formats-") as folder:
        for line, what, text in page.examples:
            try:
                check(page, page_path, rangefinder, what, text, folder)
            except (compare.Difference, ValueError, KeyError, struct.error) as error:
                print(f"docs/format.md:{line}: {type(error).__name__}: {error}")
                n_wrong += 1
    print(f"{len(page.examples)} examples, {n_wrong} wrong")
    return 1 if n_wrong or len(page.examples) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
