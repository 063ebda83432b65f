# SPDX-License-Identifier: Apache-2.0
"""Snapshots that a flight recorder takes by itself: what rules find, when, how often, and what is said of the rest."""

import glob
import os
import re
import signal
import subprocess
import time

from cases_ring import events_of, info_of, lines_of, wait_for
from harness import Skip, expect_equal, fail_if, kill_group

NEVER = "--cool-down=0s"
ONCE = "--cool-down=9h"


def fly(test, *steps, options=(), expect_status=0, quiet=False):
    """Runs incidents.c in a ring; returns what the command line said, and the snapshots."""
    for path in glob.glob(test.path("fly.rf")):
        os.unlink(path)
    done = test.run([test.rangefinder, "profile", *(["-q"] if quiet else []), "--ring=2M", "-o", "fly", *options,
                     test.program("incidents"), *steps])
    said = done.stderr.decode()
    expect_equal(done.status, expect_status, f"exit status; it said {said}")
    fail_if(done.stdout, f"the program printed {done.stdout}")
    return said, snapshots_of(test)


def snapshots_of(test, base="fly"):
    paths = glob.glob(test.path(f"{base}.snapshot*.rf"))
    return sorted(paths, key=lambda path: int(re.search(r"(\d+)\.rf$", path)[1]))


def ring_of(test, path):
    return info_of(test, path)["ring"]


def named(test, path, name):
    return [e for e in events_of(lines_of(test, path)) if e["name"] == name]


def check_fired(test, path, rule, text, least_ns=None):
    """A snapshot was taken of a rule, which measured at least so much."""
    ring = ring_of(test, path)
    expect_equal(ring["rule"], rule, f"rule of {path}")
    fail_if(not re.search(text, ring["reason"]), f"reason of {path}: {ring['reason']}, expected {text}")
    value = ring.get("value_ns")
    fail_if((value is None) != (least_ns is None) or (least_ns and value < least_ns), f"{path}: measured {value}, expected {least_ns}")


