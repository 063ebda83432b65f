# SPDX-License-Identifier: Apache-2.0
"""Recordings of data that has its own times: a simulation, a log, what another profiler measured.

The interface is that of nvtx.writer in the package nvtx. Here the backend may be left out, and is
Rangefinder's, which writes recordings; docs/nvtxw.md says what becomes what.

    from rangefinder.nvtx import writer

    with writer.Session("simulation", config="output=simulation.rf") as session:
        domain = session.get_domain("solver")
        with session.create_stream("core 0", domain=domain) as stream:
            stream.write_pushpop(1_000, 9_000, message="step 1")

Times are ints of 64 bits, nanoseconds unless the stream has a time domain of another unit. Threads
may write to different streams at once, and to one; register and open before, close after they do.
"""

import ctypes
import enum
import itertools
import os
import struct
import threading

from rangefinder.nvtx import _counters, _schemas
from rangefinder.nvtx import _writer_abi as abi
from rangefinder.nvtx._nvtx import _write_event
from rangefinder.nvtx._metadata import find_numpy, numpy_dtype
from rangefinder.nvtx._values import (
    BatchOrdering,
    CounterNoValueReason,
    EventKind,
    PredefinedScope,
    TimestampType,
)
from rangefinder.nvtx._writer_abi import WriterError
from rangefinder.nvtx._writer_handles import (
    Counter,
    RegisteredString,
    Schema,
    Scope,
    address_of,
    member_of,
    one_row,
    range_id_of,
    rows_of,
    time_of,
    to_bytes,
    to_str,
)
from rangefinder.nvtx._writer_schemas import Registrar, check_counter_dtype, check_event_dtype
from rangefinder.nvtx.colors import color_to_hex

__all__ = ["Backend", "Counter", "Domain", "PredefinedScope", "RegisteredString", "Schema", "Scope",
           "Session", "Stream", "StreamInterleaving", "StreamOrdering", "StreamSkid", "WriterError",
           "load_backend"]

_STATIC_IDS, _DYNAMIC_IDS = 1 << 24, 1 << 32
_INT64, _FLOAT64 = 17, 44
_WHOLE = (EventKind.MARK, EventKind.RANGE_PUSHPOP, EventKind.RANGE_STARTEND)


class StreamInterleaving(enum.Enum):
    """Whether a stream's order holds for all of it, or for each scope."""

    NONE = 0
    SCOPE = 1


class StreamOrdering(enum.Enum):
    """The order of a stream's events: none, that of their times, of the starts or of the ends."""

    UNKNOWN = 0
    STRICT = 1
    PACKED_RANGE_START = 2
    PACKED_RANGE_END = 3


class StreamSkid(enum.Enum):
    """What skid_amount counts, by which events may be out of order: nanoseconds or events."""

    NONE = 0
    TIME_NS = 1
    EVENT_COUNT = 2


# ---- Backends ----


class Backend:
    """A library that takes what is written, from load_backend()."""

    def __init__(self, module):
        if not isinstance(module, abi.Module):
            raise ValueError("a Backend comes from load_backend()")
        self._module = module
        self._interface = module.interface
        self._lock = threading.RLock()
        self._sessions = set()

    def _open(self):
        """The functions. Raises RuntimeError where it is closed."""
        if self._module is None:
            raise RuntimeError("the backend is closed")
        return self._interface

    def close(self):
        """Ends its sessions and lets the library free what it has, which stays loaded. Optional;
        harmless where it is closed. A forked process leaves the sessions to its parent.

        Raises WriterError where a session could not be ended: then it is not closed.
        """
        with self._lock:
            module, error = self._module, None
            if module is None:
                return
            for session in list(self._sessions):
                if session._leave_to_parent():
                    continue
                try:
                    session.end()
                except Exception as failed:
                    error = error or failed
            if error is not None:
                raise error
            self._module = None
        abi.release(module)


