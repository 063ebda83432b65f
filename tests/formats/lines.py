# SPDX-License-Identifier: Apache-2.0
"""A recording as the objects of `rangefinder export -t jsonl` (docs/exports.md), read from its bytes
by docs/format.md alone."""

import struct

from container import Container
from gpu import Cuda, counters
from meaning import Recording, Thread
from nvtx_counters import Reader
from nvtx_memory import Memory
from nvtx_payloads import values_of
from page import Page
from records import ALL

CLOCKS = {1: "tsc", 2: "cntvct"}
PAYLOADS = (None, "uint64", "int64", "double", "uint32", "int32", "float", "unknown")


def text(value):
    return None if value is None else value.decode("utf-8", "replace")


def control_text(value):
    return value.split(b"\0", 1)[0].decode("utf-8", "replace")


class Lister:
    """The threads of a recording as exports number them, and what the definitions name."""

    def __init__(self, recording, cuda):
        self.recording, self.cuda = recording, cuda
        self.by_tid, self.first = {}, {}
        for thread in recording.threads:
            self.by_tid.setdefault((thread.process.index, thread.tid), []).append(thread)
        for thread in sorted(recording.threads, key=self.order):
            self.first.setdefault(thread.process, thread)
        for process in recording.processes:
            for domain in process.inherited:
                self.add_inherited(process, domain)
        for process, tid in cuda.callers():
            self.thread_at(process, tid, 0)
        for process, tid, event in recording.namings:
            self.thread_at(process, tid, event["start"]).events.append(event)
        for process, tid, ns, name in recording.thread_names:
            thread = self.thread_at(process, tid, ns)
            thread.is_needed = True
            if name is not None:
                thread.given_name, thread.is_named = name, True
        cuda.place(self.thread_at)
        self.threads = sorted(filter(self.is_listed, recording.threads), key=self.order)
        for i, thread in enumerate(self.threads):
            thread.index = i
        for process in recording.processes:
            for i, domain in enumerate(sorted(process.domains, key=lambda domain: domain.ticks)):
                domain.id = i

    def add_inherited(self, process, domain):
        events = [e for thread in self.recording.threads for e in thread.events]
        events += [event for _, _, event in self.recording.namings]
        if self.recording.is_focused and all(event["domain"] is not domain for event in events):
            return
        event = {"kind": "domain_create", "start": process.first_ns, "name": domain.name}
        event["domain"] = domain
        self.recording.namings.append((process, self.first[process].tid, event))

    def thread_at(self, process, tid, ns):
        """The thread that had a tid at a time."""
        found = self.by_tid.setdefault((process.index, tid), [])
        if not found:
            found.append(Thread(process, tid, 0))
            self.recording.threads.append(found[0])
        found.sort(key=self.age)
        for thread in found:
            end = thread.end_ns if thread.end_ns is not None else thread.last_ns
            if end >= ns:
                return thread
        return found[-1]

    def is_listed(self, thread):
        if thread.events or thread.calls or thread.is_needed:
            return True
        if self.recording.is_focused or not (thread.ends or not thread.wrote_cuda):
            return False
        return bool(thread.ends) or not self.is_listed_already(thread)

    def is_listed_already(self, thread):
        twins = self.by_tid[thread.process.index, thread.tid]
        has_content = any(t.events or t.calls or t.is_needed for t in twins)
        return has_content or min(twins, key=self.age) is not thread

    @staticmethod
    def age(thread):
        return thread.first_ns, thread.serial

    @staticmethod
    def order(thread):
        return thread.process.index, (thread.serial - 1) % (1 << 32), thread.tid


