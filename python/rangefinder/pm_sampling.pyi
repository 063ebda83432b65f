# SPDX-License-Identifier: Apache-2.0
import enum
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Iterable, Iterator, List, Optional, SupportsIndex, Tuple, overload

__all__ = [
    "Collector",
    "CounterData",
    "CuptiError",
    "DecodeStopReason",
    "HardwareBufferAppendMode",
    "HardwareBuffer_AppendMode",
    "Metric",
    "MetricSet",
    "MetricType",
    "Sample",
    "TriggerMode",
    "choose_metrics",
    "cuptiError",
    "describe",
    "list_chips",
    "list_metric_sets",
    "list_metrics",
    "list_single_pass_sets",
    "metric_set",
    "passes",
    "single_pass_metrics",
]

class TriggerMode(enum.IntEnum):
    GPU_SYSCLK_INTERVAL = 0
    GPU_TIME_INTERVAL = 1
    COUNT = 2

class DecodeStopReason(enum.IntEnum):
    OTHER = 0
    COUNTER_DATA_FULL = 1
    END_OF_RECORDS = 2
    COUNT = 3

class HardwareBuffer_AppendMode(enum.IntEnum):
    KEEP_OLDEST = 0
    KEEP_LATEST = 1

HardwareBufferAppendMode = HardwareBuffer_AppendMode

class MetricType(enum.IntEnum):
    COUNTER = 0
    RATIO = 1
    THROUGHPUT = 2

class CuptiError(Exception):
    code: int
    status: int
    name: str
    function: str
    def __init__(self, code: int, text: Optional[str] = None, function: str = "") -> None: ...

cuptiError = CuptiError

@dataclass(frozen=True)
class Sample:
    start_timestamp: int
    end_timestamp: int
    metric_values: List[float]

@dataclass(frozen=True)
class Metric:
    name: str
    type: MetricType
    description: str
    hw_unit: str
    unit: str
    submetrics: Tuple[str, ...]

@dataclass(frozen=True)
class MetricSet:
    name: str
    title: str
    chips: Tuple[str, ...]
    metrics: Tuple[str, ...]
    labels: Tuple[str, ...]
    descriptions: Tuple[str, ...]

class CounterData:
    def __init__(
        self,
        *,
        image: Any,
        metrics: Iterable[str],
        chip_name: str,
        num_total_samples: int,
        num_populated_samples: int,
        num_completed_samples: int,
        start_timestamps: Iterable[int],
        end_timestamps: Iterable[int],
        trusted: bool = False,
    ) -> None: ...
    @property
    def chip_name(self) -> str: ...
    @property
    def single_pass_metric_set_name(self) -> Optional[str]: ...
    @property
    def metrics(self) -> List[str]: ...
    @property
    def num_total_samples(self) -> int: ...
    @property
    def num_populated_samples(self) -> int: ...
    @property
    def num_completed_samples(self) -> int: ...
    @property
    def cupti_version(self) -> int: ...
    @property
    def stop_reason(self) -> DecodeStopReason: ...
    @property
    def overflow(self) -> bool: ...
    @property
    def is_first(self) -> bool: ...
    @cached_property
    def start_timestamps(self) -> List[int]: ...
    @cached_property
    def end_timestamps(self) -> List[int]: ...
    @property
    def image(self) -> memoryview: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> List[Sample]: ...
    def __iter__(self) -> Iterator[Sample]: ...
    def to_numpy(self) -> Any: ...
    def to_pandas(self) -> Any: ...

class Collector:
    def __init__(self, device_index: int = 0) -> None: ...
    def __enter__(self) -> Collector: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def enable(self) -> None: ...
    def choose_metrics(self, metric_set: Optional[str] = None) -> List[str]: ...
    def configure(
        self,
        *,
        metrics: Iterable[str],
        hardware_buffer_size: int = 536870912,
        sampling_interval: int = 10000,
        trigger_mode: TriggerMode = TriggerMode.GPU_TIME_INTERVAL,
        hw_buffer_append_mode: HardwareBuffer_AppendMode = HardwareBuffer_AppendMode.KEEP_OLDEST,
        single_pass_metric_set_name: Optional[str] = None,
    ) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def decode(self, max_samples: int = 10000) -> CounterData: ...
    def restart(self) -> None: ...
    def disable(self) -> None: ...

def list_chips() -> List[str]: ...
def list_metrics(chip: str) -> List[str]: ...
def describe(metric: str, chip: str) -> Metric: ...
def passes(
    metrics: Iterable[str], chip: str, *, single_pass_metric_set_name: Optional[str] = None
) -> int: ...
def list_metric_sets() -> List[str]: ...
def metric_set(name: str) -> MetricSet: ...
def choose_metrics(chip: str, metric_set: Optional[str] = None) -> List[str]: ...
def list_single_pass_sets(chip: str) -> List[str]: ...
def single_pass_metrics(metric_set: str, chip: str) -> List[str]: ...
