# SPDX-License-Identifier: Apache-2.0
"""Each libcupti that is here: what it has, what it answers, and that it is loaded."""

from real import expect_equal, fail_if


def probe(test, what, path, *driver, env=None):
    done = test.run([test.probe, what, *driver], env={**(env or {}), "RANGEFINDER_CUPTI": path})
    text = done.stdout.decode()
    if done.status == 77 and not driver and "needs the driver's library" in text:
        print(f"{what}: {text.strip()}")
        return
    fail_if(done.status != 0, f"{path}: exit status {done.status}: {text}{done.stderr.decode()}")
    expect_equal(done.stderr, b"", f"{path}: what is said")
    print(f"{what}: " + " | ".join(text.splitlines()))


def case_library(test):
    """Functions, version, clock, names, and the sizes of records."""
    for path in test.cuptis():
        probe(test, "library", path)


def case_library_with_driver(test):
    """As before, with the driver mapped: newer ones ask it for all that."""
    driver = test.driver()
    for path in test.cuptis():
        probe(test, "library", path, "libcuda.so.1", env=driver)


def case_errors(test):
    """Without a device every function answers with an error, and nothing crashes."""
    test.need_no_gpu()
    for path in test.cuptis():
        probe(test, "errors", path)


def case_errors_with_driver(test):
    """As before, with the driver mapped."""
    driver = test.driver()
    for path in test.cuptis():
        probe(test, "errors", path, "libcuda.so.1", env=driver)
