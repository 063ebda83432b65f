# SPDX-License-Identifier: Apache-2.0
"""NVTX's memory extension: regions as rows, bytes in use as counters, and what makes no sense."""

import json

from harness import expect_equal, fail_if


class Found:
    """What a recording has: regions, heaps, samples {heap: [bytes]}, notes {reason: how often}."""

    def __init__(self, test, run, path=None):
        path = path or run.output
        done = test.command("export", "-t", "jsonl", "-o", "-", path)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        of = lambda kind: [line for line in lines if line["type"] == kind]
        self.regions, self.heaps = of("nvtx_region"), of("nvtx_heap")
        names = {line["counter"]: line["name"].removeprefix("memory in use: ") for line in of("counter")}
        self.pids = {line["counter"]: line["pid"] for line in of("counter")}
        self.units = {line["unit"] for line in of("counter")}
        self.samples = {}
        for line in of("sample"):
            self.samples.setdefault(names[line["counter"]], []).append(line["value"])
        self.info = json.loads(test.command("info", "--json", path).stdout)
        self.notes = {row["reason"].split(":")[0]: row["rows"] for row in self.info["not_read"]}


def case_memory_lies(test):
    """Batches whose sizes are wrong are refused and counted, and nothing is read behind them."""
    run = test.record("memory", "lies", compare=False)
    run.check_nothing_lost()
    found = Found(test, run)
    expect_equal([(r["heap"], r["address"], r["bytes"]) for r in found.regions],
                 [("process", 0x1000, 10), ("unknown heap", 0x5000, 50)], "regions")
    expect_equal(found.regions[1]["ended_by"], "heap reset", "the region of an unknown heap")
    expect_equal(found.notes, {
        "calls with more elements than memory can hold": 3,
        "calls with elements of a size that does not fit their type": 2,
        "calls without a structure or elements": 6,
        "calls with a type of memory or reference that is not known": 2,
        "calls with a structure of another version, or one that is too short": 2,
        "calls for a region that is not registered, or no longer": 2,
        "calls for a heap that was not registered": 2,
    }, "what is counted")


def case_memory_twice(test):
    """Regions at one address: of one heap the later one goes before, of two heaps both are there."""
    found = Found(test, test.record("memory", "twice", compare=False))
    rows = [(r["heap"], r["bytes"], r.get("ended_by")) for r in found.regions]
    expect_equal(rows, [("outer", 4096, "unregister"), ("inner", 100, "register"), ("inner", 300, "unregister"),
                        ("inner", 7, "heap unregister"), ("inner", 9, None)], "regions")
    expect_equal(found.samples["inner"], [100, 300, 0, 7, 0, 9], "bytes of inner")
    expect_equal(found.samples["outer"], [4096, 0], "bytes of outer")
    expect_equal(found.units, {"bytes"}, "units")
    expect_equal(found.notes, {
        "regions registered at the address of one of the same heap": 1,
        "calls for a region that is not registered, or no longer": 1,
        "calls for a heap that was unregistered before": 2,
    }, "what is counted")
    heaps = {heap["name"]: (heap["address"], heap["bytes"], heap["most_bytes"], heap["num_regions"])
             for heap in found.heaps}
    expect_equal(heaps, {"outer": (0x10000, 65536, 4096, 1), "inner": (0x10000, 4096, 300, 4)}, "heaps")


def case_memory_peak(test):
    """The most bytes that were in use are among the samples, though they were fewer at the same time. A clock that
    ticks rarely makes one time of several calls."""
    found = Found(test, test.record("memory", "peak", compare=False))
    expect_equal(found.samples["peak"], [7, 157, 67, 0], "bytes of peak")
    expect_equal([heap["most_bytes"] for heap in found.heaps], [157], "most bytes of the heap")
    expect_equal(found.notes, {"regions registered at the address of one of the same heap": 1}, "what is counted")


