# SPDX-License-Identifier: Apache-2.0
"""The nsys2json form: run.py BUILD GROUP

same     equal to what nsys2json made of the same files, byte for byte
defects  the right answer where nsys2json had none, or a wrong one
random   random exports against the definition of the form
options  the command line"""
import contextlib
import gzip
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

from right_answers import DEFECTS

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "nsys_exports")
ALL = ["-t", "kernel", "nvtx", "nvtx-kernel", "cuda-api"]
failures = []


def check(is_right, what):
    if not is_right:
        failures.append(what)
        print("FAILED:", what)


def unpack(name, ending):
    with gzip.open(os.path.join(DATA, name + ending + ".gz")) as file:
        return file.read()


def export_of(name):
    path = os.path.basename(name) + ".sqlite"
    with open(path, "wb") as file:
        file.write(unpack(name, ".sqlite"))
    return path


def run(*command):
    return subprocess.run([os.path.join(BIN, command[0]), *command[1:]], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def convert(path, *options):
    done = run("nsys2json", "-f", path, "-o", "-", *options)
    check(done.returncode == 0, f"{path} {options}: status {done.returncode}: {done.stderr}")
    return done.stdout


# ---- Files that nsys2json converted ----

def same():
    for name in ("a_1proc_text", "c_real_h100_2gpu"):
        path = export_of(name)
        for form, options in (("default", []), ("all", ALL)):
            got, want = convert(path, *options), unpack(name, f".nsys2json.{form}.json")
            check(got == want, f"{name} {form}: the bytes differ")
    options = ["--nvtx-event-prefix", "forward", "backward",
               "--nvtx-color-scheme", '{"attention": "thread_state_iowait"}']
    check(convert("a_1proc_text.sqlite", *options)
          == unpack("a_1proc_text", ".nsys2json.prefix_color.json"), "prefix_color: the bytes differ")
    same_but_names("b_4gpu_mixed")


def same_but_names(name):
    """nsys2json did not know the names of registered strings: null and "" stand for them."""
    path = export_of(name)
    with contextlib.closing(sqlite3.connect(path)) as db:
        names = [row[0] for row in db.execute(
            "SELECT coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId "
            "WHERE eventType = 59 ORDER BY globalTid, start")]
    for form, options in (("default", []), ("all", ALL)):
        got = json.loads(convert(path, *options))
        want = json.loads(unpack(name, f".nsys2json.{form}.json"))
        check(len(got) == len(want), f"{name} {form}: {len(got)} events, not {len(want)}")
        for ours, theirs in zip(got, want):
            regions = theirs["args"].get("NVTXRegions", [])
            for i, region in enumerate(regions):
                if region is None:
                    regions[i] = ours["args"]["NVTXRegions"][i]
            theirs["name"] = theirs["name"] or ours["name"]
            check(ours == theirs and list(ours) == list(theirs) and None not in regions
                  and ours["name"], f"{name} {form}: {ours}, not {theirs}")
        ranges = [e["name"] for e in got if e["cat"] == "nvtx"]
        check(form == "default" or ranges == names, f"{name}: the names of the ranges differ")


# ---- Files that it got wrong ----

def in_a_line(event):
    parts = [event["cat"], event["pid"], event["tid"], json.dumps(event["name"]),
             f'{event["ts"]} {event["dur"]}', json.dumps(event["args"])]
    return " | ".join(parts + ([event["cname"]] if "cname" in event else []))


def defects():
    for name, (options, want) in DEFECTS.items():
        path = export_of("defects/" + name)
        text = convert(path, *options, *([] if "-t" in options else ALL))
        events = json.loads(text)
        check(text.decode("ascii") == json.dumps(events), f"{name}: not as Python writes it")
        got = [in_a_line(e) for e in events]
        check(got == want, f"{name}:\n  " + "\n  ".join(got) + "\nis not\n  " + "\n  ".join(want))
    check(len(DEFECTS) == len(os.listdir(os.path.join(DATA, "defects"))), "files without an answer")
    path = export_of("d_4proc_same_device")
    events = json.loads(convert(path))
    kernels = [e for e in events if e["cat"] == "cuda"]
    with contextlib.closing(sqlite3.connect(path)) as db:
        rows = db.execute(COVERED).fetchall()
    want = sorted((start / 1000, sorted(regions.split("\n"))) for start, regions in rows)
    got = sorted((e["ts"], sorted(e["args"]["NVTXRegions"])) for e in kernels
                 if "NVTXRegions" in e["args"])
    check(got == want and len(got) > 500, "d_4proc_same_device: the ranges of the kernels differ")


# The rule itself: slow, but short.
COVERED = """
SELECT k.start, group_concat(coalesce(n.text, s.value), char(10))
FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
  ON r.correlationId = k.correlationId AND r.globalTid & ~0xffffff = k.globalPid
JOIN NVTX_EVENTS n ON n.eventType = 59 AND n.globalTid = r.globalTid AND n.start <= r.start
  AND n.end >= r.end
LEFT JOIN StringIds s ON s.id = n.textId
GROUP BY k.rowid"""


# ---- Random exports ----

SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER, shortName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,
  copyKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
  globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, rangeId INTEGER);
