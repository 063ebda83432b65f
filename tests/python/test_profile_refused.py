# SPDX-License-Identifier: Apache-2.0
"""rangefinder.profile(): what is refused, and what comes in the way."""

import os
import signal
import sys

import pytest

from conftest import RANGEFINDER, run
from profile_programs import files, names, program  # noqa: F401


# ---- What is refused ----


def test_one_at_a_time(program, tmp_path):
    lines = program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        p = rangefinder.profile("x.rf")
        with p:
            for other in p, rangefinder.profile("y.rf"):
                try: other.start()
                except RuntimeError as error: print(error)
            other.stop()
            nvtx.mark("still recorded")
        """
    )
    assert len(lines) == 2 and all(f"to '{tmp_path}/x.rf'" in line for line in lines)
    assert names(tmp_path / "x.rf") == ["still recorded"]
    assert files(tmp_path) == ["x.rf"]


def test_signal_handlers(program, tmp_path):
    """A handler that starts or stops comes at any moment, also while that is being done."""
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, signal, time
        signalled = rangefinder.profile("signalled.rf", overwrite=True)
        n_refused = n_done = 0
        def handler(number, frame):
            global n_refused, n_done
            try:
                signalled.stop() if signalled.is_recording else signalled.start()
                n_done += 1
            except RuntimeError as error:
                n_refused += 1
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.003)
        end = time.monotonic() + 60
        while (n_done < 4 or n_refused < 4) and time.monotonic() < end:
            try:
                with rangefinder.profile("x.rf", overwrite=True):
                    nvtx.mark("in it")
            except RuntimeError as error:
                assert "already" in str(error), error
            time.sleep(0.004)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signalled.stop()
        assert n_done >= 4 and n_refused >= 4, (n_done, n_refused)
        with rangefinder.profile("x.rf", overwrite=True):
            nvtx.mark("last")
        """
    )
    assert names(tmp_path / "x.rf") == ["last"]
    assert files(tmp_path) == ["signalled.rf", "x.rf"]


def test_interrupted_anywhere(program, tmp_path):
    """Ctrl-C while it starts or stops: the process is not left recorded, nor what it recorded without
    a file; the next one records."""
    out = program("""
        import glob, os, random, signal, time
        import rangefinder, rangefinder.nvtx as nvtx

        def interrupt(number, frame):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        random.seed(7)
        n = {"interrupted": 0, "recorded": 0}
        n_left = 0
        begin = time.monotonic()
        for i in range(10):
            with rangefinder.profile("first", overwrite=True):
                nvtx.mark("first")
        most = 2 * (time.monotonic() - begin) / 10
        os.remove("first.rf")
        for i in range(400):
            try:
                try:
                    one = rangefinder.profile(f"one{i}")
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, most))
                    with one:
                        nvtx.mark("here")
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                n["interrupted"] += 1
            n_left += one.is_recording  # it came as __exit__() was called
            one.stop()
            if os.path.exists(f"one{i}.rf"):
                n["recorded"] += 1
                os.remove(f"one{i}.rf")
        assert min(n.values()) > 20 and n_left < 5, (n, n_left, most)
        print(glob.glob("*.rf*"))
        with rangefinder.profile("last"):
            nvtx.mark("last")
        """)
    assert out == ["[]"]
    assert names(tmp_path / "last.rf") == ["last"]


def test_a_cell_can_be_run_again(program, tmp_path):
    """In a notebook or at a prompt, of a file that the process wrote itself; nowhere else."""
    (tmp_path / "other.rf").write_text("")
    lines = program(
        """
        import builtins, sys
        import rangefinder
        import rangefinder.nvtx as nvtx
        def cell(path, text, **options):
            try:
                with rangefinder.profile(path, **options):
                    nvtx.mark(text)
            except FileExistsError as error:
                print(text, "exists already" in str(error))
        cell("cell", "first")
        cell("cell", "script")
        sys.ps1 = ">>> "
        cell("cell", "prompt")
        cell("cell.rf", "refused", overwrite=False)
        cell("other", "foreign")
        del sys.ps1
        builtins.get_ipython = lambda: None
        cell("./cell", "notebook")
        """
    )
    assert lines == ["script True", "refused True", "foreign True"]
    assert names(tmp_path / "cell.rf") == ["notebook"]


def test_bad_paths(program, tmp_path):
    (tmp_path / "taken.rf").write_text("x")
    lines = program(
        """
        import pathlib, rangefinder
        def start(path): rangefinder.profile(path).start()
        for path in "taken", pathlib.Path("taken.rf"), b"missing/x", "", "x/", 3:
            try: start(path)
            except (OSError, ValueError, TypeError) as error: print(type(error).__name__, error)
            else: print("started")
        """
    )
    assert [line.split()[0] for line in lines] == [
        "FileExistsError", "FileExistsError", "FileNotFoundError", "ValueError", "ValueError",
        "TypeError",
    ]
    assert "there is no directory" in lines[2]
    assert (tmp_path / "taken.rf").read_text() == "x"
    assert files(tmp_path) == ["taken.rf"]


