# SPDX-License-Identifier: Apache-2.0
"""The calls that libcudart would get, by the names that the program's own libraries are bound to."""
import ctypes


def _call(name):
    function = getattr(ctypes.CDLL(None), name, None)
    return function() if function is not None else 0


def start():
    _call("cudaProfilerStart")


def stop():
    _call("cudaProfilerStop")
