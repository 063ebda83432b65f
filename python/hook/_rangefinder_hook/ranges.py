# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges by ctypes, for Pythons of every version and without any package.

The library is called without letting go of the interpreter's lock: a range takes less time than
another thread would need to take it over."""
import ctypes
import functools
import os
import threading

_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "librangefinder-hook.so")
_TOOL_VARIABLE = "NVTX_INJECTION64_PATH"
_lock = threading.Lock()

# The functions of the library; a range is an address.
push = push_text = pop = begin = end = None
_make = None


def _function(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype = result
    function.argtypes = arguments
    return function


def load():
    """Loads the library, and the recorder into it. Raises OSError where that cannot be done."""
    global push, push_text, pop, begin, end, _make
    with _lock:
        if _make is not None:
            return
        library = ctypes.PyDLL(_LIBRARY)
        path = os.environ.get(_TOOL_VARIABLE)
        if path:
            entry = ctypes.CDLL(path).InitializeInjectionNvtx2
            _function(library, "rf_hook_attach", None, ctypes.c_void_p)(
                ctypes.cast(entry, ctypes.c_void_p)
            )
        address, text = ctypes.c_void_p, ctypes.c_char_p
        push = _function(library, "rf_hook_push", None, address)
        push_text = _function(library, "rf_hook_push_text", None, address, text)
        pop = _function(library, "rf_hook_pop", None, address)
        begin = _function(library, "rf_hook_start", ctypes.c_uint64, address)
        end = _function(library, "rf_hook_end", None, address, ctypes.c_uint64)
        _make = _function(
            library, "rf_hook_range", address, text, text, ctypes.c_int, ctypes.c_uint32
        )


@functools.lru_cache(maxsize=None)
def range_of(name, domain=None, color=None):
    """The range of that name: the first argument of all functions here. domain None: the default
    one. color: 0xAARRGGBB."""
    return _make(
        None if domain is None else domain.encode("utf-8", "replace"),
        name.encode("utf-8", "replace"),
        color is not None,
        color or 0,
    )


class NamedRanges(dict):
    """name: range, made when it is asked for first."""

    def __init__(self, suffix="", domain=None, color=None):
        super().__init__()
        self._suffix, self._domain, self._color = suffix, domain, color

    def __missing__(self, name):
        value = self[name] = range_of(name + self._suffix, self._domain, self._color)
        return value
