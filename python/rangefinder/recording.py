# SPDX-License-Identifier: Apache-2.0
"""Recordings in Python: what rangefinder.open() returns.

    with rangefinder.open("run.rf") as recording:
        for step in recording.ranges.filter(name="step"):
            print(step.start_ns, step.duration_ns, step.thread.name)
        frame = recording.ranges.to_pandas()

A recording never changes once it is opened, and any number of threads may read it. Nothing is made
per range before it is asked for: a row is an object as long as somebody holds it, and columns show
the recording's own memory where they can. Times are ints: nanoseconds after time 0 of the
recording, which was at `info.epoch_utc_ns`.
"""

import copyreg
import importlib
import io
import operator
import os
import stat
from dataclasses import dataclass
from typing import Optional

from rangefinder import _reader
from rangefinder._reader import (
    Call,
    Capture,
    Column,
    Counter,
    Domain,
    Event,
    Extra,
    FormatError,
    Gpu,
    GpuOp,
    GpuStream,
    Kernel,
    Mark,
    Process,
    Projection,
    Range,
    ReportRow,
    Row,
    Rows,
    Sample,
    Table,
    Thread,
)

__all__ = [
    "Call",
    "Capture",
    "Column",
    "Counter",
    "Domain",
    "Event",
    "Extra",
    "FormatError",
    "Gpu",
    "GpuOp",
    "GpuStream",
    "Info",
    "Kernel",
    "Mark",
    "Process",
    "Projection",
    "Range",
    "Recording",
    "ReportRow",
    "Ring",
    "Row",
    "Rows",
    "Sample",
    "Table",
    "Thread",
    "align",
    "export",
    "open",
]


@dataclass(frozen=True)
class Info:
    """What a recording is about. Times are nanoseconds."""

    path: str
    product: str  # who made it
    host: str  # name of the machine
    epoch_utc_ns: int  # time 0 of the recording, since 1970
    epoch_mono_ns: int  # the same as CLOCK_MONOTONIC
    epoch_boot_ns: int  # the same as CLOCK_BOOTTIME; 0: unknown
    utc_offset_s: int  # of the local time zone, east positive
    clock_name: str  # "tsc", "cntvct" or "monotonic"
    clock_hz: float
    end_ns: int  # of the session; ranges that were open end there
    n_events: int
    n_ranges: int
    n_marks: int
    n_cut: int  # ranges whose end was not recorded
    n_cut_at_start: int  # ranges that were open when a capture began
    n_lost_records: int  # events that could not be recorded
    n_lost_about: int  # of them: an estimate, of what is damaged or missing
    lost_bytes: int
    n_lost_parts: int  # blocks of events that are missing
    n_lost_defs: int  # names that could not be recorded
    n_failed_processes: int  # that could not be recorded at all
    n_stalls: int  # times that a thread had to write itself
    stall_ns: int
    n_unmatched_ends: int  # pops without push, ends of ranges that are not open
    n_foreign_ends: int  # ends of ranges that another process began
    n_damaged_bytes: int  # skipped by salvage=True
    n_bad_times: int  # calls and GPU work whose times are not right: their flags say why
    n_time_calls: int  # for time domains of NVTX, which are not recorded
    n_memory_calls: int  # of NVTX's memory extension while no capture was on, likewise
    n_uncaptured: int  # calls that submitted deferred events or samples while no capture was on, likewise
    n_cuda_dropped: int  # records of CUDA that CUPTI had no room for, or that are incomplete
    size_bytes: int  # on disk
    expanded_bytes: int  # the same if nothing in it were compressed
    is_end_missing: bool  # it was recovered without its end; what that held is not known
    is_live: bool  # the session was still running
    was_live: bool  # a packed file: processes of it still ran when it was packed
    is_finished: bool  # it ended as it should
    is_focused: bool  # only captures were asked for
    is_import: bool  # read from a SQLite database or a trace of torch.profiler
    root_pid: int  # the program that was started; 0: unknown
    root_signal: int  # that ended it; 0: none, or unknown
    root_status: int  # its exit status, where root_signal is 0
    is_root_ended: bool
    rank: Optional[int]  # of its processes, as far as they agree; None: not known, likewise below
    local_rank: Optional[int]  # among the processes of its machine
    world_size: Optional[int]  # processes of the job
    ranks: str  # those that were to be recorded, as profile --ranks had it: "0,8-15", "every:16"; "": all, or not known


