# SPDX-License-Identifier: Apache-2.0
import os
from concurrent.futures import Executor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Type, Union

_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

class FleetError(RuntimeError): ...

@dataclass(frozen=True)
class File:
    path: str
    status: str
    message: str
    rank: Optional[int]
    host: Optional[str]
    cpu_ns: int
    memory_bytes: int

class Report:
    name: str
    columns: Tuple[str, ...]
    rows: List[Dict[str, Any]]
    def __init__(self, name: str, columns: Iterable[str], rows: List[Dict[str, Any]]) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Dict[str, Any]]: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __eq__(self, other: object) -> bool: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...

class Fleet:
    paths: List[str]
    def __enter__(self) -> Fleet: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def files(self) -> List[File]: ...
    @property
    def failed(self) -> List[File]: ...
    @property
    def n_ranks(self) -> int: ...
    @property
    def world_size(self) -> Optional[int]: ...
    @property
    def missing_ranks(self) -> List[int]: ...
    @property
    def duplicate_ranks(self) -> List[int]: ...
    def stats(self, report: str, *, total: bool = False) -> Report: ...
    def summary(self, *, merge: bool = False) -> bytes: ...
    def write(self, path: _Path, *, merge: bool = False, overwrite: bool = False) -> None: ...

def open(
    inputs: Union[_Path, Iterable[_Path]],
    executor: Union[None, int, Executor, Any] = None,
    *,
    steps: bool = False,
    step: Optional[str] = None,
    collective: Optional[str] = None,
    fold_numbers: bool = False,
    filter_time: Optional[str] = None,
    filter_nvtx: Optional[str] = None,
    memory_bytes: Optional[int] = None,
    command: Optional[str] = None,
    progress: Optional[Callable[[int, int], None]] = None,
) -> Fleet: ...

__all__ = ["File", "Fleet", "FleetError", "Report", "open"]
