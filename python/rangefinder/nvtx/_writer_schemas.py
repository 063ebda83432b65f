# SPDX-License-Identifier: Apache-2.0
"""Schemas of what is written: those that all events without a dtype have, and dtypes."""

import ctypes

from rangefinder.nvtx import _writer_abi as abi
from rangefinder.nvtx._metadata import metadata_of
from rangefinder.nvtx._values import EntryKind, EventKind, PayloadEntryType

__all__ = ["Registrar", "check_counter_dtype", "check_event_dtype"]

_FIELD_TYPE, _FIELD_FLAGS, _FIELD_ENTRIES, _FIELD_SIZE = 1 << 2, 1 << 3, 1 << 4 | 1 << 5, 1 << 6
_STATIC, _DYNAMIC = 1, 2
_INT64, _CSTRING_UTF8 = 17, 76
_RANGE_ID, _CATEGORY, _COLOR, _STRING = 67, 68, 69, 80
_ZERO_TERMINATED = 2 << 4
_BEGIN, _END, _MARK = (kind.value for kind in (EntryKind.RANGE_BEGIN, EntryKind.RANGE_END, EntryKind.MARK))
_MESSAGE = EntryKind.MESSAGE.value

# What the events of NVTX's helpers begin with (nvtxw3_event_helpers.h): entries of 8 bytes.
_TIMES = {
    EventKind.MARK: [(_MARK, _INT64, "timestamp")],
    EventKind.RANGE_PUSHPOP: [(_BEGIN, _INT64, "timestampBegin"), (_END, _INT64, "timestampEnd")],
    EventKind.RANGE_STARTEND: [(_BEGIN, _INT64, "timestampBegin"), (_END, _INT64, "timestampEnd")],
    EventKind.RANGE_PUSH: [(_BEGIN, _INT64, "timestamp")],
    EventKind.RANGE_POP: [(_END, _INT64, "timestamp")],
    EventKind.RANGE_START: [(0, _RANGE_ID, "rangeId"), (_BEGIN, _INT64, "timestamp")],
    EventKind.RANGE_END: [(0, _RANGE_ID, "rangeId"), (_END, _INT64, "timestamp")],
}
_ENDS = (EventKind.RANGE_POP, EventKind.RANGE_END)
# Messages are payloads of their own, or registered strings in the event.
_ORDER = (EventKind.MARK, EventKind.RANGE_PUSHPOP, EventKind.RANGE_STARTEND, EventKind.RANGE_PUSH,
          EventKind.RANGE_POP, EventKind.RANGE_START, EventKind.RANGE_END)


class Registrar:
    """The schemas of a domain; its session is locked. find(), register(): for _schemas."""

    def __init__(self, interface, domain):
        self._interface = interface
        self._domain = domain
        self._ids = {}
        self.text = 0  # of a message
        self.events = {}  # (EventKind, whether the message is a registered string) to an id

    def find(self, key):
        return self._ids.get(key)

    def register(self, key, flags, size, entries):
        self._ids[key] = found = self._register(_STATIC, flags, size, entries)
        return found

    def prepare_events(self):
        """Registers what write_mark() and its like have, once."""
        if self.text:
            return
        for kind in _ORDER:
            for is_registered in (False,) if kind in _ENDS else (False, True):
                self.events[kind, is_registered] = self._register_event(kind, is_registered)
        entry = (_MESSAGE | _ZERO_TERMINATED, _CSTRING_UTF8, "message", 0, 0, None)
        self.text = self._register(_DYNAMIC, 0, 0, [entry])

    def _register_event(self, kind, is_registered):
        entries = [(*entry, 0, 8 * i, None) for i, entry in enumerate(_TIMES[kind])]
        size = 8 * len(entries)
        if kind not in _ENDS:
            entries.append((0, _COLOR, "color", 0, size, None))
            entries.append((0, _CATEGORY, "category", 0, size + 4, None))
            size += 8
        if is_registered:
            entries.append((_MESSAGE, _STRING, "message", 0, size, None))
            size += 8
        return self._register(_STATIC, kind.value, size, entries)

    def _register(self, kind, flags, size, entries):
        array = (abi.Entry * len(entries))()
        for to, (entry_flags, entry_type, name, length, offset, numbers) in zip(array, entries):
            to.flags, to.type, to.detail, to.offset = entry_flags, entry_type, length, offset
            to.name = None if name is None else name.encode("utf-8", "replace")
            semantics = abi.semantics_of(numbers)
            if semantics is not None:
                to.semantics = ctypes.pointer(semantics)
        mask = _FIELD_TYPE | _FIELD_ENTRIES | _FIELD_SIZE | (_FIELD_FLAGS if flags else 0)
        given = abi.SchemaAttributes(mask=mask, type=kind, flags=flags, entries=array,
                                     n_entries=len(entries), static_size=size)
        number = ctypes.c_uint64()
        self._interface.check(
            self._interface.schema_register(self._domain, ctypes.byref(given), ctypes.byref(number)),
            "SchemaRegister")
        return number.value


