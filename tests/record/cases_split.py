# SPDX-License-Identifier: Apache-2.0
"""Long runs that are written to files one after another: together the files have each event once."""

import csv
import collections
import glob
import io
import json
import os
import random
import signal
import time

from harness import expect_equal, fail_if

OPEN = {"main", "in mine", "quiet", "never ends"}  # ranges of ring.c around all others


def info_of(test, path):
    return json.loads(test.command("info", "--json", path).stdout)


def pieces_of(test, base):
    """The files of a run, in order."""
    paths = glob.glob(test.path(f"{base}.*.rf"))
    return sorted(paths, key=lambda path: int(path.split(".")[-2]))


def sums_of(test, paths, *options):
    """name -> how many ranges, over all files."""
    done = test.command("stats", "-q", "-r", "nvtx_sum", "-f", "csv", *options, *paths)
    found = collections.Counter()
    for row in csv.DictReader(io.StringIO(done.stdout.decode().strip())):
        found[row["Range"].lstrip(":")] += int(row["Instances"])
    return found


def check_ring(test, paths, last=None):
    """What ring.c records is there once; last: its main thread's steps, or None."""
    sums = sums_of(test, paths)
    marks = 0
    for path in paths:
        info = info_of(test, path)
        expect_equal((info["n_lost_records"], info["n_damaged_bytes"], info["n_unmatched_ends"]), (0, 0, 0), f"losses of {path}")
        marks += info["n_marks"]
    expect_equal(marks, 1, "marks")
    expect_equal({name: sums[name] for name in ("main", "quiet", "never ends", "mine:in mine", "crossing")},
                 {"main": 1, "quiet": 1, "never ends": 1, "mine:in mine": 1, "crossing": 64}, "ranges around others")
    expect_equal(sums["mine:inner"], sums["step"], "inner ranges and steps")
    if last is not None:
        expect_equal(sums["step"], last, "steps")
    expect_equal(sum(n for name, n in sums.items() if name == "work" or name.startswith("abcdef")), N_WORK + 1, "work")


N_WORK = 20000  # of ring.c's quick thread: about 9 MB


def start_ring(test, *options, name="run"):
    """Starts ring.c, which goes on until the file `stop` is there."""
    return test.start(["sh", "-c", 'exec "$@" >"$0"', test.path("out"), test.rangefinder, "profile", "-q", "-o", name, *options, test.program("ring"), str(N_WORK), test.path("stop")])


def wait_for(test, process, condition, what):
    end = time.monotonic() + test.timeout_s
    while not condition():
        fail_if(time.monotonic() > end or (process is not None and process.poll() is not None), f"never: {what}")
        time.sleep(0.01)


def let_end(test, process):
    """Lets ring.c end; returns how many steps it made."""
    with open(test.path("stop"), "w", encoding="utf-8"):
        pass
    expect_equal(process.wait(test.timeout_s), 0, "exit status")
    with open(test.path("out"), encoding="utf-8") as file:
        return int(file.read())


def case_split_by_size(test):
    """Files of about that size; what is open at their ends is in both, with its start, and counted where it ends."""
    process = start_ring(test, "--split=2M")
    wait_for(test, process, lambda: len(pieces_of(test, "run")) >= 3, "three files")
    last = let_end(test, process)
    paths = pieces_of(test, "run")
    check_ring(test, paths, last)
    for number, path in enumerate(paths, 1):
        info = info_of(test, path)
        piece = info["piece"]
        expect_equal((piece["number"], piece["goes_on"]), (number, number < len(paths)), f"what {path} says of itself")
        lines = [json.loads(line) for line in test.command("export", "-q", "-t", "jsonl", "-o", "-", path).stdout.splitlines()]
        around = {e["name"]: e for e in lines if e.get("name") in OPEN and e["type"] in ("push_pop", "start_end")}
        if number > 1:
            expect_equal(set(around), OPEN, f"ranges that are open in {path}")
            fail_if(any(e["start_ns"] > piece["begin_ns"] for e in around.values()), f"a start is not its own: {around}")
        if number < len(paths):
            expect_equal({e["cut"] for e in around.values()}, {"still open"}, "why they are cut")
    text = test.command("info", paths[1]).stdout.decode()
    fail_if("2 of the run" not in text, f"info does not say which file it is: {text}")
    fail_if(glob.glob(test.path("*.rfdir")), "the session is left")


