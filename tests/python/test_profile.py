# SPDX-License-Identifier: Apache-2.0
"""rangefinder.profile(): what is recorded, by whom, and what is not. Every program runs in a process
of its own, because a process has one recorder."""

import os
import signal
import sys
import textwrap

import pytest

from conftest import BUILD, RANGEFINDER, export, run

LIBRARY_FILE = BUILD / "tests" / "python" / "library.so"

RANGES = ("push_pop", "start_end")


@pytest.fixture
def program(tmp_path):
    """program(text, status=0, ...) runs a program in an empty folder: its standard output, lines."""

    def program(text, *arguments, status=0, errors="", under=(), **env):
        (tmp_path / "program.py").write_text(textwrap.dedent(text))
        done = run(
            *under, sys.executable, "program.py", *arguments, cwd=tmp_path,
            env={**clean_environment(), **env},
        )
        assert done.returncode == status, done.stderr
        assert errors in done.stderr if errors else done.stderr == "", done.stderr
        return done.stdout.splitlines()

    yield program
    for path in tmp_path.rglob("*.pool"):
        if path.is_symlink():
            path.resolve().unlink(missing_ok=True)


def clean_environment():
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("NVTX_INJECTION64_PATH", "NVTX_DISABLE", "RANGEFINDER_STANDBY")
    }


def events(path, *types):
    """Ranges and marks, or some of them."""
    return [line for line in export(path) if line["type"] in (types or ("mark", *RANGES))]


def names(path):
    return [line["name"] for line in events(path)]


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "program.py")


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
