#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak_ring.py --build DIR --minutes N: a million events per second through a flight recorder, with a
snapshot every 3.6 seconds until there are 1,000 for an hour, and rules that find nothing. Each one opens, and has the
newest ranges of each thread without a gap; memory does not grow."""

import argparse
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402
from cases_ring import info_of, logs_size  # noqa: E402

THREADS, RATE = 2, 250000  # ranges per second of each; a range is two events
EVERY_S = 3.6
RING_MB = 16


def check_snapshot(test, path):
    """Returns how many ranges it has."""
    info = info_of(test, path)
    harness.expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), f"losses of {path}")
    since = {thread["tid"]: thread.get("kept_from_ns", 0) for thread in info["threads"]}
    numbers = {}
    head, *lines = test.command("export", "-q", "-t", "csv", "-o", "-", path).stdout.splitlines()
    columns = head.decode().split(",")
    start, thread, name, payload = map(columns.index, ("start_ns", "tid", "name", "payload"))
    for line in lines:
        row = line.split(b",")
        if row[name] == b"unit" and int(row[start]) >= since[int(row[thread])]:
            numbers.setdefault(row[thread], []).append(int(row[payload]))
    harness.expect_equal(len(numbers), THREADS, f"threads of {path}")
    for tid, found in numbers.items():
        found.sort()
        harness.fail_if(found != list(range(found[0], found[0] + len(found))),
                        f"{path}: thread {tid} has {len(found)} ranges from {found[0]} to {found[-1]}")
    return sum(map(len, numbers.values()))


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


class Memory:
    """Of the command line, and what the ring holds, over the run."""

    def __init__(self):
        self.resident, self.held = [], []

    def look(self, test, process):
        self.resident.append(resident_kib(process.pid))
        self.held.append(logs_size(test))

    def check(self):
        """The second half takes no more than the first."""
        half = len(self.resident) // 2
        early, late = (statistics.median(part) for part in (self.resident[:half], self.resident[half:]))
        harness.fail_if(late > 1.1 * early + 4096, f"the command line grew from {early} to {late} KiB: {self.resident}")
        harness.fail_if(max(self.held) > 3 * RING_MB << 20, f"the ring of {RING_MB} MB held {max(self.held)} bytes")


def snapshot_by_hand(test, number):
    return test.command("snapshot", "soak", "--reason", f"number {number}").stdout.decode().strip()


def soak(test, minutes):
    stop = test.path("stop")
    test.timeout_s = 60
    process = test.start([test.rangefinder, "profile", "-q", f"--ring={RING_MB}M", "--session-new=soak", "-o", "soak",
                          "--snapshot-on=slow:nothing:1s", "--snapshot-on=open:unit:1h", test.program("paced"), str(THREADS),
                          str(RATE), stop])
    memory, n, n_ranges, took = Memory(), 0, 0, []
    start = time.monotonic()
    end = start + 60 * minutes
    time.sleep(2)
    while time.monotonic() < end or n < minutes * 60 / EVERY_S:
        begin = time.monotonic()
        path = snapshot_by_hand(test, n + 1)
        took.append(time.monotonic() - begin)
        n += 1
        memory.look(test, process)
        n_ranges += check_snapshot(test, path)
        os.unlink(path)
        harness.fail_if(process.poll() is not None, f"it ended: {test.describe(process)}")
        time.sleep(max(0, EVERY_S - (time.monotonic() - begin)))
    minutes = (time.monotonic() - start) / 60
    with open(stop, "w", encoding="ascii"):
        pass
    harness.expect_equal(process.wait(60), 0, "exit status")
    check_snapshot(test, test.path("soak.rf"))
    memory.check()
    ring = info_of(test, test.path("soak.rf"))["ring"]
    print(f"{ring['n_recycled'] / 1e6:.0f} million records were recycled in {minutes:.1f} minutes; {n} snapshots of "
          f"{n_ranges / max(n, 1):.0f} ranges, each in {1000 * statistics.median(took):.0f} ms (median): all exact")
    print(f"the command line took {memory.resident[0] / 1024:.1f} MB at first, {memory.resident[-1] / 1024:.1f} MB at last, "
          f"{max(memory.resident) / 1024:.1f} MB at most; the ring of {RING_MB} MB held {max(memory.held) / 2**20:.1f} MB at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--minutes", type=float, default=60)
    arguments = parser.parse_args()
    test = harness.Test(arguments.build)
    try:
        soak(test, arguments.minutes)
    except harness.Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    finally:
        test.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
