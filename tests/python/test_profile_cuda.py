# SPDX-License-Identifier: Apache-2.0
"""rangefinder.profile() in programs that use CUDA, on the stand-ins of tests/cuda/double: they show
that the recorder does what we believe CUPTI wants, and prove nothing about CUPTI."""

import os
import signal
import sys
import textwrap
import time

import pytest

import rangefinder
from conftest import BUILD, HERE, RANGEFINDER, run
from recordings import lines
from profile_programs import clean_environment, files

DOUBLE = BUILD / "tests" / "cuda" / "double"

HEAD = """
import ctypes, os, sys, threading, time, warnings
import rangefinder, rangefinder.nvtx as nvtx
from double_cuda import Cuda
cuda = Cuda()
def caught(function):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function()
    return [str(warning.message) for warning in found]
def c_variable(name):
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    return getenv(name.encode())
"""


@pytest.fixture
def program(tmp_path):
    """program(text, status=0, ...) runs a program with the stand-ins: what it prints, as lines. It
    writes nothing else, and breaks none of CUPTI's rules. program.asked(word): what CUPTI was asked
    for."""
    if not (DOUBLE / "lib").exists():
        pytest.skip("the stand-ins were not built")
    calls, violations = tmp_path / "calls", tmp_path / "violations"

    def program(text, *arguments, status=0, errors="", **env):
        (tmp_path / "program.py").write_text(HEAD + textwrap.dedent(text))
        defaults = {
            "LD_LIBRARY_PATH": str(DOUBLE / "lib"),
            "RANGEFINDER_CUPTI": str(DOUBLE / "cupti" / "libcupti.so.12"),
            "RF_DOUBLE_CALLS": str(calls),
            "RF_DOUBLE_VIOLATIONS": str(violations),
            "PYTHONPATH": f"{BUILD / 'python'}:{HERE}",
        }
        environment = {**clean_environment(), **defaults, **env}
        environment.pop("CUDA_INJECTION64_PATH", None)
        environment.update({k: v for k, v in env.items() if k == "CUDA_INJECTION64_PATH"})
        done = run(sys.executable, "program.py", *arguments, cwd=tmp_path, env=environment)
        assert done.returncode == status, (done.returncode, done.stderr)
        assert errors in done.stderr if errors else done.stderr == "", done.stderr
        assert not violations.exists(), violations.read_text()
        return done.stdout.splitlines()

    def asked(word):
        notes = calls.read_text().splitlines() if calls.exists() else []
        return [line.split()[4:] for line in notes if line.split()[3] == word]

    program.asked = asked
    yield program
    for path in tmp_path.rglob("*.pool"):
        if path.is_symlink():
            path.resolve().unlink(missing_ok=True)


def kernels(path):
    with rangefinder.open(path) as recording:
        return [kernel.name for kernel in recording.kernels]


def check_whole(path, n_kernels, names=None):
    """Every kernel has its call, which lies in the range "step", as the kernel does."""
    with rangefinder.open(path) as recording:
        assert len(recording.kernels) == n_kernels
        assert recording.info.n_bad_times == 0 and recording.info.n_cuda_dropped == 0
        (step,) = recording.ranges.filter(name="step")
        for kernel in recording.kernels:
            assert kernel.call is not None and kernel.range == step and kernel.flags == 0
            assert step.start_ns <= kernel.call.start_ns <= kernel.start_ns <= kernel.end_ns
            assert kernel.call.end_ns <= step.end_ns
        if names is not None:
            assert {kernel.name for kernel in recording.kernels} == names
        assert len(recording.calls) == len(set(call.correlation for call in recording.calls))


STEP = """
def step(name, n=5):
    with nvtx.annotate("step"):
        cuda.launch(name, n)
        cuda.copy()
        cuda.synchronize()
"""


# ---- What is recorded ----


