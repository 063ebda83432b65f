# SPDX-License-Identifier: Apache-2.0
# All that the package nvtx can send, and what a recording must have of it.
#
# usage: sent_cases.py MODULE EXPECTED

import array
import importlib
import sys
import time

import numpy as np

import nvtx_expected
from nvtx_expected import DOMAIN, UNCHANGED

nvtx = importlib.import_module(sys.argv[1])
lists = nvtx_expected.Lists(nvtx)


class Case:
    """The list of one case, and the calls that fill it."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.items = lists.begin(self.name)
        return self

    def __exit__(self, *error):
        lists.end()

    def event(self, kind, message=None, domain=None, category=None, payload=None, color=None):
        self.items.append(nvtx_expected.event(kind, domain, message, color, category, payload))
        if kind != "mark":
            self.items.append(nvtx_expected.end(kind, domain))

    def everywhere(self, payload):
        """Every function that takes a payload."""
        domain = nvtx.get_domain("d")
        nvtx.mark("a", "red", "d", "c", payload)
        self.event("mark", "a", "d", "c", payload, "red")
        nvtx.push_range("b", domain="d", payload=payload)
        nvtx.pop_range(domain="d")
        self.event("push_pop", "b", "d", payload=payload)
        nvtx.end_range(nvtx.start_range(payload=payload, category=7))
        self.event("start_end", category=7, payload=payload)
        attributes = domain.get_event_attributes(message="e", payload=payload)
        domain.push_range(attributes)
        domain.pop_range()
        self.event("push_pop", "e", "d", payload=payload)
        domain.end_range(domain.start_range(message="f", payload=payload, color=0x80123456))
        self.event("start_end", "f", "d", payload=payload, color=0x80123456)
        domain.set_event_attributes(attributes, payload=payload, message="g")
        domain.mark(attributes)
        self.event("mark", "g", "d", payload=payload)
        with nvtx.annotate("h", category="other", payload=payload):
            pass
        self.event("push_pop", "h", category="other", payload=payload)
        nvtx.annotate("i", payload=payload)(lambda: None)()
        self.event("push_pop", "i", payload=payload)

    def sample(self, counter, value):
        self.items += nvtx_expected.sample(counter, value)


# ---- Payloads ----


def numbers():
    for payload in (None, 0, 1, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 2.5, float("inf"), 1e-310):
        yield payload


def sequences():
    yield from ([1, 2, 3], (1, -2), [1.5, 2], range(5), range(9, -9, -4), [7] * 1000, [[1, 2], [3, 4]],
                ((1.5, 2), (3, 4)), [-(2**63), 2**63 - 1], [], (), range(0))
    yield from (["a", "é漢"], ["", "long text"], [b"", b"hello"], b"hello", b"", b"a\0b", [[b"a"], [b"b"]], [""],
                ("x",), bytes(range(256)))


def arrays():
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        info = np.iinfo(name)
        yield np.array([info.min, 0, info.max], dtype=name)
        yield np.array(info.max, dtype=name)
    for name in ("float16", "float32", "float64"):
        info = np.finfo(name)
        yield np.array([info.min, -0.0, info.tiny, info.max, float("inf")], dtype=name)
    cube = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    yield from (cube, cube[:, ::2, 1:], cube.T, np.array([], dtype=int), np.array(["ab", "c"]), np.array(b"xyz"),
                np.array("xyz"), [np.int32(4), np.int32(5)], [cube, cube], np.asfortranarray(cube))


def structures():
    inner = np.dtype([("x", int), ("y", "i2")])
    outer = np.dtype([("x", np.float64), ("arr", (np.uint32, 4)), ("sub", inner), ("subs", inner, (2, 2)),
                      ("s", "S3"), ("u", "U2")])
    one = np.zeros((), dtype=outer)
    one["x"], one["arr"], one["sub"]["x"], one["s"], one["u"] = 3.5, [1, 2, 3, 4], -1, b"ab", "é"
    one["subs"]["y"] = [[1, 2], [3, 4]]
    aligned = np.dtype([("a", "i1"), ("b", "f8"), ("c", "u2")], align=True)
    yield from (one, np.array([one, one]), [one, one], np.zeros((2, 2), dtype=inner),
                np.array([(1, 2.5, 3), (4, 5.5, 6)], dtype=aligned))
    unit = nvtx.numpy_dtype(np.int64, counter_semantics=nvtx.CounterSemantics(unit="bytes", min=0))
    yield np.array((1, 2), dtype=np.dtype([("c", unit), ("d", nvtx.numpy_dtype(np.uint32))]))


def mutable():
    """What has changed since annotate() was called."""
    for payload in ([1, 2, 3], np.array([1, 2, 3], dtype=np.int32)):
        annotation = nvtx.annotate("m", payload=payload)
        work = nvtx.annotate("n", domain="d", payload=payload)(lambda: None)
        with Case(f"mutable {type(payload).__name__}") as case:
            for i in range(3):
                payload[0] = 10 * i
                with annotation:
                    work()
                case.items.append(nvtx_expected.event("push_pop", None, "m", None, None, payload))
                case.items.append(nvtx_expected.event("push_pop", "d", "n", None, None, payload))
                case.items += [nvtx_expected.end("push_pop", None), nvtx_expected.end("push_pop", "d")]


def entries():
    """An array whose numbers are categories and colors of NVTX: they are the event's."""
    for kind, member in ((nvtx.PayloadEntryType.CATEGORY, "category"), (nvtx.PayloadEntryType.COLOR_ARGB, "color")):
        dtype = np.dtype([(member, nvtx.numpy_dtype(np.uint32, entry_type=kind)), ("n", "i8")])
        with Case(f"entry {member}") as case:
            nvtx.mark("entry", payload=np.array((9, -1), dtype=dtype))
            _, expected = nvtx_expected.event("mark", None, "entry", None, None, None)
            case.items.append(("event", {**expected, member: 9, "payload_type": "extended",
                                         "payload": {member: 9, "n": -1}}))


