# SPDX-License-Identifier: Apache-2.0
"""A program that records itself, session after session, as profile() of the Python package does."""

import os

from double import Run, expect_equal, fail_if


def record(test, steps, env=None, status=0, **double):
    """Runs the program with these steps; sessions are NAME.rfdir in its folder."""
    run = Run(test)
    everything = {**test.cuda_environment(run, **double), "NVTX_INJECTION64_PATH": test.inject,
                  "CUDA_INJECTION64_PATH": test.inject, **(env or {})}
    run.outcome = test.run([test.app, *steps.split()], env=everything)
    expect_equal([run.outcome.status, run.outcome.stdout, run.says], [status, b"", ""], "the program")
    run.check_rules()
    return run


def session(test, name):
    return os.path.join(test.folder, f"{name}.rfdir")


ALL = "stream=1 launch=30 driver=5 copy=4096 set=64 peer=100 graph=3 copy-back=8 event sync stream-sync"


def case_session_whole(test):
    """Everything that happened in a session is in it, once, at its time: CUDA is initialised in it.
    Graphs are there node by node: another session may find graphs that were made before it."""
    run = record(test, f"stand-by begin=a push=r {ALL} pop end")
    run.check(nodes=True, path=session(test, "a"))
    expect_equal(run.count("push_pop", path=session(test, "a")), 1, "ranges")


def case_session_late(test):
    """The same of CUDA that was initialised before; and between sessions nothing is recorded."""
    check_late(test, "stand-by init stream=1 launch=3")


def case_session_late_unseen(test):
    """The same where the driver loaded nothing then."""
    check_late(test, "init stream=1 launch=3 stand-by", env={"CUDA_INJECTION64_PATH": ""})


def check_late(test, steps, **options):
    run = record(test, steps + " sync begin=a launch=5 sync end launch=7 sync "
                               "begin=b launch=9 graph=2 sync end launch=11 sync", **options)
    for name, n_kernels in (("a", 5), ("b", 11)):  # of b two are nodes of a graph
        path = session(test, name)
        expect_equal([run.count("kernel", path=path), run.count("graph", path=path)],
                     [n_kernels, 0], f"kernels and graphs of {name}")
        truth = {(note["correlation"], note["node"]): note for note in run.truth("kernel")}
        for kernel in run.of_type("kernel", path=path):
            run.check_time(kernel, truth[kernel["correlation"], kernel.get("graph_node", 0)], path)
        calls = {call["correlation"] for call in run.of_type("cuda_runtime", path=path)}
        fail_if(any(k["correlation"] not in calls for k in run.of_type("kernel", path=path)), "calls")
    expect_equal(len(run.calls("subscribe")), 2, "subscriptions")
    expect_equal(len(run.calls("unsubscribe")), 2, "their ends")
    expect_equal(sorted(run.calls("enable")), sorted(run.calls("disable")), "kinds")


def case_session_clock_step(test):
    """The wall clock is set between two sessions: each has its own pairs."""
    run = record(test, "stand-by init begin=a launch=5 sync sleep=300 end sleep=300 begin=b launch=5 "
                       "sync sleep=300 end", step_ns=3_600_000_000_000, step_at_ms=400)
    for name in "ab":
        path = session(test, name)
        truth = {note["correlation"]: note for note in run.truth("kernel")}
        kernels = run.of_type("kernel", path=path)
        expect_equal(len(kernels), 5, "kernels")
        for kernel in kernels:
            run.check_time(kernel, truth[kernel["correlation"]], path)


