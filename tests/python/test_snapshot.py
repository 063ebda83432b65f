# SPDX-License-Identifier: Apache-2.0
"""rangefinder.snapshot(), and what a recording says of its ring."""

import sys

import pytest

import rangefinder
from conftest import run

PROGRAM = """
import os, sys, time
import rangefinder
rangefinder.nvtx.mark("before")
rangefinder.snapshot(*sys.argv[2:])
rangefinder.snapshot("within the cool-down")
deadline = time.monotonic() + 60
while not os.path.exists(sys.argv[1]) and time.monotonic() < deadline:
    time.sleep(0.01)
"""


@pytest.mark.parametrize("reason", [["slow \u00e4nswers"], []])
def test_snapshot_in_a_ring(record, tmp_path, reason):
    path = tmp_path / "recorded.snapshot1.rf"
    done = record("-c", PROGRAM, path, *reason, options=["--ring=1M"])
    assert (done.status, done.stderr) == (0, "")
    with rangefinder.open(path) as recording:
        ring = recording.ring
        assert (ring.size_bytes, ring.snapshot, ring.rule, ring.value_ns) == (1 << 20, 1, "", None)
        assert ring.reason == (reason[0] if reason else "asked for by the program")
        assert 0 < ring.asked_ns <= recording.info.end_ns
        before, asking, *_ = recording.marks
        assert (before.name, asking.domain, asking.name) == ("before", "rangefinder.snapshot", ring.reason)
    assert not (tmp_path / "recorded.snapshot2.rf").exists()
    with rangefinder.open(done.path) as recording:
        assert (recording.ring.snapshot, recording.ring.asked_ns, recording.ring.reason) == (0, None, "")


def test_rule_and_rank(record, tmp_path):
    program = "import rangefinder, time\nwith rangefinder.nvtx.annotate('work'): time.sleep(0.05)\n"
    record("-c", program, options=["--ring=1M", "--snapshot-on=slow:work:20ms"], env={"RANK": "3", "WORLD_SIZE": "8"})
    with rangefinder.open(tmp_path / "recorded.snapshot1.rf") as recording:
        assert recording.ring.rule == "slow:work:20ms"
        assert (recording.info.rank, recording.info.world_size) == (3, 8)
        assert recording.ring.value_ns >= 50_000_000
        assert recording.ring.reason.startswith("'work' took ")


def test_without_a_ring(record):
    assert record("-c", "import rangefinder\nrangefinder.snapshot('nobody')\n").status == 0
    done = run(sys.executable, "-c", "import rangefinder\nrangefinder.snapshot('nobody')\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for reason in (3, b"bytes", ["list"]):
        with pytest.raises(TypeError, match="must be a str or None"):
            rangefinder.snapshot(reason)


def test_no_ring_in_others(record):
    done = record("-c", "import rangefinder\nrangefinder.nvtx.mark('one')\n")
    with rangefinder.open(done.path) as recording:
        assert recording.ring is None
