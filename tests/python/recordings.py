# SPDX-License-Identifier: Apache-2.0
"""The recordings that the tests of the reader use, and what the command line says of them."""

import gzip
import importlib.util
import json
import pathlib
import shutil
import sys

import pytest

from conftest import BUILD, RANGEFINDER, run

TESTS = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = [TESTS / "golden" / name for name in ("v1.0.rf", "v1.1.rf")]
WITH_GPU_WORK = TESTS / "golden" / "v1.2.rf"
IMPORTED = [
    TESTS / "data" / "nsys_exports" / f"{name}.sqlite.gz"
    for name in ("a_1proc_text", "b_4gpu_mixed", "c_real_h100_2gpu", "d_4proc_same_device")
]
EXAMPLES = ["attributes", "processes", "ranges", "pipeline"]
ALL = [path.name for path in GOLDEN + IMPORTED] + EXAMPLES


def make(name, folder):
    """A recording of a name of ALL, as a file in a folder."""
    if name in EXAMPLES or name == "collectives":
        return _recorded(name, folder / f"{name}.rf")
    source = next(path for path in [*GOLDEN, *IMPORTED, WITH_GPU_WORK] if path.name == name)
    if source.suffix != ".gz":
        return pathlib.Path(shutil.copy(source, folder))
    path = folder / source.stem
    path.write_bytes(gzip.decompress(source.read_bytes()))
    return path


def _recorded(name, path):
    program = BUILD / "bin" / f"example-{name}"
    done = run(RANGEFINDER, "profile", "-q", "-f", "true", "-o", path, "--", program)
    assert path.exists(), done.stderr
    return path


def lines(path):
    """What `rangefinder export -t jsonl` says: the lines by their type."""
    done = run(RANGEFINDER, "export", "-t", "jsonl", "-o", "-", path)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def every_field(path):
    """A database in which each column of calls and GPU work has a value of its own."""
    source = TESTS / "export" / "every_field.py"
    spec = importlib.util.spec_from_file_location("every_field", source)
    every = sys.modules.setdefault(spec.name, importlib.util.module_from_spec(spec))
    spec.loader.exec_module(every)
    fields, _, _ = every.read_list(BUILD / "bin" / "export_field_list")
    every.Database(path, fields)
    return path


# ---- For the tests that import them ----


@pytest.fixture(scope="module", params=ALL)
def path(request, tmp_path_factory):
    return make(request.param, tmp_path_factory.mktemp("recordings"))


@pytest.fixture(scope="module")
def focused(tmp_path_factory):
    return make("v1.1.rf", tmp_path_factory.mktemp("focused"))


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    return make("b_4gpu_mixed.sqlite.gz", tmp_path_factory.mktemp("imported"))
