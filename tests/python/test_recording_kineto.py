# SPDX-License-Identifier: Apache-2.0
"""Traces of torch.profiler as recordings."""

import decimal
import gzip
import json
import os

import pytest

import rangefinder

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "kineto")


def test_ranges_are_the_events_of_the_trace():
    path = os.path.join(FOLDER, "stacks.json.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    events = [event for event in trace["traceEvents"]
              if event["ph"] == "X" and event["cat"] != "Trace"]
    first = min(event["ts"] for event in events)
    domains = {"user_annotation": "NVTX"}  # the name of the default one
    expected = sorted((event["name"], domains.get(event["cat"], event["cat"]),
                       int((event["ts"] - first) * 1000), int(event["dur"] * 1000))
                      for event in events)
    with rangefinder.open(path) as recording:
        assert recording.info.is_import
        assert sorted((r.name, r.domain, r.start_ns, r.duration_ns)
                      for r in recording.ranges) == expected
        payload = json.loads(next(r.payload for r in recording.ranges if r.name == "aten::mm"))
        assert len(payload["Input Dims"]) == 2 and "Ev Idx" not in payload
        assert {counter.name for counter in recording.counters} == \
            {"Total Allocated", "Total Reserved"}


def test_a_cut_trace_is_an_error_unless_salvaged(tmp_path):
    path = tmp_path / "cut.json"
    with gzip.open(os.path.join(FOLDER, "plain.json.gz"), "rb") as file:
        path.write_bytes(file.read()[:20000])
    with pytest.raises(rangefinder.FormatError, match="ends at byte 20000"):
        rangefinder.open(path)
    with rangefinder.open(path, salvage=True) as recording:
        assert 0 < recording.info.n_ranges < 232
        assert recording.info.n_damaged_bytes > 0
