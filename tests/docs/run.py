#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of a guide, as it stands there, and checks what the guide says of its result.

A block that begins with ```sh is run by sh in a folder of its own that all blocks share; a word
behind `sh` says what the block needs: `python` a torch package (the tests' stand-in), `key` a
terminal at which F12 is pressed twice, `cuda` programs that use CUDA (made of the tests' stand-ins
for NVIDIA's libraries), `hand` nothing else. Behind a block

    <!-- holds FILE.rf: steps 10 11 12 -->
    <!-- holds FILE.rf: kernels 5 -->

says that there is such a recording and, if so, which ranges "step N" or how many kernels are in it.
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

TIMEOUT_S = 60 * int(os.environ.get("RF_TEST_SLOW", 1))


def blocks_of(path):
    """Yields (words behind sh, commands, [expectations])."""
    words, lines, found = None, [], []
    for line in open(path, encoding="utf-8"):
        fence = re.match(r"```(\w*) ?(.*)", line)
        holds = re.match(r"<!-- holds ([^:]+?)(?:: (steps|kernels) (.*?))? -->", line)
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
            wanted = None if holds[2] is None else (holds[2], [int(n) for n in holds[3].split()])
            found[-1][2].append((holds[1].split(), wanted))
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


def check(folder, files, wanted, environment):
    for name in files:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            return f"'{name}' was not made"
        info = json.loads(
            subprocess.check_output(["rangefinder", "info", "--json", path], env=environment)
        )
        what, numbers = wanted or ("ranges", None)
        kernels = info["gpu_work"].get("kernel", 0)
        if what != "kernels" and info["n_ranges"] == 0:
            return f"'{name}' has no range"
        if what == "kernels" and [kernels] != numbers:
            return f"'{name}' holds {kernels} kernels, not {numbers}"
        if what == "steps" and steps_of(path, environment) != numbers:
            return f"'{name}' holds the steps {steps_of(path, environment)}, not {numbers}"
    return None


# What the programs of a guide do, as steps of tests/cuda/double/app.c.
CUDA_PROGRAMS = {
    "vector_add": ["init", "stream=1"] + 8 * ["push=add a piece", "copy=4096", "launch=1", "pop"]
    + ["sync"],
    "graph": ["push=launch", "graph=4", "pop", "sync"],
    "loop": ["launch=5", "sync", "start", "launch=3", "sync", "stop", "launch=5", "sync"],
}


def make_cuda_programs(folder, build):
    """Programs that use the stand-ins for NVIDIA's libraries. Returns what they need besides."""
    double = os.path.join(build, "tests/cuda/double")
    if not os.path.exists(os.path.join(double, "lib/libcuda.so.1")):
        return None
    for name, steps in CUDA_PROGRAMS.items():
        path = os.path.join(folder, name)
        words = " ".join(f"'{word}'" for word in steps)
        with open(path, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\nexec {double}/app {words}\n")
        os.chmod(path, 0o755)
    return {
        "LD_LIBRARY_PATH": os.path.join(double, "lib"),
        "RANGEFINDER_CUPTI": os.path.join(double, "cupti"),
    }


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
        cuda = make_cuda_programs(folder, build)
        for words, command, expectations in blocks_of(guide):
            own = dict(environment)
            if "cuda" in words and cuda is None:
                print("skipped, no stand-ins for CUDA: " + command.strip().split("\n")[0])
                continue
            if "cuda" in words:
                own.update(cuda)
            if "python" in words:
                own["PYTHONPATH"] = os.path.join(source, "tests/pytorch/standin")
                own["STANDIN_SHIM"] = os.path.join(build, "lib/libnvtx-shim.so")
            run = run_with_key if "key" in words else run_plain
            status, output = run(command, folder, own)
            problem = None if status == 0 else f"exit status {status}"
            for files, wanted in expectations:
                problem = problem or check(folder, files, wanted, environment)
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
