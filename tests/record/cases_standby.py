# SPDX-License-Identifier: Apache-2.0
"""A recorder in standby: sessions that come and go while the program runs."""

import json
import os
import signal

from harness import CUT_CAPTURE, MARK, RANGES, Skip, expect_equal, fail_if


def run(test, *words, program="standby", status=(0,)):
    folder = test.path("sessions")
    os.makedirs(folder, exist_ok=True)
    word, *rest = words
    done = test.run(
        [test.program(program), word, folder, *map(str, rest)],
        env={"NVTX_INJECTION64_PATH": test.inject},
    )
    fail_if(done.status not in status, f"exit status {done.status}: {done.stderr.decode()}")
    expect_equal(done.stderr, b"", "standard error")
    expect_equal([n for n in os.listdir(test.folder) if n != "sessions"], [], "other files")
    return done


def sessions(test):
    folder = test.path("sessions")
    found = {}
    for name in sorted(os.listdir(folder), key=int):
        recording = test.dump(os.path.join(folder, name))
        expect_equal(recording.messages, [], f"messages of session {name}")
        for key in ("n_lost_records", "n_lost_defs", "n_damaged_bytes", "n_failed_processes"):
            expect_equal(recording.info[key], 0, f"{key} of session {name}")
        found[int(name)] = recording
    return found


def names(recording, *kinds):
    return [e["name"].decode() for e in recording.events(*kinds)]


def case_standby_plain(test):
    """Names hold in every session; events belong to the one that was on."""
    run(test, "plain")
    first, second = sessions(test).values()
    expect_equal(names(first, MARK), ["registered before", "registered in it"], "marks")
    expect_equal(names(first, *RANGES), ["inside", "crossing", "ends after"], "ranges")
    expect_equal(first.one("ends after")["cut"], CUT_CAPTURE, "cut")
    expect_equal(first.one("crossing")["cut"], CUT_CAPTURE, "cut")
    expect_equal(first.one("registered before")["domain_name"], b"early", "domain")
    expect_equal(first.one("registered before")["category_name"], b"seven", "category")
    expect_equal(names(second, MARK), ["registered before", "registered between"], "marks")
    expect_equal(names(second, *RANGES), ["second"], "ranges")
    expect_equal(second.one("registered before")["domain_name"], b"early", "domain")
    expect_equal(second.one("registered between")["domain_name"], b"middle", "domain")
    for recording in (first, second):
        expect_equal(len(recording.processes), 1, "processes")
        expect_equal(recording.processes[0]["name"], "standby", "process name")


def case_standby_payloads(test):
    """Schemas and counters hold in every session, also those that were registered in an earlier one."""
    run(test, "payloads")
    for number, names_known in enumerate((("before", "in it"),) + 2 * (("before", "in it", "between"),)):
        out = test.command("export", "-t", "jsonl", "-o", "-", test.path("sessions", str(number)))
        lines = [json.loads(line) for line in out.stdout.splitlines()]
        expected = [{"number": 10 * number + i, "text": f"text {i} of {number}"}
                    for i in range(len(names_known))]
        expect_equal([line["payload"] for line in lines if line["type"] == "mark"], expected, "payloads")
        counters = {line["counter"]: line["name"] for line in lines if line["type"] == "counter"}
        samples = [(counters[line["counter"]], line["value"]) for line in lines
                   if line["type"] == "sample"]
        expect_equal(samples, [(name, 10 * number + i) for i, name in enumerate(names_known)], "samples")
    sessions(test)


def case_standby_signal_in_first_annotation(test):
    """A signal whose handler annotates, in a thread's first annotation of a session."""
    if run(test, "sessions", program="stepper", status=(0, 77)).status == 77:
        raise Skip("this machine does not let a process trace its child, or is no x86-64")
    found = sessions(test)
    fail_if(len(found) < 50, f"only {len(found)} sessions were needed")
    for k, recording in found.items():
        expected = ["first", f"handler {k}", f"second {k}"]
        expect_equal(sorted(names(recording)), expected, f"marks of session {k}")


def check_numbers(found, n_sessions):
    """Numbers of a thread follow each other without a gap, in every session."""
    expect_equal(len(found), n_sessions, "sessions")
    n = 0
    for number, recording in found.items():
        expect_equal(names(recording).count("session"), 1, f"own marks of session {number}")
        for thread in recording.threads:
            values = [e["payload"] for e in thread["events"] if e["name"] == b"number"]
            n += len(values)
            expect_equal(
                values,
                list(range(values[0], values[0] + len(values))) if values else [],
                f"numbers in session {number}",
            )
    fail_if(n < 1000, f"only {n} events: the test tests nothing")


def case_standby_threads(test):
    run(test, "threads", 24)
    check_numbers(sessions(test), 24)


def case_standby_signals(test):
    run(test, "signals", 24)
    found = sessions(test)
    check_numbers(found, 24)
    n = sum(names(recording).count("handler") for recording in found.values())
    fail_if(n < 10, f"only {n} events of handlers: the test tests nothing")


def case_standby_short_threads(test):
    run(test, "short", 40)
    found = sessions(test)
    counts = [names(recording).count("short") for recording in found.values()]
    fail_if(sum(counts) < 20, f"only {counts} events: the test tests nothing")
    for recording in found.values():
        expect_equal(names(recording).count("session"), 1, "own marks")


