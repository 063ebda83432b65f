# SPDX-License-Identifier: Apache-2.0
"""Messages and names that other tools drop, spoil or die of; structures of other sizes."""

from harness import (
    CATEGORY,
    MARK,
    PUSH_POP,
    THREAD_NAME,
    expect_equal,
    fail_if,
)


def case_text_null(test):
    run = test.record("text", "null").check_nothing_lost()
    rec = run.recording
    rec.one("before"), rec.one("after")
    noted = [n for n in run.notes if n.op in ("mark", "push", "start")]
    got = [e["name"] for e in rec.events(MARK, PUSH_POP, 2)]
    # and one push with a registered NULL
    expect_equal(len(got), len(noted) + 1, "events")
    expect_equal(sorted(n for n in got if n), [b"after", b"before"], "events with a message")


def case_text_null_attributes(test):
    run = test.record("text", "null-attributes").check_nothing_lost()
    run.recording.one("before"), run.recording.one("after")


def case_text_empty(test):
    rec = test.record("text", "empty").check_truth().recording
    expect_equal([e["name"] for e in rec.events(CATEGORY)], [b""], "category name")
    expect_equal([e["name"] for e in rec.events(THREAD_NAME)], [b""], "thread name")


def case_text_long(test):
    """Up to 1 MiB, and registered, and as names."""
    rec = test.record("text", "long").check_truth().recording
    event = rec.one("in a domain with a long name")
    expect_equal(len(event["domain_name"]), 1 << 20, "length of the domain's name")
    expect_equal(event["category_name"], event["domain_name"], "the category's name")


def case_text_huge(test):
    """What is cut of a message of more than 256 MiB is counted, and so is a string of more than 1 GiB."""
    info = test.record("text", "huge", options=("--ring=16M",), compare=False).recording.info
    expect_equal((info["n_lost_records"], info["lost_bytes"], info["n_lost_defs"]), (1, 5, 1), "what is lost")


def case_text_invalid_utf8(test):
    rec = test.record("text", "invalid-utf8").check_truth().recording
    expect_equal([e["name"] for e in rec.events(CATEGORY)], [b"category \xff"], "category name")
    expect_equal([e["name"] for e in rec.events(THREAD_NAME)], [b"thread \xff"], "thread name")


def case_text_wide(test):
    rec = test.record("text", "wide").check_truth().recording
    expect_equal([e["name"] for e in rec.events(CATEGORY)], ["cé".encode()], "category name")
    expect_equal([e["name"] for e in rec.events(THREAD_NAME)], ["thréad".encode()], "thread name")


def case_struct_sizes(test):
    test.record("text", "sizes").check_truth()


def case_text_exports(test):
    """Every export of odd text is well-formed."""
    import json
    import os
    import sqlite3

    for mode in ("null", "empty", "invalid-utf8", "wide", "long"):
        run = test.record("text", mode, compare=False)
        n = len(run.recording.events(MARK, PUSH_POP, 2))
        for kind in ("json", "jsonl", "csv", "text", "sqlite"):
            test.command("export", "-t", kind, "-o", test.path(f"{mode}.{kind}"), run.output)
        with open(test.path(f"{mode}.json"), encoding="utf-8") as file:
            json.load(file)
        with open(test.path(f"{mode}.jsonl"), encoding="utf-8") as file:
            for line in file:
                json.loads(line)
        database = sqlite3.connect(test.path(f"{mode}.sqlite"))
        database.text_factory = bytes
        (rows,) = database.execute(
            "select count(*) from NVTX_EVENTS where eventType in (34, 59, 60)"
        ).fetchone()
        expect_equal(rows, n, f"{mode}: rows of NVTX_EVENTS")
        texts = {
            row[0]
            for row in database.execute(
                "select coalesce(text, value) from NVTX_EVENTS left join StringIds on id = textId"
            )
        }
        database.close()
        wanted = {e["name"] for e in run.recording.events(MARK, PUSH_POP, 2) if e["name"]}
        fail_if(not wanted <= texts, f"{mode}: not in the SQLite export: {wanted - texts}")
        os.unlink(test.path(f"{mode}.sqlite"))
