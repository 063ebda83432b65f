# SPDX-License-Identifier: Apache-2.0
# What the tests of the package nvtx import, which their source distribution lacks. A tool records them
# and can be asked for nothing before the program ends: here the tests only say what they expect, and
# test_nvtx_recorded.py compares the recording with it. NVTX_MODULE names the package that is tested,
# NVTX_EXPECTED the file that the expectations go to.

import os
import pickle

import pytest

if os.environ["NVTX_MODULE"] != "nvtx":
    import rangefinder

    rangefinder.install("nvtx")

import numpy

import nvtx

TESTS = "tests of nvtx"  # the domain of the marks that begin and end a test
DOMAIN = "NVTX"  # the name of nvtx's own domain, which is not NVTX's default one
UNCHANGED = "the value before"
COLORS = {None: 0x0000FF, "red": 0xFF0000}

expected = {}  # by the id of a test: a list of tuples


@pytest.fixture
def nvtx_events(request):
    """What the test that runs expects. It is true."""
    nvtx.mark(request.node.nodeid, domain=TESTS)
    of_test = Events()
    expected[request.node.nodeid] = of_test.items
    yield of_test
    nvtx.mark("end", domain=TESTS)


def pytest_sessionfinish():
    with open(os.environ["NVTX_EXPECTED"], "wb") as file:
        pickle.dump(expected, file)


class Events:
    def __init__(self):
        self.items = []


@pytest.fixture(params=[None, "message", "漢字"])
def message(request):
    return request.param


@pytest.fixture(params=[None, "red", 0x123456, 0xFF00FF00])
def color(request):
    return request.param


@pytest.fixture(params=[None, "domain"])
def domain(request):
    return request.param


@pytest.fixture(params=[None, "category", 7])
def category(request):
    return request.param


@pytest.fixture(params=[None, 1, -(2**63), 2.5, -0.0])
def payload(request):
    return request.param


def plain(value):
    """A payload's values, in Python's own types and flat, as NVTX has them."""
    array = numpy.asarray(value)
    if array.ndim:
        return [plain(array.reshape(-1)[i:i + 1].reshape(())) for i in range(array.size)]
    if array.dtype.names:
        return {name: plain(array[name]) for name in array.dtype.names}
    if array.dtype.kind == "S":  # with the zeros at its end, which NumPy does not show
        return array.tobytes().ljust(array.dtype.itemsize, b"\0")
    return array.item()


def _payload(payload):
    """The type and the value; None for what has none."""
    if payload is None:
        return None, None
    if isinstance(payload, (int, float)):
        return ("int64" if isinstance(payload, int) else "double"), payload
    array = numpy.array(payload)
    if array.nbytes == 0:
        return None, None
    if array.ndim == 0 and not array.dtype.names:  # a struct of one entry, which has the type's name
        return "extended", {array.dtype.name: plain(array)}
    return "extended", plain(array)


def _event(events, kind, domain, message, color, category, payload):
    payload_type, value = _payload(payload)
    event = {"kind": kind, "domain": domain or DOMAIN, "name": message, "color": COLORS.get(color, color),
             "is_registered": message is not None, "payload_type": payload_type, "payload": value}
    event["category_name"] = category if isinstance(category, str) else None
    if not isinstance(category, str):
        event["category"] = category
    events.items.append(("event", event))


def verify_mark(events, domain, message, color=None, category=None, payload=None):
    _event(events, "mark", domain, message, color, category, payload)


def verify_push(events, domain, message, color=None, category=None, payload=None):
    _event(events, "push_pop", domain, message, color, category, payload)


def verify_start(events, domain, message, color=None, category=None, payload=None):
    _event(events, "start_end", domain, message, color, category, payload)


def verify_pop(events, domain):
    events.items.append(("end", {"kind": "push_pop", "domain": domain or DOMAIN, "cut": None}))


def verify_end(events, domain, range_id):
    number = range_id[0] if isinstance(range_id, tuple) else range_id
    events.items.append(("end", {"kind": "start_end", "domain": domain or DOMAIN, "cut": None,
                                 "range_id": number}))


def verify_registration_events(events, domain, message=None, category=None, payload=None):
    """Names are compared where they are used."""
    events.items.append(("domain", {"name": domain or DOMAIN}))


# ---- Counters ----


def _semantics(of):
    """What nvtx says if it is told nothing: a value of its own, valid until the next."""
    if of is None:
        return {"unit": None, "value_type": "absolute", "interpolation": "until_next", "min": None, "max": None,
                "scale_numerator": None, "scale_denominator": None}
    scale = of.unit_scale_numerator, of.unit_scale_denominator
    return {"unit": of.unit.decode() if of.unit is not None else None,
            "value_type": of.value_type.name.lower(), "interpolation": of.interpolation.name.lower(),
            "min": of.min, "max": of.max,
            "scale_numerator": scale[0] if scale != (1, 1) else None,
            "scale_denominator": scale[1] if scale != (1, 1) else None}


def _of_field(dtype):
    """What numpy_dtype() was told of a field."""
    metadata = dict(dtype.metadata or {}).values()
    return next((each.counter_semantics for each in metadata), None)


def verify_counter_register(events, domain, name, dtype, description=None, scope=None, semantics=None,
                            time_domain=nvtx.TimestampType.TOOL_PROVIDED):
    """Returns what the samples of each entry of a group say of their counter."""
    dtype = numpy.dtype(dtype)
    entries = {f"{name}.{each}": dtype[each] for each in dtype.names} if dtype.names else {name: dtype}
    return [{"name": each, "domain": domain or DOMAIN, "description": description, "scope": scope or None,
             **_semantics(_of_field(of) or semantics), "number": {"i": "int64", "f": "double"}[of.kind]}
            for each, of in entries.items()]


def _samples(events, counters, values):
    events.items += [("sample", {**counter, "value": value}) for counter, value in zip(counters, values)]


def _rows(counters, data):
    """The values of samples' bytes, sample by sample."""
    dtype = [(each["name"], {"int64": "<i8", "double": "<f8"}[each["number"]]) for each in counters]
    return numpy.frombuffer(data, dtype=dtype).tolist()


def verify_counter_sample_int64(events, domain, counters, value):
    _samples(events, counters, [value])


verify_counter_sample_float64 = verify_counter_sample_int64


def verify_counter_sample(events, domain, counters, data):
    (row,) = _rows(counters, data)
    _samples(events, counters, row)


def verify_counter_sample_no_value(events, domain, counters, reason):
    _samples(events, counters, [{0: 0, 1: UNCHANGED, 2: None}[reason]])


def verify_timestamp_get(events, timestamp):
    assert timestamp > 0


def verify_counter_batch_submit(events, domain, counters, data, timestamps):
    rows = _rows(counters, data)
    assert len(rows) == len(timestamps) and timestamps == sorted(timestamps)
    for row in rows:
        _samples(events, counters, row)
