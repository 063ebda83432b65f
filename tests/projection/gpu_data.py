# SPDX-License-Identifier: Apache-2.0
"""Exports of nsys with calls, GPU work, waits, events and ranges, made row by row."""
import json
import sqlite3
import subprocess

PROCESS = 1 << 48 | 1 << 24
TABLES = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId, returnValue);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName,
 gridX, gridY, gridZ, blockX, blockY, blockZ, graphNodeId);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid,
 deprecatedSyncType, syncType, eventId, eventSyncId);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(timestamp, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, eventId,
 eventSyncId);
CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId);
CREATE TABLE OSRT_API(start, end, eventClass, globalTid, nameId, returnValue);
"""


class Data:
    """A database; threads, devices, contexts and streams are small numbers."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(TABLES)
        self.ids, self.correlation = {}, 0

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.db.executemany("INSERT INTO StringIds VALUES(?, ?)", [(i, text) for text, i in self.ids.items()])
        self.db.commit()
        self.db.close()

    def add(self, table, *row):
        self.db.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", row)

    def string(self, text):
        return self.ids.setdefault(text, len(self.ids) + 1)

    def call(self, name, start, end, thread=1, correlation=None):
        if correlation is None:
            self.correlation += 1
            correlation = self.correlation
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start, end, 0, PROCESS | thread, correlation, self.string(name), 0)
        return correlation

    def os_call(self, name, start, end, thread=1):
        self.add("OSRT_API", start, end, 27, PROCESS | thread, self.string(name), 0)

    def kernel(self, name, start, end, correlation=0, device=0, context=1, stream=7, node=None):
        name = self.string(name)
        self.add("CUPTI_ACTIVITY_KIND_KERNEL", start, end, device, context, stream, correlation, PROCESS, name, name, 1, 1, 1, 1, 1, 1, node)

    def copy(self, start, end, correlation=0, device=0, context=1, stream=7, kind=2):
        self.add("CUPTI_ACTIVITY_KIND_MEMCPY", start, end, device, context, stream, correlation, PROCESS, 64, kind)

    def launch(self, name, called, returned, start, end, thread=1, **place):
        """A kernel with its call."""
        self.kernel(name, start, end, self.call("cudaLaunchKernel_v7000", called, returned, thread), **place)

    def sync(self, kind, start, end, correlation, device=0, context=1, stream=0xffffffff, event=0xffffffff):
        self.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start, end, device, context, None, stream, correlation, PROCESS, None, kind, event, None)

    def event(self, event, correlation, device=0, context=1, stream=7):
        self.add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", 0, device, context, None, stream, correlation, PROCESS, event, None)

    def range(self, name, start, end, thread=1):
        self.add("NVTX_EVENTS", start, end, 59, name, PROCESS | thread, 0)


def rows_of(rangefinder, path, report, *options):
    done = subprocess.run([rangefinder, "stats", "-q", "-r", report, "-f", "json", *options, path], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def notes_of(rangefinder, path, report, *options):
    done = subprocess.run([rangefinder, "stats", "-r", report, *options, path], capture_output=True, check=True)
    return done.stdout.decode() + done.stderr.decode()
