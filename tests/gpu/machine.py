# SPDX-License-Identifier: Apache-2.0
"""What the machine has: a GPU, nvcc, PyTorch, nsys."""

import concurrent.futures
import glob
import importlib.metadata
import os
import shutil
import subprocess
import sys

# In a process of its own: the driver is not to be initialised in this one.
FIND_GPU = """
import ctypes, sys
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    sys.exit("no libcuda.so.1")
result = cuda.cuInit(0)
n, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(100)
if result != 0:
    sys.exit("cuInit returns %d" % result)
cuda.cuDeviceGetCount(ctypes.byref(n))
if n.value == 0:
    sys.exit("no device")
cuda.cuDriverGetVersion(ctypes.byref(version))
cuda.cuDeviceGetName(name, 100, 0)
major, minor = ctypes.c_int(), ctypes.c_int()
cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, 0)
cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0)
print(version.value, "sm_%d%d" % (major.value, minor.value), name.value.decode())
"""

# While a process has the device open the driver keeps it running: to start it anew takes seconds,
# and every program of the checks would wait for that.
KEEP_AWAKE = """
import ctypes, time
ctypes.CDLL("libcuda.so.1").cuInit(0)
time.sleep(3600)
"""

FIND_TORCH = """
import torch
print(torch.__version__, torch.version.cuda)
assert torch.cuda.is_available(), "it sees no GPU"
"""


def ask_python(script, env, timeout):
    """The last line of what a script prints; the last line of its error, as second."""
    try:
        done = subprocess.run([sys.executable, "-c", script], env=env, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except subprocess.TimeoutExpired:
        return None, "it hangs"
    out = done.stdout.decode(errors="replace").strip().split("\n")[-1]
    error = done.stderr.decode(errors="replace").strip().split("\n")[-1]
    return (out, None) if done.returncode == 0 else (None, error or "status %d" % done.returncode)


class Machine:
    """why_none: why nothing can be checked here, or None."""

    def __init__(self, build, dry_dir):
        self.is_dry = bool(dry_dir)
        self.dry_dir = dry_dir
        self.env = self._environment()
        self.rangefinder = os.path.join(build, "bin", "rangefinder")
        self.has_clients = os.path.exists(os.path.join(build, "lib", "gpu-floor_client.so"))
        self.driver, self.name, self.arch = 0, "", "native"
        self._torch = None
        self.nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        bundled = sorted(glob.glob("/opt/nvidia/nsight-*/*/host/target-linux-*/nsys"))
        self.nsys = shutil.which("nsys") or (bundled[-1] if bundled else None)
        self.cc = shutil.which("cc") or shutil.which("gcc")
        self.cxx = shutil.which("c++") or shutil.which("g++")
        self.why_none = self._find_gpu()
        self._torch_question = None
        if not self.why_none and not os.access(self.rangefinder, os.X_OK):
            self.why_none = "there is no build: %s" % self.rangefinder

    def _environment(self):
        env = dict(os.environ)
        for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "RANGEFINDER_SESSION",
                     "LD_PRELOAD"):
            env.pop(name, None)
        if sys.prefix != sys.base_prefix:  # where CUPTI is found if the toolkit has none
            env.setdefault("VIRTUAL_ENV", sys.prefix)
        if self.is_dry:
            env["LD_LIBRARY_PATH"] = os.path.join(self.dry_dir, "lib")
            env["RANGEFINDER_CUPTI"] = self.dry_libcupti()
            env["RF_CLIENT_CUPTI"] = self.dry_libcupti()
        return env

    def dry_libcupti(self):
        found = sorted(glob.glob(os.path.join(self.dry_dir, "cupti", "libcupti.so.*")))
        return found[0] if found else ""

    def _find_gpu(self):
        if self.is_dry:
            return None if self.dry_libcupti() else "no stand-ins in %s" % self.dry_dir
        out, error = ask_python(FIND_GPU, self.env, 180)
        if out is None:
            return "no NVIDIA GPU here: %s" % error
        driver, self.arch, self.name = out.split(" ", 2)
        self.driver = int(driver)
        return None

    def keep_awake(self):
        """A process to be killed at the end; None where there is no GPU."""
        if self.is_dry or self.why_none:
            return None
        return subprocess.Popen([sys.executable, "-c", KEEP_AWAKE], env=self.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def look_for_torch(self):
        """It may take a minute on a machine that has just started: nobody waits yet."""
        if not self.why_none and not self.is_dry:
            pool = concurrent.futures.ThreadPoolExecutor(1)
            self._torch_question = pool.submit(ask_python, FIND_TORCH, self.env, 150)

    def torch(self):
        """The versions of PyTorch and of its CUDA; or None, and why."""
        if self._torch is None:
            if self._torch_question is None:
                self.look_for_torch()
            question = self._torch_question
            self._torch = question.result() if question else (None, "not looked for")
        return self._torch

    def lacks(self, need):
        """Why need cannot be had; None: it can."""
        if need == "program":
            return None if (self.cxx if self.is_dry else self.nvcc) else "there is no nvcc"
        if need == "torch":
            found, reason = self.torch()
            return None if found else "no PyTorch with a GPU: %s" % reason
        if need == "nsys":
            return None if self.nsys else "there is no nsys"
        if need == "cc":
            return None if self.cc or self.has_clients else "there is no C compiler"
        raise ValueError(need)

    def describe(self):
        if self.why_none:
            return self.why_none
        if self.is_dry:
            return "stand-ins for NVIDIA's libraries: this tests the scripts alone"
        return "%s, driver for CUDA %d.%d, %s" % (
            self.name, self.driver // 1000, self.driver // 10 % 100, self.nvcc or "no nvcc")

    def commands_of_interest(self):
        """What who reads the results may want to know of the machine."""
        return [argv for argv in ([self.rangefinder, "doctor"], ["nvidia-smi"],
                                  [self.nvcc, "--version"], ["uname", "-a"], ["lscpu"])
                if argv[0] and shutil.which(argv[0])]

    @staticmethod
    def packages():
        """Python packages that matter here, with their versions."""
        names = ("nvidia-", "torch", "triton", "nvtx", "cupti", "numpy", "cuda-")
        found = {"%s %s" % (package.metadata["Name"], package.version)
                 for package in importlib.metadata.distributions()
                 if (package.metadata["Name"] or "").lower().startswith(names)}
        return ", ".join(sorted(found))
