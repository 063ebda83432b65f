# SPDX-License-Identifier: Apache-2.0
"""The stand-in of libcupti itself: it notices whoever breaks a rule, and it fills its buffers."""

import os

from double import Run, expect_equal, fail_if

BREAKS = {
    "order": "before there are buffer callbacks",
    "attribute-size": "has 8 bytes, not 4",
    "misaligned": "is not aligned",
    "small": "too small",
    "max-records": "the number of records was not set",
    "call-in-request": "inside the callback that is asked for a buffer",
    "flush-in-complete": "inside the callback that gets a buffer",
    "serialising": "kind 3",
    "late-attribute": "attribute 0 is set after a kind was enabled",
    "late-graphs": "kind 51 is enabled late",
    "late-thread-ids": "thread ids is set after",
    "twice": "a second time",
    "fork": "in a forked child",
    "forced": "the process does not end",
    "subscriber": "subscriber that is none",
    "late-timestamps": "timestamp callback is registered after",
    "finalize": "cuptiFinalize",
}


def run_client(test, breaks, steps="launch=10 sync"):
    run = Run(test)
    env = {**test.cuda_environment(run), "CLIENT_BREAKS": breaks,
           "CUDA_INJECTION64_PATH": os.path.join(test.double, "client.so"),
           "CLIENT_RAW": run.path("raw")}
    run.outcome = test.run([test.app, *steps.split()], env=env)
    expect_equal([run.outcome.status, run.says], [0, ""], "the client")
    return run


def case_rules(test):
    """A client that keeps the rules is not blamed, one that breaks one is, for that."""
    run = run_client(test, "none")
    expect_equal(run.violations(), [], "violations")
    fail_if(os.path.getsize(run.path("raw")) < 10 * 200, "no records came")
    for breaks, words in BREAKS.items():
        found = run_client(test, breaks).violations()
        fail_if(not any(words in line for line in found), f"{breaks} went unnoticed: {found}")
