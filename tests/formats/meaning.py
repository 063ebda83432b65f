# SPDX-License-Identifier: Apache-2.0
"""What a recording means (docs/format.md, sections 5 and 8): processes, handles, threads, events and
the ends of ranges."""

import os

from clocks import Clock
from records import ALL, Attributes, Stream, definitions, merged

NEVER = 1 << 62
FOREVER = 1 << 64


class Domain:
    def __init__(self, process, name, ticks, handle=None, parent=None):
        self.process, self.name, self.ticks, self.handle = process, name, ticks, handle
        self.parent, self.destroyed, self.id = parent, [], handle
        self.categories = {}
        self.gone = FOREVER  # ticks of its first destruction

    def category(self, number):
        name = self.categories.get(number)
        return name if name is not None or not self.parent else self.parent.category(number)

    def destroyed_ns(self, ns):
        return min((at for at in self.destroyed if at >= ns), default=None)

    def ends(self, event, ns):
        """Whether a push of this domain, which would end here, ended with the domain."""
        destroyed = self.destroyed_ns(event["start"])
        if destroyed is None or ns <= destroyed:
            return False
        event["end"], event["cut"] = destroyed, "domain destroyed"
        return True


class Process:
    def __init__(self, number, index):
        self.number, self.index = number, index
        self.facts, self.args, self.env = {}, [], []
        self.parent, self.fork_ticks = None, FOREVER
        self.domain_of, self.string_of, self.objects, self.by_name, self.bad = {}, {}, {}, {}, {}
        self.heaps = []  # (handle, domain's handle, text of the definition, ns)
        self.own, self.gone = {}, {}  # copies of a parent's domains; handle -> first destruction
        self.default = Domain(self, None, 0)
        self.domains = [self.default]
        self.first_ns = self.exit_ns = None
        self.is_alive = False
        self.last_ns, self.loss_ns, self.lost, self.starts = -NEVER, -NEVER, 0, {}
        self.all_starts, self.inherited = [], []
        self.nvtx = {}  # (kind, domain or None, id) -> text of a definition of section 11

    def lookup(self, table, handle):
        """(ticks, value) of a handle here, or before the fork in the process that this came from."""
        process, limit = self, FOREVER
        while process is not None:
            found = getattr(process, table).get(handle)
            if found is not None and found[0] <= limit:
                return found
            limit = min(limit, process.fork_ticks)
            process = process.parent
        return None

    def named(self, name, ticks):
        """(the domain of a name, whether it is new)."""
        last = self.by_name.get(name)
        if last is not None and last.gone == FOREVER:
            return last, False
        old, process, limit = None, self.parent, self.fork_ticks
        while process is not None and old is None and last is None:
            old = process.by_name.get(name)
            old = old if old is not None and old.ticks <= limit else None
            if old is not None and old.gone <= limit:
                old = None
                break
            process, limit = process.parent, min(limit, process.fork_ticks)
        self.by_name[name] = Domain(self, name, ticks, parent=old)
        self.domains.append(self.by_name[name])
        return self.by_name[name], True

    def domain(self, handle):
        if handle == 0:
            return self.default
        found = self.lookup("domain_of", handle)
        if found is None:
            if handle not in self.bad:
                self.bad[handle] = Domain(self, None, 0, handle)
            return self.bad[handle]
        if found[1].process is self:
            return found[1]
        if found[1] in self.own:
            return self.own[found[1]]
        own, is_new = self.named(found[1].name, found[1].ticks)
        self.own[found[1]] = own
        if is_new:
            self.inherited.append(own)
        return own

    def string(self, handle, ticks):
        """(ticks, text, domain's handle) of a string that is valid then, or None."""
        found = self.lookup("string_of", handle)
        if found is None or found[2] == 0:
            return found
        process, limit = self, FOREVER
        while process is not None:
            gone = process.gone.get(found[2], FOREVER)
            if gone <= limit and gone < ticks:
                return None
            if process.string_of.get(handle) is found:
                break
            limit = min(limit, process.fork_ticks)
            process = process.parent
        return found

    def object_domain(self, kind, handle):
        return self.objects.get((kind, handle), self.default)


