# SPDX-License-Identifier: Apache-2.0
"""The recorder with the real libcuda and libcupti and no device: one line, NVTX goes on, and the
program does not notice."""

import os

from real import expect_equal, fail_if

OFF = "CUDA is not recorded"


def cuda_lines(run):
    return [line for line in run.outcome.stderr.decode().splitlines() if OFF in line]


def expect_marks(run, *names):
    expect_equal(sorted(e["name"].decode() for e in run.recording.events()), sorted(names),
                 "annotations")
    run.check_nothing_lost()


def case_no_device(test):
    """Exit status, output and errno are those of the bare program."""
    driver = test.driver()
    for path in test.cuptis():
        for steps, marks in (("mark=a init mark=b exit=7", "ab"), ("init mark=b", "b"),
                             ("thread init mark=t", "t"), ("init init mark=c", "c")):
            run = test.recorded(steps, {**driver, "RANGEFINDER_CUPTI": path})
            expect_equal(len(cuda_lines(run)), 1, f"{path}: lines on CUDA: {run.outcome.stderr}")
            expect_marks(run, *marks)


def case_no_cuda_used(test):
    """A program that never calls cuInit hears nothing of CUDA."""
    run = test.recorded("mark=a", {**test.driver(), "RANGEFINDER_CUPTI": test.cuptis()[0]})
    expect_equal(cuda_lines(run), [], "lines on CUDA")
    expect_marks(run, "a")


def case_no_library(test):
    """What was tried is named."""
    driver = test.driver()
    for missing in (test.path("libcupti.so.12"),
                    test.path(*["a-folder-with-a-long-name"] * 8, "libcupti.so.12")):
        run = test.recorded("init mark=a", {**driver, "RANGEFINDER_CUPTI": missing})
        says = run.outcome.stderr.decode()
        expect_equal(len(cuda_lines(run)), 1, f"lines on CUDA: {says}")
        tried = [line for line in says.splitlines() if "tried" in line]
        fail_if(len(tried) != 1 or "libcupti.so.12 cannot be opened: No such file" not in tried[0],
                f"the file and the reason are not said: {says}")
        fail_if(len(missing) < 80 and missing not in tried[0], f"the path is cut: {says}")
        expect_marks(run, "a")


def case_search(test):
    """With nothing named, what the search finds: a newer one than the driver is no harm either."""
    run = test.recorded("init mark=a", {**test.driver(), "RANGEFINDER_CUPTI": None})
    expect_equal(len(cuda_lines(run)), 1, f"lines on CUDA: {run.outcome.stderr}")
    expect_marks(run, "a")


def case_processes(test):
    """Fork before and after cuInit, exec: every process has its annotations and its own cuInit."""
    driver = {**test.driver(), "RANGEFINDER_CUPTI": test.cuptis()[0]}
    for steps, marks in (("mark=a init fork init mark=b exit=3", "ab"),
                         ("mark=a fork init mark=b", "ab"),
                         ("mark=a init exec init mark=b", "ab"),
                         ("init fork mark=a exec init mark=b", "ab")):
        run = test.recorded(steps, driver)
        fail_if(not cuda_lines(run), f"{steps}: nothing is said of CUDA")
        expect_marks(run, *marks)


def case_preload_and_injection(test):
    """The recorder preloaded as well: one image, one start."""
    env = {**test.driver(), "RANGEFINDER_CUPTI": test.cuptis()[0]}
    run = test.recorded("mark=a init mark=b", env,
                        ("-t", "cuda,nvtx", "-e", f"LD_PRELOAD={test.inject}"))
    expect_equal(len(cuda_lines(run)), 1, f"lines on CUDA: {run.outcome.stderr}")
    expect_marks(run, "a", "b")


def case_foreign(test):
    """By default another tool's library stays where it is, and NVTX is recorded; "none" is off."""
    driver = test.driver()
    log = test.path("spy")
    run = test.recorded("init mark=a", {**driver, "CUDA_INJECTION64_PATH": test.spy, "SPY": log},
                        options=())
    expect_marks(run, "a")
    fail_if(not os.path.exists(log), "the other tool was not called")
    run = test.recorded("init mark=a", {**driver, "CUDA_INJECTION64_PATH": "none"}, options=())
    expect_marks(run, "a")
    fail_if("does not start" in str(cuda_lines(run)), f"it is not off: {cuda_lines(run)}")
    expect_equal(test.run([test.rangefinder, "profile", "-o", test.path("x.rf"), "-t", "cuda,nvtx",
                           test.app, "init"],
                          env={**driver, "CUDA_INJECTION64_PATH": test.spy, "SPY": log}).status,
                 125, "exit status with -t cuda and another tool's library")
