# SPDX-License-Identifier: Apache-2.0
"""Rangefinder: an open profiler for annotated programs."""

import importlib

from rangefinder import _standby

_standby.arm()  # before any library that is imported later looks for an NVTX tool

# Loaded when they are first asked for: annotating needs none of them.
_MODULE_OF = {
    "FormatError": "rangefinder.recording",
    "Recording": "rangefinder.recording",
    "__version__": "rangefinder._reader",
    "align": "rangefinder.recording",
    "export": "rangefinder.recording",
    "get_include": "rangefinder._include",
    "install": "rangefinder._install",
    "nvtxw_backend": "rangefinder._nvtxw",
    "open": "rangefinder.recording",
    "profile": "rangefinder._profile",
    "snapshot": "rangefinder._snapshot",
}
_SUBMODULES = ("fleet", "nvtx", "pm_sampling", "recording")

__all__ = sorted(set(_MODULE_OF) - {"__version__"})


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"rangefinder.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rangefinder' has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_MODULE_OF) | set(_SUBMODULES))
