# SPDX-License-Identifier: Apache-2.0
"""Columns of recordings: buffers, Arrow's C data interface, data frames. What reads Arrow here is
ctypes, by the layouts of the specification; pyarrow, pandas, polars and numpy where they are."""

import ctypes
import gc
import html.parser
import json
import math
import sqlite3

import pytest

import recordings
from conftest import BUILD, RANGEFINDER, run

import rangefinder

TIME_NONE = -(2**63)
NUMBERS = {"int64": "q", "uint64": "Q", "uint32": "I", "float64": "d", "bool": "?"}
NONE = {"int64": (TIME_NONE, -1, 0), "uint64": (0,), "uint32": (0,), "bool": (False,)}


@pytest.fixture(scope="module", params=["v1.0.rf", "v1.1.rf", "attributes", "b_4gpu_mixed.sqlite.gz"])
def recording(request, tmp_path_factory):
    path = recordings.make(request.param, tmp_path_factory.mktemp("columns"))
    with rangefinder.open(path) as recording:
        yield recording


@pytest.fixture(scope="module")
def one_thread(tmp_path_factory):
    with rangefinder.open(recordings.make("ranges", tmp_path_factory.mktemp("one"))) as recording:
        yield recording


def all_rows(recording):
    names = ("events", "ranges", "marks", "processes", "threads", "domains", "captures", "calls",
             "gpu_ops", "kernels", "gpus", "gpu_streams", "counters", "samples",
             "extras")
    views = [getattr(recording, name) for name in names]
    views += [recording.projections(), recording.stats("nvtx_sum")]
    views += [recording.events[::-3], recording.events[5:2], recording.threads[0].events]
    return views + [recording.events.filter(kind="push_pop")]


def columns(recording):
    for rows in all_rows(recording):
        table = rows.columns()
        for name in table:
            yield rows, table[name]


def held(column):
    """The values as a buffer holds them: doubles round integers."""
    return [float(value) if column.type == "float64" and value is not None else value
            for value in column.tolist()]


# ---- Values ----


def test_columns_hold_what_rows_hold(recording):
    for rows, column in columns(recording):
        values = [row[column.name] for row in rows]
        assert len(column) == len(rows) and column.tolist() == values, column
        assert repr(column).startswith(f"<Column '{column.name}' of {len(rows)} ")
        nulls = column.nulls
        if column.type != "text" or column.codes is not None:
            is_null = [value is None for value in values]
            assert nulls == (bytes(is_null) if any(is_null) else None), column
        for index in (len(values), -len(values) - 1):
            with pytest.raises(IndexError):
                column[index]


def test_buffers(recording):
    for rows, column in columns(recording):
        if column.type == "text":
            with pytest.raises(BufferError):
                memoryview(column)
            continue
        view = memoryview(column)
        assert (view.format, view.readonly, view.ndim) == (NUMBERS[column.type], True, 1)
        for value, shown in zip(column, view.tolist()):
            if value is not None:
                value = type(shown)(value)  # doubles round
                assert shown == value or (shown != shown and value != value), column
            elif column.type == "float64":
                assert math.isnan(shown)
            else:
                assert shown in NONE[column.type], column
        whole = bytes(column)  # asks for one behind the other
        assert whole == view.tobytes()


def test_text_has_codes(recording):
    for rows, column in columns(recording):
        codes = column.codes
        if codes is None:
            assert column.categories is None
            continue
        assert (codes.type, memoryview(codes).format, codes.codes) == ("int32", "i", None)
        assert len(set(column.categories)) == len(column.categories)
        assert [None if code < 0 else column.categories[code] for code in codes] == column.tolist()
        assert codes.tolist() == memoryview(codes).tolist()
        assert set(codes) - {-1} == set(range(len(column.categories)))


