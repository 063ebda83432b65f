# SPDX-License-Identifier: Apache-2.0
"""rangefinder profile -c hotkey, on programs that annotate."""

import json
import os
import signal
import subprocess
import sys
import time

from screen import HERE, expect_equal, fail_if, find_descendants, name_of, wait_until

F12, CTRL_F11 = b"\x1b[24~", b"\x1b[23;5~"


def paths(test):
    return (os.path.join(test.build, "bin", "rangefinder"),
            os.path.join(test.build, "tests", "cli", "apps", "act"))


def profile(test, *options, app, shell=(), **how):
    rangefinder, act = paths(test)
    os.environ["RANGEFINDER_RUNTIME_DIR"] = test.path("runtime")
    return test.start([*shell, rangefinder, "profile", "-c", "hotkey", "-o", test.path("out"),
                       *options, act, *app], **how)


def ticks(test):
    """A program that marks again and again, and makes a file after each mark."""
    return ["mark:tick", "sleep:10", "touch:" + test.path("tick"), "repeat:100000"]


def wait_for_mark(test):
    """The first file may be of an earlier mark."""
    for _ in range(2):
        if os.path.exists(test.path("tick")):
            os.unlink(test.path("tick"))
        wait_until(lambda: os.path.exists(test.path("tick")), "a mark")


def press(screen, key=F12):
    time.sleep(0.12)  # closer presses are those of a key held down
    screen.type(key)


def marks_of(test, name):
    result = subprocess.run([paths(test)[0], "info", "--json", test.path(name)], check=False,
                            capture_output=True, text=True)
    expect_equal(result.returncode, 0, f"status of info ({result.stderr})")
    return json.loads(result.stdout)["n_marks"]


def case_profile_from_key_to_key(test):
    """The recording is there while the program runs on; it holds what lay between the keys."""
    screen = profile(test, app=["print:READY", "await:" + test.path("go"), "mark:before",
                                "touch:" + test.path("was-before"), "await:" + test.path("in"),
                                "mark:one", "mark:two", "touch:" + test.path("was-in"),
                                "await:" + test.path("after"), "mark:after", "exit:6"])
    def let(name):
        with open(test.path(name), "w", encoding="utf-8"):
            pass
    screen.expect(rb"rangefinder: F12 or Ctrl\+F11 begins a capture, and ends it\r\n")
    screen.expect(rb"READY")
    let("go")
    wait_until(lambda: os.path.exists(test.path("was-before")), "the mark before")
    press(screen)
    screen.expect(rb"\nrangefinder: capture 1 started\r\n")
    let("in")
    wait_until(lambda: os.path.exists(test.path("was-in")), "the marks in it")
    press(screen, CTRL_F11)
    screen.expect(rb"rangefinder: capture 1 ended after [0-9.]+ m?s\r\n")
    screen.expect(rb"wrote '[^']*out\.rf'")
    expect_equal(marks_of(test, "out.rf"), 2, "marks, while the program runs")
    let("after")
    expect_equal(screen.wait(), 6, "status")
    fail_if(b"24~" in screen.output, "the key was echoed")
    screen.expect_restored()


def case_profile_chosen_key(test):
    screen = profile(test, "--hotkey-capture=shift+f5", app=ticks(test))
    screen.expect(rb"Shift\+F5 begins a capture")
    wait_until(screen.is_raw, "raw")
    press(screen, F12)
    press(screen, b"\x1b[15;2~")
    screen.expect(rb"capture 1 started")
    wait_for_mark(test)
    press(screen, b"\x03")
    expect_equal(screen.wait(), 130, "status")
    fail_if(marks_of(test, "out.rf") == 0, "the recording is empty")
    screen.expect_restored()


def case_profile_key_never_pressed(test):
    screen = profile(test, app=["mark:tick", "sleep:100"])
    expect_equal(screen.wait(), 3, "status")
    fail_if(os.path.exists(test.path("out.rf")), "an empty recording was written")
    screen.expect_restored()


