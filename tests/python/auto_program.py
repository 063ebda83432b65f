# SPDX-License-Identifier: Apache-2.0
"""A program for automatic annotation."""

import sys
import threading

import nvtx


def leaf(x):
    return x + 1


class Model:
    def method(self):
        return [leaf(i) for i in range(3)]


def generate():
    yield 1
    yield 2


def fails():
    raise KeyError


def recurse(n):
    return n and recurse(n - 1)


def main():
    Model().method()
    list(generate())
    recurse(5)
    len("x")
    try:
        fails()
    except KeyError:
        pass
    thread = threading.Thread(target=leaf, args=(1,))
    thread.start()
    thread.join()
    nvtx.mark("end " + " ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
    if "raise" in sys.argv:
        fails()
