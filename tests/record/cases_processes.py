# SPDX-License-Identifier: Apache-2.0
"""Forks, execs, every way to end, plug-ins, signals, cancellation."""

import collections
import glob
import json
import os
import random
import signal
import time

from harness import (
    CUT_EXEC,
    CUT_KILLED,
    FOREIGN_END,
    MARK,
    PUSH_POP,
    RANGES,
    SLOW,
    Skip,
    expect_equal,
    fail_if,
    kill_group,
    truth_counter,
)


def record_family(test, mode, n_processes, *args, compare=True):
    """Records forks MODE; checks the truth and that every process is known by name."""
    run = test.record("forks", mode, *args, compare=compare).check_truth()
    expect_equal(len(run.recording.processes), n_processes, "processes")
    for process in run.recording.processes:
        expect_equal(process["name"], "forks", "name of a process")
        fail_if(not process["args"], "a process without its command line")
    return run


def case_fork(test):
    rec = record_family(test, "fork", 7).recording
    parents = [p["parent"] for p in rec.processes]
    expect_equal(parents.count(-1), 1, "processes without parent")
    by_pid = {p["pid"]: p for p in rec.processes}
    for process in rec.processes:
        if process["parent"] >= 0:
            parent = rec.processes[process["parent"]]
            expect_equal(process["ppid"], parent["pid"], "parent of a forked process")
    expect_equal(len(by_pid), 7, "different pids")


def case_fork_late_files(test):
    """A child has a higher number than its parent, or what it inherits could not be found."""
    record_family(test, "late-files", 2)


def case_exec_late_files(test):
    """What exec started has a higher number than what it replaced."""
    rec = record_family(test, "exec-late-files", 2).recording
    expect_equal(rec.one("open at exec")["cut"], CUT_EXEC, "the range that exec cut")


def case_fork_raw_clone(test):
    record_family(test, "clone", 2)


def case_fork_without_handlers(test):
    record_family(test, "under-fork", 2)


def case_fork_exec(test):
    rec = record_family(test, "fork-exec", 3).recording
    commands = [p["args"][1:] for p in rec.processes]
    fail_if(["plain", "exec'd"] not in commands, f"no process with the new command: {commands}")


def case_vfork_exec(test):
    rec = record_family(test, "vfork-exec", 6).recording
    commands = [p["args"][1:] for p in rec.processes]
    expect_equal(commands.count(["plain", "vforked"]), 5, "exec'd processes")


def case_posix_spawn(test):
    record_family(test, "spawn", 2)


def case_exec_self(test):
    run = record_family(test, "exec-self", 4, 3)
    rec = run.recording
    expect_equal(len({p["pid"] for p in rec.processes}), 1, "pids: exec keeps it")
    commands = sorted(tuple(p["args"][1:]) for p in rec.processes)
    expect_equal(commands, [("exec-self", str(i)) for i in range(4)], "command lines")
    cuts = sorted(e["cut"] for e in rec.named("open at exec"))
    expect_equal(cuts.count(CUT_EXEC), 3, f"ranges cut by exec (reasons: {cuts})")


def case_fork_from_threads(test):
    run = test.record("forks", "threads").check_nothing_lost()
    rec = run.recording
    expect_equal(len(rec.processes), 41, "processes")
    expect_equal(len(rec.named("child of a thread")), 40, "ranges of the children")
    fail_if(any(e["cut"] for e in rec.named("child of a thread")), "a child's range is cut")
    expect_equal(len(rec.named("forking thread")), 40, "ranges of the forking threads")


def case_fork_race_to_the_first_event(test):
    """Threads of forked children that all come to their first event at once."""
    n_children, n_threads, n_pairs = 12, 16, 5000
    run = test.record("forks", "race", n_children, n_pairs, compare=False)
    expect_equal(run.outcome.status, 0, f"exit status ({run.outcome.stderr.decode()!r})")
    counts = test.count(run.output)
    processes = collections.Counter(pid for pid, tid in counts)
    expected = [1] + n_children * [n_threads]
    expect_equal(sorted(processes.values()), expected, "threads that annotated, by process")
    expected = [(1, 0, 0)] + n_children * n_threads * [(0, n_pairs, 0)]
    expect_equal(sorted(counts.values(), reverse=True), expected, "marks and ranges of the threads")


