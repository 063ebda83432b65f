# SPDX-License-Identifier: Apache-2.0
"""engine.py BUILD fakes|recordings|exports: traces in Perfetto's own trace processor.

Of every kind of recording (built in memory, recorded here, exported by nsys) every form that Perfetto
reads is loaded. The import finds nothing wrong, and holds what the SQLite export of the same recording
holds: slices with their arguments, flows, counters, processes and threads; and the trace begins with
the first of what it shows."""

import collections
import decimal
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
for folder in ("import", "record", "cuda/cases"):
    sys.path.append(str(TESTS / folder))
sys.path.insert(0, str(HERE))
import counters  # noqa: E402
import expected  # noqa: E402
import found  # noqa: E402
import trace_processor  # noqa: E402

# Endings of traces, and how the command line is asked for them.
FORMS = {".pftrace": [], ".category.pftrace": ["--tracks=category"],
         ".events.pftrace": ["--gpu-events"], ".json": [], ".category.json": ["--tracks=category"],
         ".kineto.json": ["--flavor=kineto"], ".fxt": []}

# Without flows work has the number of its call itself.
NO_FLOWS = {f".no-flows{form}": ["--no-flows"] for form in (".pftrace", ".json", ".fxt")}

# v52 does not know what --gpu-events is for, and says so of each call.
NEWER = "unknown_extension_fields"


class Wrong(Exception):
    """A trace does not hold what it should."""


def say_first(left, right):
    """The first few of what is in one and not in the other."""
    return [f"{n} of {item}" for item, n in list((left - right).items())[:3]]


def equal(are, should, what):
    are, should = collections.Counter(are), collections.Counter(should)
    if are != should:
        raise Wrong(f"{what}: missing {say_first(should, are)}, not expected "
                    f"{say_first(are, should)}")


def frozen(args):
    return tuple(sorted(args.items()))


def payload_found(args):
    """The values of payloads as expected.py has them. JSON of another program is one text here."""
    found = {}
    for key, value in args.items():
        if not key.startswith("payload") or value in (None, "null"):
            continue
        if not isinstance(value, str):
            found[key] = expected.number(value)
        elif re.fullmatch(r"-?(0|[1-9]\d*)", value):  # a number too long for JSON
            found[key] = str(int(value))
        else:
            found.update(expected.nested(key, value))
    return found


# ---- What a trace has to hold ----

