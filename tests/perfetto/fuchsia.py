# SPDX-License-Identifier: Apache-2.0
"""fuchsia.py PROGRAM BUILD: reads the .fxt files that perfetto_traces (PROGRAM) and the build's
command line write, with a reader made from fuchsia.dev's page "Trace format" alone, and compares them
with the same recordings as JSON lines."""

import collections
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "import")]
import roundtrip  # noqa: E402
import run  # noqa: E402

MAGIC = 0x0016547846040010
INSTANT, COUNTER, COMPLETE, ASYNC_BEGIN, ASYNC_END, FLOW_BEGIN, FLOW_END = 0, 1, 4, 5, 7, 8, 10
MAX_TEXT = 32000

Event = collections.namedtuple("Event", "type thread category name at last args")


class Reader:
    """All records, checked: each ends where it says, and names what was there before it."""

    def __init__(self, data):
        assert len(data) % 8 == 0, len(data)
        self.words = struct.unpack(f"<{len(data) // 8}Q", data)
        self.data = data
        self.strings = {0: ""}
        self.names, self.events = {}, []
        self.n_redefined = 0
        assert self.words[0] == MAGIC
        at = 1
        while at < len(self.words):
            size = self.words[at] >> 4 & 0xfff
            assert size > 0 and at + size <= len(self.words), (at, size)
            {1: self.start, 2: self.string, 4: self.event, 7: self.object}[self.words[at] & 15](at, size)
            at += size

    def start(self, at, size):
        assert (at, size, self.words[at + 1]) == (1, 2, 10**9)

    def string(self, at, size):
        index, length = self.words[at] >> 16 & 0x7fff, self.words[at] >> 32 & 0x7fff
        assert index > 0 and 0 < length <= MAX_TEXT and size == 1 + (length + 7) // 8
        begin = 8 * (at + 1)
        assert not any(self.data[begin + length:8 * (at + size)])
        self.n_redefined += index in self.strings
        self.strings[index] = self.data[begin:begin + length].decode()

    def object(self, at, size):
        kind, name = self.words[at] >> 16 & 0xff, self.strings[self.words[at] >> 24 & 0xffff]
        n_args, koid = self.words[at] >> 40 & 15, self.words[at + 1]
        if kind == 1:
            assert size == 2 and n_args == 0
            self.names[koid, None] = name
            return
        (key, pid), = self.args(at + 2, n_args, at + size).items()
        assert kind == 2 and key == "process"
        self.names[pid, koid] = name

    def args(self, at, n, end):
        found = {}
        for _ in range(n):
            head = self.words[at]
            kind, size, key = head & 15, head >> 4 & 0xfff, self.strings[head >> 16 & 0xffff]
            assert key not in found and size == (1 if kind in (1, 2, 6, 9) else 2), (key, kind)
            high = head >> 32
            found[key] = {1: lambda: high - (high >> 31 << 32), 2: lambda: high,
                          6: lambda: self.strings[high & 0xffff], 9: lambda: bool(high),
                          3: lambda: struct.unpack("<q", self.data[8 * at + 8:8 * at + 16])[0],
                          5: lambda: struct.unpack("<d", self.data[8 * at + 8:8 * at + 16])[0]}.get(
                              kind, lambda: self.words[at + 1])()
            at += size
        assert at == end, (at, end)
        return found

    def event(self, at, size):
        head = self.words[at]
        kind, n_args = head >> 16 & 15, head >> 20 & 15
        has_last = kind != INSTANT
        assert head >> 24 & 0xff == 0  # the thread stands in the event
        args = self.args(at + 4, n_args, at + size - has_last)
        self.events.append(Event(kind, tuple(self.words[at + 2:at + 4]),
                                 self.strings[head >> 32 & 0xffff], self.strings[head >> 48],
                                 self.words[at + 1], self.words[at + size - 1] if has_last else None,
                                 args))


def annotations(reader, base):
    """(start, end, name) of each, and those that cross too many others come in halves."""
    found, halves = collections.Counter(), {}
    for event in reader.events:
        if event.category != "nvtx":
            continue
        if event.type == ASYNC_BEGIN:
            halves[event.last] = event.at, event.name
            assert {"pid", "tid"} <= set(event.args)
        elif event.type == ASYNC_END:
            start, name = halves.pop(event.last)
            assert name == event.name
            found[start - base, event.at - base, name] += 1
        else:
            end = event.last if event.type == COMPLETE else event.at
            found[event.at - base, end - base, event.name] += 1
    assert not halves
    return found


def cut(text):
    if text is None:
        return "(null)"
    data = text.encode("utf-8", "surrogatepass")
    return data.decode("utf-8", "replace") if len(data) <= MAX_TEXT else \
        data[:MAX_TEXT].decode("utf-8", "ignore")


def check_nesting(reader, name):
    """Viewers need the ranges of a thread to nest."""
    on = collections.defaultdict(list)
    for event in reader.events:
        if event.type == COMPLETE:
            on[event.thread].append((event.at, -event.last))
    for thread, ranges in on.items():
        assert thread in reader.names, (name, thread)
        ends = []
        for start, end in sorted(ranges):
            while ends and ends[-1] <= start:
                ends.pop()
            assert not ends or -end <= ends[-1], (name, thread, start)
            ends.append(-end)


def check_flows(reader, name):
    begun = collections.Counter(e.last for e in reader.events if e.type == FLOW_BEGIN)
    ended = collections.Counter(e.last for e in reader.events if e.type == FLOW_END)
    run.equal(ended, begun, f"{name}: flows")
    assert set(begun.values()) <= {1}


def check(path):
    reader = Reader(path.read_bytes())
    rows = run.rows_of(path.with_suffix(".jsonl"))
    about, = [e for e in reader.events if e.category == "recording" and e.name == "recording"]
    base = about.at - about.args["recording_time_ns"]
    expected = collections.Counter()
    for row in rows:
        if row.get("type") in ("push_pop", "start_end", "mark"):
            expected[row["start_ns"], row.get("end_ns", row["start_ns"]), cut(row["name"])] += 1
    run.equal(annotations(reader, base), expected, f"{path.stem}: annotations")
    check_nesting(reader, path.stem)
    check_flows(reader, path.stem)
    assert min((e.at for e in reader.events), default=0) >= 0 and \
        all(e.at < 1 << 63 for e in reader.events)
    return reader


def kernels(path, program):
    """Every field of each kind of work, also of those that have more than an event may have."""
    for ending in ("fxt", "jsonl"):
        subprocess.run([program, "export", "-q", "-o", path.with_suffix(f".{ending}"), path],
                       check=True)
    reader = check(path.with_suffix(".fxt"))
    work = [e for e in reader.events if e.category == "gpu_kernel"]
    assert work and max(len(e.args) for e in work) == 15, [len(e.args) for e in work]
    more = [e.args["more"] for e in work if "more" in e.args]
    assert more and all("=" in part for text in more for part in text.split(", ")), more


def main():
    program, build = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([program, folder], check=True)
        readers = {name: check(folder / f"{name}.fxt") for name in run.NAMES}
        assert readers["many"].n_redefined > 0  # more texts than the table holds
        roundtrip.make_places(folder / "every-kind.db")
        kernels(folder / "every-kind.db", build / "bin" / "rangefinder")
        n = sum(len(reader.events) for reader in readers.values())
        print(f"{n} events of {len(readers)} recordings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
