# SPDX-License-Identifier: Apache-2.0
"""How the hook gets into Python programs, and what they notice of it: nothing."""

import os
import re
import shutil
import sys
import zipfile

from harness import PUSH_POP, Skip, expect_equal, fail_if
from recording import STANDIN, counts, environment, record

PYTHON_STATE = """
import sys
print(sys.path, sorted(set(sys.modules) & {"sitecustomize", "usercustomize"}))
import torch
loader = torch.__spec__.loader
print(type(loader), "exec_module" in vars(loader), torch.__loader__ is loader)
"""


def write(test, folder, name, text):
    os.makedirs(test.path(folder), exist_ok=True)
    with open(test.path(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    return test.path(folder)


def case_state(test):
    """sys.path, the modules and the loaders are those of a run without us."""
    for path in (STANDIN, f"/nowhere:{STANDIN}:/nowhere/else", f"{STANDIN}:"):
        env = environment(test, PYTHONPATH=path)
        record(test, PYTHON_STATE, "--pytorch=functions-trace", env=env)


def case_sitecustomize(test):
    """The one that ours stands before is run once, as itself, in children too."""
    folder = write(
        test,
        "custom",
        "sitecustomize.py",
        "import sys\nprint('customised by', __name__, __file__, __spec__.name, sys.path)\n",
    )
    write(test, "custom", "usercustomize.py", "print('not run: not in the user folder')\n")
    script = """
import subprocess, sys, torch
import sitecustomize
print(sitecustomize.__file__, sys.modules["sitecustomize"] is sitecustomize)
torch.nn.Linear()(torch.Tensor(1))
sys.stdout.flush()
if len(sys.argv) < 2:
    subprocess.run([sys.executable, __file__, "child"], check=True)
"""
    env = environment(test, PYTHONPATH=f"{folder}:{STANDIN}")
    rec = record(test, script, "--pytorch=functions-trace", env=env)
    expect_equal(counts(rec), {"Linear.forward": 2}, "ranges")


def case_no_sitecustomize(test):
    script = """
try:
    import sitecustomize
    print(sitecustomize)
except ImportError as error:
    print(repr(error))
"""
    rec = record(test, script, "--pytorch=functions-trace", python=["-S"])
    expect_equal(len(rec.events(PUSH_POP)), 0, "ranges")
    record(test, script, "--pytorch=functions-trace")


def case_failing_sitecustomize(test):
    """Python says that it fails, and goes on, as ever."""
    folder = write(test, "custom", "sitecustomize.py", "raise ValueError('on purpose')\n")
    script = "import torch\ntorch.nn.Linear()(torch.Tensor(1))\n"
    env = environment(test, PYTHONPATH=f"{folder}:{STANDIN}")
    rec = record(test, script, "--pytorch=functions-trace", env=env)
    expect_equal(counts(rec), {"Linear.forward": 1}, "ranges")


def case_children(test):
    """subprocess, multiprocessing by fork and by spawn, and a child of a child."""
    script = """
import multiprocessing, os, subprocess, sys, torch
def work(n):
    for _ in range(n):
        torch.nn.Linear()(torch.Tensor(1))
if __name__ == "__main__":
    if len(sys.argv) > 1:
        work(int(sys.argv[1]))
        sys.exit(0)
    for method in ("fork", "spawn"):
        process = multiprocessing.get_context(method).Process(target=work, args=(2,))
        process.start()
        process.join()
        assert process.exitcode == 0
    subprocess.run([sys.executable, __file__, "3"], check=True)
    subprocess.run(["sh", "-c", '"$0" "$1" 4', sys.executable, __file__], check=True)
    work(1)
"""
    rec = record(test, script, "--pytorch=functions-trace")
    expect_equal(counts(rec), {"Linear.forward": 1 + 2 + 2 + 3 + 4}, "ranges")


def case_isolated(test):
    """Pythons that ignore the environment run, unannotated."""
    script = f"""
import sys
sys.path.insert(0, {STANDIN!r})
import torch
torch.nn.Linear()(torch.Tensor(1))
"""
    for option in ("-E", "-I"):
        rec = record(test, script, "--pytorch=functions-trace", python=[option])
        expect_equal(counts(rec), {}, f"ranges with {option}")


def case_broken_torch(test):
    """The program sees the errors that it would see without us."""
    script = """
try:
    import torch
except ImportError as error:
    print(type(error).__name__, error)
"""
    env = environment(test, STANDIN_IS_BROKEN="1")
    record(test, script, "--pytorch=functions-trace,autograd-nvtx", env=env)
    # no torch at all, though one may be installed here
    script = f"import sys\nsys.path[:] = [p for p in sys.path if 'packages' not in p]\n{script}"
    env = environment(test, PYTHONPATH="/nowhere")
    record(test, script, "--pytorch=functions-trace,autograd-nvtx", env=env)


def case_other_torch(test):
    """A module of that name which is not PyTorch."""
    folder = write(test, "other", "torch.py", "flame = 'blue'\n")
    script = "import torch\nprint(torch.flame)\n"
    said = f"rangefinder: --pytorch: '{folder}/torch.py' is not PyTorch\n".encode()
    env = environment(test, PYTHONPATH=folder)
    record(test, script, "--pytorch=functions-trace", env=env, stderr=said)


def case_unexpected_torch(test):
    """A PyTorch that lacks what is to be annotated is imported all the same."""
    folder = write(test, "other", "torch.py", "nn = None\n")
    script = "import torch\nprint(torch.nn)\n"
    said = (
        b"rangefinder: 'torch' is not annotated: "
        b"AttributeError: 'NoneType' object has no attribute 'Module'\n"
    )
    env = environment(test, PYTHONPATH=folder)
    record(test, script, "--pytorch=functions-trace", env=env, stderr=said)


def case_lazy_import(test):
    """A module that is executed when it is used first; and one that is imported anew."""
    script = """
import importlib, importlib.util, sys
spec = importlib.util.find_spec("torch")
print(type(spec.loader).__name__)
spec.loader = importlib.util.LazyLoader(spec.loader)
torch = importlib.util.module_from_spec(spec)
sys.modules["torch"] = torch
spec.loader.exec_module(torch)
torch.nn.Linear()(torch.Tensor(1))
for name in [name for name in sys.modules if name.startswith("torch")]:
    del sys.modules[name]
import torch
torch.nn.Linear()(torch.Tensor(1))
"""
    rec = record(test, script, "--pytorch=functions-trace")
    expect_equal(counts(rec), {"Linear.forward": 2}, "ranges")


def case_zip(test):
    """One loader of many modules: a PyTorch in an archive."""
    if sys.version_info < (3, 10):
        raise Skip("archives have a loader of the old kind in this Python: not annotated")
    path = test.path("standin.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for folder, _, files in os.walk(STANDIN):
            for name in files:
                if name.endswith(".py"):
                    full = os.path.join(folder, name)
                    archive.write(full, os.path.relpath(full, STANDIN))
    script = """
import torch
torch.nn.Linear()(torch.Tensor(1))
print(type(torch.__loader__).__name__, torch.__spec__.loader is torch.__loader__)
"""
    rec = record(test, script, "--pytorch=functions-trace", env=environment(test, PYTHONPATH=path))
    expect_equal(counts(rec), {"Linear.forward": 1}, "ranges")


def case_other_pythons(test):
    """Every Python of this machine starts as without us."""
    found = 0
    folder = write(test, "custom", "sitecustomize.py", "print('customised')\n")
    pythons = {"/usr/bin/python3", "/usr/bin/python2", "/usr/local/bin/python3"}
    pythons |= {path.strip() for path in os.environ.get("RF_TEST_PYTHONS", "").split(":")}
    script = test.path("bare.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write("import sys\nprint(sys.path)\n")
    for python in sorted(pythons):
        if not os.access(python, os.X_OK) or python == "":
            continue
        found += 1
        for path in (folder, ""):
            env = environment(test, PYTHONPATH=path)
            bare = test.run([python, script], env=env)
            output = ["-f", "-q", "-o", test.path("other.rf")]
            done = test.run(
                [test.rangefinder, "profile", "--pytorch=functions-trace", *output, python, script],
                env=env,
            )
            expect_equal(
                (done.status, done.stdout, done.stderr),
                (bare.status, bare.stdout, bare.stderr),
                f"what {python} does",
            )
    if found == 0:
        raise Skip("there is no other Python")


def case_real_torch(test):
    """The PyTorch of this python3, if there is one."""
    if test.run([sys.executable, "-c", "import torch"]).status != 0:
        raise Skip("there is no PyTorch for this python3")
    script = """
import torch
net = torch.nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.25)
for _ in range(3):
    net(torch.ones(4, 8)).sum().backward()
    opt.step()
"""
    rec = record(test, script, "--pytorch=functions-trace", env={})
    expect_equal(
        counts(rec), {"Linear.forward": 3, "autograd.backward": 3, "SGD.step": 3}, "ranges"
    )


def case_hook_library(test):
    """It loads into Pythons of old systems: libc alone, of 2.17 or before."""
    if shutil.which("readelf") is None:
        raise Skip("readelf is not installed")
    folder = os.path.join(test.build, "lib", "rangefinder", "python", "_rangefinder_hook")
    library = os.path.join(folder, "librangefinder-hook.so")
    text = test.run(["readelf", "-dVW", library]).stdout.decode()
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    allowed = {"libc.so.6", "libpthread.so.0", "libdl.so.2"}
    fail_if(set(needed) - allowed, f"it needs {needed}")
    newer = [v for v in re.findall(r"GLIBC_2\.(\d+)", text) if int(v) > 17]
    fail_if(newer, f"it needs symbols of glibc 2.{newer}")
