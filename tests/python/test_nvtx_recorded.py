# SPDX-License-Identifier: Apache-2.0
"""What a recording has of the package nvtx, and of ours in its place: all that a program told them."""

import os
import pathlib
import pickle
import re
import shutil
import tarfile

import pytest

from conftest import BUILD, HERE, NVTX, RANGEFINDER, run

MODULES = ["nvtx", "rangefinder.nvtx"]
OURS = str(BUILD / "python")


@pytest.fixture
def opened():
    """opened(path) -> a recording"""
    import rangefinder

    recordings = []

    def opened(path):
        recordings.append(rangefinder.open(path))
        return recordings[-1]

    yield opened
    for recording in recordings:
        recording.close()


# ---- The package's own tests ----


@pytest.fixture
def tests_of_nvtx(tmp_path, nvtx_python):
    """A folder with the tests of the package's source distribution, and what it lacks of them."""
    if run(nvtx_python, "-c", "import numpy, pytest").returncode:
        pytest.skip(f"{nvtx_python} has no numpy or no pytest")
    archive = os.environ.get("RF_NVTX_SDIST")
    if not archive:
        pytest.skip(f"RF_NVTX_SDIST does not name the source distribution of {NVTX}")
    folder = tmp_path / "tests"
    folder.mkdir()
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            name = pathlib.PurePath(member.name)
            if name.parent.name == "tests" and re.fullmatch(r"test_\w+\.py", name.name):
                (folder / name.name).write_bytes(tar.extractfile(member).read())
    (folder / "__init__.py").write_text("")
    shutil.copy(HERE / "upstream_conftest.py", folder / "conftest.py")
    shutil.copy(HERE / "nvtx_expected.py", folder)
    return folder


class OfTests:
    """What a recording has between the marks that begin and end each test."""

    def __init__(self, recording):
        self.events, self.samples, self.times = {}, {}, []
        self.domains = {domain.name for domain in recording.domains}
        self._add_events(recording)
        self._add_samples(recording)

    def _add_events(self, recording):
        test = None
        for event in recording.events:
            if event.kind not in ("mark", "push_pop", "start_end"):
                continue
            if event.domain != "tests of nvtx":
                assert test is not None, event
                self.events[test].append(event)
            elif event.name == "end":
                self.times[-1][1] = event.start_ns
                test = None
            else:
                test = event.name
                self.events[test] = []
                self.times.append([event.start_ns, None, test])

    def _add_samples(self, recording):
        """A sample belongs to the test in which it was taken."""
        last, i = {}, 0
        for sample in sorted(recording.samples, key=lambda sample: sample.start_ns):
            while i + 1 < len(self.times) and self.times[i + 1][0] <= sample.start_ns:
                i += 1
            start, end, test = self.times[i]
            assert start <= sample.start_ns <= end, (sample.name, test)
            self.samples.setdefault(test, []).append((sample, last.get(sample.counter.index)))
            last[sample.counter.index] = sample.value


def members(row, like):
    return {name: getattr(row, name) for name in like}


def compare_events(test, items, events):
    begins = [each for what, each in items if what == "event"]
    ends = [each for what, each in items if what == "end"]
    ranges = [event for event in events if event.kind != "mark"]
    assert begins == [members(event, each) for event, each in zip(events, begins)], test
    assert ends == [members(event, each) for event, each in zip(ranges, ends)], test
    assert (len(begins), len(ends)) == (len(events), len(ranges)), test
    assert not any(event.is_bad_payload or event.is_bad_handle for event in events), test


def compare_samples(test, items, found):
    """By name, since the samples of a group have one time."""
    wanted = sorted((each for what, each in items if what == "sample"), key=lambda each: each["name"])
    found = sorted(found, key=lambda pair: pair[0].name)
    assert len(wanted) == len(found), test
    for each, (sample, before) in zip(wanted, found):
        value = before if each["value"] == "the value before" else each["value"]
        of_counter = {name: value for name, value in each.items() if name not in ("value", "is_placed")}
        assert members(sample.counter, of_counter) == of_counter, test
        assert (sample.value, type(sample.value)) == (value, type(value)), test
        assert sample.is_placed == each.get("is_placed", False), test


def compare(recording, expected):
    """Returns the number of tests."""
    tests = pickle.loads(expected.read_bytes())
    found = OfTests(recording)
    assert list(found.events) == list(tests) and not recording.info.n_lost_records
    for test, items in tests.items():
        compare_events(test, items, found.events[test])
        compare_samples(test, items, found.samples.get(test, []))
        assert {each["name"] for what, each in items if what == "domain"} <= found.domains
    return len(tests)


@pytest.mark.parametrize("module", MODULES)
def test_all_that_it_sends(tmp_path, nvtx_python, opened, module):
    if run(nvtx_python, "-c", "import numpy").returncode:
        pytest.skip(f"{nvtx_python} has no numpy, without which the package nvtx takes no such payloads")
    path, expected = tmp_path / "sent.rf", tmp_path / "expected"
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", nvtx_python, "-W", "error", HERE / "sent_cases.py",
               module, expected, env={**os.environ, "PYTHONPATH": OURS})
    assert done.returncode == 0, done.stderr
    assert compare(opened(path), expected) > 90


@pytest.mark.parametrize("module", MODULES)
def test_tests_of_nvtx(tests_of_nvtx, nvtx_python, opened, module):
    """All, but for ours one that reads a private attribute of Profile."""
    path, expected = tests_of_nvtx.parent / "tests.rf", tests_of_nvtx.parent / "expected"
    left_out = []
    if module != "nvtx":
        left_out.append("--deselect=tests/test_profiler.py::test_profiler")
    env = {**os.environ, "PYTHONPATH": OURS, "NVTX_MODULE": module, "NVTX_EXPECTED": str(expected)}
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", nvtx_python, "-m", "pytest", "-q", "--tb=short",
               "-p", "no:cacheprovider", "tests", *left_out, cwd=tests_of_nvtx.parent, env=env)
    assert done.returncode == 0, done.stdout[-4000:]
    assert compare(opened(path), expected) > 3700
