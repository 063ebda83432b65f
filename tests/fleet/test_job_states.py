# SPDX-License-Identifier: Apache-2.0
"""What `rangefinder info` says of the ranks of a job: which are missing, died or hang, and where they stand."""

import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from conftest import BUILD, RANGEFINDER, SLOW, run

ACT = BUILD / "tests" / "cli" / "apps" / "act"
LAUNCHERS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "SLURM_PROCID", "SLURM_NTASKS",
             "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
PLAIN = {name: value for name, value in os.environ.items() if name not in LAUNCHERS}


def environment(rank, size=8):
    return {**PLAIN, "RANK": str(rank), "WORLD_SIZE": str(size)}


def profile(folder, rank, *words, size=8, options=()):
    """The command line that records a rank, and its environment."""
    return {"args": [RANGEFINDER, "profile", "-q", "-o", folder / "run.%r", *options, *words],
            "env": environment(rank, size)}


def record(folder, rank, *words, status=0, **options):
    done = run(*profile(folder, rank, ACT, *words, **options)["args"], env=environment(rank, options.get("size", 8)))
    assert done.returncode == status, done.stderr


def start(folder, rank, *words):
    wanted = profile(folder, rank, ACT, *words)
    return subprocess.Popen(**wanted, start_new_session=True)


def job_of(*inputs):
    done = run(RANGEFINDER, "info", "--job", "--json", *inputs)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1
    return json.loads(lines[0])["job"]


def wait_for(condition):
    for _ in range(3000 * SLOW):
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def state_of(folder, rank):
    return next({key: one[key] for key in ("state", "status", "signal", "where")} for one in job_of(folder)["ranks"]
                if one["rank"] == rank)


def wait_until(folder, rank, **wanted):
    """Waits for a state of a rank; before its session is made nothing can be read."""
    def is_so():
        done = run(RANGEFINDER, "info", "--job", "--json", folder)
        ranks = json.loads(done.stdout)["job"]["ranks"] if done.returncode == 0 else []
        return any(one["rank"] == rank and wanted.items() <= one.items() for one in ranks)
    wait_for(is_so)