def open(path, *, salvage=False):
    """Opens a recording: a .rf file, a SQLite database that nsys exported, a .nsys-rep (which needs
    nsys on the PATH), or the directory of a session, which may still be running: it is shown as it
    is now.

    path: str, bytes or os.PathLike.
    salvage: bool. True reads what can be read of a damaged file; Info.n_damaged_bytes says how much
        was skipped.

    Returns a Recording. Raises FileNotFoundError, or another OSError, where it cannot be read;
    FormatError, a ValueError with `code` and `offset` (the byte in the file), where it is no
    recording, or a damaged one; RuntimeError where nsys would be needed.
    """
    if stat.S_ISREG(os.stat(path).st_mode):
        io.open(path, "rb").close()  # what is not there, or not ours, is an OSError of its own kind
    return Recording(_reader.Recording(path, salvage), (os.path.abspath(os.fsdecode(path)), salvage, ()))


def _joined(value):
    """What the library takes as a list: 'a,b'."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, range, set, frozenset)):
        return ",".join(str(part) for part in value)
    return str(value)


def _listed(value):
    """What the library takes as an array of texts."""
    return (value,) if isinstance(value, str) else tuple(value or ())


def _time(value):
    """What the library takes as a stretch of time: 'START/END'."""
    if value is None or isinstance(value, str):
        return value
    start_ns, end_ns = value
    return "/".join("" if part is None else f"{int(part)}ns" for part in (start_ns, end_ns))


def _format_of(path):
    """The format that the name of a file asks for."""
    name = _reader.format_of(path)
    if name is not None:
        return name
    raise ValueError(
        f"the name {path!r} does not say which format is meant: format= is one of "
        + ", ".join(_reader.formats())
    )


def _output(path, tracks):
    """The name of an output, and whether tracks are of categories."""
    path = os.fsdecode(path)
    if path == "-":
        path = "./-"  # a file like any other; the library would take it for standard output
    if tracks not in (None, "category"):
        raise ValueError(f"tracks must be 'category' or None, not {tracks!r}")
    return path, tracks == "category"


def _each(recordings):
    """Each recording of the reader, with its name. Those that are named are opened one at a time."""
    for recording in recordings:
        if isinstance(recording, Recording):
            yield recording._reader, recording.info.path
        else:
            with open(recording) as opened:
                yield opened._reader, os.fspath(recording)


def align(recordings, anchor=None):
    """Puts the clocks of recordings side by side, as `rangefinder open A.rf B.rf` does.

    recordings: iterable of paths (str, bytes or os.PathLike) and Recordings. A path is opened when
        its turn comes, and closed before the next one.
    anchor: str: ranges "MESSAGE[@DOMAIN]" in which everybody waits for the last one, besides the
        collectives of NCCL and MPI.

    Returns a list of dicts, one for each recording in their order. A time t of it, in ns, is on the
    timeline of the first one at offset_ns + t * (1 + drift), and that is right to plus and minus
    uncertainty_ns (int; None: not known). method: str: "first input", "monotonic", "counter", "realtime",
    "anchors" or "none". machine: int: the first recording that has the same clock. n_anchors,
    residual_ns (the scatter of their ends; None: there are none), n_violations, n_left, violation_ns,
    moved_ns, is_bent (bool) and utc_disagrees_ns (None: not known) say how well ends of shared
    operations agree: see struct rf_alignment of rangefinder/clocks.h.

    Raises what open() raises, and ValueError where no recording has the anchor.
    """
    if isinstance(recordings, (str, bytes, os.PathLike, Recording)):
        raise TypeError(f"recordings must be a list of them, not {type(recordings).__name__}")
    return _reader.align_several(_each(recordings), anchor)


def export(recordings, path, format=None, *, overwrite=False, progress=None, tracks=None, gpu_events=False):
    """Writes recordings to one file, which appears when it is complete: on the clock of the first one,
    with ids that are told apart, as `rangefinder export A.rf B.rf -o FILE` does.

    recordings: iterable of paths (str, bytes or os.PathLike) and Recordings. A path is opened when
        its turn comes, and closed before the next one, so that memory is that of one recording.
    path, overwrite, tracks, gpu_events: as for Recording.export().
    format: str: "sqlite", "json" or "perfetto". None: what the name of the file says.
    progress: callable: called now and then with the share of the recording being written, 0 to 1. An
        exception of it ends the export, and so does Ctrl-C.

    Raises what open() and Recording.export() raise; ValueError for a recording that comes twice, or
    one whose time cannot be put beside the first one's, and where there is no recording.
    """
    if isinstance(recordings, (str, bytes, os.PathLike, Recording)):
        raise TypeError(f"recordings must be a list of them, not {type(recordings).__name__}")
    path, by_category = _output(path, tracks)
    _reader.export_several(
        _each(recordings),
        path,
        format or _format_of(path),
        overwrite,
        progress,
        by_category,
        bool(gpu_events),
    )


@dataclass(frozen=True)
class Ring:
    """What a flight recorder (`rangefinder profile --ring`) held. Times are nanoseconds."""

    size_bytes: int  # as asked for
    keep_ns: int  # how long events were kept at most; 0: any time
    n_recycled: int  # records that were dropped for newer ones
    recycled_bytes: int
    kept_from_ns: int  # since when all events of all threads are there; 0: from the beginning
    snapshot: int  # its number, from 1; 0: the file was made when the program had ended
    asked_ns: Optional[int]  # of a snapshot: when it was asked for
    reason: str  # why it was taken
    rule: str  # of --snapshot-on, which asked for it; "": none did
    value_ns: Optional[int]  # what the rule measured


class Recording:
    """A recording. rangefinder.open() makes it.

    Everything that it hands out keeps what it needs: close(), or the end of a with block, frees the
    memory as soon as nothing uses it any more.
    """

    __slots__ = ("_reader", "_info", "_source")

    def __init__(self, reader, source):
        self._reader = reader
        self._source = source  # path, salvage, what filter() of the reader was given in turn
        self._info = Info(**reader.info())

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def __reduce__(self):
        """A Recording pickles as its path and filters: it is opened again where it is unpickled."""
        return _reopen, self._source

    def __repr__(self):
        return f"<Recording {self._info.path!r}: {self._info.n_ranges} ranges>"

    def _repr_html_(self):
        if self.closed:
            return None
        return importlib.import_module("rangefinder._frames").recording_html(self)

    def close(self):
        """Gives the recording up. What was had from it remains valid; nothing more can be had."""
        self._reader.close()

    @property
    def closed(self):
        """bool: whether close() was called."""
        return self._reader.closed

    # ---- What it is about ----

    @property
    def info(self):
        """Info: what it is about."""
        return self._info

    @property
    def ring(self):
        """Ring or None: what a flight recorder held, and of a snapshot why it was taken."""
        values = self._reader.ring()
        return Ring(**values) if values is not None else None

    @property
    def clocks(self):
        """dict: which clocks it has, as `rangefinder info --json` has them: `boot_id` (hex digits, or
        None), `time_namespace` (0: unknown), `is_counter`, `epoch_ticks`, `utc_error_ns` (how far the
        date of time 0 may be off, or None), `is_mono_faked`, `is_utc_faked`, `n_steps`, `step_ns`, and
        `pairs`: a dict for each moment at which all clocks were read, with `ticks`, `mono_ns`,
        `boot_ns`, `utc_ns` and what the kernel said of its clock: `max_error_ns`, `est_error_ns`,
        `is_synchronised`, each None if it is unknown. Times are ints in nanoseconds."""
        return self._reader.clocks()

    @property
    def messages(self):
        """list of str: what the recorder had to say."""
        return self._reader.messages()

    @property
    def skipped(self):
        """list of (table, reason, number of rows): what an import left out or changed."""
        return self._reader.skipped()

    @property
    def processes(self):
        """Rows of Process."""
        return self._reader.rows("processes")

    @property
    def threads(self):
        """Rows of Thread."""
        return self._reader.rows("threads")

    @property
    def domains(self):
        """Rows of Domain: those of all processes."""
        return self._reader.rows("domains")

    @property
    def captures(self):
        """Rows of Capture; none, where the whole run was recorded."""
        return self._reader.rows("captures")

    # ---- Annotations ----

    @property
    def ranges(self):
        """Rows of Range, by start; among equals by thread, then an enclosing one first."""
        return self._reader.rows("ranges")

    @property
    def marks(self):
        """Rows of Mark, by time."""
        return self._reader.rows("marks")

    @property
    def events(self):
        """Rows of Event, by start: ranges, marks, and the calls that name or create."""
        return self._reader.rows("events")

    # ---- What imports bring ----

    @property
    def calls(self):
        """Rows of Call, by start: CUDA and the operating system."""
        return self._reader.rows("calls")

    @property
    def gpu_ops(self):
        """Rows of GpuOp, by start: kernels, copies, sets, graphs and waits."""
        return self._reader.rows("gpu_ops")

    @property
    def kernels(self):
        """Rows of Kernel, by start."""
        return self._reader.rows("kernels")

    @property
    def gpus(self):
        """Rows of Gpu."""
        return self._reader.rows("gpus")

    @property
    def gpu_streams(self):
        """Rows of GpuStream."""
        return self._reader.rows("gpu_streams")

    @property
    def counters(self):
        """Rows of Counter; Counter.samples are its values."""
        return self._reader.rows("counters")

    @property
    def samples(self):
        """Rows of Sample, of all counters, by time."""
        return self._reader.rows("samples")

    @property
    def extras(self):
        """Rows of Extra, by start, those without one first: allocations, events of CUDA, page
        faults, MPI, ..., whose Extra.values differ by kind."""
        return self._reader.rows("extras")

    def projections(self, *, by_process=False, kernels_only=False):
        """The GPU work under ranges: Rows of Projection, one for each range that caused some.

        by_process: bool. Ranges that ended on another thread cover the calls of their process.
        kernels_only: bool. Kernels and graphs count, copies and sets do not.
        """
        return self._reader.project(by_process, kernels_only)

    # ---- What is made of it ----

    def table(self, name, *columns):
        """The columns (all, or those of these names) of rows by their name here: "ranges",
        "gpu_ops". Returns a Table. Raises KeyError for a name that there is not."""
        return self._reader.rows(name).columns(*columns)

    def stats(
        self,
        report,
        *,
        by_process=False,
        group_by=None,
        quantiles=None,
        fold_numbers=False,
        step=None,
        collective=None,
    ):
        """A report: "nvtx_sum", "cuda_gpu_kern_sum", and what else `rangefinder stats --help` lists.

        by_process: bool. Ranges that ended on another thread count, too, in reports of GPU work.
        group_by: str, "payload.NAME" or "payload". A row for each value that payloads have there, in
            a column of that name; summaries of ranges alone.
        quantiles: a number, or a list of them: [50, 99.9]. Columns "p50 (ns)", "p99.9 (ns)" in summaries
            that have a median: the smallest value that so many percent do not exceed. Times are
            nanoseconds.
        fold_numbers: bool. "nvtx_tree", "steps", sums of ranges and of kernels by name: names that differ by
            numbers are one: op_17 and op_18 are op_#.
        step: str, "MESSAGE" or "MESSAGE@DOMAIN". "steps", "breakdown_steps", "pace": the ranges of this name are
            the steps, and those whose names differ only by numbers. None: they are found.
        collective: str, likewise. "collectives": the ranges of this name are collectives, too.

        Returns Rows of ReportRow: stats("nvtx_sum")[0]["Total Time (ns)"],
        stats("nvtx_sum").to_pandas(). Raises ValueError for a report that there is not, and
        RuntimeError, which says how to ask for less, where it would have to look at too much."""
        return self._reader.report(report, by_process, group_by, _joined(quantiles), fold_numbers, step,
                                   collective)

    def filter(
        self,
        *,
        time=None,
        nvtx=None,
        process=None,
        gpu=None,
        activity=None,
        name=None,
        kernel=None,
        payload=None,
        rank=None,
        thread=None,
        cut_ranges="count",
    ):
        """A part of the recording, as a Recording of its own. What several filters name lies in all
        of them.

        time: str "START/END", in seconds or with s, ms, us, ns, or (start_ns, end_ns); either may be
            missing. What lies partly inside stays whole.
        nvtx: str "MESSAGE[@DOMAIN][/INDEX]": what lies in the time of these ranges.
        process: int (pid), str (name), or a list of them.
        gpu: int, or a list: the work of these GPUs only.
        activity: str, or a list: "nvtx", "api", "osrt", "gpu", "kernel", ...
        name: str: of ranges and marks. * is anything; "/REGEX/", as of the module re.
        kernel: str: the same for the names of kernels.
        payload: str, or a list: "rank=3", "comm.size=4..", "rank" (has one): ranges and marks with
            these values in their payloads. "payload" is a payload that is one value.
        rank: int, str "0,8-15", or a list of them: the processes of these ranks.
        thread: int (tid), str (name), or a list of them: these threads, and the GPU work of their
            calls.
        cut_ranges: "count", or "leave-out": no ranges whose end, or whose begin in a capture, was not
            recorded.

        Raises ValueError where a filter is not valid, or names what is not there.
        """
        if cut_ranges not in ("count", "leave-out"):
            raise ValueError(f"cut_ranges must be 'count' or 'leave-out', not {cut_ranges!r}")
        filters = (
            _time(time), nvtx, _joined(process), _joined(gpu), _joined(activity), name, kernel,
            _listed(payload), _joined(rank), _joined(thread), cut_ranges == "leave-out",
        )
        path, salvage, before = self._source
        return Recording(self._reader.filter(*filters), (path, salvage, (*before, filters)))

    def export(
        self,
        path,
        format=None,
        *,
        overwrite=False,
        progress=None,
        flavor=None,
        tracks=None,
        gpu_events=False,
    ):
        """Writes the recording to a file, which appears when it is complete.

        path: str or os.PathLike. A name that ends in .gz is compressed.
        format: str: "sqlite", "perfetto", or what else `rangefinder export -h` lists. None: what the
            name of the file says.
        overwrite: bool: whether a file that is there is replaced.
        progress: callable: called now and then with the share that is done, 0 to 1. An exception of
            it ends the export, and so does Ctrl-C.
        flavor: "kineto": json as PyTorch's profiler writes it.
        tracks: "category": in json and perfetto, ranges and marks that have a category lie on a
            track of it.
        gpu_events: bool: in perfetto, GPU work and counters as events of their own kinds, which
            Perfetto has views for since v55, in place of tracks that every version shows.

        Raises FileExistsError, another OSError, or ValueError for a format that there is not.
        """
        path, by_category = _output(path, tracks)
        if flavor not in (None, "kineto"):
            raise ValueError(f"flavor must be 'kineto' or None, not {flavor!r}")
        self._reader.export(
            path,
            format or _format_of(path),
            overwrite,
            progress,
            flavor == "kineto",
            by_category,
            bool(gpu_events),
        )


# ---- What pickles: recordings, by their paths, and rows of reports, as they are ----


def _reopen(path, salvage, filters):
    reader = _reader.Recording(path, salvage)
    for filter_ in filters:
        reader = reader.filter(*filter_)
    return Recording(reader, (path, salvage, filters))


def _reduce_rows(rows):
    return _reader.report_of_state, (_reader.report_state(rows),)


def _reduce_row(row):
    return operator.itemgetter(0), (_reader.report_of_state(_reader.report_state(row)),)


def _reduce_table(table):
    return operator.methodcaller("columns", *table.keys()), (table._rows,)


copyreg.pickle(Rows, _reduce_rows)
copyreg.pickle(ReportRow, _reduce_row)
copyreg.pickle(Table, _reduce_table)
for _type in (Call, Capture, Counter, Domain, Event, Extra, Gpu, GpuOp, GpuStream, Kernel, Mark, Process, Projection,
              Range, Sample, Thread):
    copyreg.pickle(_type, _reduce_row)  # which says why not
