# SPDX-License-Identifier: Apache-2.0
"""Heaps and regions of NVTX's memory extension (docs/format.md, section 11.5), as lines."""

from nvtx_counters import settled, text_at

ENDS = {"reset": "heap reset", "gone": "heap unregister", "replaced": "register", "unregistered": "unregister"}


class Heap:
    def __init__(self, process, domain, name, row=None, start=None):
        self.process, self.domain, self.name, self.row, self.start = process, domain, name, row, start
        self.in_use = self.most = self.n = 0
        self.regions, self.samples, self.end = [], {}, None

    def change(self, ns, more, less):
        self.in_use = (self.in_use + more - less) % (1 << 64)
        self.most = max(self.most, self.in_use)
        self.samples[ns] = self.in_use


class Region:
    def __init__(self, heap, event, thread, address, size):
        self.heap, self.thread, self.start, self.domain = heap, thread, event["ns"], event["domain"]
        self.address, self.size, self.most, self.type = address, size, size, event["type"]
        self.name, self.category, self.ended_by, self.end = None, 0, None, None


class Memory:
    def __init__(self, page, recording):
        self.page, self.recording = page, recording
        self.kinds = {value: name for name, value in page.enums["rf_ext_kind"].items()}
        self.heaps, self.all, self.others, self.by_id = [], [], {}, {}
        self.by_handle, self.by_address, self.heap_at = {}, {}, {}
        self.n_unnamed = 0
        self.define_heaps()
        for event in sorted(self.events(), key=lambda event: event["ns"]):
            getattr(self, event["kind"].lower())(event)

    # ---- Heaps ----

    def define_heaps(self):
        for process in self.recording.processes:
            for handle, domain, text, ns in process.heaps:
                row = self.page.structs["rf_heap_def"].read(text)
                if row["address"]:
                    self.heap_at[process, row["address"]] = handle
                self.add_heap(process, process.domain(domain), handle, (row, text, ns))

    def add_heap(self, process, domain, handle, definition):
        row, text, ns = definition
        name, string = text_at(text, row["name"]), process.lookup("string_of", row["string"])
        self.n_unnamed += string is None
        if string is not None:
            name = string[1].decode("utf-8", "replace")
        heap = Heap(process, domain, name or f"heap {self.n_unnamed}", row, ns)
        self.by_id[process, handle] = heap, definition
        self.heaps.append(heap)
        return heap

    def find_heap(self, event):
        process, handle = event["process"], event["heap"]
        handle = self.heap_at.get((process, handle), handle) if handle < 1 << 63 else handle
        owner = process
        while handle and owner is not None:
            if (owner, handle) in self.by_id:
                heap, definition = self.by_id[owner, handle]
                return heap if owner is process else self.add_heap(process, event["domain"], handle, definition)
            owner = owner.parent
        name = "unknown heap" if handle else "process"
        return self.others.setdefault((event["domain"], name), Heap(process, event["domain"], name))

    # ---- What happened ----

    def events(self):
        for thread in self.recording.threads:
            for record in thread.ext:
                kind = self.kinds.get(record.words[1] & 0xFF)
                if kind in ("REGIONS", "RESIZE", "UNREGISTER", "REGION_NAME", "HEAP_END"):
                    yield from self.taken(thread, record, kind)

    def taken(self, thread, record, kind):
        ns, words = self.recording.clock.ns(record.ticks), record.words
        if self.recording.is_focused and not self.recording.overlaps(ns, ns):
            return
        thread.is_needed |= self.recording.is_focused
        yield {"ns": ns, "kind": kind, "thread": thread, "process": thread.process, "words": words, "heap": words[2],
               "domain": thread.process.domain(words[1] >> 8 & 0xFFFFFF), "record": record}

    def find(self, event, kind, key):
        found = None
        if kind == 2:
            found = self.by_handle.get((event["process"], key))
        if found is None or found.end is not None:
            live = [region for region in self.by_address.get((event["domain"], key), ()) if region.end is None]
            found = live[-1] if live else None
        return found

    def finish(self, region, ns, why):
        region.end, region.ended_by = ns, ENDS[why]
        region.heap.regions.remove(region)
        region.heap.change(ns, 0, region.size)

    def pairs(self, words, first):
        return zip(words[first::2], words[first + 1 :: 2])

    # REGIONS, RESIZE, ... by the names of enum rf_ext_kind

    def resize(self, event):
        for address, size in self.pairs(event["words"], 3):
            region = self.find(event, 1, address)
            if region is not None:
                region.heap.change(event["ns"], size, region.size)
                region.size, region.most = size, max(region.most, size)

    def unregister(self, event):
        for key in event["words"][3:]:
            region = self.find(event, event["words"][2], key)
            if region is not None:
                self.finish(region, event["ns"], "unregistered")

    def region_name(self, event):
        words = event["words"]
        region = self.find(event, words[2] & 0xFFFFFFFF, words[3])
        if region is None:
            return
        arrays = [data.bytes for data in event["record"].behind if data.kind == "ARRAY"]
        string = event["process"].lookup("string_of", words[4])
        region.name = arrays[0] if arrays else string[1] if string is not None else None
        region.category = words[2] >> 32

    def heap_end(self, event):
        heap, is_gone = self.find_heap(event), event["words"][3] != 0 and event["heap"] != 0
        for region in list(heap.regions):
            self.finish(region, event["ns"], "gone" if is_gone else "reset")
        if is_gone and heap.row is not None and heap.end is None:
            heap.end = event["ns"]

    def regions(self, event):
        """The handles of the others follow that of the first one."""
        handle = event["words"][3]
        for address, size in self.pairs(event["words"], 5):
            self.register(event, handle, address, size)
            handle += handle != 0

    def register(self, event, handle, address, size):
        heap, event["type"] = self.find_heap(event), event["words"][4]
        there = self.find(event, 1, address)
        if there is not None and there.heap is heap:
            self.finish(there, event["ns"], "replaced")
        region = Region(heap, event, event["thread"], address, size)
        self.all.append(region)
        heap.regions.append(region)
        heap.n += 1
        self.by_address.setdefault((event["domain"], address), []).append(region)
        if handle:
            self.by_handle[event["process"], handle] = region
        heap.change(event["ns"], size, 0)

    # ---- Lines ----

    def row(self, kind, process, start, end, more):
        end = max(process.end_ns if end is None else end, start)
        line = {"type": kind, "start_ns": start, "end_ns": end, "duration_ns": end - start,
                "pid": process.facts.get("PID", 0)}
        line.update((key, value) for key, value in more.items() if value is not None)
        return line

    def lines(self):
        signed = lambda value: value - (1 << 64) if value >> 63 else value
        text = lambda value: None if value is None else value.decode("utf-8", "replace")
        for heap in self.heaps:
            row = heap.row
            end = heap.process.end_ns if heap.end is None else heap.end
            if self.recording.is_focused and not self.recording.overlaps(heap.start, max(end, heap.start)):
                continue
            has_range = row["address"] or row["size"]
            yield self.row("nvtx_heap", heap.process, heap.start, heap.end, {
                "name": heap.name, "domain": text(heap.domain.name),
                "address": signed(row["address"]) if has_range else None,
                "bytes": signed(row["size"]) if has_range else None, "most_bytes": signed(heap.most),
                "num_regions": heap.n, "usage": row["usage"], "category": row["category"] or None})
        for region in self.all:
            twins = [thread for thread in (region.thread, *self.recording.threads)
                     if (thread.process, thread.tid) == (region.thread.process, region.thread.tid)
                     and hasattr(thread, "index")]
            yield self.row("nvtx_region", region.heap.process, region.start, region.end, {
                "tid": region.thread.tid if twins else None, "thread": twins[0].index if twins else None, "name": text(region.name),
                "domain": text(region.domain.name), "heap": region.heap.name, "address": signed(region.address),
                "bytes": signed(region.size), "most_bytes": signed(region.most),
                "memory_type": min(region.type, 255), "category": region.category or None,
                "ended_by": region.ended_by})

    def counter_lines(self, first):
        for heap in [*self.heaps, *self.others.values()]:
            if not heap.samples:
                continue
            line = {"type": "counter", "name": f"memory in use: {heap.name}", "number": "uint64", "unit": "bytes",
                    "scope": "process", "value_type": "absolute", "interpolation": "until_next",
                    "pid": heap.process.facts.get("PID", 0), "samples": len(heap.samples), "counter": first}
            if heap.domain.name is not None:
                line["domain"] = heap.domain.name.decode("utf-8", "replace")
            yield line
            for ns, value, _ in settled([(ns, value, ()) for ns, value in heap.samples.items()]):
                yield {"type": "sample", "start_ns": ns, "counter": first, "value": value}
            first += 1
