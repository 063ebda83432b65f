# SPDX-License-Identifier: Apache-2.0
# What the tests of the package nvtx import, which their source distribution lacks. A tool records them
# and can be asked for nothing before the program ends: here the tests only say what they expect, and
# test_nvtx_recorded.py compares the recording with it. NVTX_MODULE names the package that is tested,
# NVTX_EXPECTED the file that the expectations go to.

import os

import pytest

if os.environ["NVTX_MODULE"] != "nvtx":
    import rangefinder

    rangefinder.install("nvtx")

import numpy

import nvtx

from . import nvtx_expected

LISTS = nvtx_expected.Lists(nvtx)


@pytest.fixture
def nvtx_events(request):
    """What the test expects: a list that is not empty, by which it knows that there is a tool."""
    yield LISTS.begin(request.node.nodeid)
    LISTS.end()


def pytest_sessionfinish():
    LISTS.write(os.environ["NVTX_EXPECTED"])


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


def verify_mark(events, domain, message, color=None, category=None, payload=None):
    events.append(nvtx_expected.event("mark", domain, message, color, category, payload))


def verify_push(events, domain, message, color=None, category=None, payload=None):
    events.append(nvtx_expected.event("push_pop", domain, message, color, category, payload))


def verify_start(events, domain, message, color=None, category=None, payload=None):
    events.append(nvtx_expected.event("start_end", domain, message, color, category, payload))


def verify_pop(events, domain):
    events.append(nvtx_expected.end("push_pop", domain))


def verify_end(events, domain, range_id):
    number = range_id[0] if isinstance(range_id, tuple) else range_id
    events.append(nvtx_expected.end("start_end", domain, range_id=number))


def verify_registration_events(events, domain, message=None, category=None, payload=None):
    """Other names are compared where they are used."""
    events.append(("domain", {"name": domain or nvtx_expected.DOMAIN}))


# ---- Counters ----


def verify_counter_register(events, domain, name, dtype, description=None, scope=None, semantics=None,
                            time_domain=nvtx.TimestampType.TOOL_PROVIDED):
    return nvtx_expected.counters(domain, name, dtype, description, scope, semantics)


def _rows(counters, data):
    """The values of samples' bytes, sample by sample."""
    types = [{"int64": "<i8", "double": "<f8"}[each["number"]] for each in counters.values()]
    return numpy.frombuffer(data, dtype=[(str(i), each) for i, each in enumerate(types)]).tolist()


def verify_counter_sample_int64(events, domain, counters, value):
    events += nvtx_expected.sample(counters, value)


verify_counter_sample_float64 = verify_counter_sample_int64


def verify_counter_sample(events, domain, counters, data):
    (row,) = _rows(counters, data)
    events += nvtx_expected.sample(counters, row)


def verify_counter_sample_no_value(events, domain, counters, reason):
    events += nvtx_expected.sample(counters, {0: 0, 1: nvtx_expected.UNCHANGED, 2: None}[reason])


def verify_timestamp_get(events, timestamp):
    assert timestamp > 0


def verify_counter_batch_submit(events, domain, counters, data, timestamps):
    rows = _rows(counters, data)
    assert len(rows) == len(timestamps) and timestamps == sorted(timestamps)
    for row in rows:
        events += nvtx_expected.sample(counters, row)
