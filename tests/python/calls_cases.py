# SPDX-License-Identifier: Apache-2.0
# A program of payloads and counters, for the package nvtx and for rangefinder.nvtx.
#
# usage: calls_cases.py MODULE CASE

import importlib
import sys

nvtx = importlib.import_module(sys.argv[1])


def numpy():
    return importlib.import_module("numpy")


def everywhere(payload):
    """Every function that takes a payload."""
    domain = nvtx.get_domain("d")
    nvtx.mark("a", payload=payload)
    nvtx.push_range("b", domain="d", payload=payload)
    nvtx.pop_range(domain="d")
    nvtx.end_range(nvtx.start_range("c", payload=payload))
    domain.mark(message="d", payload=payload)
    attributes = domain.get_event_attributes(message="e", payload=payload)
    domain.push_range(attributes)
    domain.pop_range()
    domain.start_range(message="f", payload=payload)
    domain.set_event_attributes(attributes, payload=payload)
    domain.mark(attributes)
    with nvtx.annotate("g", payload=payload):
        pass

    @nvtx.annotate("h", domain="d", payload=payload)
    def function():
        pass

    function()
    function()


def lists():
    for payload in ([1, 2, 3], (1, -2), [1.5, 2], [2.5], [True, 2], range(5), range(9, -9, -4), [7] * 1000,
                    [[1, 2], [3, 4]], ((1.5, 2), (3, 4)), [-(2**63), 2**63 - 1], [], (), range(0)):
        everywhere(payload)


def texts():
    for payload in (["a", "é漢"], ["", "long text"], [b"", b"hello"], b"hello", b"", b"a\0b", [[b"a"], [b"b"]],
                    [""], ("x",)):
        everywhere(payload)


def arrays():
    np = numpy()
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                 "float32", "float64"):
        everywhere(np.array([1, 2, 3, 4, 5], dtype=name))
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for payload in (array, array[:, ::2, 1:], array.T, np.array(7, dtype=np.int16), np.array([], dtype=int),
                    np.array(["ab", "c"]), np.array(b"xyz"), np.array("xyz"), [np.int32(4), np.int32(5)],
                    [array, array], [1, "mixed"], np.asfortranarray(array)):
        everywhere(payload)


def structures():
    np = numpy()
    four = np.dtype((np.uint32, 4))
    inner = np.dtype([("x", int), ("y", "i2")])
    outer = np.dtype([("x", np.float64), ("arr", four), ("sub", inner), ("subs", inner, (2, 2)), ("s", "S3"),
                      ("u", "U2")])
    one = np.zeros((), dtype=outer)
    one["x"], one["arr"], one["sub"]["x"] = 3.5, [1, 2, 3, 4], -1
    for payload in (one, np.array([one, one]), [one, one], np.zeros(2, dtype=inner),
                    np.zeros((), dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True))):
        everywhere(payload)


def metadata():
    np = numpy()
    category = nvtx.numpy_dtype(np.uint32, entry_type=nvtx.PayloadEntryType.CATEGORY)
    begin = nvtx.numpy_dtype(np.int64, entry_kind=nvtx.EntryKind.RANGE_BEGIN)
    unit = nvtx.numpy_dtype(np.int64, counter_semantics=nvtx.CounterSemantics(unit="bytes", min=0))
    plain = nvtx.numpy_dtype(np.uint32)
    for dtype in (plain, category, np.dtype([("a", category), ("b", begin), ("c", unit), ("d", plain)])):
        everywhere(np.zeros((), dtype=dtype))
        everywhere(np.zeros(3, dtype=dtype))


def mutable():
    np = numpy()
    for payload in ([1, 2, 3], np.array([1, 2, 3], dtype=np.int32)):
        annotation = nvtx.annotate("m", payload=payload)

        @nvtx.annotate("n", payload=payload)
        def function():
            pass

        for i in range(3):
            payload[0] = i
            with annotation:
                function()


def counters():
    semantics = [
        None,
        nvtx.CounterSemantics(unit="objects", min=0),
        nvtx.CounterSemantics(max=1 << 63),
        nvtx.CounterSemantics(value_type=nvtx.CounterValueType.DELTA,
                              interpolation=nvtx.CounterInterpolation.LINEAR, min=-5, max=5),
        nvtx.CounterSemantics(unit=b"bytes", max=1024.0, unit_scale_denominator=1024),
    ]
    for name in (None, "d"):
        domain = nvtx.get_domain(name)
        for i, meaning in enumerate(semantics):
            counter = domain.get_counter(f"i{i}", int, description="text", semantics=meaning)
            for value in (0, -1, 2**63 - 1, -(2**63), True):
                counter.sample(value)
            domain.get_counter(f"i{i}", int, description="text", semantics=meaning).sample(value=5)
            counter = domain.get_counter(f"f{i}", float, scope="a/b", semantics=meaning)
            for value in (0.0, 2.5, 3, float("inf"), -0.0):
                counter.sample(value)
        for reason in nvtx.CounterNoValueReason:
            counter.sample_no_value(reason)
        times = [domain.get_timestamp() for _ in range(3)]
        domain.get_counter("i0", int, description="text").batch_submit([1, 2, 3], times)
        domain.get_counter("b", float, time_domain=nvtx.TimestampType.CPU_TSC).batch_submit(
            values=(1.5, 2, 3), timestamps=range(3))
        domain.get_counter(b"bytes", int, scope=b"", description="").batch_submit([], [])
        domain.get_counter("other", int, scope="a/b").sample(1)


def groups():
    np = numpy()
    domain = nvtx.get_domain("d")
    group = np.dtype([("gen", int), ("collected", np.uint8), ("time", np.float32), ("s", "S4"), ("u", "U2")])
    domain.get_counter("g", group).sample((2, 150, 3.5, b"ab", "x"))
    domain.get_counter("g", group).batch_submit([(1, 2, 3, b"", ""), (4, 5, 6, b"", "")], np.array([10, 20]))
    field = nvtx.numpy_dtype(int, counter_semantics=nvtx.CounterSemantics(unit="generation", min=0, max=2))
    time = nvtx.numpy_dtype(np.int64, entry_kind=nvtx.EntryKind.COUNTER_TIMESTAMP)
    both = nvtx.numpy_dtype([("t", time), ("a", field), ("b", int)])
    domain.get_counter("h", both).sample((1, 2, 3))
    domain.get_counter("h2", both, semantics=nvtx.CounterSemantics(unit="x")).sample(np.zeros((), both))
    for name in ("int32", np.float32, "u1", np.int64, "float"):
        counter = domain.get_counter(f"n {np.dtype(name)}", name)
        counter.sample(3)
        counter.batch_submit(np.array([1, 2, 3], dtype="int16"), [1, 2, 3])
        counter.batch_submit(np.arange(6)[::2], np.arange(6)[1::2])


globals()[sys.argv[2]]()
