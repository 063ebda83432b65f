# SPDX-License-Identifier: Apache-2.0
"""Reads a .pftrace without anybody's protobuf library: the wire format, and the fields that the
exporter may write, by name. Anything else in a file is an error.

    packets = decode.read(path)         # .gz by content
    trace = decode.Trace(packets)       # checks, and what the file says; raises BadTrace

Run as a program: checks the files named, prints what is in them."""

import collections
import gzip
import struct
import sys

VARINT, FIXED64, BYTES = 0, 1, 2

U64, I64, BOOL, TEXT, RAW, DOUBLE, FIXED = "u64", "i64", "bool", "text", "raw", "double", "fixed"

DIM3 = {1: ("x", U64), 2: ("y", U64), 3: ("z", U64)}
ARGUMENT = {1: ("name_iid", U64), 3: ("int_value", I64), 4: ("uint_value", U64),
            5: ("double_value", DOUBLE), 6: ("string_value", TEXT), 7: ("string_value_iid", U64)}
LAUNCH = {1: ("grid_size", DIM3), 2: ("workgroup_size", DIM3), 3: ("args", ARGUMENT)}
STAGE = {1: ("event_id", U64), 2: ("duration", U64), 5: ("context", U64), 11: ("gpu_id", U64),
         13: ("hw_queue_iid", U64), 14: ("stage_iid", U64), 17: ("name", TEXT),
         19: ("kernel_iid", U64), 20: ("name_iid", U64), 21: ("launch", LAUNCH)}
ANNOTATION = {1: ("name_iid", U64), 3: ("uint_value", U64), 4: ("int_value", I64),
              5: ("double_value", DOUBLE), 6: ("string_value", TEXT),
              7: ("pointer_value", U64), 10: ("name", TEXT), 17: ("string_value_iid", U64)}
ANNOTATION[11] = ("dict_entries", ANNOTATION)
ANNOTATION[12] = ("array_values", ANNOTATION)
CORRELATION = {1: ("submission_event_ids", U64)}
EVENT = {3: ("category_iids", U64), 4: ("debug_annotations", ANNOTATION), 9: ("type", U64),
         10: ("name_iid", U64), 11: ("track_uuid", U64), 23: ("name", TEXT),
         30: ("counter_value", I64), 44: ("double_counter_value", DOUBLE),
         47: ("flow_ids", FIXED), 48: ("terminating_flow_ids", FIXED),
         3000: ("gpu_correlation", CORRELATION), 3001: ("gpu_api", U64)}
PROCESS = {1: ("pid", U64), 2: ("cmdline", TEXT), 3: ("sort_index", U64), 6: ("process_name", TEXT)}
THREAD = {1: ("pid", U64), 2: ("tid", U64), 3: ("sort_index", U64), 5: ("thread_name", TEXT)}
COUNTER_TRACK = {3: ("unit", U64), 6: ("unit_name", TEXT)}
DESCRIPTOR = {1: ("uuid", U64), 2: ("name", TEXT), 3: ("process", PROCESS), 4: ("thread", THREAD),
              5: ("parent_uuid", U64), 8: ("counter", COUNTER_TRACK), 11: ("child_ordering", U64), 12: ("rank", U64),
              14: ("description", TEXT)}
NAMED = {1: ("iid", U64), 2: ("name", TEXT)}
STRING = {1: ("iid", U64), 2: ("str", TEXT)}
SPEC = {1: ("iid", U64), 2: ("name", TEXT), 3: ("description", TEXT), 4: ("category", U64)}
CONTEXT = {1: ("iid", U64), 2: ("pid", U64), 3: ("api", U64)}
KERNEL = {1: ("iid", U64), 2: ("name", TEXT), 3: ("demangled_name", TEXT), 4: ("arch", TEXT)}
COUNTER_SPEC = {1: ("counter_id", U64), 2: ("name", TEXT), 3: ("description", TEXT),
                7: ("numerator_units", U64), 8: ("denominator_units", U64), 10: ("groups", U64),
                11: ("value_direction", U64)}
COUNTER_GROUP = {1: ("group_id", U64), 2: ("name", TEXT), 4: ("counter_ids", U64)}
COUNTERS = {1: ("specs", COUNTER_SPEC), 6: ("counter_groups", COUNTER_GROUP)}
INTERNED_COUNTERS = {1: ("iid", U64), 2: ("counter_descriptor", COUNTERS), 3: ("gpu_id", U64)}
COUNTER = {1: ("counter_id", U64), 2: ("int_value", I64), 3: ("double_value", DOUBLE)}
COUNTER_EVENT = {2: ("counters", COUNTER), 4: ("counter_descriptor_iid", U64)}
INTERNED = {1: ("event_categories", NAMED), 2: ("event_names", NAMED),
            3: ("debug_annotation_names", NAMED), 23: ("graphics_contexts", CONTEXT),
            24: ("gpu_specifications", SPEC), 29: ("debug_annotation_string_values", STRING),
            47: ("gpu_counter_descriptors", INTERNED_COUNTERS),
            1000: ("compute_kernels", KERNEL), 1001: ("compute_arg_names", NAMED)}
