# SPDX-License-Identifier: Apache-2.0
"""Stands for PyTorch in the tests: the functions that the hook touches, as the versions named by
STANDIN_VERSION have them (1.13.1, 2.0.1, 2.9.0, ...; "+cpu" at the end: without CUDA and NVTX), with
nothing behind them. Operators annotate, when the profiler is on, as torch's do."""
import os

__version__ = os.environ.get("STANDIN_VERSION", "2.9.0")
if os.environ.get("STANDIN_IS_BROKEN"):
    raise ImportError("libtorch_cuda.so: cannot open shared object file")

is_one = __version__.startswith("1.")


class version:
    cuda = None if "+cpu" in __version__ else "12.8"
    hip = "6.4" if "+rocm" in __version__ else None


from . import _C  # noqa: E402


class Tensor:
    def __init__(self, *shape):
        self._shape = shape

    @property
    def shape(self):
        if _C.tracing:
            raise RuntimeError("the shape was looked at while tracing")
        return self._shape

    def square(self):
        return Tensor(*self._shape)

    def mean(self):
        return Tensor()

    def __add__(self, other):
        with _C.operator("aten::add"):
            return Tensor(*self._shape)

    def backward(self, gradient=None):
        autograd.backward(self, gradient)


def randn(*shape):
    return Tensor(*shape)


from . import autograd, cuda, nn, optim  # noqa: E402,F401

if not is_one:
    from . import compiler  # noqa: F401