class Check:
    """One trace against the database."""

    def __init__(self, engine, path, export):
        self.export = export
        self.path = str(path)
        self.is_json = self.path.endswith(".json")
        self.has_threads_alone = not self.path.endswith(".pftrace")
        self.by_category = ".category." in self.path
        self.scopes = collections.defaultdict(list)
        engine.load(path)
        self.complaints = {name for name, *_ in engine.complaints()}
        self.trace = found.Trace(engine, self.base_of_json() if self.is_json else None)

    def base_of_json(self):
        """Its ts at the recording's time 0."""
        with open(self.path, encoding="utf-8") as file:
            head = file.read(1 << 16)
        micros = re.search(r'"ts_of_time_0":(-?[0-9.]+)', head)
        return int(decimal.Decimal(micros.group(1)) * 1000) if micros else 0

    def times(self, item):
        return item.start - self.trace.base, item.duration

    def run(self):
        for name in ("complaints", "events", "calls", "works", "flows", "counters", "names",
                     "begin", "tracks", "nesting"):
            try:
                getattr(self, f"check_{name}")()
            except Wrong as wrong:
                raise Wrong(f"{os.path.basename(self.path)}: {wrong}") from None

    def check_complaints(self):
        if self.complaints:
            raise Wrong(f"the import finds {self.complaints}")

    # -- annotations

    def check_events(self):
        words = {key for event in self.export.events for key in event.args}
        equal([self.event_found(s, words) for s in self.trace.of(found.EVENTS)],
              [self.event_expected(e) for e in self.export.events], "annotations")
        self.check_threads(self.trace.of(found.EVENTS),
                           [e for e in self.export.events if not e.is_start_end])

    def event_expected(self, event):
        args = {} if event.is_odd else event.args
        return (event.pid, event.start, event.duration, event.name, event.is_odd, frozen(args))

    def event_found(self, item, words):
        args = {key: value for key, value in item.args.items()  # category 0 is none: the database
                if key in words and value is not None and (key, value) != ("category", 0)
                and not key.startswith("payload")}
        args.update(payload_found(item.args))
        if "category_name" in args:
            args["category_name"] = expected.clean(args["category_name"])
        if "domain" in args:
            args["domain"] = expected.clean(args["domain"] or "")
        start, duration = self.times(item)
        is_odd = self.is_odd(item.pid, start, duration)
        return (item.pid, start, duration, self.name_of(item), is_odd,
                frozen({} if is_odd else args))

    def name_of(self, item):
        """In JSON an empty name has none."""
        is_empty = self.is_json and item.name == "[No name]"
        return "" if is_empty else expected.clean(item.name)

    def is_odd(self, *key):
        """Whether it is one whose arguments the database has in notes."""
        if not hasattr(self, "_odd"):
            self._odd = {(e.pid, e.start, e.duration) for e in self.export.events if e.is_odd}
        return key in self._odd

    def check_threads(self, slices, items):
        """Those on tracks of threads whose ids stay are on those of the right threads."""
        tids = collections.defaultdict(set)
        for item in items:
            tids[item.pid, item.start, item.duration, item.name].add(item.tid)
        for item in slices:
            key = item.pid, *self.times(item), self.name_of(item)
            if item.tid is not None and item.tid < 1 << 30 and item.tid not in tids.get(key, {item.tid}):
                raise Wrong(f"{key} is on thread {item.tid}, not on {tids[key]}")

    # -- calls and GPU work

    def check_calls(self):
        equal([(found.CALLS[s.category], s.pid, *self.times(s), s.name, frozen(s.args))
               for s in self.trace.of(found.CALLS)],
              [(c.kind, c.pid, c.start, c.duration, c.name, frozen(c.args))
               for c in self.export.calls], "calls")
        self.check_threads(self.trace.of(found.CALLS), self.export.calls)

    def check_works(self):
        words = set(expected.WORK_ARGS.values())
        equal([(found.WORKS[s.category], s.pid, *self.times(s),
                s.name if found.WORKS[s.category] == "kernel" else None,
                frozen({k: v & 0xffffffffffffffff for k, v in s.args.items()
                        if k in words and (k, v) != ("registers", 0)}))
               for s in self.trace.of(found.WORKS)],
              [(w.kind, w.pid, w.start, w.duration, w.name, frozen(w.args))
               for w in self.export.works], "GPU work")

    def check_flows(self):
        """One flow to each piece of work whose call is known, from a call of its correlation."""
        slices = {s.id: s for s in self.trace.slices}
        arrived = []
        for begin, end in self.trace.flows:
            begin, end = slices[begin], slices[end]
            if begin.category not in found.CALLS or end.category not in found.WORKS:
                raise Wrong(f"a flow from {begin} to {end}")
            if (begin.pid, begin.args.get("correlation")) != (end.pid, end.args.get("correlation")):
                raise Wrong(f"a flow from the call {begin} to {end}")
            arrived.append((end.pid, *self.times(end), end.args["correlation"]))
        linked = [] if ".no-flows." in self.path else [w for w in self.export.works if w.is_linked]
        equal(arrived, [(w.pid, w.start, w.duration, w.args["correlation"]) for w in linked],
              "flows")

    # -- counters

    def points(self, samples):
        """Each value where the time that it stands for begins."""
        if self.has_threads_alone:
            times = [at for at, _ in samples]
            first = times[0] if len(times) == 1 else 2 * times[0] - times[1]
            times.insert(0, first if first >= -self.trace.base else times[0])
            return [(at, value) for at, (_, value) in zip(times, samples)]
        if len(samples) == 1:
            return samples
        last = samples[-1][0], 0
        return [(at, after) for (at, _), (_, after) in zip(samples, samples[1:])] + [last]

    def check_counters(self):
        tracks = collections.defaultdict(list)
        for name, points in self.trace.counters:
            tracks[tuple((at - self.trace.base, value) for at, value in points)].append(name)
        for name, samples in self.export.counters:
            if name.endswith("[MHz]") and max(value for _, value in samples) >= 1e6:
                samples = [(at, value * 1e-6) for at, value in samples]  # nsys's are in Hz
            names = tracks.get(tuple(self.points(samples)), [])
            if not any(name in expected.clean(track) for track in names):
                raise Wrong(f"no track of counter {name} with {len(samples)} samples; of its "
                            f"points: {names}")

    # -- names, begin, tracks

    def check_names(self):
        processes = {(pid, expected.clean(name)) for pid, name in self.trace.processes}
        for pid, name in self.export.processes():
            if name is not None and (pid, expected.shown(name)) not in processes:
                raise Wrong(f"no process {pid} {name}, but {processes}")
        threads = {(pid, tid, expected.clean(re.sub(r" \(tid \d+\)$", "", name)))
                   for pid, tid, name in self.trace.threads()}
        for pid, tid, name in self.export.threads():
            if name is not None and (pid, tid, expected.shown(name)) not in threads:
                raise Wrong(f"no thread {pid} {tid} {name}, but {threads}")

    def check_begin(self):
        starts = [s.start for s in self.trace.slices]
        starts += [points[0][0] for _, points in self.trace.counters]
        shown = [e.start for e in self.export.events] + [c.start for c in self.export.calls] + \
            [w.start for w in self.export.works]
        if starts and self.trace.begin != min(starts):
            raise Wrong(f"the trace begins {min(starts) - self.trace.begin} ns before its events")
        if shown and not self.export.counters and self.trace.begin - self.trace.base > min(shown):
            raise Wrong("something is before the trace")
        others = [s.start for s in self.trace.slices if s.name != "recording"]
        if others and not self.export.counters and self.trace.begin != min(others):
            raise Wrong(f"{min(others) - self.trace.begin} ns are blank in front")

    def check_tracks(self):
        for item in self.trace.of(found.EVENTS):
            if "scope" in item.args:
                self.check_scope_track(item)
            elif self.by_category and "category" in item.args:
                self.check_category_track(item)
            elif not self.is_json and not self.by_category:
                self.check_domain_track(item)

    def check_category_track(self, item):
        name = item.args.get("category_name", f"category {item.args['category']}")
        track = re.sub(r" \(\d+\)$", "", item.thread if self.is_json else item.track)
        if not track.endswith(name):
            raise Wrong(f"{item.name} of category {name} is on {track}")

    def check_scope_track(self, item):
        scope = item.args["scope"]
        names = [re.sub(r" \(\d+\)$", "", item.thread).split(": ")[0]] if self.is_json else item.tracks
        if scope not in names:
            raise Wrong(f"{item.name} of scope {scope} is on {names}")
        if not self.by_category and not self.is_json:
            self.scopes[scope, item.args.get("domain"), "range" in item.args].append(item)

    def check_nesting(self):
        """In a scope push/pop ranges lie inside each other or apart, start/end ranges apart."""
        for (scope, _, is_apart), items in self.scopes.items():
            on = collections.defaultdict(list)
            for item in items:
                if item.duration > 0:
                    on[item.number].append((item.start, item.start + item.duration))
            for ranges in on.values():
                for begin, end in ranges:
                    around = [r for r in ranges if r[0] < begin < r[1]]
                    if (is_apart and around) or any(end > r[1] for r in around):
                        raise Wrong(f"ranges cross on a track of {scope}")

    def check_domain_track(self, item):
        domain = item.args.get("domain")
        if "range" in item.args and not item.track.startswith("start/end: "):
            raise Wrong(f"{item.name}, a start/end range, is on {item.track}")
        track = re.sub(r" \(\d+\)$", "", item.track) if "range" in item.args else item.track
        if domain is not None and domain not in (item.track[-len(domain):], track[-len(domain):]):
            raise Wrong(f"{item.name} of domain {domain} is on {item.track}")


