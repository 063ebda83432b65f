# SPDX-License-Identifier: Apache-2.0
"""Flight recorders: what a ring holds, what its snapshots hold, and what becomes of the rest."""

import collections
import glob
import json
import os
import random
import shutil
import signal
import time

from harness import expect_equal, fail_if, kill_group

OPEN = {"main", "in mine", "quiet", "never ends"}  # ranges around all others


def lines_of(test, path):
    out = test.command("export", "-t", "jsonl", "-o", "-", path).stdout
    return [json.loads(line) for line in out.splitlines()]


def info_of(test, path):
    return json.loads(test.command("info", "--json", path).stdout)


def events_of(lines):
    """The events without what counts them."""
    return [line for line in lines if line["type"] in ("push_pop", "start_end", "mark")]


def numbers(events, name):
    return sorted(e["payload"] for e in events if e["name"] == name)


def check_newest(events, name, last):
    """The numbers of a name are the newest, without a gap; returns how many they are."""
    found = numbers(events, name)
    expect_equal(found, list(range(last - len(found) + 1, last + 1)), f"numbers of {name}")
    return len(found)


def check_ring(test, path, last, size):
    """What a ring of `size` bytes holds of ring.c, whose main thread made `last` + 1 steps."""
    lines, info = lines_of(test, path), info_of(test, path)
    events = events_of(lines)
    for name in ("step", "inner"):
        n = check_newest(events, name, last)
        fail_if(not 100 < n <= last, f"{n} of {last + 1} '{name}' in a ring of {size} bytes")
    expect_equal({e["name"] for e in events if e["name"] in OPEN | {"a quiet mark"}}, OPEN | {"a quiet mark"},
                 "what was open or quiet")
    first = min(e["start_ns"] for e in events if e["name"] == "step")
    for e in events:
        fail_if(e["name"] in OPEN and e["start_ns"] > first, f"the start of an open range is not its own: {e}")
    ring = info["ring"]
    fail_if(ring["size_bytes"] != size or ring["n_recycled"] == 0, f"the ring is not described: {ring}")
    main = min(info["threads"], key=lambda t: t["first_ns"])
    early = [e for e in events if e["name"] == "step" and e["start_ns"] < main["kept_from_ns"]]
    fail_if(main["kept_from_ns"] == 0 or len(early) > 1, f"whole from {main['kept_from_ns']}, but there are {early}")
    expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses")
    return info


def case_ring_keeps_the_newest(test):
    """The newest events, ranges that are open with their true start, and the newest of a quiet thread."""
    run = test.record("ring", 300000, options=["--ring=2M"], compare=False)
    info = check_ring(test, run.output, 299999, 2 << 20)
    fail_if(os.path.getsize(run.output) > 4 << 20, f"the file has {os.path.getsize(run.output)} bytes")
    # two records for each of 900,000 ranges, a record of text for one in seven of a third of them and more
    kept = info["n_ranges"]
    fail_if(ring_events(info) + 2 * kept < 2 * 900000, f"{info['ring']} and {kept} ranges are not all that were recorded")
    text = test.command("info", run.output).stdout.decode()
    fail_if("older records are gone" not in text, f"info does not say that events went: {text}")


def ring_events(info):
    return info["ring"]["n_recycled"]


def case_ring_that_is_never_full(test):
    """It holds all, and says so."""
    run = test.record("ring", 1000, options=["--ring=64M"])
    info = info_of(test, run.output)
    expect_equal((info["ring"]["n_recycled"], info["ring"]["kept_from_ns"]), (0, 0), "what went")
    expect_equal(numbers(events_of(lines_of(test, run.output)), "step"), list(range(1000)), "steps")


def logs_size(test):
    return sum(os.stat(path).st_blocks * 512 for path in glob.glob(test.path("*.rfdir", "p*.log")))


def wait_for(what, condition, process, test):
    end = time.monotonic() + test.timeout_s
    while not condition():
        fail_if(time.monotonic() > end or process.poll() is not None, f"{what}: {test.describe(process)}")
        time.sleep(0.01)


