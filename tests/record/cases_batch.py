# SPDX-License-Identifier: Apache-2.0
"""What pointers in batches of events point to is recorded where the schema asks for it: batch.c."""

import json

from harness import expect_equal, fail_if

FOCUS = "-c", "nvtx", "-p", "step", "--nvtx-capture-unregistered"


def node(ident, **members):
    return {"id": ident, "text": None, "n": 0, "number": None, "next": None, "elsewhere": None, **members}


def marks_of(test, run):
    """Domains to the payloads of their marks, in their order."""
    found = {}
    for line in test.command("export", "-t", "jsonl", "-o", "-", run.output).stdout.splitlines():
        line = json.loads(line)
        if line["type"] == "mark":
            found.setdefault(line["domain"], []).append(line["payload"])
    return found


def check_all(test, run):
    """What the mode `all` made."""
    expect_equal(run.outcome.status, 0, "exit status")
    run.check_nothing_lost()
    found = marks_of(test, run)
    elsewhere = found["said"][3]["elsewhere"]
    fail_if(not isinstance(elsewhere, str) or not elsewhere.startswith("0x"), f"read without being asked: {elsewhere}")
    nodes = [node(0), node(1, text="outer", n=3, number=[7, -8, 9], next=node(2, text="inner")),
             node(3, text="outer"), node(4, elsewhere=elsewhere), node(5), node(6, n=1, number=[7]),
             node(7, n=2, number=[7, 0])]
    expect_equal(found, {
        "said": nodes, "computed": nodes,
        "dynamic": [{"id": 11, "far": None, "near": "one", "n": 2, "own": [21, 22]},
                    {"id": 12, "far": "far away", "near": "two", "n": 0, "own": []},
                    {"id": 13, "far": "one", "near": "two", "n": 1, "own": [23]}]}, "payloads")


def case_batch_pointers(test):
    """Each event has what it points to, and nothing else is read."""
    for n, options in enumerate(((), FOCUS, (*FOCUS, "--keep-open-ranges=false"), ("--ring=16M",))):
        check_all(test, test.record("batch", "all", compare=False, options=options, output=f"run-{n}.rf"))


def case_batch_pointers_with_nvidia_headers(test):
    check_all(test, test.record(test.build_with_nvidia_headers("batch"), "all", compare=False))


def case_batch_too_much(test):
    """What is beyond the bounds is counted, and the events are there."""
    run = test.record("batch", "too-much", compare=False)
    payloads = marks_of(test, run)["said"]
    expect_equal([p["id"] for p in payloads], [0, *range(100, 120), 200], "events")
    expect_equal(payloads[0]["n"], 100000, "a length")
    copied = [p["id"] for p in payloads if p["text"] == "copied"]
    expect_equal(copied, [*range(100, 116)], "events beside 16 MiB of flexData")
    expect_equal(payloads[-1]["text"], "whole", "the event before one that is cut")
    info = run.recording.info
    expect_equal((info["n_lost_records"], info["lost_bytes"]), (1 + 4 + 1, 4 * 100000 - 65536), "what is lost")


def case_batch_many(test):
    """Each event of a size that is known is looked at by itself: with all that follow it, this takes minutes."""
    run = test.record("batch", "many", compare=False)
    run.check_nothing_lost()
    payloads = marks_of(test, run)["many"]
    expect_equal([sum((p["id"] >> (8 * k + 1) & 63) << (6 * k) for k in range(4)) for p in payloads],
                 list(range(150000)), "events")


def case_batch_beyond(test):
    """What an event points to behind the last entry that is looked at is counted."""
    run = test.record("batch", "beyond", compare=False)
    expect_equal([p["id"] for p in marks_of(test, run)["beyond"]], [5], "events")
    expect_equal(run.recording.info["n_lost_records"], 1, "what is lost")


def case_batch_signals(test):
    """A handler that submits batches interrupts batches that are submitted: each event has what is its own."""
    run = test.record("batch", "signals", compare=False)
    run.check_nothing_lost()
    (n, n_handled), payloads = map(int, run.outcome.stdout.split()), marks_of(test, run)["said"]
    for first, count, text in (0, n, "main"), (1 << 40, n_handled, "handler"):
        found = [p for p in payloads if first <= p["id"] < first + count]
        expect_equal([(p["id"] - first, p["text"], p["number"]) for p in found],
                     [event for i in range(count) for event in ((i, text, None), (i, None, [i]))],
                     f"events of {text}")
    expect_equal(len(payloads), 2 * (n + n_handled), "events")
