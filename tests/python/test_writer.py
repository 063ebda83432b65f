# SPDX-License-Identifier: Apache-2.0
"""rangefinder.nvtx.writer against nvtx.writer of the package nvtx: the same programs make the same
recordings and raise the same."""

import json
import os
import re
import sys

import pytest

from conftest import BUILD, HERE, export, run

OURS = str(BUILD / "python")
BACKEND = BUILD / "lib" / "librangefinder-nvtxw.so"
PROGRAM = HERE / "writer_cases.py"
CASES = re.findall(r"^@case\ndef (\w+)\(session\):", PROGRAM.read_text(encoding="utf-8"), re.M)
WITHOUT_NUMPY = ("events", "domains", "orders", "counters", "threads")
N_EVENTS = {"events": 15, "domains": 8, "orders": 6, "counters": 0, "threads": 2000}


def write(python, module, case, output, backend=None):
    """Runs a case; what it printed."""
    env = {**os.environ, "PYTHONPATH": OURS if module == "rangefinder.nvtx" else ""}
    done = run(python, "-W", "error", PROGRAM, module, case, output, *([backend] if backend else []), env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def content(path):
    """What a recording has, but for what differs from run to run: the file's name, pids, the date."""
    lines = export(path)
    for line in lines:
        for key in ("path", "pid", "epoch_utc_ns"):
            line.pop(key, None)
    return lines


@pytest.mark.parametrize("case", CASES)
def test_same_recordings(nvtx_python, tmp_path, case):
    write(nvtx_python, "nvtx", case, tmp_path / "theirs.rf", BACKEND)
    write(nvtx_python, "rangefinder.nvtx", case, tmp_path / "ours.rf")
    ours, theirs = content(tmp_path / "ours.rf"), content(tmp_path / "theirs.rf")
    assert ours == theirs and len(ours) > 3


@pytest.mark.parametrize("case", WITHOUT_NUMPY)
def test_default_backend(tmp_path, case):
    """The interpreter of the build, which may have no NumPy, and no backend that is named."""
    write(sys.executable, "rangefinder.nvtx", case, tmp_path / "a.rf")
    lines = content(tmp_path / "a.rf")
    events = [line for line in lines if line["type"] in ("push_pop", "start_end", "mark")]
    assert len(events) == N_EVENTS[case]


def test_same_errors(nvtx_python, tmp_path):
    theirs = write(nvtx_python, "nvtx", "errors", tmp_path / "theirs.rf", BACKEND)
    ours = write(nvtx_python, "rangefinder.nvtx", "errors", tmp_path / "ours.rf", BACKEND)
    assert theirs.count("Error") > 60
    assert ours == theirs


LIST = """
import importlib, sys
writer = importlib.import_module(sys.argv[1])
for name in sorted(writer.__all__):
    thing = getattr(writer, name)
    print(name, *sorted(each for each in dir(thing) if not each.startswith("_") and isinstance(thing, type)
                        and not hasattr(Exception, each) and not hasattr(int, each)))
"""


def test_same_names(nvtx_python):
    theirs = run(nvtx_python, "-c", LIST, "nvtx.writer", env={**os.environ, "PYTHONPATH": ""})
    ours = run(nvtx_python, "-c", LIST, "rangefinder.nvtx.writer", env={**os.environ, "PYTHONPATH": OURS})
    assert theirs.stdout.count("\n") == 14 and ours.stdout == theirs.stdout, (theirs.stderr, ours.stderr)
    page = (HERE.parent.parent / "docs" / "nvtx-python.md").read_text(encoding="utf-8")
    for line in ours.stdout.splitlines():
        name, *members = line.split()
        row = re.search(rf"^\| `writer\.{name}` \| ([\w ]*)\|", page, re.M)
        assert row is not None and sorted(row[1].split()) == members, line


def test_given_categories(nvtx_python, tmp_path):
    """Numbers of categories in the fields of events and batches are not given to names."""
    program = (
        "from rangefinder import nvtx; from rangefinder.nvtx import writer\n"
        "number = nvtx.numpy_dtype('u4', entry_type=nvtx.PayloadEntryType.CATEGORY)\n"
        "at = nvtx.numpy_dtype('i8', entry_kind=nvtx.EntryKind.MARK)\n"
        "with writer.Session('s', config='output=a.rf') as session:\n"
        "    domain = session.get_domain('d')\n"
        "    schema = domain.get_schema([('at', at), ('category', number)], kind=nvtx.EventKind.MARK)\n"
        "    with session.create_stream('t', domain=domain) as stream:\n"
        "        stream.write_event(schema, (1, 1))\n"
        "        stream.write_event_batch(schema, [(2, 2), (3, 4)])\n"
        "        print(*map(domain.get_category_id, ('three', 'five')))\n"
    )
    done = run(nvtx_python, "-c", program, cwd=tmp_path, env={**os.environ, "PYTHONPATH": OURS})
    assert done.stdout == "3 5\n", done.stderr


def test_installed(tmp_path):
    """After install() it is nvtx.writer."""
    program = (
        "import rangefinder; rangefinder.install('nvtx')\n"
        "import nvtx.writer, rangefinder.nvtx.writer, nvtx._lib.writer\n"
        "assert nvtx.writer is rangefinder.nvtx.writer and nvtx._lib.writer.Session is nvtx.writer.Session\n"
        "with nvtx.writer.Session('s', config='output=a.rf') as session:\n"
        "    with session.create_stream('t') as stream:\n"
        "        stream.write_mark(5, message='x')\n"
    )
    done = run(sys.executable, "-c", program, cwd=tmp_path, env={**os.environ, "PYTHONPATH": OURS})
    assert done.returncode == 0, done.stderr
    assert [line["name"] for line in export(tmp_path / "a.rf") if line["type"] == "mark"] == ["x"]


def test_reasons(tmp_path):
    """Rangefinder's backend says in words what went wrong."""
    from rangefinder.nvtx import writer

    path = tmp_path / "a.rf"
    path.write_text("mine")
    with pytest.raises(writer.WriterError) as failed:
        writer.Session("s", config=f"output={path}").begin()
    assert failed.value.result_code == 1 and failed.value.operation == "SessionBegin"
    assert str(path) in failed.value.detail and failed.value.detail in str(failed.value)
    assert path.read_text() == "mine"


def test_close_ends_sessions(tmp_path):
    from rangefinder.nvtx import writer

    backend = writer.load_backend(BACKEND)
    session = writer.Session("s", backend=backend, config=f"output={tmp_path / 'a.rf'}")
    session.begin()
    stream = session.create_stream("t")
    stream.open()
    stream.write_mark(5, message="x")
    backend.close()
    backend.close()
    with pytest.raises(RuntimeError, match="closed"):
        session.begin()
    with pytest.raises(RuntimeError, match="not open"):
        stream.write_mark(6)
    assert json.dumps([line["name"] for line in export(tmp_path / "a.rf") if line["type"] == "mark"]) == '["x"]'


FORKING = """
import os, sys
from rangefinder.nvtx import writer
backend = writer.load_backend()
with writer.Session("parent", backend=backend, config="output=" + sys.argv[1]) as session:
    domain = session.get_domain("d")
    with session.create_stream("main", domain=domain) as stream:
        stream.write_mark(1, message="before")
        child = os.fork()
        if child != 0:
            status = os.waitpid(child, 0)[1]
            stream.write_mark(2, message="after")
            assert domain.get_registered_string("still there")
        elif sys.argv[2] == "close":
            backend.close()
            backend.close()
if child != 0:
    sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("how", ["leave", "close"])
def test_fork(tmp_path, how):
    """A child leaves the session to its parent, which goes on with it."""
    output = tmp_path / "parent.rf"
    env = {**os.environ, "PYTHONPATH": OURS}
    done = run(sys.executable, "-W", "ignore", "-c", FORKING, output, how, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line["name"] for line in content(output) if line["type"] == "mark"] == ["before", "after"]