CLOCK = {1: ("clock_id", U64), 2: ("timestamp", U64)}
SNAPSHOT = {1: ("clocks", CLOCK), 2: ("primary_trace_clock", U64)}
KEY_VALUE = {1: ("key", TEXT), 2: ("value", TEXT)}
GPU = {1: ("name", TEXT), 2: ("vendor", TEXT), 3: ("model", TEXT), 4: ("architecture", TEXT),
       5: ("uuid", RAW), 6: ("extra_info", KEY_VALUE)}
GPU_INFO = {1: ("gpus", GPU)}
PACKET = {6: ("clock_snapshot", SNAPSHOT), 8: ("timestamp", U64),
          10: ("trusted_packet_sequence_id", U64), 11: ("track_event", EVENT),
          12: ("interned_data", INTERNED), 13: ("sequence_flags", U64),
          52: ("gpu_counter_event", COUNTER_EVENT), 53: ("gpu_render_stage_event", STAGE),
          60: ("track_descriptor", DESCRIPTOR),
          87: ("first_packet_on_sequence", BOOL), 128: ("gpu_info", GPU_INFO)}

REPEATED = {"category_iids", "debug_annotations", "flow_ids", "terminating_flow_ids", "args",
            "submission_event_ids", "specs", "counter_groups", "counter_ids", "counters",
            "numerator_units", "denominator_units", "groups", "cmdline", "clocks", "gpus", "extra_info",
            "dict_entries", "array_values"} | {
                name for name, _ in INTERNED.values()}
BEGIN, END, INSTANT, COUNTER_VALUE = 1, 2, 3, 4


class BadTrace(Exception):
    pass


def varint(data, at, end):
    value = shift = 0
    while True:
        if at >= end or shift > 63:
            raise BadTrace(f"a number that does not end at byte {at}")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def scalar(kind, wire, data, at, end):
    if kind in (U64, I64, BOOL) and wire == VARINT:
        value, at = varint(data, at, end)
        if value >= 1 << 64:
            raise BadTrace(f"a number of more than 64 bits at byte {at}")
        if kind == I64 and value >= 1 << 63:
            value -= 1 << 64
        return value, at
    if kind in (DOUBLE, FIXED) and wire == FIXED64:
        if at + 8 > end:
            raise BadTrace(f"cut at byte {at}")
        return struct.unpack_from("<d" if kind == DOUBLE else "<Q", data, at)[0], at + 8
    raise BadTrace(f"wire type {wire} for a {kind} at byte {at}")


def message(fields, data, at, end):
    found = {}
    while at < end:
        tag, at = varint(data, at, end)
        if tag >> 3 not in fields:
            raise BadTrace(f"unknown field {tag >> 3} before byte {at}")
        name, kind = fields[tag >> 3]
        if isinstance(kind, dict) or kind in (TEXT, RAW):
            if tag & 7 != BYTES:
                raise BadTrace(f"wire type {tag & 7} for {name} at byte {at}")
            size, at = varint(data, at, end)
            if at + size > end:
                raise BadTrace(f"{name} reaches beyond its message at byte {at}")
            if isinstance(kind, dict):
                value = message(kind, data, at, at + size)
            else:
                value = bytes(data[at:at + size])
                if kind == TEXT:
                    value = value.decode("utf-8")  # what is not UTF-8 raises
            at += size
        else:
            value, at = scalar(kind, tag & 7, data, at, end)
        if name in REPEATED:
            found.setdefault(name, []).append(value)
        elif name in found:
            raise BadTrace(f"{name} twice before byte {at}")
        else:
            found[name] = value
    return found


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return packets_of(data)


def packets_of(data):
    packets = []
    at = 0
    while at < len(data):
        tag, at = varint(data, at, len(data))
        if tag != 1 << 3 | BYTES:
            raise BadTrace(f"no packet before byte {at}")
        size, at = varint(data, at, len(data))
        if at + size > len(data):
            raise BadTrace(f"cut at byte {at}")
        packets.append(message(PACKET, data, at, at + size))
        at += size
    return packets


Slice = collections.namedtuple(
    "Slice", "start end name category track args flows ends_flows works depth")
Stage = collections.namedtuple(
    "Stage", "start end id name queue stage category gpu context kernel grid block args")
# A counter of a GPU: its spec, the names of its groups, and the samples as they are.
GpuCounter = collections.namedtuple("GpuCounter", "gpu spec groups samples")


