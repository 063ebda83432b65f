# SPDX-License-Identifier: Apache-2.0
"""The recordings of a job: each is summed up by a task of its own, wherever an executor runs it.

    from rangefinder import fleet

    with fleet.open("job-1234/") as job:                # all cores of this machine
        for row in job.stats("nvtx_sum"):
            print(row["Rank"], row["Range"], row["Total Time (ns)"])

    client = dask.distributed.Client("tcp://scheduler:8786")
    with fleet.open("job-1234/", executor=client) as job:
        job.write("job.rfsum")

A task runs the command line for one file and returns some kilobytes. What many of them add up to is
computed here, in C, in the order of the inputs: it is the same, to the byte, with every executor, number of
workers and order in which they finish."""

import collections
import contextlib
import csv
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass, replace
from typing import Optional

from rangefinder import __main__ as command_line
from rangefinder import _reader
from rangefinder.fleet import _engine, _inputs, _tasks
from rangefinder.fleet._engine import FleetError
from rangefinder.fleet._report import Report, is_of_tallies, kind_of_samples, needs_steps, reads_summaries

__all__ = ["File", "Fleet", "FleetError", "Report", "open"]

_PLACE = ("Input", "Host", "Rank")  # the first columns of a table of several recordings


@dataclass(frozen=True)
class File:
    """What became of an input."""

    path: str  # as it was given
    status: str  # "ok"; "missing", "failed" (it cannot be read), "crashed", "lost" (its workers died)
    message: str  # why; "": it is ok
    rank: Optional[int]  # None: not known, or it has several; likewise below
    host: Optional[str]
    cpu_ns: int  # of the processor, that its task took
    memory_bytes: int  # the most that its task had; what it runs in counts, too


def open(
    inputs,
    executor=None,
    *,
    steps=False,
    step=None,
    collective=None,
    fold_numbers=False,
    filter_time=None,
    filter_nvtx=None,
    memory_bytes=None,
    command=None,
    progress=None,
):
    """Sums up recordings. Returns a Fleet, when all of them are done.

    inputs: a path, or an iterable of them: recordings, session directories, databases of nsys, summaries,
        and folders of these. Workers open them by these paths.
    executor: None: as many processes as this machine has processors. An int: so many. An Executor of
        concurrent.futures (mpi4py.futures.MPIPoolExecutor is one), or a Client of dask.distributed. Its
        workers need this package.
    steps: bool: look for steps and collectives in recordings of more than 64 MiB too, which are opened with
        all events then: 48 bytes of memory each. Reports that need them read such recordings once more.
    step, collective: str "MESSAGE[@DOMAIN]": ranges that are steps, or collectives too.
    fold_numbers: bool: names of ranges that differ by numbers are one.
    filter_time, filter_nvtx: str: the part of each recording, as of `rangefinder summarize`.
    memory_bytes: int: address space that the process for a file may use; None: all. A file that needs more
        is one that failed.
    command: str: the command line on the workers; None: that of their package.
    progress: callable(n_done, n_files), called after each file. What it raises ends the work.

    A file that is missing, damaged or crashes its task is in Fleet.failed, and the others are summed up.
    Raises ValueError for a folder without recordings, OSError for one that cannot be read, FleetError where
    the executor gave up."""
    arguments = []
    for name, value in (("step", step), ("collective", collective), ("filter-time", filter_time),
                        ("filter-nvtx", filter_nvtx)):
        if value is not None:
            arguments.append(f"--{name}={value}")
    if steps:
        arguments.append("--steps")
    if fold_numbers:
        arguments.append("--fold-numbers")
    job = _tasks.Job((), _reader.__version__, os.getcwd(), command, memory_bytes=memory_bytes)
    fleet = Fleet(_inputs.listed(inputs), executor, tuple(arguments), job, progress)
    try:
        fleet._sum_up(range(len(fleet.paths)), ())
    except BaseException:
        fleet.close()
        raise
    return fleet