class Thread:
    def __init__(self, process, tid, serial):
        self.process, self.tid, self.serial = process, tid, serial
        self.streams, self.events, self.stacks, self.ends, self.said = {}, [], {}, [], []
        self.first_ns, self.last_ns, self.end_ns = NEVER, -NEVER, None
        self.system_name = self.given_name = None
        self.is_named = self.is_needed = self.wrote_cuda = False
        self.unmatched, self.calls = 0, []
        self.ext = []  # its EXT records
        self.end_payloads = {}  # id -> Data behind its END

    def cut(self, ns, reason):
        for stack in self.stacks.values():
            for event in stack:
                if event["domain"].ends(event, ns):
                    continue
                event["end"] = max(ns, event["start"])
                event["cut"] = reason
        self.stacks = {}


class Recording:
    """processes, threads (in the order of exports), captures, clock, control; counts of what was not
    right. Times are nanoseconds after time 0."""

    def __init__(self, page, container, now_ns=None):
        self.page, self.container, self.control = page, container, container.control
        self.types = page.enums["rf_record_type"]
        self.clock = Clock(container)
        self.now_ns = self.clock.now_ns if now_ns is None else now_ns
        self.foreign_ends = self.unmatched_ends = self.lost_events = 0
        self.threads, self.thread_of, self.namings, self.cuda_defs = [], {}, [], []
        self.streams, self.thread_names, self.cuda_records = {}, [], []
        self.find_windows()
        self.processes = [Process(n, i) for i, n in enumerate(container.processes)]
        self.by_number = {process.number: process for process in self.processes}
        for process in self.processes:
            self.define(process)
        self.read_streams()
        for thread in self.threads:
            self.decode(thread)
        self.end_processes()
        self.pair()

    # ---- Captures (7.2) ----

    def find_windows(self):
        control, capture = self.control, self.control["capture"]
        self.is_focused = control["records_all"] == 0 and any(control["magic"])
        self.keeps_open = capture["keeps_open"] != 0
        self.windows, n = [], control["n_windows"]
        begun = ((capture["word"] >> 32 & 0x3FFFFFFF) + 1) // 2
        first = max(n, begun if 0 < begun - n <= 256 else n) - 256
        for i in range(max(first, 0), n if self.is_focused else 0):
            window = control["window"][i % 256]
            begin, end = self.clock.ns(window["begin_ticks"]), NEVER
            if window["end_ticks"]:
                end = self.clock.ns(window["end_ticks"])
            if window["begin_ticks"] and end >= begin:
                self.windows.append([begin, end, control["n_left_out"] + i + 1])
        self.windows.sort(key=lambda window: (window[0], window[2]))
        kept = []
        for window in self.windows:
            if kept:
                window[0] = max(window[0], kept[-1][1])
            if window[0] <= window[1] and window[0] != NEVER:
                kept.append(window)
        self.windows = kept
        self.last_window_ns = kept[-1][1] if kept else -NEVER

    def overlaps(self, start, end):
        """The windows that a time lies in, partly at least."""
        return [window for window in self.windows if window[0] <= end and start <= window[1]]

    # ---- Definitions (5) ----

    def define(self, process):
        data = self.container.definitions.get(process.number, b"")
        parts = [part for part in self.container.parts if part.name[0] == process.number]
        near = parts[0].header["ticks"] if parts else self.clock.first[0]
        always = [self.types[name] for name in ("PROCESS", "STRING", "CUDA_DEF", "NVTX_DEF")]
        for kind, row, text, ticks in definitions(self.page, data, near):
            ns = self.clock.ns(ticks)
            process.first_ns = ns if process.first_ns is None else process.first_ns
            process.last_ns = max(process.last_ns, ns)
            if not self.windows or ns <= self.last_window_ns or kind in always:
                self.take_definition(process, kind, row, text, ticks, ns)

    def take_definition(self, process, kind, row, text, ticks, ns):
        names = {value: name for name, value in self.types.items()}
        name = names.get(kind, "")
        event = {"start": ns, "kind": name, "name": text, "domain": process.default}
        whole = row["domain"] if row["domain"] != 0xFFFFFFFF else row["value"]
        if name == "PROCESS":
            self.take_fact(process, row, text, ticks, ns)
        elif name == "STRING":
            process.string_of[row["index"]] = (ticks, text, whole)
        elif name == "CUDA_DEF":
            self.cuda_defs.append((process, row, text, ticks, ns))
        elif name == "NVTX_DEF":
            kinds = {value: name for name, value in self.page.enums["rf_nvtx_def"].items()}
            domain = row["domain"] if row["value"] < 1 << 32 else None
            process.nvtx[kinds.get(row["index"]), domain, row["value"]] = text or b""
            if kinds.get(row["index"]) == "HEAP":
                process.heaps.append((row["value"], row["domain"], text or b"", ns))
        elif name == "DOMAIN":
            event["domain"], is_new = process.named(text, ticks)
            process.domain_of[row["index"]] = (ticks, event["domain"])
            if is_new:
                self.add_naming(process, row, event, "domain_create")
        elif name == "DOMAIN_DESTROY":
            event["domain"] = process.domain(row["value"])
            if row["value"]:
                event["domain"].destroyed.append(ns)
                event["domain"].gone = min(event["domain"].gone, ticks)
                process.gone.setdefault(row["value"], ticks)
            self.add_naming(process, row, event, "domain_destroy")
        elif name == "CATEGORY":
            event["domain"] = process.domain(whole)
            if text is not None:
                event["domain"].categories[row["index"]] = text
            self.add_naming(process, row, event, "category", number=row["index"])
        elif name == "THREAD_NAME":
            self.thread_names.append((process, row["index"], ns, text))
            self.add_naming(process, row, event, "thread_name", number=row["index"])
        elif name == "OBJECT_NAME":
            self.add_naming(
                process, row, event, "object_name", number=row["index"], value=row["value"]
            )
        elif name in ("RESOURCE", "SYNC_CREATE"):
            event["domain"] = process.domain(whole if name == "SYNC_CREATE" else row["domain"])
            process.objects[name[0], row["index"]] = event["domain"]
            event.update(value=row["value"], number=row["index"], detail=row["detail"])
            self.add_naming(process, row, event, name.lower())
        elif name in ("RESOURCE_DESTROY", "SYNC_DESTROY"):
            event["domain"] = process.object_domain(name[0], row["value"])
            self.add_naming(
                process, row, event, name.lower(), value=row["value"], number=row["index"]
            )

    def add_naming(self, process, row, event, kind, **more):
        event.update(more, kind=kind)
        self.namings.append((process, row["tid"], event))

    def take_fact(self, process, row, text, ticks, ns):
        names = {value: name for name, value in self.page.enums["rf_proc_key"].items()}
        key = names.get(row["index"])
        if key in ("ARG", "ENV"):
            (process.args if key == "ARG" else process.env).append(text)
        elif key == "FORK_OF":
            parent = self.by_number.get(row["value"])
            process.parent = parent if parent and parent.index < process.index else None
            process.fork_ticks = ticks
        elif key == "EXIT":
            process.exit_ns = ns
        elif key == "ALIVE":
            process.is_alive = True
        elif key:
            value = row["value"] & 0xFFFFFFFF if key in ("PID", "PPID") else row["value"]
            process.facts[key] = text if key in ("NAME", "EXE", "CWD") else value

    # ---- Streams and threads (3) ----

    def read_streams(self):
        groups = {}
        for part in self.container.parts:
            groups.setdefault(part.name[:2], []).append(part)
        for (number, slot), parts in groups.items():
            process = self.by_number[number]

            def visit(who, ticks, process=process, slot=slot):
                thread = self.find_thread(process, *who)
                thread.first_ns = min(thread.first_ns, self.clock.ns(ticks))
                return thread.streams.setdefault(slot, [])

            stream = self.streams[number, slot] = Stream(self.page, parts, visit)
            process.lost += stream.lost
            process.last_ns = max(process.last_ns, self.clock.ns(stream.last_ticks))
            for ticks in stream.losses:
                process.loss_ns = max(process.loss_ns, self.clock.ns(ticks))
            for who in stream.wrote_cuda:
                self.find_thread(process, *who).wrote_cuda = True
            self.cuda_records += [(process, record) for record in stream.cuda]

    def find_thread(self, process, tid, serial):
        key = process.index, tid, serial
        if key not in self.thread_of:
            self.thread_of[key] = Thread(process, tid, serial)
            self.threads.append(self.thread_of[key])
        return self.thread_of[key]

    def decode(self, thread):
        items, left, has_gap = next(iter(thread.streams.values())), None, False
        if len(thread.streams) > 1:
            items, left, has_gap = merged([thread.streams[slot] for slot in sorted(thread.streams)])
        for item in items:
            if item.has_gap:
                thread.cut(thread.last_ns, "events lost")
            if item.type == self.types["EXT"]:
                thread.ext.append(item)
            if item.type is not None:
                self.take(thread, item, self.clock.ns(item.ticks))
            elif item.ticks is not None:
                thread.cut(self.clock.ns(item.ticks), "thread ended")
        if has_gap:
            thread.cut(thread.last_ns, "events lost")
        if left is not None and self.clock.ns(left) >= thread.last_ns:
            thread.cut(self.clock.ns(left), "thread ended")

    # ---- Records (4, 8) ----

    def take(self, thread, record, ns):
        unmatched = thread.unmatched
        if self.is_focused and ns > self.last_window_ns:
            thread.last_ns = max(thread.last_ns, ns)
            return
        if self.is_focused and not self.keeps_open and any(thread.stacks.values()):
            before, after = (self.overlaps(t, t) for t in (thread.last_ns, ns))
            between = any(thread.last_ns < w[0] <= ns for w in self.windows)
            if before[:1] != after[:1] or between:
                thread.cut(before[0][1] if before else thread.last_ns, "capture ended")
        self.take_record(thread, record, ns)
        if self.is_focused and not (self.keeps_open and self.overlaps(ns, ns)):
            thread.unmatched = unmatched

    def take_record(self, thread, record, ns):
        types, words = self.types, record.words
        thread.last_ns = max(thread.last_ns, ns)
        kind, process = record.type, thread.process
        if kind in (types["MARK"], types["PUSH"], types["START"]):
            event = self.event(thread, record, ns)
            if kind == types["PUSH"]:
                event["kind"] = "push_pop"
                thread.stacks.setdefault(event["domain"], []).append(event)
            elif kind == types["START"]:
                event["kind"] = "start_end"
                number = record.counter & (1 << 40) - 1
                slot = record.slot
                event["id"] = (process.number & 1023) << 54 | slot + 1 << 40 & ALL | number
                event["order"] = (slot, record.counter, len(process.all_starts))
                event["end_thread"] = thread
                process.starts.setdefault((slot, record.counter), event)
                process.all_starts.append(event)
        elif kind in (types["POP"], types["POP_DOMAIN"]):
            handle = words[1] if kind == types["POP_DOMAIN"] and len(words) > 1 else 0
            stack = thread.stacks.get(process.domain(handle))
            if stack:
                event = stack.pop()
                if event["domain"].ends(event, ns):
                    return
                event["end"] = max(ns, event["start"])
                event["flags"] += ["clamped"] if ns < event["start"] else []
                event["payloads"].append(record.behind)
            else:
                thread.unmatched += 1
        elif kind == types["END"] and len(words) > 1:
            thread.ends.append((words[1], ns))
            thread.end_payloads.setdefault(words[1], record.behind)
        elif kind == types["PARENT"] and len(words) > 2:
            thread.said.append((words[1], words[2]))
        elif kind in (types["THREAD"], types["THREAD_END"]):
            name = record.bytes_from(2)[:16].split(b"\0")[0] if len(words) > 3 else b""
            thread.system_name = name or thread.system_name
            if kind == types["THREAD_END"]:
                thread.cut(ns, "thread ended")
                thread.end_ns = ns
        elif kind == types["SYNC"] and len(words) > 2:
            thread.events.append(
                {
                    "kind": "sync",
                    "start": ns,
                    "name": None,
                    "domain": process.object_domain("S", words[1]),
                    "number": words[1],
                    "value": words[2],
                }
            )

    def event(self, thread, record, ns):
        a = Attributes(self.page, record)
        event = {"kind": "mark", "start": ns, "end": None, "cut": None, "flags": [], "name": a.text}
        event["domain"] = thread.process.domain(a.domain)
        if a.string is not None:
            found = thread.process.string(a.string, record.ticks)
            event["registered"] = True
            event["name"] = found[1] if found else b"0x%x" % a.string
            event["flags"] += [] if found else ["bad_string"]
        if event["domain"].handle is not None:
            event["flags"].append("bad_domain")
        event.update(color=a.color, category=a.category, type=a.payload_kind, payload=a.payload)
        event.update(payloads=[record.behind], handle=a.domain)
        thread.events.append(event)
        return event

    # ---- Ends (8) ----

    def goes_on(self):
        return self.container.is_packed and self.control["pieces"]["goes_on"] != 0

    def is_running(self, process):
        if self.goes_on():
            return process.is_alive
        if self.container.is_packed:
            return self.control["was_live"] != 0
        if self.control["is_finished"] or not self.clock.is_this_boot:
            return False
        if os.stat("/proc/self/ns/pid").st_ino != process.facts.get("PID_NS"):
            return False
        try:
            with open(f"/proc/{process.facts['PID']}/stat", encoding="latin-1") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, KeyError):
            return False
        return (fields[0] not in "ZX" or (fields[0] == "Z" and int(fields[17]) > 1)) and int(fields[19]) == process.facts.get("START_TIME")

    def end_processes(self):
        later = {}
        for process in reversed(self.processes):
            image = tuple(process.facts.get(key) for key in ("PID", "PID_NS", "START_TIME"))
            heir = later.get(image) if image[0] else None
            later[image] = process
            process.end_ns, process.reason = process.last_ns, "killed"
            if heir is not None:
                process.reason = "exec"
                process.end_ns = max(process.last_ns, heir.first_ns)
            elif process.exit_ns is not None and not (self.goes_on() and process.is_alive):
                process.reason = "process ended"
                process.end_ns = max(process.last_ns, process.exit_ns)
            elif self.is_running(process):
                process.reason = "still open"
                if not self.container.is_packed:
                    process.end_ns = max(process.last_ns, self.now_ns)
            elif self.control["root_pid"] and self.control["root_pid"] == image[0]:
                if self.control["root_end"]:
                    process.end_ns = max(process.last_ns, self.clock.end_ns)
        ends = [process.end_ns for process in self.processes]
        self.end_ns = max([self.clock.end_ns] + ends)
        lost = sum(process.lost for process in self.processes) & ALL
        self.lost_events = max(lost, self.control["lost_records"])

    def find_start(self, process, id_):
        if id_ >> 54 != process.number & 1023 or not id_ >> 40 & 0x3FFF:
            return None
        return process.starts.get(((id_ >> 40 & 0x3FFF) - 1, id_ & (1 << 40) - 1))

    def is_mistake(self, ns):
        return not self.is_focused or bool(self.keeps_open and self.overlaps(ns, ns))

    def end_range(self, thread, id_, ns):
        event = self.find_start(thread.process, id_)
        if event is None or self.is_after_destroy(event, ns):
            return
        if event["end"] is not None:
            self.unmatched_ends += self.is_mistake(max(ns, event["end"]))
        self.set_end(event, thread, ns)

    @staticmethod
    def is_after_destroy(event, ns):
        destroyed = event["domain"].destroyed_ns(event["start"])
        return destroyed is not None and ns > destroyed

    @staticmethod
    def set_end(event, thread, ns):
        if event["end"] is None or max(ns, event["start"]) < event["end"]:
            event["end"], event["end_thread"] = max(ns, event["start"]), thread
            event["flags"] += ["clamped"] if ns < event["start"] else []
            event["payloads"][1:] = [thread.end_payloads.get(event["id"], [])]

    def end_foreign(self, thread, id_, ns):
        """Where no thread of the range's own process ends it, the earliest of the others does."""
        if self.find_start(thread.process, id_) is not None:
            return
        others = [p for p in self.processes if p is not thread.process]
        owned = [(self.find_start(p, id_), p) for p in self.ancestors(thread.process) + others]
        event, owner = next((pair for pair in owned if pair[0] is not None), (None, None))
        self.foreign_ends += event is not None and self.is_mistake(ns)
        self.unmatched_ends += event is None and self.is_mistake(ns)
        if event is None:
            return
        if "foreign_end" not in event["flags"]:
            event["flags"].append("foreign_end")
        has_own = event["end"] is not None and event["end_thread"].process is owner
        if not has_own and not self.is_after_destroy(event, ns):
            self.set_end(event, thread, ns)

    @staticmethod
    def ancestors(process):
        found = []
        while process.parent is not None:
            process = process.parent
            found.append(process)
        return found

    def pair(self):
        for thread in self.threads:
            for id_, ns in thread.ends:
                self.end_range(thread, id_, ns)
            thread.cut(thread.process.end_ns, thread.process.reason)
            self.unmatched_ends += thread.unmatched
        for thread in self.threads:
            for id_, ns in thread.ends:
                self.end_foreign(thread, id_, ns)
        for process in self.processes:
            for event in process.all_starts:
                if event["end"] is None:
                    self.cut_start(process, event)
        if self.is_focused:
            for thread in self.threads:
                thread.events = [event for event in thread.events if self.choose(thread, event)]
        for process in self.processes:
            own = [thread for thread in self.threads if thread.process is process]
            starts = [e for thread in own for e in thread.events if e["kind"] == "start_end"]
            starts.sort(key=lambda event: (event["start"], event["order"]))
            for i, event in enumerate(starts):
                event["range"] = i + 1
                event["end_thread"].is_needed = True
        for thread in self.threads:
            for id_, parent in thread.said:
                event = self.find_start(thread.process, id_)
                above = self.find_start(thread.process, parent) if parent else event
                if event is not None and above is not None:
                    event["parent"] = above.get("range")

    def cut_start(self, process, event):
        destroyed = event["domain"].destroyed_ns(event["start"])
        event["end"], event["cut"] = max(process.end_ns, event["start"]), process.reason
        if destroyed is not None:
            event["end"], event["cut"] = destroyed, "domain destroyed"
        elif process.loss_ns >= event["start"]:
            event["cut"] = "events lost"

    # ---- Focused recordings (8.1) ----

    def choose(self, thread, event):
        if "end" not in event or event["kind"] == "mark":
            return bool(self.overlaps(event["start"], event["start"]))
        inside = self.overlaps(event["start"], event["end"])
        if not inside:
            return False
        if not self.keeps_open and event["cut"] is not None:
            if event["start"] < inside[0][0]:
                return False
            inside = inside[:1]
        if event["start"] < inside[0][0]:
            event["flags"].append("cut_at_start")
        if event["end"] > inside[-1][1]:
            event["end"], event["cut"] = max(inside[-1][1], event["start"]), "capture ended"
            if event["kind"] == "start_end":
                event["end_thread"] = thread
        return True