"""
NAMES = ["forward", "f\u00f6rward", "back\"ward", "\U0001f600", "Forward", "f_rward", "for", "x" * 70]


def is_like(name, prefixes):
    """SQL's name LIKE 'prefix%', of any of them: the script asks SQLite."""
    if not prefixes:
        return True
    sql = "SELECT " + " OR ".join(["? LIKE ?"] * len(prefixes))
    values = [value for prefix in prefixes for value in (name, prefix + "%")]
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        return db.execute(sql, values).fetchone()[0] == 1


class Random:
    """One export: threads of processes that share devices, ranges that nest, cross and touch."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kernels, self.copies, self.calls, self.ranges = [], [], [], []
        self.named = self.random.random() < 0.5
        for process in range(self.random.randrange(1, 4)):
            self.correlation = 1
            for thread in range(self.random.randrange(1, 4)):
                self.add_thread(10 + process, 100 + thread)

    def add_thread(self, pid, tid):
        pick = self.random.randrange
        gtid = (1 << 48) + (pid << 24) + tid
        for _ in range(pick(12)):
            start = pick(60)
            self.ranges.append((start, start + pick(40), pick(20) and 59 or 60, pick(len(NAMES)),
                                gtid))
        for _ in range(pick(14)):
            start = pick(80)
            self.calls.append((start, start + pick(12), gtid, self.correlation))
            for _ in range(self.random.choice([0, 1, 1, 1, 3])):
                at = 100 + pick(100)
                work = self.kernels if pick(5) else self.copies
                work.append((at, at + pick(30), pick(2), pick(3), self.correlation,
                             (1 << 48) + (pid << 24)))
            self.correlation += 1

    def write(self, path):
        if os.path.exists(path):
            os.remove(path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(SCHEMA)
            db.executemany("INSERT INTO StringIds VALUES (?, ?)",
                           list(enumerate(NAMES + ["kernel", "launch"], 1)))
            last = len(NAMES)
            db.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,1,?,?,?,"
                           f"{last + 1},{last + 1})", self.kernels)
            db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,1,?,?,?,4,1)",
                           self.copies)
            db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
                           f"VALUES (?,?,0,?,?,{last + 2},0)", self.calls)
            db.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,NULL,?,0,NULL)",
                           [(s, e, kind, None if self.named else NAMES[name], tid,
                             name + 1 if self.named else None)
                            for s, e, kind, name, tid in self.ranges])
            db.commit()

    def covering(self, call, prefixes):
        found = [r for r in self.ranges if r[2] == 59 and r[4] == call[2] and r[0] <= call[0]
                 and r[1] >= call[1] and is_like(NAMES[r[3]], prefixes)]
        return found

    def events(self, prefixes):
        """(category, pid, tid, name, start, end, ranges) of every event, sorted; ranges sorted."""
        device, out, spans = {}, [], {}
        call_of = {(c[2] & ~0xffffff, c[3]): c for c in self.calls}
        for start, end, dev, stream, correlation, gpid in self.kernels:
            device[gpid] = min(dev, device.get(gpid, dev))
            regions = self.covering(call_of[gpid, correlation], prefixes)
            for r in regions:
                spans.setdefault(r, []).append((start, end))
            out.append(("cuda", f"Device {dev}", f"Stream {stream}", "kernel", start, end,
                        tuple(sorted(NAMES[r[3]] for r in regions))))
        place = lambda gtid: (f"Device {device[gtid & ~0xffffff]}" if gtid & ~0xffffff in device
                              else f"Process {gtid >> 24 & 0xffffff}")
        for r in self.ranges:
            start, end, kind, name, gtid = r
            if kind != 59 or not is_like(NAMES[name], prefixes):
                continue
            out.append(("nvtx", place(gtid), f"NVTX Thread {gtid & 0xffffff}", NAMES[name], start,
                        end, ()))
            if r in spans:
                out.append(("nvtx-kernel", place(gtid), f"NVTX Kernel Thread {gtid & 0xffffff}",
                            NAMES[name], min(s for s, _ in spans[r]), max(e for _, e in spans[r]),
                            ()))
        for start, end, gtid, correlation in self.calls:
            out.append(("cuda_api", place(gtid), f"CUDA API Thread {gtid & 0xffffff}", "launch",
                        start, end, (str(correlation),)))
        return sorted(out)


def flat(event):
    args = event["args"]
    regions = args.get("NVTXRegions", [])
    if "correlationId" in args:
        regions = [str(args["correlationId"])]
    start, size = round(event["ts"] * 1000), round(event["dur"] * 1000)
    return (event["cat"], event["pid"], event["tid"], event["name"], start, start + size,
            tuple(sorted(regions)))


def check_order(events, what):
    """By pid and tid as text; lines by time, but those of projections, by the ranges' own."""
    keys = [(e["pid"], e["tid"]) for e in events]
    check(keys == sorted(keys), what + ": the lines are not sorted")
    for before, event in zip(events, events[1:]):
        if event["cat"] != "nvtx-kernel" and event["tid"] == before["tid"] \
                and event["pid"] == before["pid"]:
            check(before["ts"] <= event["ts"], what + ": a line is not sorted")


