# SPDX-License-Identifier: Apache-2.0
"""Automatic annotation: python -m rangefinder.nvtx, and Profile."""

import collections
import os
import re
import sys

import pytest

from conftest import HERE, run

PROGRAM = HERE / "auto_program.py"


def counts(recorded):
    """How many ranges each message has, in the domain of automatic annotation."""
    return collections.Counter(
        event["name"] for event in recorded.events
        if event.get("domain") == "nvtx.py" and event["type"] == "push_pop"
    )


def test_functions(record):
    recorded = record("-m", "rangefinder.nvtx", "--include", PROGRAM, PROGRAM, "--flag", "word")
    assert recorded.status == 0, recorded.stderr
    found = collections.Counter()
    for name, n in counts(recorded).items():
        found[re.fullmatch(r"auto_program.py:\d+\((.*)\)", name).group(1)] += n
    assert found["leaf"] == 4 and found["method"] == 1 and found["main"] == 1
    assert found["generate"] == 3 and found["recurse"] == 6 and found["fails"] == 1
    assert recorded.named("end --flag word")["domain_id"] == 0
    assert not any("cut" in event for event in recorded.events)
    line = PROGRAM.read_text().split("\n").index("def leaf(x):") + 1
    assert counts(recorded)[f"auto_program.py:{line}(leaf)"] == 4


def test_ranges_enclose_what_they_call(record):
    recorded = record("-m", "rangefinder.nvtx", "--no-linenos", "--include", PROGRAM, PROGRAM)
    method = recorded.named("method")
    leaves = [event for event in recorded.events
              if event.get("name") == "leaf" and event["tid"] == method["tid"]]
    assert len(leaves) == 3
    assert all(method["start_ns"] < leaf["start_ns"] < leaf["end_ns"] < method["end_ns"]
               for leaf in leaves)


def test_c_calls(record):
    options = ("--no-linenos", "--c-calls", "--include", PROGRAM)
    with_them = counts(record("-m", "rangefinder.nvtx", *options, PROGRAM))
    assert with_them["len"] == 1 and with_them["mark"] == 1 and with_them["leaf"] == 4
    assert counts(record("-m", "rangefinder.nvtx", "--no-linenos", PROGRAM))["len"] == 0


def test_exclude(record):
    found = counts(record("-m", "rangefinder.nvtx", "--no-linenos", "--include", "auto_*.py",
                          "--exclude", "le*", "--exclude", "main", PROGRAM))
    assert found["method"] == 1 and found["leaf"] == found["main"] == 0


def test_exceptions_go_through(record):
    recorded = record("-m", "rangefinder.nvtx", "--include", PROGRAM, PROGRAM, "raise")
    assert recorded.status == 1 and "KeyError" in recorded.stderr
    assert not any("cut" in event for event in recorded.events)


def test_no_script():
    done = run(sys.executable, "-m", "rangefinder.nvtx")
    assert done.returncode == 2 and "no SCRIPT" in done.stderr


def test_without_a_tool():
    done = run(sys.executable, "-m", "rangefinder.nvtx", PROGRAM)
    assert done.returncode == 0, done.stderr


def test_enable_and_disable(record, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import rangefinder.nvtx as nvtx
def inside(): pass
def outside(): pass
def both():
    profile.enable()
    profile.enable()
    inside()
    profile.disable()
    profile.disable()
    outside()
profile = nvtx.Profile(linenos=False, annotate_cfuncs=False)
both()
inside_again = inside
with nvtx.Profile(False, False, include="inside"):
    try:
        nvtx.Profile().enable()
    except RuntimeError as error:
        assert "another Profile" in str(error)
    else:
        raise AssertionError("two at once")
    inside_again()
    outside()
outside()
""")
    recorded = record(program)
    assert recorded.status == 0, recorded.stderr
    found = counts(recorded)
    assert found["inside"] == 2 and found["outside"] == 0 and found["both"] == 0
    assert not any("cut" in event for event in recorded.events)


def test_install():
    program = """
import rangefinder.nvtx as ours
ours.install()
ours.install()
import nvtx
assert nvtx is ours
"""
    done = run(sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    program = """
import sys, types
sys.modules["nvtx"] = types.ModuleType("nvtx")
import rangefinder.nvtx
try:
    rangefinder.nvtx.install()
except RuntimeError as error:
    print(error)
"""
    assert "imported already" in run(sys.executable, "-c", program).stdout
