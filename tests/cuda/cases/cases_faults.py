# SPDX-License-Identifier: Apache-2.0
"""CUPTI that refuses, fails, loses or lies: one line, and the program has its CUDA and NVTX."""

import os

from double import CLOCK_ERROR_NS, expect_equal, fail_if

STEPS = "push=a launch=5 sync pop"


def check_goes_on(run, n_kernels=0):
    """The program ran, its annotations are there."""
    expect_equal(run.outcome.stdout, b"", "what the program says")
    expect_equal([run.count("kernel"), run.count("push_pop")], [n_kernels, 1], "kernels, ranges")


def lines_about(run, word):
    return [line for line in run.says.splitlines() if word in line]


def case_subscriber_conflict(test):
    run = test.cuda(STEPS, subscribe=39)
    check_goes_on(run)
    said = lines_about(run, "CUDA is not recorded")
    expect_equal(len(said), 1, f"lines: {run.says}")
    fail_if("another profiler" not in said[0], said)
    expect_equal(run.calls("enable"), [], "kinds enabled")


def case_cupti_refuses(test):
    """15, 999, 35, 8 and what nobody knows."""
    for result in (15, 999, 35, 8, 77):
        run = test.cuda(STEPS, subscribe=result)
        check_goes_on(run)
        expect_equal(len(lines_about(run, "CUDA is not recorded")), 1, f"{result}: {run.says}")
        fail_if(f"({result})" not in run.says, f"{result}: {run.says}")


def case_no_device(test):
    """cuInit() fails: CUPTI cannot start either; the program hears what it would have heard."""
    run = test.cuda("push=a launch=1 pop", devices=0)
    expect_equal(run.outcome.stdout, b"launch: 100\n", "what the program says")
    expect_equal(run.count("push_pop"), 1, "ranges")
    expect_equal(len(lines_about(run, "CUDA is not recorded")), 1, run.says)


def case_lacking_library(test):
    """A libcupti without a function that is needed."""
    lacking = os.path.join(test.double, "lacking", "libcupti.so.12")
    run = test.cuda(STEPS, env={"RANGEFINDER_CUPTI": lacking})
    check_goes_on(run)
    fail_if("cuptiActivityFlushAll" not in run.says, run.says)


def case_missing_library(test):
    """RANGEFINDER_CUPTI names nothing: it is said, or another one is found and taken."""
    run = test.cuda(STEPS, env={"RANGEFINDER_CUPTI": "/nonexistent/libcupti.so.12"})
    expect_equal(run.count("push_pop"), 1, "ranges")
    fail_if("CUDA is not recorded" not in run.says, run.says)


def case_no_library_text(test):
    """A file that is no library."""
    path = test.path("libcupti.so.12")
    with open(path, "w", encoding="utf-8") as file:
        file.write("not a library\n")
    run = test.cuda(STEPS, env={"RANGEFINDER_CUPTI": path})
    expect_equal(run.count("push_pop"), 1, "ranges")
    fail_if("CUDA is not recorded" not in run.says, run.says)


def case_kinds_that_fail(test):
    """A kind that cannot be enabled is not recorded; the others are."""
    run = test.cuda("init launch=5 set=64 sync graph=3 event sync", ("--cuda-event-trace=true",),
                    enable_fails="36:21,38:27,17:27")
    expect_equal([run.count("kernel"), run.count("memset"), run.count("sync"),
                  run.count("cuda_event")], [5, 1, 0, 0], "kernels, memsets, waits, events")
    run = test.cuda(STEPS, enable_fails="10:27")
    check_goes_on(run)
    fail_if("kernels are not recorded" not in run.says, run.says)


def case_dropped(test):
    """Records that CUPTI had no room for are counted, and the summary says LOST."""
    run = test.cuda("init launch=20 sync", dropped=3)
    expect_equal(run.count("kernel"), 17, "kernels")
    fail_if("LOST 3 records" not in run.says, run.says)


def case_incomplete_record(test):
    """CUPTI does not read beyond a record that is not complete: what is behind it is counted."""
    run = test.cuda("init launch=20 sync", next_fails=1000)
    n = run.count("kernel", "cuda_runtime")
    said = lines_about(run, "of CUDA")
    expect_equal(len(said), 1, run.says)
    n_lost = int(said[0].split("LOST ")[1].split()[0])
    fail_if("not complete" not in said[0], said)
    fail_if(not 0 < n < 40 or not 5 < n_lost <= 41 - n, f"{n} records, {n_lost} lost")


def case_flush_fails(test):
    """Flushes that fail are reported, once, and not taken for another profiler."""
    run = test.cuda("init launch=5 sync sleep=1500 launch=5 sync sleep=1500", flush_fails=999, flush_fails_ms=1200)
    expect_equal(run.count("kernel"), 5, "kernels that were flushed before")
    expect_equal(len(lines_about(run, "does not give what it has (999)")), 1, run.says)
    expect_equal(len(lines_about(run, "another profiler")), 0, run.says)


