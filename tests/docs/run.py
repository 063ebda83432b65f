#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of a guide, as it stands there, and checks what the guide says of its result.

A block that begins with ```sh is run by sh in a folder of its own that all blocks share; a word
behind `sh` says what the block needs: `python` a torch package (the tests' stand-in), `key` a
terminal at which F12 is pressed twice, `hand` nothing else. Behind a block

    <!-- holds FILE.rf: steps 10 11 12 -->

says that there is such a recording and, if so, which ranges "step N" are in it.
"""

import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

TIMEOUT_S = 60


def blocks_of(path):
    """Yields (words behind sh, commands, [expectations])."""
    words, lines, found = None, [], []
    for line in open(path, encoding="utf-8"):
        fence = re.match(r"```(\w*) ?(.*)", line)
        holds = re.match(r"<!-- holds ([^:]+?)(?:: steps (.*?))? -->", line)
        if words is None and fence and fence[1] == "sh":
            words, lines = fence[2].split(), []
        elif words is not None and fence:
            found.append((words, "".join(lines), []))
            words = None
        elif words is not None:
            lines.append(line)
        elif fence and fence[1]:
            words, lines = None, []
        if holds:
            steps = None if holds[2] is None else [int(n) for n in holds[2].split()]
            found[-1][2].append((holds[1].split(), steps))
    return found


def run_plain(command, folder, environment):
    done = subprocess.run(
        ["sh", "-euc", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
    )
    return done.returncode, done.stdout.decode(errors="replace")


def run_with_key(command, folder, environment):
    """Runs it at a terminal; presses F12 when it has begun, and again."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("sh", ["sh", "-euc", command], environment)
    output, pressed, deadline = b"", 0, time.monotonic() + TIMEOUT_S
    due = time.monotonic() + 0.05
    while time.monotonic() < deadline:
        if pressed < 2 and time.monotonic() >= due:
            os.write(terminal, b"\x1b[24~")
            pressed, due = pressed + 1, time.monotonic() + 0.05
        if select.select([terminal], [], [], 0.01)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            output += piece
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), output.decode(errors="replace")


def steps_of(path, environment):
    text = subprocess.run(
        ["rangefinder", "export", "-q", "-t", "jsonl", "-o", "-", path],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.decode()
    names = re.findall(r'"step (\d+)"', text)
    return sorted({int(n) for n in names})


def check(folder, files, steps, environment):
    for name in files:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            return f"'{name}' was not made"
        info = json.loads(
            subprocess.check_output(["rangefinder", "info", "--json", path], env=environment)
        )
        if info["n_ranges"] == 0:
            return f"'{name}' has no range"
        if steps is not None and steps_of(path, environment) != steps:
            return f"'{name}' holds the steps {steps_of(path, environment)}, not {steps}"
    return None


def main():
    guide, build, source = sys.argv[1:4]
    environment = dict(os.environ)
    environment["PATH"] = os.path.join(build, "bin") + ":" + environment["PATH"]
    environment["XDG_RUNTIME_DIR"] = tempfile.mkdtemp()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(
            os.path.join(source, "examples/python/pytorch_loop.py"),
            os.path.join(folder, "pytorch_loop.py"),
        )
        for words, command, expectations in blocks_of(guide):
            own = dict(environment)
            if "python" in words:
                own["PYTHONPATH"] = os.path.join(source, "tests/pytorch/standin")
                own["STANDIN_SHIM"] = os.path.join(build, "lib/libnvtx-shim.so")
            run = run_with_key if "key" in words else run_plain
            status, output = run(command, folder, own)
            problem = None if status == 0 else f"exit status {status}"
            for files, steps in expectations:
                problem = problem or check(folder, files, steps, environment)
            print(("ok: " if problem is None else "FAILED: ") + command.strip().split("\n")[0])
            if problem is not None:
                print(f"  {problem}\n  {command}\n{output}")
                failed += 1
    os.rmdir(environment["XDG_RUNTIME_DIR"]) if not os.listdir(
        environment["XDG_RUNTIME_DIR"]
    ) else None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
