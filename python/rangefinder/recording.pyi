# SPDX-License-Identifier: Apache-2.0
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Type, Union

from rangefinder._reader import Call as Call
from rangefinder._reader import Capture as Capture
from rangefinder._reader import Column as Column
from rangefinder._reader import Counter as Counter
from rangefinder._reader import Domain as Domain
from rangefinder._reader import Event as Event
from rangefinder._reader import Extra as Extra
from rangefinder._reader import FormatError as FormatError
from rangefinder._reader import Gpu as Gpu
from rangefinder._reader import GpuOp as GpuOp
from rangefinder._reader import GpuStream as GpuStream
from rangefinder._reader import Kernel as Kernel
from rangefinder._reader import Mark as Mark
from rangefinder._reader import Process as Process
from rangefinder._reader import Projection as Projection
from rangefinder._reader import Range as Range
from rangefinder._reader import ReportRow as ReportRow
from rangefinder._reader import Row as Row
from rangefinder._reader import Rows as Rows
from rangefinder._reader import Sample as Sample
from rangefinder._reader import Table as Table
from rangefinder._reader import Thread as Thread

_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
_OneOrMore = Union[int, str, Iterable[Union[int, str]]]

@dataclass(frozen=True)
class Info:
    path: str
    product: str
    host: str
    epoch_utc_ns: int
    epoch_mono_ns: int
    epoch_boot_ns: int
    utc_offset_s: int
    clock_name: str
    clock_hz: float
    end_ns: int
    n_events: int
    n_ranges: int
    n_marks: int
    n_cut: int
    n_cut_at_start: int
    n_lost_records: int
    n_lost_about: int
    lost_bytes: int
    n_lost_parts: int
    n_lost_defs: int
    n_failed_processes: int
    n_stalls: int
    stall_ns: int
    n_unmatched_ends: int
    n_foreign_ends: int
    n_damaged_bytes: int
    n_bad_times: int
    n_time_calls: int
    n_memory_calls: int
    n_uncaptured: int
    n_cuda_dropped: int
    size_bytes: int
    expanded_bytes: int
    is_end_missing: bool
    is_live: bool
    was_live: bool
    is_finished: bool
    is_focused: bool
    is_import: bool
    root_pid: int
    root_signal: int
    root_status: int
    is_root_ended: bool
    rank: Optional[int]
    local_rank: Optional[int]
    world_size: Optional[int]
    ranks: str

def open(path: _Path, *, salvage: bool = False) -> Recording: ...
def align(recordings: Iterable[Union[_Path, Recording]], anchor: Optional[str] = None) -> List[Dict[str, Any]]: ...
def export(
    recordings: Iterable[Union[_Path, Recording]],
    path: _Path,
    format: Optional[str] = None,
    *,
    overwrite: bool = False,
    progress: Optional[Callable[[float], Any]] = None,
    tracks: Optional[str] = None,
    gpu_events: bool = False,
) -> None: ...

@dataclass(frozen=True)
class Ring:
    size_bytes: int
    keep_ns: int
    n_recycled: int
    recycled_bytes: int
    kept_from_ns: int
    snapshot: int
    asked_ns: Optional[int]
    reason: str
    rule: str
    value_ns: Optional[int]

class Recording:
    def __enter__(self) -> Recording: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    @property
    def info(self) -> Info: ...
    @property
    def ring(self) -> Optional[Ring]: ...
    @property
    def clocks(self) -> Dict[str, Any]: ...
    @property
    def messages(self) -> List[str]: ...
    @property
    def skipped(self) -> List[Tuple[str, str, int]]: ...
    @property
    def processes(self) -> Rows[Process]: ...
    @property
    def threads(self) -> Rows[Thread]: ...
    @property
    def domains(self) -> Rows[Domain]: ...
    @property
    def captures(self) -> Rows[Capture]: ...
    @property
    def ranges(self) -> Rows[Range]: ...
    @property
    def marks(self) -> Rows[Mark]: ...
    @property
    def events(self) -> Rows[Event]: ...
    @property
    def calls(self) -> Rows[Call]: ...
    @property
    def gpu_ops(self) -> Rows[GpuOp]: ...
    @property
    def kernels(self) -> Rows[Kernel]: ...
    @property
    def gpus(self) -> Rows[Gpu]: ...
    @property
    def gpu_streams(self) -> Rows[GpuStream]: ...
    @property
    def counters(self) -> Rows[Counter]: ...
    @property
    def samples(self) -> Rows[Sample]: ...
    @property
    def extras(self) -> Rows[Extra]: ...
    def projections(
        self, *, by_process: bool = False, kernels_only: bool = False
    ) -> Rows[Projection]: ...
    def table(self, name: str, *columns: str) -> Table: ...
    def stats(
        self,
        report: str,
        *,
        by_process: bool = False,
        group_by: Optional[str] = None,
        quantiles: Union[float, str, Iterable[float], None] = None,
        fold_numbers: bool = False,
        step: Optional[str] = None,
        collective: Optional[str] = None,
    ) -> Rows[ReportRow]: ...
    def filter(
        self,
        *,
        time: Union[str, Tuple[Optional[int], Optional[int]], None] = None,
        nvtx: Optional[str] = None,
        process: Optional[_OneOrMore] = None,
        gpu: Optional[_OneOrMore] = None,
        activity: Union[str, Iterable[str], None] = None,
        name: Optional[str] = None,
        kernel: Optional[str] = None,
        payload: Union[str, Iterable[str], None] = None,
        rank: Optional[_OneOrMore] = None,
        thread: Optional[_OneOrMore] = None,
    ) -> Recording: ...
    def export(
        self,
        path: _Path,
        format: Optional[str] = None,
        *,
        overwrite: bool = False,
        progress: Optional[Callable[[float], Any]] = None,
        flavor: Optional[str] = None,
        tracks: Optional[str] = None,
        gpu_events: bool = False,
    ) -> None: ...