@pytest.mark.parametrize("when", ["before", "in it"])
@pytest.mark.parametrize("version", ["18", "26", "130001", "130400"])
def test_first_use(program, tmp_path, when, version):
    """CUDA that was initialised before the recording, and CUDA that is in it."""
    printed = program(
        STEP
        + """
if sys.argv[1] == "before":
    cuda.init()
    cuda.launch("before", 3)
with rangefinder.profile("x.rf") as p:
    assert (c_variable("CUDA_INJECTION64_PATH") is None) == (sys.argv[1] == "before")
    step("in it")
assert c_variable("CUDA_INJECTION64_PATH") is None
cuda.launch("after", 3)
print(p.n_kernels, p.n_copies, p.n_syncs, p.n_lost_cuda, p.n_calls, p.n_ranges)
print(p.summary)
""",
        when,
        RF_DOUBLE_CUPTI_VERSION=version,
    )
    assert printed[0] == "5 1 1 0 7 1"
    assert "CUDA: 7 calls, 5 kernels, 1 memcpy, 1 synchronization; nothing lost" in printed[1]
    check_whole(tmp_path / "x.rf", 5, {"in it"})
    assert files(tmp_path) == ["calls", "x.rf"]
    assert len(program.asked("subscribe")) == len(program.asked("unsubscribe")) == 1
    assert sorted(program.asked("enable")) == sorted(program.asked("disable"))


def test_what_was_made_before(program, tmp_path):
    """Devices, contexts and streams of before the recording are known."""
    program(
        """
        cuda.init()
        stream = cuda.stream()
        for name in "0.rf", "1.rf":
            with rangefinder.profile(name):
                cuda.launch("k", stream=stream)
        """
    )
    for name in "0.rf", "1.rf":
        with rangefinder.open(tmp_path / name) as recording:
            assert [gpu.name for gpu in recording.gpus] == ["Double 0", "Double 1"]
            (kernel,) = recording.kernels
            (made,) = recording.gpu_streams.filter(stream=kernel.stream)
            assert made.priority is not None and made.gpu.name == "Double 0"


def test_several(program, tmp_path):
    """One after another: each holds what happened in it, and nothing of between."""
    program(
        STEP
        + """
for i in range(4):
    with rangefinder.profile(f"{i}.rf") as p:
        step(f"k{i}", i + 1)
    assert p.n_kernels == i + 1, p.n_kernels
    step("between")
"""
    )
    for i in range(4):
        check_whole(tmp_path / f"{i}.rf", i + 1, {f"k{i}"})
    assert len(program.asked("subscribe")) == len(program.asked("unsubscribe")) == 4


def test_threads(program, tmp_path):
    """Threads launch all the time while recordings come and go."""
    program(
        """
        cuda.init()
        is_over = threading.Event()
        def work():
            own = Cuda()
            while not is_over.is_set():
                with nvtx.annotate("step"):
                    own.launch("k", 20, duration_ns=1000)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        for i in range(6):
            with rangefinder.profile(f"{i}.rf") as p:
                time.sleep(0.05)
            assert p.n_kernels > 0 and p.n_lost == 0, p.summary
            time.sleep(0.01)
        is_over.set()
        for thread in threads: thread.join()
        """
    )
    for i in range(6):
        with rangefinder.open(tmp_path / f"{i}.rf") as recording:
            assert recording.info.n_bad_times == 0
            seen = [(kernel.pid, kernel.correlation) for kernel in recording.kernels]
            assert len(seen) > 0 and len(seen) == len(set(seen))
            # of calls that threads are in when it begins or ends CUPTI tells half
            without = [kernel for kernel in recording.kernels if kernel.call is None]
            assert len(without) <= 2 * 3, (len(without), len(seen))


def test_first_use_anywhere(program, tmp_path):
    """CUDA is initialised on another thread, at any moment of starts and stops."""
    for delay in range(12):
        printed = program(
            STEP
            + """
rangefinder.profile("warm.rf", overwrite=True, trace="nvtx").start()
rangefinder._profile._active.stop()
def use():
    time.sleep(int(sys.argv[1]) * 0.0015)
    cuda.init()
thread = threading.Thread(target=use)
thread.start()
n_warned = 0
for i in range(6):
    n_warned += len(caught(lambda: rangefinder.profile("x.rf", overwrite=True)(time.sleep)(0.002)))
thread.join()
with rangefinder.profile("x.rf", overwrite=True) as p:
    step("k")
print(p.n_kernels, n_warned)
""",
            str(delay),
        )
        n_kernels, n_warned = map(int, printed[0].split())
        assert n_kernels == 5 and n_warned <= 1, printed
        check_whole(tmp_path / "x.rf", 5)


# ---- The end ----


def test_work_that_runs(program, tmp_path):
    """stop() waits for what was launched."""
    program(
        """
        cuda.init()
        with rangefinder.profile("x.rf"):
            with nvtx.annotate("step"):
                cuda.launch("long", 2, duration_ns=150_000_000)
        """
    )
    check_whole(tmp_path / "x.rf", 2)


