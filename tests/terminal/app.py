# SPDX-License-Identifier: Apache-2.0
"""Programs for the tests: app.py VERB [ARGUMENT...]. Each says READY when it can be typed at."""

import fcntl
import getpass
import hashlib
import os
import signal
import struct
import sys
import termios
import time
import tty


def say(text):
    os.write(1, f"{text}\r\n".encode())


def size_of(fd):
    return struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))[:2]


def do_raw(count):
    """Reads so many bytes as they come, and tells them."""
    tty.setraw(0)
    say("READY")
    data = b""
    while len(data) < int(count):
        data += os.read(0, 65536)
    if len(data) < 4096:
        say(f"GOT {data.hex()}.")
    say(f"SUM {len(data)} {hashlib.sha256(data).hexdigest()}.")


def do_until_zero():
    """Tells all up to the first byte 0."""
    tty.setraw(0)
    say("READY")
    data = b""
    while b"\0" not in data:
        data += os.read(0, 65536)
    say(f"GOT {data.hex()}.")


def do_lines():
    """Tells every line; ends at end of file."""
    say("READY")
    for line in sys.stdin:
        say(f"LINE {line.encode().hex()}.")
    say("END OF FILE")


def do_write(count):
    """Writes so many bytes, lines of ever other lengths."""
    line, left = 0, int(count)
    while left > 0:
        text = (b"%d:" % line).ljust(line % 199 + 12, b"abcdefgh"[line % 8:line % 8 + 1])[:left]
        line += 1
        left -= len(text)
        while text:
            text = text[os.write(1, text):]


def do_size():
    """Tells its size, and each other one that a signal announces."""
    signal.signal(signal.SIGWINCH, lambda *_: say("SIZE %d %d." % size_of(0)))
    say("SIZE %d %d." % size_of(0))
    say("READY")
    while True:
        signal.pause()


def do_wait():
    """Until a signal comes that ends it."""
    say("READY")
    while True:
        signal.pause()


def do_report(*numbers):
    """Tells which of these signals come. Ends at SIGTERM."""
    for number in map(int, numbers):
        signal.signal(number, lambda number, _: os.write(2, b"SIGNAL %d.\r\n" % number))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
    say("READY")
    while True:
        signal.pause()


def do_note(path, *numbers):
    """Writes which of these signals come to a file, where there is no terminal any more."""
    def note(number, _):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{number}\n")
    for number in map(int, numbers):
        signal.signal(number, note)
    say("READY")
    while not os.path.exists(path):
        time.sleep(0.01)
    try:
        os.write(1, b"anybody?")
        result = "written"
    except OSError as error:
        result = error.strerror
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(result)
    os.rename(path + ".new", path + ".end")


def do_ttys(path):
    """Which descriptors are terminals, written to a file, and something to each."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(" ".join(str(int(os.isatty(fd))) for fd in range(3)))
        file.write(" %d %d" % (os.getsid(0) != os.getpid(), os.tcgetpgrp(os.open("/dev/tty", 0))
                               == os.getpgrp() == os.getpid()))
    os.write(1, b"to one\n")
    os.write(2, b"to two\n")


def do_password():
    say("PASSWORD %s." % getpass.getpass("Password: "))
    say("LINE %s." % input())


def do_curses():
    import curses  # pylint: disable=import-outside-toplevel
    def main(window):
        window.addstr(3, 5, "SCREEN %d %d" % window.getmaxyx())
        window.refresh()
        window.keypad(True)
        keys = []
        while not keys or keys[-1] != ord("q"):
            keys.append(window.getch())
        return keys
    keys = curses.wrapper(main)
    say("KEYS %s." % " ".join(map(str, keys)))


def do_stop():
    """Counts its stops: handles SIGTSTP as an editor does."""
    count = 0
    def stop(*_):
        nonlocal count
        count += 1
        say(f"STOPPING {count}.")
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, stop)
        say(f"GOING ON {count}.")
    signal.signal(signal.SIGTSTP, stop)
    say("READY")
    while True:
        signal.pause()


def do_ticks(count):
    """Tells that it is alive, so many times."""
    for i in range(int(count)):
        say(f"TICK {i}.")
        time.sleep(0.1)


def do_silent(seconds):
    """Closes its terminal and lives on."""
    say("READY")
    for fd in range(3):
        os.close(fd)
    time.sleep(float(seconds))


def do_deaf():
    """Never reads."""
    tty.setraw(0)
    say("READY")
    while True:
        signal.pause()


def do_leave(path):
    """Ends, and leaves somebody behind who writes later, when the file is there."""
    if os.fork() == 0:
        while not os.path.exists(path):
            time.sleep(0.01)
        say("FROM BEHIND")
        os._exit(0)
    say("LEAVING")


if __name__ == "__main__":
    globals()["do_" + sys.argv[1]](*sys.argv[2:])
