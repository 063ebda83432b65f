# SPDX-License-Identifier: Apache-2.0
import enum
import os
from typing import Any, Iterable, Optional, SupportsInt, Union

from rangefinder.nvtx import BatchOrdering, CounterNoValueReason, CounterSemantics, EventKind
from rangefinder.nvtx import TimestampType, _Color
from rangefinder.nvtx._values import PredefinedScope as PredefinedScope
from rangefinder.nvtx._writer_abi import WriterError as WriterError

__all__ = [
    "Backend",
    "Counter",
    "Domain",
    "PredefinedScope",
    "RegisteredString",
    "Schema",
    "Scope",
    "Session",
    "Stream",
    "StreamInterleaving",
    "StreamOrdering",
    "StreamSkid",
    "WriterError",
    "load_backend",
]

_Text = Union[str, bytes]
_Message = Union[str, bytes, "RegisteredString", None]
_Category = Union[str, bytes, int, None]
_Scope = Union["Scope", PredefinedScope, int, None]
_Dtype = Any  # int, float or what numpy.dtype() takes
_Rows = Any  # numpy.ndarray, pandas.DataFrame or an iterable

class StreamInterleaving(enum.Enum):
    NONE = 0
    SCOPE = 1

class StreamOrdering(enum.Enum):
    UNKNOWN = 0
    STRICT = 1
    PACKED_RANGE_START = 2
    PACKED_RANGE_END = 3

class StreamSkid(enum.Enum):
    NONE = 0
    TIME_NS = 1
    EVENT_COUNT = 2

class Backend:
    def __init__(self, module: Any) -> None: ...
    def close(self) -> None: ...

def load_backend(path: Union[str, bytes, "os.PathLike[str]", None] = None) -> Backend: ...

class Session:
    def __init__(
        self, name: Optional[_Text], *, backend: Optional[Backend] = None, config: Optional[_Text] = None
    ) -> None: ...
    def begin(self) -> None: ...
    def end(self) -> None: ...
    def get_domain(self, name: Optional[_Text] = None) -> Domain: ...
    def create_stream(
        self,
        name: Optional[_Text],
        *,
        domain: Union[Domain, str, bytes, None] = None,
        scope: _Scope = None,
        time_domain_id: Union[TimestampType, int] = 0,
        interleaving: StreamInterleaving = ...,
        ordering: StreamOrdering = ...,
        skid: StreamSkid = ...,
        skid_amount: int = 0,
    ) -> Stream: ...
    def __enter__(self) -> Session: ...
    def __exit__(self, *_: Any) -> None: ...

class RegisteredString:
    def __init__(self, domain: Domain, string: str, handle: int) -> None: ...
    @property
    def handle(self) -> int: ...

class Scope:
    def __init__(self, scope_id: int, path: Optional[str] = None, domain: Optional[Domain] = None) -> None: ...
    @property
    def scope_id(self) -> int: ...
    @property
    def path(self) -> Optional[str]: ...

class Schema:
    def __init__(self, domain: Domain, schema_id: int, dtype: Any, kind: Optional[EventKind]) -> None: ...
    @property
    def schema_id(self) -> int: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def kind(self) -> Optional[EventKind]: ...

class Counter:
    def __init__(
        self, domain: Domain, counter_id: int, schema_id: int, time_field: Optional[str], facts: Any
    ) -> None: ...
    @property
    def counter_id(self) -> int: ...
    @property
    def name(self) -> Optional[str]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def description(self) -> Optional[str]: ...
    @property
    def semantics(self) -> Optional[CounterSemantics]: ...

class Domain:
    def __init__(self, session: Session, name: Optional[str]) -> None: ...
    def get_registered_string(self, string: _Text) -> RegisteredString: ...
    def get_category_id(self, name: _Text) -> int: ...
    def get_scope(
        self, path: Optional[_Text], *, parent: Union[Scope, PredefinedScope, None] = None
    ) -> Scope: ...
    def get_schema(self, dtype: _Dtype, *, kind: Optional[EventKind] = None) -> Schema: ...
    def get_counter(
        self,
        name: Optional[_Text],
        dtype: _Dtype,
        *,
        description: Optional[_Text] = None,
        scope: _Scope = None,
        semantics: Optional[CounterSemantics] = None,
    ) -> Counter: ...

class Stream:
    def __init__(self, domain: Domain, name: Optional[bytes], scope: int, clock: int, values: Any) -> None: ...
    def open(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Stream: ...
    def __exit__(self, *_: Any) -> None: ...
    def write_mark(
        self, timestamp: SupportsInt, *, message: _Message = None, color: _Color = None,
        category: _Category = None,
    ) -> None: ...
    def write_pushpop(
        self, start: SupportsInt, end: SupportsInt, *, message: _Message = None, color: _Color = None,
        category: _Category = None,
    ) -> None: ...
    def write_startend(
        self, start: SupportsInt, end: SupportsInt, *, message: _Message = None, color: _Color = None,
        category: _Category = None,
    ) -> None: ...
    def write_push(
        self, timestamp: SupportsInt, *, message: _Message = None, color: _Color = None,
        category: _Category = None,
    ) -> None: ...
    def write_pop(self, timestamp: SupportsInt) -> None: ...
    def write_start(
        self, timestamp: SupportsInt, range_id: SupportsInt, *, message: _Message = None,
        color: _Color = None, category: _Category = None,
    ) -> None: ...
    def write_end(self, timestamp: SupportsInt, range_id: SupportsInt) -> None: ...
    def write_event(self, schema: Schema, row: Any) -> None: ...
    def write_event_batch(self, schema: Schema, rows: _Rows, *, ordering: BatchOrdering = ...) -> None: ...
    def write_counter_sample(self, counter: Counter, timestamp: SupportsInt, value: Any) -> None: ...
    def write_counter_sample_no_value(
        self, counter: Counter, timestamp: SupportsInt, reason: CounterNoValueReason
    ) -> None: ...
    def write_counter_batch(
        self, counter: Counter, data: _Rows, *, timestamps: Optional[Iterable[int]] = None,
        ordering: BatchOrdering = ...,
    ) -> None: ...