def case_fork_ends_parents_id(test):
    run = test.record("forks", "parents-id").check_truth()
    rec = run.recording
    started = rec.one("parent's start")
    expect_equal(started["cut"], 0, "the parent's range has its own end")
    done = rec.one("child done")
    fail_if(started["end"] < done["start"] + 10000000, "the child ended the parent's range")
    expect_equal(rec.info["n_foreign_ends"], 1, "ends by another process")
    fail_if(not started["flags"] & FOREIGN_END, "the range is not marked")
    expect_equal(rec.info["n_unmatched_ends"], 1, "the child's pop of nothing")


def case_ends_in_other_processes(test):
    """One range each, from its start to its end in another process."""
    rec = test.record("forks", "given-ids", compare=False).recording
    for name, mark in (
        ("ended in a forked child", "forked end"),
        ("ended where it was given", "given end"),
    ):
        event = rec.one(name)
        expect_equal(event["cut"], 0, f"cut of {name!r}")
        fail_if(not event["flags"] & FOREIGN_END, f"{name!r} is not marked")
        mark = rec.one(mark)
        expect_equal(event["end_thread"], mark["thread"], f"thread that ended {name!r}")
        fail_if(event["end"] > mark["start"], f"{name!r} ended after {mark!r}")
    fail_if(not rec.one("never ended")["cut"], "a range without an end is not cut")
    expect_equal(rec.info["n_foreign_ends"], 2, "ends by another process")
    expect_equal(rec.info["n_unmatched_ends"], 1, "ends of no known process's id")


def case_fork_with_open_range(test):
    rec = test.record("forks", "open").check_nothing_lost().recording
    expect_equal(len(rec.named("open at fork")), 1, "the parent's range: the child has it not")
    expect_equal(rec.one("child")["cut"], 0, "the child's own range")
    expect_equal(rec.info["n_unmatched_ends"], 0, "ends without beginning")


def case_wait_for_orphans(test):
    """-w all waits for children that outlive the program."""
    run = test.record("forks", "orphan", compare=False, options=["--wait=all"])
    run.check_truth()
    expect_equal(len(run.recording.named("orphan", PUSH_POP)), 1, "ranges of the orphan")


def case_around_main(test):
    """Constructors, destructors, exit handlers, destructors of thread-specific data."""
    env = {"ANNOTATE_AROUND_MAIN": "1"}
    rec = test.record("exits", "normal", env=env).check_truth().recording
    order = [e["name"] for e in rec.threads[0]["events"] if e["kind"] in (MARK, PUSH_POP)]
    expect_equal(
        order,
        [b"constructor", b"before main", b"main", b"exit handler", b"destructor", b"after main"],
        "events of the main thread",
    )
    rec.one("key destructor")


def check_exit(test, mode, *args, status, is_killed=False):
    run = test.record("exits", mode, *args).check_truth()
    expect_equal(run.outcome.status, status, "exit status")
    cut = run.recording.named("open", PUSH_POP)
    expect_equal(len(cut), 1, "the open range")
    if is_killed:
        expect_equal(cut[0]["cut"], CUT_KILLED, "its reason")
    expect_equal(len(run.recording.named("closed")), 100, "closed ranges")
    return run


def case_exit_return(test):
    check_exit(test, "return", 0, status=0)
    check_exit(test, "return", 3, status=3)


def case_exit_now(test):
    check_exit(test, "exit-now", status=5, is_killed=True)


def case_exit_quick(test):
    check_exit(test, "quick-exit", status=6)


def case_exit_abort(test):
    run = check_exit(test, "abort", status=134, is_killed=True)
    expect_equal(run.recording.info["root_signal"], signal.SIGABRT, "signal that ended it")


def case_exit_signals(test):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP):
        check_exit(test, "signal", int(number), status=128 + number, is_killed=True)


def case_exit_segv(test):
    check_exit(test, "segv", status=139, is_killed=True)


