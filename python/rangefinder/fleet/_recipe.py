# SPDX-License-Identifier: Apache-2.0
"""rangefinder recipe: a report of a job, in a folder."""

import contextlib
import csv
import importlib.util
import json
import os
import shutil
import sys
import time

from rangefinder import _reader
from rangefinder.fleet import FleetError, Report, _inputs, _recipes
from rangefinder.fleet import open as open_fleet
from rangefinder.fleet._engine import EMBEDDED
from rangefinder.fleet._report import needs_steps, reads_summaries

RUN = "run.json"  # says what ran; a folder with it is one of ours
SUMMARY = "job.rfsum"
_MAX_SAID = 10  # files that could not be read
ADDRESS, SCHEDULER_FILE = "DASK_SCHEDULER_ADDRESS", "NSYS_DASK_SCHEDULER_FILE"
_CONNECT_S = 10


def say(text):
    print(f"rangefinder: {text}", file=sys.stderr)


# ---- Where tasks run ----

@contextlib.contextmanager
def _dask_client():
    """A Client of the scheduler that the environment names, or of two or more workers on this machine."""
    if importlib.util.find_spec("distributed") is None:
        raise FleetError("--mode=dask-futures needs the package distributed: pip install distributed; "
                         f"{EMBEDDED}")
    from distributed import Client, LocalCluster

    address, file = os.environ.get(ADDRESS), os.environ.get(SCHEDULER_FILE)
    where = f"{ADDRESS}={address}" if address else f"{SCHEDULER_FILE}={file}"
    if address or file:
        try:
            client = Client(address, timeout=_CONNECT_S) if address else Client(scheduler_file=file,
                                                                               timeout=_CONNECT_S)
        except (OSError, ValueError) as error:
            raise FleetError(f"no scheduler of Dask answers ({where}): {error}; {EMBEDDED}") from error
        with client:
            yield client
        return
    with LocalCluster(threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


@contextlib.contextmanager
def executor_of(mode):
    if mode == "dask-futures":
        with _dask_client() as client:
            yield client
    else:
        yield 1 if mode == "none" else None


class Progress:
    """A line on a terminal, for what takes over a second; or lines of JSON.

    form: str: "auto", "json" or "none", as `rangefinder recipe --progress` has it.
    """

    def __init__(self, form="auto"):
        self._is_wanted = form == "auto" and sys.stderr.isatty()
        self._is_json = form == "json"
        self._next = time.monotonic() + 1
        self._is_shown = False
        self._begin()

    def _begin(self):
        self._began = time.monotonic()
        self._is_begun = True
        if self._is_json:
            self._print_json("begin", 0)

    def _print_json(self, event, done):
        # docs/json/progress.schema.json
        line = {"schema_version": 1, "schema": "progress", "event": event, "what": "summing up recordings",
                "done": done, "elapsed_ms": int((time.monotonic() - self._began) * 1000)}
        print(json.dumps(line, separators=(",", ":")), file=sys.stderr, flush=True)

    def __call__(self, n_done, n_files):
        if self._is_json:
            if not self._is_begun:  # the files are gone through once more
                self._begin()
            self._is_begun = n_done < n_files
            self._print_json("progress" if self._is_begun else "end", n_done / n_files)
            return
        if self._is_wanted and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.2
            self._is_shown = True
            print(f"\r{n_done} of {n_files} files", end="", file=sys.stderr, flush=True)
        if self._is_shown and n_done == n_files:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


# ---- What is written ----

def has_pyarrow():
    return importlib.util.find_spec("pyarrow") is not None


def _write_csv(path, table):
    with open(path, "x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows([row.get(title) for title in table.columns] for row in table)


def _write_table(folder, name, table, as_csv):
    if as_csv:
        _write_csv(os.path.join(folder, name + ".csv"), table)
        return
    import pyarrow.parquet

    pyarrow.parquet.write_table(table.to_arrow(), os.path.join(folder, name + ".parquet"), compression="zstd")


def _files_table(job):
    columns = ("path", "status", "message", "rank", "host")
    return Report("files", columns, [{name: getattr(file, name) for name in columns} for file in job.files])


def _tables(job, report):
    """(name of a file, Report) of all that a recipe has."""
    name = report.partition(":")[0]
    yield name, job.stats(report)
    if reads_summaries(name) and name.endswith("_sum"):
        yield name + "_total", job.stats(report, total=True)
    yield "files", _files_table(job)


def ranks_line(job):
    """How much of the job was there: "3 of 4 ranks; missing: 2"."""
    if job.world_size is None:
        return f"{len(job.paths) - len(job.failed)} of {len(job.paths)} files"
    missing = job.missing_ranks
    shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
    text = f"{job.n_ranks} of {job.world_size} ranks"
    if missing:
        text += f"; missing: {shown}"
    if job.duplicate_ranks:
        text += f"; more than once: {', '.join(map(str, job.duplicate_ranks[:10]))}"
    return text


def write_run(folder, options, began, facts):
    """Says what ran; facts: what a verb adds."""
    facts = {
        "product": f"rangefinder {_reader.__version__}",
        "arguments": options.arguments,
        "mode": options.mode,
        **facts,
        "seconds": round(time.monotonic() - began, 3),
        "outputs": sorted(os.listdir(folder)),
    }
    with open(os.path.join(folder, RUN), "x", encoding="utf-8") as file:
        json.dump(facts, file, indent=1)
        file.write("\n")


def _is_replaceable(path):
    """A folder that a recipe wrote, or an empty one."""
    return os.path.isdir(path) and (not os.listdir(path) or os.path.exists(os.path.join(path, RUN)))


def new_name(name):
    """nsys's rule where no output is named: NAME-1, NAME-2, ..."""
    number = 1
    while os.path.lexists(f"{name}-{number}"):
        number += 1
    return f"{name}-{number}"


def checked_name(path, can_overwrite):
    """The folder to write, which nothing of others is lost by."""
    path = path.rstrip("/") or "/"
    if os.path.lexists(path) and not can_overwrite:
        raise FleetError(f"'{path}' exists already; use -f to overwrite it")
    if os.path.lexists(path) and not _is_replaceable(path):
        raise FleetError(f"'{path}' is no output of ours (it has no {RUN}): remove it by hand, or name another one")
    return path


def _put(folder, path):
    """Gives a folder its name. What had it goes when that is done."""
    old = f"{path}.{os.getpid()}.old"
    is_there = os.path.lexists(path)
    if is_there:
        os.rename(path, old)
    os.rename(folder, path)
    if is_there:
        shutil.rmtree(old)


@contextlib.contextmanager
def new_folder(path):
    """A folder that appears under its name when all in it is written; nothing is left after a failure."""
    pending = f"{path}.{os.getpid()}.tmp"
    try:
        os.mkdir(pending)
        yield pending
        _put(pending, path)
    except BaseException:
        shutil.rmtree(pending, ignore_errors=True)
        raise


def paths_of(words):
    """The files of all --input PATH[:N]."""
    return [path for word in words for path in _inputs.limited(word)]


def _write(folder, job, options, report, as_csv, began):
    for name, table in _tables(job, report):
        if len(table) == 0 and name == report.partition(":")[0] and not options.quiet:
            say(f"the table {name} has no rows: no recording has what it shows")
        _write_table(folder, name, table, as_csv)
    job.write(os.path.join(folder, SUMMARY))
    write_run(folder, options, began, {
        "recipe": options.recipe,
        "report": report,
        "n_files": len(job.paths),
        "n_failed": len(job.failed),
        "n_ranks": job.n_ranks,
        "world_size": job.world_size,
        "missing_ranks": job.missing_ranks,
        "duplicate_ranks": job.duplicate_ranks,
        "cpu_seconds": round(sum(file.cpu_ns for file in job.files) / 1e9, 3),
    })


def say_failed(failed):
    for path, message in failed[:_MAX_SAID]:
        say(f"{path}: {message}")
    if len(failed) > _MAX_SAID:
        say(f"... and {len(failed) - _MAX_SAID} more files, which the output lists")


def recipe(options):
    """Returns an exit status."""
    began = time.monotonic()
    report = _recipes.report_of(options.recipe)
    name = report.partition(":")[0]
    as_csv = options.csv or not has_pyarrow()
    if as_csv and not options.csv and not options.quiet:
        say("the tables are CSV: Parquet needs the package pyarrow (pip install pyarrow)")
    paths = paths_of(options.input)
    path = checked_name(options.output or new_name(name), options.force_overwrite)
    with new_folder(path) as folder, executor_of(options.mode) as executor, open_fleet(
        paths, executor, steps=needs_steps(name), step=options.step, collective=options.collective,
        fold_numbers=options.fold_numbers, filter_time=options.filter_time, filter_nvtx=options.filter_nvtx,
        progress=Progress(options.progress),
    ) as job:
        _write(folder, job, options, report, as_csv, began)
        found, failed = ranks_line(job), job.failed
    say_failed([(file.path, file.message) for file in failed])
    if not options.quiet:
        say(f"wrote '{path}': {found}")
        shown = f"-r {report} " if reads_summaries(name) else ""
        say(f"next: rangefinder stats {shown}{os.path.join(path, SUMMARY)}")
    return 1 if failed else 0
