# SPDX-License-Identifier: Apache-2.0
"""cudaProfilerStart and Stop, through the library that stands in front of libcudart and libcuda."""

import glob
import os
import shutil
import subprocess
import sys

import focused
from focused import Session
from harness import Skip, expect_equal, fail_if

BOTH = focused.PROFILER | focused.NVTX


class ProfilerSession(Session):
    def __init__(self, test, **settings):
        super().__init__(test, **{"triggers": focused.PROFILER, **settings})
        self.standin = os.path.join(test.build, "tests", "record", "standin")

    @property
    def env(self):
        library = os.path.join(self.test.build, "lib", "librangefinder-profiler.so")
        return {**super().env, "LD_PRELOAD": library}

    def says(self, words, **options):
        return self.run(words, **options).stdout.decode().splitlines()

    def all_inside(self):
        return [self.inside(i) for i in range(len(self.windows()))]


def case_profiler_linked(test):
    """A program that is linked to the shared libraries."""
    for start, stop in (
        ("cudaProfilerStart", "cudaProfilerStop"),
        ("cuProfilerStart", "cuProfilerStop"),
    ):
        for settings in ({}, {"keeps_open": 0}):
            s = ProfilerSession(test, **settings)
            said = s.says(f"mark=a linked={start} mark=in linked={stop} mark=b",
                          program="focus-linked")
            expect_equal(
                said, [f"real {start}", f"{start}: 100", f"real {stop}", f"{stop}: 100"], "said"
            )
            expect_equal(s.all_inside(), [["in"]], "captures")
            expect_equal(s.all(), ["in"], "recorded")
            expect_equal(s.state()["n_profiler_loaded"], 1, "processes")


def case_profiler_no_cuda(test):
    """Without libcudart the calls succeed, and count."""
    s = ProfilerSession(test)
    said = s.says("cuda=cudaProfilerStart mark=in cuda=cudaProfilerStop")
    expect_equal(said, ["cudaProfilerStart: 0", "cudaProfilerStop: 0"], "said")
    expect_equal(s.all_inside(), [["in"]], "captures")


def case_profiler_local_library(test):
    """An extension module that is linked to libcudart, which nobody else sees."""
    s = ProfilerSession(test)
    library = os.path.join(s.standin, "caller.so")
    said = s.says(["mark=a", f"caller={library},caller_start", "mark=in",
                   f"caller={library},caller_stop", "mark=b"])
    expect_equal(
        said,
        ["real cudaProfilerStart", "caller_start: 100", "real cudaProfilerStop",
         "caller_stop: 100"],
        "said",
    )
    expect_equal(s.all_inside(), [["in"]], "captures")
    # looked up from elsewhere, the real function is found by the name of the library
    s = ProfilerSession(test)
    said = s.says([f"caller={library},caller_start", "mark=in", "cuda=cudaProfilerStop", "mark=b"])
    expect_equal(said[2:], ["real cudaProfilerStop", "cudaProfilerStop: 100"], "said")
    expect_equal(s.all_inside(), [["in"]], "captures")


HANDLE_SCRIPT = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print(library.cudaProfilerStart(), library.cudaProfilerStop(), hasattr(library, "cudaProfilerStar"))
"""


def case_profiler_handle(test):
    """Looked up in the library's own handle, as ctypes does, whatever the file is called."""
    for name in ("libcudart.so", "renamed.so"):
        s = ProfilerSession(test)
        library = test.path(name)
        if not os.path.exists(library):
            shutil.copy(os.path.join(s.standin, "libcudart.so"), library)
        done = test.run([sys.executable, "-c", HANDLE_SCRIPT, library], env=s.env)
        expect_equal(done.stdout.decode().splitlines(),
                     ["real cudaProfilerStart", "real cudaProfilerStop", "100 100 False"], "said")
        expect_equal(s.all_inside(), [[]], "captures")


def case_profiler_next(test):
    """RTLD_NEXT still means what is behind the library that asks."""
    s = ProfilerSession(test)
    library = os.path.join(s.standin, "next.so")
    env = {**s.env, "LD_PRELOAD": f"{s.env['LD_PRELOAD']}:{library}"}
    script = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).next_is_behind())"
    done = test.run([sys.executable, "-c", script, library], env=env)
    expect_equal([done.status, done.stdout], [0, b"1\n"], done.stderr.decode())


def case_profiler_result(test):
    """The real result is returned, whatever it is."""
    s = ProfilerSession(test)
    said = s.says("linked=cudaProfilerStart linked=cudaProfilerStop", program="focus-linked",
                  env={"STANDIN_RESULT": "35"})
    expect_equal(said[1::2], ["cudaProfilerStart: 35", "cudaProfilerStop: 35"], "said")


def case_profiler_repeated(test):
    """Start when on and Stop when off do nothing; a call of the runtime and the driver's are one."""
    s = ProfilerSession(test)
    s.run("linked=cuProfilerStop linked=cudaProfilerStart mark=1 linked=cudaProfilerStart "
          "linked=cuProfilerStart mark=2 linked=cudaProfilerStop mark=3 linked=cudaProfilerStop "
          "linked=cuProfilerStop linked=cuProfilerStart mark=4 linked=cudaProfilerStop mark=5",
          program="focus-linked")
    expect_equal(s.all_inside(), [["1", "2"], ["4"]], "captures")
    expect_equal(s.state()["n_hits"], 2, "hits")


