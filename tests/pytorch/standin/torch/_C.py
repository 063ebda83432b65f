# SPDX-License-Identifier: Apache-2.0
import contextlib
import ctypes
import os
import threading

_states, _sizes = {}, {}  # by thread; not of Python's thread-local kind, which go away by themselves
tracing = False
log = []  # (what, thread) of the profiler
_shim = ctypes.CDLL(os.environ["STANDIN_SHIM"])

if "+cpu" not in os.environ.get("STANDIN_VERSION", ""):

    class _nvtx:
        pass


def _is_tracing():
    return tracing


def state():
    return _states.get(threading.get_ident())


def enabled():
    return state() is not None


def enable(new_state, sizes=""):
    if enabled():
        raise RuntimeError("Profiler is already enabled on this thread")
    if "+cpu" in os.environ.get("STANDIN_VERSION", "") and new_state == "NVTX":
        raise RuntimeError("Can't use NVTX profiler - PyTorch was compiled without CUDA")
    _states[threading.get_ident()] = new_state
    _sizes[threading.get_ident()] = sizes
    log.append(("enable " + new_state, threading.get_ident()))


def disable():
    if not enabled():
        raise RuntimeError("Can't disable profiler when it's not running")
    log.append(("disable " + state(), threading.get_ident()))
    del _states[threading.get_ident()]


@contextlib.contextmanager
def operator(name):
    is_on = state() == "NVTX"
    if is_on:
        _shim.shim_push((name + _sizes[threading.get_ident()]).encode())
    try:
        yield
    finally:
        if is_on:
            _shim.shim_pop()
