# SPDX-License-Identifier: Apache-2.0
"""CUDA and GPU metrics (docs/format.md, sections 9 and 10) as lines of docs/exports.md."""

import math
import struct

from clocks import ForeignClock

KINDS = {1: "cuda_api", 2: "kernel", 3: "memcpy", 4: "memset", 5: "sync", 6: "graph"}
MEMORY = "Pageable,Pinned,Device,Array,Managed,Device Static,Managed Static".split(",")
WAITS = ["Event sync", "Stream wait", "Stream sync", "Context sync"]
COPIES = ["HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"]
NONE = 0xFFFFFFFF


def facts_of(text):
    rows = (text or b"").split(b"\n")
    return dict(row.decode("utf-8", "replace").split("=", 1) for row in rows if b"=" in row)


def number(text):
    return int(text) if text and text.lstrip("-").isdigit() else 0


class Cuda:
    """What CUDA records and definitions say."""

    def __init__(self, page, recording):
        self.page, self.recording = page, recording
        self.defs = {name: {} for name in page.enums["rf_cuda_def"]}
        self.pairs, self.clocks, self.gpus, self.device_facts = {}, {}, [], []
        self.calls, self.work, self.call_of, self.extras = [], [], {}, []
        self.dropped = 0
        for definition in recording.cuda_defs:
            self.define(*definition)
        self.find_gpus()
        self.names = self.event_names()
        for process, record in recording.cuda_records:
            if not record.is_long and len(record.words) > 1:
                self.take(process, record)
        self.calls.sort(key=lambda call: (call["start_ns"], -call["end_ns"]))
        if recording.is_focused:
            self.leave_out()

    def define(self, process, row, text, ticks, _):
        kinds = {value: name for name, value in self.page.enums["rf_cuda_def"].items()}
        name = kinds.get(row["domain"])
        if name == "CLOCK":
            self.pairs.setdefault(process, []).append((row["value"], ticks, row["detail"]))
        elif name:
            table = self.defs[name].setdefault(process, {})
            key = (row["value"], row["index"]) if name == "STREAM" else row["index"]
            table[key] = (row, text)

    def find_gpus(self):
        for process in self.recording.processes:
            for device, (_, text) in self.defs["DEVICE"].get(process, {}).items():
                self.add_gpu(device, facts_of(text))

    def add_gpu(self, device, facts):
        """The number of a GPU, which may be known."""
        for gpu in self.gpus:
            for key in ("uuid", "pci"):
                if key in gpu["facts"] or key in facts:
                    is_same = gpu["facts"].get(key) == facts.get(key)
                    break
            else:
                is_same = gpu["device"] == device and gpu["facts"].get("name") == facts.get("name")
            if is_same:
                return gpu
        used = {gpu["device"] for gpu in self.gpus}
        while device in used:
            device += 1
        self.gpus.append({"device": device, "facts": dict(facts)})
        return self.gpus[-1]

    def gpu_lines(self):
        for gpu in self.gpus:
            facts = gpu["facts"]
            line = {"type": "gpu", "device": gpu["device"], "name": facts.get("name")}
            line.update(chip=facts.get("chipName"), uuid=facts.get("uuid"))
            if "pci" in facts:
                line["pci"] = facts["pci"]
            line["memory_bytes"] = number(facts.get("memory"))
            line["multiprocessors"] = number(facts.get("multiprocessors"))
            capability = (facts.get("capability", "0.0") + ".0").split(".")[:2]
            yield dict(line, compute_capability=[number(part) for part in capability])

    def event_names(self):
        """{(process, id): name} of CUDA's events that the program named."""
        kinds, found = self.page.enums["rf_object"], {}
        same = {kinds[f"CU_{k}"]: kinds[f"CUDA_{k}"] for k in ("DEVICE", "STREAM", "EVENT")}
        event, of_object = kinds["CUDA_EVENT"], self.page.enums["rf_cuda_def"]["OBJECT"]
        objects = [
            (process, row["value"], ns, row["index"])
            for process, row, _, _, ns in self.recording.cuda_defs
            if row["domain"] == of_object and same.get(row["detail"], row["detail"]) == event
        ]
        namings = [
            (naming["start"], process, naming)
            for process, _, naming in self.recording.namings
            if naming["kind"] == "object_name"
            and same.get(naming["number"], naming["number"]) == event
        ]
        for ns, process, naming in sorted(namings, key=lambda naming: naming[0]):
            own = [o for o in objects if o[:2] == (process, naming["value"])]
            before = [o for o in own if o[2] <= ns]
            if own and naming["name"] is not None:
                last = max(before, key=lambda o: o[2]) if before else None
                meant = last or min(own, key=lambda o: o[2])
                found[process, meant[3]] = naming["name"].decode("utf-8", "replace")
        return found

    # ---- Records (9, 9.2) ----

    def ns(self, process, cupti_ns):
        if process not in self.clocks:
            pairs = self.pairs.get(process, ())
            clock = ForeignClock(self.recording.clock, self.recording.control, pairs)
            self.clocks[process] = clock
        return self.recording.clock.ns(self.clocks[process].ticks(cupti_ns))

    def times(self, process, start, end, written_ns):
        """(start, end, flags) of two times of CUPTI's."""
        flags = [name for name, t in (("no_start", start), ("no_end", end)) if not t]
        first = self.ns(process, start or end) if start or end else written_ns
        last = self.ns(process, end) if end else first
        if start and end and end < start:
            flags = ["clamped"]
        return first, max(first, last), flags

    def take(self, process, record):
        head = self.page.structs["rf_cuda_head"].read(record.data)
        kinds = {value: name for name, value in self.page.enums["rf_cuda_kind"].items()}
        name = kinds.get(head["kind"], "")
        if not name:
            return
        row = self.page.structs[f"rf_cuda_{name.lower()}"].read(record.data)
        row.update(process=process, correlation=head["correlation"], head_flags=head["flags"])
        written_ns = self.recording.clock.ns(record.ticks)
        if name == "DROPPED":
            self.dropped += row["n"]
        elif name in ("MEMORY", "EVENT", "OVERHEAD"):
            self.take_extra(name, row, written_ns)
        else:
            row["activity_flags"] = row.get("flags", 0)  # of copies and sets
            times = self.times(process, row["start"], row["end"], written_ns)
            row["start_ns"], row["end_ns"], row["flags"] = times
            row["kind"] = name.lower()
            (self.calls if name == "API" else self.work).append(row)

    def take_extra(self, name, row, written_ns):
        process, end = row["process"], None
        if name == "MEMORY":
            start = self.ns(process, row["time"]) if row["time"] else written_ns
        elif name == "OVERHEAD":
            start, end, _ = self.times(process, row["start"], row["end"], written_ns)
            start = start if row["start"] else written_ns
            end = max(end if row["end"] else start, start)
        else:
            start = None
        row.update(kind=name.lower(), start_ns=start, end_ns=end)
        self.extras.append(row)

    def leave_out(self):
        overlaps = self.recording.overlaps
        call_of = self.index()

        def is_inside(row):
            call = call_of.get((row["process"], row["correlation"]))
            if call is not None:
                return bool(overlaps(call["start_ns"], call["end_ns"]))
            return row["start_ns"] is not None and bool(overlaps(row["start_ns"], row["start_ns"]))

        self.work = [row for row in self.work if is_inside(row)]
        self.extras = [row for row in self.extras if is_inside(row)]
        self.calls = [c for c in self.calls if overlaps(c["start_ns"], c["end_ns"])]

    def index(self):
        found = {}
        for call in self.calls:
            if call["correlation"]:
                found.setdefault((call["process"], call["correlation"]), call)
        return found

    # ---- Threads ----

    def callers(self):
        found = {(call["process"], call["tid"]): None for call in self.calls}
        for row in self.extras:
            if row["kind"] == "overhead" and row["object_kind"] == 2:
                found[row["process"], row["object"][1]] = None
        return list(found)

    def place(self, thread_at):
        """thread_at(process, tid, ns) finds the thread of a call."""
        for call in self.calls:
            call["thread"] = thread_at(call["process"], call["tid"], call["start_ns"])
            call["thread"].calls.append(call)
        for row in self.extras:
            row["thread"] = None
            if row["kind"] == "overhead" and row["object_kind"] == 2:
                row["thread"] = thread_at(row["process"], row["object"][1], row["start_ns"])
                row["thread"].is_needed = True

    # ---- Lines ----

    def lines(self, caller):
        call_of = self.index()
        for call in self.calls:
            yield self.call_line(call, caller)
        for row in self.work:
            yield self.work_line(row, call_of.get((row["process"], row["correlation"])), caller)
        for row in self.extras:
            call = call_of.get((row["process"], row["correlation"]))
            yield self.extra_line(row, call, caller)

    @staticmethod
    def stretch(kind, start, end):
        return {"type": kind, "start_ns": start, "end_ns": end, "duration_ns": end - start}

    def finish(self, line, row):
        if row["correlation"]:
            line["correlation"] = row["correlation"]
        if row.get("flags"):
            line["flags"] = "+".join(row["flags"])
        return line

    def call_line(self, call, caller):
        is_driver = call["function"] & self.page.constants["RF_CUDA_DRIVER_FUNCTION"]
        kind = "cuda_driver" if is_driver else "cuda_runtime"
        line = self.stretch(kind, call["start_ns"], call["end_ns"])
        line.update(caller(call["thread"]), result=signed(call["result"]))
        names = self.defs["FUNCTION"].get(call["process"], {})
        known = names.get(call["function"], (None, None))[1]
        line["name"] = known.decode(errors="replace") if known is not None else f"0x{call['function']:x}"
        return self.finish(line, call)

    def kernel_name(self, process, handle):
        known = self.defs["KERNEL"].get(process, {}).get(handle)
        if known is not None:
            return known[1].decode() if known[1] is not None else None
        return f"0x{handle:x}" if handle else None

    def device_of(self, row, otherwise):
        known = self.defs["CONTEXT"].get(row["process"], {}).get(row["context"])
        return known[0]["value"] if known else otherwise

    def work_line(self, row, call, caller):
        start, end, flags = row["start_ns"], row["end_ns"], row["flags"]
        if call is not None and len(flags) == 2:
            start = end = call["end_ns"]
        elif call is not None and start < call["start_ns"] and row["kind"] != "sync":
            flags.append("before_call")
        line = self.stretch(row["kind"], start, end)
        line.update(context=row["context"], stream=row["stream"])
        line["device"] = row["device"] if "device" in row else self.device_of(row, 0)
        line.update(
            caller(call["thread"]) if call else {"pid": row["process"].facts.get("PID", 0)}
        )
        for key in ("graph", "graph_node"):
            if row.get(key):
                line[key] = row[key]
        getattr(self, f"add_{row['kind']}")(line, row)
        return self.finish(line, row)

    def add_kernel(self, line, row):
        line.update(grid=row["grid"], block=row["block"], registers=row["registers"])
        line["full_name"] = self.kernel_name(row["process"], row["name"])
        shown = {
            "mangled_name": line["full_name"],
            "launch_type": row["launch_type"] + 1 if row["launch_type"] < 3 else 0,
            "cache_config": row["cache_config"] >> 4 or row["cache_config"] & 15,
            "shared_limit_config": row["shared_limit_config"],
            "shared_executed_bytes": row["shared_executed"],
            "local_bytes": row["local_total"],
            "grid_id": row["grid_id"],
            "cluster": row["cluster"] if any(row["cluster"]) else None,
            "max_potential_cluster_size": row["max_potential_cluster"],
            "max_active_clusters": row["max_active_clusters"],
            "channel": row["channel"],
            "channel_type": row["channel_type"],
        }
        line.update({key: value for key, value in shown.items() if value})
        line["static_shared_bytes"] = row["static_shared"]
        line["dynamic_shared_bytes"] = row["dynamic_shared"]
        line["local_bytes_per_thread"] = row["local_per_thread"]

    @staticmethod
    def add_memcpy(line, row):
        line.update(bytes=row["bytes"], copy_kind=name_of(COPIES, row["copy_kind"]))
        line["source_memory"] = name_of(MEMORY, row["source_memory"])
        line["target_memory"] = name_of(MEMORY, row["target_memory"])
        sides = row["source_device"], row["target_device"]
        if row["head_flags"] & 1 and sides[0] != sides[1]:
            line["peer_device"] = sides[1] if sides[0] == row["device"] else sides[0]
        if row["head_flags"] & 1:
            for key in ("source_device", "source_context", "target_device", "target_context"):
                line[key] = row[key]
        if row["n_copies"]:
            line["copies"] = row["n_copies"]
        if row["activity_flags"]:
            line["activity_flags"] = row["activity_flags"]

    @staticmethod
    def add_memset(line, row):
        line.update(bytes=row["bytes"], value=row["value"])
        line["target_memory"] = name_of(MEMORY, row["memory"])
        if row["activity_flags"]:
            line["activity_flags"] = row["activity_flags"]

    @staticmethod
    def add_graph(line, row):
        line["graph_exec"] = row["graph"]
        end = row["end_device"], row["end_context"]
        if end[1] and end != (row["device"], row["context"]):
            line["end_device"], line["end_context"] = end

    @staticmethod
    def add_sync(line, row):
        line["sync_type"] = name_of(WAITS, row["type"])
        if row["event"] != NONE:
            line["event"] = row["event"]
        if row["event_sync"]:
            line["event_sync"] = row["event_sync"]
        if row["result"]:
            line["result"] = signed(row["result"])

    def extra_line(self, row, call, caller):
        kind = {"memory": "memory", "event": "cuda_event", "overhead": "cuda_overhead"}
        line, start = {"type": kind[row["kind"]]}, row["start_ns"]
        thread = row["thread"]
        if thread is None and call is not None:
            thread = call["thread"]
            start = call["start_ns"] if row["kind"] == "event" else start
        if start is not None:
            line["start_ns"] = start
        if row["end_ns"] is not None:
            line.update(end_ns=row["end_ns"], duration_ns=row["end_ns"] - start)
        pid = row["process"].facts.get("PID", 0)
        line.update(caller(thread) if thread else {"pid": pid})
        getattr(self, f"add_{row['kind']}")(line, row)
        return self.finish(line, row)

    def add_memory(self, line, row):
        line.update(device=row["device"], context=row["context"])
        if row["stream"] != NONE:
            line["stream"] = row["stream"]
        line.update(address=row["address"], pc=row["pc"], bytes=row["bytes"])
        if row["is_async"]:
            line["is_async"] = 1
        if row["name"]:
            line["name"] = self.kernel_name(row["process"], row["name"])

    def add_event(self, line, row):
        line.update(device=self.device_of(row, row["device"]), context=row["context"])
        line.update(stream=row["stream"], event_id=row["event"])
        if (row["process"], row["event"]) in self.names:
            line["name"] = self.names[row["process"], row["event"]]
        if row["event_sync"]:
            line["event_sync_id"] = row["event_sync"]
        if row["device_time"]:
            line["timestamp"] = self.ns(row["process"], row["device_time"])

    @staticmethod
    def add_overhead(line, row):
        for i, (key, least) in enumerate((("device", 3), ("context", 4), ("stream", 5))):
            if least <= row["object_kind"] <= 5:
                line[key] = row["object"][i]


