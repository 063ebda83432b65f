# SPDX-License-Identifier: Apache-2.0
"""A terminal that a test types into and reads from. Only the standard library is used."""

import fcntl
import os
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 240  # for what should come soon, on a machine that may be busy


class Failure(Exception):
    """The test found what it looks for."""


class Skip(Exception):
    """The test cannot run here; says why."""


def fail_if(condition, message):
    if condition:
        raise Failure(message)


def expect_equal(got, expected, what):
    fail_if(got != expected, f"{what}: {shorten(got)}, expected {shorten(expected)}")


def shorten(value):
    text = repr(value)
    return text if len(text) < 600 else f"{text[:300]}...{text[-280:]}"


def wait_until(condition, what):
    end = time.monotonic() + LIMIT_S
    while not condition():
        fail_if(time.monotonic() > end, f"never: {what}")
        time.sleep(0.01)


def app(*words):
    """The command line of one of the programs of app.py."""
    return [sys.executable, os.path.join(HERE, "app.py"), *map(str, words)]


class Screen:
    """Runs a command in a session of its own on a new terminal."""

    def __init__(self, command, size=(24, 80), redirect=(), term="xterm-256color", cooked=True):
        self.master, self.slave = os.openpty()
        self.output = bytearray()
        self.seen = 0
        self.status = None
        if cooked:
            self.resize(*size)
        self.attributes = termios.tcgetattr(self.slave)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.become(command, redirect, term)
            finally:
                os._exit(99)

    def become(self, command, redirect, term):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(self.slave, fd)
        for fd, path in dict(redirect).items():
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.dup2(file, fd)
            os.close(file)
        os.close(self.master)
        os.close(self.slave)
        os.environ["TERM"] = term
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP,
                       signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)

    # ---- What it shows ----

    def read(self, timeout):
        """Takes what there is. Returns False when nothing came in time."""
        if not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            self.output += os.read(self.master, 1 << 16)
        except OSError:
            return False
        return True

    def expect(self, pattern, what=None):
        """Waits for output that matches behind what was expected before; returns the match."""
        end = time.monotonic() + LIMIT_S
        while True:
            match = re.compile(pattern, re.S).search(self.output, self.seen)
            if match:
                self.seen = match.end()
                return match
            fail_if(time.monotonic() > end,
                    f"never shown: {what or pattern!r}; shown: {shorten(self.output[self.seen:])}")
            self.read(0.1)

    def settle(self, quiet_s=0.3):
        while self.read(quiet_s):
            pass

    # ---- What is done to it ----

    def type(self, data):
        while data:
            select.select([self.master], [self.master], [], LIMIT_S)
            while self.read(0):
                pass
            try:
                data = data[os.write(self.master, data[:512]):]
            except OSError as error:
                raise Failure(f"cannot type: {error}") from error

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO)

    def hang_up(self):
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = None

    # ---- Its end ----

    def wait(self):
        """The status of the command, 128 + signal where one ended it."""
        end = time.monotonic() + LIMIT_S
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self.status = code if code >= 0 else 128 - code
            elif time.monotonic() > end:
                raise Failure(f"it does not end; shown: {shorten(self.output[self.seen:])}")
            elif self.master is None or not self.read(0.02):
                time.sleep(0.01)
        while self.master is not None and self.read(0):
            pass
        return self.status

    def expect_restored(self, what="after the end"):
        wait_until(lambda: termios.tcgetattr(self.slave) == self.attributes,
                   f"the terminal as it was, {what}: {termios.tcgetattr(self.slave)}, "
                   f"was {self.attributes}")

    def close(self):
        if self.status is None:
            for pid in find_descendants(self.pid):
                kill(pid)
            kill(self.pid)
            os.waitpid(self.pid, 0)
        for fd in (self.master, self.slave):
            if fd is not None:
                os.close(fd)


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


# ---- Processes ----


def read_stat(pid):
    """The fields of /proc/PID/stat from the state on; None: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    name = text[text.index("(") + 1:text.rindex(")")]
    return [name] + text[text.rindex(")") + 2:].split()


def find_descendants(root):
    parents = {}
    for entry in os.listdir("/proc"):
        stat = read_stat(entry) if entry.isdigit() else None
        if stat and stat[1] != "Z":
            parents[int(entry)] = int(stat[2])
    found = []
    for pid in parents:
        at = pid
        while at in parents and at != root:
            at = parents[at]
        if at == root and pid != root:
            found.append(pid)
    return found


def children_of(parent):
    stats = {pid: read_stat(pid) for pid in find_descendants(parent)}
    return [pid for pid, stat in stats.items() if stat and int(stat[2]) == parent]


def state_of(pid):
    stat = read_stat(pid)
    return stat[1] if stat else None


def name_of(pid):
    stat = read_stat(pid)
    return stat[0] if stat else ""


def cpu_seconds(pid):
    stat = read_stat(pid)
    return (int(stat[12]) + int(stat[13])) / os.sysconf("SC_CLK_TCK")


def type_key(screen, key, number):
    """The press that makes it so many."""
    screen.type(key)
    screen.expect(rb"key %d\r\n" % number)
    time.sleep(0.12)  # closer presses are those of a key held down


class Test:
    """What a case gets."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.folder = tempfile.mkdtemp(prefix="rf-terminal-")
        self.screens = []

    def driver(self):
        return [os.path.join(self.build, "tests", "terminal", "driver")]

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, options=(), shell=(), **how):
        """Runs a command under the driver."""
        screen = Screen([*shell, *self.driver(), *options, *command], **how)
        self.screens.append(screen)
        return screen

    def start(self, command, **how):
        screen = Screen(command, **how)
        self.screens.append(screen)
        return screen

    def close(self):
        for screen in self.screens:
            screen.close()
        shutil.rmtree(self.folder, ignore_errors=True)
