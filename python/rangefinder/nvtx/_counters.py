# SPDX-License-Identifier: Apache-2.0
"""Counters: what happens once for each."""

import sys

from rangefinder.nvtx import _nvtx
from rangefinder.nvtx._metadata import find_numpy
from rangefinder.nvtx._schemas import group_schema_of, key_of
from rangefinder.nvtx._values import PredefinedScope, TimestampType

__all__ = ["get_counter", "register_counter"]

# NVTX_PAYLOAD_ENTRY_TYPE_INT64, _FLOAT64
_SCHEMAS = {_nvtx.Int64Counter: 17, _nvtx.Float64Counter: 44}


def get_counter(domain, name, dtype, *, description=None, scope=None, semantics=None, time_domain=None):
    """Domain.get_counter()."""
    dtype, kind = _read_dtype(dtype)
    time = (TimestampType.TOOL_PROVIDED if time_domain is None else time_domain).value
    what = key_of(dtype) if kind is _nvtx.ExtCounter else kind
    key = (name, what, description, scope, semantics, time)
    counters = _nvtx._counters_of(domain)
    counter = counters.get(key)
    if counter is None:
        counter = _nvtx._new_counter(kind, domain, name, dtype, description, scope, semantics, time)
        counter = counters.setdefault(key, counter)  # another thread's, if it was first
        _nvtx._attach_counter(counter)
    return counter


def _read_dtype(dtype):
    """The dtype of NumPy, or int or float where the program has no NumPy, and the type of the counter."""
    if dtype is int or dtype is float:
        numpy = sys.modules.get("numpy")
        kind = _nvtx.Int64Counter if dtype is int else _nvtx.Float64Counter
        number = None if numpy is None else getattr(numpy, "int64" if dtype is int else "float64", None)
        return (dtype if number is None else numpy.dtype(number)), kind
    numpy = find_numpy()
    try:
        dtype = numpy.dtype(dtype)
    except TypeError as error:
        raise TypeError(f"dtype must be int, float or what numpy.dtype() takes: {error}") from None
    _check(dtype)
    if dtype == numpy.dtype(numpy.int64):
        return dtype, _nvtx.Int64Counter
    return dtype, _nvtx.Float64Counter if dtype == numpy.dtype(numpy.float64) else _nvtx.ExtCounter


def _check(dtype):
    if dtype.subdtype is not None and dtype.subdtype[0].names is not None:
        raise TypeError(
            "Nested counter groups are not supported: dtype is a fixed-size array of a structured dtype"
        )
    for name in dtype.names or ():
        field = dtype.fields[name][0]
        if field.subdtype is not None:
            raise TypeError(f"Counter group array fields are not supported: {name!r}")
        if field.names is not None:
            raise TypeError(f"Nested counter groups are not supported: {name!r}")


def register_counter(counter):
    """Registers a counter with the tool that is attached."""
    domain, semantics = counter.domain, counter.semantics
    schema = _SCHEMAS.get(_nvtx._type_of(counter)) or group_schema_of(domain, counter.dtype)
    _nvtx._register_counter(
        counter, schema, _text(counter.name), _text(counter.description), _scope(domain, counter.scope),
        counter.time_domain, semantics._numbers() if semantics is not None else None,
    )


def _scope(domain, scope):
    if scope is None or isinstance(scope, PredefinedScope):
        return scope.value if scope is not None else 0
    key = ("scope", scope)
    found = _nvtx._find_schema(domain, key)
    return found if found is not None else _nvtx._register_scope(domain, key, _text(scope))


def _text(text):
    """A text as C has them: it ends at a NUL."""
    if text is None:
        return None
    if not isinstance(text, bytes):
        text = str(text).encode("utf-8", "replace")
    return text.split(b"\0")[0].decode("utf-8", "replace")
