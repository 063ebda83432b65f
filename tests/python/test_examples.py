# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/python: what they print, recorded or not, and what they record."""

import sys

import pytest

from conftest import HERE, RANGEFINDER, run

FOLDER = HERE.parent.parent / "examples" / "python"
PRINTED = {
    "training_loop": "y = 3.0 x + 1.0\n",
    "thread_pool": "11200 words; most frequent: 'a', 1600 times\n",
    "asyncio_tasks": "1200 words of 4 clients\n",
}


def spans(recorded, name):
    return [event for event in recorded.events if event.get("name") == name and "end_ns" in event]


@pytest.fixture
def example(record):
    def example(name, **options):
        recorded = record(FOLDER / f"{name}.py", **options)
        assert recorded.status == 0, recorded.stderr
        assert recorded.stdout == PRINTED[name]
        return recorded

    return example


@pytest.mark.parametrize("name", PRINTED)
def test_alone(name):
    done = run(sys.executable, FOLDER / f"{name}.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED[name], "")


def test_training_loop(example):
    recorded = example("training_loop")
    assert [span["payload"] for span in spans(recorded, "step")] == list(range(100))
    assert len(spans(recorded, "load")) == 100 and recorded.named("trained")


def test_capture_of_training_loop(record, tmp_path):
    path = tmp_path / "steps.rf"
    done = run(
        RANGEFINDER, "profile", "-q", "-c", "nvtx", "-p", "profile@training", "-o", path,
        sys.executable, FOLDER / "training_loop.py",
    )
    assert done.returncode == 0, done.stderr
    done = run(sys.executable, FOLDER / "reading.py", path)
    assert done.stdout.startswith("ranges: 13, marks: 0, processes: 1\n"), (done.stdout, done.stderr)


def test_thread_pool(example):
    recorded = example("thread_pool")
    count, whole = spans(recorded, "count"), spans(recorded, "word count")[0]
    assert len(count) == 8 and {span["category_name"] for span in count} == {"work"}
    assert len({span["tid"] for span in count}) <= 2 and whole["tid"] not in {
        span["tid"] for span in count
    }
    waiting = spans(recorded, "waiting")
    assert len(waiting) == 8 and not any("cut" in span for span in waiting)
    assert {span["type"] for span in waiting} == {"start_end"}


def test_asyncio_tasks(example):
    recorded = example("asyncio_tasks")
    pages = spans(recorded, "pages")
    assert len(pages) == 4 and len(spans(recorded, "fetch")) == len(spans(recorded, "parse")) == 12
    assert max(span["start_ns"] for span in pages) < min(span["end_ns"] for span in pages)
    assert {span["payload"] for span in spans(recorded, "connect")} == {0, 1, 2, 3}


def test_reading(example):
    done = run(sys.executable, FOLDER / "reading.py", example("asyncio_tasks").path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "ranges: 40, marks: 1, processes: 1" and lines[1].endswith("  pages")
    # "parse" is pushed: it is a child of what nests it, of whichever task that is
    assert lines[4] in ("inside pages: fetch", "inside pages: fetch, parse")
    assert lines[5] == "columns of 40 rows: start_ns, duration_ns"
