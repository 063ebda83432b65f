# SPDX-License-Identifier: Apache-2.0
"""For programs that use CUDA, as far as the stand-ins of tests/cuda/double have it, by ctypes."""

import ctypes


class _Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class Kernel(ctypes.Structure):
    """What is launched: struct double_kernel."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("duration_ns", ctypes.c_uint64), ("registers", ctypes.c_uint16),
    ]


class Cuda:
    """The runtime; it loads and initialises the driver with the first call of its."""

    def __init__(self):
        self.runtime = ctypes.CDLL("libcudart.so.12")
        self.runtime.cudaLaunchKernel.argtypes = [
            ctypes.c_void_p, _Dim3, _Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
        ]
        self.runtime.cudaMemcpyAsync.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p,
        ]
        self.runtime.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
        self.kernels = {}

    def init(self):
        return self.runtime.cudaFree(None)

    def launch(self, name="kernel", n=1, duration_ns=5000, stream=None):
        """The result of the last launch of n."""
        key = name, duration_ns
        kernel = self.kernels.setdefault(key, Kernel(name.encode(), duration_ns, 16))
        for _ in range(n):
            result = self.runtime.cudaLaunchKernel(
                ctypes.addressof(kernel), _Dim3(4, 1, 1), _Dim3(64, 1, 1), None, 0, stream
            )
        return result

    def copy(self, n_bytes=1024, stream=None):
        return self.runtime.cudaMemcpyAsync(None, None, n_bytes, 1, stream)

    def stream(self):
        stream = ctypes.c_void_p()
        self.runtime.cudaStreamCreate(ctypes.byref(stream))
        return stream

    def synchronize(self):
        return self.runtime.cudaDeviceSynchronize()
