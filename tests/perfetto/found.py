# SPDX-License-Identifier: Apache-2.0
"""What Perfetto's trace processor makes of a trace, in the words of expected.py."""

import collections
import re

import decode
import expected

# By category, in .pftrace and in .json.
EVENTS = {"nvtx"}
CALLS = {"cuda_api": expected.CUDA_CALL, "cuda_runtime": expected.CUDA_CALL,
         "cuda_driver": expected.CUDA_CALL, "osrt": expected.OS_CALL}
WORKS = {"gpu_kernel": "kernel", "kernel": "kernel", "gpu_memcpy": "memcpy",
         "gpu_memset": "memset", "gpu_graph": "graph", "cuda_graph": "graph", "gpu_sync": "sync",
         "cuda_sync": "sync"}

# Words that differ between the forms.
WORDS = {"registers_per_thread": "registers", "registers per thread": "registers"}

Slice = collections.namedtuple(
    "Slice", "id pid tid start duration name category args track thread number tracks")


def place_in_name(thread):
    """Where GPU work ran: in .fxt the name of its thread says it."""
    place = re.fullmatch(r"GPU (\d+).*? context (\d+).*? (any stream|stream (\d+)\b.*)", thread)
    if not place:
        return {}
    device, context, _, stream = place.groups(default=2**32 - 1)
    return {"device": int(device), "context": int(context), "stream": int(stream)}


class Trace:
    """A trace that is loaded."""

    def __init__(self, engine, base):
        """base: the trace's time at the recording's time 0; None: the trace says it itself."""
        self._args = self._load_args(engine)
        self.processes = {}
        self._pids, self._threads = {}, {}
        for upid, pid, name in engine.query("select upid, pid, name from process"):
            own = re.search(r" \(pid (\d+)\)$", name or "")
            self._pids[upid] = int(own.group(1)) if own else pid
            self.processes[self._pids[upid], re.sub(r" \(pid \d+\)$", "", name or "")] = upid
        for utid, upid, tid, name in engine.query("select utid, upid, tid, name from thread"):
            own = re.search(r" \(tid (\d+)\)", name or "")
            self._threads[utid] = (upid, int(own.group(1)) if own else tid, name or "")
        self.slices = self._load_slices(engine)
        self.base = self._find_base() if base is None else base
        self.flows = engine.query("select slice_out, slice_in from flow")
        self._complete_works()
        self.counters = self._load_counters(engine)
        self.begin = engine.query("select start_ts from trace_bounds")[0][0]

    def _load_args(self, engine):
        found = collections.defaultdict(dict)
        for of, key, value in engine.query(
                "select arg_set_id, key, coalesce(string_value, int_value, real_value) from args "
                "where key glob 'debug.*' or key glob 'args.*' or key not glob '*.*'"):
            word = key.split(".", 1)[-1]
            found[of][WORDS.get(word, word)] = value
        return found

    def _load_slices(self, engine):
        slices = []
        places = {track: decode.place_of(text) for track, text in engine.query(
            "select t.id, a.string_value from track t "
            "join args a on a.arg_set_id = t.source_arg_set_id where a.key = 'description'")}
        for row in engine.query(
                "select s.id, coalesce(pt.upid, th.upid), tt.utid, s.ts, s.dur, s.name, "
                "s.category, s.arg_set_id, t.name, t.id, p.name, g.name from slice s join track t on t.id = s.track_id "
                "left join track p on p.id = t.parent_id left join track g on g.id = p.parent_id "
                "left join thread_track tt on tt.id = s.track_id "
                "left join process_track pt on pt.id = s.track_id "
                "left join thread th on th.utid = tt.utid"):
            number, upid, utid, start, duration, name, category, args, track, *tracks = row
            _, tid, thread = self._threads.get(utid, (None, None, ""))
            places.setdefault(row[9], place_in_name(thread))
            pid = self._pids.get(upid, self._args.get(args, {}).get("pid"))
            slices.append(Slice(number, pid, tid, start, duration, name, category,
                                {**places.get(row[9], {}), **self._args.get(args, {})},
                                track or "", thread, tracks[0],
                                [track, *tracks[1:]]))
        return slices

    def _complete_works(self):
        """A .pftrace says once what the track or the call of GPU work says."""
        slices = {item.id: item for item in self.slices}
        for begin, end in self.flows:
            if end in slices and slices[end].category in WORKS and "correlation" in slices[begin].args:
                slices[end].args.setdefault("correlation", slices[begin].args["correlation"])

    def _find_base(self):
        about = [s for s in self.slices if s.category == "recording" and s.name == "recording"]
        return about[0].start - about[0].args["recording_time_ns"]

    def _load_counters(self, engine):
        """By track: its name, and (time, value), by time."""
        found = collections.defaultdict(list)
        names = {}
        for track, name, at, value in engine.query(
                "select t.id, t.name, c.ts, c.value from counter c "
                "join track t on t.id = c.track_id order by c.id"):
            names[track] = name
            found[track].append((at, value))
        return [(names[track], points) for track, points in found.items()]

    def threads(self):
        """(pid, tid, name)."""
        return [(self._pids.get(upid), tid, name) for upid, tid, name in self._threads.values()]

    def of(self, categories):
        return [s for s in self.slices if s.category in categories]