def case_profile_key_takes_snapshots(test):
    """In a ring each press saves what it holds; the program runs on, and gets all but the key."""
    screen = profile(test, "--ring=1M", "--hotkey-capture=F12", app=ticks(test))
    screen.expect(rb"rangefinder: F12 takes a snapshot\r\n")
    wait_until(screen.is_raw, "raw")
    for number in (1, 2):
        wait_for_mark(test)
        press(screen)
        screen.expect(b"wrote '[^']*out\\.snapshot%d\\.rf': [0-9.]+ [kM]B, the key" % number)
        fail_if(marks_of(test, f"out.snapshot{number}.rf") == 0, "the snapshot is empty")
    press(screen, b"\x03")
    expect_equal(screen.wait(), 130, "status")
    fail_if(marks_of(test, "out.rf") == 0, "the recording is empty")
    fail_if(b"24~" in screen.output, "the key was echoed")
    screen.expect_restored()


def case_profile_without_a_terminal(test):
    rangefinder, act = paths(test)
    result = subprocess.run([rangefinder, "profile", "-c", "hotkey", "-o", test.path("out"), act,
                             "print:ran"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False)
    expect_equal((result.returncode, result.stdout), (2, ""), "status and output")
    fail_if("no terminal" not in result.stderr and "-c nvtx" not in result.stderr, result.stderr)


def case_profile_repeat_by_key(test):
    """Each pair of presses makes a file; each file is whole."""
    screen = profile(test, "--capture-range-end=repeat:3", app=ticks(test))
    wait_until(screen.is_raw, "raw")
    for number in (1, 2, 3):
        press(screen)
        screen.expect(rb"capture %d started" % number)
        wait_for_mark(test)
        press(screen)
        screen.expect(rb"wrote '[^']*out\.%d\.rf'" % number)
        fail_if(marks_of(test, f"out.{number}.rf") == 0, "the recording is empty")
    screen.type(b"\x03")
    expect_equal(screen.wait(), 130, "status")
    screen.expect_restored()


def case_profile_key_ends_program(test):
    """The program is ended with all that it started, and the terminal is given back."""
    for kill in ("sigterm", "sigkill"):
        screen = profile(test, "-f", "true", "--capture-range-end=stop-shutdown", "--kill=" + kill,
                         app=ticks(test))
        wait_until(screen.is_raw, "raw")
        press(screen)
        screen.expect(rb"capture 1 started")
        press(screen)
        screen.expect(rb"wrote '[^']*out\.rf'")
        expect_equal(screen.wait(), 0, f"status with {kill}")
        screen.expect_restored()


def case_profile_stopped_in_a_capture(test):
    """Ctrl-Z and fg while a capture is on."""
    shell = [sys.executable, os.path.join(HERE, "jobshell.py")]
    screen = profile(test, shell=shell, app=ticks(test))
    job = int(screen.expect(rb"\[job (\d+)\]").group(1))
    wait_until(screen.is_raw, "raw")
    press(screen)
    screen.expect(rb"capture 1 started")
    screen.type(b"\x1a")
    screen.expect(rb"\[stopped cooked\]")
    fail_if("act" not in [name_of(pid) for pid in find_descendants(job)], "the program has gone")
    screen.type(b"fg\r")
    screen.expect(rb"\[fg\]")
    wait_until(screen.is_raw, "raw again")
    press(screen)
    screen.expect(rb"wrote '[^']*out\.rf'")
    screen.type(b"\x03")
    screen.expect(rb"\[ended 130\]")
    screen.expect_restored()


def case_profile_killed_with_a_key(test):
    """SIGTERM to rangefinder reaches the program; the capture that is on is saved."""
    screen = profile(test, app=ticks(test))
    wait_until(screen.is_raw, "raw")
    press(screen)
    screen.expect(rb"capture 1 started")
    wait_for_mark(test)
    os.kill(screen.pid, signal.SIGTERM)
    expect_equal(screen.wait(), 143, "status")
    fail_if(marks_of(test, "out.rf") == 0, "the recording is empty")
    screen.expect_restored()
