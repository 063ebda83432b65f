# SPDX-License-Identifier: Apache-2.0
"""rangefinder.pm_sampling where it says more than NVIDIA's module: errors, damaged data, threads,
fork; and what has no counterpart there. On the stand-in for CUPTI."""

import copy
import gc
import inspect
import os
import pickle
import re
import subprocess
import sys
import threading
import weakref

import pytest

from conftest import HERE
from limits import SLOW
from pm_stand_in import DOUBLE, METRICS, collect, collector, configure, double, pm, sample
from test_stubs import members, runtime_parameters, stub_of

from rangefinder import pm_sampling

pytestmark = pytest.mark.filterwarnings("error")


# ---- Errors ----

WAYS = ["root", "CAP_SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0"]


@pytest.mark.parametrize(
    "function, code, kind, said",
    [
        ("cuptiPmSamplingEnable", 8, MemoryError, ["GPU 0"]),
        ("cuptiPmSamplingEnable", 35, PermissionError, WAYS),
        ("cuptiPmSamplingEnable", 7, RuntimeError, ["in use already"]),
        ("cuptiProfilerInitialize", 15, RuntimeError, ["libnvperf_host.so", "libnvperf_target.so"]),
        ("cuptiPmSamplingEnable", 26, pm_sampling.CuptiError, ["dcgmi"]),
        ("cuptiPmSamplingEnable", 999, pm_sampling.CuptiError, ["999"]),
        ("cuptiDeviceGetChipName", 2, ValueError, ["GPU 0"]),
    ],
)
def test_enable_fails(double, pm, function, code, kind, said):
    # 999 may mean that there is no context: a second try has one
    double.set(fail=f"{function}:{code}:{2 if code == 999 else 1}")
    collector = pm.Collector()
    with pytest.raises(kind) as caught:
        collector.enable()
    for text in said:
        assert text in str(caught.value)
    if kind is pm.CuptiError:
        error = caught.value
        assert (error.code, error.status, error.function) == (code, code, function)
        assert error.name == {26: "CUPTI_ERROR_HARDWARE_BUSY", 999: "CUPTI_ERROR_UNKNOWN"}[code]
    assert double.count("objects_open") == double.count("initialized") == 0
    collector.enable()  # it is as before
    collector.disable()


@pytest.mark.parametrize("name, code", [("start", 999), ("stop", 999)])
def test_other_errors(double, collector, pm, name, code):
    configure(collector)
    if name == "stop":
        collector.start()
    double.set(fail=f"cuptiPmSampling{name.capitalize()}:{code}:1")
    with pytest.raises(pm.CuptiError) as caught:
        getattr(collector, name)()
    assert caught.value.function == f"cuptiPmSampling{name.capitalize()}"
    getattr(collector, name)()


def test_cupti_error(pm):
    assert pm.cuptiError is pm.CuptiError and issubclass(pm.CuptiError, Exception)
    error = pm.CuptiError(26, "the text", "cuptiPmSamplingEnable")
    for each in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (each.code, each.name, each.function, str(each)) == (
            26, "CUPTI_ERROR_HARDWARE_BUSY", "cuptiPmSamplingEnable", "the text",
        )  # fmt: skip
    assert str(pm.CuptiError(8)) == "CUPTI: CUPTI_ERROR_OUT_OF_MEMORY (8)"


def test_no_library(pm):
    """All that needs CUPTI says what was tried; importing and the sets do not need it."""
    lines = [
        "from rangefinder import pm_sampling as pm",
        "pm.metric_set('gh100'), pm.Collector()",
        "for call in (pm.list_chips, pm.Collector().enable, lambda: pm.list_metrics('GH100')):",
        "    try: call()",
        "    except RuntimeError as error: assert 'RANGEFINDER_CUPTI' in str(error), error",
        "    else: raise SystemExit(1)",
    ]
    lacking = str(DOUBLE / "lacking" / "libcupti.so.12")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(lines)],
        capture_output=True, text=True, timeout=120 * SLOW,
        env={**os.environ, "RANGEFINDER_CUPTI": lacking, "RF_DOUBLE_CUPTI_VERSION": "18"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "chip, arguments, said",
    [
        ("GA100", {}, "GPU_SYSCLK_INTERVAL"),
        ("TU102", {"trigger_mode": 0, "hw_buffer_append_mode": 1}, "KEEP_LATEST"),
        ("GH100", {"trigger_mode": pm_sampling.TriggerMode.COUNT}, "trigger mode 2"),
        ("GH100", {"hw_buffer_append_mode": 2}, "append mode 2"),
        ("GH100", {"metrics": []}, "0 metrics"),
        ("GH100", {"single_pass_metric_set_name": "TriageComputer"}, "TriageCompute"),
    ],
)
def test_configurations_that_are_not_possible(double, pm, chip, arguments, said):
    double.set(chip=chip)
    with pm.Collector() as collector:
        with pytest.raises(ValueError, match=said):
            configure(collector, **arguments)
        collect(collector, trigger_mode=pm.TriggerMode.GPU_SYSCLK_INTERVAL)