def test_a_thread_s_events_are_not_copied(one_thread):
    events = one_thread.threads[0].events
    for name in ("start_ns", "end_ns", "payload_bits"):
        for rows, stride in ((events, 48), (events[1:], 48), (events[::2], 96), (events[::-1], -48)):
            view = memoryview(rows.columns()[name])
            assert view.strides == (stride,), name
            assert view.tolist() == [
                TIME_NONE if row[name] is None else row[name] for row in rows]
    assert memoryview(events.columns()["duration_ns"]).strides == (8,)


def test_buffers_outlive_all(tmp_path):
    recording = rangefinder.open(recordings.make("v1.1.rf", tmp_path))
    column = recording.threads[0].events.columns()["start_ns"]
    view, copied = memoryview(column), memoryview(recording.events.columns()["pid"])
    expected = view.tolist(), copied.tolist()
    recording.close()
    del recording, column
    gc.collect()
    assert (view.tolist(), copied.tolist()) == expected
    with pytest.raises(TypeError):
        view[0] = 1


# ---- Arrow, by its specification ----


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema",
     ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", ctypes.c_void_p)]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def inside(capsule, name, structure):
    return ctypes.cast(pointer_of(capsule, name), ctypes.POINTER(structure)).contents


def is_valid(array, i):
    if not array.buffers[0]:
        return True
    byte = ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))[i // 8]
    return bool(byte >> i % 8 & 1)


def texts(array, i):
    offsets = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int64))
    return ctypes.string_at(array.buffers[2] + offsets[i], offsets[i + 1] - offsets[i]).decode()


C_TYPES = {b"l": ctypes.c_int64, b"L": ctypes.c_uint64, b"I": ctypes.c_uint32, b"i": ctypes.c_int32,
           b"g": ctypes.c_double}


