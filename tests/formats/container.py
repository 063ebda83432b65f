# SPDX-License-Identifier: Apache-2.0
"""What a recording is made of, whichever form it has (docs/format.md, sections 1 to 3, 6 and 7): the
control page, the parts of each stream, the definitions and the metrics of its processes."""

import os
import re

import compressed


class FormatError(Exception):
    """The recording is not what the page says; tells the offset."""


def crc_table(bits):
    table = []
    for crc in range(1 << bits):
        for _ in range(bits):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


CRC = crc_table(16)  # two bytes at once


def crc32c(data):
    crc = 0xFFFFFFFF
    for pair in memoryview(data)[: len(data) & ~1].cast("H"):
        crc = crc >> 16 ^ CRC[(crc ^ pair) & 0xFFFF]
    for byte in data[len(data) & ~1 :]:
        for bit in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if (crc ^ byte >> bit) & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Part:
    """header, part: the two headers; data: the records; is_whole, is_cut: what there is of it."""

    def __init__(self, page, chunk, is_whole, is_cut=False):
        self.header = page.structs["rf_chunk_header"].read(chunk)
        self.part = page.structs["rf_part_header"].read(chunk, 64)
        self.data = chunk[page.constants["RF_PART_RECORDS_OFFSET"] :]
        self.data = self.data[: len(self.data) & ~7]
        self.is_whole, self.is_cut = is_whole, is_cut
        self.moments = []  # (size, ticks): what it held when (4.1)
        self.name = tuple(self.header[key] for key in ("process", "slot", "seq"))
        self.rank = (is_whole, len(chunk))