def test_metrics_that_are_not_possible(double, collector, pm):
    unknown = ["sm__cycles_activ.avg", METRICS[0], "dram__byte.sum"]
    for call in (lambda: configure(collector, metrics=unknown), lambda: pm.passes(unknown, "GH100")):
        with pytest.raises(ValueError) as caught:
            call()
        for name in ("sm__cycles_activ.avg", "sm__cycles_active.avg", "dram__byte.sum", "dram__bytes.sum"):
            assert f"'{name}'" in str(caught.value)
    wide = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
    with pytest.raises(ValueError, match=f"9 passes.*leave out '{wide}'"):
        configure(collector, metrics=[METRICS[0], wide])
    wrong = [("sm__cycles_active.avg", TypeError), ([1], TypeError), (["a\0b"], ValueError), (None, TypeError)]
    for metrics, kind in wrong:
        with pytest.raises(kind, match="metrics|iterable"):
            configure(collector, metrics=metrics)


def test_not_while_it_samples(double, collector):
    configure(collector)
    collector.start()
    with pytest.raises(RuntimeError, match="stop"):
        configure(collector)


# ---- Collecting ----


def test_with(double, pm):
    with pm.Collector() as collector:
        assert double.count("objects_open") == 1
        assert "GH100" in repr(collector)
        with pytest.raises(RuntimeError):
            collector.enable()
        data = collect(collector)
    assert double.count("objects_open") == 0
    enabled = pm.Collector()
    enabled.enable()
    with pytest.raises(KeyError):
        with enabled:
            assert double.count("objects_open") == 1
            raise KeyError
    assert double.count("objects_open") == 0
    assert "20 samples of 3 metrics" in repr(data)


def test_garbage(double, pm):
    collector = pm.Collector()
    collector.enable()
    collect(collector)
    collector.start()
    gone = weakref.ref(collector)
    collector.itself = collector  # only the garbage collector finds it
    del collector
    gc.collect()
    assert gone() is None
    assert double.count("objects_open") == double.count("initialized") == 0


def test_two_devices(double, pm):
    double.set(devices=2)
    import ctypes

    class Driver(ctypes.Structure):  # tests/pmsampling/double/pm_double_driver.h
        _fields_ = [("devices", ctypes.c_int)]

    driver = ctypes.CDLL(str(DOUBLE / "libcuda.so.1")).pm_double_driver
    driver.restype = ctypes.POINTER(Driver)
    driver().contents.devices = 2
    try:
        with pm.Collector(0) as first, pm.Collector(device_index=1) as second:
            with pytest.raises(RuntimeError, match="GPU 1 is sampled already"):
                pm.Collector(1).enable()
            assert len(collect(first)) == len(collect(second)) == 20
            first.disable()
            assert double.count("objects_open") == double.count("initialized") == 1
            assert len(collect(second)) == 20
    finally:
        driver().contents.devices = 1


def test_every_completed_sample(double, collector):
    configure(collector)
    collector.start()
    sample(20)
    double.set(incomplete=3)
    data = collector.decode(1000)
    assert len(data) == data.num_completed_samples == 17
    assert (data.num_populated_samples, data.num_total_samples) == (20, 1000)
    assert data.is_first and data[0].start_timestamp == 0 and data[0].metric_values == [-1.0] * 3
    expected = [[k, k + 1 / 16, k + 2 / 16] for k in range(1, 17)]
    assert [sample.metric_values for sample in data[1:]] == expected
    assert data.start_timestamps == [sample.start_timestamp for sample in data]
    assert data.end_timestamps == [sample.end_timestamp for sample in data]
    assert data.chip_name == "GH100" and data.single_pass_metric_set_name is None
    assert data.cupti_version == 130200


