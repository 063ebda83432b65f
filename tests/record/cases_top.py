# SPDX-License-Identifier: Apache-2.0
"""rangefinder top on running sessions: its numbers against what the program did and what was recorded."""

import contextlib
import json
import os
import signal
import subprocess
import time

from harness import expect_equal, fail_if


CLOCK_ERROR_NS = 1000


def act(test, *words):
    return [os.path.join(test.build, "tests", "cli", "apps", "act"), *words]


@contextlib.contextmanager
def session(test, command, *options, name="fly"):
    """A session of that name; it ends when the file `stop` is there, or is killed."""
    os.environ["RANGEFINDER_RUNTIME_DIR"] = test.path("runtime")
    process = test.start([test.rangefinder, "profile", "-q", "-o", name, f"--session-new={name}", *options, *command])
    try:
        yield process
    finally:
        with open(test.path("stop"), "w", encoding="utf-8"):
            pass
        if process.wait(test.timeout_s) is None:
            process.kill()


def wait_for(test, condition, what):
    end = time.monotonic() + test.timeout_s
    while not condition():
        fail_if(time.monotonic() > end, f"never: {what}")
        time.sleep(0.01)


def touched(test, name):
    return lambda: os.path.exists(test.path(name))


def top(test, *options, name="fly"):
    done = test.command("top", "--json", "-i", "100ms", *options, name)
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextlib.contextmanager
def watching(test, *options, name="fly"):
    """`top` in the background; gives the list that has its objects when it has ended."""
    tables = []
    with open(test.path("top.json"), "wb") as out:
        process = subprocess.Popen([test.rangefinder, "top", "--json", "-i", "100ms", *options, name], stdout=out)
    wait_for(test, lambda: os.path.getsize(test.path("top.json")) > 0, "the first table")
    yield tables
    expect_equal(process.wait(test.timeout_s), 0, "status of top")
    with open(test.path("top.json"), "rb") as file:
        tables.extend(json.loads(line) for line in file)


def add_up(tables, name, field="n"):
    return sum(row[field] for table in tables for row in table["ranges"] if row["name"] == name)


def case_top_counts_each_event_once(test):
    """What it counts over all intervals is what was recorded meanwhile; it ends with the session, with status 0."""
    with session(test, act(test, "mark:before", "touch:ready", "await:go", "ranges:5000", "start:a", "end:", "mark:after",
                           "touch:done", "await:stop")):
        wait_for(test, touched(test, "ready"), "the program")
        with watching(test, "-r", "100") as tables:
            with open(test.path("go"), "w", encoding="utf-8"):
                pass
            wait_for(test, touched(test, "done"), "its end")
            with open(test.path("stop"), "w", encoding="utf-8"):
                pass
    expect_equal(sum(table["n_marks"] for table in tables), 1, "marks")
    expect_equal(sum(table["n_ranges"] for table in tables), 5001, "ranges")
    expect_equal(add_up(tables, "a"), 1, "start/end ranges that ended")
    expect_equal(sum(row["n"] for table in tables for row in table["ranges"]), 5001, "ends")
    expect_equal(tables[-1]["lost"]["unseen_bytes"], 0, "bytes that were not seen")


def names_open(tables):
    return {row["name"] for table in tables for row in table["open"]}


def top_when_open(test, wanted, name="fly"):
    """The tables of a `top` that shows what is wanted as open: of ring.c older ranges end first, sooner or later."""
    tables = top(test, "-n", "5", name=name)
    end = time.monotonic() + test.timeout_s
    while wanted - names_open(tables):
        fail_if(time.monotonic() > end, f"open ranges: {names_open(tables)}")
        tables = top(test, "-n", "5", name=name)
    return tables


def case_top_at_full_speed(test):
    """Nothing is missed while threads record as fast as they can, and what was open before is known."""
    with session(test, [test.program("ring"), "200000", test.path("stop")], name="fast"):
        wait_for(test, lambda: os.path.exists(test.path("fast.rfdir", "p000000.log")), "the session")
        tables = top_when_open(test, {"main", "in mine", "never ends"}, name="fast")
    expect_equal(tables[-1]["lost"]["unseen_bytes"], 0, "bytes that were not seen")
    fail_if(sum(table["n_ranges"] for table in tables) == 0, "nothing was seen")
    fail_if(not any(row["thread"] for table in tables for row in table["slowest"]), "the slowest have no thread")


