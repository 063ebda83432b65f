# SPDX-License-Identifier: Apache-2.0
"""What our own rules say of every trace, and what a database says of one."""

import collections
import glob
import os
import sqlite3
import subprocess
import sys

from harness import Failure, expect_equal, fail_if
from ranks import DATA, Rank, export, read, unpack

CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "export",
                       "check_trace.py")


def check(path):
    done = subprocess.run([sys.executable, CHECKER, path], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{path}: {done.stderr}")


def recordings(test):
    folder = os.path.join(DATA, "nsys_exports")
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.sqlite.gz"), recursive=True)):
        yield unpack(test, os.path.relpath(path, folder)[:-3])
    yield from sorted(glob.glob(os.path.join(DATA, "..", "golden", "*.rf")))


def case_rules(test):
    n = 0
    for source in recordings(test):
        for options in ((), ("--flavor=kineto",)):
            check(export(test, source, test.path("out.json.gz"), "-f", *options))
            n += 1
    fail_if(n < 60, f"only {n} traces were checked")


def case_checker_finds_faults(test):
    """A checker that passes everything checks nothing."""
    source = unpack(test, "a_1proc_text.sqlite")
    whole = open(export(test, source, test.path("whole.json")), encoding="utf-8").read()
    faults = {
        "a tid of 0": ('"tid":1000,', '"tid":0,'),
        "a rounded time": (".000,", ","),
        "an unnamed track": ('"name":"thread_name"', '"name":"thread_title"'),
        "a flow that ends nowhere": ('{"ph":"f",', '{"ph":"t",'),
        "a flow outside": ('"ph":"s"', None),
        "a control character": ('"name":"iteration 0"', '"name":"iteration\t0"'),
        "a crossing": ('"name":"forward"', None),
    }
    for what, (old, new) in faults.items():
        changed = whole.replace(old, new or "", 1)
        if what in ("a flow outside", "a crossing"):  # another digit before its time or duration
            key = '"ts":' if what == "a flow outside" else '"dur":'
            at = whole.index(key, whole.index(old)) + len(key)
            changed = whole[:at] + "1" + whole[at:]
        fail_if(changed == whole, f"{what}: the trace has no such place")
        path = test.path("faulty.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
        try:
            check(path)
        except Failure:
            continue
        raise Failure(f"the checker does not see {what}")


def ns(value):
    return round(value * 1000)


def case_rows(test):
    """Every kernel, copy, set, call and range of a database, to the nanosecond."""
    for name, pids in (("a_1proc_text", [1000]), ("c_real_h100_2gpu", [111, 112]),
                       ("d_4proc_same_device", [1000, 1003])):
        source = unpack(test, name + ".sqlite")
        for number, pid in enumerate(pids):
            check_rows(Rank(test, source, pid, number))


def check_rows(rank):
    trace = read(rank.path)
    expect_equal(trace["distributedInfo"]["rank"], rank.number, "rank")
    found = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        found[event.get("cat"), event["ph"]].append(event)
    work = collections.Counter(
        (kind, e["args"]["device"], e["args"]["stream"], ns(e["ts"]), ns(e["ts"] + e["dur"]))
        for kind in ("kernel", "gpu_memcpy", "gpu_memset") for e in found[kind, "X"])
    expect_equal(work, collections.Counter((w.kind, w.device, w.stream, w.start, w.end)
                                           for w in rank.work), "GPU work")
    calls = collections.Counter((e["name"], ns(e["ts"]), ns(e["ts"] + e["dur"]))
                                for e in found["cuda_runtime", "X"])
    expect_equal(calls, collections.Counter((c.name, c.start, c.end) for c in rank.calls), "calls")
    expect_equal(len(found["cpu_op", "X"]) + len(found["user_annotation", "X"]), rank.ranges,
                 "ranges")
    check_links(found)


def check_links(found):
    """What belongs together has the same ids."""
    calls = {e["args"]["correlation"]: e for e in found["cuda_runtime", "X"]}
    ends = {e["id"]: e for e in found["ac2g", "f"]}
    for begin in found["ac2g", "s"]:
        end = ends[begin["id"]]
        fail_if(end["ts"] < begin["ts"], f"work begins before its call: {begin}, {end}")
        expect_equal(calls[begin["id"]]["ts"], begin["ts"], "where an arrow begins")
    ranges = {e["args"]["External id"]: e
              for kind in ("cpu_op", "user_annotation") for e in found[kind, "X"]}
    for event in found["gpu_user_annotation", "X"]:
        expect_equal(event["name"], ranges[event["args"]["External id"]]["name"], "annotation")
    for event in found["kernel", "X"]:
        owner = ranges.get(event["args"].get("External id"))
        fail_if(owner is not None and owner["cat"] != "cpu_op", f"not an operator: {owner}")


def case_counters(test):
    """A sample stands for the time before it; viewers draw what follows a value."""
    source = unpack(test, "a_1proc_text.sqlite")
    db = sqlite3.connect(source)
    db.execute("CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER,"
               " typeName TEXT, metricId INTEGER, metricName TEXT)")
    db.execute("CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER,"
               " typeId INTEGER, metricId INTEGER, value INTEGER)")
    db.execute("INSERT INTO TARGET_INFO_GPU_METRICS VALUES"
               " (281543712968704, 1, 'General Metrics', 3, 'SMs Active [Throughput %]')")
    db.executemany("INSERT INTO GPU_METRICS VALUES (NULL, ?, 281543712968704, 3, ?)",
                   [(1000100000, 10), (1000200000, 75), (1000300001, 0)])
    db.commit()
    db.close()
    for options in ((), ("--flavor=kineto",)):
        path = export(test, source, test.path("out.json.gz"), "-f", *options)
        check(path)
        found = [event for event in read(path)["traceEvents"] if event["ph"] == "C"]
        expect_equal([(ns(e["ts"]), e["args"]["value"], e["name"]) for e in found],
                     [(start, value, "SMs Active [Throughput %]") for start, value in
                      ((1000000000, 10), (1000100000, 75), (1000200000, 0))], "samples")
