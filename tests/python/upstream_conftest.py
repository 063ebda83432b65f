# SPDX-License-Identifier: Apache-2.0
# What the tests of the package nvtx import, which their source distribution lacks: here nvtx is
# rangefinder.nvtx, and the events are the lines that calls_tool.c writes.

import os
import struct

import pytest

import rangefinder

rangefinder.install("nvtx")

import nvtx

# what the tests import and compare with where no tool is attached, which is not the case here
nvtx.nvtx.dummy_domain = nvtx._lib.counters.dummy_counter = object()

CALLS = os.environ["NVTX_CALLS"]


class Events:
    """The lines of a test, each of which is expected once."""

    def __init__(self):
        self.file = open(CALLS, encoding="utf-8")
        self.all = self.file.read().splitlines()
        self.n_before = len(self.all)
        self.lines = []

    def take(self, *parts):
        """The next line, but for registrations; it has the parts in it."""
        new = self.file.read().splitlines()
        self.all += new
        self.lines += [line for line in new if line.split()[0] not in REGISTRATIONS]
        assert self.lines, f"no event is left; expected {parts}"
        line = self.lines.pop(0)
        assert all(part in f"{line} " for part in parts), (line, parts)
        return line

    def find(self, *parts):
        """A line of now or before, since names are registered once."""
        self.all += (new := self.file.read().splitlines())
        self.lines += [line for line in new if line.split()[0] not in REGISTRATIONS]
        found = [line for line in self.all if all(part in f"{line} " for part in parts)]
        assert found, parts
        return found[-1]


REGISTRATIONS = ("domain", "string", "category", "schema", "scope", "counter")


@pytest.fixture
def nvtx_events():
    events = Events()
    yield events
    events.file.close()


@pytest.fixture(params=[None, "message"])
def message(request):
    return request.param


@pytest.fixture(params=[None, "red", 0x123456])
def color(request):
    return request.param


@pytest.fixture(params=[None, "domain"])
def domain(request):
    return request.param


@pytest.fixture(params=[None, "category", 7])
def category(request):
    return request.param


@pytest.fixture(params=[None, 1, 2.5])
def payload(request):
    return request.param


def _of(domain):
    return f" of {domain or '-'} "


def _payload(payload):
    """The end of an event's line."""
    if payload is None:
        return " payload 0 "
    if isinstance(payload, int):
        return f" payload 2 8:{struct.pack('<q', payload).hex()} "
    if isinstance(payload, float):
        return f" payload 3 8:{struct.pack('<d', payload).hex()} "
    import numpy

    array = numpy.array(payload)
    if array.nbytes == 0:
        return " payload 0 "
    data = (struct.pack("<Q", array.size) if array.ndim else b"") + array.tobytes()
    return f" {len(data)}:{data.hex()} "


def _category(events, domain, category):
    if not isinstance(category, str):
        return f" category {category or 0} "
    return f" category {events.find(f'{category} of {domain or chr(45)} ').split()[1]} "


def _event(events, what, domain, message, category, payload):
    line = events.take(_of(domain), f" {message or '?'} ", _category(events, domain, category), _payload(payload))
    assert line.startswith(what), (line, what)


def verify_registration_events(events, domain, message=None, category=None, payload=None):
    if domain is not None:
        events.find(f"domain {domain} ")
    if message is not None:
        events.find(f"string {message} of {domain or '-'} ")
    if isinstance(category, str):
        events.find("category ", f" {category} of {domain or '-'} ")


def verify_mark(events, domain, message, color=None, category=None, payload=None):
    _event(events, "mark", domain, message, category, payload)


def verify_push(events, domain, message, color=None, category=None, payload=None):
    _event(events, "push", domain, message, category, payload)


def verify_start(events, domain, message, color=None, category=None, payload=None):
    _event(events, "start", domain, message, category, payload)


def verify_pop(events, domain):
    assert events.take(_of(domain)).startswith("pop")


def verify_end(events, domain, range_id):
    assert events.take(_of(domain)).startswith("end")


# ---- Counters ----


def verify_counter_register(events, domain, name, dtype, description=None, scope=None, semantics=None,
                            time_domain=nvtx.TimestampType.TOOL_PROVIDED):
    parts = [f"{_of(domain)}", f" name {name} description {description if description is not None else '-'} ",
             f" time(1 {time_domain.value})"]
    if semantics is not None:
        unit = semantics.unit.decode() if semantics.unit is not None else "-"
        parts.append(f" flags {semantics._numbers()[0]:x} unit {unit} scale "
                     f"{semantics.unit_scale_numerator}/{semantics.unit_scale_denominator} ")
    else:
        parts.append(f" time(1 {time_domain.value}) ")
    if scope is not None:
        scope_id = events.find("scope ", _of(domain), f" path {scope} ").split()[1]
        parts.append(f" scope {scope_id} ")
    return events.find("counter ", *parts).split()[1]


def verify_counter_sample_int64(events, domain, counter_id, value):
    events.take(f"int64 {counter_id}", f" of {domain or '-'}: {value} ")


def verify_counter_sample_float64(events, domain, counter_id, value):
    events.take(f"float64 {counter_id}", f" of {domain or '-'}: {value:.17g} ")


def verify_counter_sample(events, domain, counter_id, data):
    events.take(f"sample {counter_id}", f" {len(data)}:{data.hex()} ")


def verify_counter_sample_no_value(events, domain, counter_id, reason):
    events.take(f"no value {counter_id}", f": {reason} ")


def verify_timestamp_get(events, timestamp):
    events.take("timestamp")


def verify_counter_batch_submit(events, domain, counter_id, data, timestamps):
    times = struct.pack(f"<{len(timestamps)}q", *timestamps)
    events.take(f"batch {counter_id}", f" {len(data)}:{data.hex()} {len(times)}:{times.hex()} ")
