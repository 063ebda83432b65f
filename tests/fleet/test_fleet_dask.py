# SPDX-License-Identifier: Apache-2.0
"""A scheduler of Dask and two workers, processes on this machine: the same results, also where a worker is
killed, a task kills its worker's process, or the scheduler goes away."""

import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from conftest import N_RANKS, RANGEFINDER, SLOW, need, run
from rangefinder import fleet

try:
    from distributed import Client
except ImportError:
    Client = None


@pytest.fixture(scope="module", autouse=True)
def packages():
    need("distributed")


class Cluster:
    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.processes = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                                     "--scheduler-file", self.file)
        self._wait(self.file.exists)
        self.workers = [self.add_worker() for _ in range(2)]
        with Client(scheduler_file=str(self.file)) as client:
            client.wait_for_workers(2, timeout=60 * SLOW)

    def _start(self, *words):
        log = open(self.folder / f"log{len(self.processes)}", "wb")
        process = subprocess.Popen([sys.executable, "-m", "dask", *map(str, words)], stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        log.close()
        self.processes.append(process)
        return process

    @staticmethod
    def _wait(is_true):
        deadline = time.monotonic() + 60 * SLOW
        while not is_true():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def add_worker(self):
        return self._start("worker", "--scheduler-file", self.file, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                           "--local-directory", self.folder)

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.close()


def everything(job):
    return (job.summary(), job.summary(merge=True), job.stats("nvtx_sum"), job.stats("nvtx_pushpop_trace"),
            [(file.path, file.status, file.message) for file in job.files])


def many(recorded, folder, n):
    """A job of many ranks, made of links."""
    folder.mkdir()
    for i in range(n):
        (folder / f"rank{i}.rf").write_bytes((recorded / f"rank{i % N_RANKS}.rf").read_bytes())
    return folder


def test_a_worker_is_killed(recorded, cluster, tmp_path):
    """The same as embedded, with a damaged file too."""
    job = many(recorded, tmp_path / "job", 200)
    (job / "rank7.rf").write_bytes(b"what is this")
    with fleet.open(job) as embedded:
        expected = everything(embedded)
    with concurrent.futures.ProcessPoolExecutor(2) as pool, fleet.open(job, pool) as concurrent_job:
        assert everything(concurrent_job) == expected
    killed = threading.Event()

    def kill(n_done, n_files):
        if n_done >= 50 and not killed.is_set():
            killed.set()
            cluster.workers[0].kill()

    with Client(scheduler_file=str(cluster.file)) as client:
        with fleet.open(job, client, progress=kill) as of_dask:
            assert killed.is_set()
            cluster.workers[0].wait()
            assert everything(of_dask) == expected


def test_a_task_that_crashes(recorded, cluster, tmp_path):
    """The process that reads a file is not the worker."""
    command = tmp_path / "command"
    command.write_text(f"""#!/bin/sh
case "$*" in *rank2.rf*) kill -SEGV $$;; esac
exec {RANGEFINDER} "$@"
""")
    command.chmod(0o755)
    with Client(scheduler_file=str(cluster.file)) as client:
        with fleet.open(recorded, client, command=str(command)) as job:
            assert [file.status for file in job.files] == ["ok", "ok", "crashed", "ok"]
            assert len(job.stats("nvtx_sum")) == 3 * 5


def test_a_task_that_kills_its_workers(recorded, cluster, tmp_path):
    """Dask gives it up after some workers; workers that come take the rest."""
    command = tmp_path / "command"
    command.write_text(f"""#!/bin/sh
case "$*" in *rank2.rf*) kill -KILL $PPID;; esac
exec {RANGEFINDER} "$@"
""")
    command.chmod(0o755)
    for _ in range(4):
        cluster.add_worker()
    with Client(scheduler_file=str(cluster.file)) as client:
        client.wait_for_workers(6, timeout=60 * SLOW)
        with fleet.open(recorded, client, command=str(command)) as job:
            assert [file.status for file in job.files] == ["ok", "ok", "lost", "ok"]
            assert job.missing_ranks == [2]


def test_the_scheduler_goes_away(recorded, cluster, tmp_path):
    job = many(recorded, tmp_path / "job", 400)

    def stop(n_done, n_files):
        if n_done == 20:
            cluster.scheduler.kill()

    with Client(scheduler_file=str(cluster.file), timeout=5) as client:
        with pytest.raises(fleet.FleetError, match="executor=None"):
            fleet.open(job, client, progress=stop)


def test_recipe_finds_the_scheduler(recorded, cluster, tmp_path):
    import json

    address = json.loads(cluster.file.read_text())["address"]
    for name, value in (("DASK_SCHEDULER_ADDRESS", address), ("NSYS_DASK_SCHEDULER_FILE", cluster.file)):
        done = run(sys.executable, "-m", "rangefinder.fleet", "recipe", "nvtx_sum", "--input", recorded, "--csv",
                   "--mode", "dask-futures", "--output", tmp_path / name, env={**os.environ, name: str(value)})
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "DASK_SCHEDULER_ADDRESS" / "job.rfsum").exists()
    log = (cluster.folder / "log0").read_text()
    assert log.count("Receive client connection") >= 3, log


def test_recipe_without_a_scheduler(recorded, tmp_path):
    done = run(sys.executable, "-m", "rangefinder.fleet", "recipe", "nvtx_sum", "--input", recorded, "--csv", "--mode",
               "dask-futures", "--output", tmp_path / "out",
               env={**os.environ, "DASK_SCHEDULER_ADDRESS": "tcp://127.0.0.1:9"})
    assert done.returncode == 1 and "--mode=concurrent" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
