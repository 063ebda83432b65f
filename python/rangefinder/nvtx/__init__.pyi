# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import (
    Any, Callable, Dict, Iterable, List, Optional, SupportsIndex, Tuple, Type, TypeVar, Union,
    final, overload,
)

__all__ = [
    "BatchOrdering",
    "Counter",
    "CounterInterpolation",
    "CounterNoValueReason",
    "CounterSemantics",
    "CounterValueType",
    "Domain",
    "DummyCounter",
    "DummyDomain",
    "EntryKind",
    "EventAttributes",
    "EventKind",
    "ExtCounter",
    "Float64Counter",
    "Int64Counter",
    "NvtxWarning",
    "PayloadEntryType",
    "PredefinedScope",
    "Profile",
    "RegisteredString",
    "TimestampType",
    "annotate",
    "enabled",
    "end_range",
    "get_domain",
    "install",
    "mark",
    "numpy_dtype",
    "pop_range",
    "push_range",
    "start_range",
]

_F = TypeVar("_F", bound=Union[Callable[..., Any], "classmethod[Any, Any, Any]"])

# What stands for an event's values; docs/python.md has them.
_Message = Union[str, "RegisteredString", None]
_Color = Union[str, SupportsIndex, Tuple[float, float, float], List[float], None]
_Domain = Union[str, "Domain", None]
_Category = Union[str, SupportsIndex, None]
_Payload = Any  # what converts to an int or a float, list, tuple, range, bytes, numpy.ndarray or None
_Text = Union[str, bytes]
_Range = Tuple[int, int]
_Patterns = Union[str, Iterable[str], None]

def enabled() -> bool: ...
def install() -> None: ...
def get_domain(name: Optional[str] = None) -> Domain: ...
def mark(
    message: _Message = None,
    color: _Color = "blue",
    domain: _Domain = None,
    category: _Category = None,
    payload: _Payload = None,
) -> None: ...
def push_range(
    message: _Message = None,
    color: _Color = "blue",
    domain: _Domain = None,
    category: _Category = None,
    payload: _Payload = None,
) -> None: ...
def pop_range(domain: _Domain = None) -> None: ...
def start_range(
    message: _Message = None,
    color: _Color = None,
    domain: _Domain = None,
    category: _Category = None,
    payload: _Payload = None,
) -> Optional[_Range]: ...
def end_range(range_id: Union[_Range, List[int], None]) -> None: ...

def numpy_dtype(
    *args: Any,
    counter_semantics: Optional[CounterSemantics] = None,
    entry_kind: Optional[EntryKind] = None,
    entry_type: Optional[PayloadEntryType] = None,
    **kwargs: Any,
) -> Any: ...

class NvtxWarning(UserWarning): ...

class annotate:
    @property
    def domain(self) -> Domain: ...
    @property
    def attributes(self) -> EventAttributes: ...
    @property
    def init_args(self) -> Tuple[_Message, _Color, _Domain, _Category, _Payload]: ...
    @property
    def mutable_payload(self) -> Any: ...
    @overload
    def __new__(cls, message: _F) -> _F: ...  # type: ignore[misc]
    @overload
    def __new__(
        cls,
        message: _Message = None,
        color: _Color = None,
        domain: _Domain = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> annotate: ...
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> annotate: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
        /,
    ) -> bool: ...
    async def __aenter__(self) -> annotate: ...
    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
        /,
    ) -> bool: ...

