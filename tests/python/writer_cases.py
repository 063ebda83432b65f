# SPDX-License-Identifier: Apache-2.0
"""Programs of nvtx.writer: writer_cases.py MODULE CASE OUTPUT [BACKEND]. The case "errors" prints what
calls raise."""

import importlib
import sys
import threading

nvtx = importlib.import_module(sys.argv[1])
writer = importlib.import_module(sys.argv[1] + ".writer")
OPTIONS = {"backend": writer.load_backend(sys.argv[4])} if len(sys.argv) > 4 else {}
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def numpy():
    return importlib.import_module("numpy")


@case
def events(session):
    domain = session.get_domain("dom")
    registered = domain.get_registered_string("registered")
    with session.create_stream("stream", domain=domain) as stream:
        stream.write_pushpop(100, 900, message="outer", color="red", category="io")
        stream.write_pushpop(200, 300, message=registered, color=0x80102030, category=b"io")
        stream.write_pushpop(250, 400, message=b"crosses")
        stream.write_startend(150, 950, message="\u00fc\u4e2d", color=0x10203, category=7)
        stream.write_startend(160, 170, message=registered)
        stream.write_start(150, 7, message="started")
        stream.write_start(151, 2**64 - 1, message=registered, color="rapids", category="compute")
        stream.write_end(950, 7)
        stream.write_end(960, 2**64 - 1)
        stream.write_push(1000, message="pushed")
        stream.write_push(1001, message=registered)
        stream.write_pop(1100)
        stream.write_pop(1200)
        stream.write_mark(500, message="mark")
        stream.write_mark(501)
        stream.write_mark(502, message="")
        stream.write_mark(503, message=registered, color="blue")
        stream.write_mark(-40, message="text\0behind")
        stream.write_mark(504.9, message="cut off")


@case
def domains(session):
    named = session.get_domain("named")
    assert session.get_domain(b"named") is named and session.get_domain("") is session.get_domain(None)
    assert named.get_category_id("first") == 1 and named.get_category_id(b"first") == 1
    disk = named.get_scope("disk[0]")
    part = named.get_scope("part[1]", parent=disk)
    assert named.get_scope(b"disk[0]", parent=nvtx.PredefinedScope.ROOT) is disk and part.path == "part[1]"
    for i, (scope, domain) in enumerate([(None, None), (disk, named), (part, "named"),
                                         (nvtx.PredefinedScope.ROOT, named)]):
        with session.create_stream(f"s{i}", domain=domain, scope=scope) as stream:
            stream.write_mark(i, message=f"m{i}", category=2)
            stream.write_pushpop(i, i + 10, message=f"r{i}", category="second")
    assert named.get_category_id("third") > 2


@case
def orders(session):
    values = dict(interleaving=writer.StreamInterleaving.SCOPE, ordering=writer.StreamOrdering.STRICT,
                  skid=writer.StreamSkid.EVENT_COUNT, skid_amount=3)
    with session.create_stream("scopes", **values) as stream:
        stream.write_mark(5, message="later")
        stream.write_mark(3, message="earlier")
    with session.create_stream("broken", ordering=writer.StreamOrdering.PACKED_RANGE_END,
                               skid=writer.StreamSkid.TIME_NS, skid_amount=1) as stream:
        stream.write_pushpop(1, 8, message="a")
        stream.write_pushpop(1, 7, message="b")
        stream.write_pushpop(1, 5, message="c")
    with session.create_stream("real", time_domain_id=nvtx.TimestampType.CPU_CLOCK_GETTIME_MONOTONIC) as stream:
        stream.write_mark(12, message="on a clock")


@case
def counters(session):
    domain = session.get_domain("dom")
    meaning = nvtx.CounterSemantics(unit="bytes", min=-5, max=100, unit_scale_numerator=1024)
    with session.create_stream("stream", domain=domain) as stream:
        whole = domain.get_counter("whole", int, description="a count", semantics=meaning)
        real = domain.get_counter("real", float, scope=nvtx.PredefinedScope.CURRENT_SW_PROCESS)
        assert domain.get_counter("whole", int, description=b"a count", semantics=meaning) is whole
        stream.write_counter_sample(whole, 10, -3)
        stream.write_counter_sample(real, 11, 0.5)
        stream.write_counter_sample(real, 12, 7)
        stream.write_counter_sample(whole, 13, 7.9)
        for i, reason in enumerate(nvtx.CounterNoValueReason):
            stream.write_counter_sample_no_value(whole, 20 + i, reason)


