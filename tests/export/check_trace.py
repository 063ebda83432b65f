#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_trace.py FILE...: whether Chrome traces are what viewers need.

Ids are whole numbers, tids never 0, pids only where a GPU is one (the flavor of PyTorch's
profiler); times are exact nanoseconds; every process and track has a name and a place; slices of a
track nest; asynchronous ranges have both ends; a flow begins inside a slice and ends in one.
"""
import collections
import decimal
import gzip
import json
import re
import sys

CONTROL = re.compile("[\x00-\x1f]")


class Checker:
    def __init__(self, path):
        self.path = path
        self.n_problems = 0
        self.is_kineto = False

    def wrong(self, what, event):
        self.n_problems += 1
        if self.n_problems <= 10:
            print(f"{self.path}: {what}: {event}", file=sys.stderr)

    def check_ids(self, events):
        for event in events:
            for key in ("pid", "tid"):
                least = 0 if self.is_kineto and (key == "pid" or event["ph"] == "M") else 1
                value = event.get(key, 1)
                if type(value) is not int or not least <= value < 2**32:
                    self.wrong(f"{key} is no usable id", event)
            needed = {"M": {"pid", "name", "args"}, "C": {"pid", "ts", "name", "args"}}.get(
                event["ph"], {"pid", "tid", "ts", "name", "cat"})
            if not needed <= event.keys():
                self.wrong("something is missing", event)

    def check_times(self, events):
        for event in events:
            for key in ("ts", "dur"):
                value = event.get(key, decimal.Decimal("0.000"))
                if type(value) is not decimal.Decimal or value.as_tuple().exponent != -3:
                    self.wrong(f"{key} has not three decimals", event)

    def check_counters(self, events):
        for event in events:
            if event["ph"] != "C":
                continue
            for value in event["args"].values():
                if value is not None and type(value) not in (int, decimal.Decimal):
                    self.wrong("a counter's value is no number", event)

    def check_names(self, events):
        named = {key: set() for key in ("process_name", "process_sort_index", "thread_name",
                                        "thread_sort_index")}
        for event in events:
            if event["ph"] == "M" and event["name"] in named:
                place = (event["pid"], event.get("tid") or None)
                if place in named[event["name"]]:
                    self.wrong("named twice", event)
                named[event["name"]].add(place)
        for event in events:
            if event["ph"] == "M":
                continue
            for key in ("process_name", "process_sort_index"):
                if (event["pid"], None) not in named[key]:
                    self.wrong(f"no {key}", event)
            for key in ("thread_name", "thread_sort_index"):
                if "tid" in event and (event["pid"], event["tid"]) not in named[key]:
                    self.wrong(f"no {key}", event)

    def check_slices(self, slices):
        for track in slices.values():
            open_ends = []
            for event in sorted(track, key=lambda e: (e["ts"], -e["dur"])):
                if event["dur"] < 0:
                    self.wrong("ends before it begins", event)
                while open_ends and open_ends[-1] <= event["ts"]:
                    open_ends.pop()
                if open_ends and open_ends[-1] < event["ts"] + event["dur"]:
                    self.wrong("crosses another slice", event)
                open_ends.append(event["ts"] + event["dur"])

    def check_async(self, events):
        is_open = collections.Counter()
        for event in events:
            if event["ph"] in "be":
                key = event["pid"], event["cat"], event["id2"]["local"], event["name"]
                is_open[key] += 1 if event["ph"] == "b" else -1
        for key, n in is_open.items():
            if n != 0:
                self.wrong("begins and ends differ", key)

    def check_flows(self, events, slices):
        starts = {place: {e["ts"] for e in track} for place, track in slices.items()}
        ends = {}
        for event in events:
            if event["ph"] not in "sf":
                continue
            key = (event["cat"], event["name"], event["id"])
            ends.setdefault(key, []).append(event)
            if event["ts"] not in starts.get((event["pid"], event["tid"]), ()):
                self.wrong("no slice begins with this flow", event)
            if event["ph"] == "f" and event.get("bp") != "e":
                self.wrong("does not end in the slice that is around it", event)
        for key, pair in ends.items():
            if sorted(event["ph"] for event in pair) != ["f", "s"]:
                self.wrong("a flow has not one start and one end", key)

    def check_text(self, data):
        """Outside of strings only newlines control anything; inside nothing does."""
        if CONTROL.search(data.replace("\n", "")):
            self.wrong("a control character stands in the file", "")
        for line in data.split("\n"):
            if line.startswith("{\"ph\"") and not line.rstrip(",").endswith("}"):
                self.wrong("a line is not one event", line)

    def read(self):
        opened = gzip.open if self.path.endswith(".gz") else open
        with opened(self.path, "rb") as file:
            return file.read().decode("utf-8")  # strictly

    def check(self):
        data = self.read()
        trace = json.loads(data, parse_float=decimal.Decimal)
        events = trace["traceEvents"]
        self.is_kineto = "schemaVersion" in trace
        slices = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                slices[event["pid"], event["tid"]].append(event)
        self.check_text(data)
        self.check_ids(events)
        self.check_times(events)
        self.check_names(events)
        self.check_counters(events)
        self.check_slices(slices)
        self.check_async(events)
        self.check_flows(events, slices)
        return self.n_problems == 0


if __name__ == "__main__":
    sys.exit(0 if all([Checker(path).check() for path in sys.argv[1:]]) else 1)
