# SPDX-License-Identifier: Apache-2.0
"""counters.py BUILD: GPU metrics of an nsys export, as Perfetto gets them through the command line;
a gap of the samples as it is drawn; and the GPUs of several recordings in one trace."""

import gzip
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import decode  # noqa: E402

SCHEMA = """
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT,
                                      metricId INTEGER, metricName TEXT);
CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER,
                          metricId INTEGER, value INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'Example GPU'), (1, 'Example GPU');
"""
NAMES = ["GPC Clock Frequency [MHz]", "SMs Active [Throughput %]",
         "DRAM Read Bandwidth [Throughput %]"]
TYPE = 0x0100000000000000  # the low byte is the GPU


def stored(metric, k):
    """A clock's label says MHz, and the database has Hz, as nsys's."""
    return (1980 + k) * 10**6 if metric == 0 else 10 * metric + k


def shown(metric, k):
    return 1980 + k if metric == 0 else stored(metric, k)


GAP_TIMES = [1000 * k for k in (*range(20), *range(120, 140))]  # 100 intervals without a sample


def make(path, times=None):
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    for gpu in range(2):
        for metric, name in enumerate(NAMES):
            database.execute("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (?, 1, 'GA100', ?, ?)",
                             (TYPE + gpu, metric, name))
            database.executemany(
                "INSERT INTO GPU_METRICS VALUES (0, ?, ?, ?, ?)",
                [(at + gpu, TYPE + gpu, metric, stored(metric, k))
                 for k, at in enumerate(times or range(0, 5000, 1000))])
    database.commit()
    database.close()


def main():
    program = pathlib.Path(sys.argv[1], "bin", "rangefinder")
    if not program.exists():
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        make(f"{folder}/run.sqlite")
        for form, options in (("native", ["--gpu-events"]), ("plain", [])):
            subprocess.run([program, "export", "-q", *options, "-o", f"{folder}/{form}.pftrace",
                            f"{folder}/run.sqlite"], check=True)
        check_gap(program, folder)
        check_json_gap(program, folder)
        check_merged(program, folder)
        native = decode.Trace(decode.read(f"{folder}/native.pftrace"))
        plain = decode.Trace(decode.read(f"{folder}/plain.pftrace"))
    base = native.base
    found = {key: [(at - base, value) for at, value in counter.samples]
             for key, counter in native.gpu_counters.items()}
    expected = {(gpu, name): [(1000 * k + gpu, shown(metric, k)) for k in range(5)]
                for gpu in range(2) for metric, name in enumerate(NAMES)}
    if found != expected:
        raise AssertionError(f"{found}, not {expected}")
    groups = {name: counter.spec["groups"]
              for (_, name), counter in native.gpu_counters.items()}
    if groups != {NAMES[0]: [1], NAMES[1]: [6], NAMES[2]: [5]}:
        raise AssertionError(f"groups: {groups}")
    if any(counter.groups != ["GA100"] for counter in native.gpu_counters.values()):
        raise AssertionError("a counter is not in the group of its set")
    names = {track["name"] for track in plain.tracks.values() if "counter" in track}
    if names != {f"GPU {gpu}: {name}" for gpu in range(2) for name in NAMES}:
        raise AssertionError(f"tracks: {names}")


def check_gap(program, folder):
    """Between 19,000 and 119,000 ns every counter has 0."""
    make(f"{folder}/gap.sqlite", GAP_TIMES)
    for form, options in (("native", ["--gpu-events"]), ("plain", [])):
        subprocess.run([program, "export", "-q", *options, "-o", f"{folder}/{form}-gap.pftrace",
                        f"{folder}/gap.sqlite"], check=True)
    native = decode.Trace(decode.read(f"{folder}/native-gap.pftrace"))
    values = [10 + k for k in range(40)]
    found = native.gpu_counters[0, NAMES[1]].samples
    expected = list(zip(GAP_TIMES[:20], values)) + [(119000, 0)] + list(
        zip(GAP_TIMES[20:], values[20:]))
    if [(at - native.base, value) for at, value in found] != expected:
        raise AssertionError(f"{found}, not {expected}")
    plain = decode.Trace(decode.read(f"{folder}/plain-gap.pftrace"))
    uuid = next(uuid for uuid, track in plain.tracks.items() if track["name"] == f"GPU 0: {NAMES[1]}")
    found = [(at - plain.base, value) for at, value in plain.points[uuid]]
    expected = list(zip(GAP_TIMES, values[1:20])) + [(19000, 0), (119000, 30)] + list(
        zip(GAP_TIMES[20:], values[21:])) + [(139000, 0)]
    if found != expected:
        raise AssertionError(f"{found}, not {expected}")


