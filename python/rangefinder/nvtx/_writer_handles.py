# SPDX-License-Identifier: Apache-2.0
"""What functions of the writer take, and what a domain has registered."""

import operator
import sys

from rangefinder.nvtx._metadata import find_numpy, metadata_of
from rangefinder.nvtx._values import PayloadEntryType

__all__ = ["Counter", "RegisteredString", "Schema", "Scope", "address_of", "member_of", "one_row",
           "range_id_of", "rows_of", "time_of", "to_bytes", "to_str"]


def to_bytes(text):
    if text is None or isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8")
    raise TypeError(f"a text must be a str or bytes, not {type(text).__name__}")


def to_str(text):
    if text is None or isinstance(text, str):
        return text
    return to_bytes(text).decode("utf-8")


def _integer(value, least, most):
    """As the package nvtx converts numbers: fractions are cut off."""
    number = int(value) if hasattr(type(value), "__int__") else operator.index(value)
    if least <= number <= most:
        return number
    raise OverflowError(f"{number} does not fit the 64 bits that it has")


def time_of(value):
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return value
    return _integer(value, -(1 << 63), (1 << 63) - 1)


def range_id_of(value):
    number = _integer(value, 0, (1 << 64) - 1)
    if number == 0:
        raise ValueError("range_id cannot be 0")
    return number


def member_of(name, value, kind):
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    return value.value


def address_of(array):
    return array.ctypes.data


def one_row(value, dtype):
    """The bytes of one value of a dtype."""
    row = find_numpy().ascontiguousarray(value, dtype)
    if row.size != 1:
        raise ValueError(f"one value of {dtype} is expected, not {row.size}")
    return row.tobytes()


def rows_of(data, dtype):
    """An array of rows of a dtype: of an array, a DataFrame with columns of its names, or an iterable."""
    numpy = find_numpy()
    pandas = sys.modules.get("pandas")
    if isinstance(data, numpy.ndarray):
        rows = numpy.ascontiguousarray(data, dtype=dtype)
        if data.ndim != 1:
            raise ValueError(f"a batch must have one dimension, not {data.ndim}")
    elif pandas is not None and dtype.names is not None and isinstance(data, pandas.DataFrame):
        rows = numpy.empty(len(data), dtype=dtype)
        for name in dtype.names:
            if name not in data:
                raise ValueError(f"the DataFrame has no column {name!r}")
            rows[name] = data[name].to_numpy(copy=False)
    else:
        rows = numpy.fromiter(data, dtype=dtype)
    if rows.size == 0:
        raise ValueError("a batch cannot be empty")
    return rows


# ---- What a domain has ----


class RegisteredString:
    """A text that is registered, from Domain.get_registered_string(): a message, or the number of a
    field of PayloadEntryType.REGISTERED_STRING."""

    def __init__(self, domain, string, handle):
        self._domain = domain
        self._string = string
        self._handle = handle

    @property
    def handle(self):
        """The number of it, an int."""
        return self._handle

    def __repr__(self):
        return f"RegisteredString({self._string!r})"


class Scope:
    """What events and counters belong to, from Domain.get_scope()."""

    def __init__(self, scope_id, path=None, domain=None):
        self._scope_id = scope_id
        self._path = path
        self._domain = domain

    @property
    def scope_id(self):
        """The id in the domain, an int."""
        return self._scope_id

    @property
    def path(self):
        """The path, a str, or None."""
        return self._path

    def __repr__(self):
        return f"Scope(scope_id={self._scope_id}, path={self._path!r})"


def _categories_of(dtype):
    """The names of the fields that are categories."""
    for name in dtype.names or ():
        metadata = metadata_of(dtype.fields[name][0])
        if metadata is not None and metadata.entry_type is PayloadEntryType.CATEGORY:
            yield name


class Schema:
    """The layout of events or payloads, from Domain.get_schema()."""

    def __init__(self, domain, schema_id, dtype, kind):
        self._domain = domain
        self._schema_id = schema_id
        self._dtype = dtype
        self._kind = kind
        self._categories = tuple(_categories_of(dtype))

    def _categories_in(self, events):
        """The numbers of categories that an array of the dtype has, a set."""
        return {number for name in self._categories for number in events[name].ravel().tolist()}

    @property
    def schema_id(self):
        """The id in the domain, an int."""
        return self._schema_id

    @property
    def dtype(self):
        """The numpy.dtype."""
        return self._dtype

    @property
    def kind(self):
        """The EventKind, or None."""
        return self._kind

    def __repr__(self):
        return f"Schema(schema_id={self._schema_id}, dtype={self._dtype!r}, kind={self._kind})"


class Counter:
    """A counter or a group of them, from Domain.get_counter()."""

    def __init__(self, domain, counter_id, schema_id, time_field, facts):
        self._domain = domain
        self._counter_id = counter_id
        self._schema_id = schema_id
        self._time_field = time_field
        self._name, self._dtype, self._description, self._semantics = facts

    @property
    def counter_id(self):
        """The id in the domain, an int."""
        return self._counter_id

    @property
    def name(self):
        """The name, a str."""
        return self._name

    @property
    def dtype(self):
        """The numpy.dtype; int or float where there is no NumPy."""
        return self._dtype

    @property
    def description(self):
        """The description, a str, or None."""
        return self._description

    @property
    def semantics(self):
        """The CounterSemantics, or None."""
        return self._semantics

    def __repr__(self):
        return f"Counter(name={self._name!r}, counter_id={self._counter_id})"
