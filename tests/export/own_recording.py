# SPDX-License-Identifier: Apache-2.0
"""A recording of our own in which every member of the records of docs/format.md has a value of its
own, and what each member becomes. A member that the page has and no table here names is an error, so
that what is recorded cannot be left out of the exports unseen.

    source = Own(page, path)      # writes the recording
    source.raw(field)             # the number, text or triple of a field; None: not recorded"""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "formats"))
from examples import EPOCH, Recording  # noqa: E402

PID = 4711
FUNCTION, KERNEL_NAME, VARIABLE = 301, "_Z4fillPfi", "weights"
FRAME = {"head", "start", "end", "reserved", "time", "tid", "function"}  # times, who, and names
CORRELATION = {"API": 81, "KERNEL": 82, "MEMCPY": 83, "MEMSET": 84, "SYNC": 85, "GRAPH": 86, "MEMORY": 87,
               "EVENT": 88, "OVERHEAD": 89}

PLACE = {"device": "device", "context": "context", "stream": "stream"}
# What each member becomes: a field of src/model/fields or a value of an extra; None: see LEFT_OUT.
MEANING = {
    "API": {"result": "result"},
    "KERNEL": {**PLACE, "name": "name", "grid": "grid", "block": "block", "registers": "registers",
               "launch_type": "launch_type", "cache_config": "cache_config",
               "static_shared": "static_shared_bytes", "dynamic_shared": "dynamic_shared_bytes",
               "shared_executed": "shared_executed_bytes", "local_per_thread": "local_bytes_per_thread",
               "shared_limit_config": "shared_limit_config", "local_total": "local_bytes", "grid_id": "grid_id",
               "graph_node": "graph_node", "graph": "graph", "cluster": "cluster",
               "max_potential_cluster": "max_potential_cluster_size",
               "max_active_clusters": "max_active_clusters", "channel": "channel", "channel_type": "channel_type"},
    "MEMCPY": {**PLACE, "bytes": "bytes", "copy_kind": "copy_kind", "source_memory": "source_memory",
               "target_memory": "target_memory", "flags": "activity_flags", "graph_node": "graph_node",
               "graph": "graph", "n_copies": "copies", "source_device": "source_device",
               "source_context": "source_context", "target_device": "target_device",
               "target_context": "target_context"},
    "MEMSET": {**PLACE, "bytes": "bytes", "value": "value", "memory": "target_memory", "flags": "activity_flags",
               "graph": "graph", "graph_node": "graph_node"},
    "SYNC": {"type": "sync_type", "context": "context", "stream": "stream", "event": "event",
             "event_sync": "event_sync", "result": "result"},
    "GRAPH": {**PLACE, "graph": "graph", "end_device": "end_device", "end_context": "end_context"},
    "MEMORY": {**PLACE, "address": "address", "bytes": "bytes", "pc": "pc", "operation": "memoryOperationType",
               "memory": "memKind", "is_async": "isAsync", "pool_type": None,
               "pool_address": "localMemoryPoolAddress", "pool_threshold": "localMemoryPoolReleaseThreshold",
               "pool_size": "localMemoryPoolSize", "pool_used": "localMemoryPoolUtilizedSize", "name": "name"},
    "EVENT": {**PLACE, "event": "eventId", "device_time": None, "event_sync": "eventSyncId"},
    "OVERHEAD": {"overhead_kind": "overheadType", "object_kind": None, "object": "object"},
    "DROPPED": {"n": None},
}
LEFT_OUT = {
    ("MEMORY", "pool_type"): "says which columns of pools have a value",
    ("EVENT", "device_time"): "a time: it is converted",
    ("OVERHEAD", "object_kind"): "says which of device, context, stream, thread have a value",
    ("DROPPED", "n"): "a number of the whole recording: n_cuda_dropped",
}
# What stands in the record, and the field, where the two count differently.
SPECIAL = {
    ("KERNEL", "name"): (1, None),  # the handle of a definition
    ("KERNEL", "launch_type"): (1, 2), ("KERNEL", "cache_config"): (0x21, 2),
    ("KERNEL", "shared_limit_config"): (9, 9), ("KERNEL", "channel_type"): (3, 3),
    ("MEMCPY", "copy_kind"): (3, 3), ("MEMCPY", "source_memory"): (2, 1), ("MEMCPY", "target_memory"): (4, 3),
    ("MEMSET", "memory"): (3, 2), ("SYNC", "type"): (4, 4),
    ("MEMORY", "operation"): (2, 1), ("MEMORY", "memory"): (3, 2), ("MEMORY", "is_async"): (1, 1),
    ("MEMORY", "pool_type"): (1, None), ("MEMORY", "name"): (2, VARIABLE),
    ("EVENT", "device_time"): (EPOCH + 900000, None),
    ("OVERHEAD", "overhead_kind"): (3 << 16, 5), ("OVERHEAD", "object_kind"): (5, None),
}
OP_KIND = {"KERNEL": "kernel", "MEMCPY": "memcpy", "MEMSET": "memset", "SYNC": "sync", "GRAPH": "graph",
           "API": "cuda_runtime"}