class Domain:
    def __new__(cls, name: Optional[str] = None) -> Domain: ...
    @property
    def name(self) -> str: ...
    @property
    def handle(self) -> Any: ...
    @property
    def categories(self) -> Dict[str, int]: ...
    def is_enabled(self) -> bool: ...
    def get_counter(
        self,
        name: _Text,
        dtype: Any,
        *,
        description: Optional[_Text] = None,
        scope: Union[_Text, PredefinedScope, None] = None,
        semantics: Optional[CounterSemantics] = None,
        time_domain: Optional[TimestampType] = None,
    ) -> Counter: ...
    def get_timestamp(self) -> int: ...
    def mark(
        self,
        attributes: Optional[EventAttributes] = None,
        *,
        message: _Message = None,
        color: _Color = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> None: ...
    def push_range(
        self,
        attributes: Optional[EventAttributes] = None,
        *,
        message: _Message = None,
        color: _Color = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> None: ...
    def pop_range(self) -> None: ...
    def start_range(
        self,
        attributes: Optional[EventAttributes] = None,
        *,
        message: _Message = None,
        color: _Color = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> int: ...
    def end_range(self, range_id: Optional[int]) -> None: ...
    def get_event_attributes(
        self,
        message: _Message = None,
        color: _Color = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> EventAttributes: ...
    def set_event_attributes(
        self,
        attributes: EventAttributes,
        *,
        message: _Message = None,
        color: _Color = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> None: ...
    def get_registered_string(self, string: str) -> RegisteredString: ...
    def get_category_id(self, name: str) -> int: ...

@final
class DummyDomain(Domain): ...

class BatchOrdering(Enum):
    SORTED = 0
    PARTIALLY_SORTED = 2
    SORTED_PER_SCOPE = 4
    UNSORTED = 6

class CounterInterpolation(Enum):
    POINT = 256
    SINCE_LAST = 512
    UNTIL_NEXT = 768
    LINEAR = 1024

class CounterNoValueReason(Enum):
    ZERO = 0
    UNCHANGED = 1
    UNAVAILABLE = 2

class CounterValueType(Enum):
    ABSOLUTE = 16
    DELTA = 32
    DELTA_SINCE_START = 48

class EntryKind(Enum):
    RANGE_BEGIN = 6144
    RANGE_END = 10240
    MARK = 14336
    MESSAGE = 1024
    COUNTER_TIMESTAMP = 2048

class EventKind(Enum):
    RANGE_PUSHPOP = 16
    RANGE_STARTEND = 24
    MARK = 32
    RANGE_PUSH = 40
    RANGE_POP = 48
    RANGE_START = 56
    RANGE_END = 64

class PayloadEntryType(Enum):
    RANGE_ID = 67
    CATEGORY = 68
    COLOR_ARGB = 69
    SCOPE_ID = 70
    REGISTERED_STRING = 80

class PredefinedScope(Enum):
    NONE = 0
    ROOT = 1
    CURRENT_HW_MACHINE = 2
    CURRENT_HW_SOCKET = 3
    CURRENT_HW_CPU_PHYSICAL = 4
    CURRENT_HW_CPU_LOGICAL = 5
    CURRENT_HW_INNERMOST = 15
    CURRENT_HYPERVISOR = 16
    CURRENT_VM = 17
    CURRENT_KERNEL = 18
    CURRENT_CONTAINER = 19
    CURRENT_OS = 20
    CURRENT_SW_PROCESS = 21
    CURRENT_SW_THREAD = 22
    CURRENT_SW_INNERMOST = 31

class TimestampType(Enum):
    NONE = 0
    TOOL_PROVIDED = 1
    CPU_TSC = 10
    CPU_TSC_NONVIRTUALIZED = 11
    CPU_CLOCK_GETTIME_REALTIME = 12
    CPU_CLOCK_GETTIME_REALTIME_COARSE = 13
    CPU_CLOCK_GETTIME_MONOTONIC = 14
    CPU_CLOCK_GETTIME_MONOTONIC_RAW = 15
    CPU_CLOCK_GETTIME_MONOTONIC_COARSE = 16
    CPU_CLOCK_GETTIME_BOOTTIME = 17
    CPU_CLOCK_GETTIME_PROCESS_CPUTIME_ID = 18
    CPU_CLOCK_GETTIME_THREAD_CPUTIME_ID = 19
    WIN_QPC = 30
    WIN_GSTAFT = 31
    WIN_GSTAFTP = 32
    C_TIME = 40
    C_CLOCK = 41
    C_TIMESPEC_GET = 42
    CPP_STEADY_CLOCK = 50
    CPP_HIGH_RESOLUTION_CLOCK = 51
    CPP_SYSTEM_CLOCK = 52
    CPP_UTC_CLOCK = 53
    CPP_TAI_CLOCK = 54
    CPP_GPS_CLOCK = 55
    CPP_FILE_CLOCK = 56
    GPU_GLOBALTIMER = 80

@dataclass(frozen=True)
class CounterSemantics:
    unit: Optional[_Text] = None
    value_type: CounterValueType = ...
    interpolation: CounterInterpolation = ...
    min: Union[int, float, None] = None
    max: Union[int, float, None] = None
    unit_scale_numerator: int = 1
    unit_scale_denominator: int = 1

class Counter:
    @property
    def name(self) -> _Text: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def domain(self) -> Domain: ...
    @property
    def description(self) -> Optional[_Text]: ...
    @property
    def scope(self) -> Union[_Text, PredefinedScope, None]: ...
    @property
    def semantics(self) -> Optional[CounterSemantics]: ...
    @property
    def time_domain(self) -> int: ...
    def sample(self, value: Any) -> None: ...
    def sample_no_value(self, reason: CounterNoValueReason) -> None: ...
    def batch_submit(self, values: Any, timestamps: Any) -> None: ...

@final
class Int64Counter(Counter): ...

@final
class Float64Counter(Counter): ...

@final
class ExtCounter(Counter): ...

@final
class DummyCounter(Counter): ...

@final
class EventAttributes:
    message: _Message
    color: _Color
    category: _Category
    payload: _Payload

@final
class RegisteredString:
    @property
    def string(self) -> str: ...
    @property
    def domain(self) -> Domain: ...

@final
class Profile:
    def __new__(
        cls,
        linenos: bool = True,
        annotate_cfuncs: bool = True,
        *,
        include: _Patterns = None,
        exclude: _Patterns = None,
    ) -> Profile: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def __enter__(self) -> Profile: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
        /,
    ) -> bool: ...
