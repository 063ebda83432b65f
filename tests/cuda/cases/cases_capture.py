# SPDX-License-Identifier: Apache-2.0
"""Captures: what they launched is in their file, all of it and nothing else, and between them
CUPTI records nothing that costs."""

import collections
import os

from double import expect_equal, fail_if

NVTX = ("-c", "nvtx", "-p", "step", "--nvtx-capture-unregistered")
PROFILER = ("-c", "cudaProfilerApi")
FACTS = {"8", "9", "37"}  # devices, contexts, streams: few, and needed to understand the rest


def launches(run, path=None):
    return [c for c in run.of_type("cuda_runtime", path=path) if "LaunchKernel" in c["name"]]


def check_capture(run, n, path=None):
    """n launches, each with its kernel, and no others."""
    calls, kernels = launches(run, path), run.of_type("kernel", path=path)
    expect_equal(len(calls), n, "launches")
    expect_equal(sorted(k["correlation"] for k in kernels),
                 sorted(c["correlation"] for c in calls), "kernels of the launches")
    truth = {n["correlation"]: n for n in run.truth("kernel")}
    for kernel in kernels:
        run.check_time(kernel, truth[kernel["correlation"]], path)


def case_capture_nvtx(test):
    run = test.cuda("launch=10 push=step launch=5 copy=64 pop launch=20 sync", NVTX)
    check_capture(run, 5)
    expect_equal(run.count("memcpy"), 1, "copies")


def case_capture_keeps_errno(test):
    """Ranges that begin and end captures, and names, leave errno as it was, whatever CUPTI does to it."""
    run = test.cuda("init stream=1 errno name=mine push=step launch=5 name=mine pop sync", NVTX)
    expect_equal(run.outcome.stdout, b"", "what the program says")
    check_capture(run, 5)


def case_capture_late_kernels(test):
    """Kernels that run long after the capture's end belong to it, if it launched them; and work
    from before it does not, though it runs while the capture is on."""
    run = test.cuda("init duration=20000000 launch=5 push=step launch=10 pop launch=5 sync", NVTX)
    check_capture(run, 10)
    end = [r for r in run.of_type("push_pop") if r["name"] == "step"][0]["end_ns"]
    fail_if(max(k["end_ns"] for k in run.of_type("kernel")) < end + 50_000_000, "not late at all")


def case_capture_before_other_work(test):
    """What the program launches behind a capture runs when CUPTI is told to record no more: CUPTI
    keeps that until the next capture, with the time of that for its end. It is in neither."""
    run = test.cuda("init push=step launch=4 sync pop duration=60000000 launch=3 await=disable_10:1 "
                    "duration=1000 push=step launch=2 pop sync",
                    (*NVTX, "--capture-range-end=repeat:2"))
    check_capture(run, 4, run.path("run.1.rf"))
    check_capture(run, 2, run.path("run.2.rf"))


def case_capture_of_a_busy_program(test):
    """The end of a capture waits for what the capture launched, not for the program to be idle."""
    run = test.cuda("init push=step launch=10 pop " + "launch=1 sleep=5 " * 100 +
                    "await=disable_10:1 sync", NVTX)
    check_capture(run, 10)
    before = [call[0] for call in run.all_calls()].index("disable")
    flushes = [call for call in run.all_calls()[:before] if call[0] == "flush"]
    fail_if(len(flushes) > 50, f"{len(flushes)} flushes before recording was switched off")


def case_capture_graphs(test):
    """Graphs in captures are recorded node by node: they may have been made before. They are there, and
    nobody waits for them for long (2 s are 200 flushes)."""
    steps = "init graph=3 " + "".join(
        f"push=step launch=2 graph=3 graph=4 sync pop launch=1 sync await=disable_10:{n} "
        for n in (1, 2, 3))
    run = test.cuda(steps, (*NVTX, "--capture-range-end=repeat:3"))
    for number in (1, 2, 3):
        path = run.path(f"run.{number}.rf")
        expect_equal(len(launches(run, path)), 2, "launches")
        calls = {c["correlation"]: c["name"] for c in run.of_type("cuda_runtime", path=path)}
        of_call = collections.Counter(calls.get(k["correlation"])
                                      for k in run.of_type("kernel", path=path))
        expect_equal(sorted(of_call.values()), [2, 7], f"kernels of capture {number}: {of_call}")
        expect_equal([run.of_type("graph", path=path), None in of_call], [[], False], "graphs")
    fail_if(len(run.calls("flush")) > 100, f"flushes: {len(run.calls('flush'))}")


def case_capture_version_130000(test):
    """CUDA 13.0 without update may hang where recording is switched off: captures are whole, and it
    is not."""
    run = test.cuda("init " + "push=step duration=20000000 launch=4 pop duration=1000 launch=3 " * 3
                    + "sync", (*NVTX, "--capture-range-end=repeat:3"), cupti_version=130000)
    for number in (1, 2, 3):
        check_capture(run, 4, run.path(f"run.{number}.rf"))
    expect_equal(run.calls("disable"), [], "kinds disabled")
    fail_if("CUPTI 13.0.0" not in run.says, run.says)