def case_top_on_a_compressed_session(test):
    """Blocks are expanded as they are read: nothing is missed, and what was open before is known."""
    with session(test, [test.program("ring"), "20000", test.path("stop")], "--compress"):
        directory = test.path("fly.rfdir")
        wait_for(test, lambda: os.path.exists(os.path.join(directory, "p000000.log")), "the session")
        wait_for(test, lambda: json.loads(test.command("info", "--json", directory).stdout)["expanded_bytes"] > 1 << 20, "compressed blocks")
        tables = top_when_open(test, {"main", "in mine", "never ends", "quiet"})
    expect_equal(tables[-1]["lost"]["unseen_bytes"], 0, "bytes that were not seen")
    fail_if(sum(table["n_ranges"] for table in tables) == 0, "nothing was seen")


def case_top_shows_a_hang(test):
    """What has been open for longest, with its thread, also where nothing is recorded any more."""
    with session(test, act(test, "domain:net", "push:request 7", "push:waiting", "touch:ready", "await:stop", "pop", "pop")):
        wait_for(test, touched(test, "ready"), "the program")
        (first,) = top(test, "-n", "1")
        (table,) = top(test, "-n", "1")
    expect_equal([row["name"] for row in table["open"]], ["request 7", "waiting"], "open for longest")
    fail_if(table["open"][0]["open_ns"] <= first["open"][0]["open_ns"], "it does not grow older")
    moved = abs(table["open"][0]["start_ns"] - first["open"][0]["start_ns"])  # each calibrates the clock anew
    fail_if(moved > CLOCK_ERROR_NS, f"its start moved by {moved} ns")
    (thread,) = table["threads"]
    expect_equal((thread["in_name"], thread["thread"], thread["process"]), ("waiting", "act", "act"), "what the thread is in")
    (row,) = [r for r in table["ranges"] if r["name"] == "waiting"]
    fail_if(row["n"] != 0 or row["n_open"] != 1 or row["mean_ns"] is not None, f"the row of what is open: {row}")
    share = row["self_ns"] / 1e9 / table["interval_s"]
    fail_if(not 0.999 < share < 1.001, f"self time of the innermost range: {share}")
    (outer,) = [r for r in table["ranges"] if r["name"] == "request 7"]
    fail_if(outer["self_ns"] != 0 or outer["total_ns"] != row["total_ns"], f"the range around it: {outer}")


def case_top_a_thousand_threads(test):
    """Threads that are there at once, and that come and go."""
    with session(test, ["sh", "-c", f"{test.program('threads')} serial 3000; {test.program('threads')} parallel 1000; "
                        f"{test.program('threads')} serial 1000"], "--wait=all", name="many") as process:
        wait_for(test, lambda: os.path.exists(test.path("many.rfdir")), "the session")
        done = test.run([test.rangefinder, "top", "--json", "-i", "100ms", "-r", "5", "many"])
        expect_equal(done.status, 0, f"status: {done.stderr.decode()}")
        tables = [json.loads(line) for line in done.stdout.splitlines()]
        most = max(table["n_threads"] for table in tables)
        expect_equal(process.wait(test.timeout_s), 0, "status of the program")
    fail_if(not tables or tables[-1]["lost"]["unseen_bytes"] != 0, "threads were missed")
    fail_if(most > 1100, f"{most} threads at a time: those that ended are still there")
    expect_equal(tables[-1]["n_open"], 0, "ranges that are open at the end")


def case_top_on_a_ring(test):
    """Parts are recycled under it: it knows what is open, and says how much it did not see."""
    with session(test, [test.program("ring"), "100000", test.path("stop")], "--ring=2M"):
        wait_for(test, lambda: os.path.exists(test.path("fly.rfdir", "p000000.log")), "the session")
        tables = top(test, "-n", "8")
        while tables[-1]["ring"]["n_recycled"] == 0:
            tables = top(test, "-n", "3")
        tables = top_when_open(test, {"main", "in mine", "never ends"})
    for table in tables[1:]:
        for row in table["ranges"]:
            fail_if(row["self_ns"] is not None and row["self_ns"] > 3.1e9 * table["interval_s"], f"more time than there is: {row}")
    expect_equal(tables[-1]["ring"]["size_bytes"], 2 << 20, "size of the ring")


def case_top_on_a_split_session(test):
    """Files are completed under it: it knows what is open, from before it looked too."""
    with session(test, [test.program("ring"), "100000", test.path("stop")], "--split=2M"):
        wait_for(test, lambda: os.path.exists(test.path("fly.2.rf")), "two files")
        tables = top(test, "-n", "6")
    for table in tables[1:]:
        names = {row["name"] for row in table["open"]}
        fail_if({"main", "in mine", "never ends", "quiet"} - names, f"open ranges: {names}")


