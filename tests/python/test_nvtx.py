# SPDX-License-Identifier: Apache-2.0
"""rangefinder.nvtx, recorded; where the package nvtx is there, or can be had, the same programs with
it give the same recordings."""

import inspect

import pytest

import nvtx_cases
from conftest import HERE

CASES = [
    name
    for name, value in vars(nvtx_cases).items()
    if inspect.isfunction(value) and value.__module__ == "nvtx_cases" and name != "begin"
]
BLUE, GREEN, RED = "#000000ff", "#00008000", "#00ff0000"


def summary(event):
    """What of an event does not depend on the run."""
    kept = ("type", "name", "domain", "category", "category_name", "color", "payload_type", "payload",
            "is_registered", "cut")
    return tuple((key, event[key]) for key in kept if key in event)


@pytest.fixture
def case(record):
    def case(name, module="rangefinder.nvtx", **options):
        recorded = record(HERE / "nvtx_cases.py", module, name, **options)
        assert recorded.status == 0, recorded.stderr
        return recorded

    return case


def fields(event, *names):
    return tuple(event.get(name) for name in names)


def test_marks(case):
    recorded = case("marks")
    plain, named = recorded.named("plain"), recorded.named("named")
    assert fields(plain, "type", "color", "domain", "category") == ("mark", BLUE, None, None)
    assert fields(named, "color", "domain", "category_name", "payload_type", "payload") == (
        GREEN, "d", "c", "int64", 7)
    assert fields(recorded.named("number"), "color", "category", "payload") == (RED, 5, 2.5)
    assert recorded.named("bits")["color"] == "#00123456"
    assert sum(event["type"] == "mark" for event in recorded.events) == 5


def test_push_pop(case):
    recorded = case("push_pop")
    outer, inner = recorded.named("outer"), recorded.named("inner")
    assert outer["start_ns"] < inner["start_ns"] < inner["end_ns"] < outer["end_ns"]
    assert recorded.named("other domain")["domain"] == "e"
    assert not any("cut" in event for event in recorded.events)


def test_process_ranges(case):
    recorded = case("process_ranges")
    first, second = recorded.named("first"), recorded.named("second")
    assert first["type"] == second["type"] == "start_end"
    assert first["start_ns"] < second["start_ns"] < first["end_ns"] < second["end_ns"]
    assert "cut" in recorded.named("left")


def test_process_ranges_end_elsewhere(case):
    assert case("across_functions").named("across functions")["type"] == "start_end"
    recorded = case("across_threads").named("across threads")
    assert recorded["end_thread"] != recorded["thread"]


def test_process_ranges_end_in_any_order(case):
    recorded = case("overlapping")
    ends = sorted((event["end_ns"], event["payload"]) for event in recorded.events)
    assert [payload for _, payload in ends] == [2, 0, 3, 1]


def test_context_managers(case):
    recorded = case("context")
    assert recorded.named("inside")["end_ns"] <= recorded.named("block")["end_ns"]
    assert sum(event.get("name") == "reused" for event in recorded.events) == 4


def test_decorators(case):
    recorded = case("decorators")
    assert recorded.named("by_name")["color"] == "#00ffff00"
    assert sum(event.get("name") == "method" for event in recorded.events) == 2
    for name in ("by message", "class method", "static method"):
        assert recorded.named(name)["type"] == "push_pop"


def test_exceptions_close_ranges(case):
    recorded = case("exceptions")
    after = recorded.named("after")
    for event in recorded.events:
        if event["type"] == "push_pop":
            assert "cut" not in event and event["end_ns"] <= after["start_ns"]


def test_messages(case):
    names = [event["name"] for event in case("messages").events]
    assert names == ["", "é", "漢字", "🙂", "x" * 5000, "tab\tnew\nline"]


def test_asyncio_tasks(case):
    recorded = case("tasks")
    spans = [recorded.named(f"task {i}") for i in range(3)]
    assert spans[0]["start_ns"] < spans[2]["start_ns"] < spans[2]["end_ns"] < spans[0]["end_ns"]


def test_thread_pool(case):
    assert sorted(event["payload"] for event in case("pool").events) == list(range(40))


# ---- The package nvtx ----


@pytest.mark.parametrize("name", CASES)
def test_same_as_nvtx(case, nvtx_python, name):
    ours = case(name)
    theirs = case(name, module="nvtx", python=nvtx_python, env={"PYTHONPATH": ""})
    # the package destroys its domains when the interpreter ends; ours live on
    theirs = [event for event in theirs.events if event["type"] != "domain_destroy"]
    assert sorted(map(repr, map(summary, ours.events))) == sorted(map(repr, map(summary, theirs)))
