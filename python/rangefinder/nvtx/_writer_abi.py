# SPDX-License-Identifier: Apache-2.0
"""NVTX's writer interface, version 2, as C has it: structures, functions, results."""

import ctypes
import os
import threading
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

__all__ = ["Module", "WriterError", "acquire", "release", "semantics_of", "sized"]

VERSION = 2
SUCCESS, FAILED, SYMBOL_MISSING = 0, 1, 5
_MESSAGES = {
    0: "success", 1: "failed", 2: "invalid argument", 3: "library not found", 4: "library load failed",
    5: "library symbol missing", 6: "interface version not supported", 7: "not supported by this backend",
}

_handle = ctypes.c_void_p
_u64 = ctypes.c_uint64
_i64 = ctypes.c_int64
_text = ctypes.c_char_p
_size = ctypes.c_size_t
_out = ctypes.POINTER(_u64)
_out_handle = ctypes.POINTER(_handle)


def _structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": fields})


SessionAttributes = _structure("SessionAttributes", ("size", _size), ("name", _text), ("config", _text))
DomainAttributes = _structure("DomainAttributes", ("size", _size), ("name", _text))
StreamAttributes = _structure(
    "StreamAttributes", ("size", _size), ("name", _text), ("domain", _handle), ("scope", _u64),
    ("time_domain", _u64), ("interleaving", ctypes.c_int16), ("ordering", ctypes.c_int16),
    ("skid", ctypes.c_int32), ("skid_amount", _i64))
ScopeAttributes = _structure(
    "ScopeAttributes", ("size", _size), ("path", _text), ("parent", _u64), ("id", _u64))
Limit = type("Limit", (ctypes.Union,), {"_fields_": (("i", _i64), ("u", _u64), ("d", ctypes.c_double))})
Semantics = _structure(
    "Semantics", ("size", ctypes.c_uint32), ("id", ctypes.c_uint16), ("version", ctypes.c_uint16),
    ("next", _handle), ("flags", _u64), ("unit", _text), ("numerator", _u64), ("denominator", _u64),
    ("limit_type", _i64), ("min", Limit), ("max", Limit))
Entry = _structure(
    "Entry", ("flags", _u64), ("type", _u64), ("name", _text), ("description", _text), ("detail", _u64),
    ("offset", _u64), ("semantics", ctypes.POINTER(Semantics)), ("reserved", _handle))
SchemaAttributes = _structure(
    "SchemaAttributes", ("mask", _u64), ("name", _text), ("type", _u64), ("flags", _u64),
    ("entries", ctypes.POINTER(Entry)), ("n_entries", _size), ("static_size", _size), ("pack", _size),
    ("id", _u64), ("extension", _handle))
CounterAttributes = _structure(
    "CounterAttributes", ("size", _size), ("schema", _u64), ("name", _text), ("description", _text),
    ("scope", _u64), ("semantics", ctypes.POINTER(Semantics)), ("id", _u64))
EventBatch = _structure(
    "EventBatch", ("schema", _u64), ("size", _size), ("events", _handle), ("scope", _u64),
    ("flags", _u64), ("flex", _handle), ("flex_size", _size), ("flex_offset", _size))
CounterBatch = _structure(
    "CounterBatch", ("counter", _u64), ("samples", _handle), ("size", _size), ("flags", _u64),
    ("times", _handle), ("times_size", _size))

# Functions that write keep Python's lock, which would cost more than they do; others may take long.
_slow, _fast = ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE
_point = ctypes.POINTER
_FUNCTIONS: Tuple[Tuple[str, Any, Tuple[Any, ...]], ...] = (
    ("session_begin", _slow, (_point(SessionAttributes), _out_handle)),
    ("session_end", _slow, (_handle,)),
    ("domain_register", _slow, (_handle, _point(DomainAttributes), _out_handle)),
    ("category_register", _slow, (_handle, ctypes.c_uint32, _text)),
    ("string_register", _slow, (_handle, _text, _out_handle)),
    ("resource_register", _slow, (_handle, _handle)),
    ("scope_register", _slow, (_handle, _point(ScopeAttributes), _out)),
    ("schema_register", _slow, (_handle, _point(SchemaAttributes), _out)),
    ("enum_register", _slow, (_handle, _handle, _out)),
    ("counter_register", _slow, (_handle, _point(CounterAttributes), _out)),
    ("time_domain_register", _slow, (_handle, _handle, _out)),
    ("stream_open", _slow, (_handle, _point(StreamAttributes), _out_handle)),
    ("stream_close", _slow, (_handle,)),
    ("event_write", None, ()),  # its address: _nvtx._write_event() calls it
    ("event_batch_write", _slow, (_handle, _point(EventBatch))),
    ("counter_write", _fast, (_handle, _i64, _u64, _text, _size)),
    ("counter_no_value_write", _fast, (_handle, _i64, _u64, ctypes.c_uint8)),
    ("counter_batch_write", _slow, (_handle, _point(CounterBatch))),
)


