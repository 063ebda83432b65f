# SPDX-License-Identifier: Apache-2.0
"""rangefinder top at a terminal: keys, its size, and that the terminal comes back whatever ends it."""

import contextlib
import os
import signal
import subprocess

from screen import expect_equal, fail_if, wait_until

ENTER, LEAVE = rb"\x1b\[\?1049h", rb"\x1b\[\?1049l"


@contextlib.contextmanager
def run_session(test, *app):
    """A session that is called fly, whose program says that it is ready, and ends afterwards."""
    rangefinder = os.path.join(test.build, "bin", "rangefinder")
    act = os.path.join(test.build, "tests", "cli", "apps", "act")
    os.environ["RANGEFINDER_RUNTIME_DIR"] = test.path("runtime")
    process = subprocess.Popen([rangefinder, "profile", "-q", "-o", test.path("out"), "--session-new=fly", act, *app,
                                "touch:" + test.path("ready"), "await:" + test.path("go")])
    try:
        wait_until(lambda: os.path.exists(test.path("ready")), "the session")
        yield process
    finally:
        let_go(test)
        process.wait()
    expect_equal(process.returncode, 0, "status of the session")


def let_go(test):
    with open(test.path("go"), "w", encoding="utf-8"):
        pass


def top(test, *options, **how):
    return test.start([os.path.join(test.build, "bin", "rangefinder"), "top", "-i", "100ms", *options, "fly"], **how)


def lines_of(screen):
    """The page drawn last, whole."""
    end = screen.output.rfind(b"\x1b[J")
    begin = screen.output.rfind(b"\x1b[H", 0, end)
    return [line.replace(b"\x1b[K", b"").strip(b"\r").decode() for line in bytes(screen.output[begin + 3:end]).split(b"\n")]


def case_live_shows_and_quits(test):
    """What is open, with thread and name; q gives the terminal back as it was."""
    with run_session(test, "push:a b\x1b[31m\u65e5\u672c", "mark:one"):
        screen = top(test)
        screen.expect(ENTER)
        screen.expect(rb"rangefinder top: fly")
        screen.expect(rb"OPEN FOR.*a b\\x1b\[31m\xe6\x97\xa5\xe6\x9c\xac")
        screen.expect(rb"\x1b\[J")
        for line in lines_of(screen):
            fail_if(len(line.replace("\x1b[7m", "").replace("\x1b[m", "")) > 80, f"a line is too long: {line!r}")
        fail_if(len(lines_of(screen)) > 24, f"{len(lines_of(screen))} lines")
        screen.type(b"q")
        screen.expect(LEAVE)
        expect_equal(screen.wait(), 0, "status")
        screen.expect_restored()


def case_live_keys(test):
    """Keys sort, pause and change the interval."""
    with run_session(test, "push:outer", "ranges:5"):
        screen = top(test)
        screen.expect(rb"by self")
        for key, word in (b"t", rb"by total"), (b"c", rb"by count"), (b"a", rb"by mean"), (b"9", rb"by p99"), (b"m", rb"by max"):
            screen.type(key)
            screen.expect(word)
        screen.type(b" ")
        screen.expect(rb"\[paused\]")
        screen.type(b"s")
        screen.expect(rb"\[paused\].*by self")
        screen.type(b" ")
        screen.expect(rb"interval 0.1 s\x1b")
        screen.type(b"++++")
        screen.expect(rb"interval 1\.[0-9] s\x1b")
        screen.type(b"\x03")
        screen.expect(LEAVE)
        expect_equal(screen.wait(), 128 + signal.SIGINT, "status")
        screen.expect_restored()


def case_live_another_size(test):
    """It fits the terminal, whatever that becomes."""
    with run_session(test, *(word for i in range(40) for word in (f"push:range {i}",))):
        screen = top(test)
        screen.expect(rb"\x1b\[J")
        for rows, columns in ((60, 200), (18, 40), (5, 10), (24, 80)):
            screen.resize(rows, columns)
            os.kill(screen.pid, signal.SIGWINCH)
            screen.expect(rb"\x1b\[J.*\x1b\[J")  # one may have been under way
            pages = lines_of(screen)
            fail_if(len(pages) > rows, f"{len(pages)} lines on {rows}")
            for line in pages:
                text = line.replace("\x1b[7m", "").replace("\x1b[m", "")
                fail_if(len(text) > columns, f"{len(text)} columns on {columns}: {text!r}")
        screen.type(b"q")
        expect_equal(screen.wait(), 0, "status")
        screen.expect_restored()


def case_live_ended_by_signals(test):
    with run_session(test, "push:outer"):
        for number in (signal.SIGTERM, signal.SIGHUP):
            screen = top(test)
            screen.expect(rb"OPEN FOR")
            os.kill(screen.pid, number)
            screen.expect(LEAVE)
            expect_equal(screen.wait(), 128 + number, "status")
            screen.expect_restored()


def case_live_stopped(test):
    """Ctrl-Z gives the terminal back meanwhile; fg draws again."""
    with run_session(test, "push:outer"):
        shell = f"set -m; '{test.build}/bin/rangefinder' top -i 100ms fly; read go; fg >/dev/null; echo status $?"
        screen = test.start(["bash", "-c", shell])
        screen.expect(rb"OPEN FOR")
        child = int(subprocess.run(["pgrep", "-P", str(screen.pid)], capture_output=True, text=True, check=True).stdout)
        screen.type(b"\x1a")
        screen.expect(LEAVE)
        wait_until(lambda: open(f"/proc/{child}/stat", encoding="utf-8").read().split()[2] == "T", "that it is stopped")
        fail_if(screen.is_raw(), "the terminal was not given back")
        screen.type(b"\r")
        screen.expect(ENTER)
        screen.expect(rb"OPEN FOR")
        screen.type(b"q")
        screen.expect(rb"status 0")
        screen.expect_restored()


def case_live_ends_with_the_session(test):
    with run_session(test, "push:outer"):
        screen = top(test)
        screen.expect(rb"OPEN FOR")
        let_go(test)
        screen.expect(LEAVE + rb"rangefinder: the session has ended")
        expect_equal(screen.wait(), 0, "status")
        screen.expect_restored()


def case_live_whose_terminal_goes(test):
    """It does not stay behind."""
    with run_session(test, "push:outer"):
        screen = top(test)
        screen.expect(rb"OPEN FOR")
        screen.hang_up()
        expect_equal(screen.wait(), 128 + signal.SIGHUP, "status")