class Fleet:
    """The recordings of a job, summed up: open() makes it. It belongs to one thread. close(), or the end of
    a with block, removes its temporary files."""

    def __init__(self, paths, executor, arguments, job, progress):
        self.paths = paths
        self._executor = executor
        self._arguments = arguments  # that select a part, or say what names mean
        self._job = job
        self._progress = progress
        self._outcomes = [None] * len(paths)
        self._folder = tempfile.mkdtemp(prefix="rangefinder-fleet-")
        self._is_current = False  # the file of all summaries
        os.mkdir(self._path("parts"))

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def __repr__(self):
        return f"<Fleet of {len(self.paths)} files, {len(self.failed)} failed>"

    def close(self):
        """Removes the temporary files. Reports that were had remain."""
        shutil.rmtree(self._folder, ignore_errors=True)

    # ---- Tasks ----

    def _path(self, *names):
        return os.path.join(self._folder, *names)

    def _part(self, index):
        return self._path("parts", f"{index:08}.rfsum")

    def _each(self, indices, arguments):
        """Yields (index, Outcome) of a pass over files."""
        indices = list(indices)
        job = replace(self._job, arguments=arguments)
        results = _engine.outcomes(self._executor, itertools.repeat(job), [self.paths[i] for i in indices])
        with contextlib.closing(results):
            for n_done, (place, outcome) in enumerate(results, 1):
                yield indices[place], outcome
                if self._progress is not None:
                    self._progress(n_done, len(indices))

    def _sum_up(self, indices, more):
        arguments = ("summarize", "-q", "--jobs=1", "-o", "{output}", *self._arguments, *more, "--", "{input}")
        for index, outcome in self._each(indices, arguments):
            if outcome.status == _tasks.OK:  # of a second pass that fails the first one's remains
                with io_open(self._part(index), "wb") as file:
                    file.write(outcome.output())
            self._outcomes[index] = replace(outcome, data=b"")
        self._is_current = False

    # ---- What became of them ----

    def _read(self, query):
        """Rows of the file of all summaries (docs/summaries.md has its tables)."""
        database = sqlite3.connect(f"file:{self._all()}?mode=ro", uri=True)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    @property
    def files(self):
        """list of File, in the order of the inputs."""
        return [self._file(i) for i in range(len(self.paths))]

    def _file(self, index):
        outcome = self._outcomes[index]
        rank = host = None
        if outcome.status == _tasks.OK:
            rank, host = self._place(index)
        return File(self.paths[index], outcome.status, outcome.message, rank, host, outcome.cpu_ns,
                    outcome.memory_bytes)

    def _place(self, index):
        database = sqlite3.connect(f"file:{self._part(index)}?mode=ro", uri=True)
        try:
            inputs = database.execute("SELECT rank, host FROM inputs").fetchall()
        finally:
            database.close()
        rank, host = inputs[0] if len(inputs) == 1 else (-1, "")
        return (rank if rank >= 0 else None), (host or None)

    @property
    def failed(self):
        """list of File: those that could not be summed up, or, later, read once more for a report."""
        return [self._file(i) for i, outcome in enumerate(self._outcomes) if outcome.status != _tasks.OK]

    def _ranks(self):
        return [rank for rank, in self._read("SELECT rank FROM inputs WHERE rank >= 0")]

    @property
    def n_ranks(self):
        """int: how many ranks were summed up; recordings without a rank do not count."""
        return len(set(self._ranks()))

    @property
    def world_size(self):
        """int: of the job, as its recordings say; None: they do not."""
        largest = self._read("SELECT max(world_size) FROM inputs")[0][0]
        return largest if largest is not None and largest >= 0 else None

    @property
    def missing_ranks(self):
        """list of int: ranks of the job that were not summed up."""
        return sorted(set(range(self.world_size or 0)) - set(self._ranks()))

    @property
    def duplicate_ranks(self):
        """list of int: ranks that several recordings have."""
        return sorted(rank for rank, n in collections.Counter(self._ranks()).items() if n > 1)

    # ---- What they add up to ----

    def _run(self, *arguments):
        """Runs the command line here; returns its output."""
        done = subprocess.run([command_line.COMMAND, *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode < 0:
            raise FleetError(f"rangefinder {arguments[0]} was ended by signal {-done.returncode}")
        if done.returncode != 0:
            said = [line.partition(": ")[2] for line in done.stderr.splitlines()]
            raise FleetError("\n".join(said) or f"rangefinder {arguments[0]} failed")
        return done.stdout

    def _all(self):
        """The file that has the summary of each input, side by side."""
        path = self._path("all.rfsum")
        if not self._is_current:
            if not os.listdir(self._path("parts")):
                raise FleetError(f"none of {len(self.paths)} files could be read; the first: "
                                 f"{self._outcomes[0].message}")
            self._run("summarize", "-q", "-f", "-o", path, self._path("parts"))
            self._is_current = True
        return path

    def write(self, path, *, merge=False, overwrite=False):
        """Writes the summary, a file that appears when it is complete (docs/summaries.md).

        merge: bool: all recordings added up; otherwise they stand side by side.
        overwrite: bool. Raises FileExistsError where it is there, another OSError, FleetError."""
        path = os.fsdecode(path)
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"'{path}' exists already; overwrite=True replaces it")
        source = self._path("merged.rfsum") if merge else self._all()
        if merge:
            self._run("summarize", "-q", "-f", "--merge", "-o", source, self._all())
        pending = f"{path}.{os.getpid()}.tmp"
        try:
            shutil.copyfile(source, pending)
            os.replace(pending, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(pending)
            raise

    def summary(self, *, merge=False):
        """Returns the summary as bytes, as write() has it."""
        path = self._path("summary.rfsum")
        self.write(path, merge=merge, overwrite=True)
        with io_open(path, "rb") as file:
            return file.read()

    def stats(self, report, *, total=False):
        """Returns a Report: "nvtx_sum", and what else `rangefinder stats --help` lists. Arguments of the
        report may follow its name: "nvtx_sum:rows=10".

        total: bool: all recordings added up; otherwise each has its rows, with input, host and rank.

        What summaries cannot show is computed by one more pass over the files; all its rows are held in memory,
        where export to Parquet holds none. Raises ValueError for a
        report that there is not, or that has no total; FleetError."""
        name = report.partition(":")[0]
        if not reads_summaries(name):
            if total:
                raise ValueError(f"{name} cannot be added up over recordings: it is made of single events")
            return self._rows(report)
        if not total and is_of_tallies(name):
            return self._rows(report)
        self._look_for(name)
        options = ("--sum-inputs",) if total else ()
        table = json.loads(self._run("stats", "-q", "--allow-empty", "-r", report, "-f", "json", *options,
                                     self._all()))
        return Report(report, table[0] if table else self._titles(report, options), table)

    def _titles(self, report, options):
        """Of a table without rows."""
        header = self._run("stats", "-q", "--allow-empty", "-r", report, "-f", "csv", *options, self._all())
        return next(csv.reader(header.splitlines()), ())

    def _look_for(self, report):
        """Sums up again, with all events, what was not searched for that which a report shows."""
        if not needs_steps(report):
            return
        indices = [i for i, outcome in enumerate(self._outcomes)
                   if outcome.status == _tasks.OK and not self.paths[i].endswith(".rfsum")
                   and not _is_searched(self._part(i), kind_of_samples(report))]
        if indices:
            self._sum_up(indices, ("--steps",))

    def _rows(self, report):
        """Reads all files once more."""
        self._all()
        arguments = ("stats", "-q", "--allow-empty", "-r", report, "-f", "json",
                     *(word for word in self._arguments if word.startswith("--filter-")), "--", "{input}")
        tables = {}
        indices = [i for i, outcome in enumerate(self._outcomes) if outcome.status == _tasks.OK]
        for index, outcome in self._each(indices, arguments):
            if outcome.status == _tasks.OK:
                tables[index] = outcome
            else:
                self._outcomes[index] = replace(outcome, message=f"{report}: {outcome.message}", data=b"")
        rows = []
        for index in sorted(tables):
            rank, host = self._place(index)
            place = dict(zip(_PLACE, (self.paths[index], host or "", rank)))
            rows.extend({**place, **row} for row in json.loads(tables.pop(index).output()))
        return Report(report, rows[0] if rows else _PLACE + _reader.report_columns(report.partition(":")[0]), rows)


def io_open(path, mode):
    """The open() that this module hides."""
    import io

    return io.open(path, mode)


def _is_searched(path, kind):
    """Whether steps and collectives, and tallies of a kind unless it is None, were looked for in all that a summary is of."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        if kind is not None and database.execute(
                "SELECT count(*) < (SELECT count(*) FROM inputs) FROM tally_inputs WHERE kind = ?", (kind,)).fetchone()[0]:
            return False
        return all(database.execute(f"SELECT min(n_searched) FROM {table}").fetchone()[0]
                   for table in ("step_inputs", "collective_inputs"))
    except sqlite3.OperationalError:  # older summaries lack the tables
        return False
    finally:
        database.close()