class CheckEvents(Check):
    """--gpu-events: this version shows of GPU work only that there is some, and when."""

    def check_complaints(self):
        if self.complaints - {NEWER}:
            raise Wrong(f"the import finds {self.complaints}")

    def check_works(self):
        equal([self.times(s) for s in self.trace.slices if s.category is None],
              [(w.start, w.duration) for w in self.export.works], "render stages")

    def check_flows(self):
        equal(self.trace.flows, [], "flows")

    def check_counters(self):
        pass

    def check_begin(self):
        pass  # counters, which this version does not read, may be first


class CheckFxt(Check):
    """Fuchsia's format: a place is the name of a thread, and texts have an end."""

    MAX_TEXT = 32000

    def cut(self, name):
        return name.encode()[:self.MAX_TEXT].decode("utf-8", "ignore")

    def name_of(self, item):
        return self.cut(super().name_of(item))

    def event_expected(self, event):
        return super().event_expected(event._replace(name=self.cut(event.name)))

    def check_threads(self, slices, items):
        super().check_threads(slices, [i._replace(name=self.cut(i.name)) for i in items])

    def check_tracks(self):
        for item in self.trace.of(found.EVENTS):
            if item.tid is None and "tid" not in item.args:
                raise Wrong(f"{item.name} is on no thread")


