# SPDX-License-Identifier: Apache-2.0
"""Events with times and scopes of their own: what deferred.c submits is shown where it says."""

import csv
import json
import sqlite3

from harness import expect_equal, fail_if

KINDS = ("mark", "push_pop", "start_end")


def lines_of(test, run, *options):
    out = test.command("export", "-t", "jsonl", *options, "-o", "-", run.output).stdout
    return [json.loads(line) for line in out.splitlines()]


def events_of(lines):
    return [line for line in lines if line["type"] in KINDS]


def one(events, name):
    (found,) = [e for e in events if e["name"] == name]
    return found


def check_forms(test, run):
    """The field `scope` stands in every form."""
    outputs = {}
    for form in "csv", "text", "json", "sqlite", "perfetto":
        outputs[form] = test.path(f"out.{form}")
        test.command("export", "-t", form, "-f", "-o", outputs[form], run.output)
    with open(outputs["csv"], newline="") as file:
        row = next(r for r in csv.DictReader(file) if r["name"] == "on the engine")
    expect_equal(row["scope"], "gpu/engine", "scope in CSV")
    with open(outputs["text"]) as file:
        line = next(text for text in file if "on the engine" in text)
    fail_if("[scope gpu/engine, " not in line, f"no scope in text: {line}")
    with open(outputs["json"]) as file:
        begin = next(e for e in json.load(file)["traceEvents"] if e.get("name") == "on the engine")
    expect_equal(begin["args"]["scope"], "gpu/engine", "scope in Chrome's trace")
    with open(outputs["perfetto"], "rb") as file:
        content = file.read()
    fail_if(b"gpu/engine" not in content, "no scope in Perfetto's trace")
    db = sqlite3.connect(outputs["sqlite"])
    (scope,) = db.execute("SELECT value FROM NVTX_EVENTS e JOIN RANGEFINDER_NVTX_PARENTS p ON p.eventId = e.rowid "
                          "JOIN StringIds s ON s.id = p.scope WHERE text = 'on the engine'").fetchone()
    expect_equal(scope, "gpu/engine", "scope in SQLite")
    db.close()


def case_deferred_events(test):
    """Batches and single events, sorted into place by their times."""
    run = test.record("deferred", "events", compare=False)
    lines = lines_of(test, run)
    mono = lines[0]["epoch_monotonic_ns"]
    events = events_of(lines)
    starts = [e["start_ns"] for e in events]
    expect_equal(starts, sorted(starts), "order of events")
    for e in events:
        payload = e.get("payload")
        if isinstance(payload, dict) and "begin" in payload and e["name"] != "inverse":
            expect_equal((e["start_ns"] + mono, e["end_ns"] + mono), (payload["begin"], payload["end"]), e["name"])
    found = {e["name"]: (e["type"], e.get("scope")) for e in events}
    expect_equal({name: found[name] for name in ("live", "outer", "crossing", "early", "late", "on the engine",
                                                 "of the batch", "inverse")},
                 {"live": ("push_pop", None), "outer": ("push_pop", None), "crossing": ("start_end", None),
                  "early": ("push_pop", None), "late": ("start_end", None),
                  "on the engine": ("start_end", "gpu/engine"), "of the batch": ("start_end", "process"),
                  "inverse": ("start_end", "gpu/engine")}, "kinds and scopes")
    inverse = one(events, "inverse")
    expect_equal((inverse["duration_ns"], inverse["flags"]), (0, "clamped"), "a range whose end is before its begin")
    flexible = [e for e in events if e["type"] == "mark" and "values" in (e.get("payload") or {})]
    expect_equal([(e["name"], e["payload"]["values"]) for e in flexible],
                 [("second", []), ("first", [10, 11]), ("first", [7])], "a batch with flexData")
    expect_equal([e["start_ns"] + mono for e in flexible], [e["payload"]["at"] for e in flexible], "their times")
    check_pairs(events, mono)
    expect_equal(lines[0]["unmatched_ends"], 1, "ends without a begin")
    fail_if(one(events, "early mark")["start_ns"] >= 0, "a mark before the recording stands in it")
    fail_if(one(events, "late mark")["start_ns"] <= lines[0]["end_ns"], "a mark after the recording stands in it")
    check_forms(test, run)


