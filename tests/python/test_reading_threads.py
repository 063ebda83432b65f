# SPDX-License-Identifier: Apache-2.0
"""One recording, read by many threads at once, with the GIL and, where the interpreter is free-threaded, without."""

import os
import sys
import sysconfig

import pytest

import recordings
from conftest import HERE, run

IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
NAMES = ("collectives", "b_4gpu_mixed.sqlite.gz", "v1.2.rf")


@pytest.fixture(scope="module", params=NAMES)
def path(request, tmp_path_factory):
    return recordings.make(request.param, tmp_path_factory.mktemp("recordings"))


@pytest.mark.parametrize("case", ("first_time", "one_column", "iterators", "closing", "exports", "importing"))
def test_many_threads(path, case):
    """The interpreter decides whether there is a GIL: a module that needs it would turn it on, with a warning."""
    done = run(sys.executable, "-W", "error::RuntimeWarning", HERE / "reading_cases.py", case, path,
               env={**os.environ, "PYTHON_GIL": ""})
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"gil {not IS_FREE_THREADED}\n"
