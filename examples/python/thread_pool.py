#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges of several threads: a word count in a pool.

A range that is pushed belongs to its thread. What begins on one thread and ends on another, here the
time that a part waits for a thread, is a start/end range.

    rangefinder profile python3 thread_pool.py
"""

import collections
from concurrent.futures import ThreadPoolExecutor

import rangefinder.nvtx as nvtx

TEXT = (
    "a range is what happens between two calls and a mark is one moment "
    "a domain keeps the ranges of a library apart from those of the program "
) * 400
N_THREADS = 2
N_PARTS = 8


@nvtx.annotate(color="blue", category="work")
def count(words, waiting):
    nvtx.end_range(waiting)
    found = collections.Counter()
    for start in range(0, len(words), 500):
        with nvtx.annotate("batch", payload=start):
            found.update(words[start : start + 500])
    return found


@nvtx.annotate("word count", color="green")
def main():
    with nvtx.annotate("split"):
        words = TEXT.split()
        parts = [words[i::N_PARTS] for i in range(N_PARTS)]
    with ThreadPoolExecutor(N_THREADS, thread_name_prefix="counter") as pool:
        futures = [
            pool.submit(count, part, nvtx.start_range("waiting", color="gray")) for part in parts
        ]
        total = collections.Counter()
        for future in futures:
            total.update(future.result())
    nvtx.mark("counted", payload=len(words))
    word, n = total.most_common(1)[0]
    print(f"{len(words)} words; most frequent: '{word}', {n} times")


if __name__ == "__main__":
    main()