def test_stop_reason(double, collector, pm):
    data = collect(collector, 20)
    assert data.stop_reason is pm.DecodeStopReason.END_OF_RECORDS and not data.overflow
    collector.start()
    sample(20)
    data = collector.decode(5)
    assert data.stop_reason is pm.DecodeStopReason.COUNTER_DATA_FULL and len(data) == 5
    assert len(collector.decode()) == 0  # the rest is lost, as by CUPTI 13.0
    sample(20)
    data = collector.decode()
    assert data.stop_reason is pm.DecodeStopReason.OTHER and len(data) == 20  # it goes on


def test_overflow(double, collector):
    double.set(capacity=10)
    configure(collector)
    collector.start()
    sample(30)
    with pytest.raises(MemoryError, match="hardware buffer"):
        collector.decode()
    collector.restart()
    sample(5)
    assert len(collector.decode()) == 5
    sample(30)
    with pytest.raises(MemoryError):
        collector.decode()
    collector.stop()
    assert len(collect(collector, 5)) == 5
    collector.start()
    double.set(overflow_flag=1)
    sample(30)
    data = collector.decode()
    assert data.overflow and len(data) == 10


def test_single_pass_set(double, collector, pm):
    data = collect(collector, single_pass_metric_set_name="TriageCompute")
    assert data.single_pass_metric_set_name == "TriageCompute"
    assert pickle.loads(pickle.dumps(data)).single_pass_metric_set_name == "TriageCompute"
    assert "TriageCompute" in pm.list_single_pass_sets("GH100")
    assert len(pm.single_pass_metrics("TriageCompute", "GH100")) > 0


# ---- Data ----


def test_values_are_lazy(double, collector):
    data = collect(collector, 20)
    again = pickle.loads(pickle.dumps(data))
    assert len(again) == 20 and len(again.start_timestamps) == 20 and again.num_completed_samples == 20
    assert double.count("evaluations") == 0
    data[3]
    assert double.count("evaluations") == 1
    next(iter(again))
    assert double.count("evaluations") == 2


def test_values_are_computed_once(double, collector):
    data = collect(collector, 20)
    third = data[3]
    assert data[3] == third and list(data)[3] == third and double.count("evaluations") == 20
    assert list(data) == data[:] and data[-1] == data[19] and double.count("evaluations") == 20
    third.metric_values.clear()  # a list of its own
    assert data[3].metric_values and data[3] != third
    alone = pickle.loads(pickle.dumps(data))
    half = alone[5:10]
    assert double.count("evaluations") == 25
    assert list(alone) == list(data) and alone[5:10] == half and double.count("evaluations") == 40


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(double, collector, protocol):
    data = collect(collector)
    names = ["metrics", "num_total_samples", "num_populated_samples", "start_timestamps", "stop_reason"]
    for again in (pickle.loads(pickle.dumps(data, protocol)), copy.copy(data), copy.deepcopy(data)):
        assert list(again) == list(data) and again is not data
        for name in names + ["is_first", "overflow"]:
            assert getattr(again, name) == getattr(data, name)


def test_pickle_on_a_machine_without_a_gpu(double, collector):
    data = collect(collector)
    script = (
        "import pickle, sys; from rangefinder import pm_sampling\n"
        "try: pm_sampling.Collector().enable()\nexcept ValueError as error: print(error)\n"
        "print(list(pickle.load(sys.stdin.buffer)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(data), capture_output=True, timeout=60 * SLOW,
        env={**os.environ, "RF_PM_DOUBLE_DRIVER": "devices=0"},
    )  # fmt: skip
    error, values = done.stdout.decode().splitlines()
    assert "there is no GPU" in error and values == str(list(data)) and done.stderr == b""