def load_backend(path=None):
    """Loads a backend: Backend.

    path: the library, a str or Path; None: Rangefinder's.

    Raises OSError where it cannot be loaded, WriterError where it is no backend of version 2 of
    NVTXW.
    """
    if path is None:
        from rangefinder._nvtxw import nvtxw_backend

        path = nvtxw_backend()
    module = abi.acquire(path)
    try:
        return Backend(module)
    except Exception:
        abi.release(module)
        raise


_default_lock = threading.Lock()
_default = None


def _default_backend():
    global _default
    with _default_lock:
        if _default is None or _default._module is None:
            _default = load_backend()
        return _default


# ---- Sessions ----


class Session:
    """What one recording is made of. `with` begins and ends it.

    name: of the session, a str or bytes.
    backend: a Backend; None: Rangefinder's.
    config: KEY=VALUE, one a line: a str or bytes; keys that a backend does not know are ignored.
    """

    def __init__(self, name, *, backend=None, config=None):
        if backend is None:
            backend = _default_backend()
        if not isinstance(backend, Backend):
            raise TypeError(f"backend must be a Backend, not {type(backend).__name__}")
        self._backend = backend
        self._name = to_bytes(name)
        self._config = to_bytes(config)
        self._handle = self._pid = None
        self._lock = threading.RLock()  # taken behind that of the backend
        self._streams = set()
        self._domains = {}

    def begin(self):
        """Begins the session.

        Raises RuntimeError where it has begun or the backend is closed, WriterError where the backend
        could not.
        """
        with self._backend._lock, self._lock:
            if self._handle is not None:
                raise RuntimeError("the session has begun already")
            interface = self._backend._open()
            given = abi.sized(abi.SessionAttributes, name=self._name, config=self._config)
            handle = ctypes.c_void_p()
            interface.check(interface.session_begin(ctypes.byref(given), ctypes.byref(handle)), "SessionBegin")
            self._handle, self._pid = handle.value, os.getpid()
            self._backend._sessions.add(self)

    def end(self):
        """Closes its streams and ends the session, whose domains and all that they have registered
        end too.

        Raises RuntimeError where it has not begun, WriterError where something could not be written;
        the session has ended nevertheless.
        """
        with self._backend._lock, self._lock:
            if self._handle is None:
                raise RuntimeError("the session has not begun")
            interface, error = self._backend._open(), None
            for stream in list(self._streams):
                try:
                    stream.close()
                except Exception as failed:
                    error = error or failed
            handle, self._handle = self._handle, None
            for domain in self._domains.values():
                domain._is_valid = False
            self._domains.clear()
            self._backend._sessions.discard(self)
            try:
                interface.check(interface.session_end(handle), "SessionEnd")
            except WriterError as failed:
                raise failed from error
            if error is not None:
                raise error

    def get_domain(self, name=None):
        """A domain of the session, a Domain: the same for the same name.

        name: a str or bytes; None or "": the default domain.

        Raises RuntimeError, TypeError, WriterError.
        """
        with self._lock:
            self._check()
            key = to_str(name) or None
            if key not in self._domains:
                self._domains[key] = Domain(self, key)
            return self._domains[key]

    def create_stream(self, name, *, domain=None, scope=None, time_domain_id=0,
                      interleaving=StreamInterleaving.NONE, ordering=StreamOrdering.UNKNOWN,
                      skid=StreamSkid.NONE, skid_amount=0):
        """A stream, a Stream that is not open yet: `with` opens and closes it.

        name: a str or bytes.
        domain: a Domain, or the name of one; None: the default domain.
        scope: of events that say none: a Scope of the domain, PredefinedScope.NONE or ROOT, or an int
            from 2**24 to 2**32 - 1.
        time_domain_id: a TimestampType or an int: the clock of times; 0: nanoseconds of none.
        interleaving, ordering, skid, skid_amount: the order that the events will have.

        Raises RuntimeError, TypeError, ValueError.
        """
        values = (member_of("interleaving", interleaving, StreamInterleaving),
                  member_of("ordering", ordering, StreamOrdering), member_of("skid", skid, StreamSkid),
                  skid_amount)
        if not isinstance(time_domain_id, (TimestampType, int)):
            raise TypeError("time_domain_id must be a TimestampType or an int, not "
                            f"{type(time_domain_id).__name__}")
        with self._lock:
            self._check()
            if not isinstance(domain, Domain):
                domain = self.get_domain(domain)
            elif domain._session is not self:
                raise ValueError("the domain is one of another session")
            domain._check()
            clock = time_domain_id.value if isinstance(time_domain_id, TimestampType) else time_domain_id
            return Stream(domain, to_bytes(name), domain._stream_scope(scope), clock, values)

    def _check(self):
        if self._handle is None:
            raise RuntimeError("the session has not begun, or has ended")

    def _leave_to_parent(self):
        """Whether this process was forked from that of the session, where it goes on: here it is over."""
        if self._handle is None or self._pid == os.getpid():
            return False
        for stream in self._streams:
            stream._handle = None
        for domain in self._domains.values():
            domain._is_valid = False
        self._streams.clear()
        self._domains.clear()
        self._backend._sessions.discard(self)
        self._handle = None
        return True

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        with self._backend._lock, self._lock:
            # close() of the backend may have ended it
            if self._handle is not None and not self._leave_to_parent():
                self.end()


