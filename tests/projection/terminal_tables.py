#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""terminal_tables.py RANGEFINDER: tables on a terminal: rows fit it, columns stand below each other
whatever the characters, and work that takes long says what it is. In a pipe nothing is cut."""
import fcntl
import os
import pathlib
import pty
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

NAMES = ["日本語の名前", "🎉 party", "e\u0301te\u0301", "plain", "한국어 step", "long " * 60, "\u202eevil\u202c",
         "\x1b[31mred", "wide 漢字" * 30]


def width(text):
    return sum(0 if unicodedata.category(c) in ("Mn", "Me") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def make(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, 281474976776193, 0)",
                       [(10 * i, 10 * i + 10 - i, name) for i, name in enumerate(NAMES)])


def on_terminal(columns, *command, until=None, then=None, env=None):
    """What a terminal of so many columns is sent. Calls then() when the text `until` was."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=there, stdout=there, stderr=there, env=env)
    os.close(there)
    seen = b""
    while True:
        try:
            data = os.read(here, 65536)
        except OSError:  # the other side is closed
            data = b""
        if not data:
            break
        seen += data
        if until is not None and until in seen:
            then()
            until = None
    os.close(here)
    assert process.wait() == 0, (command, seen)
    assert until is None, (until, seen)
    return seen.decode().replace("\r\n", "\n")


def table_lines(text):
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(" Time (%)"))
    return lines[first:first + 2 + len(NAMES)]


def check_columns(text, is_cut):
    lines = table_lines(text)
    starts = {width(line[:line.index("PushPop")]) for line in lines[2:]}
    assert len(starts) == 1, lines
    assert ("…" in text) == is_cut, text
    for name in NAMES:
        assert (name in text) == (len(name) < 20 and name[0] not in "\x1b\u202e"
                                  or not is_cut and name[0] not in "\x1b\u202e"), name
    assert "\\x1b[31mred" in text and "\\u202eevil\\u202c" in text and "\x1b[31m" not in text


def check_by_process(rangefinder, path):
    """A column of text in the middle is padded by what is seen."""
    text = on_terminal(175, rangefinder, "stats", "-q", "-r", "nvtx_pushpop_trace", path)
    lines = [line for line in text.split("\n") if ":" in line and line.rstrip()[-1:] != "-"]
    assert all(width(line.rstrip()) <= 175 for line in lines), lines


def check_bars(rangefinder, path):
    """A share has a bar beside it, on a terminal alone, and what stands behind it is in line."""
    command = [rangefinder, "stats", "-q", "-r", "nvtx_tree", path]
    lines = on_terminal(300, *command, env={**os.environ, "LC_ALL": "C.UTF-8"}).split("\n")
    lines = lines[next(i for i, line in enumerate(lines) if "Time (%)" in line) + 2:][:len(NAMES)]
    for line in lines:
        share, bar = line.split()[0], line[line.index(line.split()[0]) + len(line.split()[0]) + 1:][:10].rstrip()
        eighths = sum(8 if c == "█" else 0x2590 - ord(c) for c in bar)
        assert abs(eighths - float(share) / 100 * 80) <= 1, (share, bar)
    assert len({width(line[:line.index("None")]) for line in lines}) == 1, lines
    ascii = on_terminal(300, *command, env={**os.environ, "LC_ALL": "C"})
    assert "█" not in ascii and "#" in ascii
    piped = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    assert "█" not in piped and "▏" not in piped


def check_rows(rangefinder, folder):
    """A terminal has 30 rows, and is told of the others; a pipe has all."""
    path = str(folder / "rows.sqlite")
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, 281474976776193, 0)",
                       [(1000 * i, 1000 * i + 500 - i, "range " + "x" * i) for i in range(40)])
    command = [rangefinder, "stats", "-q", path]
    for more, wanted in (([], 30), (["--rows=7"], 7), (["--rows=all"], 40), (["--rows=40"], 40)):
        text = on_terminal(120, *command, *more)
        assert text.count(":range") == wanted, (more, text)
        left = f"and {40 - wanted} more rows; --rows=all shows all"
        assert (left in text) == (wanted < 40) and text.count("more rows") == (wanted < 40), text
    assert on_terminal(120, *command, "-f", "csv").count(":range") == 40
    piped = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    assert piped.count(":range") == 40 and "more rows" not in piped
    for wrong in ("0", "", "-1", "ten", "1" * 19):
        assert subprocess.run([*command, "--rows=" + wrong], stderr=subprocess.PIPE,
                              check=False).returncode == 2, wrong


