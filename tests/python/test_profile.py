# SPDX-License-Identifier: Apache-2.0
"""rangefinder.profile(): what is recorded, by whom, and what is not."""

import os
import signal
import sys

import pytest

from conftest import BUILD, RANGEFINDER, run
from profile_programs import RANGES, clean_environment, events, files, names, program  # noqa: F401

LIBRARY_FILE = BUILD / "tests" / "python" / "library.so"


# ---- The recording ----


def test_with(program, tmp_path):
    lines = program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        annotate = nvtx.annotate("reused", domain="D", category="c")
        nvtx.mark("before")
        with rangefinder.profile("x.rf") as p:
            assert p.is_recording and p.path is None
            with nvtx.annotate("outer", color="red", payload=3):
                nvtx.mark("mark", domain="D", category="later")
            with annotate:
                pass
        nvtx.mark("after")
        assert not p.is_recording
        print(p.path)
        print(p.n_ranges, p.n_marks, p.n_events, p.n_processes, p.n_lost, p.lost_bytes)
        print(p.summary)
        """
    )
    assert lines[0] == str(tmp_path / "x.rf")
    assert lines[1] == "2 1 3 1 0 0"
    assert lines[2].startswith(f"wrote '{tmp_path}/x.rf': ")
    assert lines[2].endswith(" bytes, 2 ranges and 1 mark of 1 process, nothing lost")
    found = {line["name"]: line for line in events(tmp_path / "x.rf")}
    assert set(found) == {"outer", "mark", "reused"}
    assert found["mark"]["domain"] == "D" and found["mark"]["category_name"] == "later"
    assert found["reused"]["category_name"] == "c"
    assert files(tmp_path) == ["x.rf"]


def test_recorder_of_another_version(tmp_path):
    """A package in which another one's recorder lies; nothing is recorded, and nothing left behind."""
    package, ours = tmp_path / "rangefinder", BUILD / "python" / "rangefinder"
    (package / "lib").mkdir(parents=True)
    for entry in ours.iterdir():
        if entry.name not in ("lib", "__pycache__"):
            (package / entry.name).symlink_to(entry.resolve())
    data = (ours / "lib" / "librangefinder-inject.so").read_bytes()
    mark = b"rangefinder-recorder-of-version: "
    version = data[data.index(mark) + len(mark):].split(b"\0")[0]
    patched = data.replace(mark + version, mark + b"9.8.7".ljust(len(version), b"\0"))
    (package / "lib" / "librangefinder-inject.so").write_bytes(patched)
    done = run(sys.executable, "-c", "import rangefinder\nrangefinder.profile('one').start()",
               cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert f"is the recorder of rangefinder 9.8.7, and this package is rangefinder {version.decode()}" in done.stderr
    assert "ImportError" in done.stderr and done.returncode == 1
    assert not list(tmp_path.glob("one*"))


def test_several(program, tmp_path):
    """One after another, a file each; domains, strings and categories hold in all of them."""
    lines = program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        domain = nvtx.get_domain("D")
        prepared = domain.get_event_attributes(message="prepared", category="c")
        p = rangefinder.profile("same.rf", overwrite=True)
        for i in range(5):
            with rangefinder.profile(f"{i}.rf"):
                nvtx.push_range(f"range {i}", domain="D", category="c")
                nvtx.pop_range("D")
                domain.mark(prepared)
                crossing = nvtx.start_range("crossing")
            nvtx.end_range(crossing)
            assert nvtx.start_range("between")[0] == 0
            with p:
                nvtx.mark(f"same {i}")
        """
    )
    for i in range(5):
        assert names(tmp_path / f"{i}.rf") == [f"range {i}", "prepared", "crossing"]
        for line in events(tmp_path / f"{i}.rf")[:2]:
            assert line["domain"] == "D" and line["category_name"] == "c", line
    assert names(tmp_path / "same.rf") == ["same 4"]


def test_cut(program, tmp_path):
    """What is open at the end is cut by it; what began before is not there."""
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        nvtx.push_range("before")
        with rangefinder.profile("x"):
            nvtx.pop_range()
            nvtx.push_range("open")
        nvtx.pop_range()
        """
    )
    (line,) = events(tmp_path / "x.rf", *RANGES)
    assert line["name"] == "open" and line["cut"] == "capture ended"


