# SPDX-License-Identifier: Apache-2.0
"""Runs programs with NVIDIA's own libcuda and libcupti on a machine without a GPU, where these are
installed; skips, and says why, where they are not.

RF_CUPTI_LIBRARIES: the libcuptis to test, with colons between; else the one that is found.
RF_LIBCUDA: the folder of a libcuda.so.1; else the loader's."""

import ctypes
import glob
import os

import harness
from harness import Failure, Skip, expect_equal, fail_if, shorten  # noqa: F401


class Test(harness.Test):
    def __init__(self, build):
        super().__init__(build)
        self.real = os.path.join(self.build, "tests", "cuda", "real")
        self.stand_in = os.path.join(self.build, "tests", "cuda", "double", "lib")
        self.app = os.path.join(self.real, "app")
        self.probe = os.path.join(self.real, "probe")
        self.spy = os.path.join(self.real, "spy.so")
        self.blind = os.path.join(self.real, "blind.so")

    def environment(self, truth=None, env=None):
        result = super().environment(truth, env)
        result.pop("LD_PRELOAD", None)
        if env and "LD_PRELOAD" in env:
            result["LD_PRELOAD"] = env["LD_PRELOAD"]
        return {k: v for k, v in result.items() if v is not None}

    # ---- What is here ----

    def need_no_gpu(self):
        if glob.glob("/dev/nvidia[0-9]*") or os.path.exists("/dev/dxg"):
            raise Skip("there is a GPU: these cases are about a machine without one")

    def driver(self):
        """The environment in which the real libcuda is found."""
        folder = os.environ.get("RF_LIBCUDA")
        try:
            ctypes.CDLL(os.path.join(folder or "", "libcuda.so.1"))
        except OSError as error:
            raise Skip(f"no libcuda: {error}") from None
        self.need_no_gpu()
        path = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": ":".join(p for p in (folder, path) if p) or None}

    def cuptis(self):
        """The paths of the libcuptis to test."""
        named = os.environ.get("RF_CUPTI_LIBRARIES", "")
        paths = [p for p in named.split(":") if p]
        if paths:
            return paths
        found = self.run([self.probe])
        for line in found.stdout.decode().splitlines():
            if line.startswith("path "):
                return [line[5:]]
        raise Skip("no libcupti is installed, and RF_CUPTI_LIBRARIES names none"
                   + "".join(f" ({t})" for t in found.stdout.decode().splitlines()))

    # ---- Running ----

    def spied(self, steps, env, name="spy"):
        """Runs the program with the spy; what it printed, and what the spy noted, with processes
        numbered in the order in which they occur."""
        self.n_runs += 1
        log = self.path(f"spy{self.n_runs}")
        done = self.run([self.app, *steps.split()],
                        env={"CUDA_INJECTION64_PATH": getattr(self, name), **env, "SPY": log})
        fail_if(done.stderr, f"the program says {done.stderr}")
        lines = []
        if os.path.exists(log):
            with open(log, encoding="ascii") as file:
                lines = [line.split(" ", 1) for line in file.read().splitlines()]
        numbers = {}
        notes = [f"{numbers.setdefault(pid, len(numbers))} {what}" for pid, what in lines]
        return done.status, done.stdout.decode().splitlines(), notes

    def recorded(self, steps, env, options=("-t", "cuda,nvtx")):
        """Runs the program without the recorder and with it: output, errno and exit status are the
        same. Returns the harness's Run; its outcome has what the command line said."""
        command = [self.app, *steps.split()]
        bare = self.run(command, env=env)
        self.n_runs += 1
        run = harness.Run(self, None, self.path(f"run{self.n_runs}.rf"))
        run.outcome = self.run([self.rangefinder, "profile", "-o", run.output, *options, *command],
                               env=env)
        says = run.outcome.stderr.decode()
        expect_equal(run.outcome.status, bare.status, f"exit status ({says})")
        expect_equal(run.outcome.stdout, bare.stdout, f"what the program found ({says})")
        return run
