# SPDX-License-Identifier: Apache-2.0
"""Jobs of a real Slurm: a controller and a node on loopback, of these tests alone (slurm-wlm), without munge."""

import json
import os
import pwd
import shutil
import socket
import subprocess
import time

import pytest
from conftest import BUILD, RANGEFINDER, SLOW, run

ACT = BUILD / "tests" / "cli" / "apps" / "act"
PROGRAMS = ("slurmctld", "slurmd", "srun", "sbatch", "sinfo")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, done, seconds=60):
    """Until done() is true."""
    end = time.monotonic() + seconds * SLOW
    while not done():
        assert time.monotonic() < end, what
        time.sleep(0.1)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """The environment in which the programs of Slurm find it."""
    path = os.environ["PATH"] + ":/usr/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if missing:
        pytest.skip(f"no Slurm: {', '.join(missing)} (slurm-wlm)")
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    conf = folder / "slurm.conf"
    conf.write_text(CONFIGURATION.format(host=socket.gethostname().split(".")[0], ports=free_ports(2), folder=folder,
                                         user=pwd.getpwuid(os.getuid()).pw_name, cpus=os.cpu_count()))
    env = {**os.environ, "PATH": path, "SLURM_CONF": str(conf)}
    log = open(folder / "log", "w", encoding="utf-8")
    daemons = [subprocess.Popen([shutil.which(name, path=path), "-D", "-f", conf], env=env, stdout=log, stderr=log)
               for name in ("slurmctld", "slurmd")]

    def is_idle():
        if any(daemon.poll() is not None for daemon in daemons):
            pytest.skip("Slurm's daemons end here: " + (folder / "log").read_text().strip()[-300:])
        return subprocess.run(["sinfo", "-h", "-o", "%t"], env=env, capture_output=True, text=True,
                              check=False).stdout.strip() == "idle"

    try:
        wait_for("no node is idle", is_idle)
        yield env
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait()
        log.close()


def job_of(folder):
    done = run(RANGEFINDER, "info", "--job", "--json", folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["job"]


def test_srun(tmp_path, slurm):
    done = run("srun", "-n", 4, "--overcommit", RANGEFINDER, "profile", "-q", "-o", "run.%r", ACT, "push:step", "mark:m",
               "pop", cwd=tmp_path, env=slurm)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"run.{rank}.rf" for rank in range(4)]
    job = job_of(tmp_path)
    assert (job["world_size"], job["n_missing"], [one["rank"] for one in job["ranks"]]) == (4, 0, [0, 1, 2, 3])


def test_some_ranks(tmp_path, slurm):
    done = run("srun", "-n", 4, "--overcommit", RANGEFINDER, "profile", "-q", "-o", "run.%r", "--ranks", "every:2", ACT,
               "push:step", "pop", cwd=tmp_path, env=slurm)
    assert done.returncode == 0, done.stderr
    job = job_of(tmp_path)
    assert (job["world_size"], job["ranks_wanted"], job["n_missing"]) == (4, "every:2", 0)
    assert [one["rank"] for one in job["ranks"]] == [0, 2]


def test_a_rank_dies(tmp_path, slurm):
    """srun ends the other one, which stands in its collective."""
    script = (f'test $SLURM_PROCID = 1 && exec {ACT} push:step push:load mark:m kill:9; '
              f'exec {ACT} push:step push:allreduce await:never')
    done = run("srun", "-n", 2, "--overcommit", "--kill-on-bad-exit", RANGEFINDER, "profile", "-q", "-o", "run.%r",
               "sh", "-c", script, cwd=tmp_path, env=slurm)
    assert done.returncode != 0
    ranks = {one["rank"]: one for one in job_of(tmp_path)["ranks"]}
    assert (ranks[1]["state"], ranks[1]["signal"], ranks[1]["where"]) == ("killed", 9, "step > load")
    assert ranks[0]["state"] in ("killed", "left", "ended")


def test_sbatch(tmp_path, slurm):
    script = tmp_path / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH -n 2\nsrun --overcommit {RANGEFINDER} profile -q -o run.%r {ACT} push:step pop\n")
    done = run("sbatch", "--wait", "--overcommit", script, cwd=tmp_path, env=slurm)
    assert done.returncode == 0, done.stderr
    assert job_of(tmp_path)["world_size"] == 2
