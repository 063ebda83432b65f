# SPDX-License-Identifier: Apache-2.0
"""MPIPoolExecutor of mpi4py: the same results as embedded."""

import os
import shutil
import sys

import pytest

from conftest import need, run

PROGRAM = """
import sys
from mpi4py.futures import MPIPoolExecutor
from rangefinder import fleet

if __name__ == "__main__":
    with fleet.open(sys.argv[1]) as job:
        expected = job.summary(), job.stats("nvtx_pushpop_trace")
    with MPIPoolExecutor() as executor, fleet.open(sys.argv[1], executor) as job:
        assert (job.summary(), job.stats("nvtx_pushpop_trace")) == expected
        print(executor.num_workers, "workers agree")
"""


def test_mpi(recorded, tmp_path):
    need("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed (openmpi-bin)")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    tried = run("mpirun", "-n", "3", sys.executable, "-c", "from mpi4py import MPI", env=environment)
    if tried.returncode != 0:
        pytest.skip("mpi4py finds no MPI here: " + (tried.stderr.strip() or "no message").splitlines()[-1])
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = run("mpirun", "-n", "3", sys.executable, "-m", "mpi4py.futures", program, recorded, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 workers agree\n"