def check_json_gap(program, folder):
    """The same in json, whose values are those of the time from their point on."""
    subprocess.run([program, "export", "-q", "-o", f"{folder}/gap.json", f"{folder}/gap.sqlite"], check=True)
    with open(f"{folder}/gap.json", encoding="utf-8") as file:
        trace = json.load(file)
    clock = [event["args"]["value"] for event in trace["traceEvents"]
             if event["ph"] == "C" and event["name"].startswith(NAMES[0])]
    if set(clock) != {0, *(shown(0, k) for k in range(40))}:
        raise AssertionError(f"json: clocks of {sorted(set(clock))} MHz")
    points = [event for event in trace["traceEvents"] if event["ph"] == "C" and event["name"].startswith(NAMES[1])]
    points = [event for event in points if event["pid"] == points[0]["pid"]]
    first = points[0]["ts"]
    found = [(round(1000 * (event["ts"] - first)), event["args"]["value"]) for event in points]
    times = [at - GAP_TIMES[0] for at in GAP_TIMES]
    values = [10 + k for k in range(40)]
    # the first sample is drawn from its own time on: before it there is nothing
    drawn = [(times[0], values[0]), *zip(times[:19], values[1:20]), (times[19], 0), (119000, values[20]),
             *zip(times[20:39], values[21:])]
    if found != drawn:
        raise AssertionError(f"json: {found}, not {drawn}")


def give_time(path, seconds):
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE IF EXISTS TARGET_INFO_SESSION_START_TIME")
        database.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime, localTime)")
        database.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(?, '', '')",
                         ((1700000000 + seconds) * 10**9,))
    database.close()


def check_merged(program, folder):
    """Numbers of GPUs follow those of the recordings before, of counters, work and names alike."""
    work = pathlib.Path(__file__).parent.parent / "data" / "nsys_exports" / "b_4gpu_mixed.sqlite.gz"
    inputs = [f"{folder}/part{i}.sqlite" for i in range(3)]
    make(inputs[0])
    pathlib.Path(inputs[1]).write_bytes(gzip.decompress(work.read_bytes()))
    make(inputs[2], range(0, 9000, 1000))
    for i, path in enumerate(inputs):
        give_time(path, i)
    subprocess.run([program, "export", "-q", "--gpu-events", "-o", f"{folder}/merged.pftrace", *inputs], check=True)
    packets = decode.read(f"{folder}/merged.pftrace")
    described = [entry.get("gpu_id", 0) for packet in packets
                 for entry in packet.get("interned_data", {}).get("gpu_counter_descriptors", [])]
    if sorted(described) != [0, 1, 6, 7]:
        raise AssertionError(f"GPUs of counters: {described}")
    stages = {packet["gpu_render_stage_event"]["gpu_id"] for packet in packets
              if "gpu_id" in packet.get("gpu_render_stage_event", {})}
    if stages != {2, 3, 4, 5}:
        raise AssertionError(f"GPUs of work: {stages}")
    lists = [[bool(gpu) for gpu in packet["gpu_info"].get("gpus", [])] for packet in packets if "gpu_info" in packet]
    if lists != [[True] * 2, [False] * 2 + [True] * 4, [False] * 6 + [True] * 2]:
        raise AssertionError(f"GPUs that are described: {lists}")


if __name__ == "__main__":
    main()
