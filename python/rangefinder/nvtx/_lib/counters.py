# SPDX-License-Identifier: Apache-2.0
"""Counters."""

from rangefinder.nvtx import (
    Counter,
    CounterInterpolation,
    CounterNoValueReason,
    CounterSemantics,
    CounterValueType,
    DummyCounter,
    ExtCounter,
    Float64Counter,
    Int64Counter,
)
from rangefinder.nvtx._lib.dummies import dummy_counter
