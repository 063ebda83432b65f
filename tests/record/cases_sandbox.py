# SPDX-License-Identifier: Apache-2.0
"""Programs in a sandbox: system calls that are refused, and such that kill who makes them."""

import os
import re

from harness import Skip, expect_equal, fail_if

# What the recorder does not call in a process whose files the command line has made.
NOT_CALLED = (
    "prctl,ftruncate,fallocate,lseek,fcntl,flock,fstatfs,statfs,readlink,readlinkat,symlink,"
    "symlinkat,socket,getcwd,pwrite64,unlinkat,prlimit64,stat"
)


def known(test, names):
    """Without the calls that this architecture does not have."""
    source = test.run(["uname", "-m"]).stdout
    old = () if b"x86_64" in source else ("readlink", "symlink", "stat")
    return ",".join(n for n in names.split(",") if n not in old)


def need_seccomp(test):
    if test.run([test.program("sandbox"), "refuse", "flock"]).status != 0:
        raise Skip("this system lets no program filter its system calls")


def case_sandbox_kills_what_is_not_called(test):
    need_seccomp(test)
    run = test.record("sandbox", "kill", known(test, NOT_CALLED)).check_truth()
    process = run.recording.processes[0]
    expect_equal(process["name"], "sandbox", "name of the process")
    expect_equal(process["exe"], test.program("sandbox"), "path of the process")
    expect_equal({t["name"] for t in run.recording.threads}, {b"sandbox"}, "names of threads")


def documented_calls():
    """The calls of the first table of docs/recorder.md."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "recorder.md")
    with open(path, encoding="utf-8") as file:
        table = file.read().partition("| when | calls |")[2].partition("\n\n")[0]
    return sorted(set(re.findall(r"`(\w+)`", table)))


def case_sandbox_allows_what_is_documented(test):
    """Whatever the recorder calls in a sandbox stands in the documentation."""
    need_seccomp(test)
    calls = documented_calls()
    fail_if(len(calls) < 10, f"the documentation names {calls}")
    # not without the recorder: the headers of NVTX would look for a tool, with calls of their own
    run = test.record("sandbox", "only", ",".join(calls), compare=False).check_truth()
    expect_equal(run.outcome.status, 0, "exit status")


def case_sandbox_kills_what_a_fork_does_not_call(test):
    need_seccomp(test)
    run = test.record("sandbox", "kill-fork", known(test, NOT_CALLED)).check_truth()
    expect_equal(len(run.recording.processes), 2, "processes")


def case_sandbox_refuses_what_can_be_done_without(test):
    need_seccomp(test)
    test.record("sandbox", "refuse", known(test, NOT_CALLED)).check_truth()


def check_refused(test, call):
    """What cannot be recorded is counted and told with the name of the call."""
    need_seccomp(test)
    program = test.program("sandbox")
    done = test.run(
        [test.rangefinder, "profile", "-o", "run.rf", program, "refuse", call], test.new_truth()
    )
    expect_equal(done.status, 0, "exit status")
    said = done.stderr.decode()
    call = call.partition("-")[0]
    fail_if(f"{call} was refused (errno 1)" not in said, f"said: {said}")
    fail_if("LOST 1 whole process" not in said, f"said: {said}")
    fail_if("does not use NVTX" in said or "nothing lost" in said, f"said: {said}")
    info = test.dump(test.path("run.rf")).info
    expect_equal(info["n_failed_processes"], 1, "processes that could not be recorded")


def case_sandbox_refuses_madvise(test):
    check_refused(test, "madvise")


def case_sandbox_refuses_shared_mappings(test):
    check_refused(test, "mmap-shared")


def case_sandbox_refuses_by_hand(test):
    """Without a command line nothing is left behind."""
    need_seccomp(test)
    done = test.run(
        [test.program("sandbox"), "refuse", "mmap-shared"], test.new_truth(),
        {"NVTX_INJECTION64_PATH": test.inject},
    )
    expect_equal(done.status, 0, "exit status")
    expect_equal(test.session_directories(), [], "session directories")