def case_memory_threads(test):
    """Each thread has its heap, and a row says which thread it was."""
    run = test.record("memory", "threads", "8", compare=False)
    run.check_nothing_lost()
    found = Found(test, run)
    expect_equal(len(found.regions), 8000, "regions")
    expect_equal(found.notes, {}, "what is counted")
    most = sum(1 + i % 7 for i in range(1000))
    for i in range(8):
        name = f"of thread {i}"
        mine = [r for r in found.regions if r["heap"] == name]
        expect_equal(len({r["tid"] for r in mine}), 1, "threads of a heap")
        expect_equal((max(found.samples[name]), found.samples[name][-1]), (most, 0), "bytes in use")
    ended = [r["ended_by"] for r in found.regions]
    expect_equal((ended.count("unregister"), ended.count("heap unregister")), (4000, 4000), "ends")


def case_memory_many(test):
    """A batch that needs many records; the handles are those that the program got."""
    run = test.record("memory", "many", "100003", compare=False)
    run.check_nothing_lost()
    found = Found(test, run)
    expect_equal(len(found.regions), 100003, "regions")
    expect_equal({r.get("ended_by") for r in found.regions}, {"unregister"}, "ends")
    expect_equal((max(found.samples["many"]), found.samples["many"][-1]), (16 * 100003, 0), "bytes in use")


def case_memory_fork(test):
    """A child has its parent's heaps, but none of its regions."""
    found = Found(test, test.record("memory", "fork", compare=False))
    expect_equal(sorted((r["heap"], r["bytes"], r.get("ended_by", "")) for r in found.regions),
                 [("shared", 100, "unregister"), ("shared", 200, "")], "regions")
    fail_if(len({r["pid"] for r in found.regions}) != 2, "both are of one process")
    expect_equal(sorted(found.samples["shared"]), [0, 100, 200], "bytes in use")
    expect_equal(found.notes, {"calls for a region that is not registered, or no longer": 1}, "what is counted")


def case_memory_capture(test):
    """A capture has its heaps and the regions registered in it; the calls outside of it are counted."""
    run = test.record("memory", "capture", compare=False,
                      options=["-c", "nvtx", "-p", "work@allocator", "--nvtx-capture-unregistered=true"])
    found = Found(test, run)
    expect_equal([(r["heap"], r["bytes"], r.get("ended_by")) for r in found.regions], [("pool", 200, None)], "regions")
    expect_equal([heap["name"] for heap in found.heaps], ["pool"], "heaps")
    expect_equal(found.notes, {"calls for a region that is not registered, or no longer": 1}, "what is counted")
    expect_equal(found.info["n_memory_calls"], 2, "calls before and after the capture")
    text = test.command("info", run.output).stdout
    fail_if(b"2 calls of NVTX's memory extension" not in text, text.decode())


def case_memory_tracks(test):
    """Bytes in use are a track of counters in Chrome's and Perfetto's form, and in reports."""
    run = test.record("memory", "twice", compare=False)
    name = "allocator:memory in use: inner"
    done = test.command("export", "-t", "json", "-o", "-", run.output)
    events = [e for e in json.loads(done.stdout)["traceEvents"] if e["ph"] == "C" and e["name"] == name]
    expect_equal([e["args"]["value"] for e in events], [100, 300, 0, 7, 0, 9], "Chrome's counter")
    path = test.path("twice.pftrace")
    test.command("export", "-t", "perfetto", "-o", path, run.output)
    with open(path, "rb") as file:
        fail_if(name.encode() not in file.read(), "no track in Perfetto's form")
    done = test.command("stats", "-r", "nvtx_counter_sum", "-f", "json", run.output)
    rows = [row for row in json.loads(done.stdout) if row["Counter"] == name]
    expect_equal([(row["Samples"], row["Min"], row["Max"], row["Last"]) for row in rows], [(6, 0, 300, 9)], "report")


def case_memory_sqlite(test):
    """A database has the rows and the counters, and gives them back when it is opened."""
    run = test.record("memory", "twice", compare=False)
    path = test.path("twice.sqlite")
    done = test.command("export", "-t", "sqlite", "-o", path, run.output)
    expect_equal(done.status, 0, done.stderr.decode())
    ours, theirs = Found(test, run), Found(test, run, path)
    expect_equal(theirs.samples, ours.samples, "bytes in use")
    for kind in ("regions", "heaps"):
        strip = lambda rows: [{k: v for k, v in row.items() if k not in ("thread", "start_ns", "end_ns")} for row in rows]
        expect_equal(strip(getattr(theirs, kind)), strip(getattr(ours, kind)), kind)