def case_ring_rule_slow(test):
    """A range that takes too long, by time and by its median: of a push, on two threads, with names that come late."""
    rules = ["slow:step@job:50ms", "slow:st*@j*:3x", "slow:transfer:20ms", "slow:late step@late:20ms"]
    slow = ["steps:40", "slow:60"]  # of 0.2 ms at least
    for rule, steps, name, least_ms in ((rules[0], slow, "step", 50), (rules[1], slow, "step", 0.6),
                                        (rules[2], ["cross:1", "cross:30"], "transfer", 20),
                                        (rules[3], ["late:30"], "late step", 20)):
        said, (path,) = fly(test, *steps, options=[f"--snapshot-on={rule}", ONCE])
        check_fired(test, path, rule, f"^'{name}' took [0-9.]+ .?s in thread", 1e6 * least_ms)
        value, durations = ring_of(test, path)["value_ns"], [e["end_ns"] - e["start_ns"] for e in named(test, path, name)]
        fail_if(not any(abs(value - ns) < 1000 + ns // 1000 for ns in durations), f"{rule}: measured {value}, there are {durations}: {said}")
        text = test.command("info", path).stdout.decode()
        fail_if(f", by {rule}: " not in text, f"info says {text}")
        os.unlink(path)


def case_ring_rule_compressed(test):
    """The snapshot of a rule is compressed as the ring is, and has the cause."""
    options = ["--compress", "--snapshot-on=slow:step@job:150ms", ONCE]
    said, (path,) = fly(test, *(100 * ["marks:500", "sleep:1"]), "steps:30", "slow:160", "steps:5", options=options)
    check_fired(test, path, "slow:step@job:150ms", "^'step' took", 150_000_000)
    value, steps = ring_of(test, path)["value_ns"], named(test, path, "step")
    fail_if(not any(abs(value - (e["end_ns"] - e["start_ns"])) < 1000 + value // 1000 for e in steps), f"measured {value}: {steps}")
    expect_equal(len(named(test, path, "burst")), 50000, "marks before it")
    for each in path, test.path("fly.rf"):
        expanded = info_of(test, each).get("expanded_bytes", 0)
        fail_if(expanded < 3 * os.path.getsize(each), f"{each}: {os.path.getsize(each)} bytes stand for {expanded}; it said {said}")
    expect_equal(len(named(test, test.path("fly.rf"), "step")), 36, "steps in the file")


def case_ring_rule_warm_up(test):
    """The first ranges of a name have no median yet: none of them is slow."""
    said, paths = fly(test, "steps:10", "slow:60", "steps:5", options=["--snapshot-on=slow:step:2x"])
    expect_equal(paths, [], "snapshots")
    fail_if("no such range" in said, f"the rule saw its range: {said}")


def case_ring_rule_open(test):
    """A hang: the snapshot is taken while the range is open, once, and holds it; the program runs on."""
    stop = test.path("stop")
    process = test.start([test.rangefinder, "profile", "--ring=2M", "-o", "fly", "--snapshot-on=open:request@job:100ms", NEVER,
                          test.program("incidents"), "steps:5", f"hang:{stop}"])
    try:
        wait_for("a snapshot", lambda: snapshots_of(test), process, test)
        (path,) = snapshots_of(test)
        check_fired(test, path, "open:request@job:100ms", "^'request' is open for ", 100_000_000)
        (request,) = named(test, path, "request")
        expect_equal(request["cut"], "still open", "the end of the range that hangs")
        time.sleep(0.3)  # it is open all the time, and reported once
        expect_equal(snapshots_of(test), [path], "snapshots")
    finally:
        with open(stop, "w"):
            pass
    expect_equal(process.wait(test.timeout_s), 0, "exit status")


def case_ring_rule_open_waits(test):
    """What is open while rules are quiet is not forgotten; it is reported when they may find something again."""
    stop = test.path("stop")
    process = test.start([test.rangefinder, "profile", "--ring=2M", "-o", "fly", "--snapshot-on=mark:first", "--cool-down=700ms",
                          "--snapshot-on=open:request:10ms", test.program("incidents"), "mark:first", f"hang:{stop}"])
    try:
        wait_for("two snapshots", lambda: len(snapshots_of(test)) == 2, process, test)
        first, second = snapshots_of(test)
        check_fired(test, first, "mark:first", "^mark 'first'")
        check_fired(test, second, "open:request:10ms", "^'request' is open", 10_000_000)
        fail_if(ring_of(test, second)["asked_ns"] - ring_of(test, first)["asked_ns"] < 700_000_000, "it was reported too early")
    finally:
        with open(stop, "w"):
            pass
    expect_equal(process.wait(test.timeout_s), 0, "exit status")


def case_ring_rule_open_of_the_dead(test):
    """A process that was killed has no range that hangs."""
    said, paths = fly(test, "fork:abort", "sleep:1500", options=["--snapshot-on=open:child:1s"])
    expect_equal(paths, [], f"snapshots; it said {said}")


def case_ring_rule_ends(test):
    """The program exits, or crashes; a child does; somebody asks it to end."""
    both = ["--snapshot-on=exit", "--snapshot-on=crash"]
    for steps, rule, text, status in ((["steps:3", "exit:3"], "exit", "exited with status 3", 3),
                                      (["steps:3", "abort"], "crash", "was ended by signal 6", 134),
                                      (["fork:abort", "steps:3"], "crash", "ended", 0)):
        _, paths = fly(test, *steps, options=[*both, ONCE], expect_status=status)
        check_fired(test, paths[0], rule, text)
        if "abort" in steps:
            (cause,) = named(test, paths[0], "the cause")
            expect_equal(cause["cut"], "killed", "the end of the range that it crashed in")
        for path in paths:
            os.unlink(path)
    _, paths = fly(test, "fork:0", "steps:1", options=["--snapshot-on=crash"])
    expect_equal(paths, [], "a child that exits, and a program")


def case_ring_rule_crash_is_no_request(test):
    """SIGTERM ends a program that somebody wants to end."""
    process = test.start([test.rangefinder, "profile", "--ring=2M", "-o", "fly", "--snapshot-on=crash", test.program("incidents"),
                          f"make:{test.path('up')}", "wait:never"])
    wait_for("it runs", lambda: os.path.exists(test.path("up")), process, test)
    process.send_signal(signal.SIGTERM)
    expect_equal(process.wait(test.timeout_s), 143, "exit status")
    expect_equal(snapshots_of(test), [], "snapshots")


def case_ring_rule_thousand_times(test):
    """A rule that fires without end takes one snapshot within its cool-down; all else is counted."""
    steps = 40 * ["marks:500", "sleep:2"]
    said, paths = fly(test, *steps, options=["--snapshot-on=mark:burst@job", "--snapshot-on=mark:bu*", ONCE])
    expect_equal(len(paths), 1, "snapshots")
    found = int(re.search(r"(\d+) more w\w+ found or asked for while a snapshot was due", said)[1])
    expect_equal(found, 2 * 20000 - 1, "what else was found by two rules")
    expect_equal(len(named(test, test.path("fly.rf"), "burst")), 20000, "marks in the file")


def case_ring_rule_sees_all(test):
    """Each record is looked at once, although parts are recycled all the time."""
    steps = 60 * ["marks:3000", "sleep:20"]
    for more in [], ["--compress"]:
        said, paths = fly(test, *steps, options=["--ring=1M", "--snapshot-on=mark:burst", ONCE, *more])
        fail_if("did not see" in said, f"the rules did not see all: {said}")
        found = int(re.search(r"(\d+) more w\w+ found", said)[1])
        expect_equal(found, 180000 - 1, "marks")
        n_recycled = ring_of(test, test.path("fly.rf"))["n_recycled"]
        fail_if(n_recycled < 90000 and not more, "hardly anything was recycled")
        for path in paths:
            os.unlink(path)


def case_ring_rule_after(test):
    """A snapshot that is taken some time later has what followed, and says when the rule found something."""
    said, (path,) = fly(test, "mark:cause", "wait:fly.snapshot1.rf", options=["--snapshot-on=mark:cause", "--after=300ms"])
    ring, (cause,) = ring_of(test, path), named(test, path, "cause")
    fail_if(not cause["start_ns"] <= ring["asked_ns"], f"asked for at {ring}, the cause came at {cause['start_ns']}: {said}")
    fail_if(info_of(test, path)["end_ns"] - ring["asked_ns"] < 300_000_000, f"it was taken too early: {ring}")
    os.unlink(path)
    _, (path,) = fly(test, "mark:cause", "sleep:100", "mark:followed", options=["--snapshot-on=mark:cause", "--after=1h"])
    (followed,) = named(test, path, "followed")  # the program has ended: it is taken at once
    fail_if(followed["start_ns"] < named(test, path, "cause")[0]["start_ns"] + 100_000_000, "they are not in order")


def case_ring_rule_snapshots(test):
    """--snapshots=N takes the first N, and says once that the rules are off."""
    steps = ["mark:cause", "wait:fly.snapshot1.rf", "mark:cause", "wait:fly.snapshot2.rf", "mark:cause", "sleep:100", "mark:cause"]
    said, paths = fly(test, *steps, options=["--snapshot-on=mark:cause", NEVER, "--snapshots=2"])
    expect_equal([ring_of(test, path)["snapshot"] for path in paths], [1, 2], "snapshots")
    expect_equal(said.count("2 snapshots were taken: the rules are off"), 1, f"how often that is said: {said}")


def case_ring_rule_quota(test):
    """The oldest snapshots go; those of somebody else stay, and are not overwritten."""
    other = test.path("fly.snapshot2.rf")
    with open(other, "wb") as file:
        file.write(b"another run's")
    numbers = [1, 3, 4, 5, 6, 7]
    steps = ["marks:60000", *(step for n in numbers for step in ("mark:cause", f"wait:fly.snapshot{n}.rf"))]
    said, paths = fly(test, *steps, options=["--ring=1M", "--snapshot-quota=3M", "--snapshot-on=mark:cause", NEVER])
    with open(other, "rb") as file:
        expect_equal(file.read(), b"another run's", "the file that was there")
    paths.remove(other)
    n_removed = len(re.findall("removed 'fly.snapshot", said))
    fail_if(n_removed == 0 or n_removed + len(paths) != 6, f"{n_removed} removed, {paths} left: {said}")
    expect_equal([ring_of(test, path)["snapshot"] for path in paths], numbers[n_removed:], "the newest ones are left")
    fail_if(sum(map(os.path.getsize, paths)) > 3 << 20, "they are more than the quota")
    fail_if(f"{n_removed} of 6 snapshots were removed" not in said, f"the number is not said: {said}")


def said_of(test):
    with open(test.path("stderr"), encoding="utf-8") as file:
        return file.read()


def case_ring_rule_full_disk(test):
    """A snapshot that does not fit leaves nothing; the program and the ring go on, and the loss is said."""
    disk, go = test.path("disk"), test.path("go")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], check=False, stderr=subprocess.DEVNULL).returncode:
        raise Skip("a small file system cannot be mounted here")
    try:
        process = test.start([test.rangefinder, "profile", "--ring=8M", "--session-new=full", "-o", os.path.join(disk, "fly"),
                              "--snapshot-on=mark:cause", test.program("incidents"), "marks:200000", "mark:cause", f"wait:{go}",
                              "mark:cause", "exit:4"])
        wait_for("the failure is said", lambda: "no snapshot could be taken" in said_of(test), process, test)
        by_hand = test.command("snapshot", "full", expect_status=1).stderr.decode()
        fail_if("No space left" not in by_hand, f"by hand it says {by_hand}")
        with open(go, "w"):
            pass
        expect_equal(process.wait(test.timeout_s), 4, f"exit status; it said {said_of(test)}")
        fail_if("LOST 2 snapshots" not in said_of(test), f"it said {said_of(test)}")
        expect_equal(glob.glob(os.path.join(disk, "fly.snapshot*")), [], "what is left of the snapshots")
        (session,) = glob.glob(os.path.join(disk, "*.rfdir"))
        test.command("recover", "-o", test.path("saved.rf"), session)
        expect_equal(len(named(test, test.path("saved.rf"), "cause")), 2, "marks")
    finally:
        subprocess.run(["umount", disk], check=True)


def is_written(test):
    return glob.glob(test.path("fly.snapshot*.tmp-*"))


def start_asking(test):
    """A program that asks for snapshots of 8 MB all the time."""
    steps = ["marks:200000"] + 2000 * ["ask:again", "marks:2000", "sleep:30"]
    return test.start([test.rangefinder, "profile", "-q", "--ring=8M", "-o", "fly", NEVER, test.program("incidents"), *steps])


def check_snapshots(test):
    for path in snapshots_of(test):
        expect_equal(info_of(test, path)["n_damaged_bytes"], 0, f"damage of {path}")


def case_ring_rule_program_killed(test):
    """SIGKILL of the program while a snapshot is written: that one is whole, and so is the file at the end."""
    process = start_asking(test)
    wait_for("a snapshot is being written", lambda: is_written(test), process, test)
    (child,) = [int(pid) for pid in os.popen(f"pgrep -P {process.pid}").read().split()]
    os.kill(child, signal.SIGKILL)
    expect_equal(process.wait(test.timeout_s), 137, "exit status")
    expect_equal(is_written(test), [], "what is half written")
    fail_if(not snapshots_of(test), "there is no snapshot")
    check_snapshots(test)
    expect_equal(info_of(test, test.path("fly.rf"))["n_damaged_bytes"], 0, "damage of the file")


def case_ring_rule_command_line_killed(test):
    """SIGKILL of the command line while a snapshot is written: no file has that name, and the ring can be recovered."""
    process = start_asking(test)
    wait_for("a snapshot is being written", lambda: is_written(test), process, test)
    kill_group(process)
    check_snapshots(test)
    (session,) = test.session_directories()
    test.command("recover", "-o", test.path("found.rf"), session)
    fail_if(len(named(test, test.path("found.rf"), "burst")) < 1000, "hardly anything was recovered")


def case_ring_rule_never_matches(test):
    """At the end it is said which rules never saw what they name, and what nearly was it."""
    expected = {
        "mark:cause@jobs": "but one 'cause' of the domain 'job'",
        "slow:step@Job:1s": "but one 'step' of the domain 'job'",
        "slow:Step@job:1s": "but one 'step', which differs by upper and lower case",
        "slow:cause@job:1s": "but a mark 'cause'",
        "mark:step@job": "but a range 'step'",
        "open:nothing@jab:1s": "there was no domain 'jab'; did you mean 'job'?",
        "slow:nothing:3x": "there was no such range",
        "mark:step@": "no such mark",
    }
    said, paths = fly(test, "steps:3", "mark:cause", options=[f"--snapshot-on={rule}" for rule in [*expected, "slow:step@job:9h"]])
    expect_equal(paths, [], "snapshots")
    lines = [line for line in said.splitlines() if "--snapshot-on" in line]
    expect_equal(len(lines), len(expected), f"lines: {said}")
    for line, (rule, text) in zip(lines, expected.items()):
        fail_if(f"'--snapshot-on={rule}'" not in line or text not in line, f"of {rule} it says: {line}")
    said, _ = fly(test, "steps:3", options=["-f", "--snapshot-on=mark:x"], quiet=True)
    expect_equal(said, "", "what -q says")


def case_ring_asked_by_the_program(test):
    """rangefinder_snapshot(): with its reason, through any filter of domains, and nothing without a ring."""
    for options in ([], ["--nvtx-domain-include=none"], ["--nvtx-domain-exclude=job,rangefinder.snapshot"], ["-t", "cuda"]):
        _, (path,) = fly(test, "steps:30", "ask:slow answers", "wait:fly.snapshot1.rf", options=options)
        ring = ring_of(test, path)
        expect_equal((ring["reason"], ring["rule"]), ("slow answers", ""), f"with {options}")
        os.unlink(path)
    said, (path,) = fly(test, *(9 * ["ask:often"]), "ask:")
    fail_if("9 more were found" not in said, f"it said {said}")
    os.unlink(path)
    run = test.record("incidents", "steps:3", "ask:nobody listens")
    expect_equal(run.outcome.stderr, b"", "what is said of a run without a ring")
    expect_equal(snapshots_of(test, "*"), [], "snapshots")


def case_ring_asked_late(test):
    """What asks when the ring was recycled long ago is seen."""
    _, (path,) = fly(test, "marks:150000", "ask:late", "wait:fly.snapshot1.rf", options=["--ring=1M"])
    expect_equal(ring_of(test, path)["reason"], "late", "reason")
    fail_if(ring_of(test, path)["n_recycled"] == 0, "nothing was recycled before")


def case_ring_rule_usage(test):
    """Rules that are none: the message shows the form."""
    for rule, text in (("", "give mark:"), ("mark", "give mark:MESSAGE"), ("mark:", "give mark:MESSAGE"), ("mark:@x", "give mark:MESSAGE"),
                       ("slow:step", "give slow:RANGE"), ("slow:step:", "give slow:RANGE"), ("slow:step:0x", "Kx"), ("slow:step:1x", "Kx"),
                       ("slow:step:5", None), ("slow::5ms", "give slow:RANGE"), ("slow:step:5 ms", "give slow:RANGE"), ("slow:step:-5ms", "give"),
                       ("slow:step:0s", "give slow"), ("open:step:3x", "give open:RANGE"), ("open:step:nan", "give open:RANGE"),
                       ("exit:3", "give exit"), ("crash:", "give crash"), ("slw:step:3x", "give mark:"), ("slow:step:1e400s", "give slow")):
        done = test.command("profile", "--ring=1M", f"--snapshot-on={rule}", "-o", "x", "true", expect_status=None)
        expect_equal(done.status, 0 if text is None else 2, f"status with '{rule}'")
        fail_if(text is not None and text not in done.stderr.decode(), f"'{rule}': {done.stderr.decode()}")
        for path in glob.glob(test.path("x.rf")):
            os.unlink(path)
    for options, text in ((["--after=1"], "--ring"), (["--snapshot-on=exit"], "'--snapshot-on' is about snapshots of a ring"),
                          (["--ring=4M", "--snapshot-quota=1M"], "at least the size of the ring"), (["--ring=4M", "--after=x"], "give a time"),
                          (["--ring=4M", "--cool-down=1d"], "ns, us, ms, s, min, h"), (["--ring=4M", "--snapshot-quota=0"], "give a size"),
                          (["--ring=4M", *(33 * ["--snapshot-on=exit"])], "more than 32")):
        done = test.command("profile", *options, "true", expect_status=2)
        fail_if(text not in done.stderr.decode(), f"{options}: {done.stderr.decode()}")


def case_ring_is_not_overrun(test):
    """Programs that are faster than their parts are recycled wait: the ring is never much more than twice its size."""
    process = test.start([test.rangefinder, "profile", "-q", "--ring=4M", "-o", "fly", test.program("volume"), "2", "20000"])
    most = 0
    while process.poll() is None:
        for path in glob.glob(test.path("*.rfdir", "p*.log")):
            try:
                most = max(most, os.stat(path).st_blocks * 512)
            except FileNotFoundError:
                pass
        time.sleep(0.001)
    expect_equal(process.wait(), 0, "exit status")
    fail_if(not 2 << 20 < most < 12 << 20, f"a ring of 4 MB held {most} bytes")
    info = info_of(test, test.path("fly.rf"))
    expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses")