def case_split_counts_are_those_of_the_whole(test):
    """Summaries and trees of all files, too; and a folder is read as one."""
    process = start_ring(test, "--split=100ms")
    wait_for(test, process, lambda: len(pieces_of(test, "run")) >= 2, "two files")
    last = let_end(test, process)
    paths = pieces_of(test, "run")
    test.command("summarize", "-o", test.path("all.rfsum"), *paths)
    for sums in sums_of(test, paths), sums_of(test, [test.path("all.rfsum")]):
        expect_equal((sums["step"], sums["main"], sums["crossing"]), (last, 1, 64), "sums")
    done = test.command("stats", "-q", "-r", "nvtx_tree", "-f", "csv", *paths)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode().strip())))
    expect_equal(sum(int(row["Instances"]) for row in rows if row["Range"].strip("-: ") == "step"), last, "steps in trees")


def check_compressed(test, paths):
    for path in paths:
        info = info_of(test, path)
        size = info["size_bytes"] - 20544  # the control page is not compressed
        fail_if(info["expanded_bytes"] < 2 * size, f"{path} is not compressed: {size} bytes of {info['expanded_bytes']}")
    check_ring(test, paths)


def case_split_and_compress(test):
    """The files are compressed, also the one that `recover` makes; each event is in one of them."""
    process = start_ring(test, "--split=2M", "--compress")
    wait_for(test, process, lambda: len(pieces_of(test, "run")) >= 2, "two files")
    last = let_end(test, process)
    check_compressed(test, pieces_of(test, "run"))
    check_ring(test, pieces_of(test, "run"), last)
    os.unlink(test.path("stop"))
    process = start_ring(test, "--split=2M", "--compress", name="killed")
    wait_for(test, process, lambda: pieces_of(test, "killed"), "a file")
    kill_command_line(test, process)
    recovered(test, process)
    check_compressed(test, pieces_of(test, "killed"))


def case_split_of_threads(test):
    """Threads that come and go, more than a slot has room for."""
    expected = sums_of(test, [test.record("threads", "parallel", 200).output])
    run = test.record("threads", "parallel", 200, options=["--split=1M,100ms"], output="p.rf")
    expect_equal(sums_of(test, pieces_of(test, "p")), expected, "sums")
    expect_equal(run.outcome.status, 0, "exit status")


