# SPDX-License-Identifier: Apache-2.0
from types import TracebackType
from typing import (
    Any, Callable, Dict, Iterable, List, Optional, SupportsIndex, Tuple, Type, TypeVar, Union,
    final, overload,
)

from rangefinder.nvtx._values import BatchOrdering as BatchOrdering
from rangefinder.nvtx._values import CounterInterpolation as CounterInterpolation
from rangefinder.nvtx._values import CounterNoValueReason as CounterNoValueReason
from rangefinder.nvtx._values import CounterSemantics as CounterSemantics
from rangefinder.nvtx._values import CounterValueType as CounterValueType
from rangefinder.nvtx._values import EntryKind as EntryKind
from rangefinder.nvtx._values import EventKind as EventKind
from rangefinder.nvtx._values import PayloadEntryType as PayloadEntryType
from rangefinder.nvtx._values import PredefinedScope as PredefinedScope
from rangefinder.nvtx._values import TimestampType as TimestampType

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

class _Initialized:  # apart, so that type checkers look at __new__() first
    def __init__(
        self,
        message: _Message = None,
        color: _Color = None,
        domain: _Domain = None,
        category: _Category = None,
        payload: _Payload = None,
    ) -> None: ...

class annotate(_Initialized):
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