# ---- Counters ----

SEMANTICS = [
    None,
    nvtx.CounterSemantics(unit="objects", min=0),
    nvtx.CounterSemantics(max=1 << 63),
    nvtx.CounterSemantics(value_type=nvtx.CounterValueType.DELTA, interpolation=nvtx.CounterInterpolation.LINEAR,
                          min=-5, max=5),
    nvtx.CounterSemantics(value_type=nvtx.CounterValueType.DELTA_SINCE_START,
                          interpolation=nvtx.CounterInterpolation.SINCE_LAST),
    nvtx.CounterSemantics(interpolation=nvtx.CounterInterpolation.UNTIL_NEXT, min=-1.5, max=2.5),
    nvtx.CounterSemantics(unit=b"bytes", max=1024.0, unit_scale_denominator=1024, unit_scale_numerator=3),
]


def counter(case, domain, name, dtype, **options):
    """A counter, and what a recording has of each of its numbers."""
    made = nvtx.get_domain(domain).get_counter(name, dtype, **options)
    options.pop("time_domain", None)
    return made, nvtx_expected.counters(domain, name, dtype, **options)


def scalars():
    for domain in (None, "d"):
        for i, semantics in enumerate(SEMANTICS):
            with Case(f"counters {i} {domain}") as case:
                options = {"description": "text", "semantics": semantics}
                made, expected = counter(case, domain, f"i{i}", int, **options)
                for value in (0, -1, 2**63 - 1, -(2**63)):
                    made.sample(value)
                    case.sample(expected, value)
                made, expected = counter(case, domain, f"f{i}", float, scope="a/b", **options)
                for value in (0.0, 2.5, 3.0, float("inf"), -0.0):
                    made.sample(value)
                    case.sample(expected, value)


