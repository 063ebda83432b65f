#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py GUIDE BUILD SOURCE [installed]: runs every command of a guide, as it stands there, and checks
what the guide says of its result. With `installed` the commands run against what cmake --install
leaves, in a folder without the source tree.

A block that begins with ```sh is run by sh in a folder of its own that all blocks share; a word
behind `sh` says what the block needs: `tree` the source tree, `installed` an installation, `python` a
torch package (the tests' stand-in), `torch` PyTorch itself, `key` a terminal at which F12 is pressed twice, `cuda` programs
that use CUDA (made of the tests' stand-ins for NVIDIA's libraries), `package` the package of Python, and `needs=NAME` another one of them, `sqlite3` that program, `cxx` a C++
compiler, `browser` a browser (such a block is not run: tests/viewer is about that), `mpi` an MPI, `hand` nothing else.
A block that begins with ```c FILE, ```cpp FILE or ```python FILE becomes that file. Behind a block

    <!-- holds FILE.rf: steps 10 11 12 -->
    <!-- holds FILE.rf: kernels 5 -->
    <!-- prints TEXT -->

says that there is such a recording and, if so, which ranges "step N" or how many kernels are in it;
and what the block prints, among other things.
"""

import glob
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT_S = 60 * int(os.environ.get("RF_TEST_SLOW", 1))


def blocks_of(path):
    """[(words behind sh, commands, [expectations], [texts that are printed])]"""
    words, lines, found = None, [], []
    for line in open(path, encoding="utf-8"):
        fence = re.match(r"```(\w*) ?(.*)", line)
        prints = re.match(r"<!-- prints (.*) -->", line)
        holds = re.match(r"<!-- holds ([^:]+?)(?:: (steps|kernels) (.*?))? -->", line)
        if words is None and fence and fence[1] == "sh":
            words, lines = fence[2].split(), []
        elif words is None and fence and fence[1] in ("c", "cpp", "python") and fence[2].strip():
            words, lines = ["file", fence[2].strip()], []
        elif words is not None and fence:
            found.append((words, "".join(lines), [], []))
            words = None
        elif words is not None:
            lines.append(line)
        elif fence and fence[1]:
            words, lines = None, []
        if holds:
            wanted = None if holds[2] is None else (holds[2], [int(n) for n in holds[3].split()])
            found[-1][2].append((holds[1].split(), wanted))
        if prints:
            found[-1][3].append(prints[1])
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
    output, awaited, deadline = b"", [b"begins a capture", b"capture 1 started"], time.monotonic() + TIMEOUT_S
    due = 0  # closer presses are those of a key held down
    while time.monotonic() < deadline:
        if awaited and awaited[0] in output and time.monotonic() >= due:
            os.write(terminal, b"\x1b[24~")
            awaited, due = awaited[1:], time.monotonic() + 0.15
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


def install(build, folder):
    """Installs below the folder and returns the environment that finds it."""
    prefix = os.path.join(folder, "prefix")
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)
    found = [os.path.join(at, "pkgconfig") for at, names, _ in os.walk(prefix) if "pkgconfig" in names]
    return {
        "PATH": f"{prefix}/bin:{os.environ['PATH']}",
        "PKG_CONFIG_PATH": found[0],
        "LD_LIBRARY_PATH": os.path.dirname(found[0]),
        "CMAKE_PREFIX_PATH": prefix,
    }


def surroundings(build, source, folder, is_installed):
    """The environment of the commands; the files that they find."""
    if is_installed:
        environment = {**os.environ, **install(build, os.path.dirname(folder))}
    else:
        environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}"}
        for name in ("examples", "include"):
            os.symlink(os.path.join(source, name), os.path.join(folder, name))
    os.symlink(os.path.join(source, "examples/python/pytorch_loop.py"),
               os.path.join(folder, "pytorch_loop.py"))
    environment["XDG_RUNTIME_DIR"] = os.path.join(os.path.dirname(folder), "runtime")
    os.mkdir(environment["XDG_RUNTIME_DIR"], 0o700)
    return environment


def has_torch(environment):
    return subprocess.run(["python3", "-c", "import torch"], env=environment, check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


# root, and more ranks than cores, by the names of Open MPI; other MPIs allow both
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def has_mpi(environment):
    return all(map(shutil.which, ("mpicc", "mpirun"))) and subprocess.run(
        ["mpirun", "-n", "4", "true"], env={**environment, **MPI}, check=False, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0


def use_package(build):
    """The environment of the Python package: its folder, and what the build's virtual environment has."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        python = re.search(r"^_?Python3_EXECUTABLE:\w*=(.*)$", cache.read(), re.M)
    folders = [os.path.join(build, "python"), *glob.glob(os.path.join(build, "wheels/lib/python3*/site-packages"))]
    return {"PYTHONPATH": os.pathsep.join(folders), "PYTHON": python[1] if python else "python3"}