# ---- Which dtypes events and counters may have ----

_WANTED = {
    EventKind.MARK: (EntryKind.MARK,),
    EventKind.RANGE_PUSH: (EntryKind.RANGE_BEGIN,),
    EventKind.RANGE_START: (EntryKind.RANGE_BEGIN,),
    EventKind.RANGE_POP: (EntryKind.RANGE_END,),
    EventKind.RANGE_END: (EntryKind.RANGE_END,),
    EventKind.RANGE_PUSHPOP: (EntryKind.RANGE_BEGIN, EntryKind.RANGE_END),
    EventKind.RANGE_STARTEND: (EntryKind.RANGE_BEGIN, EntryKind.RANGE_END),
}
_ROLES = (EntryKind.RANGE_BEGIN, EntryKind.RANGE_END, EntryKind.MARK, EntryKind.COUNTER_TIMESTAMP)


def _check_native(dtype, what):
    if dtype.subdtype is not None:
        _check_native(dtype.subdtype[0], what)
    elif dtype.names is not None:
        for name in dtype.names:
            _check_native(dtype.fields[name][0], what)
    elif not dtype.isnative:
        raise TypeError(f"{what} must have the byte order of this machine, not {dtype}")


def _roles_of(dtype):
    """The fields that have a role, by role; those that are the id of a range."""
    roles = {role: [] for role in _ROLES}
    ids = []
    for name in dtype.names:
        field = dtype.fields[name][0]
        if field.hasobject:
            raise TypeError(f"field {name!r} of an event holds objects of Python")
        metadata = metadata_of(field)
        role = metadata.entry_kind if metadata is not None else None
        stands_for = metadata.entry_type if metadata is not None else None
        if stands_for is PayloadEntryType.RANGE_ID:
            ids.append(name)
        if role not in roles:
            continue
        if stands_for is not None:
            raise ValueError(f"field {name!r} cannot be EntryKind.{role.name} and "
                             f"PayloadEntryType.{stands_for.name}")
        roles[role].append(name)
    return roles, ids


def check_event_dtype(dtype, kind):
    """Raises TypeError or ValueError where events of an EventKind cannot have a dtype."""
    if dtype.names is None:
        raise TypeError(f"the dtype of an event must have fields, {dtype} has none")
    _check_native(dtype, "an event")
    roles, ids = _roles_of(dtype)
    for role, fields in roles.items():
        if role not in _WANTED[kind] and fields:
            raise ValueError(f"field {fields[0]!r} cannot be EntryKind.{role.name} in an event of {kind}")
        if role in _WANTED[kind] and len(fields) != 1:
            raise ValueError(f"an event of {kind} needs one field of EntryKind.{role.name}, not {len(fields)}")
    has_id = kind in (EventKind.RANGE_START, EventKind.RANGE_END)
    if has_id and len(ids) != 1:
        raise ValueError(f"an event of {kind} needs one field of PayloadEntryType.RANGE_ID, not {len(ids)}")
    if not has_id and ids:
        raise ValueError(f"field {ids[0]!r} cannot be PayloadEntryType.RANGE_ID in an event of {kind}")


def check_counter_dtype(dtype):
    """The name of the field that has a sample's time, or None. Raises TypeError or ValueError where
    counters cannot have a dtype."""
    if dtype is int or dtype is float:
        return None
    if dtype.subdtype is not None:
        raise TypeError("a counter's dtype cannot be an array")
    _check_native(dtype, "a counter")
    times = []
    for name in dtype.names or ():
        metadata = metadata_of(dtype.fields[name][0])
        if metadata is None or metadata.entry_kind is None:
            continue
        if metadata.entry_kind is not EntryKind.COUNTER_TIMESTAMP:
            raise ValueError(f"field {name!r} of a counter cannot be EntryKind.{metadata.entry_kind.name}")
        times.append(name)
    if len(times) > 1:
        raise ValueError(f"a counter has one field of EntryKind.COUNTER_TIMESTAMP at most, not {len(times)}")
    return times[0] if times else None
