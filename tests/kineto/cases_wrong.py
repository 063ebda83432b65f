# SPDX-License-Identifier: Apache-2.0
"""Traces that are no JSON, or say what cannot be: payloads stay JSON, and nothing is changed in silence."""

import json
import os
import random
import sqlite3
import subprocess
import sys

from harness import expect_equal, fail_if

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from sanitized import is_sanitized  # noqa: E402

EVENT = b'{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"dur":5,"args":%s}'

# Args as they stand in the file, and what they say.
ARGS = (
    (b'{"a":1}', {"a": 1}),
    (b'{"a":"x\ty"}', {"a": "x\ty"}),
    (b'{"b\x01":1,"a":"\x02\n"}', {"b\x01": 1, "a": "\x02\n"}),
    (b'{"a":"0123456789abc\x1f"}', {"a": "0123456789abc\x1f"}),
    (b'{"a":"x\0y"}', {"a": "x\ufffdy"}),
    (b'{"a":"x\\qy"}', {"a": "xqy"}),
    (b'{"a":"x\\\ty"}', {"a": "x\ty"}),
    (b'{"a":"x\\u12zy"}', {"a": "x\ufffd12zy"}),
    (b'{"a":"\\u00e9\\n\\\\\\"\\/"}', {"a": "\u00e9\n\\\"/"}),
    (b'{"a":[1,2,]}', {"a": [1, 2]}),
    (b'{"a":[[1 , ] ,{"b":2 , } , ]}', {"a": [[1], {"b": 2}]}),
    (b'{"a":[",]","x\ty",{"\t":",}"}]}', {"a": [",]", "x\ty", {"\t": ",}"}]}),
    (b'{"a":1,}', {"a": 1}),
    (b'{"a":007}', {"a": 7}),
    (b'{"a":-007.50}', {"a": -7.5}),
    (b'{"a":000}', {"a": 0}),
    (b'{"a":.5}', {"a": 0.5}),
    (b'{"a":5.}', {"a": 5}),
    (b'{"a":+5}', {"a": 5}),
    (b'{"a":-.5e+1}', {"a": -5}),
    (b'{"a":5.e1}', {"a": 50}),
    (b'{"a":[007,.5,+5,5.,1.5e-1,-1,true,null]}', {"a": [7, 0.5, 5, 5, 0.15, -1, True, None]}),
    (b'{"a":[NaN,-Infinity,+inf,007]}', {"a": ["NaN", "-Infinity", "+inf", 7]}),
    (b'{"a":NaN}', {"a": "NaN"}),
    (b'{"a":1,"a":2}', {"a": 2}),
    (b'{"a":1,"b":3,"a":"x\ty","b":4,"c":5,"a":6}', {"a": 6, "b": 4, "c": 5}),
    (b'{"a":1,%s}' % b",".join(b'"k%d":%d' % (i % 150, i) for i in range(400)),
     {"a": 1, **{f"k{i % 150}": i for i in range(400)}}),
    (b'{"a":{"b":1, "b":2}}', {"a": {"b": 2}}),
    (b'{"a":[{"b":{"c":1,"c":"x\ty","d":2}},{"b":1,"b":{},"":3,"":[],"bb":4,}]}',
     {"a": [{"b": {"c": "x\ty", "d": 2}}, {"b": {}, "": [], "bb": 4}]}),
    (b'{"a":{"b":{"c":1,"c":2},"d":5,"b":{"c":3,"e":NaN,"c":4}},"f":{"b":1,"B":2}}',
     {"a": {"d": 5, "b": {"e": "NaN", "c": 4}}, "f": {"b": 1, "B": 2}}),
    (b'{"a":[{%s}]}' % b",".join(b'"k%d":[%d]' % (i % 150, i) for i in range(400)),
     {"a": [{f"k{i % 150}": [i] for i in range(400)}]}),
    (b'{"a":%s1,"b":2%s}' % (b'{"b":' * 500, b',"b":3}' * 500), {"a": {"b": 3}}),
)

NO_NUMBERS = (b"1.2.3", b"1-2", b"1e", b"1e+", b"--1", b"-", b".", b"+", b".e1", b"1e5.0", b"0x1", b"1+")


def write(test, name, text):
    path = test.path(name)
    with open(path, "wb") as file:
        file.write(text)
    return path


def trace(test, *events):
    return write(test, "trace.json", b'{"schemaVersion":1,"traceEvents":[\n%s]}' % b",\n".join(events))


def call(test, *arguments):
    return subprocess.run([test.rangefinder, *arguments], capture_output=True)


