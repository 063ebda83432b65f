# SPDX-License-Identifier: Apache-2.0
from types import TracebackType
from typing import (
    Any, Callable, Iterable, List, Optional, SupportsFloat, SupportsIndex, Tuple, Type, TypeVar, Union,
    final, overload,
)

__all__ = [
    "Domain",
    "DummyDomain",
    "EventAttributes",
    "NvtxWarning",
    "Profile",
    "RegisteredString",
    "annotate",
    "enabled",
    "end_range",
    "get_domain",
    "install",
    "mark",
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
_Payload = Union[SupportsIndex, SupportsFloat, None]
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

class NvtxWarning(UserWarning): ...

@final
class annotate:
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
    def is_enabled(self) -> bool: ...
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