def check_pairs(events, mono):
    mark = one(events, "mark")
    at = mark["payload"]["at"] - mono
    expect_equal(mark["start_ns"], at, "a mark")
    ranges = [e for e in events if e["type"] == "start_end" and isinstance(e.get("payload"), list)]
    expect_equal([([p["text"] for p in e["payload"]], e["start_ns"] - at, e["end_ns"] - at) for e in ranges],
                 [(["outer push", ""], 0, 3), (["start", ""], 1, 9), (["inner push", ""], 1, 2)],
                 "begins and ends that were submitted one by one")
    no_end = one(events, "no end")
    expect_equal((no_end["start_ns"] - at, no_end["range_id"], no_end["cut"]), (2, "0x8", "process ended"),
                 "a begin without an end")


def case_deferred_unknown(test):
    """What has no time that is known stands where it was submitted, and is counted."""
    run = test.record("deferred", "unknown", compare=False)
    lines = lines_of(test, run)
    placed = one(events_of(lines), "placed")
    fail_if(not 0 <= placed["start_ns"] <= lines[0]["end_ns"], f"not within the recording: {placed}")
    info = test.command("info", run.output).stdout
    info = info if isinstance(info, str) else info.decode()
    fail_if("shown where they were submitted" not in info, f"the placed event is not counted: {info}")
    fail_if("left out" not in info, f"what was left out is not counted: {info}")


def case_deferred_clocks(test):
    """Clocks of the program's own: what has their times stands where it happened."""
    lines = lines_of(test, test.record("deferred", "clocks", compare=False))
    events, samples = events_of(lines), [line for line in lines if line["type"] == "sample"]
    by_points = one(events, "by points")["start_ns"]
    expect_equal(one(events, "by slope")["start_ns"], by_points + 1_000_000, "by slope")
    expect_equal([s["start_ns"] - by_points for s in samples], [-400_000_000, -300_000_000], "samples")
    off = one(events, "by source")["start_ns"] - (by_points - 250_000_000)
    fail_if(abs(off) > 5_000_000, f"by source: {off} ns off")
    placed = [line for line in events + samples if "placed" in line.get("flags", "")]
    expect_equal(placed, [], "what has no time of its own")


def tracks_of(trace):
    """In Chrome's trace: the tracks of events by their names, without the numbers of lanes."""
    names = {e["tid"]: e["args"]["name"].split(" (")[0] for e in trace if e["name"] == "thread_name"}
    found = {}
    for e in trace:
        if e.get("cat") == "nvtx":
            found.setdefault(names[e["tid"]], set()).add((e["name"], e["tid"]))
    return found


def case_deferred_places(test):
    """Events of two threads and two domains, all of one place, are on tracks of that place: those that overlap on
    different ones. (perfetto.engine-recordings has Perfetto's.)"""
    run = test.record("deferred", "places", compare=False)
    names = {"request 1", "request 2", "request 3", "request 4", "job", "step", "done"}
    for options, tracks in ((), {"disk[0]"}), (("--tracks=category",), {"disk[0]", "disk[0]: category 3",
                                                                       "disk[0]: engine: category 3"}):
        path = test.path("places.json")
        test.command("export", "-t", "json", "-f", *options, "-o", path, run.output)
        with open(path) as file:
            trace = json.load(file)["traceEvents"]
        found = tracks_of(trace)
        expect_equal(set(found), tracks, f"tracks {options}")
        expect_equal({name for track in found.values() for name, _ in track}, names, "what is on them")
        expect_equal(sum(e.get("cat") == "nvtx" for e in trace), 3 * len(names), "each event once")
        expect_equal({e["ph"] for e in trace if e.get("cat") == "nvtx"}, {"X", "i"}, "slices and instants")
    test.command("export", "-t", "json", "-f", "--flavor=kineto", "-o", path, run.output)
    with open(path) as file:
        fail_if(any(e["name"] == "thread_name" and "disk" in e["args"]["name"] for e in json.load(file)["traceEvents"]),
                "PyTorch's flavor has a track of the place")


