# SPDX-License-Identifier: Apache-2.0
"""Programs that spoil the session's files: the command line survives, says so and packs the rest."""

import os
import subprocess
import time

from harness import PUSH_POP, SLOW, expect_equal, fail_if, kill_group


def check_sound(test, said):
    """What the program did not touch is there, whole."""
    path = test.path("run.rf")
    fail_if(not os.path.exists(path), f"no recording; the command line said: {said}")
    sound = test.dump(path).named("sound", PUSH_POP)
    expect_equal(len(sound), 5000, "ranges of the sound process")
    expect_equal({e["cut"] for e in sound}, {0}, "cuts of the sound process")


def cut(test, ending):
    go = test.path("go")
    process = test.start(
        [test.rangefinder, "profile", "-o", "run.rf", test.program("vandal"), "cut", ending, go]
    )
    try:
        # it has cut the file short, and everybody has looked at it since
        while process.poll() is None and not os.path.exists(go + ".cut"):
            time.sleep(0.02)
        time.sleep(0.2)
        open(go, "wb").close()
        status = process.wait()
    finally:
        kill_group(process)
    with open(test.path("stderr"), encoding="utf-8", errors="replace") as file:
        said = file.read()
    expect_equal(status, 0, f"exit status, having said {said}")
    check_sound(test, said)
    fail_if("nothing lost" in said, f"said: {said}")
    info = test.command("info", test.path("run.rf")).stdout
    fail_if(b"lost        nothing" in info, f"info says: {info.decode()}")
    return said


def case_vandal_cuts_the_control_page(test):
    said = cut(test, "session")
    fail_if("was cut short" not in said, f"said: {said}")


def case_vandal_cuts_a_pool(test):
    said = cut(test, ".pool")
    fail_if("the end is missing" not in said, f"said: {said}")


def case_vandal_cuts_a_log(test):
    cut(test, ".log")


def case_vandal_cuts_definitions(test):
    cut(test, ".defs")


def scribble(test, seed, *options):
    return subprocess.run(
        [test.rangefinder, "profile", "-f", "true", "-o", "run.rf", *options, test.program("vandal"),
         "scribble", str(seed)],
        env=test.environment(), cwd=test.folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60 * SLOW, check=False,
    )


def case_vandal_scribbles(test):
    """Whatever stands on the shared pages, the program ends and so does the command line."""
    for seed in range(6):
        run = scribble(test, seed)
        said = run.stderr.decode(errors="replace")
        expect_equal(run.returncode, 0, f"exit status with seed {seed}, having said {said}")
        check_sound(test, f"seed {seed}: {said}")


def case_vandal_scribbles_in_a_focused_run(test):
    """Captures are given up, and what was recorded can be recovered."""
    for seed in range(4):
        run = scribble(test, seed, "-y", "0", "-d", "100")
        said = run.stderr.decode(errors="replace")
        expect_equal([run.returncode, "rangefinder recover" in said], [125, True],
                     f"exit status with seed {seed}, having said {said}")
        test.command("recover", "-f", "-o", test.path("run.rf"), test.path("run.rfdir"))
        check_sound(test, f"seed {seed}: {said}")