def random_exports():
    for seed in range(100):
        export = Random(seed)
        export.write("random.sqlite")
        prefixes = random.Random(seed).choice([(), ("FOR",), ("for", "f\u00d6"), ("f_r", "zz"),
                                               ("%\"",)])
        options = ["--nvtx-event-prefix", *prefixes] if prefixes else []
        text = convert("random.sqlite", *ALL, *options)
        events = json.loads(text)
        what = f"seed {seed}, prefixes {prefixes}"
        check(text.decode("ascii") == json.dumps(events), what + ": not as Python writes it")
        check_order(events, what)
        got, want = sorted(map(flat, events)), export.events(prefixes)
        check(got == want, f"{what}: only ours {[e for e in got if e not in want][:3]}, "
                           f"missing {[e for e in want if e not in got][:3]}")
        check_regions_order(export, events, what)


def check_regions_order(export, events, what):
    starts = {}
    for start, _, kind, name, _ in export.ranges:
        if kind == 59:
            starts.setdefault(NAMES[name], []).append(start)
    for event in events:
        at = -1
        for name in event["args"].get("NVTXRegions", []):
            later = [s for s in starts[name] if s >= at]
            check(later, f"{what}: {event['args']} are not in the order of their starts")
            at = min(later, default=at)


# ---- The command ----

def fails(status, *command):
    done = run(*command)
    check(done.returncode == status, f"{command}: status {done.returncode}, not {status}")
    prefix = b"nsys2json: " if command[0] == "nsys2json" else b"rangefinder: "
    check(done.stderr.startswith(prefix), f"{command}: {done.stderr}")


def names():
    path = export_of("defects/d12_graph")
    want = convert(path)
    for input_name, output in (("d12_graph.sqlite", "d12_graph.json"), ("a.b.sqlite", "a.b.json"),
                               ("noending", "noending.json"), (".hidden", ".hidden.json"),
                               ("v1.d/noending", "v1.d/noending.json")):
        os.makedirs(os.path.dirname(input_name) or ".", exist_ok=True)
        if input_name != path:
            os.rename(path, input_name)
        for _ in range(2):  # it is overwritten
            done = run("nsys2json", "--filename=" + input_name)
            check(done.returncode == 0 and not done.stderr, f"{input_name}: {done.stderr}")
        with open(output, "rb") as file:
            check(file.read() == want, f"{output} differs")
        path = input_name
    return path, want


def names_of(path, condition="1"):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute(
            f"SELECT text FROM NVTX_EVENTS WHERE eventType = 59 AND {condition}")]


