# SPDX-License-Identifier: Apache-2.0
"""NVTX's numbers as enums, and what the values of a counter mean."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Optional, Tuple, Union

__all__ = ["BatchOrdering", "CounterInterpolation", "CounterNoValueReason", "CounterSemantics",
           "CounterValueType", "EntryKind", "EventKind", "PayloadEntryType", "PredefinedScope",
           "TimestampType"]


class CounterNoValueReason(Enum):
    """Why Counter.sample_no_value() has no value."""

    ZERO = 0
    UNCHANGED = 1
    UNAVAILABLE = 2


class CounterValueType(Enum):
    """What a counter's value is counted from."""

    ABSOLUTE = 1 << 4
    DELTA = 2 << 4
    DELTA_SINCE_START = 3 << 4


class CounterInterpolation(Enum):
    """What lies between two samples."""

    POINT = 1 << 8
    SINCE_LAST = 2 << 8
    UNTIL_NEXT = 3 << 8
    LINEAR = 4 << 8


class EntryKind(Enum):
    """A field's part in an event or a counter group."""

    RANGE_BEGIN = 1 << 12 | 2 << 10
    RANGE_END = 2 << 12 | 2 << 10
    MARK = 3 << 12 | 2 << 10
    MESSAGE = 1 << 10
    COUNTER_TIMESTAMP = 2 << 10


class EventKind(Enum):
    """What an event of a schema is."""

    RANGE_PUSHPOP = 16
    RANGE_STARTEND = 24
    MARK = 32
    RANGE_PUSH = 40
    RANGE_POP = 48
    RANGE_START = 56
    RANGE_END = 64


class PayloadEntryType(Enum):
    """What the number in a field stands for."""

    RANGE_ID = 67
    CATEGORY = 68
    COLOR_ARGB = 69
    SCOPE_ID = 70
    REGISTERED_STRING = 80


class BatchOrdering(Enum):
    """The order of the times in a batch."""

    SORTED = 0
    PARTIALLY_SORTED = 2
    SORTED_PER_SCOPE = 4
    UNSORTED = 6


class PredefinedScope(Enum):
    """Scopes that need not be registered."""

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
    """The clock of timestamps."""

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


_FLOAT, _INT, _UINT = 3, 1, 2


@dataclass(frozen=True)
class CounterSemantics:
    """What the values of a counter mean, for Domain.get_counter() and numpy_dtype().

    unit: of a value times unit_scale_numerator / unit_scale_denominator, such as "bytes".
    min, max: what values are expected between; both ints or both floats.

    Raises TypeError and ValueError.
    """

    unit: Optional[Union[str, bytes]] = None
    value_type: CounterValueType = CounterValueType.ABSOLUTE
    interpolation: CounterInterpolation = CounterInterpolation.POINT
    min: Optional[Union[int, float]] = None
    max: Optional[Union[int, float]] = None
    unit_scale_numerator: int = 1
    unit_scale_denominator: int = 1
    _limit_type: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        self._check("unit", (str, bytes, type(None)))
        self._check("value_type", CounterValueType)
        self._check("interpolation", CounterInterpolation)
        for name in ("unit_scale_numerator", "unit_scale_denominator"):
            self._check(name, int)
            if not 0 < getattr(self, name) < 2**64:
                raise ValueError(f"{name} must be from 1 to 2**64 - 1, not {getattr(self, name)}")
        if isinstance(self.unit, str):
            object.__setattr__(self, "unit", self.unit.encode("utf-8", "replace"))
        object.__setattr__(self, "_limit_type", self._find_limit_type())

    def _check(self, name: str, types: Union[type, Tuple[type, ...]]) -> None:
        if not isinstance(getattr(self, name), types):
            raise TypeError(f"{name} cannot be {type(getattr(self, name)).__name__}: {getattr(self, name)!r}")

    def _find_limit_type(self) -> int:
        self._check("min", (int, float, type(None)))
        self._check("max", (int, float, type(None)))
        limits = [limit for limit in (self.min, self.max) if limit is not None]
        if not limits:
            return 0
        if len({isinstance(limit, float) for limit in limits}) > 1:
            raise ValueError("min and max must be both ints or both floats")
        if limits[0] > limits[-1]:
            raise ValueError(f"min {limits[0]} is above max {limits[-1]}")
        if isinstance(limits[0], float):
            return _FLOAT
        if limits[0] < -(2**63) or limits[-1] >= (2**63 if limits[0] < 0 else 2**64):
            raise ValueError("min and max as ints must be of 64 bits, both signed or both unsigned")
        return _INT if limits[0] < 0 else _UINT

    def _numbers(self) -> Tuple[Any, ...]:
        """What nvtxSemanticsCounter_t has."""
        has_min, has_max = self.min is not None, self.max is not None
        flags = self.value_type.value | self.interpolation.value | has_min << 2 | has_max << 3
        unit = None
        if isinstance(self.unit, bytes):  # what __post_init__() makes of a str
            unit = self.unit.split(b"\0")[0].decode("utf-8", "replace")
        return (flags, unit, self.unit_scale_numerator, self.unit_scale_denominator, self._limit_type,
                self.min, self.max)
