# SPDX-License-Identifier: Apache-2.0
"""Flight recorders of programs that use CUDA: a snapshot waits until CUPTI has given what the GPU did
before it."""

from double import expect_equal, fail_if

# The program lives on for some flushes, each of which is later than the look that finds the range.
SLOW = "init duration=3000000 push=slow launch=6 sync pop"
LIVES_ON = " await=flush:12"


def check_snapshot(run):
    path = run.path("run.snapshot1.rf")
    launches = {call["correlation"] for call in run.of_type("cuda_runtime", path=path)}
    expect_equal([row["name"] for row in run.of_type("push_pop", path=path)], ["slow"], "ranges")
    kernels = run.of_type("kernel", path=path)
    expect_equal(len(kernels), 6, "kernels in the snapshot")
    fail_if(any(kernel["correlation"] not in launches for kernel in kernels), "launches are missing")


def case_snapshot_waits_for_the_gpu(test):
    check_snapshot(test.cuda(SLOW + LIVES_ON, ("--ring=1M", "--snapshot-on=slow:slow:1ms")))


def case_snapshot_of_a_gpu_that_is_not_used(test):
    """CUDA is initialised, and CUPTI has nothing: nobody waits for it."""
    run = test.cuda("init push=slow sleep=5 pop sleep=300", ("--ring=1M", "--snapshot-on=slow:slow:1ms"))
    expect_equal(len(run.of_type("push_pop", path=run.path("run.snapshot1.rf"))), 1, "ranges")
    fail_if("has not handed over" in run.says, run.says)