@case
def counter_arrays(session):
    np = numpy()
    domain = session.get_domain("dom")
    group = np.dtype([
        ("used", nvtx.numpy_dtype("u4", counter_semantics=nvtx.CounterSemantics(unit="B", max=9))),
        ("share", "f4")])
    timed = np.dtype([("when", nvtx.numpy_dtype("i8", entry_kind=nvtx.EntryKind.COUNTER_TIMESTAMP)),
                      ("value", "i2")])
    with session.create_stream("stream", domain=domain) as stream:
        small = domain.get_counter("small", "uint16", scope=domain.get_scope("gpu[0]"))
        memory = domain.get_counter("memory", group)
        own = domain.get_counter("own", timed)
        whole = domain.get_counter("whole", np.int64)
        stream.write_counter_sample(small, 5, 9)
        stream.write_counter_sample(memory, 6, (1, 0.5))
        stream.write_counter_batch(small, [1, 2, 3], timestamps=[10, 11, 12])
        stream.write_counter_batch(whole, np.arange(4), timestamps=np.array([20, 24, 22, 26]),
                                   ordering=nvtx.BatchOrdering.UNSORTED)
        stream.write_counter_batch(memory, np.array([(1, 2.5), (3, 4.5)], dtype=group), timestamps=range(30, 32))
        stream.write_counter_batch(own, [(40, 1), (41, -1)])


@case
def schemas(session):
    np = numpy()
    domain = session.get_domain("dom")
    field, kind, kinds = nvtx.numpy_dtype, nvtx.EventKind, nvtx.EntryKind
    stands = nvtx.PayloadEntryType
    dtype = np.dtype([
        ("begin", field("i8", entry_kind=kinds.RANGE_BEGIN)), ("end", field("i8", entry_kind=kinds.RANGE_END)),
        ("color", field("u4", entry_type=stands.COLOR_ARGB)), ("category", field("u4", entry_type=stands.CATEGORY)),
        ("name", field("u8", entry_type=stands.REGISTERED_STRING, entry_kind=kinds.MESSAGE)),
        ("text", "U6"), ("raw", "S4"), ("three", "i2", (3,)), ("half", "f2"), ("inner", [("a", "u1"), ("b", "f8")])])
    mark = np.dtype([("at", field("i8", entry_kind=kinds.MARK)), ("value", "f8")], align=True)
    start = np.dtype([("id", field("u8", entry_type=stands.RANGE_ID)),
                      ("at", field("i8", entry_kind=kinds.RANGE_BEGIN)), ("n", "i4")])
    end = np.dtype([("id", field("u8", entry_type=stands.RANGE_ID)), ("at", field("i8", entry_kind=kinds.RANGE_END))])
    name = domain.get_registered_string("named").handle
    category = domain.get_category_id("category")
    row = (10, 20, 0xff00ff00, category, name, "text", b"raw", (1, -2, 3), 0.5, (7, 8.5))
    with session.create_stream("stream", domain=domain) as stream:
        ranges = domain.get_schema(dtype, kind=kind.RANGE_PUSHPOP)
        assert domain.get_schema(dtype, kind=kind.RANGE_PUSHPOP) is ranges and ranges.kind is kind.RANGE_PUSHPOP
        stream.write_event(ranges, row)
        stream.write_event_batch(ranges, [(30, 40, *row[2:]), (50, 60, *row[2:])])
        stream.write_event_batch(domain.get_schema(mark, kind=kind.MARK),
                                 np.array([(1, 0.5), (0, 1.5)], dtype=mark), ordering=nvtx.BatchOrdering.UNSORTED)
        stream.write_event(domain.get_schema(start, kind=kind.RANGE_START), (77, 2, 5))
        stream.write_event(domain.get_schema(end, kind=kind.RANGE_END), (77, 9))
        domain.get_schema(dtype)


