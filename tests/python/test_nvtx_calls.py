# SPDX-License-Identifier: Apache-2.0
"""What a tool is told of payloads and counters: calls_tool.c writes it down. What the package nvtx tells
it is the same, where that is there or can be had."""

import os
import re
import struct
import sys

import pytest

from conftest import BUILD, HERE, export, run

CASES = re.findall(r"^def (\w+)\(\):", (HERE / "calls_cases.py").read_text(encoding="utf-8"), re.M)
CASES.remove("numpy")
WITHOUT_NUMPY = ["lists", "texts", "counters"]
TOOL = BUILD / "tests" / "python" / "calls_tool.so"
OURS = str(BUILD / "python")


@pytest.fixture
def told(tmp_path):
    """told(*command, python=..., path=PYTHONPATH) -> the lines that the tool wrote"""

    def told(*command, python=sys.executable, path=OURS, output=""):
        calls = tmp_path / "calls"
        env = {**os.environ, "PYTHONPATH": path, "NVTX_CALLS": str(calls), "NVTX_INJECTION64_PATH": str(TOOL)}
        done = run(python, "-W", "error", *command, env=env)
        assert done.returncode == 0 and done.stdout == output, (done.stdout, done.stderr)
        return calls.read_text(encoding="utf-8").splitlines()

    return told


def has_numpy(python):
    return run(python, "-c", "import numpy").returncode == 0


@pytest.mark.parametrize("case", CASES)
def test_same_as_nvtx(told, nvtx_python, case):
    if not has_numpy(nvtx_python):
        pytest.skip(f"{nvtx_python} has no numpy, without which the package nvtx takes no such payloads")
    program = HERE / "calls_cases.py"
    theirs = told(program, "nvtx", case, python=nvtx_python, path="")
    ours = told(program, "rangefinder.nvtx", case, python=nvtx_python)
    assert len(ours) > 20 and ours == theirs


@pytest.mark.parametrize("case", WITHOUT_NUMPY)
def test_same_with_and_without_numpy(told, nvtx_python, case):
    """Lists are read without NumPy: that a program has imported it makes no difference."""
    if not has_numpy(nvtx_python):
        pytest.skip(f"{nvtx_python} has no numpy")
    program = (
        "import runpy, sys; sys.argv = sys.argv[1:]\n"
        "if sys.argv.pop() == 'True': import numpy\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
        "print('numpy' in sys.modules)"
    )
    command = ["-c", program, HERE / "calls_cases.py", "rangefinder.nvtx", case]
    without = told(*command, "False", python=nvtx_python, output="False\n")
    assert without == told(*command, "True", python=nvtx_python, output="True\n")


def of_array(lines, what):
    """The bytes of a mark's array, without their number."""
    (line,) = [line for line in lines if line.startswith(f"mark of - {what} category 0")]
    data = bytes.fromhex(line.rsplit(":")[1])
    return struct.unpack_from("<Q", data)[0], data[8:]


def test_lists(told):
    lines = told("-c", """
import rangefinder.nvtx as nvtx
nvtx.mark("ints", payload=[1, -2, 3])
nvtx.mark("large", payload=[2**63, 2**64 - 1])
nvtx.mark("floats", payload=(1.5, 2))
nvtx.mark("nested", payload=[[1, 2], (3, 4)])
nvtx.mark("bools", payload=[True, False])
nvtx.mark("texts", payload=["a", "bc"])
nvtx.mark("range", payload=range(3, -2**63, -2**62))
nvtx.mark("bytes", payload=b"abc")
""")
    assert of_array(lines, "ints") == (3, struct.pack("<3q", 1, -2, 3))
    assert of_array(lines, "large") == (2, struct.pack("<2Q", 2**63, 2**64 - 1))
    assert of_array(lines, "floats") == (2, struct.pack("<2d", 1.5, 2))
    assert of_array(lines, "nested") == (4, struct.pack("<4q", 1, 2, 3, 4))
    assert of_array(lines, "bools") == (2, b"\1\0")
    assert of_array(lines, "texts") == (2, "a\0bc".encode("utf-32-le"))
    assert of_array(lines, "range") == (3, struct.pack("<3q", 3, 3 - 2**62, 3 - 2**63))
    assert sum(line.endswith("3:616263") for line in lines) == 1


