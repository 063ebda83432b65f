# SPDX-License-Identifier: Apache-2.0
"""Schemas of NumPy's dtypes, as the package nvtx registers them."""

from rangefinder.nvtx import _nvtx
from rangefinder.nvtx._metadata import metadata_of

__all__ = ["event_schema_of", "group_schema_of", "key_of", "payload_schema_of", "schema_of"]

# NVTX_PAYLOAD_ENTRY_TYPE_..., by kind and size in bytes
_TYPES = {
    ("i", 1): 11, ("u", 1): 12, ("i", 2): 13, ("u", 2): 14, ("i", 4): 15, ("u", 4): 16,
    ("i", 8): 17, ("u", 8): 18, ("f", 2): 42, ("f", 4): 43, ("f", 8): 44, ("b", 1): 12,
}
_BYTE = 32
_CSTRING_UTF32 = 78
_ARRAY_FIXED_SIZE = 1 << 4
_TIMESTAMP = 2 << 10
_COUNTER = 4 << 12
_COUNTER_GROUP = 8


class _Live:
    """Where schemas are found and registered: a Domain of the tool that is attached."""

    __slots__ = ("domain",)

    def __init__(self, domain):
        self.domain = domain

    def find(self, key):
        return _nvtx._find_schema(self.domain, key)

    def register(self, key, flags, size, entries):
        return _nvtx._register_schema(self.domain, key, flags, size, entries)


def schema_of(domain, dtype):
    """Returns the schema of a value of a dtype, and the dtype that arrays are to be converted to, or
    None. Raises TypeError where NVTX has no type for it."""
    native = dtype.newbyteorder("=")
    if native != dtype:
        # metadata may be lost on the way: that of the original is what counts
        return _schema(_Live(domain), dtype), native
    return _schema(_Live(domain), dtype), None


def payload_schema_of(where, dtype):
    """Returns the schema of a value of a dtype. where: has find() and register(), as _Live."""
    return _schema(where, dtype)


def event_schema_of(where, dtype, kind):
    """Returns the schema of the events of a structured dtype; kind: an EventKind."""
    return _structure(where, dtype, kind.value)


def group_schema_of(domain, dtype):
    """Returns the schema of a counter's dtype: of a structured one, a group's. domain: a Domain, or
    what has find() and register()."""
    where = domain if hasattr(domain, "register") else _Live(domain)
    return _structure(where, dtype, _COUNTER_GROUP) if dtype.names is not None else _schema(where, dtype)


def key_of(dtype):
    """What two dtypes have in common that have the same schema; with metadata, which equality of dtypes
    leaves out."""
    metadata = metadata_of(dtype)
    if dtype.subdtype is not None:
        return "array", key_of(dtype.subdtype[0]), dtype.shape
    if dtype.names is not None:
        fields = tuple((name, key_of(dtype.fields[name][0]), dtype.fields[name][1]) for name in dtype.names)
        return "structure", fields, dtype.itemsize, metadata
    return dtype.name if metadata is None else (dtype.name, metadata)


def _schema(where, dtype):
    if dtype.subdtype is not None:
        return _fixed_array(where, dtype)
    if dtype.names is not None:
        return _structure(where, dtype, 0)
    return _plain(where, dtype)


def _entry_type(dtype):
    """NVTX_PAYLOAD_ENTRY_TYPE_, flags and length of a dtype without fields."""
    if dtype.kind == "U":
        return _CSTRING_UTF32, 0, dtype.itemsize // 4
    if dtype.kind == "S":
        return _BYTE, _ARRAY_FIXED_SIZE, dtype.itemsize
    entry_type = _TYPES.get((dtype.kind, dtype.itemsize))
    if entry_type is None:
        raise TypeError(f"NVTX has no type for NumPy's {dtype}")
    return entry_type, 0, 0


def _plain(where, dtype):
    key = key_of(dtype)
    found = where.find(key)
    if found is not None:
        return found
    metadata = metadata_of(dtype)
    entry = _entry(dtype.name, dtype, 0, metadata, False)
    return where.register(key, 0, dtype.itemsize, [entry])


def _entry(name, dtype, offset, metadata, is_group):
    entry_type, flags, length = _entry_type(dtype)
    semantics = None
    if metadata is not None:
        if metadata.entry_type is not None:
            entry_type, flags, length = metadata.entry_type.value, 0, 0
        if metadata.entry_kind is not None:
            flags |= metadata.entry_kind.value
        if metadata.counter_semantics is not None:
            semantics = metadata.counter_semantics._numbers()
    if is_group and not flags & _TIMESTAMP:
        flags |= _COUNTER
    return flags, entry_type, _text(name), length, offset, semantics


def _fixed_array(where, dtype):
    of = _schema(where, dtype.subdtype[0])
    length = 1
    for n in dtype.shape:
        length *= n
    key = ("array", of, length, dtype.itemsize)
    found = where.find(key)
    if found is not None:
        return found
    entry = (_ARRAY_FIXED_SIZE, of, None, length, 0, None)
    return where.register(key, 0, dtype.itemsize, [entry])


def _structure(where, dtype, flags):
    """The fields of a group or event are values themselves; those of a payload (flags 0) have schemas
    of their own."""
    key = (key_of(dtype), flags)
    found = where.find(key)
    if found is not None:
        return found
    is_group = flags == _COUNTER_GROUP
    entries = []
    # an offset of 0 is to be computed unless the entry is the first; a text of no length is a pointer
    names = [name for name in dtype.names if dtype.fields[name][0].itemsize]
    for name in sorted(names, key=lambda name: dtype.fields[name][1]):
        field, offset = dtype.fields[name][:2]
        metadata = metadata_of(field)
        if flags != 0 and field.subdtype is None and field.names is None:
            entries.append(_entry(name, field, offset, metadata, is_group))
            continue
        role = metadata.entry_kind.value if metadata is not None and metadata.entry_kind else 0
        semantics = metadata.counter_semantics if metadata is not None else None
        numbers = semantics._numbers() if semantics is not None else None
        schema, length = _field_schema(where, field, flags)
        entries.append((role | (_ARRAY_FIXED_SIZE if length else 0), schema, _text(name), length, offset, numbers))
    return where.register(key, flags, dtype.itemsize, entries)


def _field_schema(where, field, flags):
    """The type of a field that is no plain value of a group or event, and its length as an array."""
    base = field.subdtype[0] if field.subdtype is not None else None
    if flags == 0 or base is None or (base.kind, base.itemsize) not in _TYPES:
        return _schema(where, field), 0
    length = 1
    for n in field.shape:
        length *= n
    return _TYPES[base.kind, base.itemsize], length


def _text(name):
    """A name as C has them: it ends at a NUL."""
    return name.split("\0")[0].encode("utf-8", "replace").decode()