def test_damaged_pickle(double, collector):
    data = collect(collector)
    restore, (whole,) = data.__reduce__()
    assert list(restore(whole)) == list(data)
    places = [*range(200), *range(200, len(whole), len(whole) // 300), len(whole) - 1]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        with pytest.raises(ValueError):
            restore(bytes(damaged))
    for size in (0, 1, 79, 80, 81, 500, len(whole) - 1):
        with pytest.raises(ValueError):
            restore(whole[:size])
    with pytest.raises(ValueError):
        restore(whole + b"\0")
    with pytest.raises(TypeError):
        restore("text")
    pickled = pickle.dumps(data)
    at = pickled.index(whole) + len(whole) // 2
    with pytest.raises(ValueError, match="damaged"):
        pickle.loads(pickled[:at] + bytes([pickled[at] ^ 1]) + pickled[at + 1 :])
    assert double.count("evaluations") == len(data) * 2  # of what is whole


def parts(data):
    names = ["image", "metrics", "chip_name", "num_total_samples", "num_populated_samples"]
    names += ["num_completed_samples", "start_timestamps", "end_timestamps"]
    return {name: getattr(data, name) for name in names}


def test_constructor(double, collector, pm):
    data = collect(collector)
    for image in (data.image, bytes(data.image), bytearray(data.image)):
        made = pm.CounterData(**{**parts(data), "image": image, "metrics": tuple(data.metrics)})
        assert list(made) == list(data) and parts(made) == parts(data)
        assert list(pickle.loads(pickle.dumps(made))) == list(data)
    assert data.image.readonly and data.image.format == "B"


def test_trusted_image(double, collector, pm):
    """CUPTI's bytes alone, as NVIDIA's module has them."""
    data = collect(collector)
    bare = bytes(data.image)[:-32]
    with pytest.raises(ValueError, match="seal"):
        pm.CounterData(**{**parts(data), "image": bare})
    made = pm.CounterData(**{**parts(data), "image": bare}, trusted=True)
    assert list(made) == list(data) and made.cupti_version == 0
    assert bytes(made.image)[:-32] == bare and list(pickle.loads(pickle.dumps(made))) == list(data)
    again = pm.CounterData(**parts(made))  # it has a seal now
    assert list(again) == list(data)
    sealed = pm.CounterData(**parts(data), trusted=True)
    assert sealed.cupti_version == data.cupti_version and list(sealed) == list(data)
    damaged = bytearray(data.image)
    damaged[100] ^= 1
    for image in (damaged, b""):
        with pytest.raises(ValueError):
            pm.CounterData(**{**parts(data), "image": image}, trusted=True)


@pytest.mark.parametrize(
    "change, kind",
    [
        ({"image": b""}, ValueError),
        ({"image": bytes(1000)}, ValueError),  # such as NVIDIA's module has: without a seal
        ({"image": "text"}, TypeError),
        ({"metrics": []}, ValueError),
        ({"metrics": "text"}, TypeError),
        ({"chip_name": ""}, ValueError),
        ({"chip_name": None}, TypeError),
        ({"num_total_samples": 3}, ValueError),
        ({"num_populated_samples": 19}, ValueError),
        ({"num_completed_samples": 19}, ValueError),
        ({"num_completed_samples": -1}, ValueError),
        ({"num_completed_samples": 1 << 70}, ValueError),
        ({"start_timestamps": []}, ValueError),
        ({"end_timestamps": [-1] * 20}, ValueError),
        ({"end_timestamps": [1.5] * 20}, TypeError),
        ({"end_timestamps": 7}, TypeError),
    ],
)
def test_constructor_of_wrong_parts(double, collector, pm, change, kind):
    data = collect(collector)
    with pytest.raises(kind):
        pm.CounterData(**{**parts(data), **change})


def test_damaged_image(double, collector, pm):
    data = collect(collector)
    for place in (0, 100, len(data.image) // 2, len(data.image) - 40, len(data.image) - 1):
        image = bytearray(data.image)
        image[place] ^= 1
        with pytest.raises(ValueError):
            pm.CounterData(**{**parts(data), "image": image})


def test_unknown_names_in_whole_data(double, collector, pm):
    """They can be stated by anybody, and CUPTI is not given them."""
    data = collect(collector)
    made = pm.CounterData(**{**parts(data), "metrics": ["no__such.avg"]})
    with pytest.raises(ValueError, match="no__such"):
        made[0]
    made = pm.CounterData(**{**parts(data), "chip_name": "XX100"})
    with pytest.raises(ValueError, match="XX100"):
        made[0]


def test_image_keeps_its_data(double, collector):
    data = collect(collector)
    image, copied = data.image, bytes(data.image)
    del data
    gc.collect()
    assert image == copied


def test_numpy(double, collector):
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    data = collect(collector)
    values = data.to_numpy()
    assert values.shape == (20, 3) and values.dtype == numpy.float64
    assert values.tolist() == [sample.metric_values for sample in data]
    values[0] = 7  # it is a copy
    assert data[0].metric_values != [7, 7, 7]
    assert collector.decode().to_numpy().shape == (0, 3)
    image = numpy.frombuffer(data.image, dtype=numpy.uint8)
    assert list(pm_sampling.CounterData(**{**parts(data), "image": image})) == list(data)


def test_pandas(double, collector):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    data = collect(collector)
    frame = data.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["start_timestamp", "end_timestamp", *METRICS]
    assert frame["start_timestamp"].tolist() == data.start_timestamps
    assert frame["end_timestamp"].dtype == "uint64"
    assert frame[METRICS[1]].tolist() == [sample.metric_values[1] for sample in data]
    assert len(collector.decode().to_pandas()) == 0


@pytest.mark.parametrize("method, module", [("to_numpy", "numpy"), ("to_pandas", "pandas")])
def test_without_numpy_and_pandas(double, collector, monkeypatch, method, module):
    data = collect(collector)
    monkeypatch.setitem(sys.modules, module, None)
    said = rf"{method}\(\) needs the package {module}.*pip install {module}"
    with pytest.raises(ImportError, match=said) as caught:
        getattr(data, method)()
    assert caught.value.name == module


# ---- Threads and processes ----


def test_decode_lets_others_run(double, collector):
    """While one thread decodes another one can ask for it, and is told so."""
    configure(collector)
    collector.start()
    sample(5)
    double.set(delay_ms=200)
    refused, n = [], []

    def decode():
        while not refused and len(n) < 50:
            try:
                n.append(len(collector.decode()))
            except RuntimeError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=decode) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "another thread" in refused[0] and sum(n) <= 5


def test_threads(double, collector):
    data = collect(collector, 100)
    expected = list(data)
    results = []
    threads = [threading.Thread(target=lambda: results.append(list(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def in_child(function):
    """Runs it in a child made by fork(). Returns whether it ended without an exception."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def test_fork(double, collector):
    """A child leaves alone what its parent has of CUPTI, and evaluates with its own."""
    data = collect(collector)
    expected = list(pickle.loads(pickle.dumps(data)))  # data has no values yet
    image = bytes(data.image)
    thrown_away = [copy.copy(data)]
    assert list(thrown_away[0]) == expected

    def child():
        n_hosts = double.count("hosts_open")
        thrown_away.clear()
        assert double.count("hosts_open") == n_hosts
        assert data[0] == expected[0]
        assert double.count("hosts_open") == n_hosts + 1
        assert list(data) == expected and list(pickle.loads(pickle.dumps(data))) == expected
        assert data.image == image
        with pytest.raises(RuntimeError, match="forked"):
            collector.start()
        collector.disable()
        assert double.count("disables") == 0 and double.count("violations") == 0

    assert in_child(child)
    assert list(data) == expected
    collector.start()
    collector.stop()


# ---- Chips, metrics, sets ----


def test_chips(double, pm):
    chips = pm.list_chips()
    assert chips[:2] == ["GV100", "TU102"] and all(type(chip) is str for chip in chips)
    metrics = pm.list_metrics("gh100")
    assert metrics == sorted(metrics) and "sm__cycles_active" in metrics
    assert "nvlrx__bytes" not in pm.list_metrics("AD102")
    with pytest.raises(ValueError, match="GH100"):
        pm.list_metrics("GH10")
    with pytest.raises(ValueError, match="GV100"):
        pm.list_metrics("GV100")
    with pytest.raises(TypeError):
        pm.list_metrics(1)


def test_describe(double, pm):
    metric = pm.describe("dram__bytes.sum.per_second", "GH100")
    assert metric.type is pm.MetricType.COUNTER and metric.unit == "byte/second"
    assert (metric.name, metric.hw_unit) == ("dram__bytes.sum.per_second", "dram")
    assert metric.description == "bytes of DRAM" and "sum.per_second" in metric.submetrics
    assert pm.describe("l1tex__hit_rate", "GH100").submetrics == ("max_rate", "pct", "ratio")
    assert pm.describe("sm__throughput", "GH100").type is pm.MetricType.THROUGHPUT
    with pytest.raises(ValueError, match="dram__bytes"):
        pm.describe("dram__byte", "GH100")


def test_passes(double, pm):
    assert pm.passes(METRICS, "GH100") == 1 and pm.passes([], "GH100") == 0
    assert pm.passes(["sm__throughput.avg.pct_of_peak_sustained_elapsed"], "GH100") == 9
    with pytest.raises(ValueError, match="'sm__cycles_active'"):
        pm.passes(["sm__cycles_active"], "GH100")  # without a submetric
    with pytest.raises(TypeError):
        pm.passes("sm__cycles_active.avg", "GH100")


def test_sets(double, pm):
    assert {"gh100", "ad10x", "tu10x"} <= set(pm.list_metric_sets())
    found = pm.metric_set("GH100")
    assert found.name == "gh100" and "GH100" in found.chips
    assert len(found.metrics) == len(found.labels) == len(found.descriptions) > 10
    chosen = pm.choose_metrics("GH100")
    assert chosen == [name for name in found.metrics if name in chosen] and len(chosen) > 10
    assert pm.passes(chosen, "GH100") == 1
    assert pm.choose_metrics("GH100", "gh100") == chosen
    with pm.Collector() as collector:
        assert len(collect(collector, metrics=chosen)[1].metric_values) == len(chosen)
    for call in (lambda: pm.metric_set("gh1"), lambda: pm.choose_metrics("GH100", "gh1")):
        with pytest.raises(ValueError, match="list_metric_sets"):
            call()


def test_lacking_counters(double, pm):
    double.set(lacking="nvl")
    with pm.Collector() as collector:
        chosen = collector.choose_metrics()
        assert len(chosen) == 11 and not any(name.startswith("nvl") for name in chosen)
        assert collector.choose_metrics("gh100") == chosen
        with pytest.raises(ValueError, match="this GPU lacks its counters"):
            collector.configure(metrics=pm.choose_metrics("GH100"))
        with pytest.raises(ValueError, match="list_metric_sets"):
            collector.choose_metrics("gh1")
        assert len(collect(collector, metrics=chosen)[1].metric_values) == 11
    with pytest.raises(RuntimeError, match="not enabled"):
        pm.Collector().choose_metrics()


# ---- The stub ----


def test_stub():
    stub = stub_of("rangefinder.pm_sampling")
    said = {key: child for key, child in members(stub).items() if not key.startswith("_")}
    aliases = {"cuptiError", "HardwareBufferAppendMode"}
    assert set(said) | aliases == set(pm_sampling.__all__)
    for key, child in said.items():
        thing = getattr(pm_sampling, key)
        assert inspect.getdoc(thing), key
        if key in ("Collector", "CounterData"):
            for member, value in vars(thing).items():
                assert member.startswith("_") or inspect.getdoc(value), (key, member)
            names = {name for name in members(child) if not name.startswith("_")}
            assert names == {name for name in vars(thing) if not name.startswith("_")}
        elif not inspect.isclass(thing):
            arguments = child.args.args + child.args.kwonlyargs
            assert [arg.arg for arg in arguments] == [name for name, _, _ in runtime_parameters(thing)]


# ---- The guide ----


def test_guide(double, tmp_path):
    """The programs in docs/gpu-metrics.md, one after the other."""
    guide = (HERE.parent.parent / "docs" / "gpu-metrics.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python (\S+)\n(.*?)^```", guide, re.M | re.S)
    assert [name for name, _ in programs] == ["sample.py", "later.py"]
    lines = []
    for name, text in programs:
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            [sys.executable, "-W", "error", name], capture_output=True, text=True, timeout=120 * SLOW, cwd=tmp_path,
            env={**os.environ, "RF_PM_DOUBLE": "make=10"},
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        lines.append(done.stdout.splitlines())
    assert lines[0][0] == "100000 [1.0, 1.0625]" and len(lines[0]) == 9
    assert lines[1] == [f"{METRICS[0]} 9.0", f"{METRICS[1]} 9.0625"]
