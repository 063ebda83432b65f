# SPDX-License-Identifier: Apache-2.0
"""rangefinder.fleet on the executors of the standard library, and what may be wrong with files."""

import concurrent.futures
import json
import os
import pickle
import shutil
import sys

import pytest

from conftest import BUILD, N_RANKS, PROGRAM, RANGEFINDER, run
from rangefinder import fleet


def everything(job):
    """All that a job says, as one value."""
    return (job.summary(), job.summary(merge=True), job.stats("nvtx_sum"), job.stats("nvtx_sum", total=True),
            job.stats("steps"), job.stats("nvtx_pushpop_trace"))


@pytest.fixture(scope="module")
def expected(recorded):
    with fleet.open(recorded, 1) as job:
        return everything(job)


@pytest.mark.parametrize("make", [
    lambda: None,
    lambda: 3,
    lambda: concurrent.futures.ThreadPoolExecutor(4),
    lambda: concurrent.futures.ProcessPoolExecutor(2),
])
def test_executors_agree(recorded, expected, make):
    executor = make()
    with fleet.open(recorded, executor) as job:
        assert not job.failed
        assert everything(job) == expected
    if hasattr(executor, "shutdown"):
        executor.shutdown()


class Backwards(concurrent.futures.Executor):
    """Runs the tasks of a pass when it has all of them, the last one first."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, *arguments):
        future = concurrent.futures.Future()
        self.tasks.append((future, function, arguments))
        if len(self.tasks) == N_RANKS:
            for future_, function_, arguments_ in reversed(self.tasks):
                future_.set_result(pickle.loads(pickle.dumps(function_(*arguments_))))
            self.tasks = []
        return future


def test_the_order_of_results_does_not_matter(recorded, expected):
    with fleet.open(recorded, Backwards()) as job:
        assert everything(job) == expected


def test_the_command_line_agrees(recorded, expected, tmp_path):
    for place, option in enumerate((["--merge=false"], ["--merge"])):
        path = tmp_path / f"{place}.rfsum"
        assert run(RANGEFINDER, "summarize", "-q", *option, recorded, "-o", path).returncode == 0
        assert path.read_bytes() == expected[place]
    done = run(RANGEFINDER, "stats", "-q", "-r", "nvtx_pushpop_trace", "-f", "json", recorded)
    assert json.loads(done.stdout) == expected[5].rows
    assert expected[5].columns == tuple(expected[5].rows[0])


def test_merging_does_not_depend_on_the_order_of_inputs(recorded, expected):
    paths = [recorded / f"rank{rank}.rf" for rank in (2, 0, 3, 1)]
    with fleet.open(paths, 2) as job:
        assert job.summary(merge=True) == expected[1]
        assert [row["Rank"] for row in job.stats("steps")][0] == 2


def test_relative_paths(recorded, monkeypatch):
    monkeypatch.chdir(recorded)
    with fleet.open(".", concurrent.futures.ProcessPoolExecutor(1)) as job:
        assert [file.path for file in job.files] == [f"./rank{rank}.rf" for rank in range(N_RANKS)]
        assert job.stats("nvtx_sum")[0]["Input"] == "./rank0.rf"


def test_a_table_pickles_and_converts(expected):
    table = expected[2]
    assert pickle.loads(pickle.dumps(table)) == table
    assert table[0]["Rank"] == 0 and len(table) == 5 * N_RANKS
    arrow = pytest.importorskip("pyarrow")
    made = table.to_arrow()
    assert made.column_names == list(table.columns) and made.to_pylist() == table.rows
    assert made.schema.field("Instances").type == arrow.int64()


def test_columns_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    table = fleet.Report("r", ("n", "mixed", "large", "none"),
                         [{"n": 1, "mixed": 1, "large": 2**64 - 1}, {"n": 2.5, "mixed": "a", "large": -1}]).to_arrow()
    assert table.schema.types == [arrow.float64(), arrow.string(), arrow.string(), arrow.string()]
    assert table.column("large").to_pylist() == ["18446744073709551615", "-1"]


def test_a_table_without_rows(recorded):
    with fleet.open(recorded) as job:
        table = job.stats("cuda_gpu_kern_sum")
    assert len(table) == 0 and "Name" in table.columns


# ---- What may be wrong ----

@pytest.fixture
def job_of(recorded, tmp_path):
    """A job with files of its own."""
    folder = tmp_path / "job"
    shutil.copytree(recorded, folder)
    return folder


def test_files_that_cannot_be_read(job_of, expected):
    whole = (job_of / "rank0.rf").read_bytes()
    newer = bytearray(whole)
    newer[8:12] = (99).to_bytes(4, "little")
    bad = {
        "bad1.rf": bytes(byte ^ 255 if place > 4096 else byte for place, byte in enumerate(whole)),
        "bad2.rf": b"",
        "bad3.rf": b"#!/bin/sh\n",
        "bad4.rf": bytes(newer),
        "bad5.rfsum": b"SQLite format 3\0" + bytes(100),
    }
    for name, content in bad.items():
        (job_of / name).write_bytes(content)
    paths = [*sorted(job_of.iterdir()), job_of / "missing.rf"]
    with fleet.open(paths, 2) as job:
        assert {os.path.basename(file.path): file.status for file in job.failed} == {
            **{name: "failed" for name in bad}, "missing.rf": "missing"}
        assert all(file.message and "\n" not in file.message for file in job.failed), job.failed
        assert job.stats("nvtx_sum", total=True).rows[0]["Instances"] == expected[3].rows[0]["Instances"]
        assert (job.n_ranks, job.world_size, job.missing_ranks) == (N_RANKS, N_RANKS, [])


def test_nothing_can_be_read(tmp_path):
    (tmp_path / "a.rf").write_bytes(b"")
    with fleet.open(tmp_path) as job:
        with pytest.raises(fleet.FleetError, match="none of 1 files could be read"):
            job.stats("nvtx_sum")
    with pytest.raises(ValueError, match="has no recordings"):
        os.mkdir(tmp_path / "empty")
        fleet.open(tmp_path / "empty")
    with pytest.raises(ValueError, match="no input"):
        fleet.open([])


def test_duplicate_and_missing_ranks(job_of):
    done = run(RANGEFINDER, "profile", "-q", "-o", job_of / "again", sys.executable, PROGRAM,
               env={**os.environ, "RANK": "1", "WORLD_SIZE": str(N_RANKS)})
    assert done.returncode == 0, done.stderr
    os.unlink(job_of / "rank2.rf")
    with fleet.open(job_of) as job:
        assert (job.n_ranks, job.world_size) == (3, 4)
        assert job.missing_ranks == [2] and job.duplicate_ranks == [1]
    shutil.copy(job_of / "rank1.rf", job_of / "again.rf")  # the same recording
    with fleet.open(job_of) as job:
        assert job.duplicate_ranks == []


def test_the_same_file_counts_once(job_of):
    os.symlink("rank0.rf", job_of / "link.rf")
    with fleet.open(job_of) as job:
        assert len(job.files) == N_RANKS


def test_a_task_that_crashes(recorded, tmp_path):
    command = tmp_path / "command"
    command.write_text(f"""#!/bin/sh