def end(process):
    """Ends a rank with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


@pytest.fixture(autouse=True)
def no_pools(tmp_path):
    """The pools of sessions whose tool was killed are in memory, and would stay there."""
    yield
    for pool in tmp_path.rglob("*.pool"):
        if pool.is_symlink():
            pool.resolve().unlink(missing_ok=True)


def test_ended(tmp_path):
    record(tmp_path, 0, "push:step", "mark:m", "pop")
    record(tmp_path, 2, "push:step", "exit:3", status=3)
    record(tmp_path, 3, "push:step", "push:forward", "kill:9", status=137)
    job = job_of(tmp_path)
    assert (job["world_size"], job["missing"], job["n_missing"]) == (8, [[1, 1], [4, 7]], 5)
    assert [(one["rank"], one["state"], one["status"], one["signal"], one["where"]) for one in job["ranks"]] == [
        (0, "ended", 0, None, ""), (2, "ended", 3, None, "step"), (3, "killed", None, 9, "step > forward")]
    text = run(RANGEFINDER, "info", "--job", tmp_path).stdout
    assert text.startswith("job         3 of 8 ranks\nmissing     ranks 1, 4-7\nkilled      rank 3: signal 9 (Killed), in step > forward")
    assert "failed      rank 2: status 3, in step\nended       rank 0: status 0\n" in text
    # the same behind what is printed of each
    assert run(RANGEFINDER, "info", tmp_path).stdout.endswith("\n\n" + text)
    assert "job" in json.loads(run(RANGEFINDER, "info", "--json", tmp_path).stdout.splitlines()[-1])


def test_hangs(tmp_path):
    """A rank that hangs runs on: its last event lies behind, and its open ranges say where it stands."""
    stuck = start(tmp_path, 5, "push:step", "push:allreduce", "mark:m", f"await:{tmp_path}/go", "pop", "pop")
    try:
        wait_until(tmp_path, 5, where="step > allreduce")
        first = job_of(tmp_path)["ranks"][0]
        assert first["state"] == "running" and first["idle_ns"] > 0
        os.killpg(stuck.pid, signal.SIGSTOP)  # a stopped one looks the same
        time.sleep(0.01)
        later = job_of(tmp_path)["ranks"][0]
        assert later["state"] == "running" and later["idle_ns"] > first["idle_ns"]
        assert ", in step > allreduce\n" in run(RANGEFINDER, "info", "--job", tmp_path).stdout
        os.killpg(stuck.pid, signal.SIGCONT)
        (tmp_path / "go").touch()
        assert stuck.wait(timeout=60 * SLOW) == 0
        assert state_of(tmp_path, 5) == {"state": "ended", "status": 0, "signal": None, "where": ""}
    finally:
        end(stuck)


def test_before_the_first_event(tmp_path):
    """A rank that has not annotated yet is there, and runs."""
    early = start(tmp_path, 1, f"await:{tmp_path}/go")
    try:
        wait_until(tmp_path, 1, state="running")
        assert job_of(tmp_path)["ranks"][0]["idle_ns"] is None
        assert "no event yet, outside of ranges" in run(RANGEFINDER, "info", "--job", tmp_path).stdout
    finally:
        end(early)


def test_without_annotations(tmp_path):
    """The file of a rank that never annotated is of that rank."""
    done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "run.%r", "--ranks", "every:3", "true", env=environment(3))
    assert done.returncode == 0, done.stderr
    info = json.loads(run(RANGEFINDER, "info", "--json", tmp_path / "run.3.rf").stdout)
    assert (info["rank"], info["world_size"], info["ranks"], info["processes"]) == (3, 8, "every:3", [])
    assert state_of(tmp_path, 3)["state"] == "ended"


def test_all_of_it_is_killed(tmp_path):
    """As by the kernel or a scheduler: the program and the command line die at once."""
    killed = start(tmp_path, 4, "push:step", "mark:m", f"await:{tmp_path}/go")
    try:
        wait_until(tmp_path, 4, where="step")
    finally:
        end(killed)
    wait_until(tmp_path, 4, state="left")
    assert state_of(tmp_path, 4)["where"] == "step"
    assert "left behind rank 4: nobody saw the end, in step\n" in run(RANGEFINDER, "info", "--job", tmp_path).stdout
    done = run(RANGEFINDER, "recover", tmp_path / "run.4.rfdir")
    assert done.returncode == 0, done.stderr
    assert state_of(tmp_path, 4)["state"] == "left"


def test_some_ranks(tmp_path):
    """What --ranks leaves out is not missing."""
    for rank in (0, 4):
        record(tmp_path, rank, "push:step", "pop", options=["--ranks", "every:2"])
    job = job_of(tmp_path)
    assert (job["ranks_wanted"], job["missing"]) == ("every:2", [[2, 2], [6, 6]])
    assert "--ranks every:2\nmissing     ranks 2, 6\n" in run(RANGEFINDER, "info", "--job", tmp_path).stdout


def test_twice_and_other_sizes(tmp_path):
    record(tmp_path, 0, "mark:m", size=2)
    record(tmp_path, 1, "mark:m", size=2)
    (tmp_path / "other").mkdir()
    record(tmp_path / "other", 1, "mark:m", size=3)
    inputs = [tmp_path / "run.0.rf", tmp_path / "run.1.rf", tmp_path / "other" / "run.1.rf"]
    job = job_of(*inputs)
    assert [one["is_twice"] for one in job["ranks"]] == [False, False, True]
    assert job["world_size"] == 2 and job["missing"] == []
    text = run(RANGEFINDER, "info", "--job", *inputs).stdout
    assert f"twice       rank 1: {inputs[2]}, {inputs[1]}\n" in text
    assert "not of a job of 2: ranks 1\n" in text


def test_captures_of_one_rank(tmp_path):
    """Several captures of one run are not the rank twice, and say nothing of its end."""
    record(tmp_path, 0, "trigger:step", "pop", "repeat:2", size=1,
           options=["-c", "nvtx", "-p", "step", "--capture-range-end=repeat:2"])
    job = job_of(tmp_path)
    assert [(one["rank"], one["is_twice"]) for one in job["ranks"]] == [(0, False), (0, False)]
    assert {one["state"] for one in job["ranks"]} <= {"saved", "ended"}


def test_several_ranks_in_one_recording(tmp_path):
    """A launcher that runs under `profile`: its ranks are the processes."""
    script = f"for i in 0 1 2; do RANK=$i WORLD_SIZE=4 {ACT} push:step $(test $i = 1 && echo kill:9) pop; done; exit 0"
    done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "all", "sh", "-c", script, env=PLAIN)
    assert done.returncode == 0, done.stderr
    job = job_of(tmp_path / "all.rf")
    assert job["missing"] == [[3, 3]]
    assert [(one["rank"], one["state"], one["where"]) for one in job["ranks"]] == [
        (0, "ended", ""), (1, "gone", "step"), (2, "ended", "")]
    assert "gone        rank 1: ended without exit(), in step" in run(RANGEFINDER, "info", tmp_path / "all.rf").stdout


def test_bad_inputs(tmp_path):
    record(tmp_path, 0, "mark:m", size=2)
    shutil.copy(tmp_path / "run.0.rf", tmp_path / "run.1.rf")
    (tmp_path / "run.1.rf").write_bytes((tmp_path / "run.1.rf").read_bytes()[:100])
    done = run(RANGEFINDER, "info", "--job", tmp_path)
    assert done.returncode == 1 and "run.1.rf" in done.stderr
    assert done.stdout.startswith("job         1 of 2 ranks; 1 input cannot be read\nmissing     rank 1\n")
    assert run(RANGEFINDER, "info", "--job", tmp_path / "none").returncode == 1


def test_no_job(tmp_path):
    assert run(RANGEFINDER, "info", "--job", "--filter-rank=0", tmp_path).returncode == 2
    done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "alone", ACT, "mark:m", env=PLAIN)
    assert done.returncode == 0
    done = run(RANGEFINDER, "info", "--job", tmp_path / "alone.rf")
    assert done.returncode == 1 and "no input has a rank" in done.stderr
    assert "\njob " not in run(RANGEFINDER, "info", tmp_path / "alone.rf").stdout


@pytest.mark.parametrize("size", [2**31 - 1, 10**6])
def test_a_size_that_cannot_be(tmp_path, size):
    """A file may claim any number of ranks."""
    record(tmp_path, 2, "mark:m", size=size, options=["--ranks", "0-999999,2"])
    record(tmp_path, 7, "mark:m", size=size)
    assert job_of(tmp_path)["n_missing"] >= 5
    assert run(RANGEFINDER, "info", "--job", tmp_path).returncode == 0