def case_exit_pthread_exit(test):
    run = check_exit(test, "pthread-exit", status=0)
    run.recording.one("after main's end")


def case_exit_in_thread(test):
    run = test.record("exits", "exit-in-thread").check_nothing_lost()
    expect_equal(run.outcome.status, 9, "exit status")
    run.recording.one("thread calls exit")
    expect_equal(len(run.recording.named("closed")), 100, "ranges of main")
    busy = {event["thread"] for event in run.recording.named("busy")}
    expect_equal(len(busy), 3, "busy threads")


def check_endless(test, output, truth):
    """Every event that was published is there, exactly once, in order."""
    done = test.run([test.program("rf-verify"), output, "numbered"])
    fail_if(done.status != 0, done.stderr.decode())
    for thread, word in enumerate(done.stdout.split()):
        published, got = truth_counter(truth, 1 + thread), int(word)
        fail_if(
            not published <= got <= published + 1,
            f"thread {thread} published {published} events, {got} were recorded",
        )


def case_kill_at_random(test):
    """SIGKILL at random moments loses nothing that was published."""
    rounds = int(os.environ.get("RF_KILL_ROUNDS", "12"))
    for _ in range(rounds):
        truth, output = test.new_truth(), test.path(f"killed{test.n_runs}.rf")
        process = test.start(
            [test.rangefinder, "profile", "--quiet", "-o", output, test.program("exits"), "endless"],
            truth,
        )
        try:
            wait_for(
                lambda: truth_counter(truth, 1) > 0, "the first event",
                describe=lambda: test.describe(process),
            )
            time.sleep(random.uniform(0.0005, 0.06))
            os.kill(child_of(process.pid), signal.SIGKILL)
            process.wait(60 * SLOW)
        finally:
            kill_group(process)
        expect_equal(process.returncode, 137, "exit status of the command line")
        check_endless(test, output, truth)
        os.unlink(truth)
        os.unlink(output)


def case_kill_command_line(test):
    """When the command line is killed the program runs on, and `recover` finds everything."""
    truth, output = test.new_truth(), test.path("orphaned.rf")
    process = test.start(
        [test.rangefinder, "profile", "--quiet", "-o", output, test.program("hostile"), "steady",
         "7"],
        truth,
    )
    try:
        program = child_of(process.pid)
        wait_for(lambda: "step 3" in values_so_far(truth), "the fourth step")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        wait_for(lambda: has_ended(program), "the program's end")
    finally:
        kill_group(process)
    directories = test.session_directories()
    expect_equal(len(directories), 1, "session directories left")
    check_steady(test.dump(directories[0]), 7)
    test.command("recover", directories[0])
    packed = directories[0][: -len("dir")]
    fail_if(not os.path.exists(packed), f"recover made no {packed}: {os.listdir(test.folder)}")
    check_steady(test.dump(packed), 7)


def case_pool_is_gone(test):
    """As after a restart of the machine: the logs are there, and /dev/shm is empty."""
    run = test.by_hand("hostile", "descriptors")
    pools = glob.glob(os.path.join(run.output, "p*.pool"))
    expect_equal(len(pools), 1, "pools")
    os.unlink(os.path.realpath(pools[0]))
    said = test.command("recover", "-o", "gone.rf", run.output).stderr
    fail_if(b"the end is missing" not in said or b"nothing lost" in said, f"said: {said.decode()}")


def check_steady(rec, n_steps):
    expect_equal(len(rec.events(PUSH_POP)), n_steps, "ranges")
    numbers = [e["name"].split(b".")[0] for e in rec.events(MARK)]
    expected = [f"step {s} {i}".encode() for s in range(n_steps) for i in range(20000)]
    expect_equal(len(numbers), len(expected), "marks")
    fail_if(numbers != expected, "marks are doubled or out of order")
    expect_equal(rec.info["n_lost_records"], 0, "lost records")


def values_so_far(truth):
    from harness import read_truth, truth_values

    try:
        return truth_values(read_truth(truth))
    except (ValueError, IndexError):
        return {}  # a note is being written