def case_session_many(test):
    """Sessions come and go while threads initialise CUDA and launch: no rule is broken, and all is
    left as it was."""
    for delay in (0, 3, 7):
        run = record(test, f"stand-by sessions=s{delay}x:25 threads=4:sleep={delay}+launch=400+driver=5 "
                           "sleep=5 threads=4:launch=400 sync join")
        expect_equal(len(run.calls("subscribe")), len(run.calls("unsubscribe")), "subscriptions")
        found = set()
        for i in range(25):
            path = session(test, f"s{delay}x{i}")
            seen = [k["correlation"] for k in run.of_type("kernel", path=path)]
            fail_if(len(seen) != len(set(seen)), "kernels that are there twice")
            fail_if(found & set(seen), f"kernels of two sessions: {sorted(found & set(seen))[:5]}")
            found |= set(seen)


def case_session_exit(test):
    """exit() in a session, and a session that is cut off."""
    run = record(test, "stand-by begin=a launch=5 exit=exit", status=7)
    expect_equal(run.count("kernel", path=session(test, "a")), 5, "kernels")
    run = record(test, "stand-by begin=b launch=5 sync sleep=1500 exit=_exit", status=7)
    expect_equal(run.count("kernel", path=session(test, "b")), 5, "kernels")


def case_session_fork(test):
    """A child of a process that used CUDA does not call CUPTI, in a session or out of one."""
    run = record(test, "stand-by init begin=a launch=5 fork=mark=child sync end "
                       "fork=mark=late sync begin=b launch=5 sync end")
    for name in "ab":
        expect_equal(run.count("kernel", path=session(test, name)), 5, "kernels")


def case_session_late_kernels(test):
    """Kernels that run when the session ends have their ends; what is launched behind it, and runs
    when CUPTI is told to record no more, is in no session."""
    run = record(test, "stand-by init begin=a duration=30000000 launch=5 end launch=3 "
                       "duration=1000 begin=b launch=4 end sync")
    truth = {note["correlation"]: note for note in run.truth("kernel")}
    for name, n in (("a", 5), ("b", 4)):
        path = session(test, name)
        kernels = run.of_type("kernel", path=path)
        expect_equal(len(kernels), n, f"kernels of {name}")
        for kernel in kernels:
            run.check_time(kernel, truth[kernel["correlation"]], path)


def case_session_foreign_buffers(test):
    """Another library used CUPTI without subscribing: its buffers come to us, and stay its own."""
    run = record(test, "stand-by init foreign launch=5 begin=a launch=7 sync end foreign-end "
                       "begin=b launch=9 sync end")
    for name, n in (("a", 7), ("b", 9)):
        path = session(test, name)
        calls = [c for c in run.of_type("cuda_runtime", path=path) if "Launch" in c["name"]]
        expect_equal([run.count("kernel", path=path), len(calls)], [n, n], f"kernels, calls of {name}")


def case_session_version_130000(test):
    """CUDA 13.0 without update: kinds stay enabled, and sessions have what is theirs."""
    run = record(test, "stand-by init launch=3 begin=a launch=5 sync end launch=7 sync "
                       "begin=b launch=9 graph=2 sync end launch=11 sync", cupti_version=130000)
    for name, n in (("a", 5), ("b", 11)):  # of b two are nodes of a graph
        expect_equal(run.count("kernel", path=session(test, name)), n, f"kernels of {name}")
    fail_if(["1"] in run.calls("flush"), "a forced flush")
    fail_if("10" in [kind for kind, result in run.calls("disable")], "kernels are disabled")


def case_session_attributes(test):
    """Between sessions CUPTI zeroes the buffers of whoever uses it then."""
    run = record(test, "stand-by init begin=a launch=5 sync end begin=b launch=5 sync end")
    expect_equal(run.calls("attribute"), [["9", "1", "0"], ["5", "1", "0"], ["5", "0", "0"],
                                          ["5", "1", "0"], ["5", "0", "0"]], "attributes")
    expect_equal(run.calls("zeroed"), [], "buffers that CUPTI zeroed")


def case_session_unwanted(test):
    """The driver loads the recorder while no session is on: nothing of CUPTI is touched."""
    run = record(test, "stand-by init launch=5 sync")
    expect_equal(run.text("calls"), "", "calls of CUPTI")
