# SPDX-License-Identifier: Apache-2.0
"""The package `nvtx` writes recordings through our backend."""

import pytest

import rangefinder

nvtx = pytest.importorskip("nvtx")
writer = pytest.importorskip("nvtx.writer")
np = pytest.importorskip("numpy")


@pytest.fixture
def backend():
    backend = writer.load_backend(rangefinder.nvtxw_backend())
    yield backend
    backend.close()


def write(backend, path, **config):
    options = "\n".join(f"{key}={value}" for key, value in {"output": path, **config}.items())
    return writer.Session("test", backend=backend, config=options)


def test_events_and_samples(backend, tmp_path):
    path = tmp_path / "a.rf"
    with write(backend, path) as session:
        domain = session.get_domain("dom")
        with session.create_stream("stream", domain=domain) as stream:
            stream.write_pushpop(100, 900, message="outer", color="red", category="io")
            stream.write_pushpop(200, 300, message=domain.get_registered_string("inner"))
            stream.write_start(150, 7, message="started")
            stream.write_end(950, 7)
            stream.write_push(1000, message="pushed")
            stream.write_pop(1100)
            stream.write_mark(500, message="mark")
            counter = domain.get_counter("count", "int64")
            stream.write_counter_sample(counter, 600, -3)
            stream.write_counter_sample_no_value(counter, 650, nvtx.CounterNoValueReason.UNAVAILABLE)
            stream.write_counter_batch(counter, np.array([4, 5]), timestamps=np.array([700, 710]))
    with rangefinder.open(path) as recording:
        ranges = {r.name: (r.start_ns + 100, r.end_ns + 100) for r in recording.ranges}
        assert ranges == {"outer": (100, 900), "inner": (200, 300), "started": (150, 950), "pushed": (1000, 1100)}
        (mark,) = recording.marks
        assert (mark.name, mark.start_ns + 100) == ("mark", 500)
        (found,) = recording.counters
        assert (found.name, found.n_samples) == ("count", 4)


def test_schemas_and_batches(backend, tmp_path):
    path = tmp_path / "a.rf"
    entry = nvtx.numpy_dtype
    dtype = np.dtype([("begin", entry("i8", entry_kind=nvtx.EntryKind.RANGE_BEGIN)),
                      ("end", entry("i8", entry_kind=nvtx.EntryKind.RANGE_END)), ("bytes", "u4")])
    rows = np.zeros(5000, dtype=dtype)
    rows["begin"] = 10 * np.arange(5000)
    rows["end"] = rows["begin"] + 5
    rows["bytes"] = np.arange(5000)
    with write(backend, path) as session:
        domain = session.get_domain("dom")
        schema = domain.get_schema(dtype, kind=nvtx.EventKind.RANGE_PUSHPOP)
        with session.create_stream("stream", domain=domain, scope=domain.get_scope("node[1]")) as stream:
            stream.write_event_batch(schema, rows)
    with rangefinder.open(path) as recording:
        ranges = list(recording.ranges)
    assert [r.duration_ns for r in ranges] == 5000 * [5]
    assert [r.payload["bytes"] for r in ranges] == list(range(5000))


def test_existing_files_stay(backend, tmp_path):
    path = tmp_path / "a.rf"
    path.write_text("mine")
    with pytest.raises(writer.WriterError):
        write(backend, path).begin()
    assert path.read_text() == "mine"
    with write(backend, path, force="true"):
        pass
    with rangefinder.open(path) as recording:
        assert len(list(recording.ranges)) == 0
