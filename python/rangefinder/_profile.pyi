# SPDX-License-Identifier: Apache-2.0
from os import PathLike
from types import TracebackType
from typing import Any, Callable, Iterable, Optional, TypeVar, Union

_F = TypeVar("_F", bound=Callable[..., Any])

class profile:
    def __init__(
        self,
        path: Optional[Union[str, bytes, PathLike[str], PathLike[bytes]]] = None,
        *,
        overwrite: Optional[bool] = None,
        trace: Union[str, Iterable[str]] = ("cuda", "nvtx"),
    ) -> None: ...
    @property
    def is_recording(self) -> bool: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def __enter__(self) -> profile: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> bool: ...
    def __call__(self, function: _F) -> _F: ...

    path: Optional[str]
    summary: Optional[str]
    n_ranges: Optional[int]
    n_marks: Optional[int]
    n_events: Optional[int]
    n_processes: Optional[int]
    size_bytes: Optional[int]
    n_lost: Optional[int]
    lost_bytes: Optional[int]
    n_calls: Optional[int]
    n_kernels: Optional[int]
    n_graphs: Optional[int]
    n_copies: Optional[int]
    n_sets: Optional[int]
    n_syncs: Optional[int]
    n_lost_cuda: Optional[int]
