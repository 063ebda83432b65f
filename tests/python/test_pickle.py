# SPDX-License-Identifier: Apache-2.0
"""What goes to other processes: rows of reports, recordings by their paths, errors."""

import os
import pickle
import subprocess
import sys

import pytest

import recordings
from conftest import BUILD

import rangefinder

REPORTS = sorted({name for name, _, _ in rangefinder.recording._reader.reports()})


def copied(value):
    return pickle.loads(pickle.dumps(value))


@pytest.fixture(params=["ranges", "c_real_h100_2gpu.sqlite.gz"], scope="module")
def recording(request, tmp_path_factory):
    opened = rangefinder.open(recordings.make(request.param, tmp_path_factory.mktemp("pickle")))
    yield opened
    opened.close()


def as_dicts(rows):
    """As text: NaN is not equal to itself."""
    return repr([row.as_dict() for row in rows])


@pytest.mark.parametrize("report", REPORTS)
def test_rows_of_every_report(recording, report):
    try:
        rows = recording.stats(report)
    except (RuntimeError, ValueError):
        pytest.skip("this recording has no such report")
    again = copied(rows)
    assert repr(again) == repr(rows) and as_dicts(again) == as_dicts(rows)
    table, other = rows.columns(), again.columns()
    assert other.keys() == table.keys()
    for name in table:
        assert repr(other[name].tolist()) == repr(table[name].tolist()) and other[name].type == table[name].type
    assert pickle.dumps(copied(again)) == pickle.dumps(again)


def test_parts_of_rows(recording):
    rows = recording.stats("nvtx_pushpop_trace")
    assert as_dicts(copied(rows[::-2])) == as_dicts(rows[::-2])
    assert len(copied(rows[3:3])) == 0
    some = rows.filter(Lvl=0)
    assert as_dicts(copied(some)) == as_dicts(some)
    row = copied(rows[-1])
    assert row.as_dict() == rows[-1].as_dict() and type(row) is type(rows[-1])
    table = copied(rows[:2].columns("Name", "PID"))
    assert table.keys() == ("Name", "PID") and table["Name"].tolist() == rows[:2].columns()["Name"].tolist()


def test_rows_outlive_their_recording(tmp_path):
    with rangefinder.open(recordings.make("ranges", tmp_path)) as recording:
        state = pickle.dumps(recording.stats("nvtx_sum"))
        wanted = as_dicts(recording.stats("nvtx_sum"))
    os.unlink(tmp_path / "ranges.rf")
    assert as_dicts(pickle.loads(state)) == wanted


def test_another_process(recording, tmp_path):
    """One that has not imported the module yet."""
    (tmp_path / "rows").write_bytes(pickle.dumps(recording.stats("nvtx_sum")))
    (tmp_path / "recording").write_bytes(pickle.dumps(recording))
    program = """
import pickle
print([row.as_dict() for row in pickle.load(open("rows", "rb"))] ==
      [row.as_dict() for row in pickle.load(open("recording", "rb")).stats("nvtx_sum")])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_recordings(recording, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    again = copied(recording)
    assert again.info == recording.info or os.path.isabs(again.info.path)
    part = recording.filter(activity="nvtx").filter(name="*a*", time=(0, None))
    assert as_dicts(copied(part).stats("nvtx_sum")) == as_dicts(part.stats("nvtx_sum"))
    assert copied(copied(part)).info.n_ranges == part.info.n_ranges


def test_a_recording_that_is_gone(tmp_path):
    with rangefinder.open(recordings.make("ranges", tmp_path)) as recording:
        state = pickle.dumps(recording)
    os.rename(tmp_path / "ranges.rf", tmp_path / "other.rf")
    with pytest.raises(OSError, match="ranges.rf"):
        pickle.loads(state)


def test_rows_of_recordings_do_not(recording):
    for rows in (recording.ranges, recording.ranges[:1], recording.threads, recording.ranges.columns()):
        with pytest.raises(TypeError, match="pickle the Recording"):
            pickle.dumps(rows)
    with pytest.raises(TypeError, match="pickle the Recording"):
        pickle.dumps(recording.ranges[0])


def test_errors(tmp_path):
    (tmp_path / "bad.rf").write_bytes(b"what is this?")
    with pytest.raises(rangefinder.FormatError) as caught:
        rangefinder.open(tmp_path / "bad.rf")
    again = copied(caught.value)
    assert (type(again), str(again), again.code, again.offset) == (
        rangefinder.FormatError, str(caught.value), caught.value.code, caught.value.offset)


@pytest.mark.parametrize("change", [
    lambda name, titles, types, cells, texts: (name, titles, types, cells[:-1], texts),
    lambda name, titles, types, cells, texts: (name, titles[:-1], types, cells, texts),
    lambda name, titles, types, cells, texts: (name, titles, b"\xff" * len(types), cells, texts),
    lambda name, titles, types, cells, texts: (name, titles, types, cells, texts[:-1]),
    lambda name, titles, types, cells, texts: (name, titles, types, cells, ("text",) * len(texts)),
    lambda name, titles, types, cells, texts: (name, (1,) * len(titles), types, cells, texts),
    lambda name, titles, types, cells, texts: ("", (), b"", b"", ()),
    lambda *state: state[:2],
    lambda *state: None,
])
def test_a_state_that_is_damaged(recording, change):
    reader = rangefinder.recording._reader
    with pytest.raises((TypeError, ValueError)):
        reader.report_of_state(change(*reader.report_state(recording.stats("nvtx_sum"))))
