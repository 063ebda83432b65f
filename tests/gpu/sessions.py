#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that records itself, session after session, as rangefinder.profile() does, but without
the Python package, which is not built everywhere. Prints one line of JSON.

usage: sessions.py RECORDER FOLDER SESSIONS LAUNCHES late|first|kineto [stand-ins]

late: CUDA is initialised before the first session; first: in it; kineto: as late, and torch.profiler
has recorded something before, whose buffers CUPTI may still have. Sessions are FOLDER/sN.rfdir; in
each so many kernels are launched and not waited for, and as many between them. stand-ins: of
tests/cuda/double, in place of PyTorch."""

import ctypes
import json
import os
import sys
import time

ROUNDS = 5


class Torch:
    """Kernels of PyTorch, one each."""

    def __init__(self):
        import torch

        self.torch = torch
        self.tensor = torch.empty(1 << 20, device="cuda")

    def launch(self, n):
        for _ in range(n):
            self.tensor.add_(1)

    def profile(self):
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]):
            self.launch(100)

    def wait(self):
        self.torch.cuda.synchronize()


class StandIns:
    def __init__(self):
        here = os.path.dirname(os.path.abspath(__file__))
        sys.path.insert(0, os.path.join(os.path.dirname(here), "python"))
        from double_cuda import Cuda

        self.cuda = Cuda()
        self.cuda.init()

    def launch(self, n):
        self.cuda.launch("kernel", n)

    def wait(self):
        self.cuda.synchronize()


def launch_us(work, n):
    """The least time of a launch, in microseconds."""
    best = float("inf")
    for _ in range(ROUNDS):
        work.wait()
        start = time.perf_counter()
        work.launch(n)
        best = min(best, time.perf_counter() - start)
        work.wait()
    return best * 1e6 / n


def main():
    path, folder, n_sessions, n, when = sys.argv[1:6]
    kind = StandIns if "stand-ins" in sys.argv[6:] else Torch
    n_sessions, n = int(n_sessions), int(n)
    os.environ["RANGEFINDER_STANDBY"] = str(os.getpid())
    recorder = ctypes.CDLL(path)
    assert recorder.rangefinder_standby_start() == 1, "no recorder"
    work, said = None, {"n": n, "stop_ms": [], "state": []}
    if when != "first":
        work = kind()
        if when == "kineto":
            work.profile()
        said["before_us"] = launch_us(work, n)
    for i in range(n_sessions):
        directory = os.path.join(folder, "s%d.rfdir" % i)
        os.mkdir(directory, 0o700)
        assert recorder.rangefinder_standby_begin(directory.encode()) == 0
        assert recorder.rangefinder_standby_cuda() == 0
        if work is None:
            os.environ["CUDA_INJECTION64_PATH"] = path
            work = kind()
            del os.environ["CUDA_INJECTION64_PATH"]
        work.launch(n)
        said["state"].append(recorder.rangefinder_standby_cuda_state())
        start = time.perf_counter()
        assert recorder.rangefinder_standby_end() == 0
        said["stop_ms"].append(round((time.perf_counter() - start) * 1e3, 1))
        work.launch(n)
        work.wait()
    said["after_us"] = launch_us(work, n)
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
