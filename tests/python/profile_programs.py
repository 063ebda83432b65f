# SPDX-License-Identifier: Apache-2.0
"""Programs that rangefinder.profile() records. Every one runs in a process of its own, because a process has one
recorder."""

import os
import sys
import textwrap

import pytest

from conftest import export, run

RANGES = ("push_pop", "start_end")


@pytest.fixture
def program(tmp_path):
    """program(text, status=0, ...) runs a program in an empty folder: its standard output, lines."""

    def program(text, *arguments, status=0, errors="", under=(), **env):
        (tmp_path / "program.py").write_text(textwrap.dedent(text))
        done = run(
            *under, sys.executable, "program.py", *arguments, cwd=tmp_path,
            env={**clean_environment(), **env},
        )
        assert done.returncode == status, done.stderr
        assert errors in done.stderr if errors else done.stderr == "", done.stderr
        return done.stdout.splitlines()

    yield program
    for path in tmp_path.rglob("*.pool"):
        if path.is_symlink():
            path.resolve().unlink(missing_ok=True)


def clean_environment():
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("NVTX_INJECTION64_PATH", "NVTX_DISABLE", "RANGEFINDER_STANDBY")
    }


def events(path, *types):
    """Ranges and marks, or some of them."""
    return [line for line in export(path) if line["type"] in (types or ("mark", *RANGES))]


def names(path):
    return [line["name"] for line in events(path)]


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "program.py")
