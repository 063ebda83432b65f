# SPDX-License-Identifier: Apache-2.0
"""The part of rangefinder.pm_sampling that needs no GPU, on NVIDIA's own libcupti, where one of CUDA 12.6
or later is found; RANGEFINDER_CUPTI can name one, or RF_CUPTI_LIBRARIES (the first is taken)."""

import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from limits import SLOW
from rangefinder import pm_sampling as pm

if os.environ.get("RF_CUPTI_LIBRARIES"):
    os.environ.setdefault("RANGEFINDER_CUPTI", os.environ["RF_CUPTI_LIBRARIES"].split(":")[0])

pytestmark = pytest.mark.filterwarnings("error")

RECORDED = Path(__file__).parents[1] / "data" / "cupti" / "h200-13.0.1-counters"
SM = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
THROUGHPUT = "sm__throughput.avg.pct_of_peak_sustained_elapsed"


@pytest.fixture(scope="module", autouse=True)
def chips():
    try:
        return pm.list_chips()
    except RuntimeError as error:
        pytest.skip(f"there is no libcupti of CUDA 12.6 or later: {error}")


def test_chips(chips):
    assert {"TU102", "GA100", "GA102", "GH100", "AD102"} <= set(chips) and len(chips) >= 20


@pytest.mark.parametrize("chip", ["GH100", "GB100", "AD102"])
def test_metrics(chips, chip):
    if chip not in chips:
        pytest.skip(f"this libcupti does not know {chip}")
    metrics = pm.list_metrics(chip)
    assert metrics == sorted(metrics) and len(metrics) > 700
    assert {"sm__cycles_active", "sm__throughput", "gpc__cycles_elapsed"} <= set(metrics)
    assert pm.list_metrics(chip.lower()) == metrics


def test_describe():
    metric = pm.describe(SM, "GH100")
    assert (metric.name, metric.type, metric.unit) == (SM, pm.MetricType.COUNTER, "percent")
    assert metric.description and "avg" in metric.submetrics and len(metric.submetrics) == 44
    assert pm.describe("pcie__read_bytes.sum.per_second", "GH100").unit == "byte/second"
    assert pm.describe("sm__throughput", "GH100").type is pm.MetricType.THROUGHPUT
    with pytest.raises(ValueError, match="'sm__cycles_active'"):
        pm.describe("sm__cycles_activ", "GH100")


def test_passes():
    assert pm.passes([SM], "GH100") == 1
    assert pm.passes([THROUGHPUT], "GH100") > 1
    with pytest.raises(ValueError, match="sm__cycles_active.avg.*'no__such'"):
        pm.passes(["sm__cycles_activ.avg", SM, "no__such"], "GH100")
    assert pm.passes([SM], "GH100") == 1  # and nothing is spoilt


@pytest.mark.parametrize("chip", ["TU102", "GA100", "GA102", "GH100", "AD102", "GB100", "GB202"])
def test_sets(chips, chip):
    if chip not in chips:
        pytest.skip(f"this libcupti does not know {chip}")
    chosen = pm.choose_metrics(chip)
    assert len(chosen) > 5 and pm.passes(chosen, chip) == 1


def test_set_of_hopper():
    assert pm.choose_metrics("GH100") == list(pm.metric_set("gh100").metrics)
    assert len(pm.metric_set("gh100").metrics) == 19


def test_single_pass_sets():
    try:
        sets = pm.list_single_pass_sets("GH100")
    except RuntimeError as error:
        assert "13.2" in str(error)
        return
    assert "TriageCompute" in sets
    metrics = pm.single_pass_metrics("TriageCompute", "GH100")
    assert len(metrics) > 10
    assert pm.passes(["sm__cycles_active.avg"], "GH100", single_pass_metric_set_name="TriageCompute") == 1


def test_samples_of_a_gpu():
    """Samples of an H200, during a copy, have the values here that they had there."""
    with gzip.open(f"{RECORDED}.rfpm.gz") as file:
        data = pm._counter_data(file.read())
    with open(f"{RECORDED}.json") as file:
        said = json.load(file)
    assert (data.chip_name, data.cupti_version, data.metrics) == (said["chip"], said["cupti"], said["metrics"])
    assert list(zip(data.start_timestamps, data.end_timestamps)) == [(s[0], s[1]) for s in said["samples"]]
    try:
        values = [sample.metric_values for sample in data]
    except RuntimeError as error:
        pytest.skip(f"this libcupti is older than the one that sampled: {error}")
    for mine, theirs in zip(values, said["samples"]):
        assert mine == pytest.approx(theirs[2:], rel=1e-12)


def test_nothing_foreign_reaches_it():
    """What GetCounterDataInfo and others would crash on."""
    for image in (b"", bytes(4096), b"RFPMIMG1" * 1000):
        with pytest.raises(ValueError):
            pm.CounterData(
                image=image, metrics=[SM], chip_name="GH100", num_total_samples=1, num_populated_samples=1,
                num_completed_samples=1, start_timestamps=[1], end_timestamps=[2],
            )  # fmt: skip
    restore = pickle.loads(pickle.dumps(pm._counter_data))
    with pytest.raises(ValueError):
        restore(b"RFPMDATA" + bytes(4096))


def test_collector_without_a_gpu():
    """As it is in a fresh process of a machine without a GPU or a driver; where there is one, it works."""
    program = (
        "from rangefinder import pm_sampling as pm\n"
        "collector = pm.Collector()\n"
        "try:\n    collector.enable()\n"
        "except (RuntimeError, ValueError, PermissionError, pm.CuptiError) as error:\n"
        "    assert len(str(error)) > 20, error\n"
        "collector.disable()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=120 * SLOW
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_fork():
    """A child asks CUPTI's host half anew, after its parent did."""
    assert pm.passes([SM], "GH100") == 1
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # rather than hang
        os._exit(0 if pm.passes([SM], "GH100") == 1 and pm.passes([THROUGHPUT], "GH100") > 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