def case_deferred_counters(test):
    """Entries that are counters in payloads of events are counters, sampled when the event began, or ended."""
    run = test.record("deferred", "counters", compare=False)
    lines = lines_of(test, run)
    at = min(e["payload"]["at"] for e in events_of(lines) if e["type"] == "mark") - lines[0]["epoch_monotonic_ns"]
    counters = {line["name"]: line for line in lines if line["type"] == "counter"}
    name_of = {line["counter"]: name for name, line in counters.items()}
    samples = {}
    for line in lines:
        if line["type"] == "sample":
            samples.setdefault(name_of[line["counter"]], []).append((line["start_ns"] - at, line["value"]))
    times = 0, 10, 20
    expected = {"depth": [-3, 5, 4], "cells[0]": [1] * 3, "cells[1]": [2] * 3, "load": [0.5] * 3, "memory.used": [7] * 3}
    expect_equal(samples, {name: list(zip(times, values)) for name, values in expected.items()}, "samples")
    expect_equal({line.get("domain") for line in counters.values()}, {"engine"}, "their domain")
    expect_equal((counters["depth"]["number"], counters["memory.used"]["number"], counters["load"]["number"],
                  counters["memory.used"]["description"]), ("int64", "uint64", "double", "in use"), "what they are")
    mark = next(e for e in events_of(lines) if e["type"] == "mark")
    expect_equal((mark["payload"]["depth"], mark["payload"]["cells"]), (-3, [1, 2]), "the payload")
    path, db_path = test.path("counters.json"), test.path("counters.sqlite")
    test.command("export", "-t", "json", "-f", "-o", path, run.output)
    with open(path) as file:
        names = {e["name"] for e in json.load(file)["traceEvents"] if e["ph"] == "C"}
    expect_equal(names, {f"engine:{name}" for name in expected}, "counters in Chrome's trace")
    test.command("export", "-t", "sqlite", "-f", "-o", db_path, run.output)
    again = [json.loads(line) for line in test.command("export", "-t", "jsonl", "-o", "-", db_path).stdout.splitlines()]
    expect_equal([(s["counter"], s["start_ns"], s["value"]) for s in again if s["type"] == "sample"],
                 [(s["counter"], s["start_ns"], s["value"]) for s in lines if s["type"] == "sample"],
                 "samples of the database that is opened again")


def check_far_forms(test, run, info, names):
    """Viewers and databases have these events within the recording, and say that they are placed."""
    chrome, db_path = test.path("far.json"), test.path("far.sqlite")
    test.command("export", "-t", "json", "-f", "-o", chrome, run.output)
    with open(chrome) as file:
        events = [e for e in json.load(file)["traceEvents"] if "ts" in e]
    fail_if(not all(0 <= e["ts"] * 1000 <= info["end_ns"] for e in events), "Chrome's trace has a time outside")
    placed = {e["name"] for e in events if e.get("args", {}).get("flags") == "placed"}
    expect_equal(placed, names, "flags in Chrome's trace")
    expect_equal(next(e for e in events if e["name"] == "too late")["args"]["payload"]["at"], str(2**63 - 1),
                 "the stated time")
    test.command("export", "-t", "perfetto", "-f", "-o", test.path("far.pftrace"), run.output)
    with open(test.path("far.pftrace"), "rb") as file:
        fail_if(b"placed" not in file.read(), "no flag in Perfetto's trace")
    test.command("export", "-t", "sqlite", "-f", "-o", db_path, run.output)
    db = sqlite3.connect(db_path)
    (low, high), = db.execute("SELECT min(start), max(ifnull(end, start)) FROM NVTX_EVENTS")
    fail_if(low < 0 or high > info["end_ns"], f"SQLite has a time outside: {low}, {high}")
    noted = {name for name, in db.execute("SELECT text FROM NVTX_EVENTS e JOIN RANGEFINDER_NVTX_NOTES n "
                                          "ON n.eventId = e.rowid WHERE note LIKE '%placed'")}
    expect_equal(noted, names, "notes in SQLite")
    db.close()
    again = test.command("export", "-t", "jsonl", "-o", "-", db_path).stdout
    expect_equal({e["name"] for e in events_of([json.loads(line) for line in again.splitlines()])
                  if e.get("flags") == "placed"}, names, "flags of the database that is opened again")