def test_work_that_runs_on(program, tmp_path):
    """Not for long: what has no end then says so, and is not in the next recording."""
    printed = program(
        """
        cuda.init()
        begin = time.monotonic()
        with rangefinder.profile("x.rf"):
            cuda.launch("long", duration_ns=6_000_000_000)
            begin = time.monotonic()
        print(time.monotonic() - begin)
        with rangefinder.profile("y.rf"):
            cuda.launch("short", stream=cuda.stream())
        """
    )
    assert 1.5 < float(printed[0]) < 8
    with rangefinder.open(tmp_path / "x.rf") as recording:
        (kernel,) = recording.kernels
        assert kernel.name == "long" and kernel.flags == 2 and recording.info.n_bad_times == 1
        assert recording.kernels.filter(flags=2)[0] == kernel
        assert recording.kernels.columns()["flags"].tolist() == [2]
        assert all(call.flags == 0 for call in recording.calls)
    assert kernels(tmp_path / "y.rf") == ["short"]


@pytest.mark.parametrize("setting", ["ZERO_TIMES", "REVERSED_TIMES", "EARLY_TIMES"])
def test_times_that_cannot_be(program, tmp_path, setting):
    """The flags are those that the command line tells."""
    program(
        STEP + "cuda.init()\nwith rangefinder.profile('x.rf'): step('k', 20)",
        **{f"RF_DOUBLE_{setting}": "5"},
    )
    words = {"no_start": 1, "no_end": 2, "clamped": 4, "before_call": 8}
    told = [
        sum(words[word] for word in line["flags"].split("+")) if "flags" in line else 0
        for line in lines(tmp_path / "x.rf")
        if line["type"] == "kernel"
    ]
    with rangefinder.open(tmp_path / "x.rf") as recording:
        flags = recording.kernels.columns()["flags"].tolist()
        assert sorted(flags) == sorted(told) and len(flags) - flags.count(0) == 4
        assert recording.info.n_bad_times == 4
        assert [kernel.flags for kernel in recording.kernels] == flags
        assert len(recording.gpu_ops.filter(kind="kernel", flags=0)) == 16
        assert all(call.flags == 0 for call in recording.calls)


def test_end_without_stop(program, tmp_path):
    program(
        STEP
        + """
rangefinder.profile("x.rf").start()
step("k")
sys.exit(3)
""",
        status=3,
    )
    check_whole(tmp_path / "x.rf", 5)


