# SPDX-License-Identifier: Apache-2.0
"""NVTX for Python: marks, ranges and domains, which any NVTX tool records.

The interface is that of the package nvtx: `import rangefinder.nvtx as nvtx`, or install() before
`import nvtx`. Every function may be called on any thread. With no tool attached a call costs tens
of nanoseconds; with NVTX_DISABLE set in the environment, less, and decorators vanish.
"""

import importlib

from rangefinder.nvtx._nvtx import (
    Counter,
    Domain,
    DummyCounter,
    DummyDomain,
    EventAttributes,
    ExtCounter,
    Float64Counter,
    Int64Counter,
    NvtxWarning,
    Profile,
    RegisteredString,
    annotate,
    enabled,
    end_range,
    get_domain,
    mark,
    pop_range,
    push_range,
    start_range,
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

# What few programs use is imported when it is used: the names, by module.
_LATER = {
    "_values": ("BatchOrdering", "CounterInterpolation", "CounterNoValueReason", "CounterSemantics",
                "CounterValueType", "EntryKind", "EventKind", "PayloadEntryType", "PredefinedScope",
                "TimestampType"),
    "_metadata": ("numpy_dtype",),
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names}


def install():
    """Makes `import nvtx` give this module, and `nvtx.nvtx`, `nvtx.colors`, `nvtx.writer` and
    `nvtx._lib` what is below it, for programs that are not to be changed. The same as rangefinder.install("nvtx").

    Raises RuntimeError where the package nvtx was imported already: what imported it would go on
    using it.
    """
    from rangefinder._install import put

    for name in ("nvtx", "nvtx.nvtx", "nvtx.colors", "nvtx._lib", "nvtx._lib.lib",
                 "nvtx._lib.counters", "nvtx._lib.time", "nvtx._lib.profiler", "nvtx._lib.writer", "nvtx.writer"):
        put(name, importlib.import_module("rangefinder." + name))


def __getattr__(name):
    if name in ("_lib", "colors", "nvtx", "writer"):
        return importlib.import_module("rangefinder.nvtx." + name)
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'rangefinder.nvtx' has no attribute {name!r}")
    value = getattr(importlib.import_module("rangefinder.nvtx." + module), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
