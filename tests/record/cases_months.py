# SPDX-License-Identifier: Apache-2.0
"""Processes that are silent for months: the low 53 bits of a time, which records have, begin anew meanwhile."""

import json
import os
import signal
import struct
import time

from harness import Skip, expect_equal, fail_if, kill_group

DAY = 86400 * 10**9
PAUSES = 3  # of 60 days each: more than 2^53 ns in all
MOMENT = 9  # type of a chunk
MAGIC = b"RFCK"
EVENTS = ("push_pop", "mark", "category")


def count_moments(path):
    with open(path, "rb") as file:
        data = file.read()
    n, at = 0, -1
    while (at := data.find(MAGIC, at + 1)) >= 0:
        n += struct.unpack_from("<H", data, at + 4)[0] == MOMENT
    return n


def wait_for(what, condition, process, test):
    end = time.monotonic() + test.timeout_s
    while not condition():
        fail_if(time.monotonic() > end or process.poll() is not None, f"{what}: {test.describe(process)}")
        time.sleep(0.01)


def let_months_pass(test, options, at_end=None):
    """Records months.c over three pauses of 60 days. at_end(process, directory, go): instead of letting it go on
    and end. Returns the recording's path."""
    jump, made, go = test.path("jump"), test.path("made"), test.path("go")
    library = os.path.join(test.build, "tests", "record", "jump.so")
    if not os.path.exists(library):
        raise Skip("jump.so was not built")
    with open(jump, "wb") as file:
        file.write(bytes(8))
    output = test.path("months.rf")
    # a sanitizer need not come before the library
    options_of_asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    env = {"LD_PRELOAD": library, "RF_JUMP": jump, "RANGEFINDER_CLOCK": "monotonic", "ASAN_OPTIONS": options_of_asan}
    process = test.start(
        [test.rangefinder, "profile", "-q", "-o", output, *options, test.program("months"), made, go], env=env
    )
    try:
        wait_for("begun", lambda: os.path.exists(made), process, test)
        (directory,) = test.session_directories()
        log = os.path.join(directory, "p000000.log")
        for i in range(PAUSES):
            before = count_moments(log)
            with open(jump, "r+b") as file:
                file.write(struct.pack("<q", (i + 1) * 60 * DAY))
            wait_for("a moment", lambda: count_moments(log) > before, process, test)
        if at_end is not None:
            at_end(process, directory, go)
        else:
            make(go)
            process.communicate(timeout=test.timeout_s)
    finally:
        kill_group(process)
    return output


def make(path):
    with open(path, "wb"):
        pass


def check(test, path):
    lines = [json.loads(line) for line in test.command("export", "-t", "jsonl", "-o", "-", path).stdout.splitlines()]
    when = {line["name"]: line["start_ns"] / DAY for line in lines if line["type"] in EVENTS}
    days = {name: round(day) for name, day in when.items()}
    after = PAUSES * 60
    expect_equal(
        days,
        {"over months": 0, "early": 0, "early name": 0, "late": after, "late name": after, "first of another": after},
        "days",
    )
    (over,) = [line for line in lines if line.get("name") == "over months"]
    expect_equal(round(over["end_ns"] / DAY), after, "end of the range over all of it")


def case_months_of_silence(test):
    """Events and names have their true times, also those of a thread that was there and had none before."""
    check(test, let_months_pass(test, []))
    for path in "months.rf", "made", "go":
        os.unlink(test.path(path))
    check(test, let_months_pass(test, ["--compress"]))


def case_months_and_a_kill(test):
    """The command line is killed at the end of the pause: what it noted stands in the log."""
    output = test.path("recovered.rf")

    def go_on_alone(process, directory, go):
        process.send_signal(signal.SIGKILL)
        process.wait()
        make(go)
        end, done = time.monotonic() + test.timeout_s, None
        while done is None or done.status != 0:  # as long as the program runs it cannot be recovered
            fail_if(time.monotonic() > end, f"it cannot be recovered: {done and done.stderr}")
            done = test.command("recover", "-o", output, directory, expect_status=None)
            time.sleep(0.05)

    let_months_pass(test, [], go_on_alone)
    check(test, output)


def case_months_of_a_split_run(test):
    """What is noted of silent threads counts in the files, too."""
    let_months_pass(test, ["--split=1G"])
    check(test, test.path("months.1.rf"))
