# SPDX-License-Identifier: Apache-2.0
"""However a process begins and ends: nothing hangs, and what CUPTI had is there."""

import glob
import time

from double import SLOW, Run, expect_equal, fail_if

ENDS = {"return": (None, 0), "exit": ("exit=exit", 7), "quick": ("exit=_exit", 7),
        "term": ("exit=term", 143), "kill": ("exit=kill", 137)}


def case_exits(test):
    """Work that was waited for is there after return and exit()."""
    for name in ("return", "exit"):
        step, status = ENDS[name]
        run = test.cuda(f"launch=50 sync {step or ''}", status=status)
        run.check()


def case_exit_disables_nothing(test):
    """At exit() nothing is disabled, and what is complete is asked for before the rest."""
    run = test.cuda("init launch=5 sync duration=300000000 launch=1")
    run.check_rules()
    expect_equal([run.calls("disable"), run.count("kernel")], [[], 6], "kinds disabled, kernels")
    expect_equal(run.calls("flush")[-2:], [["0"], ["1"]], "the last flushes")


def case_exit_of_version_130000(test):
    """CUDA 13.0 without update: what deadlocks or crashes there is not called at exit(), and what
    had ended is there."""
    run = test.cuda("threads=4:launch=50 sync duration=50000000 launch=2", cupti_version=130000)
    run.check()
    expect_equal([run.count("kernel"), run.calls("disable")], [202, []], "kernels, kinds disabled")
    fail_if(["1"] in run.calls("flush"), "a forced flush")
    expect_equal("13.0.0" in run.says, False, f"nothing is missing: {run.says}")
    run = test.cuda("init launch=5 sync duration=10000000000 launch=1", cupti_version=130000)
    expect_equal([run.count("kernel"), "CUPTI 13.0.0 did not give" in run.says], [5, True],
                 f"a kernel that runs on: {run.says}")


def case_sudden_ends(test):
    """_exit() and signals: what was flushed is there (the interval is 200 ms)."""
    for name in ("quick", "term", "kill"):
        step, status = ENDS[name]
        began = time.monotonic()
        run = test.cuda(f"init launch=50 sync sleep=700 {step}", status=status)
        expect_equal(run.count("kernel"), 50, f"kernels after {name}")
        fail_if(time.monotonic() - began > 8 * SLOW, f"{name}: it took {time.monotonic() - began} s")


def case_flush_interval(test):
    """--cuda-flush-interval: a program that is killed loses as much."""
    run = test.cuda("init launch=50 sync sleep=400 exit=kill", ("--cuda-flush-interval=5000",),
                    status=137)
    flushes = len(run.calls("flush"))
    expect_equal([flushes, run.count("kernel")], [0, 0], "flushes, kernels at 5 s")
    run = test.cuda("init launch=50 sync sleep=400 exit=kill", ("--cuda-flush-interval=20",),
                    status=137)
    expect_equal(run.count("kernel"), 50, "kernels at 20 ms")
    fail_if(len(run.calls("flush")) < 8, f"flushes: {run.calls('flush')}")


def case_unfinished(test):
    """Kernels that run when the program ends have no end of their own, and are kept."""
    run = test.cuda("init launch=2 sync duration=3000000000 launch=1")
    expect_equal(run.count("kernel"), 3, "kernels")


def case_hanging_flush(test):
    """A flush that never returns holds up the end for 10 seconds, not longer, and it is said."""
    began = time.monotonic()
    run = test.cuda("init launch=5 sync", flush_hangs=1)
    took = time.monotonic() - began
    fail_if(not 9 < took < 30 * SLOW, f"it took {took:.1f} s")
    fail_if("10 s" not in run.says, run.says)


def case_driver_gone(test):
    """libcupti that fails while exit() runs: as it is."""
    run = test.cuda("init launch=5 sync sleep=500", deinit=1)
    expect_equal(run.count("kernel"), 5, "kernels that were flushed before")
    fail_if("does not give" in run.says, run.says)


def case_fork_before(test):
    """A process that forks before it uses CUDA, as Python's multiprocessing does: both are
    recorded, each with its own ids."""
    run = test.cuda("push=a pop fork=push=b+launch=5+pop+sync launch=3 sync fork=print=none")
    run.check()
    kernels = run.of_type("kernel")
    expect_equal(len(kernels), 8, "kernels")
    expect_equal(len({k["pid"] for k in kernels}), 2, "processes")


def case_fork_after(test):
    """A process that forks when it has used CUDA: the child cannot use it, and calls nothing of
    CUPTI's; it annotates, and ends as it likes."""
    began = time.monotonic()
    run = test.cuda("launch=3 sync fork=push=child+pop+launch=2+cuinit+cuinit launch=2 sync")
    fail_if(time.monotonic() - began > 8 * SLOW, "the child's exit() waits for somebody")
    fail_if("10 s" in run.says, run.says)
    run.check()
    expect_equal([run.count("kernel"), run.count("push_pop")], [5, 1], "kernels, ranges")
    expect_equal(run.outcome.stdout, b"launch: 3\ncuInit: 3\ncuInit: 3\n", "the child's results")
    fail_if("CUDA is not recorded" in run.says, run.says)


def case_fork_many(test):
    """Children that fork, with threads that launch meanwhile."""
    run = test.cuda("init threads=4:launch=50+fork=push=x+pop+launch=50 sync")
    run.check()
    expect_equal([run.count("kernel"), run.count("push_pop")], [400, 4], "kernels, ranges")


def case_exec(test):
    """A program that becomes another: both use CUDA."""
    run = test.cuda("launch=3 sync sleep=500 exec=push=b+launch=4+pop+sync")
    expect_equal([run.count("kernel"), run.count("push_pop")], [7, 1], "kernels, ranges")
    expect_equal(len(run.of_type("process")), 2, "processes")


def case_by_hand(test):
    """Without the command line: the library named by hand."""
    run = Run(test)
    env = {**test.cuda_environment(run), "CUDA_INJECTION64_PATH": test.inject,
           "NVTX_INJECTION64_PATH": test.inject}
    run.outcome = test.run([test.app, *"push=a launch=5 sync pop".split()], env=env,
                           cwd=run.folder)
    expect_equal(run.outcome.status, 0, run.says)
    sessions = glob.glob(run.path("rangefinder-*.rfdir"))
    expect_equal(len(sessions), 1, "session directories")
    run.output = sessions[0]
    run.check_rules()
    run.check()
    expect_equal([run.count("kernel"), run.count("push_pop")], [5, 1], "kernels, ranges")


def case_exit_in_handler(test):
    """exit() in a signal handler."""
    run = test.cuda("handler init launch=20 sync exit=term", status=3)
    run.check()


def case_threads_begin(test):
    """The first calls of CUDA come from many threads at once, and cuInit() again and again."""
    run = test.cuda("threads=8:launch=20+cuinit sync")
    run.check()
    expect_equal([run.count("kernel"), run.outcome.stdout], [160, b""], "kernels, output")


def case_signals(test):
    """No thread of the recorder's takes the program's signals; errno stays."""
    run = test.cuda("init cuinit launch=3 sync sleep=300 masks")
    run.check()
    expect_equal(run.outcome.stdout, b"", "threads that take signals, errno")


def case_device_reset(test):
    """As samples of CUDA end: CUPTI forgets with the context what it was not asked for."""
    run = test.cuda("init launch=10 copy=64 sync reset")
    expect_equal([run.count("kernel"), run.count("memcpy")], [10, 1], "kernels, copies")