def test_left_out(told):
    """Each is said, and the event is there; nothing crashes or hangs."""
    lines = told("-W", "always", "-c", """
import warnings, rangefinder.nvtx as nvtx
own = []
own.append(own)
twice = []
twice.extend([twice, twice])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for i, payload in enumerate([own, twice, [[1], [2, 3]], [1, "x"], [object()], [2**64], [-2**63 - 1],
                                 [10**400, 1.5], range(2**63), range(2**62, 2**64, 2**62), [1, None],
                                 range(10**15), ["\\ud800", b"x"]]):
        exec(compile("nvtx.mark(str(i), payload=payload)", str(i), "exec"))
assert len(caught) == 13, [str(each.message) for each in caught]
counter = nvtx.get_domain().get_counter("c", int)
floats = nvtx.get_domain().get_counter("f", float)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for i, wrong in enumerate((1.5, "1", None, 2**63, [1])):
        exec(compile("counter.sample(wrong)", f"counter{i}", "exec"))
    for i, wrong in enumerate(("1", None, [1], 10**400)):
        exec(compile("floats.sample(wrong)", f"floats{i}", "exec"))
    counter.sample_no_value(1)
    counter.batch_submit([1, 2], [1])
    counter.batch_submit([1.5], [1])
    counter.batch_submit([1], None)
    counter.batch_submit(5, [1])
assert len(caught) == 14, [str(each.message) for each in caught]
""")
    assert [line.split()[3] for line in lines if line.startswith("mark")] == [str(i) for i in range(13)]
    assert all(line.endswith("payload 0") for line in lines if line.startswith("mark"))
    assert not any(line.startswith(("int64", "float64", "batch", "no value")) for line in lines)


PROGRAM = """
import rangefinder.nvtx as nvtx
class Payload(list):
    def __getattribute__(self, name): raise AssertionError(name)
    def __len__(self): raise AssertionError
    def __iter__(self): raise AssertionError
payload = Payload([1])
nvtx.mark("a", payload=payload)
with nvtx.annotate("b", payload=payload): pass
nvtx.get_domain().mark(message="c", payload=payload)
domain = nvtx.get_domain("d")
counter = domain.get_counter("e", int)
assert counter is domain.get_counter("e", int) and type(counter) is nvtx.DummyCounter, counter
counter.sample(payload)
counter.sample_no_value(payload)
counter.batch_submit(payload, payload)
assert domain.get_timestamp() == 0
import sys
assert "numpy" not in sys.modules
"""


@pytest.mark.parametrize("disable", ["", "1"])
def test_no_tool(disable):
    """Nobody looks at a payload or a sample."""
    done = run(sys.executable, "-W", "error", "-c", PROGRAM,
               env={**os.environ, "PYTHONPATH": OURS, "NVTX_DISABLE": disable, "NVTX_INJECTION64_PATH": ""})
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_subclass(told):
    """annotate can be subclassed."""
    lines = told("-c", """
import pickle
import rangefinder.nvtx as nvtx
class Step(nvtx.annotate):
    def __init__(self, number, **more):
        super().__init__(f"step {number}", payload=[number], **more)
        self.number = number
    def __enter__(self):
        return super().__enter__().number
with Step(7, domain="d") as number:
    assert number == 7
step = Step(8)
assert step.init_args == ("step 8", None, None, None, [8]) and step.domain is nvtx.get_domain()
assert step.mutable_payload == [8] and step.attributes.message == "step 8"
@Step(9)
def work(): return 3
assert work() == 3
for i in range(100000):
    Step(1)
again = pickle.loads(pickle.dumps(nvtx.annotate("x", "red", "d", "c", (1, 2))))
assert again.init_args == ("x", "red", "d", "c", (1, 2)) and again.domain is nvtx.get_domain("d")
""")
    events = [line.split(":")[0] for line in lines if line.startswith(("push", "pop"))]
    assert [line.split(" category")[0] for line in events] == [
        "push of d step 7", "pop of d", "push of - step 9", "pop of -"]


def leaves(value):
    """The values in a payload, without the names of types."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, list) else [value]


def test_recorded(record):
    """What a recording has of them."""
    recorded = record("-c", """
import rangefinder.nvtx as nvtx
domain = nvtx.get_domain("d")
counter = domain.get_counter("c", int, semantics=nvtx.CounterSemantics(unit="bytes", min=0, max=10))
counter.sample(5)
times = [domain.get_timestamp() for _ in range(2)]
domain.get_counter("f", float).sample(2.5)
counter.batch_submit([6, 7], times)
nvtx.mark("list", payload=[1, -2, 3])
nvtx.mark("text", payload=["a", "bc"])
with nvtx.annotate("with", payload=(1.5, 2)):
    pass