def case_capture_late_launch_of_nvcc_13(test):
    """The only launch of the capture is known for one by its name."""
    run = test.cuda("init duration=300000000 push=step nvcc=1 pop sync", NVTX)
    check_capture(run, 1)


def case_capture_at_launch(test):
    """Work has its record beside its call's, in a buffer that comes when all of it has ended."""
    for step in ("launch=10", "nvcc=10"):
        run = test.cuda(f"init duration=20000000 launch=5 push=step {step} pop launch=5 sync", NVTX,
                        at_launch=1)
        check_capture(run, 10)


def case_capture_without_end(test):
    """A kernel runs for longer than the end of a capture is waited for: what stands in a buffer
    with it is in the file, and so is the kernel, without an end."""
    run = test.cuda("init push=step launch=10 duration=4000000000 launch pop sleep=2500 "
                    "duration=1000 push=step launch=2 pop sync",
                    (*NVTX, "--capture-range-end=repeat:2"), at_launch=1)
    kernels = run.of_type("kernel", path=run.path("run.1.rf"))
    expect_equal(len(kernels), 11, "kernels")
    expect_equal([k["flags"] for k in kernels if k.get("flags")], ["no_end"], "flags")
    check_capture(run, 2, run.path("run.2.rf"))


def case_capture_with_idle_buffers(test):
    """CUPTI never has no buffer: captures end nevertheless, and nothing is missing."""
    run = test.cuda("init launch=3 push=step launch=10 sync pop launch=5 sync", NVTX, eager=1)
    check_capture(run, 10)


def case_capture_profiler(test):
    run = test.cuda("launch=10 start launch=7 stop launch=20 sync", PROFILER)
    check_capture(run, 7)


def case_capture_profiler_driver(test):
    """Seen by CUPTI alone, where the calls cannot be interposed: once each."""
    run = test.cuda("launch=10 start launch=7 stop launch=20 sync", PROFILER,
                    env={"LD_PRELOAD": ""})
    check_capture(run, 7)


def case_capture_repeat(test):
    """Each capture in its file; kinds are enabled for it and disabled behind it."""
    steps = "init launch=3 " + "".join(
        f"push=step launch=4 sync pop launch=3 sync await=disable_10:{n} " for n in (1, 2, 3))
    run = test.cuda(steps, (*NVTX, "--capture-range-end=repeat:3"))
    for number in (1, 2, 3):
        path = run.path(f"run.{number}.rf")
        check_capture(run, 4, path)
        expect_equal(len(run.of_type("push_pop", path=path)), 1, "ranges")
    enabled = [kind for kind, result in run.calls("enable") if kind not in FACTS]
    disabled = [kind for kind, result in run.calls("disable") if kind not in FACTS]
    expect_equal(enabled.count("10"), 3, f"times that kernels are enabled ({enabled})")
    expect_equal(sorted(enabled), sorted(disabled), "kinds enabled and disabled")


def case_capture_repeat_profiler(test):
    """Each begins while the end of the one before it is still at work."""
    n = 12
    steps = "launch=3 " + "start launch=4 stop launch=3 sync " * n
    run = test.cuda(steps, (*PROFILER, f"--capture-range-end=repeat:{n}"))
    for number in range(1, n + 1):
        check_capture(run, 4, run.path(f"run.{number}.rf"))


def case_capture_idle(test):
    """A capture that never comes: nothing is enabled but what costs nothing, and no buffer is
    filled with calls."""
    run = test.cuda("launch=100 sync", NVTX, status=3)
    enabled = {kind for kind, result in run.calls("enable")}
    fail_if(enabled - FACTS, f"enabled without a capture: {enabled - FACTS}")
    fail_if(os.path.exists(run.output), "a recording without a capture")


def case_capture_threads(test):
    """The trigger is in one thread, the launches in all."""
    run = test.cuda("init threads=4:launch=20 push=step threads=4:launch=20 pop "
                    "threads=4:launch=20 sync", NVTX)
    check_capture(run, 80)


def case_capture_time(test):
    """By time: whoever launches, our own thread sees the beginning."""
    run = test.cuda("init " + "launch=1 sleep=10 " * 80 + "sync", ("-y", "0.2", "-d", "0.2"))
    calls = launches(run)
    fail_if(not 5 <= len(calls) <= 30, f"{len(calls)} launches in 200 ms")
    expect_equal(sorted(k["correlation"] for k in run.of_type("kernel")),
                 sorted(c["correlation"] for c in calls), "kernels of the launches")


def case_capture_at_exit(test):
    """A capture that the end of the program ends."""
    run = test.cuda("launch=3 push=step launch=6 sync", NVTX)
    check_capture(run, 6)


def case_capture_two_processes(test):
    """A capture that one process triggers holds what the other launches, too."""
    run = test.cuda("fork=init+sleep=50+launch=3+push=step+launch=4+pop+launch=3+sync", NVTX)
    check_capture(run, 4)