def case_ring_snapshots(test):
    """While the program runs: two files, each with the newest events of its moment; the program and the ring go on."""
    stop, output = test.path("stop"), test.path("fly.rf")
    process = test.start([test.rangefinder, "profile", "-q", "--ring=2M", "--session-new=fly", "-o", output, "--snapshots=2",
                          test.program("ring"), "1000", stop])
    try:
        wait_for("recycled", lambda: logs_size(test) > 1 << 20, process, test)
        last = []
        for number, options in (1, []), (2, ["--reason=why\nnot"]):
            path = test.command("snapshot", "--session=fly", *options).stdout.decode().strip()
            expect_equal(path, test.path(f"fly.snapshot{number}.rf"), "name of the snapshot")
            events = events_of(lines_of(test, path))
            last.append(numbers(events, "step")[-1])
            check_newest(events, "step", last[-1])
            info = info_of(test, path)
            expect_equal((info["ring"]["snapshot"], info["ring"]["reason"]), (number, ["asked for", "why\nnot"][number - 1]),
                         "what the snapshot says of itself")
            fail_if(not 0 <= info["ring"]["asked_ns"] <= info["end_ns"], f"asked for at {info['ring']['asked_ns']}")
            fail_if(OPEN - {e["name"] for e in events}, "open ranges are missing")
        fail_if(last[1] <= last[0], f"the second snapshot is not newer: {last}")
        for _ in range(10):  # what is recycled meanwhile is not missed
            (session,) = test.session_directories()
            info = info_of(test, session)
            expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses of the live session")
        said = test.command("snapshot", "fly", expect_status=1).stderr.decode()
        fail_if("all 2 snapshots" not in said, f"a third snapshot: {said}")
    finally:
        with open(stop, "w"):
            pass
    expect_equal(process.wait(test.timeout_s), 0, "exit status")
    expect_equal(info_of(test, output)["ring"].get("snapshot"), None, "number of the file at the end")


def case_ring_of_a_killed_program(test):
    """The file has what the ring held."""
    stop, output = test.path("stop"), test.path("killed.rf")
    process = test.start([test.rangefinder, "profile", "-q", "--ring=1M", "-o", output, test.program("ring"), "1000", stop])
    wait_for("recycled", lambda: logs_size(test) > 1 << 19, process, test)
    (child,) = [int(pid) for pid in os.popen(f"pgrep -P {process.pid}").read().split()]
    os.kill(child, signal.SIGKILL)
    expect_equal(process.wait(test.timeout_s), 137, "exit status")
    events = events_of(lines_of(test, output))
    check_newest(events, "step", numbers(events, "step")[-1])
    fail_if(OPEN - {e["name"] for e in events}, "open ranges are missing")


def case_ring_of_a_killed_command_line(test):
    """`recover` makes a file of what is there; nothing is left in shared memory."""
    stop, output = test.path("stop"), test.path("found.rf")
    process = test.start([test.rangefinder, "profile", "-q", "--ring=1M", "-o", "left", test.program("ring"), "1000", stop])
    wait_for("recycled", lambda: logs_size(test) > 1 << 19, process, test)
    kill_group(process)
    (session,) = test.session_directories()
    links = [os.path.realpath(path) for path in glob.glob(os.path.join(session, "p*.log"))]
    end = time.monotonic() + test.timeout_s
    while test.command("recover", "-o", output, session, expect_status=None).status != 0:  # until the program has ended
        fail_if(time.monotonic() > end, "the session cannot be recovered")
        time.sleep(0.05)
    events = events_of(lines_of(test, output))
    check_newest(events, "step", numbers(events, "step")[-1])
    expect_equal([path for path in links if os.path.exists(path)], [], "logs that are left")


def case_ring_of_a_stopped_command_line(test):
    """Nobody lets go of anything: it takes 64 MB more and no further, and what does not fit is counted."""
    act = os.path.join(test.build, "tests", "cli", "apps", "act")
    steps = ["touch:ready", "await:go", "ranges:4000000", "touch:done", "await:stop"]
    process = test.start([test.rangefinder, "profile", "-q", "--ring=1M", "-o", "grown", act, *steps])
    try:
        wait_for("begun", lambda: os.path.exists(test.path("ready")), process, test)
        process.send_signal(signal.SIGSTOP)
        open(test.path("go"), "wb").close()
        wait_for("recorded", lambda: os.path.exists(test.path("done")), process, test)
        size = logs_size(test)
    finally:
        process.send_signal(signal.SIGCONT)
        open(test.path("stop"), "wb").close()
    expect_equal(process.wait(test.timeout_s), 0, "exit status")
    fail_if(not 4 << 20 < size < 72 << 20, f"{size} bytes are held")
    fail_if(info_of(test, test.path("grown.rf"))["n_lost_records"] < 1000000, "what was lost is not counted")


def case_ring_compressed(test):
    """It holds several times as many events, and what it lets go of leaves ranges open as ever."""
    stop, output = test.path("stop"), test.path("small.rf")
    process = test.start([test.rangefinder, "profile", "-q", "--ring=1M", "--compress", "-o", output, test.program("ring"), "1000", stop])
    try:
        (session,) = wait_for_session(test, process)
        # the thread that is quick has 3000 records
        wait_for("recycled", lambda: info_of(test, session)["ring"]["n_recycled"] > 20000, process, test)
    finally:
        with open(stop, "w"):
            pass
    expect_equal(process.wait(test.timeout_s), 0, "exit status")
    events, info = events_of(lines_of(test, output)), info_of(test, output)
    n = check_newest(events, "step", numbers(events, "step")[-1])
    fail_if(n < 1000, f"{n} steps")
    first = min(e["start_ns"] for e in events if e["name"] == "step")
    late = [e for e in events if e["name"] in OPEN and e["start_ns"] > first]
    fail_if(late or OPEN - {e["name"] for e in events}, f"open ranges: {late}")
    expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses")
    fail_if(info["expanded_bytes"] < 3 << 20, f"the ring held {info['expanded_bytes']} bytes, as many as without --compress")


