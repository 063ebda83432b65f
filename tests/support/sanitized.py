# SPDX-License-Identifier: Apache-2.0
"""Builds with sanitizers, which take memory of their own, and many times as long."""


def is_sanitized(program):
    with open(program, "rb") as file:
        data = file.read()
    return b"__asan_init" in data or b"__tsan_init" in data