@case
def threads(session):
    domain = session.get_domain("dom")
    streams = [session.create_stream(f"t{i}", domain=domain) for i in range(4)]
    for stream in streams:
        stream.open()

    def write(k):
        for i in range(500):
            streams[k].write_pushpop(10 * i, 10 * i + 9, message=f"step {i}", category=f"c{k}")

    domain.get_category_id("c0"), domain.get_category_id("c1")
    domain.get_category_id("c2"), domain.get_category_id("c3")
    workers = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def errors(output):
    """Prints the type of what each of many calls raises."""
    np = numpy()
    options = dict(OPTIONS, config=f"output={output}")
    field, kind, kinds = nvtx.numpy_dtype, nvtx.EventKind, nvtx.EntryKind
    session = writer.Session("errors", **options)
    calls = [
        lambda: writer.load_backend("/nowhere/none.so"), lambda: writer.load_backend("/lib/x86_64-linux-gnu/libm.so.6"),
        lambda: writer.Session(3, **options), lambda: writer.Session("x", backend=3), lambda: writer.Backend(None),
        session.end, session.get_domain, lambda: session.create_stream("s"), session.begin, session.begin,
        lambda: session.get_domain(3), lambda: session.create_stream("s", interleaving=0),
        lambda: session.create_stream("s", ordering=1), lambda: session.create_stream("s", skid=1),
        lambda: session.create_stream("s", time_domain_id="x"), lambda: session.create_stream("s", scope=1),
        lambda: session.create_stream("s", scope="disk"), lambda: session.create_stream("s", scope=True),
        lambda: session.create_stream("s", scope=nvtx.PredefinedScope.CURRENT_VM), lambda: session.create_stream(4),
    ]
    say(calls)
    domain, other = session.get_domain("a"), session.get_domain("b")
    stream = session.create_stream("s", domain=domain)
    mark = np.dtype([("at", field("i8", entry_kind=kinds.MARK)), ("value", "f8")])
    end = np.dtype([("end", field("i8", entry_kind=kinds.RANGE_END))])
    foreign = other.get_schema(mark, kind=kind.MARK)
    whole, theirs = domain.get_counter("n", int), other.get_counter("n", int)
    timed = domain.get_counter("t", np.dtype([
        ("at", field("i8", entry_kind=kinds.COUNTER_TIMESTAMP)), ("v", "i4")]))
    say([
        lambda: stream.write_mark(1), stream.close, stream.open, stream.open, lambda: stream.write_mark("1"),
        lambda: stream.write_mark(2**63), lambda: stream.write_mark(1, message=3),
        lambda: stream.write_mark(1, category=2.5), lambda: stream.write_mark(1, category=-1),
        lambda: stream.write_mark(1, category=2**32), lambda: stream.write_mark(1, color="no color at all"),
        lambda: stream.write_mark(1, message=other.get_registered_string("x")),
        lambda: stream.write_start(1, 0), lambda: stream.write_end(1, 0), lambda: stream.write_start(1, -1),
        lambda: domain.get_registered_string(3), lambda: domain.get_category_id(None),
        lambda: domain.get_scope("x", parent="y"), lambda: domain.get_scope("x", parent=other.get_scope("z")),
        lambda: domain.get_scope("x", parent=nvtx.PredefinedScope.CURRENT_OS), lambda: domain.get_scope(5),
        lambda: domain.get_schema("i8", kind=kind.MARK), lambda: domain.get_schema(mark, kind="mark"),
        lambda: domain.get_schema(mark, kind=kind.RANGE_PUSH), lambda: domain.get_schema(mark, kind=kind.RANGE_PUSHPOP),
        lambda: domain.get_schema(end, kind=kind.RANGE_END), lambda: domain.get_schema("no dtype"),
        lambda: domain.get_schema(np.dtype([("at", field("i8", entry_kind=kinds.MARK)), ("o", "O")]), kind=kind.MARK),
        lambda: domain.get_schema(np.dtype([("at", field("i8", entry_kind=kinds.MARK)), ("x", ">u2")]), kind=kind.MARK),
        lambda: domain.get_counter("x", "no dtype"), lambda: domain.get_counter("x", ("i4", 3)),
        lambda: domain.get_counter("x", np.dtype([("a", "i4", (2,))])), lambda: domain.get_counter("x", mark),
        lambda: domain.get_counter("x", int, scope=5), lambda: domain.get_counter("x", int, scope="s"),
        lambda: domain.get_counter("x", ">i4"),
        lambda: stream.write_event(foreign, (1, 2)), lambda: stream.write_event(3, (1, 2)),
        lambda: stream.write_event(domain.get_schema(mark), (1, 2)),
        lambda: stream.write_event(domain.get_schema(mark, kind=kind.MARK), [(1, 2), (3, 4)]),
        lambda: stream.write_event_batch(domain.get_schema(mark, kind=kind.MARK), []),
        lambda: stream.write_event_batch(domain.get_schema(mark, kind=kind.MARK), [(1, 2)], ordering=0),
        lambda: stream.write_event_batch(domain.get_schema(mark, kind=kind.MARK), np.zeros((1, 1), dtype=mark)),
        lambda: stream.write_event_batch(domain.get_schema(end, kind=kind.RANGE_POP), [(1,)]),
        lambda: stream.write_counter_sample(theirs, 1, 1), lambda: stream.write_counter_sample(3, 1, 1),
        lambda: stream.write_counter_sample(whole, 1, "1.5"), lambda: stream.write_counter_sample(timed, 1, (1, 2)),
        lambda: stream.write_counter_sample_no_value(whole, 1, 0),
        lambda: stream.write_counter_batch(whole, [1, 2]), lambda: stream.write_counter_batch(whole, [], timestamps=[]),
        lambda: stream.write_counter_batch(whole, [1, 2], timestamps=[1]),
        lambda: stream.write_counter_batch(timed, [(1, 2)], timestamps=[1]),
        lambda: stream.write_counter_batch(whole, [1], timestamps=[1], ordering=3),
        lambda: session.create_stream("s", domain=domain).open(), session.end, session.end,
        lambda: stream.write_mark(1), lambda: domain.get_category_id("x"), lambda: domain.get_scope("x"),
        lambda: stream.open(), lambda: writer.Session("again", **options).begin(),
    ])


def say(calls):
    for i, call in enumerate(calls):
        try:
            call()
            print(i, "-")
        except Exception as error:
            code = getattr(error, "result_code", "")
            print(i, type(error).__name__, code, getattr(error, "operation", ""))


if __name__ == "__main__":
    if sys.argv[2] == "errors":
        errors(sys.argv[3])
    else:
        with writer.Session("a session", config=f"output={sys.argv[3]}\n", **OPTIONS) as session:
            CASES[sys.argv[2]](session)
