# SPDX-License-Identifier: Apache-2.0
"""Recordings in Python: opened, closed under whatever was had of them, and given back whole."""

import ast
import collections.abc
import importlib
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import pytest

from conftest import RANGEFINDER, run
from recordings import focused, imported  # fixtures

import rangefinder
from rangefinder import recording as reader


# ---- Opening and closing ----


def test_what_is_no_recording(focused, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        rangefinder.open(tmp_path / "nothing.rf")
    assert caught.value.filename is not None
    text = tmp_path / "text.rf"
    text.write_text("this is no recording" * 1000)
    with pytest.raises(rangefinder.FormatError, match="text.rf") as caught:
        rangefinder.open(text)
    assert isinstance(caught.value, ValueError) and caught.value.code == "RF_ERR_FORMAT"
    whole = focused.read_bytes()
    cut = tmp_path / "cut.rf"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(rangefinder.FormatError) as caught:
        rangefinder.open(cut)
    assert caught.value.code == "RF_ERR_DAMAGED" and caught.value.offset > 0
    assert str(caught.value.offset) in str(caught.value)
    with pytest.raises(rangefinder.FormatError, match="no file 'session'"):
        rangefinder.open(tmp_path)
    with pytest.raises(TypeError):
        rangefinder.open(None)
    with pytest.raises(ValueError, match="null"):
        rangefinder.open("a\0b")


def test_salvage(focused, tmp_path):
    damaged = tmp_path / "damaged.rf"
    whole = bytearray(focused.read_bytes())
    damaged.write_bytes(whole[:-64])
    with pytest.raises(rangefinder.FormatError):
        rangefinder.open(damaged)
    with rangefinder.open(damaged, salvage=True) as recording:
        assert recording.info.n_damaged_bytes > 0 or recording.info.n_events > 0


def test_a_live_session(tmp_path):
    out = tmp_path / "live.rf"
    program = [sys.executable, "-c",
               "import sys\nfrom rangefinder import nvtx\nnvtx.push_range('open')\n"
               "print('ready', flush=True)\nsys.stdin.read()"]
    process = subprocess.Popen([RANGEFINDER, "profile", "-q", "-o", out, "--", *program],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        folder = next(path for path in tmp_path.iterdir() if path.is_dir())
        with rangefinder.open(folder) as recording:
            assert recording.info.is_live
            assert [(r.name, r.cut is None) for r in recording.ranges] == [("open", False)]
    finally:
        process.communicate(b"")
    with rangefinder.open(out) as recording:
        assert not recording.info.is_live and recording.ranges[0].name == "open"


def test_closing_leaves_what_was_had(imported):
    recording = rangefinder.open(imported)
    rows, row = recording.ranges, recording.ranges[5]
    expected = row.as_dict(), row.thread.name, len(rows)
    table = recording.ranges.columns("start_ns", "name")
    starts = memoryview(recording.threads[0].events.columns()["start_ns"])
    first = starts[0]
    assert not recording.closed
    recording.close()
    recording.close()
    assert recording.closed
    assert (row.as_dict(), row.thread.name, len(rows)) == expected
    assert starts[0] == first and table["name"][5] == row.name
    assert row.parent is None or row.parent.duration_ns >= row.duration_ns
    for use in (lambda: recording.ranges, lambda: recording.export("x.json"), lambda: recording.messages,
                lambda: recording.stats("nvtx_sum"), lambda: recording.projections(),
                lambda: recording.table("ranges")):
        with pytest.raises(ValueError, match="the recording is closed"):
            use()
    assert recording.info.n_ranges == expected[2]  # was taken when it was opened


def test_leaving_a_with_block_closes(focused):
    with pytest.raises(KeyError):
        with rangefinder.open(focused) as recording:
            recording.table("ranges", "nothing")
    assert recording.closed


def test_tables_by_name(focused):
    with rangefinder.open(focused) as recording:
        table = recording.table("ranges", "name", "start_ns")
        assert list(table) == ["name", "start_ns"] and len(table) == 2
        assert table["start_ns"].tolist() == [r.start_ns for r in recording.ranges]
        assert table.n_rows == len(recording.ranges)
        assert table.keys() == ("name", "start_ns")
        for wrong in ("kind", 1):
            with pytest.raises(KeyError):
                table[wrong]
        with pytest.raises(KeyError):
            recording.table("nothing")
        with pytest.raises(TypeError):
            recording.ranges.columns(1)
        with pytest.raises(ValueError, match="did you mean 'nvtx_sum'"):
            recording.stats("nvtx_summ")


def test_threads_may_share_a_recording(imported):
    recording = rangefinder.open(imported)
    expected = [r.duration_ns for r in recording.ranges]
    failures = []

    def work(seed):
        try:
            for turn in range(20):
                part = recording.filter(activity="nvtx") if turn % 5 == seed % 5 else recording
                column = part.ranges.columns()["duration_ns"]
                assert memoryview(column).tolist() == expected
                assert [r.duration_ns for r in part.ranges[seed::7]] == expected[seed::7]
                assert part.ranges[seed].depth >= 0
                assert part.ranges.columns()["name"].codes is not None
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_closing_under_a_running_export(imported, tmp_path):
    for turn in range(10):
        recording = rangefinder.open(imported)
        closer = threading.Timer(0.001 * turn, recording.close)
        closer.start()
        try:
            recording.export(tmp_path / f"{turn}.jsonl")
        except ValueError as error:
            assert "closed" in str(error)
        closer.join()


# ---- Nothing leaks ----


def use_everything(path):
    with rangefinder.open(path) as recording:
        for rows in (recording.events, recording.ranges, recording.gpu_ops, recording.calls,
                     recording.threads, recording.processes, recording.stats("nvtx_sum")):
            table = rows.columns()
            for name in table:
                column = table[name]
                column.tolist(), column.nulls, column.categories
                column.__arrow_c_array__()
                if column.type != "text":
                    memoryview(column).tolist()
                elif column.codes is not None:
                    memoryview(column.codes).tolist()
            rows.__arrow_c_stream__(), table.__arrow_c_schema__()
            for row in rows[:20]:
                for attribute in dir(row):
                    getattr(row, attribute)
                repr(row), hash(row), row.as_dict()
        part = recording.filter(activity="nvtx")
        part.ranges.filter(name=re.compile("a"), tid=[1, 2])
        recording.projections(kernels_only=True)[:1]
        for wrong in (lambda: recording.ranges.filter(name=1), lambda: recording.stats("x"),
                      lambda: recording.filter(time="x"), lambda: recording.ranges[10**9],
                      lambda: recording.table("ranges", "x"), lambda: rangefinder.open(__file__)):
            with pytest.raises((TypeError, ValueError, LookupError)):
                wrong()


def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def test_reference_counts(imported):
    def counts():
        types = [value for value in vars(reader).values() if isinstance(value, type)]
        return [sys.getrefcount(one) for one in types]

    for _ in range(3):
        use_everything(imported)
    before, blocks = counts(), sys.getallocatedblocks()
    for _ in range(5):
        use_everything(imported)
    assert counts() == before
    assert sys.getallocatedblocks() - blocks < 200


def test_memory_is_given_back(imported):
    def turn():
        recording = rangefinder.open(imported)
        recording.ranges.columns()["name"].codes
        recording.ranges.__arrow_c_stream__()
        recording.ranges[0].depth

    for _ in range(20):
        turn()
    before = resident_kib()
    for _ in range(60):
        turn()
    assert resident_kib() - before < 4096  # of 60 recordings of more than a megabyte each


# ---- The package ----


def test_annotating_loads_no_reader():
    program = ("import sys, rangefinder.nvtx\n"
               "assert not [m for m in sys.modules if m in ('rangefinder._reader', 'rangefinder.recording')]\n"
               "import rangefinder\nassert 'open' in dir(rangefinder)\n"
               "rangefinder.open\nassert 'rangefinder._reader' in sys.modules\n"
               "try:\n    rangefinder.nothing\nexcept AttributeError as error:\n    print(error)")
    done = run(sys.executable, "-c", program)
    assert done.stdout == "module 'rangefinder' has no attribute 'nothing'\n", done.stderr


def test_importing_anew_changes_nothing(focused):
    program = ("import sys, rangefinder.recording as first\n"
               "del sys.modules['rangefinder._reader'], sys.modules['rangefinder.recording']\n"
               "import rangefinder.recording as second\n"
               "assert first is not second and first.Range is second.Range\n"
               f"print(second.open({str(focused)!r}).ranges[0].name == first.open({str(focused)!r}).ranges[0].name)")
    done = run(sys.executable, "-c", program)
    assert done.stdout == "True\n", done.stderr


def test_a_sub_interpreter_is_refused():
    program = ("import sys\n"
               "try:\n    import _interpreters as sub\n"
               "except ImportError:\n    import _xxsubinterpreters as sub\n"
               "made = sub.create('legacy') if sys.version_info >= (3, 13) else sub.create()\n"
               "code = '''try:\n    import rangefinder._reader\n"
               "except ImportError as error:\n    print(error, flush=True)'''\n"
               "sub.run_string(made, code)\n")
    done = run(sys.executable, "-c", program)
    if "No module named" in done.stderr:
        pytest.skip("this Python has no module for sub-interpreters")
    assert "interpreter" in done.stdout, done.stderr  # Python's own words, or ours


def members(stub, name):
    """The attributes and methods that a stub gives a class."""
    found = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    names = {node.target.id for node in found.body if isinstance(node, ast.AnnAssign)}
    names |= {node.name for node in found.body if isinstance(node, ast.FunctionDef)}
    return {name for name in names if not name.startswith("__")}


@pytest.mark.parametrize("module", ["_reader", "recording"])
def test_stubs_name_what_there_is(module):
    imported = importlib.import_module(f"rangefinder.{module}")
    stub = ast.parse(pathlib.Path(imported.__file__).with_name(f"{module}.pyi").read_text())
    for name in (node.name for node in stub.body if isinstance(node, ast.ClassDef)):
        value = getattr(imported, name)
        there = {member for member in vars(value) if not member.startswith("_")}
        if name in ("Info", "Ring"):
            there = set(value.__dataclass_fields__)
        assert members(stub, name) - {"code", "offset"} == there, name


def test_all_is_documented():
    for name in reader.__all__:
        value = getattr(reader, name)
        assert value.__doc__, name
        if not isinstance(value, type):
            continue
        for member, entry in vars(value).items():
            if not member.startswith("_") and not isinstance(entry, collections.abc.Hashable):
                continue
            if not member.startswith("_") and name != "Info":
                assert getattr(value, member).__doc__, (name, member)
