# SPDX-License-Identifier: Apache-2.0
"""NVTX for Python: marks, ranges and domains, which any NVTX tool records.

The interface is that of the package nvtx: `import rangefinder.nvtx as nvtx`, or install() before
`import nvtx`. Every function may be called on any thread. With no tool attached a call costs tens
of nanoseconds; with NVTX_DISABLE set in the environment, less, and decorators vanish.
"""

import sys

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
    """Makes `import nvtx` give this module, for programs that are not to be changed.

    Raises RuntimeError where the package nvtx was imported already: what imported it would go on
    using it.
    """
    there = sys.modules.setdefault("nvtx", sys.modules[__name__])
    if there is not sys.modules[__name__]:
        raise RuntimeError("the package nvtx is imported already: call install() before it is")