def test_read_only_folder(program, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    folder = tmp_path / "folder"
    folder.mkdir(0o500)
    program(
        """
        import rangefinder
        try: rangefinder.profile("folder/x").start()
        except PermissionError: pass
        else: assert False
        """
    )


def test_under_the_command_line(program, tmp_path):
    lines = program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        nvtx.mark("by the command line")
        try: rangefinder.profile("x.rf").start()
        except RuntimeError as error: print(error)
        """,
        under=(RANGEFINDER, "profile", "-q", "-o", "line"),
    )
    assert lines[0].startswith("this process is being recorded already, by the command line")
    assert names(tmp_path / "line.rf") == ["by the command line"]
    assert files(tmp_path) == ["line.rf"]


def test_another_tool(program, tmp_path):
    lines = program(
        """
        import rangefinder
        try: rangefinder.profile("x.rf").start()
        except RuntimeError as error: print(error)
        """,
        NVTX_INJECTION64_PATH="/opt/tool/libtool.so",
    )
    assert "NVTX_INJECTION64_PATH='/opt/tool/libtool.so'" in lines[0]
    assert files(tmp_path) == []


def test_taken_meanwhile(program, tmp_path):
    lines = program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        with rangefinder.profile("x.rf") as p:
            nvtx.mark("in it")
            open("x.rf", "w").close()
        print(p.path)
        """
    )
    assert lines == [str(tmp_path / "x-2.rf")]
    assert names(tmp_path / "x-2.rf") == ["in it"]


def test_folder_that_vanished(program, tmp_path):
    """The program goes on, and its exception is the one that is seen."""
    program(
        """
        import glob, os, rangefinder, rangefinder.nvtx as nvtx, shutil
        os.mkdir("folder")
        p = rangefinder.profile("folder/x.rf")
        p.start()
        pools = [os.path.realpath(link) for link in glob.glob("folder/x.rfdir/*.pool")]
        while os.path.exists("folder"):
            shutil.rmtree("folder", ignore_errors=True)
        for i in range(100000): nvtx.mark("into nothing")
        try: p.stop()
        except Exception as error: assert "what was recorded is in" in str(error), error
        else: assert False
        with rangefinder.profile("x.rf"): nvtx.mark("next")
        for pool in filter(os.path.exists, pools): os.unlink(pool)
        """
    )
    assert names(tmp_path / "x.rf") == ["next"]


def test_full_disk(program, tmp_path):
    """What was recorded stays where it is, and can be packed later."""
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, resource
        p = rangefinder.profile("x.rf")
        p.start()
        for i in range(10000): nvtx.mark("m", payload=i)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, resource.RLIM_INFINITY))
        try: p.stop()
        except OSError as error: assert "x.rfdir': rangefinder recover" in str(error), error
        else: assert False
        assert p.path is None and not p.is_recording
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        with rangefinder.profile("next.rf"): nvtx.mark("next")
        """
    )
    assert files(tmp_path) == ["next.rf", "x.rfdir"]
    assert names(tmp_path / "next.rf") == ["next"]
    done = run(RANGEFINDER, "recover", "x.rfdir", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "x.rf") == ["m"] * 10000


def test_many(program, tmp_path):
    """Nothing grows with the number of recordings."""
    program(
        """
        import os, rangefinder, rangefinder.nvtx as nvtx, threading
        def state():
            with open("/proc/self/status") as file:
                status = dict(line.split(":", 1) for line in file)
            with open("/proc/self/maps") as file:
                n_maps = len(file.readlines())
            return (len(os.listdir("/proc/self/fd")), n_maps, int(status["VmSize"].split()[0]),
                    int(status["VmRSS"].split()[0]))
        def record(n):
            for i in range(n):
                with rangefinder.profile("x.rf", overwrite=True):
                    with nvtx.annotate("a", domain="D", category="c"): pass
                    thread = threading.Thread(target=nvtx.mark, args=("m",))
                    thread.start()
                    thread.join()
                nvtx.mark("between", domain="D", category="c")
        record(20)
        before = state()
        record(100)
        after = state()
        growth = [b - a for a, b in zip(before, after)]
        assert growth[0] == 0 and growth[1] <= 2 and growth[2] <= 4096 and growth[3] <= 4096, growth
        """
    )
    assert names(tmp_path / "x.rf") == ["a", "m"]
