# SPDX-License-Identifier: Apache-2.0
"""Event records and definitions (docs/format.md, sections 3 to 5): the records of each thread in
order, and what the definitions of each process say."""

import heapq
import struct

MASK, ALL = (1 << 53) - 1, (1 << 64) - 1
NO_TEXT = 0xFFFFFFFF


def complete(before, low):
    """A record's whole time from its low bits and the time before it."""
    forward = (low - before) & MASK
    return before + forward - (0 if forward <= MASK - (1 << 51) else MASK + 1) & ALL


def nearest(near, low):
    forward = (low - near) & MASK
    return near + forward - (0 if forward <= MASK // 2 else MASK + 1) & ALL


def range_id(process, slot, number):
    return (process & 1023) << 54 | slot + 1 << 40 | number & (1 << 40) - 1


class Record:
    """type, ticks; words: all of them; is_long; counter: START records of the stream so far;
    has_gap: events were lost before it; behind: its Data (section 11.2)."""

    __slots__ = ("type", "ticks", "words", "is_long", "counter", "has_gap", "data", "slot", "texts",
                 "behind")

    def bytes_from(self, word):
        return self.data[8 * word :]


class Data:
    """A DATA record and the MORE that follow it: kind, flags, words (without word 0 and 1), bytes as
    far as there are any, size."""

    HEADERS = {"PAYLOAD": 2, "REFERENCE": 2, "ARRAY": 2}

    def __init__(self, page, record):
        word, kinds = record.words[1], {v: k for k, v in page.enums["rf_data_kind"].items()}
        self.kind, self.flags = kinds.get(word & 0xFF), word & 0xFFFFFF00
        has_address = self.kind == "PAYLOAD" and self.flags & page.constants["RF_DATA_ADDRESS"]
        n_words = self.HEADERS.get(self.kind, 0) + bool(has_address)
        self.words = record.words[2 : 2 + n_words]
        self.size = self.words[1] if len(self.words) > 1 else 0
        self.raw = record.bytes_from(2 + n_words)

    @property
    def bytes(self):
        return self.raw[: self.size]


class Switch:
    """The slot goes on with another thread, or ends (ticks None)."""

    __slots__ = ("ticks", "has_gap")
    type = None

    def __init__(self, ticks, has_gap):
        self.ticks, self.has_gap = ticks, has_gap


class Stream:
    """Reads the parts of a stream. visit(who, ticks) is told of each thread that begins, and gives
    the list that its records go to. lost: its lost_records; losses: ticks behind each loss;
    last_ticks: the latest time in it."""

    def __init__(self, page, parts, visit):
        self.types, self.lost_layout = page.enums["rf_record_type"], page.structs["rf_lost"]
        self.page, self.owner = page, None  # whose DATA may follow
        self.visit, self.who, self.items = visit, None, []
        self.lost, self.losses, self.last_ticks, self.cuda = 0, [], 0, []
        self.has_gap, self.text = False, None
        self.wrote_cuda = set()
        seq, is_broken = 0, False
        for part in parts:
            header = part.part
            missing = part.name[2] > seq + 1 or is_broken
            is_gap = header["lost_records"] > 0 or (missing and not header["is_first"])
            self.lost += header["lost_records"]
            if is_gap:
                self.has_gap, self.text, self.owner = True, None, None
                self.losses.append(part.header["ticks"])
            self.last_ticks = max(self.last_ticks, part.header["ticks"])
            self.enter((header["tid"], header["serial"]), part.header["ticks"])
            is_broken = not self.read(part) or not part.is_whole
            if part.is_cut:
                self.has_gap, self.text, self.owner = True, None, None
                self.losses.append(self.ticks)
            seq = part.name[2]
        self.items.append(Switch(None, self.has_gap))

    def enter(self, who, ticks):
        if who == self.who:
            return
        if self.who is not None:
            self.items.append(Switch(ticks, self.has_gap))
        self.has_gap = False  # what was lost was the thread's before
        self.who, self.items = who, self.visit(who, ticks)

    def read(self, part):
        """Returns whether the records are sound to their end."""
        data, at, ticks, counter = part.data, 0, part.header["ticks"], part.part["first_start"]
        self.slot = part.name[1]
        self.ticks = ticks
        moments = dict(part.moments)  # of one offset the latest
        while at + 8 <= len(data):
            (head,) = struct.unpack_from("<Q", data, at)
            ticks = max(ticks, moments.get(at + 128, 0))
            if head == 0:
                return True
            n_words, is_long = head >> 5 & 63, False
            if n_words == 0 and at + 16 <= len(data):
                n_words, is_long = struct.unpack_from("<I", data, at + 12)[0], True
            if n_words < 1 + is_long or at + 8 * n_words > len(data):
                return False
            record = Record()
            record.data = data[at : at + 8 * n_words]
            record.words = struct.unpack(f"<{n_words}Q", record.data)
            record.type, record.is_long = head & 31, is_long
            record.ticks = ticks = self.ticks = complete(ticks, head >> 11)
            self.last_ticks = max(self.last_ticks, ticks)
            counter += record.type == self.types["START"]
            if record.type == self.types["COUNTER"] and n_words > 1:
                counter = record.words[1]
            if record.type == self.types["LOST"] and n_words > 4:
                counter = self.take_lost(record)
            record.counter, record.texts, record.behind = counter, [], []
            self.take(record)
            at += 8 * n_words
        return True

    def take_lost(self, record):
        """As the header of a part in the middle of one; returns the number of START records."""
        lost = self.lost_layout.read(record.data)
        self.lost += lost["n_records"]
        self.has_gap, self.text, self.owner = True, None, None
        self.losses.append(record.ticks)
        self.enter((lost["tid"], lost["serial"]), record.ticks)
        return lost["n_starts"]

    def take_data(self, record):
        if self.owner is None or len(record.words) < 2:
            return
        is_more = record.words[1] & 0xFF == self.page.enums["rf_data_kind"]["MORE"]
        if not is_more:
            self.owner.behind.append(Data(self.page, record))
        elif self.owner.behind:
            self.owner.behind[-1].raw += record.bytes_from(2)

    def take(self, record):
        if record.type == self.types["DATA"]:
            self.take_data(record)
            return
        if record.type != self.types["TEXT"]:
            self.owner = record if record.type != self.types["LOST"] else None
        if record.type == self.types["TEXT"] and self.text is not None and len(record.words) > 1:
            self.text.texts.append(record.bytes_from(2))
            self.text = self.text if record.words[1] & 1 else None
            return
        self.text = None
        if record.type == self.types["LOST"]:
            return
        if record.type == self.types["CUDA"]:
            self.cuda.append(record)
            self.wrote_cuda.add(self.who)
            return
        if record.type == self.types["THREAD"] and len(record.words) > 1:
            self.enter((record.words[1] & 0xFFFFFFFF, record.words[1] >> 32), record.ticks)
        record.slot, record.has_gap, self.has_gap = self.slot, self.has_gap, False
        if record.type in (self.types["MARK"], self.types["PUSH"], self.types["START"]):
            if len(record.words) > 1 and record.words[1] >> 31 & 1:
                self.text = record
        self.items.append(record)


class Attributes:
    """What word 1 and the words behind it say: domain (handle), message kind, string (handle), text,
    color, category (None: absent), payload_kind, payload."""

    def __init__(self, page, record):
        words, kinds = record.words, page.enums["rf_message_kind"]
        word = words[1] if len(words) > 1 else 0
        rest, extensions = 2, iter(words[2:])
        self.domain, self.message = word & 0xFFFFFF, word >> 24 & 3
        self.color = self.category = self.text = self.string = None
        self.payload_kind, self.payload = word >> 28 & 7, 0
        if self.domain == 0xFFFFFF:
            self.domain = next(extensions, 0)
            rest += 1
        if self.message == kinds["REGISTERED"]:
            self.string = word >> 32
            if self.string == 0xFFFFFFFF or record.is_long:
                self.string = next(extensions, 0)
                rest += 1
        if word & 3 << 26:
            both = next(extensions, 0)
            rest += 1
            self.color = both & 0xFFFFFFFF if word & 1 << 26 else None
            self.category = both >> 32 if word & 1 << 27 else None
        if self.payload_kind:
            self.payload = next(extensions, 0)
            rest += 1
        if self.message == kinds["TEXT"]:
            pieces = [record.bytes_from(rest)] + (record.texts if word >> 31 & 1 else [])
            self.text = b"".join(piece.split(b"\0", 1)[0] for piece in pieces)


def merged(streams):
    """The records of a thread from several streams, [[Record or Switch]] by slot, by time; when its
    last slot went to another thread, or None; whether events were lost before one did."""
    switches = [item for items in streams for item in items if item.type is None]
    records = [[item for item in items if item.type is not None] for items in streams]
    last = max((s.ticks for s in switches if s.ticks is not None), default=None)
    items = list(heapq.merge(*records, key=lambda record: record.ticks))
    return items, last, any(switch.has_gap for switch in switches)


def definitions(page, data, near):
    """Yields (type, struct rf_def, text, ticks) of a stream whose first time is near `near`."""
    layout = page.structs["rf_def"]
    at, ticks = 0, near
    while len(data) - at >= layout.size:
        row = layout.read(data, at)
        if row["n_words"] < 5 or 8 * row["n_words"] > len(data) - at:
            return
        text = data[at + layout.size : at + 8 * row["n_words"]]
        at += 8 * row["n_words"]
        if row["head"] == 0:
            continue
        is_time = row["head"] & 31 == page.enums["rf_record_type"]["PROCESS"]
        is_time = is_time and row["index"] == page.enums["rf_proc_key"]["TIME"]
        ticks = row["value"] if is_time else nearest(ticks, row["head"] >> 11)
        has_text = row["text_size"] != NO_TEXT
        yield row["head"] & 31, row, text[: row["text_size"]] if has_text else None, ticks