class Container:
    """control: struct rf_control; parts: sorted by process, slot, seq; definitions: {process: bytes};
    metrics: [(slot, seq, payload)] sorted; is_packed; processes: the numbers of all."""

    def __init__(self, page, path):
        self.page, self.is_packed = page, not os.path.isdir(path)
        self.control = page.structs["rf_control"].read(b"")
        self.has_session = False
        self.found, self.pieces, self.found_metrics, self.taken, self.moments = {}, {}, {}, {}, {}
        if self.is_packed:
            with open(path, "rb") as file:
                self.read_packed(file.read())
        else:
            self.read_directory(path)
        parts = self.choose_parts()
        for part in parts:
            part.moments = sorted(self.moments.get(part.name, []))
        self.parts = self.leave_out_taken(parts)
        self.definitions = {number: self.join(pieces) for number, pieces in self.pieces.items()}
        self.metrics = [key + (value,) for key, value in sorted(self.found_metrics.items())]
        self.processes = sorted({part.name[0] for part in self.parts} | set(self.definitions))

    # ---- Files (2) ----

    def check_header(self, data):
        header = self.page.structs["rf_file_header"].read(data)
        if len(data) < 64 or header["magic"] != self.page.constants["RF_FILE_MAGIC"]:
            raise FormatError("byte 0: no file header")
        if header["version_major"] not in (1, 2, 3) or header["header_size"] != 64:
            raise FormatError("byte 8: a version that this page is not about")

    def chunk_at(self, data, at):
        if len(data) < at + 64:
            return None
        header = self.page.structs["rf_chunk_header"].read(data, at)
        is_chunk = header["magic"] == self.page.constants["RF_CHUNK_MAGIC"]
        is_chunk = is_chunk and header["header_size"] == 64 and header["type"] != 0
        return header if is_chunk and header["size"] % 8 == 0 else None

    def next_chunk(self, data, at, limit):
        """The next offset below limit where a chunk can start, or limit."""
        magic = self.page.constants["RF_CHUNK_MAGIC"].to_bytes(4, "little")
        while 0 <= (at := data.find(magic, at, limit + 3)) < limit:
            if self.chunk_at(data, at) is not None:
                return at
            at += 1
        return limit

    def walk(self, data):
        """Yields (offset, header, end, is_whole)."""
        at = 64
        while at < len(data):
            header = self.chunk_at(data, at)
            if header is None:
                at = self.next_chunk(data, at + 1, len(data))
                continue
            end = at + 64 + header["size"]
            does_fit = end <= len(data)
            limit = min(end, len(data))
            if not does_fit or (limit < len(data) and self.chunk_at(data, limit) is None):
                limit = self.next_chunk(data, at + 1, limit)
            yield at, header, limit, does_fit and limit == end
            at = limit

    def take_chunk(self, header, data, is_whole):
        types, kind = self.page.enums["rf_chunk_type"], header["type"]
        if kind == types["COMPRESSED"] and is_whole:
            kind, data = self.expand(header, data)
        if kind == types["PART"]:
            if 128 <= len(data) <= self.page.constants["RF_PART_SIZE"]:
                self.add_part(Part(self.page, data, is_whole, not is_whole))
        elif kind == types["DEFS"]:
            self.pieces.setdefault(header["process"], []).append((header["seq"], data[64:]))
        elif kind == types["SESSION"]:
            self.take_session(data[64:])
        elif kind == types["MOMENT"] and is_whole:
            size = self.page.structs["rf_moment"].read(data, 64)["size"]
            name = tuple(header[key] for key in ("process", "slot", "seq"))
            self.moments.setdefault(name, []).append((size, header["ticks"]))
        elif kind == types["METRICS"] and is_whole and len(data) >= 128:
            self.found_metrics.setdefault((header["slot"], header["seq"]), data[64:])

    def expand(self, header, data):
        try:
            return compressed.expand(self.page, header, data, crc32c)
        except compressed.Broken as error:
            raise FormatError(f"a compressed chunk: {error}") from error

    def take_session(self, data):
        control = self.page.structs["rf_control"].read(data)
        if len(data) >= 20480 and control["magic"] == self.page.constants["RF_CONTROL_MAGIC"]:
            self.control, self.has_session = control, True

    def read_packed(self, data):
        self.check_header(data)
        entry = self.page.structs["rf_index_entry"]
        last = entry.read(data, len(data) - 40)
        at = last["offset"] + last["size"]
        index = self.chunk_at(data, at) if at < len(data) else None
        is_index = index is not None and index["type"] == self.page.enums["rf_chunk_type"]["INDEX"]
        if not is_index or index["seq"] != at or at + 64 + index["size"] != len(data):
            raise FormatError(f"byte {len(data)}: no index")
        if crc32c(data[at + 64 :]) != index["slot"]:
            raise FormatError(f"byte {at}: the index is damaged")
        expected = 64
        for i in range(at + 64, len(data), 40):
            row = entry.read(data, i)
            chunk = data[row["offset"] : row["offset"] + row["size"]]
            header = self.chunk_at(data, row["offset"])
            if row["offset"] != expected or header is None or header["size"] + 64 != row["size"]:
                raise FormatError(f"byte {i}: the index does not fit")
            if any(row[key] != header[key] for key in ("type", "process", "slot", "seq")):
                raise FormatError(f"byte {i}: the index tells of another chunk")
            if crc32c(chunk) != row["crc32c"]:
                raise FormatError(f"byte {row['offset']}: the checksum is wrong")
            self.take_chunk(header, chunk, True)
            expected += row["size"]
        if expected != at or not self.has_session:
            raise FormatError(f"byte {expected}: the index does not name this chunk, or no session")

    def read_log(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return
        if data:
            self.check_header(data)
            for at, header, end, is_whole in self.walk(data):
                self.take_chunk(header, data[at:end], is_whole)

    # ---- The directory (1, 5, 6) ----

    def read_directory(self, path):
        with open(os.path.join(path, "session"), "rb") as file:
            early = self.page.structs["rf_control"].read(file.read())
        names = [re.fullmatch(r"p(\d+)\.(?:log|pool|defs)", name) for name in os.listdir(path)]
        for number in sorted({match[1] for match in names if match}):
            base = os.path.join(path, f"p{number}")
            self.read_pool(base + ".pool", early["records_all"] == 0)
            self.read_log(base + ".log")
            self.read_definitions(base + ".defs", int(number))
        self.read_log(os.path.join(path, "metrics.log"))
        if early["pieces"]["n_pieces"] > 0:
            self.read_taken(os.path.join(path, "taken-%d" % early["pieces"]["n_pieces"]))
        with open(os.path.join(path, "session"), "rb") as file:
            self.take_session(file.read())
        if not self.has_session:
            raise FormatError("byte 0: no control page")
        if early["records_all"] == 0:
            self.control["n_windows"], self.control["capture"] = early["n_windows"], early["capture"]
            for i, window in enumerate(early["window"]):
                if window["begin_ticks"] != self.control["window"][i]["begin_ticks"]:
                    self.control["window"][i] = window

    # ---- Pieces (7.4) ----

    def read_taken(self, path):
        """taken: {(process, slot): (chunk header, struct rf_taken, what is open there)}"""
        types, parts, n_left = self.page.enums["rf_chunk_type"], None, 0
        with open(path, "rb") as file:
            data = file.read()
        self.check_header(data)
        for at, header, end, _ in self.walk(data):
            if header["type"] == types["TAKEN"]:
                taken = self.page.structs["rf_taken"].read(data, at + 64)
                parts, n_left = [], taken["n_parts"]
                self.taken[header["process"], header["slot"]] = header, taken, parts
            elif header["type"] == types["PART"] and n_left > 0:
                parts.append(Part(self.page, data[at:end], True))
                n_left -= 1

    def leave_out_taken(self, parts):
        left = [part for part in parts if part.name[:2] not in self.taken]
        for name, (chunk, taken, made) in self.taken.items():
            rest = [part for part in parts if part.name[:2] == name and part.name[2] >= chunk["seq"]]
            if rest and rest[0].name[2] == chunk["seq"]:
                first = rest[0]
                first.data = first.data[taken["offset"] - 128 :]
                first.moments = [(size + 128 - taken["offset"], ticks) for size, ticks in first.moments if size >= taken["offset"]]
                first.header["ticks"] = chunk["ticks"]
                first.part.update(first_start=taken["n_starts"], tid=taken["tid"], serial=taken["serial"], lost_records=0)
                rest = rest if first.data else rest[1:]
            for part in rest:
                part.name = (*name, len(made) + part.name[2] - chunk["seq"] + 1)
            for seq, part in enumerate(made, 1):
                part.name = (*name, seq)
            if rest and not made:
                rest[0].part["is_first"] = 1
            left += made + rest
        lost = self.control["pieces"]["lost_records"] if self.taken else 0
        self.control["lost_records"] = max(self.control["lost_records"] - lost, 0)
        return sorted(left, key=lambda part: part.name)

    def read_definitions(self, path, number):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return
        header = self.page.structs["rf_defs_header"].read(data)
        if len(data) >= 64 and header["magic"] == self.page.constants["RF_DEFS_MAGIC"]:
            self.pieces.setdefault(number, []).append((0, data[64:]))

    def read_pool(self, path, is_focused):
        constants, slot_type = self.page.constants, self.page.structs["rf_pool_slot"]
        try:
            file = open(path, "rb")  # noqa: it is closed below
        except FileNotFoundError:
            return
        with file:
            header = self.page.structs["rf_pool_header"].read(file.read(4096))
            if header["magic"] != constants["RF_POOL_MAGIC"]:
                return
            for slot in range(min(header["n_slots"], constants["RF_MAX_SLOTS"])):
                before, found = None, {}
                for _ in range(16):
                    file.seek(constants["RF_POOL_HEADER_SIZE"] + 64 * slot)
                    now = slot_type.read(file.read(64))["part"]
                    if now == before:
                        break
                    before = now
                    found = self.read_slot(file, slot, now, is_focused)
                else:
                    found = dict(sorted(found.items())[:1])
                for part in found.values():
                    self.add_part(part)

    def read_slot(self, file, slot, states, is_focused):
        """{seq: Part} of a slot."""
        constants, state = self.page.constants, self.page.enums["rf_part_state"]
        found = {}
        for i, part in enumerate(states):
            if part["state"] == state["FREE"] or part["seq"] == 0:
                continue
            is_active = part["state"] == state["ACTIVE"]
            size = constants["RF_PART_SIZE"] if is_active else part["size"]
            at = constants["RF_POOL_SLOTS_END"] + slot * constants["RF_SLOT_SIZE"] + i * 65536
            readings = []
            for _ in range(2):
                file.seek(at)
                readings.append(file.read(size))
            end = self.agreed_end(*readings) if is_active else size
            if end >= 128:
                found[part["seq"]] = Part(self.page, readings[1][:end], not is_active)
        return found

    @staticmethod
    def agreed_end(first, second):
        """Where the records end that two readings agree on."""
        at = 128
        while at + 8 <= len(first):
            head = int.from_bytes(first[at : at + 8], "little")
            n_words = head >> 5 & 63 or int.from_bytes(first[at + 12 : at + 16], "little")
            end = at + 8 * n_words
            if not head or not n_words or end > len(first) or first[at:end] != second[at:end]:
                break
            at = end
        return at

    # ---- Putting in order (2.2, 2.4, 5) ----

    def add_part(self, part):
        old = self.found.get(part.name)
        if old is None or part.rank > old.rank:
            self.found[part.name] = part

    def choose_parts(self):
        chosen = []
        for name in sorted(self.found):
            part = self.found[name]
            while (part.part["lost_records"] > 0 and chosen and chosen[-1].is_cut
                   and chosen[-1].name[:2] == name[:2]):
                chosen.pop()  # its writer gave it up, and counted it
            chosen.append(part)
        return chosen

    @staticmethod
    def join(pieces):
        data, end = b"", 0
        for offset, piece in sorted(pieces, key=lambda piece: (piece[0], -len(piece[1]))):
            if offset + len(piece) > end:
                data += piece[max(end - offset, 0) :]
                end = offset + len(piece)
        return data