def check_next(rangefinder, folder):
    """A person is told what to ask next, of the range whose instances differ the most."""
    slow, even, nothing = (str(folder / f"{name} x.sqlite") for name in ("slow", "even", "nothing"))
    ranges = {slow: [(i * 1000, i * 1000 + (900 if i % 5 == 0 else 100), name)
                     for i in range(20) for name in ("it's", "even")[:1 + i % 5]],
              even: [(i * 1000, i * 1000 + 100, "even") for i in range(20)], nothing: []}
    for path, rows in ranges.items():
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
            db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, 281474976776193, 0)", rows)
    wanted = {("stats", slow): f"why 'it'\\''s' '{slow}'", ("stats", even): f"advise '{even}'",
              ("stats", nothing): f"info '{nothing}'", ("info", even): f"stats '{even}'"}
    for (verb, path), command in wanted.items():
        text = on_terminal(120, rangefinder, verb, path)
        assert text.endswith(f"rangefinder: next: rangefinder {command}\n"), text
        done = subprocess.run([rangefinder, verb, path], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert b"next:" not in done.stdout, done
        assert done.stderr.decode().endswith(f"rangefinder: next: rangefinder {command}\n"), done
    for command, of_several in (
            (("stats", "-r", "steps", slow), f"why 'it'\\''s' '{slow}'"),
            (("stats", slow, even), f"advise '{slow}' '{even}'"),
            (("info", slow, even), f"stats '{slow}' '{even}'"),
            (("stats", "--rank-from=order", slow, even), f"stats -r stragglers '{slow}' '{even}'"),
            (("stats", "--rank-from=order", "-r", "rank_summary", slow, even), f"stats -r stragglers '{slow}' '{even}'"),
            (("stats", "--rank-from=order", "--allow-empty", "-r", "stragglers", slow, even), f"advise '{slow}' '{even}'")):
        text = on_terminal(120, rangefinder, *command)
        assert text.endswith(f"rangefinder: next: rangefinder {of_several}\n"), text
    assert "next:" not in on_terminal(120, rangefinder, "stats", "-q", slow)
    assert "next:" not in on_terminal(120, rangefinder, "stats", "-r", "nvtx_sum", slow)


def check_waiting(rangefinder, folder):
    """nsys, which reads the report, takes until the terminal says that it is read."""
    report, tools = folder / "slow.nsys-rep", folder / "tools"
    report.write_text("what only nsys can read")
    tools.mkdir()
    go = folder / "go"
    os.mkfifo(go)
    (tools / "nsys").write_text(f'#!/bin/sh\nread line <"{go}"\nexec {shutil.which("cp")} '
                                f'"{folder / "a.sqlite"}" "$5"\n')
    (tools / "nsys").chmod(0o755)
    env = {"PATH": str(tools), "TMPDIR": str(folder)}
    for verb in ("info", "stats"):
        text = on_terminal(100, rangefinder, verb, str(report), env=env,
                           until=b"reading '", then=lambda: go.write_text("on\n"))
        assert "\r\x1b[K" in text and "self_time" in text or verb == "info", text
    quiet = subprocess.Popen([rangefinder, "stats", "-q", str(report)], env=env,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    go.write_text("on\n")
    out, err = quiet.communicate()
    assert quiet.returncode == 0 and err == b"" and b"reading" not in out, (out, err)


def main():
    rangefinder = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = str(folder / "a.sqlite")
        make(path)
        piped = subprocess.run([rangefinder, "stats", "-q", "-r", "nvtx_sum", path], check=True,
                               stdout=subprocess.PIPE).stdout.decode()
        check_columns(piped, False)
        narrow = on_terminal(140, rangefinder, "stats", "-q", "-r", "nvtx_sum", path)
        check_columns(narrow, True)
        assert all(width(line) <= 140 for line in table_lines(narrow)), narrow
        check_columns(on_terminal(60, rangefinder, "stats", "-q", "-r", "nvtx_sum", path), True)  # it cannot be so narrow
        check_by_process(rangefinder, path)
        check_bars(rangefinder, path)
        check_rows(rangefinder, folder)
        check_next(rangefinder, folder)
        check_waiting(rangefinder, folder)


if __name__ == "__main__":
    main()
