#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges from Python: a word count with two threads.

Uses the package `nvtx` (pip install nvtx) where it is installed, and otherwise a small library
made from our headers (built with the examples), called through ctypes:

    rangefinder profile python3 examples/python/annotate.py [libexample-nvtx.so]
"""

import collections
import contextlib
import ctypes
import sys
import threading

TEXT = (
    "a range is what happens between two calls and a mark is one moment "
    "a domain keeps the ranges of a library apart from those of the program "
) * 400


def open_annotations(shim_path):
    """Returns (annotate, mark): a context manager for a range, and a function."""
    try:
        import nvtx

        return nvtx.annotate, nvtx.mark
    except ImportError:
        pass
    if shim_path is None:
        return (lambda message, color=None: contextlib.nullcontext()), (lambda message: None)
    shim = ctypes.CDLL(shim_path)
    colors = {"green": 0xFF76B900, "blue": 0xFF0071C5}

    @contextlib.contextmanager
    def annotate(message, color=None):
        if color is None:
            shim.shim_push(message.encode())
        else:
            shim.shim_push_colored(message.encode(), ctypes.c_uint(colors[color]))
        try:
            yield
        finally:
            shim.shim_pop()

    return annotate, lambda message: shim.shim_mark(message.encode())


def count(annotate, words, result):
    with annotate("count", color="blue"):
        for i in range(0, len(words), 1000):
            with annotate("batch"):
                result.update(words[i : i + 1000])


def main():
    annotate, mark = open_annotations(sys.argv[1] if len(sys.argv) > 1 else None)
    with annotate("word count", color="green"):
        with annotate("split"):
            words = TEXT.split()
        half = len(words) // 2
        counters = [collections.Counter(), collections.Counter()]
        threads = [
            threading.Thread(target=count, args=(annotate, part, counter))
            for part, counter in zip((words[:half], words[half:]), counters)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        mark("counted")
        with annotate("merge"):
            total = counters[0] + counters[1]
    word, n = total.most_common(1)[0]
    print(f"{len(words)} words; most frequent: '{word}', {n} times")


if __name__ == "__main__":
    main()