def name_of(names, value):
    return names[value - 1] if 1 <= value <= len(names) else "Unknown"


def signed(value):
    return value - (1 << 32) if value >> 31 else value


# ---- GPU metrics (10) ----


def counters(page, recording, gpus):
    """The lines of counters and samples; GPUs that were sampled are added to gpus."""
    samplers = {}
    for slot, _, payload in recording.container.metrics:
        samplers.setdefault(slot, []).append(payload)
    clock, index = ForeignClock(recording.clock, recording.control), 0
    for _, chunks in sorted(samplers.items()):
        sampler = Sampler(page, recording, clock, chunks)
        for ns, n in sampler.losses:
            text = f"GPU metrics: about {n} samples are missing: the hardware buffer was full, or"
            yield {"type": "diagnostic", "start_ns": ns, "name": text + " they came too fast"}
        if not sampler.rows:
            continue
        device = sampler.gpu(gpus)
        for metric, name in enumerate(sampler.names):
            values = [(ns, row[metric]) for ns, row in sampler.rows]
            values = [(ns, value) for ns, value in values if math.isfinite(value)]
            line = {"type": "counter", "counter": index, "name": name, "device": device}
            if sampler.set:
                line["set"] = sampler.set
            yield dict(line, samples=len(values))
            for ns, value in values:
                yield {"type": "sample", "start_ns": ns, "counter": index, "value": value}
            index += 1