def test_threads(program, tmp_path):
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, threading
        barrier = threading.Barrier(9)
        def work(number):
            for step in range(3):
                barrier.wait()
                for i in range(1000):
                    with nvtx.annotate(f"{number}", domain=f"step {step}"):
                        pass
                barrier.wait()
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads: thread.start()
        for step in range(3):
            with rangefinder.profile(f"{step}.rf"):
                barrier.wait()
                barrier.wait()
        for thread in threads: thread.join()
        """
    )
    for step in range(3):
        lines = events(tmp_path / f"{step}.rf", *RANGES)
        assert len(lines) == 8000
        assert {line["domain"] for line in lines} == {f"step {step}"}
        of_thread = {}
        for line in lines:
            of_thread.setdefault(line["tid"], set()).add(line["name"])
        assert sorted(map(sorted, of_thread.values())) == [[f"{i}"] for i in range(8)]


def test_start_and_stop_on_other_threads(program, tmp_path):
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, threading
        p = rangefinder.profile("x.rf")
        def on_thread(function):
            thread = threading.Thread(target=function)
            thread.start()
            thread.join()
        on_thread(p.start)
        nvtx.mark("in it")
        on_thread(p.stop)
        p.stop()
        """
    )
    assert names(tmp_path / "x.rf") == ["in it"]


def test_end_while_a_payload_is_made(program, tmp_path):
    """What a thread makes of a payload while another ends the recording is made anew in the next."""
    program("""
        import threading, warnings
        import rangefinder
        import rangefinder.nvtx as nvtx
        warnings.simplefilter("ignore")
        in_it, over = threading.Event(), threading.Event()

        class Message:
            def __str__(self):
                in_it.set()
                over.wait()
                return "text"

        def work():
            nvtx.mark(Message(), domain="d", payload=[1, 2, 3])

        def prepare():
            prepared.append(domain.get_event_attributes(Message(), payload=[4, 5]))

        prepared = []
        with rangefinder.profile("first.rf"):
            nvtx.mark("hello", domain="d")
            domain = nvtx.get_domain("e")
            threads = [threading.Thread(target=target) for target in (work, prepare)]
            for thread in threads:
                thread.start()
                in_it.wait()
                in_it.clear()
        over.set()
        for thread in threads:
            thread.join()
        with rangefinder.profile("second.rf"):
            nvtx.mark("again", domain="d", payload=[1, 2, 3])
            domain.mark(prepared[0])
            nvtx.mark("again", domain="e", payload=[4, 5])
        """)
    found = [(mark["name"], mark["domain"], mark.get("payload")) for mark in events(tmp_path / "second.rf", "mark")]
    assert found == [("again", "d", [1, 2, 3]), ("text", "e", [4, 5]), ("again", "e", [4, 5])]


def test_decorator(program, tmp_path):
    lines = program(
        """
        import asyncio, rangefinder, rangefinder.nvtx as nvtx
        @rangefinder.profile("f.rf")
        def f(a, *, b):
            "doc"
            nvtx.mark("f")
            return a + b
        @rangefinder.profile("g.rf", overwrite=True)
        async def g():
            nvtx.mark("g")
            await asyncio.sleep(0)
            return 4
        print(f(1, b=2), f.__name__, f.__doc__, asyncio.run(g()), asyncio.run(g()))
        try: f(1, b=2)
        except FileExistsError as error: print(error)
        for wrong in (lambda: (yield)), 3:
            try: rangefinder.profile()(wrong)
            except TypeError as error: print(error)
        """
    )
    assert lines[0] == "3 f doc 4 4"
    assert lines[1] == f"'{tmp_path}/f.rf' exists already; name another one, or say overwrite=True"
    assert "is a generator function" in lines[2] and "not int" in lines[3]
    assert names(tmp_path / "f.rf") == ["f"] and names(tmp_path / "g.rf") == ["g"]


def test_exception(program, tmp_path):
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        try:
            with rangefinder.profile("x.rf"):
                with nvtx.annotate("raises"):
                    raise KeyError("x")
        except KeyError:
            nvtx.mark("after")
        """
    )
    assert names(tmp_path / "x.rf") == ["raises"]


def test_default_name(program, tmp_path):
    program("import rangefinder\nwith rangefinder.profile(): pass")
    assert files(tmp_path) == ["program.rf"]
    run(sys.executable, "-c", "import rangefinder\nwith rangefinder.profile(): pass", cwd=tmp_path)
    assert files(tmp_path) == ["program.rf", "rangefinder.rf"]


def test_end_without_stop(program, tmp_path):
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, sys
        rangefinder.profile("x.rf").start()
        nvtx.mark("last")
        sys.exit(3)
        """,
        status=3,
    )
    assert names(tmp_path / "x.rf") == ["last"]
    assert files(tmp_path) == ["x.rf"]


