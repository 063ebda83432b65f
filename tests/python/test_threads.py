# SPDX-License-Identifier: Apache-2.0
"""Annotations of many threads at once, with the GIL and, where the interpreter is free-threaded, without: no event
has what another thread has put into it, and what there is one of by name is made once."""

import collections
import os
import sys
import sysconfig

import pytest

from conftest import HERE, export, run
from threads_cases import COLORS, N_NAMES, N_ROUNDS, N_THREADS

IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
ARGB = {"red": "#00ff0000", "green": "#00008000", "blue": "#000000ff", "orange": "#00ffa500",
        "purple": "#00800080", "teal": "#00008080", "gold": "#00ffd700", "navy": "#00000080"}


@pytest.fixture
def case(record):
    """case(name) -> the recording. The interpreter decides whether there is a GIL: a module that needs it would
    turn it on, with a warning."""

    def case(name, *arguments):
        recorded = record("-W", "error", HERE / "threads_cases.py", name, *arguments, env={"PYTHON_GIL": ""})
        assert recorded.status == 0, recorded.stderr
        assert recorded.stdout == f"gil {not IS_FREE_THREADED}\n"
        return recorded

    return case


def spans(events):
    return [event for event in events if event["type"] == "push_pop"]


def named(events, kind, name="name"):
    """How often each name of a kind of event was made, by domain."""
    return collections.Counter((event["domain_id"], event[name]) for event in events if event["type"] == kind)


def check_names(found):
    """Ranges that say in their payload what they are to be."""
    for span in found:
        k = span["payload"]
        assert (span["name"], span["domain"], span["category_name"], span["color"]) == (
            f"message {k}", f"domain {k % 7}", f"category {k % 31}", ARGB[COLORS[k % 8]]), span


def test_names(case):
    events = case("names").events
    found = spans(events)
    check_names(found)
    assert collections.Counter(span["payload"] for span in found) == dict.fromkeys(range(N_NAMES), N_THREADS * N_ROUNDS)
    assert named(events, "domain_create") and set(named(events, "domain_create").values()) == {1}
    categories = named(events, "category")
    assert len(categories) == 7 * 31 and set(categories.values()) == {1}
    assert set(named(events, "category", "category").values()) == {1}  # each has an id of its own


def test_prepared(case):
    found = spans(case("prepared").events)
    assert len(found) == N_THREADS * 15000
    assert all(span["name"] == f"of {span['payload']}" for span in found)
    on_thread = collections.defaultdict(set)
    for span in found:
        on_thread[span["tid"]].add(span["payload"])
    assert sorted(on_thread.values(), key=min) == [{number} for number in range(N_THREADS)]


def test_annotations(case):
    found = collections.Counter(span["name"] for span in spans(case("annotations").events))
    assert found == {"shared": N_THREADS * 5000, "function": N_THREADS * 5000}


def test_annotate_begun_anew(case):
    found = spans(case("again").events)
    assert len(found) == N_THREADS // 2 * 5000
    assert all(span["name"] == ("first" if span["payload"] < 0 else f"name {span['payload']}") for span in found)


def test_counters(case):
    recorded = case("counters")
    samples = collections.Counter(event["counter"] for event in recorded.events if event["type"] == "sample")
    counters = [event["name"] for event in recorded.events if event["type"] == "counter"]
    assert sorted(counters) == sorted(f"counter {k}" for k in range(N_NAMES))
    assert len(samples) == N_NAMES and set(samples.values()) == {N_THREADS}


def test_payloads(case):
    events = case("payloads").events
    marks = collections.Counter(event["name"] for event in events if event["type"] == "mark")
    assert marks == {"texts": N_THREADS * 300, "numbers": N_THREADS * 300, "changing": N_THREADS * 300}
    for event in events:
        if event.get("name") == "numbers" and event["type"] == "mark":
            assert len(event["payload"]) == 2, event


def test_profile_that_ends(case):
    case("functions")


def test_profile_that_all_end(case):
    case("ends")


def test_sessions(tmp_path):
    """The process records itself, five times, while its threads annotate."""
    path = tmp_path / "session.rf"
    names = ("NVTX_INJECTION64_PATH", "NVTX_DISABLE", "RANGEFINDER_STANDBY", "RANGEFINDER_SESSION")
    env = {name: value for name, value in os.environ.items() if name not in names}
    done = run(sys.executable, "-W", "error", HERE / "threads_cases.py", "sessions", path, env={**env, "PYTHON_GIL": ""})
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"gil {not IS_FREE_THREADED}\n")
    for i in range(5):
        events = export(tmp_path / f"session-{i}.rf")
        (mark,) = [event for event in events if event.get("name") == "in it" and event["type"] == "mark"]
        assert (mark["domain"], mark["category_name"], mark["payload"]) == (f"domain {i}", "c", i)
        check_names([span for span in spans(events) if span["name"] != "shared"])
        assert all(span["payload"] == 5 for span in spans(events) if span["name"] == "shared")