class CheckKineto(Check):
    """--flavor=kineto: other words and tracks."""

    RANGES = {"nvtx", "user_annotation", "cpu_op", "cpu_instant_event"}

    def check_events(self):
        equal([(s.pid, *self.times(s)) for s in self.trace.of(self.RANGES)],
              [(e.pid, e.start, e.duration) for e in self.export.events], "annotations")

    def check_calls(self):
        equal([(s.pid, *self.times(s)) for s in self.trace.of(found.CALLS)],
              [(c.pid, c.start, c.duration) for c in self.export.calls], "calls")

    def check_works(self):
        equal([(*self.times(s), s.args["device"]) for s in self.trace.of(found.WORKS)],
              [(w.start, w.duration, w.args["device"]) for w in self.export.works
               if w.kind != "sync"], "GPU work")

    def check_flows(self):
        equal([len(self.trace.flows)], [sum(w.is_linked for w in self.export.works)], "flows")

    def check_names(self):
        pass

    def check_begin(self):
        pass

    def check_tracks(self):
        pass

    def base_of_json(self):
        starts = [e.start for e in self.export.events] + [c.start for c in self.export.calls] + \
            [w.start for w in self.export.works] + [s[0][0] for _, s in self.export.counters]
        first = min(starts, default=0)
        return -first if first < 0 or first > 1 << 52 else 0


def check_file(engine, base, forms):
    """base: a path without its ending."""
    export = expected.Export(f"{base}.sqlite")
    for form in forms:
        kind = {".events.pftrace": CheckEvents, ".kineto.json": CheckKineto,
                ".fxt": CheckFxt, ".no-flows.fxt": CheckFxt}.get(form, Check)
        kind(engine, f"{base}{form}", export).run()
    return export


# ---- The recordings ----

def convert(program, source, base, forms):
    """The database and the traces of a recording."""
    commands = [(f"{base}.sqlite", [])]
    commands += [(f"{base}{form}", {**FORMS, **NO_FLOWS}[form]) for form in forms]
    for path, options in commands:
        if path != str(source):
            subprocess.run([program, "export", "-q", *options, "-o", path, source], check=True,
                           stderr=subprocess.DEVNULL)


def fakes(build, folder):
    """Built in memory: perfetto_traces wrote all forms."""
    subprocess.run([build / "bin" / "perfetto_traces", folder], check=True)
    for path in sorted(folder.glob("*.sqlite")):
        yield path.with_suffix(""), [".pftrace"] if path.stem == "many" else FORMS


# Exports with something of their own in every form; of the others two are enough.
IN_ALL_FORMS = ("every-kind", "metrics", "d_4proc_same_device")