def test_killed(program, tmp_path):
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, os, signal
        with rangefinder.profile("first.rf"):
            nvtx.mark("first")
        with rangefinder.profile("x.rf"):
            nvtx.mark("last")
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        status=-signal.SIGKILL,
    )
    assert files(tmp_path) == ["first.rf", "x.rfdir"]
    done = run(RANGEFINDER, "recover", "x.rfdir", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == ["first.rf", "x.rf"]
    assert names(tmp_path / "x.rf") == ["last"]


# ---- Other processes ----


def test_fork(program, tmp_path):
    """Forked processes are recorded until they or the recording end; stop() is the parent's."""
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, os
        def child(function):
            pid = os.fork()
            if pid == 0:
                function()
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
        with rangefinder.profile("x.rf") as p:
            nvtx.mark("parent")
            def inner():
                nvtx.mark("child", domain="of the child")
                p.stop()
                assert p.path is None and not p.is_recording
                try: rangefinder.profile("other.rf").start()
                except RuntimeError as error: assert "being recorded already" in str(error)
                else: assert False
            child(inner)
        def own():
            with rangefinder.profile("own.rf"):
                nvtx.mark("own")
        child(own)
        assert p.n_processes == 2
        """
    )
    assert sorted(names(tmp_path / "x.rf")) == ["child", "parent"]
    assert names(tmp_path / "own.rf") == ["own"]
    assert files(tmp_path) == ["own.rf", "x.rf"]


def test_fork_across_the_end(program, tmp_path):
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx, os
        ready, go = os.pipe(), os.pipe()
        with rangefinder.profile("x.rf"):
            pid = os.fork()
            if pid == 0:
                nvtx.mark("in time")
                os.write(ready[1], b"x")
            else:
                os.read(ready[0], 1)
        if pid == 0:
            os.read(go[0], 1)
            nvtx.mark("too late")
            os._exit(0)
        os.write(go[1], b"x")
        assert os.waitpid(pid, 0)[1] == 0
        """
    )
    assert names(tmp_path / "x.rf") == ["in time"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(program, tmp_path, method):
    program(
        f"""
        import multiprocessing, rangefinder, rangefinder.nvtx as nvtx
        def work(number):
            with nvtx.annotate(f"work {{number}}"):
                return number * number
        if __name__ == "__main__":
            multiprocessing.set_start_method("{method}")
            with rangefinder.profile("x.rf"):
                with multiprocessing.Pool(2) as pool:
                    assert pool.map(work, range(4)) == [0, 1, 4, 9]
                    pool.close()
                    pool.join()
                nvtx.mark("parent")
        """
    )
    found = names(tmp_path / "x.rf")
    workers = [f"work {i}" for i in range(4)] if method == "fork" else []
    assert sorted(found) == ["parent", *workers]


def test_programs_that_are_started(program, tmp_path):
    """They are not recorded, say nothing, and see no other os.environ; those with a recording of
    their own have it."""
    program(
        """
        import os, rangefinder, rangefinder.nvtx as nvtx, subprocess, sys
        assert "NVTX_INJECTION64_PATH" not in os.environ
        code = (
            "import rangefinder.nvtx as nvtx, ctypes, sys\\n"
            "assert type(nvtx.get_domain('D')).__name__ == 'DummyDomain'\\n"
            "if len(sys.argv) > 1: ctypes.CDLL(sys.argv[1])\\n"
            "nvtx.mark('child')\\n"
        )
        own = (
            "import rangefinder, rangefinder.nvtx as nvtx\\n"
            "with rangefinder.profile('own.rf'): nvtx.mark('own')\\n"
        )
        plain = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).annotate_by_library(b'plain')"
        with rangefinder.profile("x.rf"):
            for arguments in (code,), (own,), (plain, sys.argv[1]):
                done = subprocess.run([sys.executable, "-c", *arguments], capture_output=True)
                assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), done
            subprocess.run([sys.argv[2], "profile", "-q", "-o", "line", sys.executable, "-c",
                            "import rangefinder.nvtx as nvtx; nvtx.mark('line')"], check=True)
            nvtx.mark("parent")
        """,
        LIBRARY_FILE,
        RANGEFINDER,
    )
    assert names(tmp_path / "x.rf") == ["parent"]
    assert names(tmp_path / "own.rf") == ["own"]
    assert names(tmp_path / "line.rf") == ["line"]
    assert files(tmp_path) == ["line.rf", "own.rf", "x.rf"]


# ---- Other users of NVTX ----

LIBRARY = """
import ctypes, sys
def mark(text): ctypes.CDLL(sys.argv[1]).annotate_by_library(text)
"""


def test_library_loaded_after(program, tmp_path):
    program(
        LIBRARY
        + """
import rangefinder
mark(b"before")
for i in range(2):
    with rangefinder.profile(f"{i}.rf"):
        mark(b"library %d" % i)
    mark(b"between")
""",
        LIBRARY_FILE,
    )
    for i in range(2):
        assert names(tmp_path / f"{i}.rf") == [f"library {i}"]


def test_library_that_looked_before(program, tmp_path):
    text = (
        LIBRARY
        + """
mark(b"before")
import rangefinder, rangefinder.nvtx as nvtx
with rangefinder.profile("x.rf"):
    mark(b"library")
    nvtx.mark("ours")
"""
    )
    errors = "program.py:7: RuntimeWarning: annotations of these libraries are not recorded: "
    program(text, LIBRARY_FILE, errors=errors + str(LIBRARY_FILE))
    assert names(tmp_path / "x.rf") == ["ours"]


def test_library_loaded_before_that_has_not_looked(program, tmp_path):
    program(
        """
        import ctypes, sys
        library = ctypes.CDLL(sys.argv[1])
        import rangefinder
        with rangefinder.profile("x.rf"):
            library.annotate_by_library(b"library")
        """,
        LIBRARY_FILE,
    )
    assert names(tmp_path / "x.rf") == ["library"]


def test_package_nvtx(program, tmp_path):
    pytest.importorskip("nvtx")
    program(
        """
        import rangefinder, nvtx
        nvtx.mark("before")
        with rangefinder.profile("x.rf"):
            with nvtx.annotate("range", domain="D"):
                pass
        """
    )
    assert names(tmp_path / "x.rf") == ["range"]


def test_package_nvtx_before(program, tmp_path):
    pytest.importorskip("nvtx")
    program(
        """
        import nvtx
        nvtx.mark("before")
        import rangefinder
        rangefinder.profile("x.rf").start()
        """,
        errors="are not recorded: nvtx/_lib/",
    )


def test_warning_as_error(program, tmp_path):
    """Nothing is left of a recording that does not begin."""
    program(
        LIBRARY
        + """
mark(b"before")
import rangefinder, warnings
warnings.simplefilter("error")
p = rangefinder.profile("x.rf")
try: p.start()
except RuntimeWarning: pass
else: assert False
assert not p.is_recording
warnings.simplefilter("ignore")
with p: pass
""",
        LIBRARY_FILE,
    )
    assert files(tmp_path) == ["x.rf"]


def test_standby_off(program, tmp_path):
    """RANGEFINDER_STANDBY=0: only annotations of rangefinder.nvtx."""
    text = (
        LIBRARY
        + """
import rangefinder, rangefinder.nvtx as nvtx, os
with rangefinder.profile("x.rf"):
    mark(b"library")
    nvtx.mark("ours")
"""
    )
    program(text, LIBRARY_FILE, RANGEFINDER_STANDBY="0")
    assert names(tmp_path / "x.rf") == ["ours"]


def test_nvtx_disabled(program, tmp_path):
    program(
        LIBRARY
        + """
import rangefinder, rangefinder.nvtx as nvtx
with rangefinder.profile("x.rf"):
    mark(b"library")
    nvtx.mark("ours")
""",
        LIBRARY_FILE,
        NVTX_DISABLE="1",
    )
    assert names(tmp_path / "x.rf") == ["library"]


# ---- Cost ----


def test_standby_is_no_tool(program):
    """With the recorder in standby nothing of rangefinder.nvtx is attached: what the speed without a
    tool hangs on, before and after a recording."""
    program(
        """
        import rangefinder, rangefinder.nvtx as nvtx
        domain = nvtx.get_domain("D")
        assert not domain.is_enabled() and nvtx.start_range("x") == (0, 0)
        with rangefinder.profile("x.rf"):
            assert domain.is_enabled() and nvtx.start_range("x")[0] != 0
        assert not domain.is_enabled() and nvtx.start_range("x")[0] == 0
        """
    )


def test_import_is_quiet(tmp_path):
    """The import makes no file, loads no recorder, and starts no thread."""
    code = (
        "import rangefinder, rangefinder.nvtx, threading\n"
        "with open('/proc/self/maps') as maps:\n"
        "    print('rangefinder-inject' in maps.read(), threading.active_count())"
    )
    done = run(sys.executable, "-c", code, cwd=tmp_path, env=clean_environment())
    assert (done.stdout, done.stderr) == ("False 1\n", "")
    assert list(tmp_path.iterdir()) == []
