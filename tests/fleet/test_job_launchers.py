# SPDX-License-Identifier: Apache-2.0
"""Jobs as their launchers start them: mpirun, and a stand-in that sets what torchrun sets."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, HERE, RANGEFINDER, SLOW, run

ACT = BUILD / "tests" / "cli" / "apps" / "act"
RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")
PLAIN = {name: value for name, value in os.environ.items() if name not in RANKS}

# As torchrun --no-python does: N processes with these variables; when one fails, the others get SIGTERM.
TORCHRUN = """
import os, subprocess, sys
size = int(sys.argv[1])
workers = [subprocess.Popen(sys.argv[2:], env={**os.environ, "RANK": str(i), "LOCAL_RANK": str(i), "WORLD_SIZE": str(size),
                                               "LOCAL_WORLD_SIZE": str(size), "GROUP_RANK": "0",
                                               "TORCHELASTIC_RUN_ID": "none", "MASTER_ADDR": "127.0.0.1"})
           for i in range(size)]
left = set(workers)
status = 0
while left:
    pid, ending = os.wait()
    ended = next((worker for worker in left if worker.pid == pid), None)
    left.discard(ended)
    if ended is not None and ending != 0 and status == 0:
        status = 1
        for worker in left:
            worker.terminate()
sys.exit(status)
"""

# root, and more ranks than cores, by the names of Open MPI; other MPIs allow both
MPI = {**PLAIN, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def torchrun(folder, size, *words):
    return run(sys.executable, "-c", TORCHRUN, size, *words, cwd=folder, env=PLAIN)


def job_of(*inputs):
    done = run(RANGEFINDER, "info", "--job", "--json", *inputs)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["job"]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_torchrun(tmp_path):
    done = torchrun(tmp_path, 4, RANGEFINDER, "profile", "-q", "-o", "run.%r", ACT, "push:step", "mark:m", "pop")
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == [f"run.{rank}.rf" for rank in range(4)]
    job = job_of(tmp_path)
    assert (job["world_size"], job["n_missing"], [one["rank"] for one in job["ranks"]]) == (4, 0, [0, 1, 2, 3])


def test_torchrun_in_one_recording(tmp_path):
    """Outside of the launcher %r is an error, and one recording has all ranks."""
    words = (ACT, "push:step", "mark:m", "pop")
    done = run(RANGEFINDER, "profile", "-o", "run.%r", sys.executable, "-c", TORCHRUN, 4, *words, cwd=tmp_path, env=PLAIN)
    assert done.returncode == 2 and "which rank this is (RANK, OMPI_COMM_WORLD_RANK" in done.stderr
    assert files(tmp_path) == []
    done = run(RANGEFINDER, "profile", "-q", "-o", "all", sys.executable, "-c", TORCHRUN, 4, *words, cwd=tmp_path, env=PLAIN)
    assert done.returncode == 0, done.stderr
    job = job_of(tmp_path / "all.rf")
    assert [(one["rank"], one["state"]) for one in job["ranks"]] == [(rank, "ended") for rank in range(4)]


def test_the_first_to_die(tmp_path):
    """Rank 2 dies, and the launcher ends those that wait for it."""
    script = f'test $RANK = 2 && exec {ACT} push:step push:forward mark:m kill:9; exec {ACT} push:step push:allreduce await:never'
    done = torchrun(tmp_path, 4, RANGEFINDER, "profile", "-q", "-o", "run.%r", "sh", "-c", script)
    assert done.returncode == 1, done.stderr
    assert [(one["signal"]) for one in job_of(tmp_path)["ranks"]] == [15, 15, 9, 15]
    lines = run(RANGEFINDER, "info", "--job", tmp_path).stdout.splitlines()
    assert lines[1].startswith("killed      rank 2: signal 9 (Killed), in step > forward, at ")
    # one of the others may not have come to its range
    assert all(line.startswith("killed      rank") and "signal 15" in line for line in lines[2:])


def test_a_rank_that_is_left_out_has_the_same_surroundings(tmp_path):
    """The environment, arguments and descriptors are those of the program without the profiler."""
    look = ("import json, os, sys; print(json.dumps([dict(os.environ), sys.argv, os.getcwd(), sorted(os.listdir('/proc/self/fd')),"
            " open('/proc/self/status').read().split('SigBlk')[1].split('CapInh')[0]]))")
    program = [sys.executable, "-c", look, "a", "b c"]
    environment = {**PLAIN, "RANK": "1"}
    alone = subprocess.run(program, env=environment, cwd=tmp_path, capture_output=True, check=True)
    left_out = subprocess.run([RANGEFINDER, "profile", "--ranks", "0", "-c", "cudaProfilerApi", "--pytorch=autograd-nvtx",
                               "-o", "run.%r", *program], env=environment, cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(left_out.stdout) == json.loads(alone.stdout)
    assert left_out.stderr == b"" and files(tmp_path) == []


def test_a_rank_that_is_left_out_is_the_program(tmp_path):
    """No process stays in between: the pid that the launcher knows is the program's."""
    pid = tmp_path / "pid"
    process = subprocess.Popen([RANGEFINDER, "profile", "--ranks", "0", "sh", "-c", f"echo $$ > {pid}; exit 9"],
                               env={**PLAIN, "RANK": "3"})
    assert process.wait(timeout=60 * SLOW) == 9
    assert int(pid.read_text()) == process.pid


