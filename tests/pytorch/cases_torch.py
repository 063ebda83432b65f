# SPDX-License-Identifier: Apache-2.0
"""--pytorch, with a package that stands for PyTorch."""

import os
import sys

from harness import PUSH_POP, REGISTERED, expect_equal, fail_if
from recording import VERSIONS, counts, environment, record

LOOP = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        self.layers = torch.nn.Sequential(torch.nn.Linear(), torch.nn.Linear())
    def forward(self, x):
        return self.layers(x)

net = Net()
opt = torch.optim.SGD([torch.Tensor(3)], lr=0.25)
momentum = torch.optim.Momentum([torch.Tensor(3)])
for _ in range(3):
    net(torch.Tensor(4, 8)).backward()
    opt.step()
momentum.step(lambda: torch.autograd.grad(torch.Tensor(1), [torch.Tensor(3)]))
print("done", torch.optim.SGD.step.__doc__, torch.optim.SGD.step.hooked)
"""

LOOP_COUNTS = {
    "Net.forward": 3,
    "Sequential.forward": 3,
    "Linear.forward": 6,
    "autograd.backward": 3,
    "autograd.grad": 1,
    "SGD.step": 3,
    "Momentum.step": 1,
}


def case_functions(test):
    """Ranges around forward, backward and step, nested as the calls are."""
    for version in VERSIONS + ("2.9.0+cpu",):
        env = environment(test, STANDIN_VERSION=version)
        rec = record(test, LOOP, "--pytorch=functions-trace", env=env)
        expect_equal(counts(rec), LOOP_COUNTS, f"ranges with {version}")
        inner = rec.named("Linear.forward")[1]
        outer = rec.named("Net.forward")[0]
        fail_if(
            not outer["start"] < inner["start"] <= inner["end"] < outer["end"],
            "a layer is not within its model",
        )
        fail_if(not inner["flags"] & REGISTERED, "names are not registered")


def case_functions_shapes(test):
    rec = record(test, LOOP, "--pytorch=functions-trace-shapes")
    expected = {
        "Net.forward, sizes = [[4, 8]]": 3,
        "Sequential.forward, sizes = [[4, 8]]": 3,
        "Linear.forward, sizes = [[4, 8]]": 6,
        "autograd.backward, sizes = [[4, 8]]": 3,
        "autograd.grad, sizes = [[1]]": 1,
        "SGD.step, lr = [0.25]": 3,
        "Momentum.step, lr = [0.1]": 1,
    }
    expect_equal(counts(rec), expected, "ranges")


SPECIAL = """
import copy, inspect, pickle
import torch
layer = torch.nn.Linear()
for x, scale in ((None, None), (torch.Tensor(2), 3)):
    try:
        layer(x, scale=scale)
    except ValueError as error:
        print(error)
torch._C.tracing = True
layer(torch.Tensor(2))
torch._C.tracing = False
if hasattr(torch, "compiler"):
    torch.compiler.is_on = True
    layer(torch.Tensor(2))
    torch.autograd.backward(torch.Tensor(1))
    torch.compiler.is_on = False

class Own(torch.nn.Linear):
    def __call__(self, x):
        print("own call")
        return super().__call__(x)

copy.deepcopy(Own())(torch.Tensor(5))
torch.nn.Sequential()([torch.Tensor(1, 2), torch.Tensor(3)])
opt = pickle.loads(pickle.dumps(torch.optim.SGD([])))
opt.step()
print(list(inspect.signature(torch.autograd.backward).parameters), torch.autograd.backward.__doc__)
"""


def case_functions_special(test):
    """Exceptions, tracing, compiling, calls of one's own, copies, signatures."""
    rec = record(test, SPECIAL, "--pytorch=functions-trace")
    expect_equal(
        counts(rec),
        {"Linear.forward": 3, "Own.forward": 1, "Sequential.forward": 1, "SGD.step": 1},
        "ranges",
    )
    rec = record(test, SPECIAL, "--pytorch=functions-trace-shapes")
    expected = {
        "Linear.forward, sizes = [[], []]": 1,
        "Linear.forward, sizes = [[2], []]": 1,
        "Linear.forward": 1,
        "Own.forward, sizes = [[5]]": 1,
        "Sequential.forward, sizes = [[[1, 2], [3]]]": 1,
        "SGD.step, lr = [0.1]": 1,
    }
    expect_equal(counts(rec), expected, "ranges with sizes")


