# SPDX-License-Identifier: Apache-2.0
"""What the tests of GPU counters share: the module that is tested, and what it runs on.

RF_PM_MODULE names the module, rangefinder.pm_sampling unless set: cupti.pm_sampling is NVIDIA's, which
runs on a GPU. RF_PM_GPU=1 has ours run on it, too. Otherwise, or with RF_PM_GPU=0, it is the stand-ins
for libcupti and libcuda of tests/pmsampling/double."""

import ctypes
import gc
import importlib
import os
import time

import pytest

from conftest import BUILD

MODULE = os.environ.get("RF_PM_MODULE", "rangefinder.pm_sampling")
IS_OURS = MODULE == "rangefinder.pm_sampling"
HAS_GPU = os.environ.get("RF_PM_GPU", "0" if IS_OURS else "1") == "1"
DOUBLE = BUILD / "tests" / "pmsampling" / "double"
INTERVAL = 10000  # nanoseconds

METRICS = [
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpc__cycles_elapsed.avg.per_second",
]


class StandIn:
    """The stand-ins: see tests/pmsampling/double/pm_double.h."""

    def __init__(self):
        # found by its name from now on, by this process and those that it starts
        os.environ["LD_LIBRARY_PATH"] = f"{DOUBLE}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        os.environ["RANGEFINDER_CUPTI"] = str(DOUBLE / "libcupti.so.13")
        os.environ["RF_DOUBLE_CUPTI_VERSION"] = "130200"
        ctypes.CDLL(str(DOUBLE / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(os.environ["RANGEFINDER_CUPTI"])

    def reset(self):
        self._library.pm_double_reset(b"")

    def set(self, **settings):
        text = ",".join(f"{name}={value}" for name, value in settings.items())
        self._library.pm_double_set(text.encode())

    def count(self, name):
        return self._library.pm_double_count(name.encode())


if HAS_GPU and not IS_OURS:  # NVIDIA's module leaves that to its user
    ctypes.CDLL("libcuda.so.1").cuInit(0)
stand_in = None
if not HAS_GPU and (DOUBLE / "libcupti.so.13").exists():
    stand_in = StandIn()


@pytest.fixture
def pm():
    """The module; when ours has ended, nothing is open, and no rule of CUPTI was broken."""
    if stand_in is None and not HAS_GPU:
        pytest.skip("the stand-ins for CUPTI were not built")
    if stand_in is not None:
        stand_in.reset()
    try:
        module = importlib.import_module(MODULE)
    except ImportError as error:
        pytest.skip(f"{MODULE} cannot be imported: {error}")
    yield module
    if stand_in is not None and IS_OURS:
        gc.collect()
        left = {name: stand_in.count(name) for name in ("violations", "objects_open", "initialized")}
        assert left == {"violations": 0, "objects_open": 0, "initialized": 0}


@pytest.fixture
def double(pm):
    """The stand-in, for tests that cannot be run without it."""
    if stand_in is None:
        pytest.skip("this needs the stand-in for CUPTI")
    return stand_in


@pytest.fixture
def collector(pm):
    """An enabled collector of GPU 0."""
    collector = pm.Collector()
    collector.enable()
    yield collector
    collector.disable()


def configure(collector, **arguments):
    collector.configure(**{"metrics": METRICS, "sampling_interval": INTERVAL, **arguments})


def sample(n):
    """Lets n samples come; on a GPU some more."""
    if stand_in is not None:
        stand_in.set(make=n)
    else:
        time.sleep(2 * n * INTERVAL / 1e9 + 0.01)


def collect(collector, n=20, **arguments):
    """Configures it, samples and decodes."""
    configure(collector, **arguments)
    collector.start()
    sample(n)
    collector.stop()
    data = collector.decode(max_samples=10000 if HAS_GPU else 1000)
    assert len(data) == n or (HAS_GPU and len(data) > n)
    return data