def nested(values):
    """Annotations in an annotation: a dictionary where they have names, or else a list."""
    def value_of(entry):
        found = [entry[key] for key in entry if key != "name"]
        if len(found) != 1:
            raise BadTrace(f"an annotation with {len(found)} values")
        return nested(found[0]) if isinstance(found[0], list) else found[0]
    if all("name" in value for value in values):
        return {value["name"]: value_of(value) for value in values}
    return [value_of(value) for value in values]


def place_of(description):
    """What "device 0, context 1, stream 7", of the track of a stream, says of its work."""
    pairs = [part.rsplit(" ", 1) for part in (description or "").split(", ")]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


class Trace:
    """What a viewer would make of the packets."""

    def __init__(self, packets):
        self.tracks = {}      # uuid: descriptor
        self.slices = []      # by end
        self.instants = []
        self.stages = []
        self.gpus = []
        self.points = collections.defaultdict(list)  # uuid: (time, value)
        self.gpu_counters = {}                       # (gpu, name): GpuCounter
        self.clocks = {}
        self.n_clears = 0
        self.max_interned = 0
        self._known = {}      # what the packet's sequence defined
        self._known_of = {}
        events = []
        for packet in packets:
            self._packet(packet, events)
        self._play(events)
        self.base = self._find_base()  # the time of the recording's time 0

    def _find_base(self):
        about = [s for s in self.instants if s.category == "recording"]
        if len(about) != 1:
            raise BadTrace(f"{len(about)} instants say what the trace is about")
        return about[0].start - about[0].args["recording_time_ns"]

    # -- packets, in the order of the file

    def _packet(self, packet, events):
        sequence = packet.get("trusted_packet_sequence_id", 0)
        if sequence == 0:
            raise BadTrace("a packet of no sequence")
        if packet.get("sequence_flags", 0) & 1:
            self._known_of[sequence] = {name: {} for name, _ in INTERNED.values()}
            self.n_clears += 1
        elif sequence not in self._known_of:
            raise BadTrace("the first packet does not clear the state")
        self._known = self._known_of[sequence]
        for name, entries in packet.get("interned_data", {}).items():
            for entry in entries:
                if entry.get("iid", 0) == 0:
                    raise BadTrace(f"{name} without a number")
                if entry["iid"] in self._known[name]:
                    raise BadTrace(f"{name} {entry['iid']} is defined again")
                self._known[name][entry["iid"]] = entry
        self.max_interned = max(self.max_interned, sum(len(x) for x in self._known.values()))
        if "track_descriptor" in packet:
            self._descriptor(packet["track_descriptor"])
        if "clock_snapshot" in packet:
            for clock in packet["clock_snapshot"]["clocks"]:
                self.clocks[clock["clock_id"]] = clock["timestamp"]
        self.gpus += packet.get("gpu_info", {}).get("gpus", [])
        if "track_event" in packet:
            events.append((packet["timestamp"], len(events), self._event(packet["track_event"])))
        if "gpu_render_stage_event" in packet:
            self._stage(packet["timestamp"], packet["gpu_render_stage_event"])
        if "gpu_counter_event" in packet:
            self._counters(packet["timestamp"], packet["gpu_counter_event"])

    def _descriptor(self, descriptor):
        if descriptor["uuid"] in self.tracks:
            raise BadTrace(f"track {descriptor['uuid']} is described twice")
        parent = descriptor.get("parent_uuid")
        if parent is not None and parent not in self.tracks:
            raise BadTrace(f"track {descriptor['uuid']} has an unknown parent")
        self.tracks[descriptor["uuid"]] = descriptor

    def _look_up(self, kind, iid):
        if iid not in self._known[kind]:
            raise BadTrace(f"{kind} {iid} is used before it is defined")
        return self._known[kind][iid]

    def _args(self, found, names):
        args = {}
        for arg in found:
            value = [arg[key] for key in arg if key not in ("name_iid", "string_value_iid")]
            if "string_value_iid" in arg:
                value.append(self._look_up("debug_annotation_string_values",
                                           arg["string_value_iid"])["str"])
            if len(value) != 1:
                raise BadTrace(f"an argument with {len(value)} values")
            name = self._look_up(names, arg["name_iid"])["name"]
            if name in args:
                raise BadTrace(f"argument {name} twice")
            args[name] = nested(value[0]) if "array_values" in arg or "dict_entries" in arg else value[0]
        return args

    def _event(self, event):
        if event["track_uuid"] not in self.tracks:
            raise BadTrace(f"an event on track {event['track_uuid']}, which is not described")
        event["category"] = [self._look_up("event_categories", iid)["name"]
                             for iid in event.get("category_iids", [])]
        if "name_iid" in event:
            event["name"] = self._look_up("event_names", event["name_iid"])["name"]
        event["args"] = self._args(event.get("debug_annotations", []), "debug_annotation_names")
        return event

    def _stage(self, start, stage):
        queue = self._look_up("gpu_specifications", stage["hw_queue_iid"])
        kind = self._look_up("gpu_specifications", stage["stage_iid"])
        context = self._look_up("graphics_contexts", stage["context"])
        if "name_iid" in stage:
            stage["name"] = self._look_up("event_names", stage["name_iid"])["name"]
        kernel = None
        if "kernel_iid" in stage:
            kernel = self._look_up("compute_kernels", stage["kernel_iid"])
        launch = stage.get("launch", {})
        self.stages.append(Stage(
            start, start + stage["duration"], stage["event_id"], stage["name"], queue["name"],
            kind["name"], kind["category"], stage["gpu_id"], context, kernel,
            tuple(launch.get("grid_size", {}).values()),
            tuple(launch.get("workgroup_size", {}).values()),
            self._args(launch.get("args", []), "compute_arg_names")))

    def _counters(self, at, event):
        about = self._look_up("gpu_counter_descriptors", event["counter_descriptor_iid"])
        specs = {spec["counter_id"]: spec for spec in about["counter_descriptor"]["specs"]}
        if not event.get("counters") or len(specs) != len(about["counter_descriptor"]["specs"]):
            raise BadTrace("a packet of GPU counters without samples, or a counter twice")
        for sample in event["counters"]:
            spec = specs[sample["counter_id"]]
            value = [sample[key] for key in ("int_value", "double_value") if key in sample]
            if len(value) != 1:
                raise BadTrace(f"a sample with {len(value)} values")
            groups = [group["name"]
                      for group in about["counter_descriptor"].get("counter_groups", [])
                      if sample["counter_id"] in group["counter_ids"]]
            counter = self.gpu_counters.setdefault(
                (about["gpu_id"], spec["name"]), GpuCounter(about["gpu_id"], spec, groups, []))
            if counter.spec != spec or counter.groups != groups:
                raise BadTrace(f"two counters of one GPU have the name {spec['name']}")
            counter.samples.append((at, value[0]))

    # -- events, in the order of time

    def _play(self, events):
        events.sort(key=lambda at: at[:2])
        is_open = collections.defaultdict(list)
        for at, _, event in events:
            stack = is_open[event["track_uuid"]]
            if event["type"] == BEGIN:
                stack.append((at, event))
            elif event["type"] == COUNTER_VALUE:
                if "counter" not in self.tracks[event["track_uuid"]]:
                    raise BadTrace(f"track {event['track_uuid']} is not one of a counter")
                value = event.get("counter_value", event.get("double_counter_value"))
                self.points[event["track_uuid"]].append((at, value))
            elif event["type"] == INSTANT:
                self.instants.append(self._slice(at, at, event, len(stack)))
            elif event["type"] != END or not stack:
                raise BadTrace(f"an end without a begin on track {event['track_uuid']}")
            else:
                start, begun = stack.pop()
                self.slices.append(self._slice(start, at, begun, len(stack)))
        for uuid, stack in is_open.items():
            if stack:
                raise BadTrace(f"{len(stack)} ranges of track {uuid} do not end")

    @staticmethod
    def _slice(start, end, event, depth):
        if "name" not in event or not event["category"]:
            raise BadTrace("a range without name or category")
        return Slice(start, end, event["name"], event["category"][0], event["track_uuid"],
                     event["args"], event.get("flow_ids", []),
                     event.get("terminating_flow_ids", []),
                     event.get("gpu_correlation", {}).get("submission_event_ids", []), depth)

    def args_of_work(self, found):
        """Of GPU work, with those of its track and of the call that a flow leads from."""
        args = {**place_of(self.tracks[found.track].get("description")), **found.args}
        for call in self.slices if found.ends_flows else []:
            if set(call.flows) & set(found.ends_flows):
                args.setdefault("correlation", call.args["correlation"])
        return args

    def path(self, uuid):
        """Names from the process down to the track."""
        names = []
        while uuid is not None:
            track = self.tracks[uuid]
            about = track.get("process", track.get("thread", {}))
            names.append(track.get("name") or about.get("process_name") or about["thread_name"])
            uuid = track.get("parent_uuid")
        return names[::-1]


def main():
    for path in sys.argv[1:]:
        trace = Trace(read(path))
        print(f"{path}: {len(trace.tracks)} tracks, {len(trace.slices)} ranges, "
              f"{len(trace.instants)} instants, {len(trace.stages)} pieces of GPU work, "
              f"state cleared {trace.n_clears} times")
        by_track = collections.Counter(" > ".join(trace.path(s.track)) for s in trace.slices)
        for name, n in by_track.most_common(40):
            print(f"    {n:9} {name}")


if __name__ == "__main__":
    main()
