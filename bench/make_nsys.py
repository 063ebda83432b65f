#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an export of Nsight Systems of any size: what a training job would leave, in the columns
that its schema 3.x has for it. Rows are made as they are written: 20 million kernels take no more
memory than a thousand.

Per process: steps of three phases of layers, each layer a few kernels, now and then a copy; about
1.2 calls and 0.2 ranges per kernel. The times are reproducible."""
import argparse
import os
import random
import sqlite3
import sys

TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "ThreadNames": "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
    "TARGET_INFO_GPU": "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, totalMemory INTEGER,"
                       " smCount INTEGER, uuid TEXT, chipName TEXT, cuDevice INTEGER,"
                       " computeMajor INTEGER, computeMinor INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER NOT NULL, end INTEGER NOT NULL,"
                                   " eventClass INTEGER NOT NULL, globalTid INTEGER,"
                                   " correlationId INTEGER, nameId INTEGER NOT NULL,"
                                   " returnValue INTEGER NOT NULL, callchainId INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": ", ".join(
        name + " INTEGER" for name in
        "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName"
        " shortName mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX"
        " blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread"
        " localMemoryTotal gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig".split()),
    "CUPTI_ACTIVITY_KIND_MEMCPY": ", ".join(
        name + " INTEGER" for name in
        "start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind"
        " deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId"
        " migrationCause graphNodeId virtualAddress".split()),
    "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
                   " rangeId INTEGER, category INTEGER, color INTEGER, text TEXT,"
                   " globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,"
                   " uint64Value INTEGER, int64Value INTEGER, doubleValue REAL,"
                   " uint32Value INTEGER, int32Value INTEGER, floatValue REAL,"
                   " jsonTextId INTEGER, jsonText TEXT, binaryData TEXT",
}
KERNELS = [f"sgemm_{size}x{size}_{kind}" for size in (64, 128, 256) for kind in ("nn", "nt", "tn")]
KERNELS += ["layer_norm_forward", "softmax_backward", "reduce_scatter_ring", "add_relu"]
STREAMS = (7, 20)
BATCH = 20000


class Strings:
    def __init__(self):
        self.ids = {}

    def __getitem__(self, text):
        return self.ids.setdefault(text, len(self.ids) + 1)


class Table:
    """Rows of one table, written in batches."""

    def __init__(self, db, name):
        self.db, self.rows, self.total = db, [], 0
        n_columns = len(db.execute(f"SELECT * FROM {name}").description)
        self.insert = f"INSERT INTO {name} VALUES ({', '.join('?' * n_columns)})"
        self.n_columns = n_columns

    def add(self, *row):
        self.rows.append(row + (None,) * (self.n_columns - len(row)))
        if len(self.rows) >= BATCH:
            self.flush()

    def flush(self):
        self.db.executemany(self.insert, self.rows)
        self.total += len(self.rows)
        self.rows = []


class Process:
    """What one process does; run() writes it."""

    def __init__(self, options, tables, strings, number):
        self.options, self.tables, self.strings = options, tables, strings
        self.random = random.Random(options.seed * 1000 + number)
        self.pid = 4000 + number
        self.gpid = 1 << 48 | self.pid << 24
        self.device = 0 if options.same_device else number
        self.free_ns = dict.fromkeys(STREAMS, 0)
        self.correlation, self.step = 1, []
        self.kernel_ids = [strings[name] for name in KERNELS]
        self.now_ns = 2_000_000_000 + number * 1000

    def name(self, text):
        """The columns text and textId."""
        registered = {"text": 0, "registered": 1, "both": self.random.random() < 0.5}
        return (None, self.strings[text]) if registered[self.options.names] else (text, None)

    def range(self, start_ns, text, gtid):
        text, text_id = self.name(text)
        self.step.append((start_ns, self.now_ns, 59, None, None, None, text, gtid, None, text_id, 0))

    def call(self, gtid, name, size_ns):
        self.tables["CUPTI_ACTIVITY_KIND_RUNTIME"].add(
            self.now_ns, self.now_ns + size_ns, 0, gtid, self.correlation, self.strings[name], 0)
        self.now_ns += size_ns
        self.correlation += 1

    def queue(self, stream, size_ns):
        start_ns = max(self.free_ns[stream], self.now_ns + 900)
        self.free_ns[stream] = start_ns + size_ns
        return start_ns, start_ns + size_ns

    def launch(self, gtid):
        for _ in range(self.options.small_ranges):
            start_ns = self.now_ns
            self.now_ns += 40
            self.range(start_ns, "shape", gtid)
            self.now_ns += 10
        stream = STREAMS[self.random.random() < 0.15]
        kernel = self.random.choice(self.kernel_ids)
        correlation = self.correlation
        self.call(gtid, "cudaLaunchKernel_v7000", self.random.randrange(1800, 4500))
        start_ns, end_ns = self.queue(stream, self.random.randrange(1500, 15000))
        self.tables["CUPTI_ACTIVITY_KIND_KERNEL"].add(
            start_ns, end_ns, self.device, 1, None, stream, correlation, self.gpid, kernel, kernel,
            kernel, 1, 0, 64, self.random.randrange(1, 2048), 1, 1, 128, 1, 1, 0, 4096, 0, 0,
            correlation, 8192, None, 0)
        self.now_ns += self.random.randrange(200, 800)

    def copy(self, gtid):
        correlation = self.correlation
        self.call(gtid, "cudaMemcpyAsync_v3020", self.random.randrange(1500, 3000))
        start_ns, end_ns = self.queue(STREAMS[0], 2500)
        self.tables["CUPTI_ACTIVITY_KIND_MEMCPY"].add(
            start_ns, end_ns, self.device, 1, None, STREAMS[0], correlation, self.gpid,
            self.random.randrange(64, 1 << 22), self.random.choice((1, 2, 8)), None, 1, 2)

    def layer(self, gtid, name, left):
        start_ns, done = self.now_ns, 0
        self.now_ns += 120
        for part in ("gemm", "norm"):
            part_ns = self.now_ns
            self.now_ns += 90
            for _ in range(min(self.random.randrange(5, 11), left - done)):
                self.launch(gtid)
                done += 1
                if self.random.random() < 0.12:
                    self.copy(gtid)
                if self.random.random() < 0.1:
                    self.call(gtid, "cudaEventRecord_v3020", 700)
            self.now_ns += 60
            self.range(part_ns, f"{name}/{part}", gtid)
            self.now_ns += 150
        self.range(start_ns, name, gtid)
        self.now_ns += 200
        return done

    def run_step(self, number, gtid, left):
        start_ns, done = self.now_ns, 0
        self.now_ns += 500
        for phase in ("forward", "backward", "update"):
            phase_ns = self.now_ns
            for i in range(10):
                if done < left:
                    done += self.layer(gtid, f"{phase} layer {i}", left - done)
            self.now_ns += 300
            self.range(phase_ns, phase, gtid)
            self.now_ns += 300
        self.call(gtid, "cudaStreamSynchronize_v3020",
                  max(1000, max(self.free_ns.values()) - self.now_ns))
        self.range(start_ns, f"step {number}", gtid)
        for helper in range(1, self.options.idle_threads + 1):
            self.range(start_ns + helper, f"load batch {number}", self.gpid | self.pid + helper)
        self.now_ns += 2000
        return done

    def run(self, n_kernels):
        gtid = self.gpid | self.pid
        start_ns, done, number = self.now_ns, 0, 0
        self.tables["PROCESSES"].add(self.gpid, self.pid, "python3")
        self.tables["ThreadNames"].add(self.strings["python3"], 20, gtid)
        for i in range(self.options.long_ranges):  # open as long as everything else
            self.now_ns += 10
            text, text_id = self.name(f"run {i}")
            self.tables["NVTX_EVENTS"].add(self.now_ns, 1 << 60, 59, None, None, None, text, gtid,
                                           None, text_id, 0)
        while done < n_kernels:
            done += self.run_step(number, gtid, n_kernels - done)
            number += 1
            for row in sorted(self.step, key=lambda row: (row[0], -row[1])):
                self.tables["NVTX_EVENTS"].add(*row)
            self.step = []
        return self.now_ns - start_ns


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("output")
    parser.add_argument("--kernels", type=int, default=10000, help="in all; default: 10000")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--same-device", action="store_true", help="all processes use device 0")
    parser.add_argument("--idle-threads", type=int, default=0,
                        help="threads per process that hold a range and launch nothing")
    parser.add_argument("--long-ranges", type=int, default=0,
                        help="ranges that are open from the start to the end")
    parser.add_argument("--small-ranges", type=int, default=0,
                        help="ranges before each kernel that launch nothing")
    parser.add_argument("--names", choices=["text", "registered", "both"], default="text")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    if os.path.exists(options.output):
        os.remove(options.output)
    db = sqlite3.connect(options.output)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    for name, columns in TABLES.items():
        db.execute(f"CREATE TABLE {name} ({columns})")
    tables = {name: Table(db, name) for name in TABLES}
    strings = Strings()
    for i in range(options.processes):
        share = options.kernels * (i + 1) // options.processes \
            - options.kernels * i // options.processes
        Process(options, tables, strings, i).run(share)
    for i in range(1 if options.same_device else options.processes):
        tables["TARGET_INFO_GPU"].add(0, i, "NVIDIA H200", 141 << 30, 132, f"GPU-{i}", "GH100", i,
                                      9, 0)
    for text, number in strings.ids.items():
        tables["StringIds"].add(number, text)
    for table in tables.values():
        table.flush()
    db.commit()
    db.close()
    counts = ", ".join(f"{tables[name].total} {what}" for name, what in (
        ("CUPTI_ACTIVITY_KIND_KERNEL", "kernels"), ("CUPTI_ACTIVITY_KIND_RUNTIME", "calls"),
        ("CUPTI_ACTIVITY_KIND_MEMCPY", "copies"), ("NVTX_EVENTS", "ranges")))
    print(f"{options.output}: {counts}", file=sys.stderr)


if __name__ == "__main__":
    main()