class Sampler:
    """names: of the metrics; rows: [(end, values)]; losses: [(when, how many)]."""

    def __init__(self, page, recording, clock, chunks):
        self.head_type, self.kinds = page.structs["rf_metrics_head"], page.enums["rf_metrics_kind"]
        self.recording, self.clock, self.rows, self.losses = recording, clock, [], []
        self.head = self.head_type.read(chunks[0])
        n, room = self.head["n_metrics"], len(chunks[0]) - 64
        if self.head["kind"] != self.kinds["DESCRIPTION"] or self.head["n"] > room:
            return
        if not 1 <= n <= page.constants["RF_METRICS_MOST"]:
            return
        texts = chunks[0][64 : 64 + self.head["n"]].split(b"\0")[:-1]
        texts = [text.decode("utf-8", "replace") for text in texts] + [""] * (2 * n + 4)
        self.chip, self.name, self.bus, self.set = texts[:4]
        pairs = zip(texts[4 : 4 + 2 * n : 2], texts[5 : 5 + 2 * n : 2])
        self.names = [label or name or None for name, label in pairs]
        for chunk in chunks[1:]:
            self.take(chunk, n)
        self.rows.sort(key=lambda row: row[0])

    def take(self, chunk, n):
        head, layout = self.head_type.read(chunk), struct.Struct(f"<qq{n}d")
        if head["kind"] == self.kinds["LOST"]:
            ns = [self.ns(head[key]) for key in ("start_ns", "end_ns")]
            if not self.recording.is_focused or self.recording.overlaps(*ns):
                self.losses.append((ns[0], head["n"]))
        if head["kind"] != self.kinds["SAMPLES"] or head["n_metrics"] != n:
            return
        if head["n"] * layout.size > len(chunk) - 64:
            return
        for i in range(head["n"]):
            start, end, *values = layout.unpack_from(chunk, 64 + i * layout.size)
            if start <= 0 or end < start:
                continue
            ns = [self.ns(start), self.ns(end)]
            if not self.recording.is_focused or self.recording.overlaps(*ns):
                self.rows.append((ns[1], values))

    def ns(self, real_ns):
        return self.recording.clock.ns(self.clock.ticks(real_ns))

    def gpu(self, gpus):
        """The number of the GPU."""
        uuid = self.head["uuid"].hex()
        uuid = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
        uuid = uuid if any(self.head["uuid"]) else None
        facts = {"chipName": self.chip, "name": self.name, "pci": self.bus, "uuid": uuid}
        facts = {key: value for key, value in facts.items() if value}
        for gpu in gpus:
            key = "uuid" if uuid else "pci"
            if facts.get(key) and gpu["facts"].get(key) == facts[key]:
                gpu["facts"].setdefault("chipName", self.chip or None)
                return gpu["device"]
        device, used = self.head["device"], {gpu["device"] for gpu in gpus}
        while device in used:
            device += 1
        gpus.append({"device": device, "facts": facts})
        return device
