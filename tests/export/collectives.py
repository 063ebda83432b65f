# SPDX-License-Identifier: Apache-2.0
"""collectives.py BUILD: the annotations of examples/collectives.c, a structure on each range and a counter,
recorded, exported in each form, and read back from it: every value is what the program made, and the
times are the same in all forms."""

import csv
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "perfetto"))
import decode  # noqa: E402

N = 40
DOMAIN, RANGE, COUNTER, UNIT = "collectives", "all-reduce", "under way", "bytes"
ABOUT = "bytes of the operation that runs"


def payloads():
    """What collectives.c gives the ranges."""
    return [{"communicator": 0x1122334455667788, "rank": 3, "reduction": ("sum", "product", "max")[i % 3],
             "bytes": 1024 << i % 11} for i in range(N)]


def values():
    """What it gives the counter."""
    return [value for payload in payloads() for value in (payload["bytes"], 0)]


# ---- The forms: each returns [(start, end, payload)] and [(time, value)] ----


def read_jsonl(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    ranges = [line for line in lines if line["type"] == "push_pop"]
    (counter,) = [line for line in lines if line["type"] == "counter"]
    check({(line["domain"], line["name"], line["payload_type"]) for line in ranges}, {(DOMAIN, RANGE, "extended")})
    check({name: counter[name] for name in ("name", "domain", "unit", "description", "scope", "number")},
          {"name": COUNTER, "domain": DOMAIN, "unit": UNIT, "description": ABOUT, "scope": "process",
           "number": "int64"})
    return ([(line["start_ns"], line["end_ns"], line["payload"]) for line in ranges],
            [(line["start_ns"], line["value"]) for line in lines if line["type"] == "sample"])


def read_csv(path):
    rows = list(csv.DictReader(path.read_text().splitlines()))
    ranges = [row for row in rows if row["type"] == "push_pop"]
    samples = [row for row in rows if row["type"] == "counter"]
    check({(row["domain"], row["name"]) for row in ranges}, {(DOMAIN, RANGE)})
    check({(row["domain"], row["name"], row["unit"]) for row in samples}, {(DOMAIN, COUNTER, UNIT)})
    columns = [{name: row[f"payload.{name}"] for name in payloads()[0]} for row in ranges]
    check(columns, [{name: str(value) for name, value in payload.items()} for payload in payloads()])
    return ([(int(row["start_ns"]), int(row["end_ns"]), json.loads(row["payload"])) for row in ranges],
            [(int(row["start_ns"]), int(row["payload"])) for row in samples])


def nanoseconds(micros):
    """Three decimals, exactly."""
    whole, fraction = str(micros).split(".")
    return int(whole) * 1000 + int(fraction.ljust(3, "0"))


def read_text(path):
    ranges, samples = [], []
    for line in path.read_text().splitlines():
        row = re.match(r" *(\S+) +(\S+) +\S+ +collectives:all-reduce  \[payload (.*)\]$", line)
        sample = re.match(r" *(\S+) +\S+ +collectives:under way = (\S+) bytes$", line)
        if row:
            start = nanoseconds(row[1])
            ranges.append((start, start + nanoseconds(row[2]), json.loads(row[3])))
        elif sample:
            samples.append((nanoseconds(sample[1]), int(sample[2])))
    return ranges, samples


def read_chrome(path):
    events = json.loads(path.read_text(), parse_float=str)["traceEvents"]
    ranges = [event for event in events if event["ph"] == "X"]
    samples = [event for event in events if event["ph"] == "C"]
    check({(event["args"]["domain"], event["name"]) for event in ranges}, {(DOMAIN, RANGE)})
    check({event["name"] for event in samples}, {f"{DOMAIN}:{COUNTER}"})
    for event in ranges:  # JavaScript has no such number
        communicator = event["args"]["payload"]["communicator"]
        check(type(communicator), str)
        event["args"]["payload"]["communicator"] = int(communicator)
    return ([(nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"]),
              event["args"]["payload"]) for event in ranges],
            [(nanoseconds(event["ts"]), int(event["args"]["value"])) for event in samples])


def read_perfetto(path):
    trace = decode.Trace(decode.read(path))
    ranges = sorted(each for each in trace.slices if each.category == "nvtx")
    check({(each.args["domain"], each.name) for each in ranges}, {(DOMAIN, RANGE)})
    ((uuid, points),) = trace.points.items()
    track = trace.tracks[uuid]
    check((track["name"], track["description"], trace.path(uuid)[0]),
          (f"{DOMAIN}:{COUNTER}", ABOUT, "example-collectives"))
    return ([(each.start - trace.base, each.end - trace.base, each.args["payload"]) for each in ranges],
            [(at - trace.base, value) for at, value in points])


def read_sqlite(path):
    database = sqlite3.connect(path)
    ranges = database.execute("select start, end, jsonText from NVTX_EVENTS where text = ? order by start",
                              (RANGE,)).fetchall()
    samples = database.execute(
        "select timestamp, value from RANGEFINDER_NVTX_COUNTER_SAMPLES s join RANGEFINDER_NVTX_COUNTERS c "
        "using (counterId) where c.name = ? and c.unit = ? and c.description = ? order by timestamp",
        (COUNTER, UNIT, ABOUT)).fetchall()
    database.close()
    return [(start, end, json.loads(text)) for start, end, text in ranges], samples


def read_imported(path):
    """The database, imported again: that has no counters of NVTX."""
    done = run("export", "-q", "-t", "jsonl", "-o", "-", path)
    lines = [json.loads(line) for line in done.splitlines()]
    ranges = [line for line in lines if line["type"] == "push_pop"]
    check({(line["domain"], line["payload_type"]) for line in ranges}, {(DOMAIN, "extended")})
    return [(line["start_ns"], line["end_ns"], line["payload"]) for line in ranges], None


PYTHON = """
import json, sys, rangefinder
with rangefinder.open(sys.argv[1]) as recording:
    (counter,) = recording.counters
    print(json.dumps([
        [[each.start_ns, each.end_ns, each.payload, each.name, each.domain] for each in recording.ranges],
        [[each.start_ns, each.value] for each in counter.samples],
        [counter.name, counter.domain, counter.unit, counter.description, counter.number]]))
"""


def read_python(path):
    """None where the package was not built for this interpreter."""
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    if subprocess.run([sys.executable, "-c", "import rangefinder"], env=environment, capture_output=True).returncode:
        return None
    done = subprocess.run([sys.executable, "-c", PYTHON, path], env=environment, check=True, capture_output=True)
    ranges, samples, counter = json.loads(done.stdout)
    check({tuple(row[3:]) for row in ranges}, {(RANGE, DOMAIN)})
    check(counter, [COUNTER, DOMAIN, UNIT, ABOUT, "int64"])
    return [tuple(row[:3]) for row in ranges], [tuple(row) for row in samples]


FORMS = {"jsonl": read_jsonl, "csv": read_csv, "txt": read_text, "json": read_chrome, "pftrace": read_perfetto,
         "sqlite": read_sqlite}

# ---- The recording ----


def check(found, expected):
    if found != expected:
        raise AssertionError(f"{found}, not {expected}")


def run(*arguments):
    no_rank = {name: value for name, value in os.environ.items() if not re.search("RANK|SIZE|SLURM", name)}
    return subprocess.run([BUILD / "bin" / "rangefinder", *arguments], check=True, capture_output=True,
                          env=no_rank).stdout


def compare(form, found, first):
    """first: what JSON lines have."""
    ranges, samples = found
    check([payload for _, _, payload in ranges], payloads())
    check([type(value) for payload in payloads() for value in payload.values()],
          [type(value) for _, _, payload in ranges for value in payload.values()])
    check(ranges, first[0])
    if samples is not None:
        check([value for _, value in samples], values())
        check(samples, first[1])
    print(f"{form}: {len(ranges)} payloads, {len(samples or ())} samples")


def check_reports(recording, first):
    """The report of collectives, of the recording and of its summary; the summary has the rank of the payloads."""
    durations = [end - start for start, end, _ in first[0]]
    named = f"--collective={RANGE}@{DOMAIN}"
    summary = recording.with_suffix(".rfsum")
    run("summarize", "-q", named, recording)
    for arguments in ((named, recording), (summary,)):
        (row,) = json.loads(run("stats", "-q", "-r", "collectives", "-f", "json", *arguments))
        check({name: row[name] for name in ("Instances", "Total Time (ns)", "Min (ns)", "Max (ns)", "Bytes", "Ranks",
                                            "Kind", "Communicator", "Operation")},
              {"Instances": N, "Total Time (ns)": sum(durations), "Min (ns)": min(durations),
               "Max (ns)": max(durations), "Bytes": sum(payload["bytes"] for payload in payloads()), "Ranks": 1,
               "Kind": "range", "Communicator": payloads()[0]["communicator"], "Operation": RANGE})
    with sqlite3.connect(summary) as db:
        check(db.execute("SELECT number, bytes, rank, duration FROM collective_times JOIN collective_series USING (series)"
                         " ORDER BY number").fetchall(),
              [(i + 1, payload["bytes"], 3, ns) for i, (payload, ns) in enumerate(zip(payloads(), durations))])


def main():
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder, "run.rf")
        run("profile", "-q", "-o", recording, "--", BUILD / "bin" / "example-collectives", str(N))
        first = None
        for form, read in FORMS.items():
            path = pathlib.Path(folder, f"run.{form}")
            run("export", "-q", "-o", path, recording)
            found = read(path)
            first = first or found
            compare(form, found, first)
        check_reports(recording, first)
        compare("imported", read_imported(pathlib.Path(folder, "run.sqlite")), first)
        found = read_python(recording)
        if found is None:
            print("Python: not built for this interpreter, not looked at")
        else:
            compare("Python", found, first)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv[1])
    main()
