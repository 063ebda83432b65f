# SPDX-License-Identifier: Apache-2.0
"""A recording, looked at through its SQLite export and the reports."""

import collections
import csv
import io
import json
import os
import sqlite3

from checks import expect

Kernel = collections.namedtuple("Kernel", "start end pid stream correlation grid name graph")
Call = collections.namedtuple("Call", "start end pid tid correlation name is_driver result")


def is_kernel_launch(name):
    """By whichever of its functions: nvcc 13 calls __cudaLaunchKernel."""
    return "LaunchKernel" in (name or "") or "LaunchCooperativeKernel" in (name or "")


class Recording:
    """done: the run of `rangefinder profile` that made it."""

    def __init__(self, gpu, base, done):
        self.gpu = gpu
        self.done = done
        self.path = base + ".rf"
        self.base = base
        self._db = None
        self._info = None

    def said(self):
        return self.done.said()

    @property
    def info(self):
        if self._info is None:
            self._info = json.loads(self.gpu.rangefinder("info", "--json", self.path).out)
        return self._info

    @property
    def db(self):
        if self._db is None:
            expect(os.path.exists(self.path), "there is no recording: %s" % (
                self.done.err.strip()[-200:]))
            target = self.base + ".sqlite"
            self.gpu.rangefinder("export", "-t", "sqlite", "-f", "true", "-o", target, self.path,
                                 timeout=200)
            self._db = sqlite3.connect(target, check_same_thread=False)
            self._db.text_factory = lambda text: text.decode(errors="replace")
        return self._db

    def has(self, table):
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.db.execute(query, (table,)).fetchone()[0] > 0

    def rows(self, table, columns, where=""):
        """Rows of a table; none where it is missing."""
        if not self.has(table):
            return []
        return self.db.execute("SELECT %s FROM %s %s" % (columns, table, where)).fetchall()

    def count(self, table, where=""):
        rows = self.rows(table, "count(*)", where)
        return rows[0][0] if rows else 0

    def kernels(self):
        return [Kernel(*row) for row in self.rows(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            'start, "end", globalPid >> 24 & 0xffffff, streamId, correlationId, gridX,'
            " (SELECT value FROM StringIds WHERE id = demangledName), graphNodeId")]

    def calls(self):
        return [Call(*row) for row in self.rows(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            'start, "end", globalTid >> 24 & 0xffffff, globalTid & 0xffffff, correlationId,'
            " (SELECT value FROM StringIds WHERE id = nameId), eventClass, returnValue")]

    def launches(self):
        """Calls that launch kernels, by process and correlation id: those of the driver that the
        runtime made inside one of its own are left out."""
        found, last_end = {}, {}
        for call in sorted(self.calls(), key=lambda call: (call.start, call.is_driver)):
            if not is_kernel_launch(call.name):
                continue
            if call.is_driver and call.start < last_end.get(call.tid, 0):
                continue
            if not call.is_driver:
                last_end[call.tid] = call.end
            found[call.pid, call.correlation] = call
        return found

    def ranges(self):
        """start, end, tid, text of every range."""
        return self.rows("NVTX_EVENTS", 'start, "end", globalTid & 0xffffff,'
                         " coalesce(text, (SELECT value FROM StringIds WHERE id = textId))",
                         "WHERE eventType IN (59, 60) ORDER BY start")

    def report(self, name):
        """Rows of a report, as dictionaries."""
        text = self.gpu.rangefinder("stats", "-q", "-r", name, "-f", "csv", self.path).out
        return list(csv.DictReader(io.StringIO(text)))

    def lost(self):
        """What the recording says was lost, or has no true time, as text; "" if nothing."""
        names = ("n_lost_records", "lost_bytes", "n_lost_defs", "n_cuda_dropped", "n_bad_times")
        return ", ".join("%s %d" % (name, self.info[name]) for name in names if self.info[name])
