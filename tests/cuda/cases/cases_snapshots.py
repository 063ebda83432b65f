# SPDX-License-Identifier: Apache-2.0
"""Flight recorders of programs that use CUDA: a snapshot waits until CUPTI has given what the GPU did
before it."""

import glob
import threading
import time

from double import expect_equal, fail_if

# The program lives on for some flushes, each of which is later than the look that finds the range.
SLOW = "init duration=3000000 push=slow launch=6 sync pop"
LIVES_ON = " await=flush:12"


def check_snapshot(run):
    path = run.path("run.snapshot1.rf")
    ranges = run.of_type("push_pop", path=path)
    expect_equal([row["name"] for row in ranges], ["slow"], "ranges")
    calls = [call for call in run.of_type("cuda_runtime", path=path)
             if ranges[0]["start_ns"] <= call["start_ns"] <= ranges[0]["end_ns"] and "Launch" in call["name"]]
    kernels = {kernel["correlation"] for kernel in run.of_type("kernel", path=path)}
    expect_equal([call["correlation"] in kernels for call in calls], [True] * 6, "launches with their kernels")


def case_snapshot_waits_for_the_gpu(test):
    check_snapshot(test.cuda(SLOW + LIVES_ON, ("--ring=1M", "--snapshot-on=slow:slow:1ms")))


def case_snapshot_of_a_gpu_that_never_rests(test):
    """CUPTI keeps a buffer while any work in it runs: until it is full, here."""
    busy = " duration=1200000" + 600 * " launch sleep=1"
    run = test.cuda(SLOW + busy, ("--ring=1M", "--snapshot-on=slow:slow:1ms"), at_launch=1)
    check_snapshot(run)
    fail_if("has not handed over" in run.says, run.says)


def case_snapshot_beside_a_kernel_that_does_not_end(test):
    """The buffer does not get full either: CUPTI is forced, and that kernel loses its end."""
    steps = "init stream=1 duration=600000000000 launch stream=2 duration=3000000 push=slow launch=6 stream-sync pop"
    run = test.cuda(steps + " await=flush_1:1 await=flush:4 exit=0", ("--ring=1M", "--snapshot-on=slow:slow:1ms"),
                    at_launch=1, may_force=1)
    check_snapshot(run)


def case_snapshot_after_an_exec(test):
    """The image before it hands over nothing, and nobody waits for it."""
    again = SLOW.replace(" ", "+") + "+await=flush:24"
    run = test.cuda(f"init launch=3 sync exec={again}", ("--ring=1M", "--snapshot-on=slow:slow:1ms"))
    check_snapshot(run)
    fail_if("has not handed over" in run.says, run.says)


def case_snapshot_of_a_gpu_that_is_not_used(test):
    """CUDA is initialised, and CUPTI has nothing: nobody waits for it."""
    run = test.cuda("init push=slow sleep=5 pop sleep=300", ("--ring=1M", "--snapshot-on=slow:slow:1ms"))
    expect_equal(len(run.of_type("push_pop", path=run.path("run.snapshot1.rf"))), 1, "ranges")
    fail_if("has not handed over" in run.says, run.says)


def case_snapshot_beside_other_work(test):
    """The same while another thread's work comes: nothing is forced, which would cost that its times."""
    others = "+launch+stream-sync+sleep=20" * 150
    steps = ("init stream=1 duration=600000000000 launch "
             f"threads=1:stream=2+duration=3000000+push=slow+launch=6+stream-sync+pop{others} exit=0")
    run = test.cuda(steps, ("--ring=1M", "--snapshot-on=slow:slow:1ms"), at_launch=1)
    check_snapshot(run)
    fail_if("has not handed over" not in run.says, run.says)


def case_snapshots_in_short_succession(test):
    """Snapshots that are asked for while others wait do not make these wait longer."""
    def ask():
        while not glob.glob(test.path("*", "truth")):
            time.sleep(0.01)
        command = ("snapshot", "--session=fly"), {"expect_status": None}
        threads = [threading.Timer(0.4 * i, test.command, *command) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    asker = threading.Thread(target=ask)
    asker.start()
    run = test.cuda("init stream=1 duration=600000000000 launch sleep=5000 exit=0",
                    ("--ring=1M", "--session-new=fly", "--snapshots=20"), at_launch=1, may_force=1)
    asker.join()
    fail_if("has not handed over" in run.says, run.says)
    expect_equal(len(glob.glob(run.path("run.snapshot*.rf"))), 8, "snapshots")


def case_snapshot_after_another_profiler(test):
    """Another profiler has taken CUPTI's buffers, which is known: nothing is forced or waited for."""
    run = test.cuda("init " + "launch=10 sync sleep=300 " * 6 + "replace " + "launch=10 sync sleep=300 " * 18 +
                    "push=slow sleep=5 pop sleep=1500", ("--ring=1M", "--snapshot-on=slow:slow:1ms"), eager=1)
    fail_if("has taken CUPTI's buffers" not in run.says, run.says)
    expect_equal(len(run.of_type("push_pop", path=run.path("run.snapshot1.rf"))), 1, "ranges")
    fail_if("has not handed over" in run.says, run.says)