def wait_for(condition, what, seconds=60, describe=str):
    deadline = time.monotonic() + seconds * SLOW
    while not condition():
        if time.monotonic() > deadline:
            fail_if(True, f"waited {seconds} s for {what} {describe()}")
        time.sleep(0.0002)


def has_ended(pid):
    """Nobody may wait for a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(") ", 1)[1][0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def child_of(pid):
    def children():
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    wait_for(children, "the program's process")
    return children()[0]


def case_plugins_reload(test):
    run = test.record("dso", "reload", *test.plugins()).check_truth()
    expect_equal(len(run.recording.named("two unloaded")), 20, "destructors of a plug-in")


def case_plugins_several(test):
    run = test.record("dso", "several", *test.plugins()).check_truth()
    names = [d["name"] for d in run.recording.domains if d["id"]]
    expect_equal(names, [b"plugins"], "domains: the name is shared")


def case_plugins_threads(test):
    test.record("dso", "threads", *test.plugins()).check_truth()


def case_signal_storm(test):
    run = test.record("signals", "storm", 500, compare=False).check_truth()
    fail_if(len(run.recording.named("alarm")) < 500, "too few alarms for a storm")


def case_signal_nested(test):
    test.record("signals", "nested", 300, compare=False).check_truth()


def case_signal_first_event(test):
    test.record("signals", "first").check_truth()


def case_signal_threads(test):
    test.record("signals", "threads", compare=False).check_truth()


def case_signal_births(test):
    """Signals in the first events of threads."""
    test.record("signals", "births", compare=False).check_truth()


def case_signal_alternate_stack(test):
    test.record("signals", "alternate-stack").check_truth()


def case_signal_while_attaching(test):
    """Handlers annotate from before the first annotation on: all that they did is recorded."""
    for mode in ("attach", "attach-loaded"):
        run = test.record("signals", mode, 40, compare=False)
        expect_equal(run.outcome.status, 0, f"exit status of {mode}")
        run.check_truth()


def case_signal_while_attaching_with_nvidia_headers(test):
    """The same with NVIDIA's headers, on whose first call a handler waits for its own thread while
    the library is being loaded: here it has been."""
    program = test.build_with_nvidia_headers("signals")
    run = test.record(program, "attach-loaded", 40, compare=False)
    expect_equal(run.outcome.status, 0, "exit status")
    run.check_truth()


def record_steps(test, mode, *how):
    run = test.record("stepper", mode, *how, compare=False)
    if run.outcome.status == 77:
        raise Skip("this machine does not let a process trace its child, or is no x86-64")
    expect_equal(run.outcome.status, 0, "exit status")
    return run


def case_signal_at_every_instruction(test):
    """A signal whose handler fills parts, at each of the first instructions of an annotation."""
    n_steps, n_in_handler = 350, 140
    for run in (record_steps(test, "marks"), test.by_hand("stepper", "marks")):
        run.check_nothing_lost()
        rec = run.recording
        marks = [e["name"].rstrip(b".") for e in rec.events(MARK)]
        main = [m for m in marks if m.startswith(b"main")]
        expect_equal(main, [f"main {k}".encode() for k in range(n_steps)], "marks between signals")
        handled = [m for m in marks if m.startswith(b"handler")]
        expected = [
            f"handler {k} {i}".encode() for k in range(n_steps) for i in range(n_in_handler)
        ]
        fail_if(handled != expected, f"handlers' marks: {describe_difference(handled, expected)}")
        around = rec.named("around", PUSH_POP)
        expect_equal(len(around), n_steps, "ranges")
        expect_equal([e["cut"] for e in around if e["cut"]], [], "ranges that are cut")


def case_signal_long_text(test):
    """A signal whose handler marks a text or payload that ends near the end of the part, at each of
    the first instructions of a mark: that one may have seen before that the part has room."""
    n_steps, sizes = 110, range(64880, 64160, -180)
    rec = record_steps(test, "long-text", n_steps, *sizes).check_nothing_lost().recording
    by_pid = {}
    for event in rec.events(MARK):
        by_pid.setdefault(rec.pid_of(event), []).append(event["name"])
    fail_if(len(by_pid) != n_steps * len(sizes), f"{len(by_pid)} processes")
    expected = {f"main {k} {size}".encode(): size for size in sizes for k in range(n_steps)}
    for names in by_pid.values():
        main = next((name for name in names if name.startswith(b"main")), b"none")
        size = expected.pop(main.rstrip(b"."), 0)
        if int(main.split()[1]) % 2:
            size = 0
        expect_equal(sorted(names), sorted([
            b"before", b"beside", b"beside", b"." * 66000, b"handler".ljust(size, b"."),
            main.ljust(480, b".")]), "marks of a process")
    expect_equal(expected, {}, "marks that are missing")


def case_fork_in_a_handler_at_every_instruction(test):
    """A signal whose handler forks, at every tenth instruction of an annotation: the child is a
    process of its own, also where it returns into the annotation, and the parent's is whole."""
    steps = range(0, 350, 10)
    parents = [b"before"] + [f"main {k}".encode() for k in steps]
    children = [f"child {k}".encode() for k in steps]
    for how in ((), ("return",)):
        rec = record_steps(test, "forks", *how).check_nothing_lost().recording
        pid = rec.pid_of(rec.one("before"))
        marks = [e["name"] for e in rec.events(MARK) if rec.pid_of(e) == pid]
        expect_equal(marks, parents, "marks of the parent")
        # the interrupted mark may be the child's too
        marks = [e["name"] for e in rec.events(MARK) if rec.pid_of(e) != pid]
        marks = [mark for mark in marks if mark not in (parents if how else ())]
        fail_if(sorted(marks) != sorted(children), describe_difference(marks, children))
        expect_equal(len(rec.processes), 1 + len(steps), "processes")


