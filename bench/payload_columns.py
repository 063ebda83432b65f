# SPDX-License-Identifier: Apache-2.0
"""payload_columns.py FILE ROUNDS: the ms that opening a recording takes, then making Arrow's columns
of what its payloads have, a line of rounds each, and then how many values these columns have."""

import ctypes
import sys
import time

import rangefinder

NAMES = ["payload.communicator", "payload.rank", "payload.reduction", "payload.bytes"]


class Array(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64)]
    _fields_ += [(name, ctypes.c_int64) for name in ("offset", "n_buffers", "n_children")]
    _fields_ += [(name, ctypes.c_void_p) for name in ("buffers", "children", "dictionary")]
    _fields_ += [("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("private", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.c_void_p),
                ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ("get_last_error", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("private", ctypes.c_void_p)]


def read(table):
    """Reads the stream, each batch dropped when it is complete; how many rows it has."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = table.__arrow_c_stream__()
    stream = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    n = 0
    while True:
        batch = Array()
        if stream.get_next(ctypes.addressof(stream), ctypes.addressof(batch)) != 0:
            sys.exit("out of memory")
        if not batch.release:
            return n
        n += batch.length
        batch.release(ctypes.addressof(batch))


def main():
    opening, making, n = [], [], 0
    for _ in range(int(sys.argv[2])):
        begin = time.perf_counter()
        recording = rangefinder.open(sys.argv[1])
        opened = time.perf_counter()
        n = read(recording.ranges.columns(*NAMES))
        made = time.perf_counter()
        opening.append((opened - begin) * 1e3)
        making.append((made - opened) * 1e3)
        recording.close()
    print("open", *(f"{ms:.1f}" for ms in opening))
    print("columns", *(f"{ms:.1f}" for ms in making))
    print("values", n * len(NAMES))


main()