def payloads(test, path):
    """All payloads as bytes, or None: the trace is refused."""
    target = test.path("payloads.sqlite")
    done = call(test, "export", "-q", "-f", "-t", "sqlite", "-o", target, path)
    fail_if(done.returncode < 0, f"{path}: {done.stderr}")
    if done.returncode != 0:
        return None
    db = sqlite3.connect(target)
    db.text_factory = bytes
    found = db.execute("SELECT jsonText, json_valid(jsonText) FROM NVTX_EVENTS"
                       " WHERE jsonText IS NOT NULL ORDER BY start").fetchall()
    db.close()
    for text, is_valid in found:
        fail_if(is_valid != 1, f"no JSON to SQLite: {text}")
    return [text for text, _ in found]


def info_of(test, path):
    done = call(test, "info", "--json", path)
    fail_if(done.returncode != 0, f"info of {path}: {done.stderr}")
    return json.loads(done.stdout)


def skipped(test, path):
    return {(row["table"], row["reason"]): row["rows"] for row in info_of(test, path)["not_read"]}


# ---- Payloads ----


def with_keys_once(pairs):
    fail_if(len(dict(pairs)) != len(pairs), f"a key twice: {pairs}")
    return dict(pairs)


def case_wrong_payloads(test):
    """What is read although it is no JSON is JSON as a payload."""
    for args, expected in ARGS:
        path = trace(test, EVENT % args)
        texts = payloads(test, path)
        expect_equal(texts is not None and len(texts), 1, f"payloads of {args}")
        expect_equal(json.loads(texts[0], object_pairs_hook=with_keys_once), expected,
                     f"payload of {args}")
        done = call(test, "stats", "-q", "-r", "nvtx_sum", "--group-by", "payload.a", path)
        expect_equal(done.returncode, 0, f"status of --group-by of {args}: {done.stderr}")


def case_wrong_numbers(test):
    """What is no number is refused, with its byte."""
    for number in NO_NUMBERS:
        for args in (b'{"a":%s}', b'{"a":[1,%s]}'):
            path = trace(test, EVENT % (args % number))
            done = call(test, "info", path)
            fail_if(done.returncode == 0, f"{number} was read")
            fail_if(b"at byte" not in done.stderr, f"{number}: {done.stderr}")


def case_wrong_mutations(test):
    """Bytes of args changed at random: what is still read is JSON to Python and SQLite."""
    chance = random.Random(7)
    odd = b'\t\0\\",.:[]{}+-0eEuqN \x1f\x80'
    n_read = 0
    whole = b",".join(args[1:-1].rstrip(b",") for args, _ in ARGS[:24])
    for i in range(150):
        args = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            args[chance.randrange(len(args))] = chance.choice(odd)
        texts = payloads(test, trace(test, EVENT % b'{"z":0}', EVENT % b"{%s}" % bytes(args)))
        for text in texts or ():
            json.loads(text.decode("utf-8", "replace"))
        n_read += texts is not None
    fail_if(n_read < 20, f"only {n_read} of {i + 1} were read")
    print(f"{n_read} of {i + 1} were read")


def case_wrong_corpus(test):
    """The inputs that fuzzing found: payloads are JSON."""
    folder = os.path.join(os.path.dirname(__file__), "..", "fuzz", "corpus_kineto")
    n_read = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            path = write(test, "found.json", file.read())
        for text in payloads(test, path) or ():
            json.loads(text.decode("utf-8", "replace"))
            n_read += 1
    fail_if(n_read == 0, "no payload was read")


# ---- Keys twice ----


def case_wrong_twice(test):
    """The last one stands, of each member."""
    path = trace(test, b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":-1,"dur":5}',
                 b'{"ph":"X","name":"b","pid":1,"tid":1,"ts":10,"dur":5,"dur":-1}',
                 b'{"ph":"X","name":"c","pid":1,"tid":1,"ts":20,"dur":5,"dur":null}',
                 b'{"ph":"X","name":"d","pid":1,"tid":1,"ts":30,"dur":5,"ts":"x"}')
    expect_equal(skipped(test, path),
                 {("traceEvents", "negative duration: taken as empty"): 1,
                  ("traceEvents", "no duration: taken as no end"): 1,
                  ("traceEvents", "no ts: left out"): 1}, "what was changed")


# ---- Numbers that do not fit ----

KERNEL = b'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":1,"args":{%s}}'
CALL = b'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":%d,"tid":1,"ts":%d,"dur":1,"args":{"correlation":%d}}'
NO_ROOM = "number that its place cannot hold: left out"