def missing_package(words, environment):
    """The first package that a block needs and that is not there; None."""
    names = ["rangefinder.fleet"] if "package" in words else []
    names += [word[6:] for word in words if word.startswith("needs=")]
    for name in names:
        if subprocess.run(["python3", "-c", f"import {name}"], env=environment, check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            return name
    return None


def run_block(block, folder, environment, cuda, paths):
    """Runs it and returns (what is wrong or None, the output)."""
    words, command, expectations, texts = block
    own = dict(environment)
    if words[:1] == ["file"]:
        with open(os.path.join(folder, words[1]), "w", encoding="utf-8") as file:
            file.write(command)
        return None, ""
    if "mpi" in words:
        own.update(MPI)
    if "cuda" in words:
        own.update(cuda)
    if "torch" in words:
        own["PYTHONPATH"] = os.path.join(paths["build"], "python")
    if "package" in words:
        own.update(paths["package"])
    if "python" in words:
        own["PYTHONPATH"] = os.path.join(paths["source"], "tests/pytorch/standin")
        own["STANDIN_SHIM"] = os.path.join(paths["build"], "lib/libnvtx-shim.so")
    status, output = (run_with_key if "key" in words else run_plain)(command, folder, own)
    problem = None if status == 0 else f"exit status {status}"
    for files, wanted in expectations:
        problem = problem or check(folder, files, wanted, environment)
    for text in texts:
        if problem is None and text not in output:
            problem = f"does not print '{text}'"
    return problem, output


def run_again(blocks, run, folder, before):
    """What ranks measure depends on what else the machine does: once more, without the files that these
    blocks made. Returns what the last block returns."""
    for name in set(os.listdir(folder)) - before:
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    for block in blocks:
        problem, output = run(block)
        if problem is not None:
            break
    return problem, output


def main():
    guide, build, source = (os.path.abspath(path) for path in sys.argv[1:4])
    is_installed = sys.argv[4:] == ["installed"]
    if is_installed and shutil.which("pkg-config") is None:
        print("SKIP: pkg-config is not installed")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as whole:
        folder = os.path.join(whole, "guide")
        os.mkdir(folder)
        environment = surroundings(build, source, folder, is_installed)
        cuda = make_cuda_programs(folder, build)
        package = use_package(build)
        interpreter = package.pop("PYTHON")
        if any("package" in block[0] for block in blocks_of(guide)):
            # the python3 of the commands is the one that the package was built for
            os.mkdir(os.path.join(whole, "bin"))
            os.symlink(interpreter, os.path.join(whole, "bin", "python3"))
            environment["PATH"] = os.path.join(whole, "bin") + ":" + environment["PATH"]
        paths = {"source": source, "build": build, "package": package}
        of_ranks, before = [], set()
        for block in blocks_of(guide):
            words, first = block[0], block[1].strip().split("\n")[0]
            if ("tree" if is_installed else "installed") in words:
                continue
            if "browser" in words:
                continue
            if "cxx" in words and shutil.which("c++") is None:
                print("skipped, there is no C++ compiler: " + first)
                continue
            if "mpi" in words and (is_installed or not has_mpi(environment)):
                print("skipped, there is no MPI (mpicc, mpirun) that can start four processes: " + first)
                continue
            if "sqlite3" in words and shutil.which("sqlite3") is None:
                print("skipped, sqlite3 is not installed: " + first)
                continue
            if "torch" in words and not has_torch(environment):
                print("skipped, this python3 has no PyTorch: " + first)
                continue
            if "cuda" in words and cuda is None:
                print("skipped, no stand-ins for CUDA: " + first)
                continue
            missing = missing_package(words, {**environment, **package})
            if missing is not None:
                print(f"skipped, this python3 has no {missing}: " + first)
                continue
            before = before if "mpi" in words and of_ranks else set(os.listdir(folder))
            of_ranks = [*of_ranks, block] if "mpi" in words else []
            problem, output = run_block(block, folder, environment, cuda, paths)
            for _ in range(3):
                if problem is None or not of_ranks:
                    break
                print(f"again: {problem}")
                problem, output = run_again(of_ranks, lambda block: run_block(block, folder, environment, cuda, paths), folder, before)
            print(("ok: " if problem is None else "FAILED: ") + first)
            if problem is not None:
                print(f"  {problem}\n  {block[1]}\n{output}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
