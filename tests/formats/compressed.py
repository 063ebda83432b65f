# SPDX-License-Identifier: Apache-2.0
"""Compressed chunks (docs/format.md, section 2.6), with the libzstd of the system."""

import ctypes
import struct

from records import MASK, range_id


class Broken(Exception):
    """It is not what the page says."""


def library():
    """libzstd; OSError where it is not installed."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * 2
    return zstd


def frame(data, size):
    """What a frame holds: size bytes."""
    out = ctypes.create_string_buffer(size or 1)
    if library().ZSTD_decompress(out, size, bytes(data), len(data)) != size:
        raise Broken("a frame does not hold what it should")
    return out.raw[:size]


class Columns:
    """The columns of a part, each read from its begin on."""

    def __init__(self, page, data):
        n, layout = page.constants["RF_N_SPLITS"], page.structs["rf_split_size"]
        at, self.column, self.at = n * layout.size, [], [0] * n
        for i in range(n):
            row = layout.read(data, i * layout.size)
            stored = data[at : at + row["stored"]]
            at += row["stored"]
            if row["stored"] == 0:
                stored = bytes(row["size"])
            elif row["stored"] != row["size"]:
                stored = frame(stored, row["size"])
            self.column.append(stored)
        if at != len(data):
            raise Broken("the columns do not end where the bytes do")

    def take(self, i, size):
        data = self.column[i][self.at[i] : self.at[i] + size]
        if len(data) < size:
            raise Broken(f"column {i} ends")
        self.at[i] += size
        return data

    def rest(self):
        return sum(len(column) - at for column, at in zip(self.column, self.at))


class Joiner:
    """The records of a part from its columns."""

    def __init__(self, page, header, part, data, has_steps):
        self.page, self.header, self.part = page, header, part
        self.step, self.phase = page.constants["RF_STEP_ONE"], 0
        if has_steps:
            layout = page.structs["rf_split_step"]
            fields, data = layout.read(data), data[layout.size :]
            self.step, self.phase = fields["step"], fields["phase"]
            if self.step > page.constants["RF_STEP_MOST"]:
                raise Broken("steps are too long")
        self.names, self.columns = page.enums["rf_split_column"], Columns(page, data)
        self.kept, self.next, self.n_kept = {}, {}, 0

    def new_form(self):
        """(number or None, bits of word 0, words behind it)"""
        (head,) = struct.unpack("<H", self.columns.take(self.names["HEAD"], 2))
        n = head >> 5 & 63
        body = self.columns.take(self.names["BODY"], 8) if n != 1 else b""
        is_long, n = n == 0, n or struct.unpack_from("<I", body, 4)[0]
        body += self.columns.take(self.names["BODY"], 8 * (n - 1) - len(body))
        if is_long or n > self.page.constants["RF_FORM_MOST"]:
            return None, head, body
        number = self.n_kept % self.page.constants["RF_N_FORMS"]
        self.n_kept += 1
        self.kept[number] = head, body
        return number, head, body

    def forms(self, n):
        """Yields the forms of n records."""
        last, done = None, 0
        while done < n:
            (run,) = self.columns.take(self.names["RUN"], 1)
            for _ in range(run):
                if last is None:
                    raise Broken("nothing is expected")
                last = self.next.get(last, 0)
                yield self.kept[last]
            done += run
            if run == self.page.constants["RF_RUN_MOST"] or done == n:
                continue
            (number,) = self.columns.take(self.names["FORM"], 1)
            head, body = self.kept.get(number, (0, b""))
            if number == self.page.constants["RF_FORM_NEW"]:
                number, head, body = self.new_form()
            if number is not None and last is not None:
                self.next[last] = number
            last, done = number, done + 1
            yield head, body

    def records(self):
        times, types = self.columns.column[:4], self.page.enums["rf_record_type"]
        low, fraction, out, n_starts = self.header["ticks"] & MASK, self.phase, [], 0
        for i, (head, body) in enumerate(self.forms(len(times[0]))):
            (since,) = struct.unpack("<i", bytes(time[i] for time in times))
            way = fraction + since * self.step
            low, fraction = low + (way >> 16) & MASK, way & 0xFFFF
            if since & 0xFFFFFFFF == self.page.constants["RF_TIME_WHOLE"]:
                (low,) = struct.unpack("<Q", self.columns.take(self.names["WHOLE_TIME"], 8))
                low, fraction = low & MASK, low >> 53 << 5
            if head == types["END"] | 2 << 5:
                number = self.part["first_start"] + n_starts + 1
                next_id = range_id(self.header["process"], self.header["slot"], number)
                body = struct.pack("<Q", struct.unpack("<Q", body)[0] + next_id & (1 << 64) - 1)
            n_starts += head & 31 == types["START"]
            out.append(struct.pack("<Q", low << 11 | head) + body)
        if self.columns.rest() != 4 * len(times[0]):
            raise Broken("something of the columns is left")
        return b"".join(out)


def expand(page, header, chunk, crc32c):
    """(type, bytes of the chunk that a COMPRESSED one stands for)"""
    layout, types = page.structs["rf_compressed"], page.enums["rf_chunk_type"]
    info, at = layout.read(chunk, 64), 64 + layout.size
    without = chunk[: at - 4] + bytes(4) + chunk[at:]
    if info["crc32c"] != crc32c(without):
        raise Broken("the checksum is wrong")
    part = b""
    if info["type"] == types["PART"]:
        part, at = chunk[at : at + 64], at + 64
    data = chunk[at : at + info["size"]]
    if info["compression"] == page.enums["rf_compression"]["PLAIN"]:
        payload = frame(data, info["raw_size"] - len(part))
    else:
        fields = page.structs["rf_part_header"].read(part)
        has_steps = info["compression"] == page.enums["rf_compression"]["STEPS"]
        payload = Joiner(page, header, fields, data, has_steps).records()
    if part and info["first"] != (payload[0] & 31 if payload else 0):
        raise Broken("the first record is another one")
    raw = dict(header, type=info["type"], size=info["raw_size"])
    raw = {key: value for key, value in raw.items() if key != "reserved"}
    if len(part + payload) != info["raw_size"]:
        raise Broken("the size is wrong")
    return info["type"], page.structs["rf_chunk_header"].write(raw) + part + payload