AUTOGRAD = """
import threading
import torch

def work(n=1):
    for _ in range(n):
        torch.nn.Linear()(torch.Tensor(4, 8))

started, go = threading.Event(), threading.Event()
def early():
    started.set()
    go.wait()
    work(5)
before = threading.Thread(target=early)
before.start()
started.wait()

work(1)                                       # CUDA is not initialised
torch.cuda.set_device(0)
assert not torch.cuda.is_initialized() and not torch._C.enabled()
torch.cuda._lazy_init()
work(10)                                      # recorded
torch.Tensor(1).backward()
go.set()
before.join()                                 # 5 recorded
after = threading.Thread(target=lambda: torch.Tensor(1) + 1)
after.start()
after.join()                                  # 1 recorded
with torch.autograd.profiler.profile():
    work(100)                                 # theirs
    assert torch._C.state() == "KINETO"
with torch.autograd.profiler_legacy.profile():
    work(100)
work(20)                                      # recorded
with torch.autograd.profiler.emit_nvtx():
    work(40)                                  # recorded by theirs
work(80)                                      # recorded
try:
    with torch.autograd.profiler.profile():
        with torch.autograd.profiler.profile():
            pass
except RuntimeError as error:
    print(error)
me = threading.get_ident()
others = [what.split()[0] for what, thread in torch._C.log if thread != me]
assert others.count("enable") == others.count("disable"), others
print("done")
"""


def case_autograd(test):
    """Operators once CUDA is initialised, on every thread, with the program's own profilers."""
    for version in VERSIONS:
        env = environment(test, STANDIN_VERSION=version)
        rec = record(test, AUTOGRAD, "--pytorch=autograd-nvtx", env=env)
        found = counts(rec, None)
        expect_equal(found["aten::add"], 10 + 5 + 1 + 20 + 40 + 80, f"operators with {version}")
        rec.one("autograd::engine::evaluate_function: AddBackward0", PUSH_POP)
        expect_equal(counts(rec), {}, "ranges of functions")


def case_autograd_shapes(test):
    script = "import torch\ntorch.cuda.synchronize()\ntorch.Tensor(4, 8) + 1\n"
    rec = record(test, script, "--pytorch=autograd-shapes-nvtx,functions-trace")
    expect_equal(counts(rec, None), {"aten::add, sizes = [[4, 8]]": 1}, "operators")


def case_autograd_in_their_profile(test):
    """CUDA is initialised while the program profiles: ours begins when it has done so."""
    script = """
import torch
with torch.autograd.profiler.profile():
    torch.cuda._lazy_init()
    torch.Tensor(1) + 1
torch.Tensor(1) + 1
"""
    rec = record(test, script, "--pytorch=autograd-nvtx")
    expect_equal(counts(rec, None), {"aten::add": 1}, "operators")


def case_autograd_end(test):
    """At its end the process has nothing enabled: PyTorch would warn."""
    script = """
import atexit, sys
atexit.register(lambda: print("enabled" if sys.modules["torch"]._C.enabled() else "disabled"))
import torch
torch.cuda._lazy_init()
"""
    record(test, script, "--pytorch=autograd-nvtx")