def kill_command_line(test, process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def recovered(test, process):
    """Lets the program end, and recovers what is left."""
    with open(test.path("stop"), "w", encoding="utf-8"):
        pass
    end = time.monotonic() + test.timeout_s
    for session in glob.glob(test.path("*.rfdir")):
        while (done := test.command("recover", session, expect_status=None)).status != 0:  # until the program has ended
            fail_if(time.monotonic() > end, f"the session cannot be recovered: {done.stderr}")
            time.sleep(0.05)


def case_split_killed_at_any_moment(test):
    """`kill -9` of rangefinder: the files that are there, and what `recover` makes of the rest, have each event once."""
    rng = random.Random(20261126)
    for trial in range(4):
        process = start_ring(test, "--split=1M", name=f"run{trial}")
        wait_for(test, process, lambda: glob.glob(test.path(f"run{trial}.rfdir", "p*.log")), "the session")
        wanted = rng.randrange(0, 4)
        wait_for(test, process, lambda: len(pieces_of(test, f"run{trial}")) >= wanted, "files")
        time.sleep(rng.uniform(0, 0.02))  # anywhere in the writing of one
        kill_command_line(test, process)
        recovered(test, process)
        os.unlink(test.path("stop"))
        fail_if(glob.glob(test.path("*.rfdir")), f"left: {glob.glob(test.path('*.rfdir', '*'))}")
        paths = pieces_of(test, f"run{trial}")
        fail_if(len(paths) < wanted, f"{len(paths)} files, and there were {wanted}")
        check_ring(test, paths)


def case_split_of_a_killed_program(test):
    """The last file ends there."""
    process = start_ring(test, "--split=2M")
    wait_for(test, process, lambda: len(pieces_of(test, "run")) >= 2, "two files")
    (child,) = [int(pid) for pid in os.popen(f"pgrep -P {process.pid}").read().split()]
    os.kill(child, signal.SIGKILL)
    expect_equal(process.wait(test.timeout_s), 137, "exit status")
    paths = pieces_of(test, "run")
    sums = sums_of(test, paths)
    expect_equal((sums["main"], sums["quiet"], sums["never ends"]), (1, 1, 1), "ranges that were cut")
    expect_equal(info_of(test, paths[-1])["cut"].get("killed", 0) > 0, True, "ranges that say so")


def case_split_keeps_the_newest(test):
    """--keep=2: never more than two and the one that is written, and it says what went."""
    process = start_ring(test, "--split=1M", "--keep=2")
    most = 0

    def sixth():
        nonlocal most
        paths = pieces_of(test, "run")
        most = max(most, len(paths))
        return paths and int(paths[-1].split(".")[-2]) >= 6
    wait_for(test, process, sixth, "the sixth file")
    let_end(test, process)
    paths = pieces_of(test, "run")
    expect_equal(len(paths), 2, "files")
    fail_if(most > 3, f"{most} files at a time")
    info = info_of(test, paths[-1])
    fail_if(info["piece"]["n_removed"] < 4 or info["piece"]["n_removed_records"] == 0, f"what went: {info['piece']}")
    fail_if("removed" not in test.command("info", paths[-1]).stdout.decode(), "info does not say what went")


def case_split_within_a_quota(test):
    """--quota: the files, and what is recorded, stay below it, at the speed that the disk has; the oldest go."""
    done = test.run([test.rangefinder, "profile", "-o", "run", "--quota=40M", test.program("volume"), "2", "4000"])
    err = done.stderr
    expect_equal(done.status, 0, f"exit status: {err.decode()}")
    paths = pieces_of(test, "run")
    size = sum(os.path.getsize(path) for path in paths)
    fail_if(size > 40 << 20, f"{size} bytes in {len(paths)} files")
    fail_if(b"were removed" not in err and b"was removed" not in err, f"it does not say that files went: {err.decode()}")
    counted = sum(info_of(test, path)["n_events"] for path in paths)
    fail_if(not 0 < counted < 4000000, f"{counted} events")


def case_split_of_a_foreign_file(test):
    """A piece that somebody replaced is not removed by --keep."""
    process = start_ring(test, "--split=1s", "--keep=1")  # long enough to replace it meanwhile
    wait_for(test, process, lambda: pieces_of(test, "run"), "a file")
    path = pieces_of(test, "run")[0]
    other = test.path("other")
    with open(other, "w", encoding="utf-8") as file:
        file.write("mine")
    os.replace(other, path)
    number = int(path.split(".")[-2])
    wait_for(test, process, lambda: os.path.exists(test.path(f"run.{number + 2}.rf")), "more files")
    let_end(test, process)
    with open(path, encoding="utf-8") as file:
        expect_equal(file.read(), "mine", "the foreign file")


def case_split_read_while_it_runs(test):
    """The session is the rest: with the files it has all; it is damaged at no moment."""
    process = start_ring(test, "--split=2M")
    wait_for(test, process, lambda: pieces_of(test, "run"), "a file")
    for _ in range(10):
        (session,) = test.session_directories()
        info = info_of(test, session)
        expect_equal((info["n_lost_records"], info["n_damaged_bytes"]), (0, 0), "losses of the live session")
        fail_if(info["piece"]["number"] < 2 or info["piece"]["goes_on"], f"{info['piece']}")
    let_end(test, process)


def case_split_live_session_stays_small(test):
    """What is in a file that is complete is not in the session's logs any more."""
    process = start_ring(test, "--split=2M")
    wait_for(test, process, lambda: len(pieces_of(test, "run")) >= 5, "five files")
    written = sum(os.path.getsize(path) for path in pieces_of(test, "run"))
    logs = sum(os.stat(path).st_blocks * 512 for path in glob.glob(test.path("run.rfdir", "p*.log")))
    apparent = sum(os.path.getsize(path) for path in glob.glob(test.path("run.rfdir", "p*.log")))
    fail_if(apparent < written // 2 or logs > apparent - written // 2,
            f"logs of {logs} bytes on disk, {apparent} in length, beside {written} in files")
    let_end(test, process)


def case_split_refused(test):
    """What it cannot be used with, and amounts that are none."""
    for options, said in ((["--split=64Q"], "give a size"), (["--split=1K"], "give a size"), (["--split=64"], "give a size"),
                          (["--split=64M,1G"], "give a size"), (["--split="], "give a size"), (["--split=10ms"], "give a size"),
                          (["--split=2M", "-c", "nvtx", "-p", "x"], "captures"), (["--split=2M", "--ring=2M"], "--ring"),
                          (["--quota=10G", "--trace=none"], "--trace=none"), (["--keep=2"], "--split"),
                          (["--quota=1M"], "16M"), (["--quota=100M", "--split=50M"], "at least four"),
                          (["--split=2M", "--keep=2", "--export=jsonl"], "--export"), (["--split=2M", "--keep=0"], "--keep")):
        done = test.command("profile", *options, "true", expect_status=2)
        fail_if(said not in done.stderr.decode(), f"{options}: {done.stderr.decode()}")
    with open(test.path("run.7.rf"), "w", encoding="utf-8"):
        pass
    done = test.command("profile", "-o", "run", "--split=2M", "true", expect_status=125)
    fail_if("run.7.rf' exists" not in done.stderr.decode(), f"a file of an earlier run: {done.stderr.decode()}")


def case_split_where_nothing_happens(test):
    """No file is made of a time in which nothing was recorded; the program's end makes the last one."""
    act = os.path.join(test.build, "tests", "cli", "apps", "act")
    done = test.run([test.rangefinder, "profile", "-q", "-o", "run", "--split=100ms", act, "mark:a", "sleep:600", "mark:b"])
    expect_equal(done.status, 0, "exit status")
    paths = pieces_of(test, "run")
    expect_equal([info_of(test, path)["n_marks"] for path in paths], [1, 1], "marks of the files")


def case_split_ends_without_an_event(test):
    """A last file that only says how the program ended takes the place of no other, and is not what to look at next."""
    act = os.path.join(test.build, "tests", "cli", "apps", "act")
    done = test.run([test.rangefinder, "profile", "-o", "run", "--split=100ms", "--keep=1", act, "mark:a", "await:run.1.rf"])
    expect_equal(done.status, 0, "exit status")
    paths = pieces_of(test, "run")
    expect_equal([info_of(test, path)["n_marks"] for path in paths], [1, 0], "marks of the files")
    said = done.stderr.decode()
    fail_if("next: rangefinder stats run.1.rf" not in said, f"not what to look at: {said}")


def case_split_after_a_run_whose_first_files_went(test):
    """%n does not take a name of which --keep has left only later files."""
    act = os.path.join(test.build, "tests", "cli", "apps", "act")
    with open(test.path("run1.7.rf"), "w", encoding="utf-8"):
        pass
    done = test.run([test.rangefinder, "profile", "-q", "-o", "run%n", "--split=2M", act, "mark:a"])
    expect_equal(done.status, 0, f"exit status: {done.stderr.decode()}")
    expect_equal(sorted(os.path.basename(path) for path in glob.glob(test.path("*.rf"))), ["run1.7.rf", "run2.1.rf"], "files")
