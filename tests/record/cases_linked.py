# SPDX-License-Identifier: Apache-2.0
"""Programs that the recorder is linked into (librangefinder-inject.a): recorded as others are, without
NVTX_INJECTION64_PATH; also those that load no libraries."""

import os
import shutil
import sys

from cases_payload import check_all
from harness import Skip, expect_equal, fail_if, machine_of

HERE = os.path.dirname(os.path.abspath(__file__))

WITHOUT = ("env", "-u", "NVTX_INJECTION64_PATH")


def case_linked_basic(test):
    run = test.record("linked-basic", "all", under=WITHOUT).check_truth()
    expect_equal(run.recording.processes[0]["name"], "linked-basic", "process name")


def case_linked_threads(test):
    test.record("linked-threads", "domains", under=WITHOUT).check_truth()


def case_linked_payloads(test):
    """The entry point of extensions is linked, too."""
    check_all(test.record("linked-payload", "all", under=WITHOUT, compare=False))


def case_linked_static(test):
    test.record("linked-static", "all", under=WITHOUT).check_truth()
    test.record("linked-static-threads", "domains", under=WITHOUT).check_truth()


def case_linked_musl(test):
    """With another C library than ours."""
    if shutil.which("musl-gcc") is None:
        raise Skip("there is no musl-gcc (package musl-tools)")
    if machine_of(test.rangefinder) != machine_of(sys.executable):
        raise Skip("musl-gcc compiles for this machine's processor, and the build is for another one")
    archive = os.path.join(test.build, "lib", "librangefinder-inject.a")
    if not os.path.exists(archive):
        raise Skip("librangefinder-inject.a was not built")
    root = os.path.dirname(os.path.dirname(HERE))
    done = test.run(["musl-gcc", "-static", "-D_GNU_SOURCE", "-I" + os.path.join(root, "include"),
                     "-I" + os.path.join(root, "tests"), "-o", test.path("basic"), os.path.join(HERE, "basic.c"),
                     "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-pthread"])
    expect_equal(done.status, 0, done.stderr.decode())
    test.record(test.path("basic"), "all", under=WITHOUT).check_truth()


def case_linked_beside_the_library(test):
    """Where the variable names a tool NVTX takes that one: the process is recorded once."""
    run = test.record("linked-basic", "all").check_truth()
    expect_equal(len(run.recording.processes), 1, "processes")


def case_linked_forks(test):
    """Children are processes of their own."""
    run = test.record("linked-forks", "parents-id", under=WITHOUT).check_truth()
    fail_if(len(run.recording.processes) < 2, "the child is missing")


def case_linked_without_a_session(test):
    """Nothing is recorded, and the program does what it does without the recorder."""
    linked, other = (test.run([test.program(name), "all"]) for name in ("linked-basic", "basic"))
    expect_equal([linked.status, linked.stdout, linked.stderr], [other.status, other.stdout, other.stderr], "the program")
