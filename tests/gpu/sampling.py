# SPDX-License-Identifier: Apache-2.0
"""What the parts that sample hardware counters share."""

import glob
import json
import os
import re
import shutil
import sys
import sysconfig

from checks import Failed, Skipped, expect
from gpu import ROOT

HZ = 10000
INTERVAL = 1e9 / HZ
ON_DEVICE = "--gpu-metrics-devices=0"

# What is said where the machine is the reason. Any other failure is ours until it is understood.
REFUSED = re.compile(r"may not read the GPU's counters|cannot be sampled: it|in use already"
                     r"|CUDA shows no GPU|CUDA 12\.6 or later cannot be loaded|, it lacks ")


# ---- Recordings ----

def sampling_env(gpu):
    """Stand-ins of their own, where there is no GPU."""
    if not gpu.is_dry:
        return {}
    folder = os.path.join(gpu.build, "tests", "pmsampling", "double")
    return {"RANGEFINDER_CUPTI": os.path.join(folder, "libcupti.so.13"), "LD_LIBRARY_PATH": folder,
            "RF_PM_DOUBLE": "realtime=1,chip=GH100," + os.environ.get("RF_PM_DOUBLE", "")}


def last_line(text):
    lines = [line for line in text.strip().split("\n") if line]
    return lines[-1][-300:] if lines else "nothing was said"


def record_alone(gpu, name, *options, seconds=1.0, timeout=90):
    """The path of a recording of the GPU without a program, and what was said."""
    path = os.path.join(gpu.work, name + ".rf")
    done = gpu.run([gpu.machine.rangefinder, "gpu-metrics", "record", "-f", "true", "-o", path,
                    ON_DEVICE, "--duration", str(seconds), *options], env=sampling_env(gpu),
                   timeout=timeout)
    gpu.log("gpu-metrics record %s: status %d\n%s" % (name, done.status, done.err))
    if done.status != 0 and REFUSED.search(done.err):
        raise Skipped("the GPU is not sampled here: %s" % last_line(done.err))
    expect(done.status == 0, "status %d: %s" % (done.status, last_line(done.err)))
    return path, done.err


def is_gvisor():
    with open("/proc/version") as file:
        return "gVisor" in file.read()


def try_it(gpu):
    """Samples for a moment. What was said; Skipped or Failed, and then require() skips."""
    gpu.numbers["sampling"] = "the GPU is not sampled here"
    try:
        _, said = record_alone(gpu, "probe", seconds=0.3)
    except Failed as found:
        if is_gvisor():
            raise Skipped("gVisor lets nobody read counters: %s" % found) from None
        raise
    gpu.numbers["sampling"] = ""
    return re.search(r"GPU 0 \(.*", said).group(0)


def require(gpu):
    """Skips where the GPU is not sampled."""
    if "sampling" not in gpu.numbers:
        try_it(gpu)
    if gpu.numbers["sampling"]:
        raise Skipped(gpu.numbers["sampling"])


# ---- The Python module ----

def build_module(gpu, package):
    """Python's headers are where Triton works; what CMake needs beside them may not be."""
    expect(gpu.machine.cc, gpu.machine.lacks("cc"))
    os.makedirs(package)
    for path in glob.glob(os.path.join(ROOT, "python", "rangefinder", "*.py")):
        shutil.copy(path, package)
    target = os.path.join(package, "_pm_sampling" + sysconfig.get_config_var("EXT_SUFFIX"))
    command = [gpu.machine.cc, "-std=gnu11", "-O2", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", target]
    command += ["-I" + os.path.join(ROOT, name) for name in ("src", "include", "python/pm_sampling")]
    command.append("-I" + sysconfig.get_paths()["include"])
    for sources in ("python/pm_sampling/*.c", "src/pmsampling/*.c", "src/base/crc32c.c",
                    "src/base/cupti_*.c", "src/base/nearest.c"):
        command += sorted(glob.glob(os.path.join(ROOT, sources)))
    return gpu.run(command + ["-lpthread", "-ldl"])


def module_env(gpu):
    """With rangefinder.pm_sampling of the build, or one that is made here, for this Python."""
    require(gpu)
    if "module" not in gpu.numbers:
        root, error = os.path.join(gpu.build, "python"), ""
        if not glob.glob(os.path.join(root, "rangefinder", "_pm_sampling" +
                                      sysconfig.get_config_var("EXT_SUFFIX"))):
            root = os.path.join(gpu.work, "python")
            done = build_module(gpu, os.path.join(root, "rangefinder"))
            errors = [line for line in done.err.split("\n") if "error" in line]
            error = "" if done.status == 0 else (errors or [last_line(done.err)])[0]
        gpu.numbers["module"], gpu.numbers["module_error"] = root, error
    if gpu.numbers["module_error"]:
        raise Skipped("the Python module is not built: %s" % gpu.numbers["module_error"])
    path = [gpu.numbers["module"], os.environ.get("PYTHONPATH")]
    return {**sampling_env(gpu), "PYTHONPATH": os.pathsep.join(filter(None, path))}


def ask_module(gpu, script, *arguments):
    """What a script in Python says, as JSON in its last line."""
    done = gpu.run([sys.executable, "-c", script, *arguments], env=module_env(gpu))
    gpu.log("a script said %s\n%s" % (done.out, done.err))
    expect(done.status == 0, last_line(done.err))
    return json.loads(done.out.strip().split("\n")[-1])


def run_tests(gpu, module, env=()):
    env = {**module_env(gpu), "RF_PM_MODULE": module, "RF_PM_GPU": "1", "RF_BUILD": gpu.build,
           "PYTHONDONTWRITEBYTECODE": "1", **dict(env)}
    done = gpu.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfE",
                    os.path.join(ROOT, "tests", "python", "test_pm_sampling.py")], env=env, timeout=120)
    if "No module named" in done.err or "no tests ran" in done.out:
        raise Skipped(last_line(done.err or done.out))
    gpu.log(done.out)
    expect(done.status == 0, " | ".join(done.out.strip().split("\n")[-6:]))
    return last_line(done.out)


def compare_bytes(measured, true):
    text = "sampled %.0f GB/s, moved %.0f GB/s, ratio %.3f" % (
        measured / 1e9, true / 1e9, measured / true)
    expect(0.9 <= measured / true <= 1.1, text)
    return text
