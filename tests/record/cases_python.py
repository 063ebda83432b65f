# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody here wrote: Python's nvtx package, PyTorch."""

import fcntl
import os
import shutil
import subprocess
import sys

from harness import MARK, PUSH_POP, SLOW, START_END, Skip, expect_equal, fail_if

ANNOTATED = """
import threading, nvtx
@nvtx.annotate("decorated", color="green", domain="py")
def work(n):
    with nvtx.annotate(f"inner {n}", category="math", payload=n):
        return sum(range(n))
def thread():
    for i in range(100):
        work(i)
threads = [threading.Thread(target=thread) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
nvtx.mark("mark é", color="red")
nvtx.push_range("pushed"); nvtx.pop_range()
r = nvtx.start_range("started"); nvtx.end_range(r)
print("done")
"""

FORKING = """
import multiprocessing, nvtx
def task(n):
    with nvtx.annotate(f"task {n}"):
        return n * n
if __name__ == "__main__":
    nvtx.mark("before")
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(sum(pool.map(task, range(60))))
"""

CTYPES = """
import ctypes, sys, threading
shim = ctypes.CDLL(sys.argv[1])
def work():
    shim.shim_push_colored(b"of a thread", ctypes.c_uint(0xff0071c5))
    shim.shim_pop()
shim.shim_push(b"outer")
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
shim.shim_mark(b"mark")
shim.shim_pop()
"""


def record_python(test, python, script, *args):
    """Returns the recording of python running a script's text, after comparing its output with a
    run without the recorder."""
    path = test.path("script.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    bare = test.run([python, path, *args])
    fail_if(bare.status != 0, f"the script fails without us: {bare.stderr.decode()}")
    output = test.path("python.rf")
    done = test.run([test.rangefinder, "profile", "--quiet", "-o", output, python, path, *args])
    expect_equal(done.status, bare.status, "exit status when recorded")
    expect_equal(done.stdout, bare.stdout, "standard output when recorded")
    return test.dump(output)


def python_with_nvtx(test):
    """A virtual environment with the package, kept in the build folder. One test makes it."""
    folder = os.path.join(test.build, "tests", "venv-nvtx")
    with open(folder + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return make_python_with_nvtx(test, folder)


def make_python_with_nvtx(test, folder):
    python = os.path.join(folder, "bin", "python3")
    if os.path.exists(python) and test.run([python, "-c", "import nvtx"]).status == 0:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    if test.run([sys.executable, "-m", "venv", folder]).status != 0:
        raise Skip("python3 cannot make a virtual environment (python3-venv is not installed)")
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1"]
    try:
        done = subprocess.run([*pip, "nvtx"], capture_output=True, timeout=90 * SLOW, check=False)
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no reason"]
        reason = reason[0] if done.returncode else None
    except subprocess.TimeoutExpired:
        reason = "it took too long"
    if reason:
        shutil.rmtree(folder, ignore_errors=True)
        raise Skip(f"the package nvtx cannot be installed: {reason}")
    return python


def case_python_nvtx(test):
    """The package nvtx of PyPI."""
    rec = record_python(test, python_with_nvtx(test), ANNOTATED)
    work = rec.named("decorated", PUSH_POP)
    expect_equal(len(work), 400, "decorated ranges")
    expect_equal({e["domain_name"] for e in work}, {b"py"}, "their domain")
    for i in range(100):
        inner = rec.named(f"inner {i}", PUSH_POP)
        expect_equal(len(inner), 4, f"ranges 'inner {i}'")
        expect_equal({e["category_name"] for e in inner}, {b"math"}, "their category")
        expect_equal({e["payload"] for e in inner}, {i}, "their payload")
    expect_equal(rec.one("mark é", MARK)["color"] & 0xFFFFFF, 0xFF0000, "color of the mark")
    rec.one("pushed", PUSH_POP), rec.one("started", START_END)
    fail_if(any(e["cut"] for e in rec.events(PUSH_POP, START_END)), "a range is cut")


def case_python_forked_workers(test):
    """A pool of workers, forked and ended by SIGTERM, as multiprocessing does it."""
    rec = record_python(test, python_with_nvtx(test), FORKING)
    for i in range(60):
        fail_if(rec.one(f"task {i}", PUSH_POP)["cut"], f"task {i} is cut")
    expect_equal(rec.info["n_lost_records"], 0, "lost records")


def case_python_ctypes(test):
    """The standard library's ctypes can call what the headers make."""
    shim = os.path.join(test.build, "lib", "libnvtx-shim.so")
    if not os.path.exists(shim):
        raise Skip("libnvtx-shim.so was not built")
    rec = record_python(test, sys.executable, CTYPES, shim)
    rec.one("outer", PUSH_POP), rec.one("mark", MARK)
    expect_equal(len(rec.named("of a thread", PUSH_POP)), 2, "ranges of the threads")


TORCH = """
import torch
with torch.cuda.nvtx.range("outer {}", 1):
    torch.cuda.nvtx.mark("mark")
    torch.cuda.nvtx.range_push("pushed")
    torch.cuda.nvtx.range_pop()
    r = torch.cuda.nvtx.range_start("started")
    torch.cuda.nvtx.range_end(r)
"""


def case_python_torch(test):
    """torch.cuda.nvtx annotates without a GPU, if this is a build with CUDA."""
    probe = "import torch; torch.cuda.nvtx.mark('probe')"
    if test.run([sys.executable, "-c", probe]).status != 0:
        raise Skip("there is no PyTorch with CUDA for this python3")
    rec = record_python(test, sys.executable, TORCH)
    rec.one("mark", MARK), rec.one("pushed", PUSH_POP), rec.one("started", START_END)