class Writer:
    def __init__(self, page, container, now_ns):
        self.page = page
        self.recording = Recording(page, container, now_ns)
        self.cuda = Cuda(page, self.recording)
        self.nvtx = Reader(page, self.recording)
        self.memory = Memory(page, self.recording)
        self.lister = Lister(self.recording, self.cuda)
        self.objects = {value: name.lower() for name, value in page.enums["rf_object"].items()}
        self.operations = {v: name.lower() for name, v in page.enums["rf_sync_op"].items()}

    def lines(self):
        recording, threads = self.recording, self.lister.threads
        events = [self.event(t, e) for t in threads for e in t.events]
        yield self.head(events)
        for begin, end, number in recording.windows:
            is_open = end >= 1 << 62
            end = max(recording.end_ns if is_open else end, begin)
            line = {"type": "capture", "number": number, "start_ns": begin, "end_ns": end}
            yield dict(line, is_open=is_open)
        yield from map(self.process, recording.processes)
        yield from map(self.thread, threads)
        rows = list(counters(self.page, recording, self.cuda.gpus))
        rows += self.nvtx.lines(sum(row["type"] == "counter" for row in rows))
        rows = [*self.memory.lines(), *rows]
        rows += self.memory.counter_lines(sum(row["type"] == "counter" for row in rows))
        yield from self.cuda.gpu_lines()
        yield from events
        yield from self.cuda.lines(self.caller)
        yield from rows

    def head(self, events):
        recording, control = self.recording, self.recording.control
        pair = recording.clock.first[2] or {"real_ns": 0}
        line = {
            "type": "recording",
            "recorded_by": control_text(control["product"]),
            "host": control_text(control["host"]),
            "epoch_utc_ns": pair["real_ns"],
            "epoch_monotonic_ns": recording.clock.first[1],
            "utc_offset_s": control["utc_offset_s"],
            "clock": CLOCKS.get(control["clock_kind"], "monotonic"),
            "end_ns": recording.end_ns,
            "events": len(events),
            "cut_ranges": sum("cut" in event for event in events),
            "lost_events": recording.lost_events,
            "unmatched_ends": recording.unmatched_ends,
            "foreign_ends": recording.foreign_ends,
        }
        if control["n_lost_about"]:
            line["lost_events_about"] = control["n_lost_about"]
        if control["salvaged"] & 2:
            line["is_end_missing"] = True
        if recording.is_focused:
            line["is_focused"] = True
            cut = sum("cut_at_start" in event.get("flags", "") for event in events)
            line["ranges_cut_at_start"] = cut
        return line

    @staticmethod
    def process(process):
        facts = process.facts
        line = {"type": "process", "process": process.index}
        line.update({key.lower(): facts.get(key, 0) for key in ("PID", "PPID")})
        line.update({key.lower(): text(facts.get(key)) for key in ("NAME", "EXE", "CWD")})
        line.update(args=[text(arg) for arg in process.args], env=[text(e) for e in process.env])
        if process.parent is not None:
            line["forked_from"] = process.parent.index
        if process.first_ns is not None:
            line["start_ns"] = process.first_ns
        if process.exit_ns is not None:
            line["exit_ns"] = process.exit_ns
        if process.lost & ALL:
            line["lost_events"] = process.lost & ALL
        return line

    @staticmethod
    def thread(thread):
        name = thread.given_name if thread.is_named else thread.system_name
        if name is None and thread.tid == thread.process.facts.get("PID", 0):
            name = thread.process.facts.get("NAME")
        line = {"type": "thread", "thread": thread.index, "process": thread.process.index}
        line.update(tid=thread.tid, name=text(name), is_named=thread.is_named)
        line.update(events=len(thread.events))
        return line if thread.end_ns is None else dict(line, end_ns=thread.end_ns)

    @staticmethod
    def caller(thread):
        pid = thread.process.facts.get("PID", 0)
        return {"pid": pid, "tid": thread.tid, "thread": thread.index}

    # ---- Events ----

    def event(self, thread, event):
        line = {"type": event["kind"], "start_ns": event["start"], **self.caller(thread)}
        domain = event["domain"]
        line["domain_id"] = min(domain.id, 0xFFFFFFFF)
        if domain.id != 0 or domain.handle is not None:
            line["domain"] = text(domain.name)
        if domain.handle is not None:
            line["domain_handle"] = f"0x{domain.handle:x}"
        line["name"] = text(event["name"])
        if event["name"] is not None and line["name"].encode() != event["name"]:
            line["is_utf8"] = False
        flags = event.get("flags", [] if domain.handle is None else ["bad_domain"])
        if flags:
            order = ("bad_string", "bad_domain", "foreign_end", "clamped", "cut_at_start")
            line["flags"] = "+".join(flag for flag in order if flag in flags)
        if event["kind"] in ("push_pop", "start_end"):
            self.add_end(line, thread, event)
        if event["kind"] in ("push_pop", "start_end", "mark"):
            self.add_attributes(line, event)
            self.add_payloads(line, thread, event)
        else:
            self.add_particulars(line, event)
        return line

    @staticmethod
    def add_end(line, thread, event):
        line["end_ns"], line["duration_ns"] = event["end"], event["end"] - event["start"]
        if event["cut"]:
            line["cut"] = event["cut"]
        if event["kind"] == "start_end":
            line["range"], line["range_id"] = event["range"], f"0x{event['id']:x}"
            if event["end_thread"] is not thread:
                line["end_thread"] = event["end_thread"].index
            if event.get("parent"):
                line["parent"] = event["parent"]

    @staticmethod
    def add_attributes(line, event):
        if event.get("registered"):
            line["is_registered"] = True
        if event["category"] is not None:
            line["category"] = event["category"]
            name = event["domain"].category(event["category"])
            if name is not None:
                line["category_name"] = text(name)
        if event["color"] is not None:
            color = f"{event['color']:08x}"
            line["color"] = "#" + (color[2:] if color.startswith("ff") else color)
        if event["type"]:
            line["payload_type"] = PAYLOADS[event["type"]]
            line["payload"] = payload(event["type"], struct.pack("<Q", event["payload"]))

    def add_payloads(self, line, thread, event):
        values = [value for group in event["payloads"]
                  for value in values_of(self.nvtx, thread.process, event["handle"], group)]
        if values:
            line["payload_type"], line["payload"] = "extended", values[0] if len(values) == 1 else values

    def add_particulars(self, line, event):
        kind, number, value = event["kind"], event.get("number"), event.get("value", 0)
        if kind == "category":
            line["category"] = number
        elif kind == "thread_name":
            line["named_tid"] = number
        elif kind == "object_name":
            line.update(object=self.objects.get(number, "unknown"), handle=f"0x{value:x}")
        elif kind == "resource":
            line.update(resource=number, identifier_type=event["detail"])
            line["identifier"] = f"0x{value:x}"
        elif kind in ("resource_destroy", "sync_destroy"):
            line[kind.split("_")[0]], line["handle"] = number, f"0x{value:x}"
        elif kind in ("sync_create", "sync"):
            line["sync"] = min(number, 0xFFFFFFFF)
            if kind == "sync":
                line["handle"] = f"0x{number:x}"
                line["operation"] = self.operations.get(value & 0xFFFFFFFF, "unknown")


def payload(kind, data):
    """The value of a payload; text where it is no number."""
    code = {1: "Q", 2: "q", 3: "d", 4: "I", 5: "i", 6: "f"}.get(kind)
    if code is None:
        return f"0x{struct.unpack('<Q', data)[0]:x}"
    (value,) = struct.unpack_from("<" + code, data)
    return value if value == value and abs(value) != float("inf") else str(value)


def writer(page_path, path, now_ns=None):
    """What a recording has. now_ns: instead of the time of now."""
    page = Page(page_path)
    return Writer(page, Container(page, path), now_ns)


def read(page_path, path, now_ns=None):
    """The lines of a recording, as a list of dictionaries."""
    return list(writer(page_path, path, now_ns).lines())
