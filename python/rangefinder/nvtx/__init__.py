# SPDX-License-Identifier: Apache-2.0
"""NVTX for Python: marks, ranges and domains, which any NVTX tool records.

The interface is that of the package nvtx: `import rangefinder.nvtx as nvtx`, or install() before
`import nvtx`. Every function may be called on any thread. With no tool attached a call costs tens
of nanoseconds; with NVTX_DISABLE set in the environment, less, and decorators vanish.
"""

import importlib

from rangefinder.nvtx._nvtx import (
    Domain,
    DummyDomain,
    EventAttributes,
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


def install():
    """Makes `import nvtx` give this module, and `nvtx.nvtx` and `nvtx.colors` what is below it, for
    programs that are not to be changed. The same as rangefinder.install("nvtx").

    Raises RuntimeError where the package nvtx was imported already: what imported it would go on
    using it.
    """
    from rangefinder._install import put

    for name in ("nvtx", "nvtx.nvtx", "nvtx.colors"):
        put(name, importlib.import_module("rangefinder." + name))


def __getattr__(name):
    if name in ("colors", "nvtx"):
        return importlib.import_module("rangefinder.nvtx." + name)
    raise AttributeError(f"module 'rangefinder.nvtx' has no attribute {name!r}")