def case_standby_fork(test):
    run(test, "fork")
    found = sessions(test)
    parent, own, later = found[0], found[1], found[2]
    expect_equal(
        sorted(names(parent, MARK)),
        ["child", "crossing child", "number", "number", "parent"],
        "marks",
    )
    domains = {e["payload"]: e["domain_name"] for e in parent.named("number")}
    expect_equal(domains, {2: b"inherited", 4: b"known to the parent only"}, "domains")
    expect_equal(len(parent.processes), 3, "processes")
    expect_equal(len({p["pid"] for p in parent.processes}), 3, "different pids")
    expect_equal(names(own, MARK), ["own session", "number"], "marks of the early child")
    expect_equal(own.one("number")["domain_name"], b"inherited", "its domain")
    expect_equal(names(later, MARK), ["a session later", "number"], "marks of the late child")
    expect_equal(later.one("number")["domain_name"], b"inherited", "its domain")


def case_standby_fork_threads(test):
    """In a forked child no two threads have one writer."""
    n_numbers = 20000
    run(test, "fork-threads", n_numbers)
    found = sessions(test)
    check_numbers(found, 2)
    expect_equal(names(found[1]).count("short"), 1, "marks of the first thread of the child")
    expect_equal(names(found[1]).count("number"), 2 * n_numbers, "numbers")


def check_session_duel(test, who, *how):
    """A thread is held while it ends a session and begins one; another one annotates meanwhile, or
    forks a child that has a session of its own."""
    folder = test.path("sessions")
    os.makedirs(folder)
    done = test.run(
        [test.program("duel"), "session", who, *map(str, how), folder],
        env={"NVTX_INJECTION64_PATH": test.inject},
    )
    if done.status == 77:
        raise Skip("this machine does not let a process trace its child, or is no x86-64")
    fail_if(done.status != 0, f"exit status {done.status}: {done.stderr.decode()}")
    _, first, stride = how
    n_own = 0
    for k in range(first, first + int(done.stdout) * stride, stride):
        own = os.path.exists(os.path.join(folder, f"{k}-{who}", "session"))
        n_own += own
        found = {name: check_session(test, os.path.join(folder, f"{k}-{name}"))
                 for name in ("a", "b", who) if name != who or own}
        marks = [mark for name in found for mark in found[name]]
        expect_equal(found["a"].count(f"first {k}"), 1, f"first mark of round {k}")
        expect_equal(found["b"].count(f"last {k}"), 1, f"last mark of round {k}")
        fail_if(marks.count(f"{who} {k}") > 1, f"round {k}: {marks}")
        if own:
            expect_equal(found[who], [f"{who} {k}"], f"marks of the child of round {k}")
        fail_if(len(set(marks)) != len(marks), f"round {k}: {marks}")
    return int(done.stdout), n_own


def check_session(test, path):
    recording = test.dump(path)
    expect_equal(recording.messages, [], f"messages of {path}")
    for key in ("n_lost_records", "n_lost_defs", "n_damaged_bytes", "n_failed_processes"):
        expect_equal(recording.info[key], 0, f"{key} of {path}")
    return names(recording, MARK)


def case_standby_duel_of_threads(test):
    n, _ = check_session_duel(test, "thread", "calls", 0, 5)
    fail_if(n < 20, f"only {n} rounds")


def case_standby_duel_with_fork(test):
    n, n_own = check_session_duel(test, "fork", "calls", 0, 5)
    fail_if(n < 20 or n_own < 5, f"only {n} rounds, {n_own} sessions of children")


def case_standby_killed(test):
    """What was recorded until then can be packed."""
    run(test, "killed", status=(128 + signal.SIGKILL,))
    test.command("recover", "-o", "killed.rf", test.path("sessions", "0"))
    recording = test.dump(test.path("killed.rf"))
    expect_equal(sorted(names(recording)), ["last", "open"], "events")
    expect_equal(os.listdir(test.path("sessions")), [], "directories left")


def case_standby_exit(test):
    run(test, "exit")
    recording = sessions(test)[0]
    expect_equal(sorted(names(recording)), ["last", "open"], "events")
    fail_if(not recording.processes[0]["exited"], "the end was not seen")


def case_standby_refused(test):
    done = run(test, "refused")
    for line in done.stdout.decode().splitlines():
        fail_if(not line.endswith(" 1"), line)
    expect_equal(len(done.stdout.splitlines()), 5, "lines")


def case_standby_foreign(test):
    """A program that inherits the variables is not touched; nor one that a command line records."""
    truth = test.new_truth()
    folder = test.path("sessions")
    os.makedirs(folder)
    done = test.run(
        [test.program("standby"), "exec", folder, test.program("basic"), "identical"],
        truth,
        env={"NVTX_INJECTION64_PATH": test.inject},
    )
    expect_equal((done.status, done.stderr), (0, b""), "a program that inherits the marker")
    expect_equal(test.session_directories(), [], "session directories")
    recorded = test.record("basic", "identical", env={"RANGEFINDER_STANDBY": "1"})
    recorded.check_truth()