# ---- Domains ----


class Domain:
    """A domain of a session, from Session.get_domain(). What it registers is the same object for the
    same arguments, and ends with the session. Its functions raise RuntimeError where that has ended,
    WriterError where the backend refuses."""

    def __init__(self, session, name):
        self._session = session
        self._interface = interface = session._backend._open()
        self._is_valid = True
        given = abi.sized(abi.DomainAttributes, name=to_bytes(name))
        handle = ctypes.c_void_p()
        interface.check(
            interface.domain_register(session._handle, ctypes.byref(given), ctypes.byref(handle)),
            "DomainRegister")
        self._handle = handle.value
        self._registrar = Registrar(interface, self._handle)
        self._strings, self._scopes, self._schemas, self._counters = {}, {}, {}, {}
        self._categories = {}
        self._category_ids = itertools.count(1)
        self._given_categories = set()  # numbers that events had

    def get_registered_string(self, string):
        """Registers a text: RegisteredString.

        string: a str or bytes. Raises TypeError too.
        """
        if not isinstance(string, (str, bytes)):
            raise TypeError(f"string must be a str or bytes, not {type(string).__name__}")
        text = to_str(string)
        with self._session._lock:
            self._check()
            if text not in self._strings:
                handle = ctypes.c_void_p()
                self._interface.check(
                    self._interface.string_register(self._handle, to_bytes(text), ctypes.byref(handle)),
                    "StringRegister")
                self._strings[text] = RegisteredString(self, text, handle.value or 0)
            return self._strings[text]

    def get_category_id(self, name):
        """Names a category: its number, an int, the first one from 1 on that no event had.

        name: a str or bytes. Raises TypeError too.
        """
        if not isinstance(name, (str, bytes)):
            raise TypeError(f"a category's name must be a str or bytes, not {type(name).__name__}")
        text = to_str(name)
        found = self._categories.get(text)
        if found is not None and self._is_valid:
            return found
        with self._session._lock:
            self._check()
            if text not in self._categories:
                number = next(i for i in self._category_ids if i not in self._given_categories)
                self._interface.check(
                    self._interface.category_register(self._handle, number, to_bytes(text)),
                    "CategoryRegister")
                self._categories[text] = number
            return self._categories[text]

    def get_scope(self, path, *, parent=None):
        """Registers a scope: Scope.

        path: below the parent, such as "disk[0]", a str or bytes.
        parent: a Scope of this domain, PredefinedScope.NONE, ROOT, CURRENT_HW_MACHINE or CURRENT_VM;
            None: ROOT.

        Raises TypeError and ValueError too.
        """
        if isinstance(parent, Scope):
            parent_id = self._own_scope(parent)
        else:
            above = PredefinedScope.ROOT if parent is None else parent
            parent_id = member_of("parent", above, PredefinedScope)
            if parent_id not in (0, 1, 2, 17):
                raise ValueError(f"parent cannot be {above}")
        with self._session._lock:
            self._check()
            key = to_str(path), parent_id
            if key not in self._scopes:
                given = abi.sized(abi.ScopeAttributes, path=to_bytes(path), parent=parent_id)
                number = self._register(self._interface.scope_register, given, "ScopeRegister")
                self._scopes[key] = Scope(number, key[0], self)
            return self._scopes[key]

    def get_schema(self, dtype, *, kind=None):
        """Registers the layout of events or payloads: Schema.

        dtype: what numpy.dtype() takes. The fields of an event have what they are from numpy_dtype().
        kind: an EventKind, for write_event() and write_event_batch(); None: of payloads.

        Raises TypeError and ValueError where the kind cannot have the dtype, RuntimeError without
        NumPy too.
        """
        if kind is not None and not isinstance(kind, EventKind):
            raise TypeError(f"kind must be an EventKind or None, not {type(kind).__name__}")
        with self._session._lock:
            self._check()
            dtype = numpy_dtype(dtype)
            key = _schemas.key_of(dtype), kind
            if key not in self._schemas:
                if kind is not None:
                    check_event_dtype(dtype, kind)
                number = (_schemas.payload_schema_of(self._registrar, dtype) if kind is None else
                          _schemas.event_schema_of(self._registrar, dtype, kind))
                self._schemas[key] = Schema(self, number, dtype, kind)
            return self._schemas[key]

    def get_counter(self, name, dtype, *, description=None, scope=None, semantics=None):
        """Registers a counter, or a group of them: Counter.

        name: a str or bytes.
        dtype: int (64 bits), float (64 bits), or what numpy.dtype() takes; with fields, a group.
        description: a str or bytes, or None.
        scope: a Scope of this domain, a PredefinedScope, an int from 2**24 to 2**32 - 1, or None.
        semantics: a CounterSemantics, or None.

        Raises TypeError and ValueError, RuntimeError where NumPy is needed and not there too.
        """
        dtype, _ = _counters._read_dtype(dtype)
        with self._session._lock:
            self._check()
            scope_id = self._scope_id(scope)
            what = dtype if dtype is int or dtype is float else _schemas.key_of(dtype)
            key = to_str(name), what, to_str(description), scope_id, semantics
            if key not in self._counters:
                self._counters[key] = self._add_counter(dtype, key)
            return self._counters[key]

    def _add_counter(self, dtype, key):
        name, _, description, scope_id, semantics = key
        time_field = check_counter_dtype(dtype)
        schema = {int: _INT64, float: _FLOAT64}.get(dtype)
        if schema is None and dtype.names is None and dtype.itemsize == 8:
            schema = {"i": _INT64, "f": _FLOAT64}.get(dtype.kind)
        if schema is None:
            schema = _schemas.group_schema_of(self._registrar, dtype)
        given = abi.sized(abi.CounterAttributes, schema=schema, name=to_bytes(name),
                          description=to_bytes(description), scope=scope_id)
        meaning = abi.semantics_of(None if semantics is None else semantics._numbers())
        if meaning is not None:
            given.semantics = ctypes.pointer(meaning)
        number = self._register(self._interface.counter_register, given, "CounterRegister")
        return Counter(self, number, schema, time_field, (name, dtype, description, semantics))

    def _register(self, function, given, operation):
        number = ctypes.c_uint64()
        self._interface.check(function(self._handle, ctypes.byref(given), ctypes.byref(number)), operation)
        return number.value

    def _check(self):
        if not self._is_valid:
            raise RuntimeError("the session of the domain has ended")

    def _own_scope(self, scope):
        if scope._domain is not self:
            raise ValueError("the scope is one of another domain")
        return scope._scope_id

    def _scope_id(self, scope):
        if scope is None or isinstance(scope, PredefinedScope):
            return 0 if scope is None else scope.value
        if isinstance(scope, Scope):
            return self._own_scope(scope)
        if not isinstance(scope, int) or isinstance(scope, bool):
            raise TypeError("scope must be a Scope, a PredefinedScope, an int or None, not "
                            f"{type(scope).__name__}")
        if not _STATIC_IDS <= scope < _DYNAMIC_IDS:
            raise ValueError(f"scope as an int must be from 2**24 to 2**32 - 1, not {scope}")
        return scope

    def _stream_scope(self, scope):
        if isinstance(scope, PredefinedScope) and scope not in (PredefinedScope.NONE, PredefinedScope.ROOT):
            raise ValueError(f"a stream cannot have the scope {scope}: NONE, ROOT, or one that is registered")
        return self._scope_id(scope)

    def _category(self, category):
        if category is None:
            return 0
        if isinstance(category, (str, bytes)):
            return self.get_category_id(category)
        if not isinstance(category, int):
            raise TypeError("category must be a str, bytes, an int or None, not "
                            f"{type(category).__name__}")
        if not 0 <= category < 1 << 32:
            raise ValueError(f"category must be from 0 to 2**32 - 1, not {category}")
        if category not in self._given_categories:
            with self._session._lock:
                self._check()
                self._given_categories.add(category)
        return category

    def _note_categories(self, numbers):
        if not numbers <= self._given_categories:
            with self._session._lock:
                self._given_categories |= numbers