def no_values():
    with Case("no values") as case:
        made, expected = counter(case, "d", "none", int)
        reasons = nvtx.CounterNoValueReason
        for reason, value in ((reasons.UNCHANGED, None), (reasons.ZERO, 0), (reasons.UNAVAILABLE, None)):
            made.sample(5 if reason is reasons.UNAVAILABLE else 7)
            case.sample(expected, 5 if reason is reasons.UNAVAILABLE else 7)
            made.sample_no_value(reason)
            case.sample(expected, UNCHANGED if reason is reasons.UNCHANGED else value)


def dtypes():
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64", "float16", "float32"):
        with Case(f"dtype {name}") as case:
            made, expected = counter(case, "d", f"of {name}", name)
            info = np.finfo(name) if name.startswith("f") else np.iinfo(name)
            for value in (info.min, 0, info.max):
                made.sample(value)
                case.sample(expected, np.array(value, dtype=name).item())


def groups():
    field = nvtx.numpy_dtype(int, counter_semantics=nvtx.CounterSemantics(unit="generation", min=0, max=2))
    at = nvtx.numpy_dtype(np.int64, entry_kind=nvtx.EntryKind.COUNTER_TIMESTAMP)
    with Case("groups") as case:
        dtype = np.dtype([("gen", int), ("n", np.uint8), ("time", np.float32), ("s", "S4"), ("u", "U2")])
        made, expected = counter(case, "d", "g", dtype)
        made.sample((2, 150, 3.5, b"ab", "x"))
        case.sample(expected, (2, 150, 3.5))
        domain = nvtx.get_domain("d")
        made.batch_submit([(1, 2, 3, b"", ""), (4, 5, 6.5, b"", "")], np.array([domain.get_timestamp() for _ in "12"]))
        case.sample(expected, (1, 2, 3.0))
        case.sample(expected, (4, 5, 6.5))
    with Case("group with fields that say more") as case:
        dtype = np.dtype([("a", field), ("b", np.float64)])
        made, expected = counter(case, "d", "h", dtype, semantics=nvtx.CounterSemantics(unit="x"))
        made.sample((1, 2.5))
        case.sample(expected, (1, 2.5))
    with Case("group with its time") as case:
        made = nvtx.get_domain("d").get_counter("t", np.dtype([("t", at), ("a", np.int64)]))
        made.sample((nvtx.get_domain("d").get_timestamp(), 2))
        case.sample(nvtx_expected.counters("d", "t", np.dtype([("a", np.int64)])), (2,))


def batches():
    clocks = {nvtx.TimestampType.TOOL_PROVIDED: nvtx.get_domain("d").get_timestamp,
              nvtx.TimestampType.CPU_CLOCK_GETTIME_MONOTONIC: time.monotonic_ns,
              nvtx.TimestampType.CPU_CLOCK_GETTIME_REALTIME: time.time_ns}
    for clock, now in clocks.items():
        with Case(f"batch {clock.name}") as case:
            for kind, values in ((int, [1, 2, 3]), (float, (1.5, 2.0, 3.0)), (np.int32, np.array([4, 5, 6], "i2"))):
                made, expected = counter(case, "d", f"b {np.dtype(kind)} {clock.value}", kind, time_domain=clock)
                times = []
                for _ in range(6):  # each later than the one before
                    times.append(now())
                    while now() <= times[-1]:
                        pass
                made.batch_submit(values, timestamps=array.array("q", times[:3]))
                made.batch_submit(np.arange(6).astype(kind)[::2], np.array(times)[3:])
                for value in (*values, 0, 2, 4):
                    case.sample(expected, np.array(value, dtype=kind).item())
    with Case("batch of a clock that nobody knows") as case:
        made, expected = counter(case, None, "b", float, time_domain=nvtx.TimestampType.GPU_GLOBALTIMER)
        made.batch_submit(values=[1.5], timestamps=[7])
        made.batch_submit([], [])
        case.items += [("sample", {**of, "value": 1.5, "is_placed": True}) for of in expected.values()]


for function in (numbers, sequences, arrays, structures):
    for i, payload in enumerate(function()):
        with Case(f"{function.__name__} {i}") as case:
            case.everywhere(payload)
mutable()
entries()
scalars()
no_values()
dtypes()
groups()
batches()
lists.write(sys.argv[2])