def wait_for_session(test, process):
    wait_for("a session", test.session_directories, process, test)
    wait_for("it can be read", lambda: test.command("info", *test.session_directories(), expect_status=None).status == 0, process, test)
    return test.session_directories()


def case_ring_smaller_than_its_threads(test):
    """It holds a part of each that runs; nothing is lost, and the program is not disturbed."""
    run = test.record("volume", 40, 3000, options=["--ring=1M"], compare=False)
    expect_equal(run.outcome.status, 0, "exit status")
    info = info_of(test, run.output)
    expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses")
    fail_if(info["n_events"] < 1000 or os.path.getsize(run.output) > (1 << 20) + 40 * 160 * 1024,
            f"{info['n_events']} events in {os.path.getsize(run.output)} bytes")


def case_ring_refused(test):
    """What a ring cannot be used with, and sizes that are none."""
    for options, said in ((["--ring=64Q"], "give a size"), (["--ring=1K"], "between 1M"), (["--ring=2M,0s"], "at least 1ms"),
                          (["--ring=2M", "-c", "nvtx", "-p", "x"], "captures"), (["--ring=2M", "--delay=1"], "captures"),
                          (["--ring=2M", "--trace=none"], "--trace=none"), (["--snapshots=2"], "--ring"),
                          (["--ring=0x10M"], "give a size"), (["--ring="], "give a size")):
        done = test.command("profile", *options, "true", expect_status=2)
        fail_if(said not in done.stderr.decode(), f"{options}: {done.stderr.decode()}")
    said = test.command("snapshot", "nobody", expect_status=1).stderr.decode()
    fail_if("no session" not in said, f"a session that is not there: {said}")


def key(event):
    return json.dumps({k: v for k, v in event.items() if k not in ("range", "thread", "end_thread")}, sort_keys=True)


def check_recycled(test, session, before, whole):
    """Of a session that was recycled: its events are as they were, and none is missing that should be there."""
    lines, info = lines_of(test, session), info_of(test, session)
    after = collections.Counter(key(e) for e in events_of(lines))
    since = {t["tid"]: t.get("kept_from_ns", 0) for t in info["threads"]}
    fail_if(after - before, f"not as it was recorded: {list((after - before).elements())[:3]}")
    for e in whole:
        lives = e.get("end_ns", e["start_ns"])
        if lives >= max(since.values()) or e["start_ns"] >= since[e["tid"]] and e["type"] != "start_end":
            fail_if(after[key(e)] == 0, f"missing: {e}, kept from {since}")
    expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses")
    return sum(after.values())


def case_ring_recycled_at_random(test):
    """Sessions that were left behind, recycled again and again to random sizes: what stays reads as it did."""
    rng = random.Random(20261123)
    run = test.by_hand("ring", 3000, env={"RANGEFINDER_CLOCK": "monotonic"})  # exact without pairs of clocks
    whole = events_of(lines_of(test, run.output))
    before = collections.Counter(key(e) for e in whole)
    for trial in range(4):
        session = test.path(f"copy{trial}.rfdir")
        shutil.copytree(run.output, session)
        n, keep = len(whole), sum(os.path.getsize(p) for p in glob.glob(os.path.join(session, "p*.log")))
        while keep > 250000:
            keep = rng.randrange(keep // 4, keep)
            done = test.run([test.program("rf-recycle"), session, str(keep)])
            expect_equal(done.status, 0, f"status of recycling: {done.stderr.decode()}")
            left = check_recycled(test, session, before, whole)
            fail_if(left > n, f"{left} events where there were {n}")
            n = left
        fail_if(n == len(whole), "nothing was recycled")
        for path in glob.glob(os.path.join(session, "p*.log")):
            fail_if(os.stat(path).st_blocks * 512 > keep + 4 * 65536, f"{os.stat(path)}: no hole was made")


def case_ring_interrupted(test):
    """Killed after what is open was written and before the old parts went: the session reads the same."""
    run = test.by_hand("ring", 6000, env={"RANGEFINDER_CLOCK": "monotonic"})  # exact without pairs of clocks
    session, done = test.path("copy.rfdir"), test.path("done.rfdir")
    for path in session, done:
        shutil.copytree(run.output, path)
    expect_equal(test.run([test.program("rf-recycle"), done, "150000"]).status, 0, "status of recycling")
    for path in glob.glob(os.path.join(session, "p*.log")):
        size = os.path.getsize(path)
        with open(os.path.join(done, os.path.basename(path)), "rb") as file:
            file.seek(size)
            with open(path, "ab") as log:
                log.write(file.read())
    expect_equal(sorted(map(key, events_of(lines_of(test, session)))), sorted(map(key, events_of(lines_of(test, done)))),
                 "events with the old parts still there")
    test.command("recover", "-o", test.path("all.rf"), session)
