# SPDX-License-Identifier: Apache-2.0
"""The exports of a recording: those of the command line, and the care of files."""

import os
import sqlite3
import sys

import pytest

from conftest import RANGEFINDER, run
from recordings import focused, imported, path  # fixtures
from test_recording import report

import rangefinder


def test_several_recordings_go_into_one_file(tmp_path):
    kinds = ("sqlite", "perfetto", "json")
    inputs = [tmp_path / f"run{i}.rf" for i in range(2)]
    for i, path in enumerate(inputs):
        run(RANGEFINDER, "profile", "-q", "-o", path, sys.executable, "-c",
            f"from rangefinder import nvtx\nfor i in range({i + 1}):\n  with nvtx.annotate('work'): pass")
    for kind in kinds:
        ours, theirs = tmp_path / f"ours.{kind}", tmp_path / f"theirs.{kind}"
        shown = []
        with rangefinder.open(inputs[0]) as first:
            rangefinder.export([first, inputs[1]], ours, kind, progress=shown.append)
            assert first.info.n_ranges == 1
        done = run(RANGEFINDER, "export", "-q", "-t", kind, "-o", theirs, *inputs)
        assert done.returncode == 0 and all(0 <= share <= 1 for share in shown)
        if kind == "sqlite":
            for query in ("SELECT clockOffsetNs, firstMachine FROM RANGEFINDER_INPUTS", "SELECT start, text FROM NVTX_EVENTS"):
                assert sqlite3.connect(ours).execute(query).fetchall() == sqlite3.connect(theirs).execute(query).fetchall()
        else:
            assert ours.stat().st_size == theirs.stat().st_size
    with rangefinder.open(tmp_path / "ours.sqlite") as merged:
        assert len([event for event in merged.ranges if event.name == "work"]) == 3
    with pytest.raises(FileExistsError):
        rangefinder.export(inputs, tmp_path / "ours.sqlite")
    for wrong, error in (([inputs[0]] * 2, ValueError), ([], ValueError), (inputs[0], TypeError),
                         ([inputs[0], tmp_path / "missing.rf"], FileNotFoundError), ([inputs[0], None], TypeError)):
        with pytest.raises(error):
            rangefinder.export(wrong, tmp_path / "no.json")
    with pytest.raises(ValueError):
        rangefinder.export(inputs, tmp_path / "no.csv")
    assert not list(tmp_path.glob("no.*"))


def test_exports_are_those_of_the_command_line(path, tmp_path):
    with rangefinder.open(path) as recording:
        for suffix, kind in (("jsonl", "jsonl"), ("json", "json"), ("csv", "csv"), ("txt", "text")):
            ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
            recording.export(ours)
            done = run(RANGEFINDER, "export", "-t", kind, "-o", theirs, path)
            assert done.returncode == 0, done.stderr
            assert ours.read_bytes() == theirs.read_bytes()


def test_exports_with_options(imported, tmp_path):
    cases = (("kineto.json", {"flavor": "kineto"}, "--flavor=kineto"),
             ("category.pftrace", {"tracks": "category"}, "--tracks=category"),
             ("category.json", {"tracks": "category"}, "--tracks=category"),
             ("events.pftrace", {"gpu_events": True}, "--gpu-events"))
    with rangefinder.open(imported) as recording:
        for name, options, theirs in cases:
            out = tmp_path / name
            recording.export(out, **options)
            ours = out.read_bytes()
            kind = "perfetto" if name.endswith("pftrace") else "json"
            done = run(RANGEFINDER, "export", "-t", kind, theirs, "-f", "true", "-o", out, imported)
            assert done.returncode == 0, done.stderr
            assert out.read_bytes() == ours
        for wrong in ({"flavor": "vanilla"}, {"tracks": "thread"}):
            with pytest.raises(ValueError, match=f"{list(wrong)[0]} must be"):
                recording.export(tmp_path / "x.json", **wrong)
        by_process = report(imported, "nvtx_gpu_proj_sum", "--by-process")
        assert len(recording.stats("nvtx_gpu_proj_sum", by_process=True)) == len(by_process)


def test_export_takes_care_of_files(focused, tmp_path):
    out = tmp_path / "out.json"
    done = []
    with rangefinder.open(focused) as recording:
        recording.export(str(out), progress=done.append)
        with pytest.raises(FileExistsError, match="out.json. exists already; overwrite=True replaces it$"):
            recording.export(out)
        recording.export(out, "text", overwrite=True)
        assert not out.read_text().startswith("{")
        with pytest.raises(ValueError, match="format"):
            recording.export(tmp_path / "x.y")
        with pytest.raises(ValueError, match="did you mean 'jsonl'"):
            recording.export(tmp_path / "x", "jsonll")
        with pytest.raises(OSError):
            recording.export(tmp_path / "no" / "folder.json")
        os.chdir(tmp_path)
        recording.export("-", "csv")
        assert (tmp_path / "-").exists()
    assert all(0 <= share <= 1 for share in done)


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A recording of 200,000 marks."""
    path = tmp_path_factory.mktemp("long") / "long.rf"
    program = "from rangefinder import nvtx\nfor i in range(200000): nvtx.mark('one')"
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    return path


def test_progress_may_end_an_export(long, tmp_path):
    out = tmp_path / "out.jsonl"
    shares = []

    def refuse(share):
        shares.append(share)
        raise LookupError(share)

    with rangefinder.open(long) as recording:
        with pytest.raises(LookupError):
            recording.export(out, progress=refuse)
        assert os.listdir(tmp_path) == [] and len(shares) == 1 and 0 < shares[0] < 1
        recording.export(out, progress=shares.append)
        assert out.exists() and len(shares) >= 4 and shares[-1] == 1
