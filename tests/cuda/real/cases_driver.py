# SPDX-License-Identifier: Apache-2.0
"""What the real driver does with CUDA_INJECTION64_PATH, inside cuInit(), before it looks for a
device; and that the stand-in for it does the same."""

import os

from real import Skip, expect_equal, fail_if

NO_DEVICE = "cuInit 100"


def results(lines):
    """Without errno, which is the driver's own business."""
    return [line.split(" errno")[0] for line in lines]


def expect(spied, printed, notes, status=0):
    expect_equal(results(spied[1]), printed, "what the program found")
    expect_equal(spied[2], notes, "what was done to the injected library")
    expect_equal(spied[0], status, "exit status")


def case_injection(test):
    """Loaded and called at cuInit, not before, once, in local scope, though there is no device."""
    driver = test.driver()
    expect(test.spied("version", driver), ["version 0 " + version(test, driver)], [])
    expect(test.spied("init init", driver), [NO_DEVICE] * 2,
           ["0 loaded", "0 called, local", "0 unloaded"])


def version(test, driver):
    return test.run([test.app, "version"], env=driver).stdout.decode().split()[-1]


def case_refusal(test):
    """A library that returns 0 is unloaded and loaded anew at the next cuInit; one that returns
    anything else stays."""
    driver = test.driver()
    once = ["0 loaded", "0 called, local", "0 unloaded"]
    expect(test.spied("init init", {**driver, "SPY_RETURNS": "0"}), [NO_DEVICE] * 2, once * 2)
    expect(test.spied("init init", {**driver, "SPY_RETURNS": "-1"}), [NO_DEVICE] * 2, once)


def case_not_a_library(test):
    """Whatever is wrong with the path is passed over in silence; "none" is the usual word for
    off."""
    driver = test.driver()
    for path in ("none", "", test.path("missing.so"), f"{test.spy}:{test.blind}"):
        expect(test.spied("init", {**driver, "CUDA_INJECTION64_PATH": path}), [NO_DEVICE], [])
    spied = test.spied("init", driver, name="blind")
    expect_equal(results(spied[1]), [NO_DEVICE], "what the program found")
    fail_if("0 loaded" not in spied[2], f"the driver did not load it: {spied[2]}")


def case_forks(test):
    """A child's cuInit calls again what its parent's called: in the same image."""
    driver = test.driver()
    expect(test.spied("init fork init", driver), [NO_DEVICE] * 2 + ["child exited 0"],
           ["0 loaded", "0 called, local", "1 called, local", "1 unloaded", "0 unloaded"])
    expect(test.spied("fork init", driver), [NO_DEVICE, "child exited 0"],
           ["0 loaded", "0 called, local", "0 unloaded"])


def case_exec(test):
    """All anew."""
    driver = test.driver()
    expect(test.spied("init exec init", driver), [NO_DEVICE] * 2,
           ["0 loaded", "0 called, local"] * 2 + ["0 unloaded"])


def case_preloaded(test):
    """The same file, preloaded: one mapping, one constructor; preloading alone calls nothing."""
    driver = {**test.driver(), "LD_PRELOAD": test.spy}
    expect(test.spied("init", driver), [NO_DEVICE], ["0 loaded", "0 called, global", "0 unloaded"])
    expect(test.spied("init", {**driver, "CUDA_INJECTION64_PATH": None}), [NO_DEVICE],
           ["0 loaded", "0 unloaded"])


SCENARIOS = (
    ("init init", {}), ("init init", {"SPY_RETURNS": "0"}), ("init", {"SPY_RETURNS": "-1"}),
    ("init", {"CUDA_INJECTION64_PATH": "none"}), ("init", {"CUDA_INJECTION64_PATH": ""}),
    ("init", {"CUDA_INJECTION64_PATH": "SPY:SPY"}), ("init", {"CUDA_INJECTION64_PATH": "SPY,SPY"}),
    ("init", {"CUDA_INJECTION64_PATH": "spy.so"}),
    ("init", {"CUDA_INJECTION64_PATH": "LONG1023"}), ("init", {"CUDA_INJECTION64_PATH": "LONG1024"}),
    ("init", {"CUDA_INJECTION64_PATH": "BLIND"}), ("init init", {"CUDA_INJECTION64_PATH": "BLIND"}),
    ("thread init", {}), ("init fork init", {}), ("fork init", {}), ("init fork init init", {}),
    ("init exec init", {}), ("fork init exec init", {}), ("version init", {}),
    ("init", {"LD_PRELOAD": "SPY"}), ("init fork init", {"SPY_RETURNS": "0"}),
)


def case_stand_in(test):
    """The stand-in for libcuda does with an injected library what the real one does."""
    driver = test.driver()
    if not os.path.exists(os.path.join(test.stand_in, "libcuda.so.1")):
        raise Skip("the stand-in was not built")
    words = {"SPY": test.spy, "BLIND": test.blind, "SPY:SPY": f"{test.spy}:{test.spy}",
             "SPY,SPY": f"{test.spy},{test.spy}",
             "LONG1023": long_path(test.spy, 1023), "LONG1024": long_path(test.spy, 1024)}
    real = {"LD_LIBRARY_PATH": join(driver["LD_LIBRARY_PATH"], test.real)}
    ours = {"LD_LIBRARY_PATH": join(test.stand_in, test.real), "RF_DOUBLE_DEVICES": "0",
            "RF_DOUBLE_DRIVER": version(test, driver)}
    for steps, settings in SCENARIOS:
        env = {k: words.get(v, v) for k, v in settings.items()}
        expected = test.spied(steps, {**real, **env})
        got = test.spied(steps, {**ours, **env})
        same = (expected[0], results(expected[1]), expected[2])
        expect_equal((got[0], results(got[1]), got[2]), same, f"{steps} {settings}")


def join(*folders):
    return ":".join(f for f in folders if f)


def long_path(path, size):
    """The same file, by a path of this many characters."""
    folder, name = os.path.split(path)
    middle = size - len(folder) - len(name) - 1
    return folder + "/" + "./" * (middle // 2) + "/" * (middle % 2) + name