def case_deferred_far(test):
    """Times far outside of the recording are not used: what has one stands where it was submitted, and is counted."""
    run = test.record("deferred", "far", compare=False)
    lines = lines_of(test, run)
    info, events = lines[0], events_of(lines)
    for e in events:
        fail_if(not 0 <= e["start_ns"] <= e.get("end_ns", 0) + info["end_ns"], f"not within the recording: {e}")
        fail_if(e.get("flags") != "placed", f"not marked: {e}")
    names = {"called", "too early", "too late", "no end", "no begin", "start"}
    expect_equal({e["name"] for e in events}, names, "events")
    at = one(events, "no end")["payload"]["begin"] - info["epoch_monotonic_ns"]
    expect_equal([(one(events, n)["start_ns"] - at, one(events, n)["end_ns"] - at) for n in ("no end", "no begin")],
                 [(0, 0), (0, 0)], "ranges of which one end is far")
    samples = sorted(line["start_ns"] for line in lines if line["type"] == "sample")
    fail_if(not 0 <= samples[0] <= samples[1] <= info["end_ns"], f"a sample outside of the recording: {samples}")
    skipped = {(s["table"], s["reason"].split(":")[0]): s["rows"]
               for s in json.loads(test.command("info", "--json", run.output).stdout)["not_read"]}
    far = "far outside of the recording"
    expect_equal((skipped[("NVTX events", f"a time of its own {far}")],
                  skipped[("NVTX counters", f"samples with a time {far}")]), (6, 1), "what is counted")
    check_far_forms(test, run, info, names)


def case_deferred_calls(test):
    """Calls whose payloads have times and scopes."""
    run = test.record("deferred", "calls", compare=False)
    lines = lines_of(test, run)
    mono = lines[0]["epoch_monotonic_ns"]
    events = events_of(lines)
    range_ = one(events, "range")
    at = range_["payload"]["begin"] - 1 - mono
    expect_equal([(e["type"], e["start_ns"] - at, e.get("end_ns", at) - at, e.get("scope")) for e in events],
                 [("start_end", 0, 7, None), ("mark", 0, 0, None), ("push_pop", 1, 2, "process")], "dated calls")


def check_captured(test, options):
    output = test.path(f"captured{len(options)}.rf")
    run = test.run([test.rangefinder, "profile", "-o", output, *options, test.program("deferred"), "captured"])
    run.output = output
    lines = lines_of(test, run)
    found = {e["name"]: (e["start_ns"], e.get("end_ns"), e.get("cut")) for e in events_of(lines)}
    expect_equal(set(found), {"step", "inside", "placed", "never ended", "overlapping", "future"}, "what lies in the capture")
    begin, end = found["step"][:2]
    fail_if(not begin <= found["inside"][0] <= end, f"'inside' is not inside: {found}")
    fail_if(not found["overlapping"][0] < begin, f"a range that was open lost its begin: {found}")
    for name in "never ended", "future":
        fail_if(found[name][1] > lines[0]["end_ns"] or found[name][2] != "capture ended", f"not cut: {found}")
    samples = [line["value"] for line in lines if line["type"] == "sample"]
    expect_equal(samples, [2], "samples in the capture")
    info = json.loads(test.command("info", "--json", run.output).stdout)
    skipped = {(s["table"], s["reason"].split(":")[0]): s["rows"] for s in info["not_read"]}
    expect_equal(skipped[("NVTX events", "submitted in a capture, with a time outside of it")], 3,
                 "events of times outside of the capture")
    (n,) = [n for (table, reason), n in skipped.items() if table == "NVTX counters" and "outside" in reason]
    expect_equal(n, 1, "samples of times outside of the capture")
    return run, info


def case_deferred_captured(test):
    """In a focused run events are recorded if they were submitted in a capture and lie in it; all others are counted."""
    trigger = "-c", "nvtx", "-p", "step", "--nvtx-capture-unregistered"
    for options in (trigger, (*trigger, "--keep-open-ranges=false"), ("-c", "cudaProfilerApi")):
        run, info = check_captured(test, options)
        said = (run.stdout + run.stderr).decode()
        fail_if("4 calls submitted deferred events or samples outside of captures: not recorded" not in said,
                f"what came outside of the capture is not said: {said}")
        fail_if(not 2 <= info["n_uncaptured"] <= 4, f"not counted: {info['n_uncaptured']}")
        text = test.command("info", run.output).stdout
        text = text if isinstance(text, str) else text.decode()
        fail_if("that submitted deferred events or samples outside of captures" not in text, f"info is silent: {text}")
