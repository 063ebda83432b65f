# SPDX-License-Identifier: Apache-2.0
"""The databases of tests/data/nsys_exports, one rank per process, and what SQL says of each: the sums
that the analyzers of traces compute, by other means."""

import collections
import gzip
import json
import os
import shutil
import sqlite3
import subprocess

from harness import Failure

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
LAUNCHES = ("cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync")

Work = collections.namedtuple("Work", "kind name device stream start end correlation")
Call = collections.namedtuple("Call", "name start end correlation")


def unpack(test, name):
    """The path of a copy of tests/data/nsys_exports/NAME.gz."""
    path = test.path(os.path.basename(name))
    with gzip.open(os.path.join(DATA, "nsys_exports", name + ".gz")) as packed, open(path, "wb") as to:
        shutil.copyfileobj(packed, to)
    return path


def export(test, source, output, *options):
    done = subprocess.run([test.rangefinder, "export", "-q", "-t", "json", *options, "-o", output,
                           source], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"export of {source}: {done.stderr}")
    return output


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


class Rank:
    """One process of a database: its trace, and its rows."""

    def __init__(self, test, source, pid, number):
        self.number = number
        self.path = export(test, source, test.path(f"rank{number}.json.gz"), "-f",
                           "--flavor=kineto", f"--filter-process={pid}", f"--rank={number}")
        db = sqlite3.connect(source)
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        self.names = dict(db.execute("SELECT id, value FROM StringIds"))
        of_process = f"globalPid >> 24 & 0xffffff = {pid}"
        self.work = self.kernels(db, of_process)
        for kind, table in (("gpu_memcpy", "MEMCPY"), ("gpu_memset", "MEMSET")):
            if f"CUPTI_ACTIVITY_KIND_{table}" in tables:
                self.work += self.rows(db, kind, table, of_process)
        self.work.sort(key=lambda work: (work.start, work.end))
        self.calls = [Call(plain_name(self.names[name]), start, end, correlation)
                      for start, end, name, correlation in db.execute(
                          "SELECT start, end, nameId, correlationId FROM"
                          " CUPTI_ACTIVITY_KIND_RUNTIME WHERE globalTid >> 24 & 0xffffff = ?",
                          (pid,))]
        self.ranges = db.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59 AND"
                                 " globalTid >> 24 & 0xffffff = ?", (pid,)).fetchone()[0]
        db.close()

    def kernels(self, db, where):
        return [Work("kernel", self.names[name], *rest) for name, *rest in db.execute(
            "SELECT demangledName, deviceId, streamId, start, end, correlationId"
            f" FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE {where}")]

    @staticmethod
    def rows(db, kind, table, where):
        return [Work(kind, None, *row) for row in db.execute(
            "SELECT deviceId, streamId, start, end, correlationId"
            f" FROM CUPTI_ACTIVITY_KIND_{table} WHERE {where}")]

    # ---- What there is of it, in microseconds ----

    def of(self, *kinds):
        """Work of these kinds: computation, communication, memory."""
        return [work for work in self.work if kind_of(work) in kinds]

    def sum_us(self, *kinds):
        return sum(work.end - work.start for work in self.of(*kinds)) / 1000

    def busy(self, *kinds):
        return union(self.of(*kinds or ("computation", "communication", "memory")))

    def total_us(self):
        return (max(w.end for w in self.work) - min(w.start for w in self.work)) / 1000

    def gaps_us(self):
        """By stream: from each piece of work to the next."""
        gaps, last = collections.Counter(), {}
        for work in self.work:
            if work.stream in last:
                gaps[work.stream] += (work.start - last[work.stream]) / 1000
            last[work.stream] = work.end
        return gaps

    def launches(self):
        """Calls that launch, with the work of each."""
        by_id = collections.defaultdict(list)
        for work in self.work:
            by_id[work.correlation].append(work)
        return [(call, work) for call in self.calls if call.name in LAUNCHES
                for work in by_id[call.correlation]]


def plain_name(name):
    """cudaLaunchKernel of cudaLaunchKernel_v7000."""
    head, mark, version = name.rpartition("_v")
    return head if mark and version.isdigit() and len(version) >= 4 else name


def kind_of(work):
    if work.kind != "kernel":
        return "memory"
    return "communication" if work.name.startswith("nccl") and "Kernel" in work.name \
        else "computation"


def union(works):
    """Intervals without those that touch or overlap."""
    merged = []
    for start, end in sorted((work.start, work.end) for work in works):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length_us(intervals):
    return sum(end - start for start, end in intervals) / 1000


def overlap_us(left, right):
    total = i = k = 0
    while i < len(left) and k < len(right):
        total += max(0, min(left[i][1], right[k][1]) - max(left[i][0], right[k][0]))
        if left[i][1] < right[k][1]:
            i += 1
        else:
            k += 1
    return total / 1000