def case_wrong_pids(test):
    """Pids and tids of more than 32 bits are names; where these have others, they are counted."""
    path = trace(test, b'{"ph":"X","name":"a","pid":4294967297,"tid":1,"ts":1,"dur":1}',
                 b'{"ph":"X","name":"b","pid":1,"tid":4294967298,"ts":1,"dur":1}',
                 b'{"ph":"X","name":"c","pid":-7,"tid":-1,"ts":1,"dur":1}',
                 b'{"ph":"X","name":"d","pid":4294967295,"tid":4294967296,"ts":1,"dur":1}',
                 b'{"ph":"M","name":"thread_name","pid":4294967295,"tid":4294967296,"args":{"name":"d"}}')
    info = info_of(test, path)
    places = {(info["processes"][thread["process"]]["pid"], info["processes"][thread["process"]]["name"],
               thread["tid"], thread["name"]) for thread in info["threads"]}
    expect_equal(places, {(0, "4294967297", 1, None), (1, None, 0, "4294967298"),
                          (4294967289, "-7", 4294967295, "-1"), (4294967295, None, 0, "d")}, "places")
    expect_equal(skipped(test, path),
                 {("tid", "number of more than 32 bits of what has a name: 0"): 1}, "what was changed")


def case_wrong_places(test):
    """A number that is no device, stream or size is counted, and not cut to 32 bits."""
    odd = (b'"device":99999999999', b'"stream":-7', b'"context":4294967296', b'"graph id":99999999999999999999',
           b'"grid":[4294967297,1,1]', b'"registers per thread":-5', b'"correlation":-3',
           b'"shared memory":1.5', b'"device":"4294967296"')
    good = (b'"device":-1,"stream":-1', b'"device":"4294967295"', b'"correlation":4294967296', b'"grid":[1,2,"x"]')
    for args in odd + good:
        path = trace(test, KERNEL % (5, args))
        expected = {("kernel", NO_ROOM): 1} if args in odd else {}
        expect_equal(skipped(test, path), expected, f"what was changed of {args}")
    path = trace(test, b'{"ph":"X","cat":"kernel","name":"k","pid":-7,"tid":4294967303,"ts":1,"dur":1}',
                 b'{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":'
                 b'{"Device Type":1,"Device Id":4294967297,"Total Allocated":5}}')
    expect_equal(skipped(test, path),
                 {("kernel", "pid or tid that is no device or stream: taken as 0"): 2,
                  ("traceEvents", NO_ROOM): 1}, "what was changed")


def case_wrong_processes(test):
    """Work that could belong to calls of two processes is not linked, and counted."""
    path = trace(test, CALL % (1, 1, 5), CALL % (2, 2, 5), CALL % (2, 3, 6),
                 KERNEL % (5, b'"device":0,"stream":7,"correlation":5'),
                 KERNEL % (6, b'"device":0,"stream":7,"correlation":6'),
                 KERNEL % (7, b'"device":0,"stream":7,"correlation":8'))
    expect_equal(skipped(test, path),
                 {("correlation", "number of calls of several processes: GPU work is not linked"): 1},
                 "what was not linked")
    done = call(test, "stats", "-q", "--allow-empty", "-f", "csv", "-r", "cuda_kern_exec_sum", path)
    rows = done.stdout.decode().splitlines()
    fail_if(done.returncode != 0 or len(rows) != 2, f"launches: {rows} {done.stderr}")
    column = rows[0].split(",").index("PID") if "PID" in rows[0].split(",") else None
    fail_if(column is not None and rows[1].split(",")[column] != "2", f"launches: {rows}")


# ---- What is left out ----


def case_wrong_pages(test):
    """Pages are those of a database."""
    path = trace(test, EVENT % b'{"a":1}')
    done = call(test, "info", "--import=pages", path)
    fail_if(done.returncode == 0 or b"leave out --import=pages" not in done.stderr, f"{done}")
    expect_equal(call(test, "info", "--import=library", path).returncode, 0, "status with the library")


def case_wrong_empty(test):
    """Events that say nothing are counted, and take no memory each."""
    n = 2_000_000
    path = write(test, "empty.json", b'{"schemaVersion":1,"traceEvents":[' + b"{},\n" * n +
                 b'{"cat":"x"},{"cat":"x","ph":"C","args":{"a":1}},{"cat":"y"},{"ts":1},{}]}')
    expect_equal(skipped(test, path),
                 {("traceEvents", "no ts: left out"): n + 1, ("x", "no ts: left out"): 2,
                  ("y", "no ts: left out"): 1, ("traceEvents", "no ph: left out"): 1,
                  ("traceEvents", "no pid: shown in process 0"): 1}, "what was left out")
    if is_sanitized(test.rangefinder):  # sanitizers reserve addresses of their own
        return
    limited = subprocess.run(["sh", "-c", 'ulimit -v 250000 && exec "$0" info --json "$1"',
                              test.rangefinder, path], capture_output=True,
                             env={**os.environ, "MALLOC_ARENA_MAX": "1"})
    fail_if(limited.returncode != 0, f"with 250 MB of addresses: {limited.stderr}")