def check_threads_stepped_through(test, mode):
    for run in (record_steps(test, mode), test.by_hand("stepper", mode)):
        run.check_nothing_lost()
        n_threads = int(run.outcome.stdout)
        fail_if(n_threads < 50, f"only {n_threads} threads were needed")
        expected = [b"before"] + n_threads * [b"first"]
        expected += [f"{who} {k}".encode() for who in ("second", "handler") for k in range(n_threads)]
        marks = [e["name"] for e in run.recording.events(MARK)]
        fail_if(sorted(marks) != sorted(expected), describe_difference(marks, expected))
    parts = test.run([test.program("rf-parts"), run.output]).stdout.splitlines()
    slots = {part["slot"] for part in map(json.loads, parts) if part["what"] == "part"}
    fail_if(len(slots) > 4, f"{len(slots)} streams: threads that ended did not give theirs back")


def case_signal_at_every_instruction_of_a_birth(test):
    """A signal whose handler annotates, in the first annotation of threads."""
    check_threads_stepped_through(test, "births")


def case_signal_at_every_instruction_of_a_death(test):
    """The same where the recorder learns that a thread ends."""
    check_threads_stepped_through(test, "deaths")


def check_duel(test, what, who, *how):
    """Both mark in every round of a duel, and so does who was first where there is somebody."""
    run = test.record("duel", what, who, *how, compare=False)
    if run.outcome.status == 77:
        raise Skip("this machine does not let a process trace its child, or is no x86-64")
    expect_equal(run.outcome.status, 0, f"exit status ({run.outcome.stderr.decode()})")
    run.check_nothing_lost()
    _, first, stride = how
    steps = range(first, first + int(run.outcome.stdout) * stride, stride)
    n_before = {"attach": 0, "child": 1}.get(what, 1 + len(steps))
    expected = n_before * [b"before"]
    expected += [f"{name} {k}".encode() for name in ("first", who) for k in steps]
    marks = [e["name"] for e in run.recording.events(MARK)]
    fail_if(sorted(marks) != sorted(expected), f"{what}: {describe_difference(marks, expected)}")
    return len(steps)