case "$*" in *rank2.rf*) kill -SEGV $$;; esac
exec {RANGEFINDER} "$@"
""")
    command.chmod(0o755)
    with fleet.open(recorded, 2, command=str(command)) as job:
        [failed] = job.failed
        assert (failed.status, os.path.basename(failed.path)) == ("crashed", "rank2.rf")
        assert "SIGSEGV" in failed.message
        assert job.missing_ranks == [2] and len(job.stats("nvtx_sum")) == 3 * 5


def test_a_task_that_crashes_in_the_second_pass(recorded, tmp_path):
    """Its sums remain, and its rows are missing."""
    command = tmp_path / "command"
    command.write_text(f"""#!/bin/sh
case "$*" in *trace*rank2.rf*) kill -SEGV $$;; esac
exec {RANGEFINDER} "$@"
""")
    command.chmod(0o755)
    with fleet.open(recorded, 2, command=str(command)) as job:
        assert not job.failed
        assert {row["Rank"] for row in job.stats("nvtx_pushpop_trace")} == {0, 1, 3}
        [failed] = job.failed
        assert failed.status == "crashed" and failed.message.startswith("nvtx_pushpop_trace: ")
        assert len(job.stats("nvtx_sum")) == N_RANKS * 5


def test_too_little_memory(recorded):
    with fleet.open(recorded, memory_bytes=64 << 20) as job:
        assert not job.failed
    with fleet.open(recorded, memory_bytes=1 << 20) as job:
        assert len(job.failed) == N_RANKS


def test_an_executor_that_breaks(recorded, tmp_path):
    """Its processes are not replaced: the message says what does that."""
    command = tmp_path / "command"
    command.write_text("#!/bin/sh\nkill -KILL $PPID\n")
    command.chmod(0o755)
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        with pytest.raises(fleet.FleetError, match="dask.distributed.*executor=None"):
            fleet.open(recorded, executor, command=str(command))


def test_no_command(recorded, tmp_path):
    with fleet.open(recorded, command=str(tmp_path / "none")) as job:
        assert len(job.failed) == N_RANKS and "none" in job.failed[0].message


def test_a_report_that_there_is_not(recorded):
    with fleet.open(recorded) as job:
        with pytest.raises(ValueError, match="no report 'nvtx'"):
            job.stats("nvtx")
        with pytest.raises(ValueError, match="cannot be added up"):
            job.stats("nvtx_pushpop_trace", total=True)


def test_writing(recorded, tmp_path, expected):
    path = tmp_path / "job.rfsum"
    with fleet.open(recorded) as job:
        job.write(path)
        with pytest.raises(FileExistsError):
            job.write(path, merge=True)
        assert path.read_bytes() == expected[0]
        job.write(path, merge=True, overwrite=True)
        assert path.read_bytes() == expected[1]
        with pytest.raises(OSError):
            job.write(tmp_path / "none" / "job.rfsum")
    assert os.listdir(tmp_path) == ["job.rfsum"]
    with fleet.open(tmp_path) as job:  # a summary is an input as well
        assert job.summary() == expected[1]


def test_progress_and_leaving(recorded):
    seen = []
    with fleet.open(recorded, 1, progress=lambda *done: seen.append(done)):
        pass
    assert seen == [(n, N_RANKS) for n in range(1, N_RANKS + 1)]

    def stop(*done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fleet.open(recorded, 1, progress=stop)


def test_long_recordings_are_searched_when_it_is_asked_for(tmp_path):
    """They are summed up as they are read, without steps, until a report needs them."""
    done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "long", "--overflow=block", BUILD / "bench" / "loop",
               "220000")
    assert done.returncode == 0 and (tmp_path / "long.rf").stat().st_size > 64 << 20
    path = [tmp_path / "long.rf"]
    with fleet.open(path) as job:
        before = job.stats("nvtx_sum")
        steps = job.stats("steps")
        assert len(steps) == 10000 and job.stats("nvtx_sum") == before
    with fleet.open(path, steps=True) as job:
        assert job.stats("steps") == steps


def test_many_names_and_lengths(tmp_path):
    """65,536 names in one rank, no range in another: what is left out is counted, nothing is lost."""
    program = tmp_path / "names.py"
    program.write_text("""
