# SPDX-License-Identifier: Apache-2.0
from typing import (
    Any,
    Dict,
    Generic,
    Iterator,
    List,
    Optional,
    Tuple,
    TypeVar,
    Union,
    overload,
)

_R = TypeVar("_R", bound="Row", covariant=True)
_Value = Union[int, float, str, bool, None]

class FormatError(ValueError):
    code: str
    offset: int

class Rows(Generic[_R]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> _R: ...
    @overload
    def __getitem__(self, index: slice) -> Rows[_R]: ...
    def __iter__(self) -> Iterator[_R]: ...
    def __reversed__(self) -> Iterator[_R]: ...
    def __contains__(self, row: object) -> bool: ...
    def filter(self, **columns: Any) -> Rows[_R]: ...
    def columns(self, *names: str) -> Table: ...
    def to_pandas(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class Table:
    n_rows: int
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Column: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> Tuple[str, ...]: ...
    def to_pandas(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class Column:
    name: str
    type: str
    categories: Optional[Tuple[str, ...]]
    codes: Optional[Column]
    nulls: Optional[bytes]
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> _Value: ...
    def __iter__(self) -> Iterator[_Value]: ...
    def __buffer__(self, flags: int) -> memoryview: ...
    def tolist(self) -> List[_Value]: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]: ...

class Row:
    def __getitem__(self, name: str) -> _Value: ...
    def as_dict(self) -> Dict[str, _Value]: ...

class Event(Row):
    kind: str
    start_ns: int
    end_ns: Optional[int]
    duration_ns: Optional[int]
    name: Optional[str]
    domain: Optional[str]
    domain_id: int
    category: Optional[int]
    category_name: Optional[str]
    scope: Optional[str]
    color: Optional[int]
    payload_type: Optional[str]
    payload_bits: int
    payload_text: Optional[str]
    pid: int
    tid: int
    process: Process
    thread: Thread
    end_thread: Optional[Thread]
    range_id: Optional[int]
    cut: Optional[str]
    is_cut: bool
    is_cut_at_start: bool
    is_clamped: bool
    is_foreign_end: bool
    is_registered: bool
    is_bad_handle: bool
    is_bad_payload: bool
    named_tid: Optional[int]
    object: Optional[str]
    handle: Optional[int]
    resource: Optional[int]
    identifier_type: Optional[int]
    identifier: Optional[int]
    sync: Optional[int]
    operation: Optional[str]
    payload: Optional[Union[int, float, str, bytes, Dict[str, Any], List[Any]]]
    index: int

class Range(Row):
    kind: str
    start_ns: int
    end_ns: int
    duration_ns: int
    name: Optional[str]
    domain: Optional[str]
    domain_id: int
    category: Optional[int]
    category_name: Optional[str]
    scope: Optional[str]
    color: Optional[int]
    payload_type: Optional[str]
    payload_bits: int
    payload_text: Optional[str]
    pid: int
    tid: int
    process: Process
    thread: Thread
    end_thread: Optional[Thread]
    range_id: Optional[int]
    cut: Optional[str]
    is_cut: bool
    is_cut_at_start: bool
    is_clamped: bool
    is_foreign_end: bool
    is_registered: bool
    is_bad_handle: bool
    is_bad_payload: bool
    payload: Optional[Union[int, float, str, bytes, Dict[str, Any], List[Any]]]
    parent: Optional[Range]
    depth: int
    self_ns: int
    children: List[Range]
    projection: Optional[Projection]
    index: int

class Mark(Row):
    kind: str
    start_ns: int
    name: Optional[str]
    domain: Optional[str]
    domain_id: int
    category: Optional[int]
    category_name: Optional[str]
    scope: Optional[str]
    color: Optional[int]
    payload_type: Optional[str]
    payload_bits: int
    payload_text: Optional[str]
    pid: int
    tid: int
    process: Process
    thread: Thread
    is_registered: bool
    is_bad_handle: bool
    is_bad_payload: bool
    payload: Optional[Union[int, float, str, bytes, Dict[str, Any], List[Any]]]
    index: int

class Process(Row):
    pid: int
    ppid: int
    forked_from: Optional[Process]
    name: Optional[str]
    exe: Optional[str]
    command: Optional[str]
    cwd: Optional[str]
    rank: Optional[int]
    local_rank: Optional[int]
    world_size: Optional[int]
    start_ns: int
    exit_ns: Optional[int]
    n_lost_records: int
    args: Tuple[str, ...]
    env: Tuple[str, ...]
    threads: List[Thread]
    index: int

class Thread(Row):
    pid: int
    tid: int
    process: Process
    name: Optional[str]
    is_named: bool
    start_ns: Optional[int]
    end_ns: Optional[int]
    n_events: int
    ranges: Rows[Range]
    marks: Rows[Mark]
    events: Rows[Event]
    calls: Rows[Call]
    index: int

class Domain(Row):
    name: Optional[str]
    id: int
    process: Process
    is_valid: bool
    handle: int
    index: int

class Capture(Row):
    number: int
    start_ns: int
    end_ns: int
    duration_ns: int
    is_open: bool
    index: int

class Call(Row):
    kind: str
    start_ns: int
    end_ns: int
    duration_ns: int
    name: Optional[str]
    correlation: Optional[int]
    result: Optional[int]
    pid: int
    tid: int
    process: Process
    thread: Thread
    flags: int
    ops: List[GpuOp]
    range: Optional[Range]
    index: int

class GpuOp(Row):
    kind: str
    start_ns: int
    end_ns: int
    duration_ns: int
    name: Optional[str]
    full_name: Optional[str]
    device: int
    context: int
    stream: int
    correlation: Optional[int]
    graph: Optional[int]
    pid: int
    tid: Optional[int]
    process: Process
    thread: Optional[Thread]
    flags: int
    green_context: Optional[int]
    graph_exec: Optional[int]
    bytes: Optional[int]
    copy_kind: Optional[str]
    source_memory: Optional[str]
    target_memory: Optional[str]
    value: Optional[int]
    peer_device: Optional[int]
    graph_node: Optional[int]
    source_device: Optional[int]
    source_context: Optional[int]
    target_device: Optional[int]
    target_context: Optional[int]
    migration_cause: Optional[int]
    address: Optional[int]
    copies: Optional[int]
    sync_type: Optional[str]
    event: Optional[int]
    event_sync: Optional[int]
    activity_flags: Optional[int]
    end_device: Optional[int]
    end_context: Optional[int]
    result: Optional[int]
    call: Optional[Call]
    range: Optional[Range]
    index: int

class Kernel(Row):
    kind: str
    start_ns: int
    end_ns: int
    duration_ns: int
    name: Optional[str]
    full_name: Optional[str]
    device: int
    context: int
    stream: int
    correlation: Optional[int]
    graph: Optional[int]
    pid: int
    tid: Optional[int]
    process: Process
    thread: Optional[Thread]
    flags: int
    green_context: Optional[int]
    mangled_name: Optional[str]
    grid_x: int
    grid_y: int
    grid_z: int
    block_x: int
    block_y: int
    block_z: int
    registers: int
    static_shared_bytes: int
    dynamic_shared_bytes: int
    local_bytes_per_thread: int
    graph_node: Optional[int]
    local_bytes: int
    shared_executed_bytes: int
    shared_requested_percent: Optional[int]
    shared_limit_config: int
    cache_config: int
    launch_type: int
    grid_id: Optional[int]
    cluster_x: Optional[int]
    cluster_y: Optional[int]
    cluster_z: Optional[int]
    cluster_policy: Optional[int]
    max_potential_cluster_size: Optional[int]
    max_active_clusters: Optional[int]
    channel: int
    channel_type: Optional[int]
    call: Optional[Call]
    range: Optional[Range]
    index: int

class Gpu(Row):
    id: int
    name: Optional[str]
    chip: Optional[str]
    uuid: Optional[str]
    bus: Optional[str]
    memory_bytes: int
    n_multiprocessors: int
    capability_major: int
    capability_minor: int
    facts: Dict[str, Union[int, str]]
    index: int

class GpuStream(Row):
    process: Process
    device: int
    context: int
    green_context: int
    stream: int
    name: Optional[str]
    device_name: Optional[str]
    context_name: Optional[str]
    priority: Optional[int]
    gpu: Optional[Gpu]
    n_ops: int
    index: int

class Counter(Row):
    name: Optional[str]
    set: Optional[str]
    device: Optional[int]
    domain: Optional[str]
    process: Optional[Process]
    thread: Optional[Thread]
    unit: Optional[str]
    description: Optional[str]
    scope: Optional[str]
    number: Optional[str]
    value_type: Optional[str]
    interpolation: Optional[str]
    min: Union[int, float, None]
    max: Union[int, float, None]
    scale_numerator: Optional[int]
    scale_denominator: Optional[int]
    n_samples: int
    is_derived: bool
    samples: Rows[Sample]
    index: int

class Sample(Row):
    start_ns: int
    value: Union[int, float, None]
    is_placed: bool
    counter: Counter
    name: Optional[str]
    index: int

class Extra(Row):
    kind: str
    start_ns: Optional[int]
    end_ns: Optional[int]
    duration_ns: Optional[int]
    name: Optional[str]
    pid: Optional[int]
    tid: Optional[int]
    process: Optional[Process]
    thread: Optional[Thread]
    device: Optional[int]
    context: Optional[int]
    stream: Optional[int]
    correlation: Optional[int]
    values: Dict[str, Union[int, str, None]]
    index: int

class Projection(Row):
    name: Optional[str]
    domain: Optional[str]
    start_ns: int
    end_ns: int
    duration_ns: int
    busy_ns: int
    n_calls: int
    n_ops: int
    range_start_ns: int
    range_end_ns: int
    pid: int
    tid: int
    thread: Thread
    is_by_process: bool
    range: Range
    index: int

class ReportRow(Row):
    index: int

class Recording:
    closed: bool
    def __new__(cls, path: Any, salvage: bool = False) -> Recording: ...
    def close(self) -> None: ...
    def info(self) -> Dict[str, Any]: ...
    def ring(self) -> Optional[Dict[str, Any]]: ...
    def clocks(self) -> Dict[str, Any]: ...
    def messages(self) -> List[str]: ...
    def skipped(self) -> List[Tuple[str, str, int]]: ...
    def rows(self, name: str) -> Rows[Any]: ...
    def report(
        self,
        name: str,
        by_process: bool,
        group_by: Optional[str],
        quantiles: Optional[str],
        fold_numbers: bool,
        step: Optional[str],
        collective: Optional[str],
        /,
    ) -> Rows[ReportRow]: ...
    def project(self, by_process: bool, kernels_only: bool) -> Rows[Projection]: ...
    def filter(
        self,
        time: Optional[str],
        nvtx: Optional[str],
        processes: Optional[str],
        gpus: Optional[str],
        activities: Optional[str],
        names: Optional[str],
        kernels: Optional[str],
        payloads: Tuple[str, ...],
        ranks: Optional[str],
        threads: Optional[str],
        /,
    ) -> Recording: ...
    def export(
        self,
        path: Any,
        format: str,
        can_overwrite: bool,
        progress: Any,
        is_kineto: bool,
        by_category: bool,
        gpu_events: bool,
        /,
    ) -> None: ...

def align_several(inputs: Iterable[Tuple[Recording, Any]], anchor: Optional[str], /) -> List[Dict[str, Any]]: ...
def export_several(
    inputs: Iterable[Tuple[Recording, Any]],
    path: Any,
    format: str,
    can_overwrite: bool,
    progress: Any,
    by_category: bool,
    gpu_events: bool,
    /,
) -> None: ...
def formats() -> List[str]: ...
def report_columns(report: str, /) -> Tuple[str, ...]: ...
def report_state(rows: Union[Rows[Any], Row], /) -> Tuple[Any, ...]: ...
def report_of_state(state: Tuple[Any, ...], /) -> Rows[ReportRow]: ...
def reports() -> List[Tuple[str, str, bool]]: ...
def format_of(path: str, /) -> Optional[str]: ...

__version__: str