# ---- Streams ----

_MARK = struct.Struct("=qII"), struct.Struct("=qIIQ")
_RANGE = struct.Struct("=qqII"), struct.Struct("=qqIIQ")
_START = struct.Struct("=QqII"), struct.Struct("=QqIIQ")
_POP = struct.Struct("=q")
_END = struct.Struct("=Qq")


class Stream:
    """What events and samples are written to, from Session.create_stream(). In a recording it is a
    thread.

    All functions that write raise RuntimeError where the stream is not open, WriterError where the
    backend refuses or cannot write. Of events:

    message: a str, bytes in UTF-8, a RegisteredString of the domain, or None.
    color: a name, an int 0xAARRGGBB, three ints or floats, or None.
    category: a name, which the domain registers, an int from 0 to 2**32 - 1, or None.
    TypeError, ValueError and OverflowError: these, or times, are none.
    """

    def __init__(self, domain, name, scope, clock, values):
        self._domain = domain
        self._session = domain._session
        self._interface = domain._interface
        self._name = name
        self._scope = scope
        self._clock = clock
        self._values = values
        self._handle = None

    def open(self):
        """Opens the stream. Raises RuntimeError where it is open or the session has ended, WriterError."""
        with self._session._lock:
            if self._handle is not None:
                raise RuntimeError("the stream is open already")
            self._session._check()
            self._domain._check()
            interleaving, ordering, skid, amount = self._values
            given = abi.sized(abi.StreamAttributes, name=self._name, domain=self._domain._handle,
                              scope=self._scope, time_domain=self._clock, interleaving=interleaving,
                              ordering=ordering, skid=skid, skid_amount=amount)
            handle = ctypes.c_void_p()
            self._interface.check(
                self._interface.stream_open(self._session._handle, ctypes.byref(given), ctypes.byref(handle)),
                "StreamOpen")
            self._handle = handle.value
            self._session._streams.add(self)

    def close(self):
        """Closes the stream. Raises RuntimeError where it is not open, WriterError."""
        with self._session._lock:
            self._check()
            handle, self._handle = self._handle, None
            self._session._streams.discard(self)
            self._interface.check(self._interface.stream_close(handle), "StreamClose")

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        with self._session._lock:
            if self._handle is not None and not self._session._leave_to_parent():
                self.close()

    def write_mark(self, timestamp, *, message=None, color=None, category=None):
        """A mark at a time."""
        self._write(EventKind.MARK, _MARK, (time_of(timestamp),), message, color, category)

    def write_pushpop(self, start, end, *, message=None, color=None, category=None):
        """A push/pop range from one time to another."""
        self._write(EventKind.RANGE_PUSHPOP, _RANGE, (time_of(start), time_of(end)), message, color, category)

    def write_startend(self, start, end, *, message=None, color=None, category=None):
        """A start/end range from one time to another."""
        self._write(EventKind.RANGE_STARTEND, _RANGE, (time_of(start), time_of(end)), message, color, category)

    def write_push(self, timestamp, *, message=None, color=None, category=None):
        """The begin of a push/pop range, which the next write_pop() that is left for it ends."""
        self._write(EventKind.RANGE_PUSH, _MARK, (time_of(timestamp),), message, color, category)

    def write_pop(self, timestamp):
        """The end of the push/pop range that began last."""
        self._write_end(EventKind.RANGE_POP, _POP.pack(time_of(timestamp)))

    def write_start(self, timestamp, range_id, *, message=None, color=None, category=None):
        """The begin of a start/end range. range_id: an int from 1 to 2**64 - 1, for write_end()."""
        self._write(EventKind.RANGE_START, _START, (range_id_of(range_id), time_of(timestamp)), message, color,
                    category)

    def write_end(self, timestamp, range_id):
        """The end of the start/end range of a range_id."""
        self._write_end(EventKind.RANGE_END, _END.pack(range_id_of(range_id), time_of(timestamp)))

    def write_event(self, schema, row):
        """An event of a Schema with a kind.

        row: what NumPy makes one value of the schema's dtype of. Raises TypeError and ValueError too.
        """
        self._own_schema(schema)
        if schema._kind is None:
            raise ValueError("the schema is one of payloads: get_schema() needs a kind")
        self._check()
        data = one_row(row, schema._dtype)
        if schema._categories:
            self._domain._note_categories(schema._categories_in(find_numpy().frombuffer(data, schema._dtype)))
        self._write_bytes(schema._schema_id, data)

    def write_event_batch(self, schema, rows, *, ordering=BatchOrdering.SORTED):
        """Events of a Schema whose kind is MARK, RANGE_PUSHPOP or RANGE_STARTEND.

        rows: a numpy.ndarray, a pandas.DataFrame with columns of the dtype's names, or an iterable.
        ordering: a BatchOrdering, of their times. Raises TypeError and ValueError too.
        """
        flags = member_of("ordering", ordering, BatchOrdering)
        self._own_schema(schema)
        if schema._kind not in _WHOLE:
            raise ValueError(f"a batch cannot have events of {schema._kind}: of MARK, RANGE_PUSHPOP and "
                             "RANGE_STARTEND alone")
        self._check()
        events = rows_of(rows, schema._dtype)
        if schema._categories:
            self._domain._note_categories(schema._categories_in(events))
        batch = abi.EventBatch(schema=schema._schema_id, size=events.nbytes, events=address_of(events),
                               scope=self._scope, flags=flags)
        self._interface.check(self._interface.event_batch_write(self._handle, ctypes.byref(batch)),
                              "EventBatchWrite")

    def write_counter_sample(self, counter, timestamp, value):
        """A sample of a Counter of the domain at a time.

        value: as the counter's dtype says; of a group, a row. Raises TypeError and ValueError too.
        """
        self._own_counter(counter)
        self._check()
        if counter._time_field is not None:
            raise ValueError("the counter has times in its samples: write_counter_batch() takes these")
        if counter._schema_id == _INT64:
            data = struct.pack("=q", time_of(value))
        elif counter._schema_id == _FLOAT64:
            data = struct.pack("=d", float(value))
        else:
            data = one_row(value, counter._dtype)
        self._interface.check(
            self._interface.counter_write(self._handle, time_of(timestamp), counter._counter_id, data, len(data)),
            "CounterWrite")

    def write_counter_sample_no_value(self, counter, timestamp, reason):
        """That a Counter of the domain has no value at a time. reason: a CounterNoValueReason.

        Raises TypeError and ValueError too.
        """
        self._own_counter(counter)
        number = member_of("reason", reason, CounterNoValueReason)
        self._check()
        self._interface.check(
            self._interface.counter_no_value_write(self._handle, time_of(timestamp), counter._counter_id, number),
            "CounterNoValueWrite")

    def write_counter_batch(self, counter, data, *, timestamps=None, ordering=BatchOrdering.SORTED):
        """Samples of a Counter of the domain.

        data: a numpy.ndarray, a pandas.DataFrame with columns of the group's names, or an iterable.
        timestamps: as many times, an iterable of ints; None where a field has them.
        ordering: a BatchOrdering, of the times. Raises TypeError and ValueError too.
        """
        flags = member_of("ordering", ordering, BatchOrdering)
        self._own_counter(counter)
        self._check()
        numpy = find_numpy()
        if counter._time_field is not None and timestamps is not None:
            raise ValueError("the samples have times of their own: timestamps must be None")
        if counter._time_field is None and timestamps is None:
            raise ValueError("timestamps are missing")
        samples = rows_of(data, numpy.dtype(counter._dtype))
        batch = abi.CounterBatch(counter=counter._counter_id, samples=address_of(samples), size=samples.nbytes,
                                 flags=flags)
        times = self._times(timestamps, samples.size)
        if times is not None:
            batch.times, batch.times_size = address_of(times), times.nbytes
        self._interface.check(self._interface.counter_batch_write(self._handle, ctypes.byref(batch)),
                              "CounterBatchWrite")

    @staticmethod
    def _times(timestamps, n):
        if timestamps is None:
            return None
        numpy = find_numpy()
        is_array = isinstance(timestamps, numpy.ndarray)
        times = (numpy.ascontiguousarray if is_array else numpy.fromiter)(timestamps, dtype=numpy.int64)
        if times.ndim != 1 or times.size != n:
            raise ValueError(f"there must be {n} timestamps, not an array of the shape {times.shape}")
        return times

    def _check(self):
        if self._handle is None:
            raise RuntimeError("the stream is not open")
        self._session._backend._open()

    def _own_schema(self, schema):
        if not isinstance(schema, Schema):
            raise TypeError(f"schema must be a Schema, not {type(schema).__name__}")
        if schema._domain is not self._domain:
            raise ValueError("the schema is one of another domain")

    def _own_counter(self, counter):
        if not isinstance(counter, Counter):
            raise TypeError(f"counter must be a Counter, not {type(counter).__name__}")
        if counter._domain is not self._domain:
            raise ValueError("the counter is one of another domain")

    def _schema_of(self, kind, is_registered):
        registrar = self._domain._registrar
        if not registrar.text:
            with self._session._lock:
                registrar.prepare_events()
        return registrar.events[kind, is_registered]

    def _write(self, kind, layouts, times, message, color, category):
        """layouts: without, and with a registered string."""
        self._check()
        color = 0 if color is None else color_to_hex(color)
        category = 0 if category is None else self._domain._category(category)
        if isinstance(message, RegisteredString):
            if message._domain is not self._domain:
                raise ValueError("the message is one of another domain")
            schema = self._schema_of(kind, True)
            self._write_bytes(schema, layouts[1].pack(*times, color, category, message._handle))
            return
        if message is not None and not isinstance(message, (str, bytes)):
            raise TypeError("message must be a str, bytes, a RegisteredString or None, not "
                            f"{type(message).__name__}")
        text = to_bytes(message) or b"\0"  # a payload of no bytes would be none
        self._write_bytes(self._schema_of(kind, False), layouts[0].pack(*times, color, category), text)

    def _write_end(self, kind, data):
        self._check()
        self._write_bytes(self._schema_of(kind, False), data)

    def _write_bytes(self, schema, data, text=None):
        result = _write_event(self._interface.event_write, self._handle, schema, data,
                              self._domain._registrar.text, text)
        if result != abi.SUCCESS:
            self._interface.check(result, "EventWrite")
