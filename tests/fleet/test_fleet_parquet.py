# SPDX-License-Identifier: Apache-2.0
"""A job as Parquet: what docs/parquet.md says, and that nothing is lost on the way."""

import gzip
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys

import pytest

from conftest import BUILD, HERE, N_RANKS, RANGEFINDER, need, run

import rangefinder
from rangefinder.fleet import _schema

try:
    import pyarrow.parquet
except ImportError:
    pyarrow = None

DOCUMENT = (HERE.parent.parent / "docs" / "parquet.md").read_text(encoding="utf-8")
GPU = HERE.parent / "data" / "nsys_exports" / "c_real_h100_2gpu.sqlite.gz"


@pytest.fixture(scope="module", autouse=True)
def packages():
    need("pyarrow")


def export(*words):
    return run(sys.executable, "-m", "rangefinder.fleet", "export", *words)


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*.parquet"))}


@pytest.fixture(scope="module")
def exported(recorded, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet") / "parquet"
    done = export("--input", recorded, "--to", folder, "--run", "first")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def of_gpu(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpu")
    path = folder / "gpu.sqlite"
    path.write_bytes(gzip.decompress(GPU.read_bytes()))
    done = export("--input", path, "--to", folder / "parquet")
    assert done.returncode == 0, done.stderr
    return path, folder / "parquet"


def table_of(folder, name):
    """All rows of a table; rank: as the folders say."""
    tables = []
    for path in sorted((folder / name).rglob("*.parquet")):
        table = pyarrow.parquet.ParquetFile(path).read()
        rank = path.parent.name.partition("=")[2]
        ranks = pyarrow.array([int(rank) if rank.isdigit() else None] * table.num_rows, type=pyarrow.int64())
        tables.append(table.append_column("rank", ranks))
    return pyarrow.concat_tables(tables)


def test_partitions(exported):
    names = [re.fullmatch(r"ranges/run=first/rank=(\d)/00000\1-rank\1\.rf\.parquet", name) for name in files_of(exported)
             if name.startswith("ranges/")]
    assert len(names) == N_RANKS and all(names)
    ran = json.loads((exported / "run.json").read_text())
    assert ran["schema"] == _schema.VERSION and ran["run"] == "first"
    assert [file["status"] for file in ran["files"]] == ["ok"] * N_RANKS
    for name, total in ran["tables"].items():
        assert total["rows"] == table_of(exported, name).num_rows > 0
        assert total["bytes"] == sum(len(content) for path, content in files_of(exported).items()
                                     if path.startswith(name + "/"))


@pytest.mark.parametrize("name", sorted(_schema.EVENTS))
def test_events_are_those_of_the_recording(of_gpu, name):
    path, folder = of_gpu
    source, columns = _schema.EVENTS[name]
    with rangefinder.open(path) as recording:
        rows = recording.table(source, *columns)
        if len(getattr(recording, source)) == 0:
            assert not (folder / name).exists()
            return
        epoch = recording.info.epoch_utc_ns
        table = table_of(folder, name)
        for column in columns:
            ours = table.column(column.replace("start_ns", "start_utc_ns")).to_pylist()
            theirs = rows.to_arrow().column(column).to_pylist()
            assert ours == ([epoch + time for time in theirs] if column == "start_ns" else theirs), column


def test_the_sums_of_a_report(recorded, exported):
    stats = run(RANGEFINDER, "stats", "-q", "-r", "nvtx_sum", "-f", "json", recorded)
    wanted = {(row["Rank"], row["Range"].partition(":")[2]): (row["Instances"], row["Total Time (ns)"])
              for row in json.loads(stats.stdout)}
    for table, n, total in (("ranges", None, "duration_ns"), ("summaries", "n", "total")):
        found = {}
        for row in table_of(exported, table).to_pylist():
            if row["kind"] in ("push_pop", "start_end"):
                before = found.get((row["rank"], row["name"]), (0, 0))
                found[row["rank"], row["name"]] = (before[0] + (row[n] if n else 1), before[1] + row[total])
        assert found == wanted


def test_what_is_documented(exported, of_gpu):
    """The tables and columns of the document, in order, are those of the files."""
    described = {}
    for name, columns in re.findall(r"^\| `(\w+)` \| [^|]*\| (.*) \|$", DOCUMENT, re.M):
        described[name] = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", columns))
    written = {name: [column.replace("start_ns", "start_utc_ns") for column in columns]
               for name, (_, columns) in _schema.EVENTS.items()}
    written.update({name: list(types) for name, (types, _) in _schema.SUMMARIES.items()}, clocks=list(_schema.CLOCKS))
    assert described == written
    for folder in (exported, of_gpu[1]):
        for path in folder.rglob("*.parquet"):
            schema = pyarrow.parquet.read_schema(path)
            name = schema.metadata[b"rangefinder.table"].decode()
            assert schema.names == written[name] and path.is_relative_to(folder / name)
            assert schema.metadata[b"rangefinder.schema"] == str(_schema.VERSION).encode()
            assert f"({_schema.VERSION})" in DOCUMENT


def test_modes_agree(recorded, tmp_path):
    modes = ["none", "concurrent", "dask-futures"]
    if importlib.util.find_spec("distributed") is None:
        modes.pop()
    for mode in modes:
        done = export("--input", recorded, "--to", tmp_path / mode, "--mode", mode, "-q", "--run=r")
        assert done.returncode == 0, done.stderr
        assert files_of(tmp_path / mode) == files_of(tmp_path / "none")


def test_encodings(exported):
    for path in exported.rglob("ranges/**/*.parquet"):
        group = pyarrow.parquet.ParquetFile(path).metadata.row_group(0)
        columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
        assert "DELTA_BINARY_PACKED" in columns["start_utc_ns"].encodings
        assert columns["name"].compression == "ZSTD" and "RLE_DICTIONARY" in columns["name"].encodings


def test_several_ranks_in_one_recording(tmp_path):
    """A launcher that was recorded with its ranks."""
    program = tmp_path / "ranks.sh"
    program.write_text(f"for RANK in 0 1 2; do export RANK; {BUILD}/bin/example-ranges >/dev/null; done\n")
    run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "all", "sh", program, env={**os.environ, "WORLD_SIZE": "3"})
    done = export("--input", tmp_path / "all.rf", "--to", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    table = table_of(tmp_path / "out", "ranges")
    assert sorted(set(table.column("rank").to_pylist())) == [0, 1, 2]
    with rangefinder.open(tmp_path / "all.rf") as recording:
        assert table.num_rows == recording.info.n_ranges
    assert set(table_of(tmp_path / "out", "summaries").column("rank").to_pylist()) == {0, 1, 2}


def test_no_rank(tmp_path):
    run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "one", BUILD / "bin" / "example-ranges",
        env={name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")})
    assert export("--input", tmp_path / "one.rf", "--to", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "ranges" / "run=one.rf" / "rank=__HIVE_DEFAULT_PARTITION__").is_dir()


def test_files_that_cannot_be_read(recorded, tmp_path):
    job = tmp_path / "job"
    shutil.copytree(recorded, job)
    (job / "rank1.rf").write_bytes(b"what is this?")
    shutil.copy(job / "rank0.rf", job / "again.rf")
    done = export("--input", job, "--to", tmp_path / "out")
    assert done.returncode == 1 and "rank1.rf: " in done.stderr
    files = json.loads((tmp_path / "out" / "run.json").read_text())["files"]
    assert {os.path.basename(file["path"]): file["status"] for file in files} == {
        "again.rf": "ok", "rank0.rf": "ok", "rank1.rf": "failed", "rank2.rf": "ok", "rank3.rf": "ok"}
    assert len(list((tmp_path / "out" / "ranges").rglob("rank=0/*.parquet"))) == 2
    assert not list((tmp_path / "out").rglob("rank=1"))


@pytest.mark.parametrize("words, said", [
    (["--input", "JOB", "--to", "TMP"], "exists already"),
    (["--input", "JOB", "--to", "TMP", "-f"], "is no output of ours"),
    (["--input", "JOB", "--to", "TMP/out", "--run", "a/b"], "cannot be the name"),
    (["--input", "TMP/bad.rf", "--to", "TMP/out"], "none of 1 files could be read"),
])
def test_refusals(recorded, tmp_path, words, said):
    (tmp_path / "bad.rf").write_bytes(b"")
    done = export(*(word.replace("JOB", str(recorded)).replace("TMP", str(tmp_path)) for word in words))
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == ["bad.rf"]


# ---- DuckDB ----

def queries():
    return re.findall(r"```sql\n(.*?)```", DOCUMENT, re.S)


def test_queries(recorded, exported, monkeypatch):
    """Those of the document run; counts, sums and medians are those of the reports."""
    need("duckdb")
    import duckdb

    monkeypatch.chdir(exported.parent)
    database = duckdb.connect()
    results = [database.execute(query).fetchall() for query in queries()]
    stats = run(RANGEFINDER, "stats", "-q", "-r", "nvtx_sum", "-f", "json", recorded)
    wanted = {(row["Rank"], row["Range"].partition(":")[2]): row for row in json.loads(stats.stdout)}
    assert len(results[0]) == len(wanted)
    for rank, name, n, ms, median_us in results[0]:
        row = wanted[rank, name]
        assert (n, round(ms * 1e6)) == (row["Instances"], row["Total Time (ns)"])
        assert row["Min (ns)"] <= round(median_us * 1e3) <= row["Max (ns)"]
    slowest = {name: max(range(N_RANKS), key=lambda rank: wanted[rank, name]["Total Time (ns)"])
               for _, name in wanted}
    assert {name: rank for name, rank, _ in results[1]} == slowest
    assert len(results[2]) == 10 and all(spread >= 0 for _, spread, _ in results[2])
    clocks = [rangefinder.open(recorded / f"rank{rank}.rf").clocks for rank in range(N_RANKS)]
    assert {(boot, ranks) for boot, _, ranks, _ in results[3]} == {(clocks[0]["boot_id"], N_RANKS)}
    epochs = {row["rank"]: row["epoch_mono_ns"] - row["epoch_utc_ns"] for row in table_of(exported, "clocks").to_pylist()}
    starts = {}
    for row in table_of(exported, "steps").to_pylist():
        starts.setdefault(row["number"], []).append(row["start_utc_ns"] + epochs[row["rank"]])
    assert all(spread == max(starts[number]) - min(starts[number]) for _, number, _, spread in results[3])
