# SPDX-License-Identifier: Apache-2.0
"""A small job, and the packages of PyPI that the build's virtual environment has."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["RF_BUILD"])
RANGEFINDER = BUILD / "bin" / "rangefinder"
SLOW = int(os.environ.get("RF_TEST_SLOW", "1"))
PROGRAM = HERE.parent.parent / "examples" / "python" / "training_loop.py"
N_RANKS = 4

_WHEELS = BUILD / "wheels" / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
if _WHEELS.exists():
    sys.path.append(str(_WHEELS))
    os.environ["PYTHONPATH"] = os.pathsep.join([os.environ["PYTHONPATH"], str(_WHEELS)])  # of processes


def need(*modules):
    """Skips the test where a package is missing."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no {module}: python3 -m venv build/wheels; build/wheels/bin/pip install {module}")


def run(*arguments, **options):
    """Runs a program to its end; its standard output and error are text."""
    return subprocess.run(
        [str(argument) for argument in arguments], capture_output=True, text=True, timeout=120 * SLOW, **options
    )


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """The folder of a job: rank0.rf to rank3.rf."""
    folder = tmp_path_factory.mktemp("job")
    for rank in range(N_RANKS):
        done = run(RANGEFINDER, "profile", "-q", "-o", folder / f"rank{rank}", sys.executable, PROGRAM,
                   env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(N_RANKS)})
        assert done.returncode == 0, done.stderr
    return folder
