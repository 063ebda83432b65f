# SPDX-License-Identifier: Apache-2.0
"""What a trace has to hold: read from the SQLite export of the same recording."""

import collections
import json
import sqlite3

# Names that are no UTF-8 are shown with U+FFFD, and of long ones the beginning.
MAX_TEXT = 1 << 20

PUSH_POP = (59, 70)
START_END = (60, 71)
MARK = (34, 42)

CUDA_CALL, OS_CALL = "cuda", "osrt"
WORK_TABLES = {
    "CUPTI_ACTIVITY_KIND_KERNEL": "kernel", "CUPTI_ACTIVITY_KIND_MEMCPY": "memcpy",
    "CUPTI_ACTIVITY_KIND_MEMSET": "memset", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "graph",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "sync",
}

# Columns of work that every form shows.
WORK_ARGS = {"deviceId": "device", "contextId": "context", "streamId": "stream",
             "correlationId": "correlation", "registersPerThread": "registers", "bytes": "bytes",
             "graphId": "graph"}


def shown(text):
    """A text as viewers get it; bytes or None."""
    if text is None:
        return "(null)"
    return clean(text.decode("utf-8", "ignore"))


def clean(text):
    """What is compared of a text: what stands for wrong bytes differs, and the ends of long ones."""
    return text.replace("\ufffd", "").encode()[:MAX_TEXT].decode("utf-8", "ignore")


