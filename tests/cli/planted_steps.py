# SPDX-License-Identifier: Apache-2.0
"""Databases as nsys exports them, of a loop of steps, some of which are slow."""

import random
import sqlite3

LOCK, SYNC = 1, 2


class Run:
    """A loop of steps: load (read, decode), forward, a call that waits."""

    def __init__(self, path, seed):
        self.db = sqlite3.connect(path)
        self.db.executescript("""
CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId);
CREATE TABLE StringIds(id, value);
INSERT INTO StringIds VALUES (1, 'pthread_mutex_lock'), (2, 'poll');
CREATE TABLE OSRT_API(start, end, globalTid, nameId);
""")
        self.tid = 1 << 48 | 70 << 24 | 71
        self.at = 1000
        self.random = random.Random(seed)

    def range(self, name, *durations):
        start = self.at
        for duration in durations:
            if isinstance(duration, int):
                self.at += duration + self.random.randrange(50)
            else:
                duration()
        self.db.execute("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, 0)",
                        (start, self.at, name, self.tid))

    def call(self, name, duration):
        self.db.execute("INSERT INTO OSRT_API VALUES(?, ?, ?, ?)",
                        (self.at, self.at + duration, self.tid, name))
        self.at += duration

    def refill(self, duration):
        """Another thread, which is always in serve, refills while this one waits."""
        for text, start in (("serve", self.at - 4000), ("refill", self.at)):
            self.db.execute("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, 0)",
                            (start, self.at + duration, text, self.tid + 1))
        self.at += duration

    def steps(self, n, read=1, gap=0, lock=0, layers=4, refill=0):
        for i in range(n):
            slow = i % 20 == 7
            self.range(f"step {i}",
                       lambda: self.range("load", lambda: self.range(
                           f"read_{i}", 10000 * (read if slow else 1)), 5000),
                       gap if slow else 20,
                       lambda: self.range("forward", *[lambda: self.range("layer", 8000)
                                                       for _ in range(layers if slow else 4)]),
                       lambda: self.call(LOCK, lock if slow else 200),
                       (lambda: self.refill(refill)) if slow and refill else 0,
                       lambda: self.range("it's <b>", 3000))
            self.at += 500
        self.db.commit()