def find(facts, name):
    """The member of this name, wherever it stands."""
    if isinstance(facts, dict):
        if name in facts:
            return facts[name]
        facts = list(facts.values())
    found = [find(f, name) for f in facts] if isinstance(facts, list) else []
    return next((f for f in found if f is not None), None)


def bad_times(test, **which):
    run = test.cuda("init launch=20 sync", **which)
    kernels = run.of_type("kernel")
    expect_equal(len(kernels), 20, "kernels: bad ones are kept")
    fail_if(any(k["end_ns"] < k["start_ns"] for k in kernels), f"ends before starts: {kernels}")
    calls = {c["correlation"] for c in run.of_type("cuda_runtime")}
    fail_if(any(k["correlation"] not in calls for k in kernels), "correlation")
    truth = {n["correlation"]: n for n in run.truth("kernel")}
    good = 0
    for kernel in kernels:
        off = run.real_time(kernel["start_ns"]) - truth[kernel["correlation"]]["start"]
        good += abs(off) < 20_000
    fail_if(good < 16, f"{good} of 20 kernels have their time")
    expect_equal(find(run.facts(), "n_bad_times"), 4, "times that are marked")


def case_zero_times(test):
    """start == end == 0: CUPTI has no time for it."""
    bad_times(test, zero_times=5)


def case_reversed_times(test):
    bad_times(test, reversed_times=5)


def case_early_times(test):
    """Kernels before their own launch."""
    bad_times(test, early_times=5)


def case_no_times_left(test):
    """The memory for times on the GPU is used up: it is said while the program runs (here it is
    killed), and counted."""
    run = test.cuda("init launch=300 sync launch=10 sync sleep=1000 exit=kill", status=137,
                    timestamps=100)
    expect_equal([run.count("kernel"), find(run.facts(), "n_bad_times")], [310, 210],
                 "kernels, times that are marked")
    expect_equal(len(lines_about(run, "no times")), 1, run.says)
    run = test.cuda("init launch=50 sync duration=1000000000 launch=40")
    expect_equal(len(lines_about(run, "no times")), 0, run.says)


def case_unknown_kinds(test):
    """Records of kinds that nobody knows are passed over."""
    run = test.cuda("init launch=50 sync", unknown=3)
    run.check()


def case_clock_drifts(test):
    """CUPTI's clock is too fast by 200 parts in a million: times hold."""
    run = test.cuda("init " + "launch=20 sync sleep=100 " * 15, ppm=200)
    run.check()


def case_clock_is_stepped(test):
    """Somebody sets the clock forward by seconds: times hold on both sides of it."""
    run = test.cuda("init launch=20 sync sleep=1500 launch=20 sync sleep=1500 launch=20 sync",
                    step_ns=2_000_000_000, step_at_ms=1200)
    kernels = sorted(run.of_type("kernel"), key=lambda k: k["correlation"])
    truth = {n["correlation"]: n for n in run.truth("kernel")}
    off = [run.real_time(k["start_ns"]) - truth[k["correlation"]]["start"] for k in kernels]
    expect_equal(len(off), 60, "kernels")
    fail_if(max(map(abs, off)) > CLOCK_ERROR_NS, f"off by up to {max(map(abs, off))} ns")


def case_replaced(test):
    """Another profiler in the process takes the buffers: it is said, once; what was recorded
    before is there."""
    run = test.cuda("init " + "launch=10 sync sleep=300 " * 8 + "replace "
                    + "launch=10 sync sleep=300 " * 20)
    fail_if(run.count("kernel") < 60, f"{run.count('kernel')} kernels")
    expect_equal(len(lines_about(run, "another profiler")), 1, run.says)


def case_replaced_near_the_end(test):
    """The same just before the program exits; and of a program that ends quietly it is not said."""
    run = test.cuda("init launch=10 sync sleep=400 replace launch=10 sync")
    expect_equal(len(lines_about(run, "another profiler")), 1, run.says)
    run = test.cuda("init launch=10 sync sleep=400")
    expect_equal(len(lines_about(run, "another profiler")), 0, run.says)


def case_foreign_tool(test):
    """CUDA_INJECTION64_PATH of another tool: asked for by name it is an error, otherwise a line."""
    foreign = os.path.join(test.double, "client.so")
    run = test.cuda(STEPS, trace=(), env={"CUDA_INJECTION64_PATH": foreign})
    expect_equal([run.count("kernel"), run.count("push_pop")], [0, 1], "kernels, ranges")
    fail_if("CUDA_INJECTION64_PATH" not in run.says, run.says)
    done = test.run([test.rangefinder, "profile", "-t", "cuda,nvtx", "-o", test.path("no.rf"),
                     test.app, "print=ran"], env={"CUDA_INJECTION64_PATH": foreign})
    expect_equal([done.status, done.stdout], [125, b""], done.stderr.decode())
    run = test.cuda(STEPS, trace=(), env={"CUDA_INJECTION64_PATH": "none"})
    expect_equal([run.count("kernel"), run.count("push_pop")], [0, 1], "kernels, ranges")