EXTRA_KIND = {"MEMORY": "memory", "EVENT": "cuda_event", "OVERHEAD": "cuda_overhead"}

# One range with every attribute, in each form: jsonl, csv, json, perfetto, text, SQLite, Python.
RANGE = {"name": "task", "domain": "lib", "domain_id": 1, "category": 7, "category_name": "io",
         "color": "#80112233", "payload_type": "int64", "payload": -5, "range": 2, "range_id": "0x10000000002",
         "parent": 1, "end_thread": 1, "end_tid": 101}
# What other rows have: (kind, name, value).
FOUND_ELSEWHERE = {"cut": ("start_end", "outer", "killed"), "is_registered": ("mark", "known", True)}


class Own:
    def __init__(self, page, path):
        self.page, self.values, self.recording = page, {}, Recording(page)
        self.define()
        self.annotate()
        for i, kind in enumerate(CORRELATION):
            self.add(kind, 1 + i)
        self.recording.part(["slot=1", "tid=101", "serial=2", "ticks=1000"])
        self.recording.add("records", self.words("END", 1 << 40 | 2, ticks=990000))
        self.sample()
        self.recording.save(path)

    # ---- Records ----

    def head(self, kind, n_words, ticks):
        return self.page.enums["rf_record_type"][kind] | n_words << 5 | ticks << 11

    def words(self, kind, *words, ticks=2000):
        return struct.pack(f"<{1 + len(words)}Q", self.head(kind, 1 + len(words), ticks), *words)

    def number(self, kind, member, i):
        """(what stands in the record, what the field is)"""
        _, type_, dimensions = self.page.structs[f"rf_cuda_{kind.lower()}"].fields[member]
        if (kind, member) in SPECIAL:
            return SPECIAL[kind, member]
        if dimensions:
            triple = [500 + 10 * i + k for k in range(3)]
            return struct.pack("<3I", *triple), triple
        small = 41 + i
        value = {"u8": small, "u16": 200 + small}.get(type_, 1000 * CORRELATION[kind] + small)
        value = (1 << 40) + value if type_ in ("u64", "i64") else value
        return value, value

    def add(self, kind, start):
        layout = self.page.structs[f"rf_cuda_{kind.lower()}"]
        missing = set(layout.fields) - FRAME - set(MEANING[kind])
        if missing:
            sys.exit(f"docs/format.md: {kind}: nothing says what becomes of {', '.join(sorted(missing))}")
        record, of_kind = {}, self.values.setdefault(kind, {"correlation": CORRELATION[kind]})
        for i, (member, field) in enumerate(MEANING[kind].items()):
            record[member], value = self.number(kind, member, i)
            if field is not None and value is not None:
                of_kind[field] = value
        for member, value in (("start", EPOCH + 1000 * start), ("end", EPOCH + 1000 * start + 500),
                              ("time", EPOCH + 1000 * start), ("tid", 100), ("function", FUNCTION)):
            if member in layout.fields:
                record[member] = value
        flags = self.page.constants["RF_CUDA_IS_PEER"] if kind == "MEMCPY" else 0
        head = self.page.structs["rf_cuda_head"].write(
            {"word0": self.head("CUDA", layout.size // 8, 2000), "kind": self.page.enums["rf_cuda_kind"][kind],
             "flags": flags, "correlation": CORRELATION[kind]})
        self.recording.add("records", layout.write({**record, "head": head}))

    # ---- Definitions ----

    def definition(self, kind, text=b"", tid=100, **values):
        data = text + b"\0" * (-len(text) % 8)
        words = {"tid": tid, "n_words": 5 + len(data) // 8, "text_size": len(text)}
        head = self.page.enums["rf_record_type"][kind] | 500 << 11
        self.recording.add("definitions", self.page.structs["rf_def"].write({"head": head, **words, **values}) + data)

    def define(self):
        cuda = self.page.enums["rf_cuda_def"]
        device = self.number("KERNEL", "device", 0)[0]
        self.definition("PROCESS", index=1, value=PID)
        self.definition("DOMAIN", b"lib", index=1)
        self.definition("CATEGORY", b"io", index=7, domain=1, value=1)
        self.definition("STRING", b"known", index=5, domain=1, value=1)
        self.definition("SYNC_CREATE", b"lock", index=3, domain=1, value=1)
        self.definition("CUDA_DEF", b"cudaLaunchKernel", domain=cuda["FUNCTION"], index=FUNCTION)
        self.definition("CUDA_DEF", KERNEL_NAME.encode(), domain=cuda["KERNEL"], index=1)
        self.definition("CUDA_DEF", VARIABLE.encode(), domain=cuda["KERNEL"], index=2)
        self.definition("CUDA_DEF", b"", domain=cuda["CONTEXT"],
                        index=self.number("SYNC", "context", 1)[0], value=device)
        self.values["API"] = {"name": "cudaLaunchKernel", "correlation": CORRELATION["API"]}
        self.values["KERNEL"] = {"correlation": CORRELATION["KERNEL"], "name": "fill",
                                 "full_name": "fill(float*, int)", "mangled_name": KERNEL_NAME}
        self.values["SYNC"] = {"correlation": CORRELATION["SYNC"], "device": device}
        graph = list(MEANING["GRAPH"]).index("graph")
        self.values["GRAPH"] = {"correlation": CORRELATION["GRAPH"],
                                "graph_exec": self.number("GRAPH", "graph", graph)[0]}

    # ---- Annotations and counters ----

    def annotate(self):
        text = b"task\0\0\0\0"
        attributes = 1 | 1 << 24 | 1 << 26 | 1 << 27 | 2 << 28  # domain 1; text, color, category, INT64
        words = [attributes, 0x80112233 | 7 << 32, -5 & (1 << 64) - 1, int.from_bytes(text, "little")]
        outer = self.words("START", 1 | 1 << 24, int.from_bytes(b"outer\0\0\0", "little"))
        ids = [1 << 40 | 1, 1 << 40 | 2]
        self.recording.add("records", outer + self.words("START", *words) + self.words("PARENT", ids[1], ids[0])
                           + self.words("PUSH", *words) + self.words("MARK", *words)
                           + self.words("MARK", 1 | 2 << 24 | 5 << 32)
                           + self.words("SYNC", 3, 2) + self.words("POP_DOMAIN", 1))

    def sample(self):
        head = self.page.structs["rf_metrics_head"]
        texts = b"GH100\0H100\0" + b"\0" + b"basic\0sm__x\0SMs\0"
        texts += b"\0" * (-len(texts) % 8)
        self.recording.metrics = [
            head.write({"kind": 1, "n_metrics": 1, "n": len(texts), "interval": 100000, "trigger": 1,
                        "device": 12}) + texts,
            head.write({"kind": 2, "n_metrics": 1, "n": 1, "start_ns": EPOCH + 3000, "end_ns": EPOCH + 4000})
            + struct.pack("<qqd", EPOCH + 3000, EPOCH + 4000, 37.5)]

    # ---- What comes out ----

    def raw(self, field):
        record = {kind: record for record, kind in OP_KIND.items()}.get(field.kind)
        value = self.values.get(record, {}).get(field.name)
        if field.name == "peer_device" and record == "MEMCPY":
            return self.values[record]["source_device"]  # it is the one that is not device
        return value