def value_at(schema, array, i):
    if not is_valid(array, i):
        return None
    if schema.format == b"U":
        return texts(array, i)
    if schema.format == b"b":
        return bool(ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_uint8))[i // 8] >> i % 8 & 1)
    value = ctypes.cast(array.buffers[1], ctypes.POINTER(C_TYPES[schema.format]))[i]
    return texts(array.dictionary.contents, value) if schema.dictionary else value


def values_of(schema, array):
    assert (array.offset, array.n_buffers) == (0, 3 if schema.format == b"U" else 2)
    values = [value_at(schema, array, i) for i in range(array.length)]
    assert array.null_count == sum(value is None for value in values)
    if array.n_buffers and array.buffers[1]:
        assert array.buffers[1] % 64 == 0  # as Arrow advises
    return values


def same(a, b):
    return a == b or repr(a) == repr(b)  # nan is nan


def test_arrow_arrays(recording):
    for rows, column in columns(recording):
        schema_capsule, array_capsule = column.__arrow_c_array__()
        schema = inside(schema_capsule, b"arrow_schema", Schema)
        array = inside(array_capsule, b"arrow_array", Array)
        assert (schema.name.decode(), schema.flags, schema.n_children) == (column.name, 2, 0)
        assert bool(schema.dictionary) == (column.codes is not None)
        assert same(values_of(schema, array), held(column)), column
        alone = column.__arrow_c_schema__()
        assert inside(alone, b"arrow_schema", Schema).format == schema.format
        if column.codes is not None:
            capsules = column.codes.__arrow_c_array__(requested_schema=None)
            codes = inside(capsules[1], b"arrow_array", Array)
            schema = inside(capsules[0], b"arrow_schema", Schema)
            assert [code if code is not None else -1 for code in values_of(schema, codes)] \
                == column.codes.tolist()


def read_stream(capsule):
    stream = inside(capsule, b"arrow_array_stream", Stream)
    schema = Schema()
    assert stream.get_schema(stream, schema) == 0 and schema.format == b"+s"
    fields = [schema.children[i].contents for i in range(schema.n_children)]
    result = {field.name.decode(): [] for field in fields}
    n_batches = 0
    while True:
        batch = Array()
        assert stream.get_next(stream, batch) == 0
        if not batch.release:
            break
        assert (batch.n_children, batch.null_count, batch.n_buffers) == (len(fields), 0, 1)
        for i, field in enumerate(fields):
            assert batch.children[i].contents.length == batch.length
            result[field.name.decode()] += values_of(field, batch.children[i].contents)
        n_batches += 1
        batch.release(batch)
        assert not batch.release
    schema.release(schema)
    assert not schema.release
    return result, n_batches


def test_arrow_streams(recording):
    for rows in all_rows(recording):
        result, n_batches = read_stream(rows.__arrow_c_stream__())
        assert n_batches == (1 if len(rows) else 0)
        assert list(result) == list(rows.columns())
        for name, values in result.items():
            assert same(values, held(rows.columns()[name])), (rows, name)
    table = recording.ranges.columns("name", "start_ns")
    result, _ = read_stream(table.__arrow_c_stream__(requested_schema=None))
    assert list(result) == ["name", "start_ns"]
    alone = table.__arrow_c_schema__()
    schema = inside(alone, b"arrow_schema", Schema)
    assert (schema.format, schema.n_children) == (b"+s", 2)


def test_arrow_outlives_all(tmp_path):
    recording = rangefinder.open(recordings.make("v1.1.rf", tmp_path))
    expected = [row.name for row in recording.events]
    stream = recording.events.columns("name").__arrow_c_stream__()
    schema, array = recording.events.columns()["name"].__arrow_c_array__()
    recording.close()
    del recording
    gc.collect()
    assert read_stream(stream)[0]["name"] == expected
    assert values_of(inside(schema, b"arrow_schema", Schema),
                     inside(array, b"arrow_array", Array)) == expected


# ---- Payloads ----

MARKS = """
import rangefinder.nvtx as nvtx
for domain, payloads in (("int", (1, -(2**63))), ("large", (2**64 - 1, 5)), ("both", (2**64 - 1, -1)),
                         ("real", (2**60 + 1, 0.5)), ("none", (None, None))):
    for payload in payloads:
        nvtx.mark("mark", domain=domain, payload=payload)
    nvtx.mark("mark", domain=domain)
nvtx.mark("default")
"""
PAYLOADS = {"int": ("int64", [1, -(2**63), None]), "large": ("uint64", [2**64 - 1, 5, None]),
            "both": ("float64", [2**64 - 1, -1, None]), "real": ("float64", [2**60 + 1, 0.5, None]),
            "none": ("float64", [None, None, None])}


@pytest.fixture
def marks(record):
    with rangefinder.open(record("-c", MARKS).path) as recording:
        yield recording.marks


def test_payloads_that_are_integers_stay_integers(marks):
    for domain, (kind, values) in PAYLOADS.items():
        these = marks.filter(domain=domain)
        column = these.columns("payload")["payload"]
        assert (column.type, column.tolist()) == (kind, values), domain
        assert [mark.payload for mark in these] == [mark["payload"] for mark in these] == values
        result, _ = read_stream(these.__arrow_c_stream__())
        assert result["payload"] == held(column)
    assert marks.columns()["payload"].type == "float64"


def test_payloads_in_pandas(marks):
    pandas = pytest.importorskip("pandas")
    for domain, kind in (("int", "Int64"), ("large", "UInt64"), ("real", "float64")):
        frame = marks.filter(domain=domain).to_pandas()
        assert frame["payload"].dtype == kind
    assert marks.filter(domain="int", payload__ne=None).to_pandas()["payload"].dtype == "int64"
    assert marks.filter(domain="int").to_pandas()["payload"].sum() == 1 - 2**63
    groups = marks.to_pandas().groupby("domain", observed=True).size()
    assert groups.sum() == len(marks) and groups["NVTX"] == 1


# ---- Values in payloads ----


@pytest.fixture(scope="module")
def collectives(tmp_path_factory):
    return recordings.make("collectives", tmp_path_factory.mktemp("collectives"))


def as_database(path):
    """The recording as nsys has it without the bytes of payloads: they are JSON."""
    database = path.with_suffix(".sqlite")
    done = run(RANGEFINDER, "export", "-q", "-f", "-t", "sqlite", "-o", database, path)
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(database) as connection:
        if "binaryData" in [row[1] for row in connection.execute("pragma table_info(NVTX_EVENTS)")]:
            connection.execute("update NVTX_EVENTS set binaryData = null")
    return database


IN_PAYLOADS = {"communicator": "uint64", "rank": "int64", "reduction": "text", "bytes": "uint64"}


def names_in_payloads(table):
    return {name: table[name].type for name in table if name.startswith("payload.")}


def check_values_in_payloads(recording, types):
    ranges = recording.ranges
    table = ranges.columns()
    assert names_in_payloads(table) == types
    assert len(ranges) == 20
    payloads = [rf_range.payload for rf_range in ranges]
    payloads = [json.loads(p) if isinstance(p, str) else p for p in payloads]
    for name in types:
        values = [payload[name[8:]] for payload in payloads]
        assert table[name].tolist() == list(table[name]) == values
        assert [rf_range[name] for rf_range in ranges] == values
        assert table[name].nulls is None
    result, _ = read_stream(ranges.__arrow_c_stream__())
    assert {name: result[name] for name in types} == {name: table[name].tolist() for name in types}
    assert result["payload.rank"] == [3] * 20
    assert result["payload.reduction"][:3] == ["sum", "product", "max"]


def test_report_by_values_in_payloads(collectives):
    with rangefinder.open(collectives) as recording:
        rows = recording.stats("nvtx_sum", group_by="payload.reduction")
        instances = {row["payload.reduction"]: row["Instances"] for row in rows}
        assert instances == {"sum": 7, "product": 7, "max": 6}
        by_path = recording.stats("nvtx_pushpop_sum", group_by="bytes").columns()["payload.bytes"]
        assert sorted(map(int, by_path)) == sorted({r["payload.bytes"] for r in recording.ranges})
        with pytest.raises(ValueError, match="no payload of this recording has 'no'.*'rank'"):
            recording.stats("nvtx_sum", group_by="payload.no")
        with pytest.raises(ValueError, match="no rows by values in payloads; these have: nvtx_sum"):
            recording.stats("cuda_api_sum", group_by="payload.rank")


def test_report_with_quantiles(collectives):
    with rangefinder.open(collectives) as recording:
        durations = {}
        for r in recording.ranges:
            durations.setdefault(r.name, []).append(r.duration_ns)
        for quantiles in ([0, 50.0, 99.9, 100], (0, 50, 99.9, "100"), "0,50,99.9,100"):
            rows = recording.stats("nvtx_sum", quantiles=quantiles)
            for row, values in ((row, sorted(durations[row["Range"].split(":")[-1]])) for row in rows):
                assert row["p0 (ns)"] == row["Min (ns)"] == values[0]
                assert row["p50 (ns)"] == values[(len(values) - 1) // 2]
                assert row["p99.9 (ns)"] == row["p100 (ns)"] == values[-1]
        grouped = recording.stats("nvtx_sum", group_by="payload.reduction", quantiles=95)
        titles = list(grouped.columns())
        assert titles[8] == "p95 (ns)" and titles[-1] == "payload.reduction"
        assert len(recording.stats("cuda_kern_exec_sum", quantiles=range(16)).columns()) >= 27
        with pytest.raises(ValueError, match="'x' is no quantile"):
            recording.stats("nvtx_sum", quantiles="x")


def test_values_in_payloads_are_columns(collectives):
    types = {f"payload.{name}": kind for name, kind in IN_PAYLOADS.items()}
    with rangefinder.open(collectives) as recording:
        check_values_in_payloads(recording, types)
        part = recording.filter(time=f"0/{recording.ranges[10].start_ns}ns")
        assert 0 < len(part.ranges) < 20
        assert part.ranges.columns("payload.rank")["payload.rank"].tolist() == [3] * len(part.ranges)
    types = {name: "int64" if kind == "uint64" else kind for name, kind in types.items()}
    with rangefinder.open(as_database(collectives)) as recording:
        check_values_in_payloads(recording, types)


def test_what_has_no_value_in_a_payload(collectives, one_thread):
    with rangefinder.open(collectives) as recording:
        events = recording.events
        column = events.columns("payload.rank")["payload.rank"]
        kinds = [event.kind for event in events]
        assert set(kinds) == {"push_pop", "domain_create"}
        assert column.tolist() == [3 if kind == "push_pop" else None for kind in kinds]
        assert column.nulls == bytes(kind != "push_pop" for kind in kinds)
        assert memoryview(column).tolist() == [3 if kind == "push_pop" else 0 for kind in kinds]
        text = events.columns("payload.reduction")["payload.reduction"]
        assert [text[i] for i in range(len(events))] == text.tolist()
        assert text.tolist().count(None) == kinds.count("domain_create")
        with pytest.raises(KeyError, match="payload.none.*there are.*payload.rank"):
            events.columns("payload.none")
        assert names_in_payloads(recording.threads.columns()) == {}
        with pytest.raises(KeyError):
            recording.threads.columns("payload.rank")
    assert names_in_payloads(one_thread.events.columns()) == {}


def test_filter_by_values_in_payloads(collectives):
    with rangefinder.open(collectives) as recording:
        ranges = recording.ranges

        def count(**columns):
            return len(ranges.filter(**{f"payload.{name}": value for name, value in columns.items()}))

        assert count(reduction="max") == 6
        assert count(reduction=["max", "sum"]) == 13
        assert count(reduction__ne="max") == 14
        assert count(bytes=1024) == 2 and count(bytes__gt=1024) == 18
        assert count(rank=None) == 0 and count(rank__ne=None) == 20
        assert len(recording.events.filter(**{"payload.rank": None})) == 1


def test_a_list_of_texts_that_changes_while_it_is_read(collectives):
    class Rank:
        def __index__(self):
            texts.clear()
            self.others = [f"{k:03}" for k in range(10000)]  # take the memory of the text
            return 3

    with rangefinder.open(collectives) as recording:
        wanted = len(recording.ranges.filter(**{"payload.reduction": "sum", "payload.rank": 3}))
        texts = ["".join(("s", "um"))]
        found = recording.ranges.filter(**{"payload.reduction": texts, "payload.rank": Rank()})
        assert len(found) == wanted > 0


def test_values_in_payloads_in_packages(collectives):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    with rangefinder.open(collectives) as recording:
        table = recording.events.to_arrow()
        assert table.schema.field("payload.rank").type == pyarrow.int64()
        assert table.schema.field("payload.bytes").type == pyarrow.uint64()
        assert table.schema.field("payload.reduction").type == pyarrow.large_string()
        assert table["payload.rank"].null_count == 1
        frame = recording.ranges.to_pandas()
        assert frame["payload.rank"].dtype == "int64" and frame["payload.bytes"].dtype == "uint64"
        assert frame.groupby("payload.reduction")["payload.bytes"].count().to_dict() == {
            "sum": 7, "product": 7, "max": 6}
        frame = recording.events.to_pandas()
        assert frame["payload.rank"].dtype == "Int64" and frame["payload.rank"].isna().sum() == 1


def test_too_many_values_in_payloads(collectives):
    database = as_database(collectives)
    payload = json.dumps({f"value{i}": i for i in range(1100)})
    with sqlite3.connect(database) as connection:
        connection.execute("update NVTX_EVENTS set jsonText = ? where jsonText is not null", (payload,))
    with rangefinder.open(database) as recording:
        with pytest.warns(RuntimeWarning, match=r"left out: payload.value1000, .*value1019, \.\.\."):
            table = recording.ranges.columns()
        names = names_in_payloads(table)
        assert len(names) == 1000 and set(names.values()) == {"int64"}
        assert table["payload.value999"].tolist() == [999] * 20
    done = run(RANGEFINDER, "export", "-t", "csv", "-o", "-", database)
    assert "100 values of payloads have no column of their own" in done.stderr
    assert "payload.value1000, payload.value1001, " in done.stderr
    header = done.stdout.splitlines()[0].split(",")
    assert [name for name in header if name.startswith("payload.")] == list(names)


VALUES = """
import numpy
import rangefinder.nvtx as nvtx
domain = nvtx.Domain("values")
point = numpy.dtype([("x", "i4"), ("at", [("y", "f8"), ("z", "u1", 2)])])
payloads = [numpy.array(2**40), numpy.array(-5), [1, 2], numpy.array((3, (0.5, (1, 2))), dtype=point)]
for payload in payloads:
    domain.push_range("r", payload=payload)
    domain.pop_range()
"""


def test_payloads_that_are_one_value(tmp_path):
    """They are `payload`, alone and among several."""
    program = BUILD / "tests" / "record" / "payload"
    if not program.exists():
        pytest.skip("the tests of the recorder were not built")
    done = run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "one.rf", "--", program, "domains")
    assert done.returncode == 0, done.stderr
    number = int.from_bytes(b"12345678", "little")
    with rangefinder.open(tmp_path / "one.rf") as recording:
        for rows in (recording.ranges, recording.marks):
            rows = rows.filter(payload_type="extended")
            column = rows.columns("payload")["payload"]
            assert len(rows) >= 3 and column.type == "int64"
            assert set(column.tolist()) == set(memoryview(column).tolist()) == {number}
            assert {str(row.payload) for row in rows} <= {str(number), str([number] * 2)}


def test_payloads_of_numpy(record):
    pytest.importorskip("numpy")
    with rangefinder.open(record("-c", VALUES).path) as recording:
        table = recording.ranges.columns()
        assert names_in_payloads(table) == {
            "payload.int64": "int64", "payload.x": "int64", "payload.at.y": "float64", "payload.at.z": "text"}
        assert table["payload.int64"].tolist() == [2**40, -5, None, None]
        assert table["payload.at.y"].tolist() == [None, None, None, 0.5]
        assert table["payload.at.z"].tolist() == [None, None, None, "[1,2]"]


def test_texts_that_look_the_same(record):
    """What is no UTF-8 is shown as U+FFFD, whatever it is."""
    pytest.importorskip("pandas")
    program = """
import ctypes, sys
for text in (b"\\xff", b"plain", b"\\xfe"):
    ctypes.CDLL(sys.argv[1]).annotate_by_library(text)
"""
    recorded = record("-c", program, BUILD / "tests" / "python" / "library.so")
    with rangefinder.open(recorded.path) as recording:
        frame = recording.marks.to_pandas()
        assert frame["name"].tolist() == ["\ufffd", "plain", "\ufffd"]


def test_rows_are_no_array(marks):
    for wrong in (marks, marks.columns(), marks.columns("start_ns")):
        with pytest.raises(TypeError, match="to_pandas.. makes a DataFrame"):
            wrong.__array__()
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    for wrong in (marks, marks.columns()):
        with pytest.raises(TypeError, match="to_pandas.. makes a DataFrame"):
            numpy.asarray(wrong)
        with pytest.raises(TypeError, match="to_pandas.. makes a DataFrame"):
            pandas.DataFrame(wrong)


# ---- Notebooks ----


class Cells(html.parser.HTMLParser):
    """The tables of a text, as lists of rows; what is not closed is an error."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_html(recording):
    for rows in all_rows(recording):
        for shown in (rows, rows.columns()):
            found = Cells(shown._repr_html_()).rows
            names, found = found[0], found[1:]
            assert set(names) <= set(rows.columns().keys()) and len(found) == min(len(rows), 10)
            for row, cells in zip(rows, found):
                values = [row[name] for name in names]
                if shown is rows:
                    assert cells == ["" if value is None else str(value) for value in values]
        if len(rows):
            found = Cells(rows[0]._repr_html_()).rows
            assert [cells[0] for cells in found] == list(rows.columns())
    cells = dict(Cells(recording._repr_html_()).rows)
    assert cells["ranges"] == str(recording.info.n_ranges) and cells["file"] == recording.info.path


def test_html_is_escaped(record):
    with rangefinder.open(record("-c", """
import rangefinder.nvtx as nvtx
nvtx.mark("<script>&")
""").path) as recording:
        assert "&lt;script&gt;&amp;" in recording.marks._repr_html_()
        assert ["name", "<script>&"] in Cells(recording.marks[0]._repr_html_()).rows


# ---- Other packages ----


def test_numpy(one_thread):
    numpy = pytest.importorskip("numpy")
    events = one_thread.threads[0].events
    table = events.columns()
    start = numpy.asarray(table["start_ns"])
    assert start.dtype == numpy.int64 and not start.flags.owndata and start.strides == (48,)
    assert not start.flags.writeable
    again = numpy.asarray(events.columns()["start_ns"])
    assert start.__array_interface__["data"] == again.__array_interface__["data"]
    assert start.tolist() == table["start_ns"].tolist()
    assert numpy.asarray(table["is_registered"]).dtype == bool
    assert numpy.array(table["name"].codes).dtype == numpy.int32


def test_pandas(recording):
    pandas = pytest.importorskip("pandas")
    for rows in all_rows(recording):
        frame = rows.to_pandas()
        assert len(frame) == len(rows) and list(frame.columns) == list(rows.columns())
        for name in frame.columns:
            values = [None if pandas.isna(value) else value for value in frame[name].tolist()]
            expected = [None if isinstance(value, float) and math.isnan(value) else value
                        for value in held(rows.columns()[name])]
            assert values == expected, (rows, name)
    frame = recording.ranges.columns("name", "duration_ns").to_pandas()
    total = frame.groupby("name", observed=True)["duration_ns"].sum()
    for name, value in total.items():
        assert value == sum(r.duration_ns for r in recording.ranges.filter(name=name))


def test_pyarrow(recording):
    pyarrow = pytest.importorskip("pyarrow", "15")
    for rows in all_rows(recording):
        table = rows.to_arrow()
        table.validate(full=True)
        assert table.num_rows == len(rows)
        for name in table.column_names:
            assert same(table[name].to_pylist(), held(rows.columns()[name])), (rows, name)
    for rows, column in columns(recording):
        array = pyarrow.array(column)
        array.validate(full=True)
        assert same(array.to_pylist(), held(column))


def test_pyarrow_in_batches(tmp_path):
    """A stream of more than one batch has one dictionary."""
    pyarrow = pytest.importorskip("pyarrow", "15")
    from test_recording import RANGEFINDER, run
    import sys

    path = tmp_path / "long.rf"
    program = ("from rangefinder import nvtx\n"
               "for i in range(550000): nvtx.mark(('a', 'b', None)[i % 3]); nvtx.mark('c')\n")
    done = run(RANGEFINDER, "profile", "-q", "-o", path, "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    with rangefinder.open(path) as recording:
        marks = recording.marks
        reader = pyarrow.RecordBatchReader.from_stream(marks.columns("start_ns", "name"))
        batches = list(reader)
        assert [batch.num_rows for batch in batches] == [1 << 20, 1100000 - (1 << 20)]
        assert batches[0]["name"].dictionary.equals(batches[1]["name"].dictionary)
        names = pyarrow.Table.from_batches(batches)["name"].to_pylist()
        assert names == marks.columns()["name"].tolist()


def test_polars(recording):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(recording.ranges)
    assert frame["start_ns"].to_list() == [r.start_ns for r in recording.ranges]
    assert frame["name"].to_list() == [r.name for r in recording.ranges]


@pytest.mark.parametrize("package, method", [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_missing_package_is_named(one_thread, monkeypatch, package, method):
    import sys

    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"needs the package {package}: pip install {package}"):
        getattr(one_thread.ranges, method)()
