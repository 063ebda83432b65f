# SPDX-License-Identifier: Apache-2.0
"""usage: python_calls.py MODULE ROUNDS [NOOP.so]: nanoseconds per turn of a loop around what a program
does with MODULE; a line each, NAME and the times of all rounds. NOOP.so: what a profile function that
does nothing costs is measured too."""

import ctypes
import importlib
import importlib.util
import sys
import time

nvtx = importlib.import_module(sys.argv[1])
rounds = int(sys.argv[2])
TURNS = 100_000


def bare():
    pass


decorated = nvtx.annotate("x")(bare)
reused = nvtx.annotate("x")
annotate, push, pop = nvtx.annotate, nvtx.push_range, nvtx.pop_range
domain = nvtx.get_domain("bench")
attributes = domain.get_event_attributes("x")


def call(turns):
    f = bare
    for _ in turns:
        f()


def decorator(turns):
    f = decorated
    for _ in turns:
        f()


def constructed(turns):
    new = annotate
    for _ in turns:
        with new("x"):
            pass


def entered(turns):
    one = reused
    for _ in turns:
        with one:
            pass


def push_pop(turns):
    begin, end = push, pop
    for _ in turns:
        begin("x")
        end()


def push_pop_all(turns):
    begin, end = push, pop
    for _ in turns:
        begin("x", "red", "bench", "c", 1)
        end("bench")


def push_pop_prepared(turns):
    begin, end, what = domain.push_range, domain.pop_range, attributes
    for _ in turns:
        begin(what)
        end()


def mark(turns):
    one = nvtx.mark
    for _ in turns:
        one("x")


def start_end(turns):
    begin, end = nvtx.start_range, nvtx.end_range
    for _ in turns:
        end(begin("x"))


def list_payload(turns):
    begin, end, four = domain.push_range, domain.pop_range, [1, 2, 3, 4]
    for _ in turns:
        begin(message="x", payload=four)
        end()


def list_annotate(turns):
    new, four = annotate, [1, 2, 3, 4]
    for _ in turns:
        with new("x", payload=four):
            pass


def method(turns):
    """The call of a method in C that does next to nothing: what CPython takes for a sample's too."""
    one = 7
    for _ in turns:
        one.conjugate()


def sample_int(turns):
    counter = counters[0]
    for _ in turns:
        counter.sample(7)


def sample_float(turns):
    counter = counters[1]
    for _ in turns:
        counter.sample(0.5)


def measure(function):
    turns = range(TURNS)
    begin = time.perf_counter_ns()
    function(turns)
    return (time.perf_counter_ns() - begin) / TURNS


def show(name, times):
    print(name, *(f"{one:.1f}" for one in times), flush=True)


class Noop:
    """A profile function in C that does nothing."""

    def __init__(self, path):
        self.function = ctypes.CDLL(path).rf_noop
        self.set = ctypes.pythonapi.PyEval_SetProfile
        self.set.argtypes = [ctypes.c_void_p, ctypes.py_object]

    def __enter__(self):
        self.set(ctypes.cast(self.function, ctypes.c_void_p), None)

    def __exit__(self, *what):
        self.set(None, None)


def automatic(turns_of):
    profile = nvtx.Profile(linenos=True, annotate_cfuncs=False)
    profile.enable()
    try:
        return measure(turns_of)
    finally:
        profile.disable()


def under_noop(noop):
    with noop:
        return measure(call)


rows = [call, decorator, constructed, entered, push_pop, push_pop_all, push_pop_prepared, mark,
        start_end]
try:
    push_pop_prepared(range(1))
except (AttributeError, TypeError):  # an older nvtx, with another calling convention
    rows.remove(push_pop_prepared)
if hasattr(domain, "get_counter"):
    counters = domain.get_counter("int", int), domain.get_counter("float", float)
    rows += [method, sample_int, sample_float]
if nvtx.__name__ != "nvtx" or importlib.util.find_spec("numpy"):  # it takes lists with numpy only
    rows += [list_payload, list_annotate]
times = {row.__name__: [] for row in rows}
if len(sys.argv) > 3:
    noop = Noop(sys.argv[3])
    times["noop_profile"] = []
times["automatic"] = []
for _ in range(rounds):
    for row in rows:
        times[row.__name__].append(measure(row))
    times["automatic"].append(automatic(call))
    if "noop_profile" in times:
        times["noop_profile"].append(under_noop(noop))
for name, all_rounds in times.items():
    show(name, all_rounds)
