# SPDX-License-Identifier: Apache-2.0
"""rangefinder.install(): programs that import NVIDIA's modules; and what `import rangefinder` gives."""

import os
import sys

import pytest

from conftest import BUILD, run

DOUBLE = BUILD / "tests" / "pmsampling" / "double"

# A package cupti as NVIDIA's is laid out, where theirs is not wanted.
CUPTI = {
    "cupti/__init__.py": "from . import other, pm_sampling\n",
    "cupti/other.py": "",
    "cupti/pm_sampling.py": "raise ImportError('NVIDIA\\'s is asked for')\n",
    "cupti/cupti.py": "class cuptiError(Exception):\n"
    "    def __init__(self, status):\n"
    "        self.status = status\n"
    "        super().__init__(str(status))\n",
}

PROGRAM = """
import pickle, sys
import rangefinder
rangefinder.install()
import cupti.pm_sampling
from cupti.pm_sampling import Collector
from cupti import pm_sampling
from cupti.cupti import cuptiError
assert cupti.pm_sampling is pm_sampling is rangefinder.pm_sampling
try:
    with Collector() as collector:
        collector.configure(metrics=["sm__cycles_active.avg.pct_of_peak_sustained_elapsed"])
        collector.start()
except cuptiError as error:
    print("caught", error.status, error.name, isinstance(error, pm_sampling.CuptiError))
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, cuptiError) and str(again) == str(error) and again.code == error.code
"""


def python(program, *arguments, **env):
    done = run(sys.executable, "-c", program, *arguments, env={**os.environ, **env})
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_path(folder):
    return f"{folder}:{os.environ.get('PYTHONPATH', '')}"


@pytest.fixture
def package(tmp_path):
    for name, text in CUPTI.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_nvtx():
    python("""
import rangefinder
rangefinder.install("nvtx")
rangefinder.install("nvtx")
import nvtx, nvtx.nvtx, nvtx.colors
from nvtx.nvtx import annotate, mark
from nvtx.colors import color_to_hex
import rangefinder.nvtx, rangefinder.nvtx.colors
assert nvtx is rangefinder.nvtx and annotate is nvtx.annotate and mark is nvtx.mark
assert nvtx.colors is rangefinder.nvtx.colors
assert color_to_hex() == color_to_hex(None) == 0xff and color_to_hex("green") == 0x8000
try:
    color_to_hex("no such color")
except TypeError as error:
    print(error)
nvtx.mark("list", payload=[1, 2])
with nvtx.annotate("tuple", payload=(1, 2)):
    pass
try:
    nvtx.nothing
except AttributeError:
    pass
""")


def test_nvtx_colors_without_install():
    python("import rangefinder.nvtx as nvtx; assert nvtx.colors.color_to_hex('red') == 0xff0000")


def test_lists_as_payloads(record):
    recorded = record("-c", """
import rangefinder
rangefinder.install("nvtx")
import nvtx
from nvtx import Counter, numpy_dtype
from nvtx.nvtx import annotate
from nvtx.colors import color_to_hex
from nvtx._lib import EventAttributes, end_range, mark, pop_range, push_range, start_range
from nvtx._lib.lib import DomainHandle, StringHandle
from nvtx.nvtx import dummy_domain
from nvtx._lib.counters import CounterSemantics, DummyCounter, dummy_counter
from nvtx._lib.time import TimestampType
from nvtx._lib.profiler import Profile
import nvtx._lib.lib
with annotate("list", payload=[1, 2]):
    nvtx.mark("bytes", payload=b"x")
domain = nvtx.get_domain("d")
attributes = domain.get_event_attributes("inside")
push_range(attributes, domain.handle)
mark(attributes, domain.handle)
pop_range(DomainHandle("d"))
end_range(*start_range(attributes, domain.handle))
assert domain.handle.name == "d" and domain.handle.enabled() and domain.handle == DomainHandle("d")
assert isinstance(domain.get_counter("c", int), Counter)
assert StringHandle(domain.handle, "text").string == "text" and StringHandle(domain.handle).string == ""
dummy_domain.mark(dummy_domain.get_event_attributes("nothing", payload=[1]))
dummy_domain.push_range(message="nothing")
dummy_domain.pop_range()
dummy_domain.end_range(dummy_domain.start_range(message="nothing"))
assert dummy_domain.get_counter("c", int) is dummy_counter and dummy_counter.domain is dummy_domain
dummy_counter.sample(1)
dummy_counter.batch_submit([1], [dummy_domain.get_timestamp()])
""")
    assert recorded.status == 0 and not recorded.stderr, recorded.stderr
    assert recorded.named("list") and recorded.named("bytes")
    assert sum(event.get("name") == "inside" for event in recorded.events) == 3
    assert not any(event.get("name") == "nothing" or event["type"] == "sample" for event in recorded.events)


@pytest.mark.parametrize("is_installed", [False, True])
def test_pm_sampling(package, is_installed):
    """As a name where NVIDIA's package is there, and where it is not; its cuptiError catches ours."""
    if not (DOUBLE / "libcupti.so.13").exists():
        pytest.skip("the stand-ins for CUPTI were not built")
    program = f"""
import ctypes
ctypes.CDLL({str(DOUBLE / 'libcuda.so.1')!r}, mode=ctypes.RTLD_GLOBAL)
double = ctypes.CDLL({str(DOUBLE / 'libcupti.so.13')!r})
double.pm_double_reset(b"")
double.pm_double_set(b"fail=cuptiPmSamplingStart:999:1")
{PROGRAM}
"""
    env = {"PYTHONPATH": with_path(package)} if is_installed else {}
    said = python(program, RANGEFINDER_CUPTI=str(DOUBLE / "libcupti.so.13"),
                  RF_DOUBLE_CUPTI_VERSION="130200", LD_LIBRARY_PATH=str(DOUBLE), **env)
    assert said == "caught 999 CUPTI_ERROR_UNKNOWN True\n"


def test_what_was_imported_before(package):
    (package / "nvtx.py").write_text("")
    (package / "cupti" / "pm_sampling.py").write_text("")
    python("""
import cupti, nvtx
import rangefinder
for name in ("nvtx", "cupti.pm_sampling"):
    try:
        rangefinder.install(name)
    except RuntimeError as error:
        assert str(error) == f"the module {name} is imported already: call install() before it is"
    else:
        raise AssertionError(name)
try:
    rangefinder.install("cupti")
except ValueError as error:
    assert str(error) == "install() takes 'nvtx', 'cupti.pm_sampling', not 'cupti'"
""", PYTHONPATH=with_path(package))


def test_import_rangefinder():
    version = run(BUILD / "bin" / "rangefinder", "--version").stdout.split()[1]
    python("""
import sys
import rangefinder
assert rangefinder.__version__ == sys.argv[1], rangefinder.__version__
assert "rangefinder.nvtx" not in sys.modules
rangefinder.nvtx.mark("x")
assert rangefinder.pm_sampling.Collector and rangefinder.recording.Recording and rangefinder.open
assert {"nvtx", "pm_sampling", "install", "__version__"} <= set(dir(rangefinder))
try:
    rangefinder.nothing
except AttributeError as error:
    assert "nothing" in str(error)
""", version)