def test_killed(program, tmp_path):
    """What CUPTI had given by then is there."""
    program(
        STEP
        + """
with rangefinder.profile("x.rf"):
    step("k")
    while len(rangefinder.open("x.rfdir").kernels) < 5:
        time.sleep(0.05)
    os.kill(os.getpid(), 9)
""",
        status=-signal.SIGKILL,
    )
    done = run(RANGEFINDER, "recover", "x.rfdir", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    check_whole(tmp_path / "x.rf", 5)


def test_cupti_that_hangs(program, tmp_path):
    """stop() comes back, says so, and CUPTI is not asked again."""
    begin = time.monotonic()
    printed = program(
        STEP
        + """
p = rangefinder.profile("x.rf")
p.start()
step("k")
print(*caught(p.stop))
print(*caught(lambda: rangefinder.profile("y.rf")(step)("k")))
sys.stdout.flush()
os._exit(0)
""",
        RF_DOUBLE_FLUSH_HANGS="1",
    )
    assert 9 < time.monotonic() - begin < 60 * int(os.environ.get("RF_TEST_SLOW", 1))
    assert printed[0].startswith("CUPTI did not give back what it had in 10 s")
    assert printed[1] == "CUDA is not recorded: CUPTI did not come back from an earlier recording"
    with rangefinder.open(tmp_path / "y.rf") as recording:
        assert [step.name for step in recording.ranges] == ["step"]


def test_many(program):
    """Nothing grows with the number of recordings."""
    program(
        STEP
        + """
cuda.init()
streams = [cuda.stream() for _ in range(20)]
def state():
    with open("/proc/self/status") as file:
        status = dict(line.split(":", 1) for line in file)
    with open("/proc/self/maps") as file:
        n_maps = len(file.readlines())
    return (len(os.listdir("/proc/self/fd")), n_maps, int(status["VmRSS"].split()[0]),
            int(status["Threads"]))
def record(n):
    for i in range(n):
        with rangefinder.profile("x.rf", overwrite=True):
            step("k")
record(10)
before = state()
record(40)
def grown():
    return [b - a for a, b in zip(before, state())]
deadline = time.monotonic() + 60
while grown()[3] > 0 and time.monotonic() < deadline:  # a thread is on its way out
    time.sleep(0.01)
growth = grown()
assert growth[0] == 0 and growth[1] <= 4 and growth[2] <= 4096 and growth[3] <= 0, growth
"""
    )


# ---- Where CUDA is not used, or not wanted ----


def test_unused(program, tmp_path):
    """Nothing is loaded, nothing is said, and the environment is as it was."""
    printed = program(
        """
        def mapped():
            with open("/proc/self/maps") as maps:
                text = maps.read()
            return [name for name in ("libcuda.so", "libcupti", "/libcudart") if name in text]
        name = "CUDA_INJECTION64_PATH"
        before = mapped()
        assert c_variable(name) is None
        with rangefinder.profile("x.rf") as p:
            nvtx.mark("m")
            assert c_variable(name).endswith(b"/librangefinder-inject.so")
            assert name not in os.environ
        assert c_variable(name) is None
        print(before, mapped(), threading.active_count(), p.n_kernels, p.n_calls)
        print(p.summary)
        """
    )
    assert printed[0] == "['/libcudart'] ['/libcudart'] 1 0 0"
    assert "CUDA" not in printed[1]
    assert program.asked("subscribe") == []


@pytest.mark.parametrize("when", ["before", "in it"])
def test_unwanted(program, tmp_path, when):
    program(
        STEP
        + """
if sys.argv[1] == "before": cuda.init()
for trace in ("nvtx",), "nvtx", ["nvtx"]:
    with rangefinder.profile("x.rf", overwrite=True, trace=trace) as p:
        assert c_variable("CUDA_INJECTION64_PATH") is None
        step("k")
    assert (p.n_kernels, p.n_ranges) == (0, 1)
with rangefinder.profile("y.rf", trace="cuda,nvtx") as p: step("k")
assert p.n_kernels == 5
""",
        when,
    )
    assert len(program.asked("subscribe")) == 1


def test_trace(program):
    printed = program(
        """
        for trace in "cuda", (), ("nvtx", "osrt"), "nvtx,", None, 3, [3]:
            try: rangefinder.profile("x.rf", trace=trace)
            except (ValueError, TypeError) as error: print(type(error).__name__, error)
            else: print("taken")
        """
    )
    assert [line.split()[0] for line in printed] == ["ValueError"] * 4 + ["TypeError"] * 2 + ["ValueError"]
    assert "not 'osrt'" in printed[2] and "needs 'nvtx'" in printed[0]


def test_no_device(program):
    """A driver that finds no GPU is no reason for a message."""
    printed = program(
        """
        p = rangefinder.profile("x.rf")
        print(*caught(p.start))
        print(cuda.init())
        print(*caught(p.stop))
        """,
        RF_DOUBLE_DEVICES="0",
    )
    assert printed == ["", "100", ""]


def test_real_driver(tmp_path):
    """NVIDIA's own libcuda, which finds no GPU: the same."""
    code = """
import ctypes, rangefinder
try: cuda = ctypes.CDLL("libcuda.so.1")
except OSError: raise SystemExit(77)
with rangefinder.profile("x.rf"): print(cuda.cuInit(0))
with rangefinder.profile("y.rf"): print(cuda.cuInit(0))
"""
    environment = {**clean_environment(), "PYTHONPATH": str(BUILD / "python")}
    done = run(sys.executable, "-c", code, cwd=tmp_path, env=environment)
    if done.returncode == 77:
        pytest.skip("there is no libcuda")
    if "0" in done.stdout.split():
        pytest.skip("there is a GPU")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


# ---- What goes wrong ----


WARNED = """
p = rangefinder.profile("x.rf")
if sys.argv[1] == "before": cuda.init()
at_start = caught(p.start)
step("k")
at_end = caught(p.stop)
print(len(at_start), len(at_end))
print(*at_start, *at_end)
assert (p.n_ranges, p.n_kernels) == (1, 0), p.summary
"""


@pytest.mark.parametrize("when", ["before", "in it"])
@pytest.mark.parametrize(
    "env, words",
    [
        ({"RF_DOUBLE_SUBSCRIBE": "39"}, "another profiler has CUPTI in this process (39)"),
        ({"RF_DOUBLE_SUBSCRIBE": "999"}, "does not start (999)"),
        ({"RANGEFINDER_CUPTI": "/nonexistent/libcupti.so.12"}, "libcupti"),
        ({"RANGEFINDER_CUPTI": str(DOUBLE / "lacking" / "libcupti.so.12")}, "cuptiActivityFlushAll"),
        ({"CUDA_INJECTION64_PATH": "/opt/tool/libtool.so"}, "'/opt/tool/libtool.so' is another tool"),
    ],
)
def test_refused(program, tmp_path, when, env, words):
    """One warning, where CUDA is used and not recorded; NVTX goes on."""
    printed = program(STEP + WARNED, when, **env)
    assert printed[0] == ("1 0" if when == "before" else "0 1")
    assert printed[1].startswith("CUDA is not recorded: ") and words in printed[1], printed[1]
    with rangefinder.open(tmp_path / "x.rf") as recording:
        assert [step.name for step in recording.ranges] == ["step"]
        assert len(recording.calls) == 0


def test_refused_and_then_not(program, tmp_path):
    """The other profiler has left: the next recording has CUDA."""
    program(
        STEP
        + """
cuda.init()
cupti = ctypes.CDLL(os.environ["RANGEFINDER_CUPTI"])
callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)
handler, subscriber = callback(lambda *arguments: None), ctypes.c_void_p()
assert cupti.cuptiSubscribe(ctypes.byref(subscriber), handler, None) == 0
p = rangefinder.profile("x.rf")
(text,) = caught(p.start)
assert "another profiler" in text
step("k")
assert caught(p.stop) == []
assert cupti.cuptiUnsubscribe(subscriber) == 0
with rangefinder.profile("y.rf"): step("k")
# and it can come back, for nothing of ours is left in its way
assert cupti.cuptiSubscribe(ctypes.byref(subscriber), handler, None) == 0
"""
    )
    assert kernels(tmp_path / "x.rf") == []
    check_whole(tmp_path / "y.rf", 5)


@pytest.mark.parametrize("when", ["before", "in it"])
def test_off(program, when):
    """CUDA_INJECTION64_PATH=none: somebody wants it so."""
    printed = program(STEP + WARNED, when, CUDA_INJECTION64_PATH="none")
    assert printed[0] == "0 0"


@pytest.mark.parametrize("kind, n_kernels", [("KINETO", 0), ("NVTX", 5)])
def test_torch_profiler(program, kind, n_kernels):
    """torch.profiler has CUPTI and does not say so; emit_nvtx() has not."""
    printed = program(
        STEP
        + """
import types
torch, autograd, profiler = (types.ModuleType(name) for name in
    ("torch", "torch.autograd", "torch.autograd.profiler"))
torch._C = types.SimpleNamespace(_autograd=types.SimpleNamespace(
    _profiler_type=lambda: types.SimpleNamespace(name=sys.argv[1])))
profiler._is_profiler_enabled = True
sys.modules.update({"torch": torch, "torch.autograd": autograd, "torch.autograd.profiler": profiler})
cuda.init()
p = rangefinder.profile("x.rf")
print(*caught(p.start))
step("k")
p.stop()
print(p.n_kernels)
profiler._is_profiler_enabled = False
with rangefinder.profile("y.rf") as p: step("k")
print(p.n_kernels)
""",
        kind,
    )
    assert printed[1:] == [str(n_kernels), "5"]
    assert ("torch.profiler is at work" in printed[0]) == (n_kernels == 0)


def test_standby_off(program):
    """RANGEFINDER_STANDBY=0: what is initialised in the recording is not seen."""
    printed = program(STEP + WARNED, "in it", RANGEFINDER_STANDBY="0")
    assert printed[0] == "0 1" and "RANGEFINDER_STANDBY=0" in printed[1]
    printed = program(
        STEP + "cuda.init()\nwith rangefinder.profile('y.rf') as p: step('k')\nprint(p.n_kernels)",
        RANGEFINDER_STANDBY="0",
    )
    assert printed == ["5"]


def test_lost(program):
    printed = program(
        STEP + "with rangefinder.profile('x.rf') as p: step('k', 20)\nprint(p.n_lost_cuda, p.summary)",
        RF_DOUBLE_DROPPED="3",
    )
    assert printed[0].startswith("3 wrote") and printed[0].endswith("LOST 3 CUDA records")


def test_kernels_that_fail(program):
    """CUPTI records calls, and no kernels: each recording says so."""
    printed = program(
        STEP
        + """
for name in "x.rf", "y.rf":
    p = rangefinder.profile(name)
    texts = caught(p.start)
    step("k")
    print(*texts, *caught(p.stop), p.n_calls, p.n_kernels)
""",
        RF_DOUBLE_ENABLE_FAILS="10:27",
    )
    assert printed == ["CUDA kernels are not recorded: CUPTI says 27 7 0"] * 2


def test_replaced(program):
    """Another profiler takes CUPTI's buffers in the recording; the next one has them again."""
    printed = program(
        STEP
        + """
cuda.init()
cupti = ctypes.CDLL(os.environ["RANGEFINDER_CUPTI"])
REQUEST = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
                           ctypes.POINTER(ctypes.c_size_t))
COMPLETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t,
                            ctypes.c_size_t)
memory = []
def request(buffer, size, n):
    memory.append(ctypes.create_string_buffer(1 << 20))
    buffer[0], size[0], n[0] = (ctypes.addressof(memory[-1]) + 7) // 8 * 8, (1 << 20) - 8, 0
handlers = REQUEST(request), COMPLETE(lambda *arguments: None)
p = rangefinder.profile("x.rf")
p.start()
time.sleep(1.5)
assert cupti.cuptiActivityRegisterCallbacks(*handlers) == 0
step("k")
print(*caught(p.stop))
with rangefinder.profile("y.rf") as p: step("k")
print(p.n_kernels)
"""
    )
    assert "another profiler in this process has taken CUPTI's buffers" in printed[0]
    assert printed[1] == "5"


def test_warning_as_error(program, tmp_path):
    """Nothing is left of a recording that does not begin."""
    program(
        STEP
        + """
cuda.init()
warnings.simplefilter("error")
p = rangefinder.profile("x.rf")
os.environ["RF_DOUBLE_SUBSCRIBE"] = "39"
try: p.start()
except RuntimeWarning: pass
else: assert False
assert not p.is_recording and c_variable("CUDA_INJECTION64_PATH") is None
del os.environ["RF_DOUBLE_SUBSCRIBE"]
with p: step("k")
assert p.n_kernels == 5
"""
    )
    assert files(tmp_path) == ["calls", "x.rf"]


# ---- Processes ----


def test_fork_before_use(program, tmp_path):
    """A child's CUDA is not recorded, which is said; when the recording is over it can record
    itself."""
    printed = program(
        STEP
        + """
ready, go = os.pipe(), os.pipe()
p = rangefinder.profile("x.rf")
p.start()
pid = os.fork()
if pid == 0:
    step("child")
    os.write(ready[1], b"x")
    os.read(go[0], 1)
    with rangefinder.profile("own.rf") as own: step("own")
    assert own.n_kernels == 5, own.summary
    os._exit(0)
os.read(ready[0], 1)
print(*caught(p.stop))
os.write(go[1], b"x")
assert os.waitpid(pid, 0)[1] == 0
print(p.n_ranges, p.n_kernels)
"""
    )
    assert printed == [
        "CUDA of a process that was forked in the recording is not recorded", "1 0",
    ]
    check_whole(tmp_path / "own.rf", 5, {"own"})


def test_fork_after_use(program, tmp_path):
    """Such a child cannot use CUDA; CUPTI is not called there."""
    program(
        STEP
        + """
def child():
    pid = os.fork()
    if pid == 0:
        nvtx.mark("child")
        assert cuda.launch("child") != 0
        p.stop()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
def own():
    pid = os.fork()
    if pid == 0:
        with rangefinder.profile("own.rf") as own: nvtx.mark("own")
        assert own.n_kernels == 0
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
with rangefinder.profile("x.rf") as p:
    step("k")
    child()
assert (p.n_kernels, p.n_processes) == (5, 2)
own()
with rangefinder.profile("y.rf"): step("k")
"""
    )
    check_whole(tmp_path / "x.rf", 5)
    check_whole(tmp_path / "y.rf", 5)


def test_programs_that_are_started(program, tmp_path):
    """A program that inherits the variable is not touched, and can record itself."""
    program(
        """
        import subprocess
        plain = "from double_cuda import Cuda; cuda = Cuda(); cuda.launch('k'); cuda.synchronize()"
        own = ("import rangefinder; from double_cuda import Cuda; cuda = Cuda()\\n"
               "with rangefinder.profile('own.rf') as p: cuda.launch('own')\\n"
               "assert p.n_kernels == 1")
        with rangefinder.profile("x.rf") as p:
            for code in plain, own:
                done = subprocess.run([sys.executable, "-c", code], capture_output=True)
                assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), done
        assert p.n_kernels == 0
        """
    )
    assert kernels(tmp_path / "own.rf") == ["own"]
    assert files(tmp_path) == ["calls", "own.rf", "x.rf"]