def case_duel_of_threads(test):
    """A thread is held at every system call, or every few instructions, of attaching, of a child's
    first event, of a thread's first event and end; another one does the same meanwhile."""
    for what in ("attach", "child"):
        n = check_duel(test, what, "thread", "calls", 0, 2)
        fail_if(n < 30, f"{what}: only {n} rounds")
    for what, stride in (("birth", 40), ("death", 15)):
        n = check_duel(test, what, "thread", "instructions", 0, stride)
        fail_if(n < 5, f"{what}: only {n} rounds")


def case_duel_with_fork(test):
    """The same where the other thread forks, and the child annotates."""
    for what in ("attach", "child"):
        n = check_duel(test, what, "fork", "calls", 1, 2)
        fail_if(n < 30, f"{what}: only {n} rounds")
    for what, stride in (("birth", 40), ("death", 15)):
        n = check_duel(test, what, "fork", "instructions", 0, stride)
        fail_if(n < 5, f"{what}: only {n} rounds")


def describe_difference(got, expected):
    missing = collections.Counter(expected) - collections.Counter(got)
    extra = collections.Counter(got) - collections.Counter(expected)
    if not missing and not extra:
        return "in another order"
    return f"missing {sum(missing.values())} {sorted(missing)[:3]}, too many {sorted(extra)[:3]}"


def check_cancelled(test, mode):
    run = test.record("cancel", mode).check_nothing_lost()
    run.recording.one("after")
    recorded = collections.Counter(e["name"] for e in run.recording.events(MARK))
    for name, published in run.values.items():
        got = recorded[name.encode()]
        fail_if(
            not published <= got <= published + 1,
            f"'{name}' published {published} events, {got} were recorded",
        )
    return run


def case_cancel_deferred(test):
    check_cancelled(test, "deferred")


def case_cancel_asynchronous(test):
    check_cancelled(test, "asynchronous")


def case_cancel_pending(test):
    """Recording is no cancellation point, even where nobody drains and it must write itself."""
    run = test.record("cancel", "pending").check_nothing_lost()
    expect_equal(len(run.recording.events(MARK)), 2000, "marks")
    by_hand = test.by_hand("cancel", "pending")
    expect_equal(by_hand.values.get("survived"), 1, "the thread was cancelled while recording")
    expect_equal(len(by_hand.recording.events(MARK)), 2000, "marks by hand")


def case_valgrind(test):
    """memcheck finds nothing in the recorder, and what it sees is recorded."""
    import shutil

    if not shutil.which("valgrind"):
        raise Skip("valgrind is not installed")
    test.truth_size = 1 << 24  # valgrind is slow at large mappings
    under = ["valgrind", "-q", "--error-exitcode=99", "--trace-children=yes",
             "--child-silent-after-fork=yes"]
    for program, mode in (("basic", "all"), ("text", "sizes"), ("text", "null"), ("forks", "fork")):
        run = test.record(program, mode, under=under)
        fail_if(run.outcome.status == 99, f"valgrind: {run.outcome.stderr.decode()}")
        if mode != "null":
            run.check_truth()


def check_sanitized(test, sanitizer, options):
    for name, mode in (("basic", "all"), ("basic", "random"), ("text", "sizes"), ("text", "null"),
                       ("text", "wide"), ("text", "long"), ("signals", "storm"), ("forks", "fork")):
        program = f"{name}-{sanitizer}"
        run = test.record(program, mode, env=options, compare=mode != "storm")
        fail_if(b"Sanitizer" in run.outcome.stderr, run.outcome.stderr.decode(errors="replace"))
        expect_equal(run.outcome.status, 7 if mode == "all" else 0, f"{program} {mode}: status")
        run.check_nothing_lost()
        if (name, mode) not in (("text", "null"), ("signals", "storm")):
            run.check_truth()


def case_program_with_asan(test):
    check_sanitized(test, "address", {"ASAN_OPTIONS": "detect_leaks=0"})


def case_program_with_tsan(test):
    check_sanitized(test, "thread", {})


def case_busy_threads_cut_none(test):
    """Ranges of threads that were joined are whole."""
    run = test.record("basic", "random", 3, compare=False)
    cut = [e for e in run.recording.events(*RANGES) if e["cut"]]
    expect_equal(len(cut), 0, "ranges that are cut")