@pytest.fixture(scope="module")
def heat(tmp_path_factory):
    """The example program for MPI."""
    if not (shutil.which("mpicc") and shutil.which("mpirun")):
        pytest.skip("no MPI: mpicc and mpirun (openmpi-bin, libopenmpi-dev)")
    done = run("mpirun", "-n", 4, "true", env=MPI)
    if done.returncode != 0:
        pytest.skip(f"mpirun fails here: {done.stderr.strip().splitlines()[:1]}")
    path = tmp_path_factory.mktemp("mpi") / "heat"
    tree = HERE.parent.parent
    done = run("mpicc", "-O2", "-I", tree / "include", "-o", path, tree / "examples" / "mpi" / "heat.c", "-ldl")
    assert done.returncode == 0, done.stderr
    return path


def mpirun(folder, *words):
    return run("mpirun", "-n", 4, *words, cwd=folder, env=MPI)


def test_mpi(tmp_path, heat):
    done = mpirun(tmp_path, RANGEFINDER, "profile", "-q", "-o", "run.%r", heat, 20)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == [f"run.{rank}.rf" for rank in range(4)]
    # the ranks of MPI and those of the files are the same: the last one has most to do
    done = mpirun(tmp_path, RANGEFINDER, "profile", "-q", "-o", "some.%r", "--ranks", "every:3", heat, 20)
    assert done.returncode == 0, done.stderr
    job = job_of(tmp_path / "some.0.rf", tmp_path / "some.3.rf")
    assert (job["world_size"], job["ranks_wanted"], job["n_missing"]) == (4, "every:3", 0)
    assert not (tmp_path / "some.1.rf").exists()


def test_mpi_same_steps(tmp_path, heat):
    """Ranks of different speeds capture the same steps."""
    done = mpirun(tmp_path, RANGEFINDER, "profile", "-q", "-o", "run.%r", "-c", "nvtx", "-p", "step",
                  "--nvtx-capture-unregistered", "--capture-steps=5-7", heat, 20)
    assert done.returncode == 0, done.stderr
    for rank in range(4):
        done = run(RANGEFINDER, "export", "-q", "-t", "jsonl", "-o", "-", tmp_path / f"run.{rank}.rf")
        assert done.stdout.count('"step"') == 3, f"rank {rank}"


def test_mpi_a_rank_dies(tmp_path, heat):
    """The others stand in MPI_Allreduce, and mpirun ends them."""
    script = f'test $OMPI_COMM_WORLD_RANK = 1 && exec {ACT} push:step push:load mark:m kill:9; exec {heat} 100000000'
    done = mpirun(tmp_path, RANGEFINDER, "profile", "-q", "-o", "run.%r", "sh", "-c", script)
    assert done.returncode != 0
    ranks = {one["rank"]: one for one in job_of(tmp_path)["ranks"]}
    assert (ranks[1]["state"], ranks[1]["signal"], ranks[1]["where"]) == ("killed", 9, "step > load")
    # mpirun gives the others time to end, or not: their directories are read as well
    assert {one["state"] for one in ranks.values()} <= {"killed", "left", "ended"}