def case_top_in_captures(test):
    """It says whether a capture is on, and shows what is recorded in it."""
    with session(test, act(test, "push:outer", "touch:ready", "await:in", "ranges:100", "push:inner", "touch:made", "await:stop"),
                 "--start-later"):
        wait_for(test, touched(test, "ready"), "the program")
        (table,) = top(test, "-n", "1")
        expect_equal((table["capture"], table["n_ranges"]), ({"is_on": False, "is_over": False, "n_begun": 0}, 0), "before it")
        test.command("start", "--session=fly")
        with watching(test, "-n", "30") as tables:
            with open(test.path("in"), "w", encoding="utf-8"):
                pass
            wait_for(test, touched(test, "made"), "the ranges")
    fail_if(not any(table["capture"]["is_on"] for table in tables), "the capture is not shown")
    names = {row["name"] for table in tables for row in table["open"]}
    fail_if("inner" not in names, f"open ranges in the capture: {names}")


def case_top_of_processes(test):
    """Forked processes have their parents' names; those that end are gone."""
    with session(test, [test.program("forks"), "threads"], name="forks") as process:
        wait_for(test, lambda: os.path.exists(test.path("forks.rfdir", "p000000.log")), "the session")
        done = test.run([test.rangefinder, "top", "--json", "-i", "100ms", "-r", "50", "forks"])
        process.wait(test.timeout_s)
    tables = [json.loads(line) for line in done.stdout.splitlines()]
    expect_equal(done.status, 0, f"status: {done.stderr.decode()}")
    bad = [row["name"] for table in tables for row in table["ranges"] if row["name"].startswith("0x") or row["domain"].startswith("0x")]
    expect_equal(bad, [], "names that it does not know")


def case_top_when_rangefinder_was_killed(test):
    """It goes on while the program does, says so, and ends with it."""
    with session(test, act(test, "push:outer", "touch:ready", "await:stop")) as process:
        wait_for(test, touched(test, "ready"), "the program")
        directory = test.path("fly.rfdir")
        os.kill(process.pid, signal.SIGKILL)
        process.wait(test.timeout_s)
        with watching(test, name=directory) as tables:
            wait_for(test, lambda: b'"answers":false' in open(test.path("top.json"), "rb").read(), "that it is silent")
            with open(test.path("stop"), "w", encoding="utf-8"):
                pass
    expect_equal([row["name"] for row in tables[0]["open"]], ["outer"], "what is open")


def case_top_by_hand(test):
    """A session that no command line made, named by its directory."""
    env = {"NVTX_INJECTION64_PATH": test.inject}
    process = test.start(act(test, "push:outer", "touch:ready", "await:stop"), env=env)
    wait_for(test, touched(test, "ready"), "the program")
    (directory,) = test.session_directories()
    (table,) = top(test, "-n", "1", name=directory)
    expect_equal([row["name"] for row in table["open"]], ["outer"], "what is open")
    with open(test.path("stop"), "w", encoding="utf-8"):
        pass
    expect_equal(process.wait(test.timeout_s), 0, "exit status")
    (table,) = top(test, name=directory)
    expect_equal(table["n_open"], 0, "ranges that are open when it has ended")


def case_top_in_the_job_that_it_watches(test):
    """The command line waits for all processes of the job, and `top` is one: it ends when the others have."""
    inner = '"$0" top --json -i 100ms fly >top.json & until [ -s top.json ]; do sleep 0.01; done; shift; exec "$@"'
    with session(test, ["sh", "-c", inner, test.rangefinder, "-", *act(test, "mark:a")]) as process:
        expect_equal(process.wait(test.timeout_s), 0, "status")
    with open(test.path("top.json"), "rb") as file:
        fail_if(not json.loads(file.readlines()[-1]), "no table")


def case_top_changes_nothing(test):
    """Neither a file of the session nor what is recorded."""
    with session(test, act(test, "ranges:5", "push:outer", "touch:ready", "await:stop")) as process:
        wait_for(test, touched(test, "ready"), "the program")
        os.kill(process.pid, signal.SIGSTOP)  # rangefinder itself writes to the page
        time.sleep(0.05)

        def state():
            found = [os.stat(entry.path) for entry in sorted(os.scandir(test.path("fly.rfdir")), key=lambda e: e.name)]
            return [(st.st_ino, st.st_size, st.st_blocks, st.st_mtime_ns, st.st_ctime_ns) for st in found]
        before = state()
        top(test, "-n", "3", name=test.path("fly.rfdir"))
        after = state()
        os.kill(process.pid, signal.SIGCONT)
        expect_equal(after, before, "the files")