def number(value):
    """A payload, however it is written: floats have seven digits."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value & (1 << 64) - 1)


class Export:
    """An SQLite export."""

    def __init__(self, path):
        self._database = sqlite3.connect(path)
        self._database.text_factory = bytes
        self._database.row_factory = sqlite3.Row
        self._tables = {row[0].decode() for row in self._database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = {row["id"]: row["value"] for row in self.rows("StringIds")}
        self.pids = {row["globalPid"]: row["pid"] for row in self.rows("RANGEFINDER_PROCESSES")}
        self.tids = {row["globalTid"]: row["tid"] for row in self.rows("RANGEFINDER_THREADS")}
        self.events = self._events()
        self.calls = self._calls()
        self.works = self._works()
        self.counters = self._counters()
        self._database.close()

    def rows(self, table):
        """All of a table, as it stands; none where there is no such table."""
        if table not in self._tables:
            return []
        return self._database.execute(f"SELECT rowid AS place, * FROM {table}").fetchall()

    def _pid(self, global_tid):
        return self.pids[global_tid & ~0xffffff]

    def processes(self):
        return self._processes

    # -- annotations

    def _events(self):
        """(pid, start, duration, name, arguments) and the thread, of ranges and marks."""
        domains, categories, found = {}, {}, []
        self._processes = [(row["pid"], row["name"]) for row in self.rows("RANGEFINDER_PROCESSES")]
        self._threads = [(self._pid(row["globalTid"]), row["tid"], row["name"])
                         for row in self.rows("RANGEFINDER_THREADS") if row["events"] > 0]
        process = {row["processId"]: row["globalPid"] for row in self.rows("RANGEFINDER_PROCESSES")}
        for row in self.rows("RANGEFINDER_DOMAINS"):
            name = row["name"] if row["isValid"] else row["handle"]
            domains[process[row["processId"]], row["domainId"], row["isValid"]] = name
        odd = {row["eventId"] for row in self.rows("RANGEFINDER_NVTX_NOTES")}
        rows = self.rows("NVTX_EVENTS")
        for row in rows:
            if row["eventType"] == 33:
                key = row["globalTid"] & ~0xffffff, row["domainId"], row["category"]
                categories[key] = row["text"]
        for row in rows:
            if row["eventType"] in PUSH_POP + START_END + MARK:
                found.append(self._event(row, domains, categories, row["place"] in odd))
        return found

    def threads(self):
        """(pid, tid, name) of those with annotations."""
        return self._threads

    def _event(self, row, domains, categories, is_odd):
        process = row["globalTid"] & ~0xffffff
        text = row["text"] if row["text"] is not None else self.strings.get(row["textId"])
        args = {}
        if row["category"] is not None:
            args["category"] = row["category"]
            name = categories.get((process, row["domainId"], row["category"]))
            if name is not None:
                args["category_name"] = shown(name)
        if row["color"] is not None:
            color = row["color"] & 0xffffffff
            args["color"] = f"#{color:08x}" if color >> 24 != 255 else f"#{color & 0xffffff:06x}"
        if row["eventType"] in START_END:
            args["range"] = row["rangeId"]
            args["thread"] = self.tids[row["globalTid"]]
            if row["endGlobalTid"] is not None:
                args["end_thread"] = self.tids[row["endGlobalTid"]]
        if not is_odd:  # notes tell what columns cannot: unknown domains, numbers that are none
            domain = domains.get((process, row["domainId"], 1))
            if domain is not None and row["domainId"] != 0:
                args["domain"] = shown(domain)
            args.update(payload_of(row))
        end = row["end"] if row["end"] is not None else row["start"]
        return Event(self._pid(row["globalTid"]), self.tids[row["globalTid"]], row["start"],
                     end - row["start"], shown(text), args, row["eventType"] in START_END, is_odd)

    # -- calls and GPU work

    def _calls(self):
        found = []
        for table, kind in (("CUPTI_ACTIVITY_KIND_RUNTIME", CUDA_CALL), ("OSRT_API", OS_CALL)):
            for row in self.rows(table):
                args = {}
                if kind == CUDA_CALL and row["correlationId"]:
                    args["correlation"] = row["correlationId"]
                if row["returnValue"]:
                    args["result"] = row["returnValue"]
                found.append(Call(self._pid(row["globalTid"]), self.tids[row["globalTid"]],
                                  row["start"], row["end"] - row["start"],
                                  shown(self.strings.get(row["nameId"])), args, kind))
        return found

    def _works(self):
        found = []
        linked = {(call.pid, call.args["correlation"]) for call in self.calls
                  if "correlation" in call.args}
        for table, kind in WORK_TABLES.items():
            for row in self.rows(table):
                pid = self.pids[row["globalPid"]]
                args = {word: row[column] & 0xffffffffffffffff
                        for column, word in WORK_ARGS.items()
                        if column in row.keys() and row[column] is not None}
                for word in ("correlation", "graph", "registers"):  # 0 is none
                    if not args.get(word):
                        args.pop(word, None)
                name = self._kernel_name(row) if kind == "kernel" else None
                is_linked = kind != "sync" and (pid, args.get("correlation")) in linked
                found.append(Work(pid, row["start"], row["end"] - row["start"], name, args, kind,
                                  is_linked))
        return found

    def _kernel_name(self, row):
        for column in ("shortName", "demangledName", "mangledName"):
            if row[column] is not None:
                return shown(self.strings.get(row[column]))
        return None

    # -- counters

    def _counters(self):
        """(name, [(time, value)]) of every counter with samples; values hold up to their time."""
        found = []
        for kind in ("GPU", "SOC"):
            samples = collections.defaultdict(list)
            for row in self.rows(f"{kind}_METRICS"):
                samples[row["typeId"], row["metricId"]].append((row["timestamp"], row["value"]))
            for row in self.rows(f"TARGET_INFO_{kind}_METRICS"):
                points = samples[row["typeId"], row["metricId"]]
                if points:
                    found.append((shown(row["metricName"]), sorted(points, key=lambda p: p[0])))
        return found


def payload_of(row):
    """The payload, if there is one that every form shows."""
    for column in ("uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value",
                   "floatValue"):
        if row[column] is not None:
            return {"payload": number(row[column])}
    if row["jsonText"] is not None:
        return dict(nested("payload", row["jsonText"].decode()))
    if "binaryData" in row.keys() and row["binaryData"] is not None:
        return {"payload": shown(row["binaryData"])}
    return {}


def nested(key, text):
    """(key, value) of a payload in JSON, a key per value as Perfetto writes them; null has none."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text  # another program's
    if isinstance(value, (dict, list)):
        return flat(key, value)
    return [(key, clean(text))]


def flat(key, value):
    if isinstance(value, dict):
        return [found for name in value for found in flat(f"{key}.{name}", value[name])]
    if isinstance(value, list):
        return [found for i, item in enumerate(value) for found in flat(f"{key}[{i}]", item)]
    if value is None:
        return []
    return [(key, clean(value) if isinstance(value, str) else number(value))]


Event = collections.namedtuple(
    "Event", "pid tid start duration name args is_start_end is_odd")
Call = collections.namedtuple("Call", "pid tid start duration name args kind")
Work = collections.namedtuple("Work", "pid start duration name args kind is_linked")
