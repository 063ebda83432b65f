# SPDX-License-Identifier: Apache-2.0
"""What the tests share: programs are recorded with the command line of the build, and compared by
what its export says."""

import json
import os
import pathlib
import subprocess
import sys
import venv

import pytest

from limits import SLOW

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["RF_BUILD"])
RANGEFINDER = BUILD / "bin" / "rangefinder"


def run(*arguments, **options):
    """Runs a program to its end; its standard output and error are text."""
    return subprocess.run(
        [str(argument) for argument in arguments], capture_output=True, text=True, timeout=120 * SLOW, **options
    )


def export(path):
    """The lines of a recording, without what describes it."""
    done = run(RANGEFINDER, "export", "-t", "jsonl", "-o", "-", path)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if line["type"] not in ("recording", "process", "thread", "domain")]


class Recorded:
    """A program that was recorded: its output, and events as lists of dictionaries."""

    def __init__(self, done, path):
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.status = done.returncode
        self.path = path
        self.events = export(path) if path.exists() else []

    def named(self, name):
        """The only event of a name."""
        found = [event for event in self.events if event.get("name") == name]
        assert len(found) == 1, (name, self.events)
        return found[0]


@pytest.fixture
def record(tmp_path):
    """record(*command, options=(...), env={...}) -> Recorded"""

    def record(*command, options=(), env=None, python=sys.executable):
        path = tmp_path / "recorded.rf"
        done = run(
            RANGEFINDER, "profile", "-q", "-f", "true", "-o", path, *options, "--", python, *command,
            env={**os.environ, **(env or {})},
        )
        return Recorded(done, path)

    return record


NVTX = "nvtx==0.2.17"  # the release that docs/python.md compares with


@pytest.fixture(scope="session")
def nvtx_python(tmp_path_factory):
    """An interpreter that has the packages nvtx and numpy: RF_NVTX_PYTHON, or one made here from PyPI."""
    named = os.environ.get("RF_NVTX_PYTHON")
    if named:
        return named
    folder = tmp_path_factory.mktemp("nvtx")
    try:
        venv.create(folder, with_pip=True)
        python = folder / "bin" / "python"
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", "--only-binary=:all:", "--timeout=10", NVTX, "numpy",
             "pytest"],
            capture_output=True, text=True, timeout=120 * SLOW,
        )
    except (subprocess.SubprocessError, OSError, SystemExit) as error:  # Debian's, without pip, exits
        pytest.skip(f"no virtual environment: {error}")
    if done.returncode != 0:
        pytest.skip("the package nvtx cannot be had: " + done.stderr.strip().split("\n")[-1])
    return str(python)
