# SPDX-License-Identifier: Apache-2.0
"""The modules that the package nvtx has below this name, for programs that import from them."""

from rangefinder.nvtx import (
    BatchOrdering,
    Domain,
    DummyDomain,
    EntryKind,
    EventAttributes,
    EventKind,
    NvtxWarning,
    PayloadEntryType,
    PredefinedScope,
    RegisteredString,
)
from rangefinder.nvtx._lib.dummies import dummy_domain
from rangefinder.nvtx._lib.lib import end_range, mark, pop_range, push_range, start_range