import sys
from rangefinder import nvtx
for i in range(int(sys.argv[1])):
    with nvtx.annotate(f"name {i}"):
        pass
""")
    for rank, n in enumerate((65536, 1, 0)):
        done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / f"rank{rank}", sys.executable, program, str(n),
                   env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "3"})
        assert done.returncode == 0, done.stderr
    with fleet.open([tmp_path / f"rank{rank}.rf" for rank in range(3)]) as job:
        assert not job.failed and (job.n_ranks, job.missing_ranks) == (3, [])
        rows = job.stats("nvtx_sum")
        counts = {rank: sum(row["Instances"] for row in rows if row["Rank"] == rank) for rank in range(3)}
        assert counts == {0: 65536, 1: 1, 2: 0}
        assert len(rows) < 2000
        total = job.stats("nvtx_sum", total=True)
        assert sum(row["Instances"] for row in total) == 65537
    with fleet.open(tmp_path / "rank0.rf", fold_numbers=True) as job:
        assert [(row["Instances"], row["Range"]) for row in job.stats("nvtx_sum")] == [(65536, ":name #")]


def test_counters_in_ranges_are_added_up_with_their_samples(tmp_path):
    program = BUILD / "tests" / "cli" / "apps" / "counters"
    for rank, value in enumerate(("1e300", "1", "-1e300")):
        done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / f"rank{rank}", program, "push:step", f"r:load={value}", "pop:",
                   env={**os.environ, "RANK": str(rank)})
        assert done.returncode == 0, done.stderr
    with fleet.open(tmp_path, 1) as job:
        each, total = job.stats("nvtx_counter_ranges"), job.stats("nvtx_counter_ranges", total=True)
        again = job.stats("nvtx_counter_ranges", total=True)
    assert [row["Rank"] for row in each.rows] == [0, 1, 2]
    # a value counts for the nanoseconds that it stands for, whatever these are: their product is rounded
    assert [row["Mean"] for row in each.rows] == pytest.approx([1e300, 1, -1e300], rel=1e-15, abs=0)
    done = run(RANGEFINDER, "stats", "-q", "-r", "nvtx_counter_ranges", "-f", "json", "--sum-inputs", tmp_path)
    assert json.loads(done.stdout) == total.rows == again.rows
    assert [row["Range Instances"] for row in total.rows] == [3]