""")
    assert recorded.status == 0 and not recorded.stderr, recorded.stderr
    counters = {line["name"]: line for line in recorded.events if line["type"] == "counter"}
    assert (counters["c"]["unit"], counters["c"]["min"], counters["c"]["max"]) == ("bytes", 0, 10)
    samples = [(line["counter"], line["value"]) for line in recorded.events if line["type"] == "sample"]
    assert sorted(samples) == sorted([*((counters["c"]["counter"], value) for value in (5, 6, 7)),
                                      (counters["f"]["counter"], 2.5)])
    assert leaves(recorded.named("list")["payload"]) == [1, -2, 3]
    assert leaves(recorded.named("text")["payload"]) == ["a", "bc"]
    assert leaves(recorded.named("with")["payload"]) == [1.5, 2]


def test_profile(tmp_path):
    """Payloads and counters of a part of a running program: the counters of before are found again."""
    program = tmp_path / "program.py"
    program.write_text("""
import rangefinder
from rangefinder import nvtx
domain = nvtx.get_domain("d")
counter = domain.get_counter("c", int, scope="s")
counter.sample(1)
assert type(counter) is nvtx.DummyCounter
attributes = domain.get_event_attributes("mark", payload=[1, 2])
for i in range(2):
    with rangefinder.profile(f"part{i}.rf"):
        domain.mark(attributes)
        counter.sample(2)
        assert type(counter) is nvtx.Int64Counter
        assert domain.get_timestamp() > 0
    counter.sample(3)
    domain.mark(attributes)
""")
    done = run(sys.executable, program, cwd=tmp_path, env={**os.environ, "PYTHONPATH": OURS})
    assert done.returncode == 0, done.stderr
    for i in range(2):
        lines = export(tmp_path / f"part{i}.rf")
        assert [leaves(line["payload"]) for line in lines if line["type"] == "mark"] == [[1, 2]]
        assert [line["value"] for line in lines if line["type"] == "sample"] == [2]


# ---- Names ----

LIST_NAMES = """
import inspect, sys
import nvtx
for name in sorted(vars(nvtx)):
    thing = getattr(nvtx, name)
    if name.startswith("_") or inspect.ismodule(thing):
        continue
    print(name)
    if inspect.isclass(thing):
        for member in dir(thing):
            if not member.startswith("_") and not hasattr(object, member):
                print(f"{name}.{member}")
"""
# attributes of annotate and Domain that the package sets in __init__()
INSTANCES = {"annotate.attributes", "annotate.domain", "annotate.init_args", "annotate.mutable_payload",
             "Domain.categories", "Domain.handle", "Domain.name"}


def test_names(nvtx_python):
    """docs/nvtx-python.md has each name of the package nvtx, and says truly whether it is here."""
    page = (HERE.parent.parent / "docs" / "nvtx-python.md").read_text(encoding="utf-8")
    rows = {}
    for name, members, answer in re.findall(r"^\| `(\w+)` \| ([\w ]*)\| (yes|no) \|", page, re.M):
        rows.update({name: answer, **{f"{name}.{member}": answer for member in members.split()}})
    done = run(nvtx_python, "-c", LIST_NAMES, env={**os.environ, "PYTHONPATH": ""})
    theirs = set(done.stdout.split()) | INSTANCES
    assert done.returncode == 0 and set(rows) == theirs, (set(rows) ^ theirs, done.stderr)
    for name, is_there in rows.items():
        assert is_there == ("yes" if is_here(name) else "no"), name


LIST_VALUES = """
import enum, importlib, sys
nvtx = importlib.import_module(sys.argv[1])
for name in sorted(dir(nvtx)):
    thing = getattr(nvtx, name)
    if isinstance(thing, type) and issubclass(thing, enum.Enum):
        print(name, sorted((each.name, each.value) for each in thing))
"""


def test_numbers(nvtx_python):
    theirs = run(nvtx_python, "-c", LIST_VALUES, "nvtx", env={**os.environ, "PYTHONPATH": ""})
    ours = run(nvtx_python, "-c", LIST_VALUES, "rangefinder.nvtx", env={**os.environ, "PYTHONPATH": OURS})
    assert theirs.stdout.count("\n") == 9 and ours.stdout == theirs.stdout, (theirs.stderr, ours.stderr)


def is_here(name):
    from rangefinder import nvtx

    thing = nvtx
    for part in name.split("."):
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True