def prefixes():
    """As the script: the text stands in SQL, behind LIKE, before a '%'."""
    for path, all_of in (("c_real_h100_2gpu.sqlite", {"ATEN": 5596, "%ward": 82, "it''s": 0}),
                         ("a_1proc_text.sqlite", {"f_rward": 185, "FORWARD": 185, "layer%": None,
                                                  "\u00e9": 0, "": None})):
        export_of(path.split(".")[0])
        for prefix, n in all_of.items():
            want = names_of(path, f"text LIKE '{prefix}%'")
            got = [e["name"] for e in json.loads(convert(path, "-t", "nvtx", "--nvtx-event-prefix",
                                                         prefix))]
            check(sorted(got) == sorted(want) and n in (None, len(got)),
                  f"{path}: {len(got)} names begin with {prefix!r}, not {len(want)}")
    path = "quoted.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(SCHEMA)
        db.execute("INSERT INTO NVTX_EVENTS VALUES(1, 2, 59, 'it''s', 1, NULL, NULL, 0, NULL)")
        db.commit()
    for prefix in ("it''s", "it's"):
        check(b"it's" in convert(path, "-t", "nvtx", "--nvtx-event-prefix", prefix), prefix)


# Python's own re says what is found. Colors are any value of JSON.
SCHEMES = [
    {"aten": 5}, {"aten": None, "FSDP": True}, {"(?i)ATEN": "good", "FSDP": {"a": [1, "x]}"]}},
    {r"(?<=::)all_.*(?!x)$": "bad"}, {r"\bop_id\s=\s\d+\Z": "x", "(?P<a>a)(?P=a)": 1.5},
    {"^.{,3}$": "good", r"aten::\w+": -3}, {"\u00e9|(?:aten|FSDP)": "\u00e9\U0001f600"},
    {r"\u0061ten": "bad", "add|mul": -0.5}, {"(?x) a t e n": "ok"}, {}]


def schemes():
    path = export_of("c_real_h100_2gpu")
    for scheme in SCHEMES:
        events = json.loads(convert(path, "-t", "nvtx", "--nvtx-color-scheme", json.dumps(scheme)))
        n = 0
        for event in events:
            found = [color for key, color in scheme.items() if re.search(key, event["name"])]
            n += len(found) > 0
            check(("cname" in event) == (found != []) and event.get("cname") == (found + [None])[0],
                  f"{scheme}: {event}")
        check(scheme == {} or n > 0 or "all_" in str(scheme), f"{scheme}: colors nothing")
    plain = convert(path, "-t", "nvtx")
    for nothing in ("null", "false", "0", "[]", ' ""'):
        check(convert(path, "-t", "nvtx", "--nvtx-color-scheme", nothing) == plain, nothing)
    for wrong in ("5", "[1]", '{"a": {"b"', '{"a": {"b":', '{"a": 01}', '{"a": nul}', '{"a": [1,]}', '{"a": 1} x',
                  '{"(": 1}', '{"a": ' + "[" * 100 + "]" * 100 + "}"):
        fails(2, "nsys2json", "-f", path, "-o", "-", "-t", "nvtx", "--nvtx-color-scheme", wrong)
    done = run("nsys2json", "-f", path, "-o", "-", "-t", "nvtx", "--nvtx-color-scheme",
               '{"^(([a-zA-Z:_, 0-9=]+)*)*[!?]$": 1}')
    check(done.returncode == 2 and b"takes too long" in done.stderr, done.stderr)


def options_of_the_command():
    path, want = names()
    kernels = convert(path, "-t", "kernel")
    both = convert(path, *ALL)
    same_as = [(want, ["-t", "kernel", "nvtx-kernel"]), (want, ["--act", "nvtx-kernel", "kernel"]),
               (kernels, ["-tkernel"]), (kernels, ["-t=kernel"]),
               (kernels, ["--activity-type=kernel"]), (kernels, ["-t", "nvtx", "-t", "kernel"]),
               (both, ["-t", "cuda-api", "nvtx", "kernel", "nvtx-kernel"]),
               (want, ["--nvtx-color-scheme", "{}"])]
    for text, options in same_as:
        check(convert(path, *options) == text, f"{options}: another result")
    check(b"NVTXRegions" not in kernels, "-t kernel shows ranges")
    for options in (["-t", "bogus"], ["-t"], ["--nvtx-event-prefix"], ["--n", "x"], ["--bogus"],
                    ["-x"], ["operand"], ["--help=x"], ["--nvtx-color-scheme"]):
        fails(2, "nsys2json", "-f", path, "-o", "-", *options)
    fails(2, "nsys2json", path)
    fails(1, "nsys2json", "-f", "missing.sqlite")
    fails(1, "nsys2json", "-f", path, "-o", "./" + path)
    check(convert(path) == want, "the input was overwritten")
    fails(1, "nsys2json", "-f", path, "-o", "missing/x.json")
    check(run("nsys2json", "-h").returncode == 0, "-h fails")
    long_names(path, both)