def case_profiler_no_annotations(test):
    """A program that never annotates: the session gets its capture, and the process its files."""
    s = ProfilerSession(test)
    script = (
        "import ctypes; c = ctypes.CDLL(None); r = c.cudaProfilerStart(); "
        "print(r, c.cudaProfilerStop())"
    )
    done = test.run([sys.executable, "-c", script], env=s.env)
    expect_equal([done.status, done.stdout], [0, b"0 0\n"], done.stderr.decode())
    expect_equal(s.all_inside(), [[]], "captures")
    state = s.state()
    expect_equal([state["n_processes"], state["n_hits"]], [1, 1], "processes, hits")
    fail_if(not os.path.exists(os.path.join(s.path, "p000000.defs")), "no files of the process")


def case_profiler_not_wanted(test):
    """Where nobody waits for it, nothing is loaded and nothing made."""
    words = "cuda=cudaProfilerStart cuda=cudaProfilerStop"
    s = ProfilerSession(test, triggers=focused.NVTX)
    expect_equal(len(s.says(words)), 2, "lines")
    expect_equal(s.windows(), [], "captures")
    s = ProfilerSession(test, records_all=1)
    expect_equal(len(s.says(words)), 2, "lines")
    expect_equal(s.windows(), [], "captures")
    done = test.run([test.program("focus"), *words.split()],
                    env={k: v for k, v in s.env.items() if k != "RANGEFINDER_SESSION"})
    expect_equal(done.status, 0, done.stderr.decode())
    fail_if(glob.glob(test.path("rangefinder-*.rfdir")), "a session was made")


def case_profiler_fork(test):
    """Each process has its own switch."""
    s = ProfilerSession(test)
    s.run("cuda=cudaProfilerStart mark=1 fork ( mark=2 cuda=cudaProfilerStop mark=3 "
          "cuda=cudaProfilerStart mark=4 ) mark=5 cuda=cudaProfilerStop mark=6 "
          "fork ( cuda=cudaProfilerStart mark=7 exit=0 ) mark=8")
    expect_equal(s.all_inside(), [["1", "2", "3", "4", "5"], ["7"]], "captures")
    expect_equal(s.state()["n_hits"], 3, "hits")


def case_profiler_exit(test):
    s = ProfilerSession(test)
    s.run("cuda=cudaProfilerStart mark=in exit=3", expect_status=3)
    expect_equal(s.all_inside(), [["in"]], "captures")


def case_profiler_and_nvtx(test):
    """Both kinds of triggers at once: a capture lasts while any is open."""
    s = ProfilerSession(test, triggers=BOTH)
    s.run("cuda=cudaProfilerStart mark=1 push=step mark=2 cuda=cudaProfilerStop mark=3 pop mark=4 "
          "push=step pop")
    expect_equal(s.all_inside(), [["1", "step", "2", "3"], ["step"]], "captures")


def case_profiler_children(test):
    """Every process of the tree counts itself, and the shell between does no harm."""
    s = ProfilerSession(test)
    program = test.program("focus")
    done = test.run(["sh", "-c", f"{program} cuda=cudaProfilerStart mark=in; exit 4"], env=s.env)
    expect_equal(done.status, 4, "status")
    expect_equal(s.all_inside(), [["in"]], "captures")
    state = s.state()
    expect_equal(state["n_processes"], 1, "processes that recorded")
    fail_if(state["n_profiler_loaded"] < 2, f"{state['n_profiler_loaded']} processes counted")


# ---- A real libcudart ----


def find_cudart():
    places = (
        "/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64", "/usr/local/lib",
    )
    for place in places:
        found = sorted(glob.glob(os.path.join(place, "libcudart.so*")))
        if found:
            return found[0]
    raise Skip("no libcudart is installed")


REAL_SCRIPT = """
import ctypes, sys
real = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
seen = ctypes.CDLL(None)
print(real.cudaProfilerStart(), real.cudaProfilerStop())
print(seen.cudaProfilerStart(), seen.cudaProfilerStop())
"""


def case_profiler_real_ctypes(test):
    """Python that calls the real libcudart: through its handle and through the global scope; both
    are seen, and give the same result."""
    cudart = find_cudart()
    s = ProfilerSession(test)
    done = test.run([sys.executable, "-c", REAL_SCRIPT, cudart], env=s.env)
    expect_equal(done.status, 0, done.stderr.decode())
    by_handle, by_scope = done.stdout.decode().split("\n")[:2]
    expect_equal(by_handle, by_scope, "results")
    expect_equal(len(s.windows()), 2, "captures")


def case_profiler_real_linked(test):
    """A program that is linked to the real libcudart."""
    cudart = find_cudart()
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise Skip("no C compiler is installed")
    source, program = test.path("real.c"), test.path("real")
    with open(source, "w", encoding="ascii") as file:
        file.write(
            "#include <stdio.h>\nint cudaProfilerStart(void);\nint cudaProfilerStop(void);\n"
            "int main(void)\n{\n    int start = cudaProfilerStart();\n"
            '    printf("%d %d\\n", start, cudaProfilerStop());\n    return 0;\n}\n'
        )
    done = subprocess.run(
        [compiler, "-o", program, source, cudart, f"-Wl,-rpath,{os.path.dirname(cudart)}"],
        capture_output=True, check=False,
    )
    if done.returncode != 0:
        raise Skip(f"cannot link to '{cudart}'")
    bare = test.run([program])
    s = ProfilerSession(test)
    done = test.run([program], env=s.env)
    expect_equal([done.status, done.stdout], [bare.status, bare.stdout], "with the library")
    expect_equal(len(s.windows()), 1, "captures")