class WriterError(Exception):
    """What a backend answers where something failed.

    result_code: NVTXW's number, an int.
    operation: the name of the function that failed, a str, or None.
    detail: the reason in words, a str, or None; Rangefinder's backend gives it.
    """

    def __init__(
        self, result_code: int, operation: Optional[str] = None, detail: Optional[str] = None
    ) -> None:
        self.result_code = result_code
        self.operation = operation
        self.detail = detail
        message = _MESSAGES.get(result_code, "unknown error")
        if operation:
            message = f"{operation} failed: {message} (code {result_code})"
        super().__init__(f"{message}: {detail}" if detail else message)


class Interface:
    """The functions of a backend that is loaded."""

    def __init__(self, library, table):
        addresses = ctypes.cast(table, ctypes.POINTER(_handle))
        for i, (name, make, arguments) in enumerate(_FUNCTIONS):
            if not addresses[i]:
                raise WriterError(FAILED, "load_backend", f"the backend lacks the function {name}")
            setattr(self, name, make(ctypes.c_int32, *arguments)(addresses[i]) if make else addresses[i])
        self._error = getattr(library, "rangefinder_nvtxw_error", None)
        if self._error is not None:
            self._error = ctypes.PYFUNCTYPE(_text)(ctypes.cast(self._error, _handle).value)

    def check(self, result, operation):
        """Raises WriterError where a function did not succeed."""
        if result != SUCCESS:
            detail = self._error() if self._error is not None else None
            raise WriterError(result, operation, detail.decode("utf-8", "replace") if detail else None)


class Module:
    """A library, which all backends of its path share. It stays loaded until the process ends."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.interface = None
        self.users = 0

    def begin(self):
        get = getattr(self.library, "nvtxwGetInterface", None)
        if get is None:
            raise WriterError(SYMBOL_MISSING, "load_backend")
        table = _handle()
        get.argtypes, get.restype = (ctypes.c_int32, _out_handle), ctypes.c_int32
        result = get(VERSION, ctypes.byref(table))
        if result != SUCCESS or not table.value:
            raise WriterError(result or FAILED, "nvtxwGetInterface")
        self.interface = Interface(self.library, table)

    def end(self):
        self.interface = None
        finalize = getattr(self.library, "nvtxwFinalize", None)
        if finalize is not None:
            finalize.restype = None
            finalize()


_modules: Dict[str, Module] = {}
_lock = threading.RLock()


def acquire(path):
    """Loads the library of a path, or counts one more user of it; its Module."""
    path = str(Path(os.fsdecode(path)).expanduser().resolve())
    with _lock:
        module = _modules.get(path)
        if module is None:
            module = _modules[path] = Module(path)
        if module.users == 0:
            try:
                module.begin()
            except Exception:
                module.end()
                raise
        module.users += 1
        return module


def release(module):
    """One user less: the last one lets the library free what it has."""
    with _lock:
        module.users -= 1
        if module.users == 0:
            module.end()


def sized(structure, **fields):
    """A structure that begins with its own size."""
    return structure(size=ctypes.sizeof(structure), **fields)


def semantics_of(numbers):
    """nvtxSemanticsCounter_t of CounterSemantics._numbers(), or None."""
    if numbers is None:
        return None
    flags, unit, numerator, denominator, limit_type, least, most = numbers
    made = sized(Semantics, id=5, version=2, flags=flags, numerator=numerator, denominator=denominator,
                 limit_type=limit_type, unit=None if unit is None else unit.encode())
    name = {1: "i", 2: "u", 3: "d"}.get(limit_type)
    for limit, value in ((made.min, least), (made.max, most)):
        if value is not None and name is not None:
            setattr(limit, name, value)
    return made