def long_names(path, both):
    export = ["export", "--compat=nsys2json", "-o", "-", path]
    done = run("rangefinder", *export, "--activity-type=kernel,nvtx,nvtx-kernel,cuda-api")
    check(done.stdout == both, "export --compat differs")
    done = run("rangefinder", *export, "-t", "json", "--nvtx-event-prefix=x",
               "--nvtx-event-prefix=graph", "--nvtx-color-scheme={\"g\": \"good\"}")
    check(done.stdout == convert(path), "export --compat differs with prefixes")
    for options in (["-t", "csv"], ["-t", "json,csv"], ["--activity-type=x"],
                    ["--nvtx-color-scheme=x"]):
        fails(2, "rangefinder", *export, *options)
    fails(2, "rangefinder", "export", "--nvtx-event-prefix=x", path)
    fails(2, "rangefinder", "export", "--compat=other", path)


# Expressions and what they find.
FOUND = ["layer \\d+ comm", "^layer [\\d.]+ ", "(?:comm|send)$", "l.*?r", "\\bcomm\\b", "[\\w]+ 12",
         "[^a-z ]", "\\s\\d", "x|comm", "[]a]y", "[a\\]]y", "[-a]y", "[\\-a]y",
         "\\Alayer", "12\\.5|12", "\\w+ 12 comm\\Z", "(?=l)", "(?P<n>m)", "(?i)LAYER", "(m)\\1",
         "[\\D]", "[\\S]y"]
NOT_FOUND = ["\\d\\d\\d", "(?:send|recv)", "Layer", "layer$", "[^\\w\\s]",
             "12\\.", "\\Dx", "(?=x)", "(l)\\1", "x{2,}"]
REFUSED = ["[abc", "(", "\\", "\\q", "(?X)", "*"]


def colors():
    export = Random(0)
    export.ranges = [(0, 10, 59, 0, (1 << 48) + (10 << 24) + 1)]
    NAMES[0] = "layer 12 comm"
    export.write("colors.sqlite")
    for expressions, is_found in ((FOUND, True), (NOT_FOUND, False)):
        for expression in expressions:
            check(bool(re.search(expression, NAMES[0])) == is_found, f"{expression}: in Python")
            scheme = json.dumps({"nothing": "bad", expression: "g\u00f6od", "layer": "late"})
            event = json.loads(convert("colors.sqlite", "-t", "nvtx", "--nvtx-color-scheme",
                                       scheme))[0]
            want = "g\u00f6od" if is_found else "late"
            check(event.get("cname") == want and list(event)[-1] == "cname",
                  f"{expression}: {event.get('cname')}, not {want}")
    bad = ["", "{", "1", "{\"a\"}", "{\"a\": \"b\",}", "{\"a\": \"b\"} x",
           "{\"a\": \"\\ud800\"}", "{'a': 'b'}"]
    for scheme in bad + [json.dumps({e: "good"}) for e in REFUSED]:
        fails(2, "nsys2json", "-f", "colors.sqlite", "-o", "x.json", "--nvtx-color-scheme", scheme)
    check(not os.path.exists("x.json"), "a failed conversion leaves a file")


def options_group():
    options_of_the_command()
    prefixes()
    schemes()
    colors()


GROUPS = {"same": same, "defects": defects, "random": random_exports, "options": options_group}

if __name__ == "__main__":
    BIN = os.path.join(os.path.abspath(sys.argv[1]), "bin")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        GROUPS[sys.argv[2]]()
        os.chdir("/")
    print(f"{len(failures)} failures")
    sys.exit(len(failures) > 0)
