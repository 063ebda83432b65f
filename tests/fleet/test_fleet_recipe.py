# SPDX-License-Identifier: Apache-2.0
"""rangefinder recipe: options, the folder that it writes, what may be in the way."""

import csv
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

from conftest import N_RANKS, RANGEFINDER, need, run
from rangefinder import _reader
from rangefinder.fleet import _recipes, _tasks


def recipe(*words, **options):
    return run(RANGEFINDER, "recipe", *words, **options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # the interpreter that the package was built for
    os.mkdir("bin")
    os.symlink(sys.executable, "bin/python3")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")
    for name in ("DASK_SCHEDULER_ADDRESS", "NSYS_DASK_SCHEDULER_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def hostile_folder(folder):
    """The current folder has files with the names of modules, which leave a file where they are imported."""
    for name in ("argparse", "csv", "email", "json", "queue", "rangefinder", "runpy", "tempfile", "zlib"):
        (folder / f"{name}.py").write_text(f"open({str(folder / 'ran')!r}, 'a').write('{name} ')\n")
    return folder


def test_modules_of_the_current_folder_are_not_run(recorded, hostile_folder):
    done = recipe("nvtx_sum", "--input", recorded, "--csv")
    assert not (hostile_folder / "ran").exists(), (hostile_folder / "ran").read_text()
    assert done.returncode == 0, done.stderr


def test_tasks_do_not_run_modules_of_the_current_folder(hostile_folder):
    job = _tasks.Job(("recipe", "--help-recipes"), _reader.__version__, str(hostile_folder), is_python=True)
    done = run(*_tasks._command(job, "in", "out"))
    assert not (hostile_folder / "ran").exists(), (hostile_folder / "ran").read_text()
    assert done.returncode == 0 and "nvtx_sum" in done.stdout, done.stderr


def files_of(path):
    return {name: open(os.path.join(path, name), "rb").read() for name in sorted(os.listdir(path))}


def test_the_output(recorded, folder):
    done = recipe("nvtx_sum", "--input", recorded, "--csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"wrote 'nvtx_sum-1': {N_RANKS} of {N_RANKS} ranks\n" in done.stderr
    assert sorted(os.listdir("nvtx_sum-1")) == ["files.csv", "job.rfsum", "nvtx_sum.csv", "nvtx_sum_total.csv",
                                                "run.json"]
    with open("nvtx_sum-1/nvtx_sum.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    stats = run(RANGEFINDER, "stats", "-q", "-r", "nvtx_sum", "-f", "json", "nvtx_sum-1/job.rfsum")
    assert [[str(value) for value in row.values()] for row in json.loads(stats.stdout)] == [
        list(row.values()) for row in rows]
    ran = json.load(open("nvtx_sum-1/run.json", encoding="utf-8"))
    assert (ran["n_files"], ran["n_failed"], ran["n_ranks"], ran["world_size"]) == (N_RANKS, 0, N_RANKS, N_RANKS)
    # the next command works as it is printed
    assert subprocess.run(done.stderr.split("next: ")[1], shell=True, capture_output=True,
                          env={**os.environ, "PATH": f"{RANGEFINDER.parent}:{os.environ['PATH']}"}).returncode == 0
    assert recipe("nvtx_sum", "--input", recorded, "--csv", "-q").stderr == ""
    assert os.path.isdir("nvtx_sum-2")


def test_modes_agree(recorded, folder):
    need("distributed")
    for mode in ("none", "concurrent", "dask-futures"):
        done = recipe("nvtx_pushpop_trace", "--input", recorded, "--csv", "--mode", mode, "--output", mode)
        assert done.returncode == 0, done.stderr
        os.unlink(f"{mode}/run.json")
    assert files_of("none") == files_of("concurrent") == files_of("dask-futures")


def test_parquet(recorded, folder):
    need("pyarrow")
    import pyarrow.parquet

    assert recipe("nvtx_sum", "--input", recorded, "--output", "out").returncode == 0
    assert "nvtx_sum.parquet" in os.listdir("out")
    assert pyarrow.parquet.read_table("out/nvtx_sum.parquet").column("Rank").to_pylist()[0] == 0


def test_inputs(recorded, folder):
    shutil.copytree(recorded, "job")
    words = [["--input", "job:2"], ["--input=job/rank0.rf", "--input", "job/rank1.rf"],
             ["--input", "job/rank0.rf", "job/rank1.rf"]]
    for place, each in enumerate(words):
        assert recipe("nvtx_sum", *each, "--csv", "--output", f"out{place}").returncode == 0
        with open(f"out{place}/files.csv", encoding="utf-8") as file:
            assert [row["path"] for row in csv.DictReader(file)] == ["job/rank0.rf", "job/rank1.rf"]


@pytest.mark.parametrize("report", ["cuda_gpu_trace", "cuda_gpu_kern_sum"])
def test_a_report_that_no_recording_has_data_for(recorded, folder, report):
    done = recipe(report, "--input", recorded, "--csv", "--output", "out")
    assert done.returncode == 0 and f"the table {report} has no rows" in done.stderr, done.stderr
    with open(f"out/{report}.csv", encoding="utf-8") as file:
        [header] = csv.reader(file)
    assert header[:3] == ["Input", "Host", "Rank"] and "Name" in header


def test_the_name_of_the_output(recorded, folder, monkeypatch):
    monkeypatch.setenv("JOB", "17")
    assert recipe("nvtx_sum", "--input", recorded, "--csv", "--output", "of-%q{JOB}").returncode == 0
    assert os.path.isdir("of-17")
    done = recipe("nvtx_sum", "--input", recorded, "--csv", "--output", "of-%q{NONE}")
    assert done.returncode == 2 and "NONE" in done.stderr


def test_ranks_that_are_not_there(recorded, folder):
    shutil.copytree(recorded, "job")
    os.unlink("job/rank1.rf")
    with open("job/rank2.rf", "r+b") as file:
        file.truncate(10)
    done = recipe("steps", "--input", "job", "--csv", "--output", "out")
    assert done.returncode == 1
    assert "2 of 4 ranks; missing: 1, 2" in done.stderr and "job/rank2.rf: " in done.stderr
    with open("out/files.csv", encoding="utf-8") as file:
        assert [(row["path"], row["status"]) for row in csv.DictReader(file)] == [
            ("job/rank0.rf", "ok"), ("job/rank2.rf", "failed"), ("job/rank3.rf", "ok")]


# ---- Refusals, which leave nothing ----

@pytest.mark.parametrize("words, status, said", [
    (["nvtx_sum"], 2, "--input PATH is missing"),
    ([], 2, "REPORT is missing"),
    (["nvtx_sum", "--input", "JOB", "--mode", "mpi"], 2, "neither none"),
    (["nvtx_su", "--input", "JOB"], 1, "there is no recipe 'nvtx_su'"),
    (["cuda_memcpy_async", "--input", "JOB"], 1, "rangefinder advise"),
    (["nvtx_sum", "--input", "none.rf"], 1, "none.rf"),
    (["nvtx_sum", "--input", "bin"], 1, "has no recordings"),
    (["nvtx_sum", "--input", "JOB", "--output", "bin"], 1, "exists already; use -f"),
    (["nvtx_sum", "--input", "JOB", "--output", "bin", "-f"], 1, "is no output of ours"),
    (["nvtx_sum", "--input", "JOB", "--output", "none/out"], 1, "none/out"),
    (["nvtx_sum:what=3", "--input", "JOB"], 1, "what"),
])
def test_refusals(recorded, folder, words, status, said):
    done = recipe(*(str(recorded) if word == "JOB" else word for word in words), "--csv")
    assert done.returncode == status and said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert os.listdir(".") == ["bin"] and os.listdir("bin") == ["python3"]


def test_overwriting(recorded, folder):
    assert recipe("nvtx_sum", "--input", recorded, "--csv", "--output", "out").returncode == 0
    before = files_of("out")
    assert recipe("steps", "--input", recorded, "--csv", "--output", "out").returncode == 1
    assert files_of("out") == before
    assert recipe("steps", "--input", recorded, "--csv", "--output", "out", "-f").returncode == 0
    assert "steps.csv" in os.listdir("out") and "nvtx_sum.csv" not in os.listdir("out")


def test_a_folder_that_cannot_be_written(recorded, folder):
    if os.geteuid() == 0:
        pytest.skip("root may write into every folder")
    os.mkdir("locked")
    os.chmod("locked", stat.S_IRUSR | stat.S_IXUSR)
    done = recipe("nvtx_sum", "--input", recorded, "--csv", "--output", "locked/out")
    assert done.returncode == 1 and "permission denied" in done.stderr


def test_a_full_disk(recorded, folder):
    """Where a table cannot be written the output is not there."""
    done = run("sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$0" "$@"', RANGEFINDER, "recipe", "nvtx_sum", "--input",
               recorded, "--csv", "--output", "out")
    assert done.returncode == 1 and not os.path.exists("out") and os.listdir(".") == ["bin"], done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_being_ended(recorded, folder, number):
    """What was written so far goes."""
    os.mkdir("job")
    for i in range(300):
        shutil.copy(recorded / f"rank{i % N_RANKS}.rf", f"job/{i}.rf")
    os.mkdir("tmp")
    process = subprocess.Popen([RANGEFINDER, "recipe", "nvtx_sum", "--input", "job", "--csv", "--mode", "none", "--output",
                                "out"], stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": f"{folder}/tmp"})
    while not list(folder.glob("tmp/*/parts/*")):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(number)
    assert process.wait() == 128 + number
    assert sorted(os.listdir(".")) == ["bin", "job", "tmp"] and os.listdir("tmp") == []


def test_python_without_the_package(recorded, folder):
    """Where python3 does not have it: a line that says what to do."""
    os.unlink("bin/python3")
    with open("bin/python3", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec {sys.executable} -I \"$@\"\n")
    os.chmod("bin/python3", 0o755)
    done = recipe("nvtx_sum", "--input", recorded)
    assert done.returncode == 1 and "rangefinder doctor" in done.stderr and "Traceback" not in done.stderr


# ---- The names of nsys ----

# Of the Post-Collection Analysis Guide.
OF_NSYS = """cuda_api_sum cuda_api_sync cuda_gpu_kern_hist cuda_gpu_kern_pace cuda_gpu_kern_sum
cuda_gpu_mem_size_sum cuda_gpu_mem_time_sum cuda_gpu_time_util_map cuda_memcpy_async cuda_memcpy_sync
cuda_memset_sync diff dx12_mem_ops file_access_sum gfx_hotspot gpu_gaps gpu_metric_util_map gpu_metric_util_sum
gpu_time_util gpu_vram_usage_trace mpi_gpu_time_util_map mpi_sum nccl_gpu_overlap_trace nccl_gpu_proj_sum
nccl_gpu_time_util_map nccl_straggler nccl_sum network_map_aws network_sum network_traffic_map nvlink_sum
nvtx_cpu_topdown nvtx_gpu_proj_pace nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_pace nvtx_sum osrt_sum
s3_access_sum storage_util_map ucx_gpu_time_util_map""".split()


def test_every_recipe_of_nsys_has_a_report_or_a_reason():
    assert len(OF_NSYS) == 41 and set(OF_NSYS) == set(_recipes._RECIPES)
    reports = {name for name, _, _ in _reader.reports()}
    for name in OF_NSYS:
        candidates, note = _recipes._RECIPES[name]
        if reports.intersection(candidates):
            assert _recipes.report_of(name) in reports
        else:
            assert note
            with pytest.raises(ValueError, match="has no recipe here"):
                _recipes.report_of(name)


def test_the_list_of_recipes(folder):
    done = recipe("--help-recipes")
    assert done.returncode == 0
    for name, _, _ in _reader.reports():
        assert f"  {name} " in done.stdout
    for name in OF_NSYS:
        assert f"  {name} " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120