def case_autograd_without_nvtx(test):
    """Said once, also where a child imports torch too."""
    script = """
import subprocess, sys, torch
torch.Tensor(1) + 1
if len(sys.argv) < 2:
    subprocess.run([sys.executable, __file__, "child"], check=True)
"""
    for version, reason in (
        ("2.9.0+cpu", b"was built without NVTX (without CUDA)"),
        ("2.9.0+rocm", b"was built for ROCm, which has no NVTX"),
    ):
        said = (
            b"rangefinder: --pytorch=autograd-nvtx: PyTorch %s %s: "
            b"its operators are not recorded\n" % (version.encode(), reason)
        )
        env = environment(test, STANDIN_VERSION=version)
        rec = record(test, script, "--pytorch=autograd-nvtx", env=env, stderr=said)
        expect_equal(len(rec.events(PUSH_POP)), 0, "ranges")


def case_autograd_before_fork(test):
    """The parent's import initialises nothing: a child that is forked can."""
    script = """
import multiprocessing, os, torch
def child(n):
    torch.cuda._loaded_by = os.getpid()
    torch.cuda._lazy_init()
    for _ in range(n):
        torch.Tensor(1) + 1
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        process = multiprocessing.get_context(method).Process(target=child, args=(7,))
        process.start()
        process.join()
        assert process.exitcode == 0
    assert not torch.cuda.is_initialized()
"""
    rec = record(test, script, "--pytorch=autograd-nvtx")
    expect_equal(counts(rec, None), {"aten::add": 14}, "operators")
    pids = {rec.pid_of(event) for event in rec.named("aten::add")}
    expect_equal(len(pids), 2, "processes with operators")


def case_no_cuda(test):
    """Whoever asks for operators, and initialises no CUDA, hears why there are none, at the end."""
    for word, use in (
        ("autograd-nvtx", "torch.Tensor(1) + 1"),
        ("autograd-shapes-nvtx", "torch.nn.Linear()(torch.Tensor(4, 8))"),
        ("autograd-nvtx", "torch.nn.Linear()(torch.Tensor(4, 8)); subprocess.run('true')"),
    ):
        script = "import subprocess, sys, torch\n%s\nprint('end', file=sys.stderr)\n" % use
        said = (
            "rangefinder: --pytorch=%s: no operator was annotated: the program did not initialise "
            "CUDA; to annotate operators on the CPU, set RANGEFINDER_PYTORCH_WITHOUT_CUDA=1\n" % word
        )
        rec = record(test, script, "--pytorch=" + word, stderr=said.encode())
        expect_equal(counts(rec, None), {}, "operators")


def case_without_cuda(test):
    """Asked for: the operators of a run on the CPU."""
    env = environment(test, RANGEFINDER_PYTORCH_WITHOUT_CUDA="1")
    script = "import torch\ntorch.Tensor(1) + 1\nassert not torch.cuda.is_initialized()\n"
    rec = record(test, script, "--pytorch=autograd-nvtx", env=env)
    expect_equal(counts(rec, None), {"aten::add": 1}, "operators")


def case_none(test):
    """--pytorch=none switches off what an outer session asked for."""
    env = environment(test, RANGEFINDER_PYTORCH="functions-trace")
    rec = record(test, LOOP, "--pytorch=none", env=env)
    expect_equal(len(rec.events(PUSH_POP)), 0, "ranges")


def case_capture(test):
    """A capture that waits for a range which --pytorch makes: two steps of the optimizer, a file
    each."""
    path = test.path("loop.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LOOP)
    options = ["-c", "nvtx", "-p", "SGD.step@PyTorch", "--capture-range-end=repeat:2"]
    done = test.run(
        [test.rangefinder, "profile", "-o", "step", "--pytorch=functions-trace", *options]
        + [sys.executable, path],
        env=environment(test),
    )
    expect_equal(done.status, 0, f"exit status ({done.stderr.decode()})")
    for number in (1, 2):
        rec = test.dump(test.path(f"step.{number}.rf"))
        expect_equal(counts(rec), {"SGD.step": 1}, f"ranges of capture {number}")
    fail_if(os.path.exists(test.path("step.3.rf")), "there is a third capture")
