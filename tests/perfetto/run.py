# SPDX-License-Identifier: Apache-2.0
"""run.py PROGRAM: reads what perfetto_traces (PROGRAM) writes, and compares it with the same
recordings as JSON lines."""

import collections
import gzip
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import decode  # noqa: E402
import unique_json  # noqa: E402

MAX_TEXT = 1 << 20  # bytes of a name that are shown
NAMES = ["sample", "focused", "gpu", "empty", "hostile", "crossing", "many",
         "counters", "categories", "nvtx_counters"]


def equal(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, not {expected!r}")


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return unique_json.lines(file.read())


def shown(text):
    if text is None:
        return "(null)"
    data = text.encode("utf-8", "surrogatepass")[:MAX_TEXT]
    return data.decode("utf-8", "ignore")



def compare_nvtx(trace, rows, name):
    """Every range and mark, with exact times, once."""
    base = trace.base
    expected = collections.Counter()
    for row in rows:
        if row.get("type") in ("push_pop", "start_end"):
            expected[(row["start_ns"], row["end_ns"], shown(row["name"]))] += 1
        elif row.get("type") == "mark":
            expected[(row["start_ns"], row["start_ns"], shown(row["name"]))] += 1
    found = collections.Counter()
    for event in trace.slices + trace.instants:
        if event.category == "nvtx":
            found[(event.start - base, event.end - base, event.name)] += 1
    equal(found, expected, f"{name}: annotations")


def check_sample(trace):
    values = [s.args for s in trace.slices + trace.instants if "payload" in s.args]
    if not any(isinstance(v["payload"], float) for v in values):
        raise AssertionError("no payload is a number with a fraction")
    for key in ("color", "category", "category_name", "cut", "flags", "range"):
        if not any(key in s.args for s in trace.slices + trace.instants):
            raise AssertionError(f"nothing has an annotation {key}")
    equal(set(trace.clocks), {1, 3, 6}, "clocks")
    begin = min(s.start for s in trace.slices + trace.instants) - trace.base
    equal(trace.clocks[1], 1700000000123456789 + begin, "CLOCK_REALTIME")
    equal(trace.clocks[6] - trace.base, begin, "the snapshot is where the trace begins")


def check_focused(trace):
    captures = [s for s in trace.slices if s.name == "capture"]
    equal(len(captures), 2, "captures")
    if not any("cut_at_start" in s.args.get("flags", "") for s in trace.slices):
        raise AssertionError("no range is marked as cut at its start")


def check_gpu(native, plain):
    if not native.stages or plain.stages:
        raise AssertionError("render stages are for the native form")
    ids = [stage.id for stage in native.stages]
    equal(len(set(ids)), len(ids), "event ids")
    for stage in native.stages:
        for key in ("device", "context", "stream"):
            if key not in stage.args:
                raise AssertionError(f"'{stage.name}' has no {key}")
        equal(stage.context["api"], 4, "api")
        if stage.kernel is not None:
            equal((len(stage.grid), len(stage.block)), (3, 3), "dimensions")
    if not any(stage.kernel for stage in native.stages):
        raise AssertionError("no stage is a kernel")
    submitted = [i for s in native.slices for i in s.works]
    equal(len(set(submitted)), len(submitted), "each piece of work has one call")
    if not submitted or not set(submitted) <= set(ids):
        raise AssertionError("calls name work that is not there")
    begun = [i for s in plain.slices for i in s.flows]
    ended = [i for s in plain.slices for i in s.ends_flows]
    equal(sorted(begun), sorted(submitted), "flows begin where calls submit")
    if not set(begun) <= set(ended):
        raise AssertionError("a flow does not arrive")
    times = sorted((s.start, s.end, s.name) for s in native.stages)
    again = sorted((s.start, s.end, s.name) for s in plain.slices
                   if s.category.startswith("gpu_"))
    equal(again, times, "GPU work of both forms")
    if not any(s.category == "nvtx_gpu_projection" for s in native.slices):
        raise AssertionError("no range is projected")
    if not native.gpus:
        raise AssertionError("no GPU is described")


def check_hostile(trace):
    equal((trace.base, trace.clocks), (500, {6: 0}), "clocks")  # so that nothing is before 0
    lengths = [len(s.name.encode()) for s in trace.slices]
    equal(max(lengths), (1 << 20) - 1, "the longest name")
    pids = [t["process"]["pid"] for t in trace.tracks.values() if "process" in t]
    tids = [t["thread"]["tid"] for t in trace.tracks.values() if "thread" in t]
    if 0 in pids or 0 in tids:
        raise AssertionError("an id of 0 means something else")
    if not any("\ufffd" in s.name for s in trace.slices):
        raise AssertionError("what is not UTF-8 is not shown")


def check_crossing(trace):
    if any(s.depth != 0 for s in trace.slices if s.name in ("crossing", "overlapping", "in turn")):
        raise AssertionError("ranges that do not nest are drawn as if they did")
    tracks = {s.track for s in trace.slices if s.name in ("overlapping", "in turn")}
    equal(len(tracks), 100, "tracks for start/end ranges")


def points_of(trace):
    """The points of each counter track, by the names down to it, after the trace's time 0."""
    return {" > ".join(trace.path(uuid)): [(at - trace.base, value) for at, value in points]
            for uuid, points in trace.points.items()}


def check_counters(native, plain):
    base = native.base
    equal(len(native.gpu_counters), 72, "GPU counters that have samples")
    for i in (0, 34, 35, 69):
        letter = "A" if i < 35 else "B"
        counter = native.gpu_counters[(0, f"SM Part {i} [Throughput %] (Set {letter})")]
        equal([(at - base, value) for at, value in counter.samples],
              [(100 * k - 50, i + k) for k in range(20)], f"samples of part {i}")
        equal(counter.groups, [f"Set {letter}"], "the group is the set")
        equal((counter.spec["numerator_units"], counter.spec["groups"]), ([37], [6]), "%, compute")
        equal(counter.spec["value_direction"], 1, "a value is of the time before")
    again = native.gpu_counters[(0, "SM Part 0 [Throughput %] (Set C)")]
    equal([value for _, value in again.samples], [0.25, -1.5e300], "fractions")
    clock = native.gpu_counters[(1, "GPC Clock Frequency [MHz]")]
    equal(clock.samples, [(base + 100, 1980), (base + 100, 1981)], "two samples at one time")
    equal((clock.spec["numerator_units"], clock.spec["groups"]), ([15], [1]), "MHz, system")
    tracks = {"app > GPU 0: Device memory in use [bytes]": [(100, 4096), (200, 1024.5), (300, 0)],
              "Power [W]": [(700, 3)]}
    equal(points_of(native), tracks, "counters of no GPU, or of a process")
    shown = points_of(plain)
    equal(plain.gpu_counters, {}, "GPU counters are for the native form")
    equal(len(shown), 72 + 2, "counter tracks")
    equal(shown["GPU 0: SM Part 69 [Throughput %] (Set B)"],
          [(100 * k - 50, 70 + k) for k in range(19)] + [(1850, 0)], "each from where it begins")
    units = {track["name"]: track["counter"] for track in plain.tracks.values()
             if "counter" in track}
    equal(units["GPU 0: Device memory in use [bytes]"], {"unit": 3}, "unit of memory")
    equal(units["GPU 1: GPC Clock Frequency [MHz]"], {"unit_name": "MHz"}, "unit of a clock")


def check_nvtx_counters(trace):
    equal(points_of(trace), {"app > engine:queue": [(100, 4), (300, 8)],
                             "app > worker > memory": [(100, 1), (200, 2), (300, 3)],
                             "app > engine:read (host/disk[0])": [(100, 0.5), (100, 0.75)]},
          "counters of NVTX")
    tracks = {track["name"]: track for track in trace.tracks.values() if "counter" in track}
    equal(tracks["engine:queue"]["counter"], {"unit_name": "jobs"}, "the unit")
    equal(tracks["engine:queue"]["description"], "jobs that wait", "the description")
    equal(tracks["memory"]["counter"], {"unit": 3}, "the unit of memory")


def check_categories(by_domain, by_category):
    def places(trace):
        return collections.Counter((s.name, " > ".join(trace.path(s.track)))
                                   for s in trace.slices + trace.instants
                                   if s.category == "nvtx")
    equal(places(by_domain), collections.Counter({
        ("of no category", "app > app"): 1, ("1 in 0", "app > app"): 1,
        ("1 in 0", "app > app > NVTX"): 1, ("2 in 0", "app > app > NVTX"): 1,
        ("0 in 0", "app > app"): 1, ("1 in 1", "app > other > library"): 1,
        ("4294967295 in 1", "app > other > library"): 1,
        ("copying", "app > start/end: NVTX"): 3}), "tracks by domain")
    first = "app > start/end: NVTX"
    equal(places(by_category), collections.Counter({
        ("of no category", "app > app"): 1, ("1 in 0", "app > app > io"): 2,
        ("2 in 0", "app > app > category 2"): 1, ("0 in 0", "app > app > category 0"): 1,
        ("1 in 1", "app > other > library > math"): 1,
        ("4294967295 in 1", "app > other > library > category 4294967295"): 1,
        ("copying", f"{first} > io"): 2, ("copying", first): 1}), "tracks by category")


def check_many(trace):
    if trace.n_clears < 2:
        raise AssertionError("names are remembered for ever")
    if trace.max_interned > (1 << 16) + 100:
        raise AssertionError(f"{trace.max_interned} names at once")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        traces, native, by_category = {}, {}, {}
        for name in NAMES:
            path = pathlib.Path(folder, name)
            traces[name] = decode.Trace(decode.read(f"{path}.pftrace"))
            rows = rows_of(f"{path}.jsonl")
            for form in (".json", ".kineto.json", ".category.json"):
                unique_json.loads(pathlib.Path(f"{path}{form}").read_text("utf-8"))
            compare_nvtx(traces[name], rows, name)
            if name == "many":
                continue
            native[name] = decode.Trace(decode.read(f"{path}.events.pftrace"))
            compare_nvtx(native[name], rows, f"{name}, with GPU events")
            by_category[name] = decode.Trace(decode.read(f"{path}.category.pftrace"))
            compare_nvtx(by_category[name], rows, f"{name}, by category")
            with open(f"{path}.pftrace", "rb") as raw, gzip.open(f"{path}.pftrace.gz") as packed:
                if packed.read() != raw.read():
                    raise AssertionError(f"{name}: .gz holds something else")
        check_sample(traces["sample"])
        check_focused(traces["focused"])
        check_gpu(native["gpu"], traces["gpu"])
        check_hostile(traces["hostile"])
        check_crossing(traces["crossing"])
        check_many(traces["many"])
        check_categories(traces["categories"], by_category["categories"])
        check_nvtx_counters(traces["nvtx_counters"])
        check_counters(native["counters"], traces["counters"])
        equal([s for s in traces["empty"].slices], [], "empty")


if __name__ == "__main__":
    main()
