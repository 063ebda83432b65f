# SPDX-License-Identifier: Apache-2.0
"""docs/python.md: its programs are written under their names, its commands are run.

A block ```python NAME is a file, a block ```sh is run in the folder of those files; `hand` says that
another test does what is in it, test_wheel.py that of `pip`. Behind a block `<!-- holds FILE.rf -->`
says which recordings it makes."""

import os
import re
import shlex
import shutil
import sys

import pytest

from conftest import BUILD, HERE, RANGEFINDER, run

SOURCE = HERE.parent.parent
GUIDE = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python|sh)(?: (\S+))?\n(.*?)^```\n((?:<!-- holds \S+ -->\n)*)", re.M | re.S)
BY_HAND = ["pip install .\n", "PYTHONPATH=build/python python3 train.py\n"]


@pytest.fixture
def environment(tmp_path):
    """The commands of the guide: rangefinder, and python3 as what runs this test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    python = folder / "python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{BUILD / 'bin'}:{os.environ['PATH']}"}


def test_guide(tmp_path, environment):
    folder = tmp_path / "guide"
    shutil.copytree(SOURCE / "examples" / "python", folder)
    blocks = BLOCK.findall(GUIDE)
    assert [text for kind, word, text, _ in blocks if word == "hand"] == BY_HAND
    for kind, word, text, holds in blocks:
        if kind == "python" and word:
            (folder / word).write_text(text)
        elif kind == "sh" and word != "hand":
            done = run("sh", "-euc", text, cwd=folder, env=environment)
            assert done.returncode == 0, (text, done.stdout, done.stderr)
        for name in re.findall(r"holds (\S+) ", holds):
            done = run(RANGEFINDER, "stats", "-r", "nvtx_sum", folder / name)
            assert done.returncode == 0, done.stderr
            assert re.search(r"(PushPop|StartEnd)  ", done.stdout), (name, done.stdout)


def test_links():
    for target in re.findall(r"\]\(([^)#]+)\)", GUIDE):
        assert target.startswith("http") or (SOURCE / "docs" / target).exists(), target


def test_bound_of_messages():
    """The bound that the docs tell is that of the code."""
    header = (SOURCE / "python" / "nvtx" / "domain.h").read_text()
    bound = int(re.search(r"#define MAX_STRINGS (\d+)", header)[1])
    assert f"{bound:,} messages" in GUIDE


def test_readme(tmp_path, environment):
    """The session in README.md: what is typed at > and $, but for pip; what it answers has times."""
    section = (SOURCE / "README.md").read_text(encoding="utf-8").split("\n## Python\n")[1]
    program, session = re.findall(r"^```\w*\n(.*?)^```", section, re.M | re.S)[:2]
    (tmp_path / "train.py").write_text(program)
    commands = re.findall(r"^\$ ((?!pip ).*)$", session, re.M)
    typed = re.findall(r"^>>> (.*)$", session, re.M)
    typed[-1] = f"print(({typed[-1]}))"
    assert len(commands) == 2 and commands.pop() == "python3"
    done = run("sh", "-euc", commands[0], cwd=tmp_path, env=environment)
    assert done.returncode == 0 and "20 ranges and 0 marks of 1 process" in done.stderr, done.stderr
    done = run("python3", "-c", "\n".join(typed), cwd=tmp_path, env=environment)
    assert re.fullmatch(r"\(\d, \d+, \['load'\]\)\n", done.stdout), done.stderr