def exports(build, folder):
    """Of nsys; with every kind of row; with GPU metrics."""
    program = build / "bin" / "rangefinder"
    import roundtrip
    roundtrip.make_places(folder / "every-kind.db")
    counters.make(folder / "metrics.db")
    for packed in (TESTS / "data/nsys_exports").glob("**/*.sqlite.gz"):
        source = folder / packed.name.replace(".sqlite.gz", ".db")
        source.write_bytes(gzip.decompress(packed.read_bytes()))
    for source in sorted(folder.glob("*.db")):
        forms = (*FORMS, *NO_FLOWS) if source.stem in IN_ALL_FORMS else (".pftrace", ".json")
        convert(program, source, source.with_suffix(""), forms)
        yield source.with_suffix(""), forms


def record(build, folder, name, command, options=(), env=None):
    output = folder / f"{name}.rf"
    done = subprocess.run([build / "bin" / "rangefinder", "profile", "-q", *options, "-o", output,
                           *command], env={**os.environ, **(env or {})}, cwd=folder,
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise Wrong(f"{name} was not recorded: {done.stderr.decode()}")


def record_cuda(build, folder):
    """Two processes with all kinds of work, on the stand-ins for CUDA."""
    import cases_exports
    app = build / "tests/cuda/double/app"
    if not app.exists():
        print("the stand-ins for CUDA were not built: no recording of CUDA")
        return
    env = {"RANGEFINDER_CUPTI": str(build / "tests/cuda/double/cupti/libcupti.so.12")}
    steps = cases_exports.STEPS
    record(build, folder, "cuda", ["sh", "-c", f"{app} {steps} & {app} {steps}; wait"],
           ["-t", "cuda,nvtx", *cases_exports.OPTIONS], env)
    record(build, folder, "cuda-graph", [app, *steps.split()], ["-t", "cuda,nvtx"], env)


def record_metrics(build, folder):
    """Samples of stand-ins for two GPUs."""
    double = build / "tests/pmsampling/double"
    if not (double / "libcupti.so.13").exists():
        print("the stand-ins for sampling were not built: no recording of GPU metrics")
        return
    env = {"RANGEFINDER_CUPTI": str(double / "libcupti.so.13"), "LD_LIBRARY_PATH": str(double),
           "RF_DOUBLE_CUPTI_VERSION": "130500", "RF_PM_DOUBLE_DRIVER": "devices=2",
           "RF_PM_DOUBLE": "realtime=1,chip=GH100,devices=2"}
    record(build, folder, "metrics", ["sleep", "0.2"],
           ["-t", "none", "--gpu-metrics-devices=all", "--gpu-metrics-frequency=1000"], env)


def recordings(build, folder):
    program = build / "bin" / "rangefinder"
    for golden in (TESTS / "golden").glob("*.rf"):
        shutil.copy(golden, folder / f"golden-{golden.name}")
    for name in ("attributes", "pipeline", "processes"):
        record(build, folder, name, [build / "bin" / f"example-{name}"])
    record(build, folder, "captures", [build / "bin" / "example-training_loop"],
           ["-c", "nvtx", "-p", "profile@training"])
    for mode in ("events", "places"):
        record(build, folder, f"deferred-{mode}", [build / "tests/record/deferred", mode])
    record_cuda(build, folder)
    record_metrics(build, folder)
    for source in sorted(folder.glob("*.rf")):
        convert(program, source, source.with_suffix(""), FORMS)
        yield source.with_suffix(""), FORMS


GROUPS = {"fakes": fakes, "recordings": recordings, "exports": exports}


def main():
    trace_processor.need()
    build, group = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    wrong, seen = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder, trace_processor.TraceProcessor() as engine:
        for base, forms in GROUPS[group](build, pathlib.Path(folder)):
            try:
                export = check_file(engine, base, forms)
            except (Wrong, trace_processor.QueryError) as error:
                wrong.append(f"{base.name}: {error}")
                continue
            for kind in ("events", "calls", "works", "counters"):
                seen[kind] += len(getattr(export, kind))
    print(json.dumps(seen))
    if wrong:
        print("\n".join(wrong))
        sys.exit(1)
    if not all(seen.values()):
        raise AssertionError("there was nothing of some kind to compare")


if __name__ == "__main__":
    main()
