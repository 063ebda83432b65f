# SPDX-License-Identifier: Apache-2.0
"""rangefinder.snapshot(): asks the flight recorder for its newest events."""

from rangefinder import nvtx

_DOMAIN = "rangefinder.snapshot"  # a mark in it asks; its message is the reason


def snapshot(reason=None):
    """Asks the flight recorder that records this process (`rangefinder profile --ring`) for a snapshot.

    reason: str of up to 127 bytes as UTF-8, which `rangefinder info` shows and
    Recording.ring.reason has; None: none is given.

    It does not wait: the command line writes NAME.snapshotN.rf soon afterwards. It costs what a mark
    costs, and does nothing where no flight recorder records the process. What is asked for within
    --cool-down of another snapshot is counted, and not taken.

    Raises TypeError where reason is no str.

        if latency > 0.1:
            rangefinder.snapshot("a slow request")
    """
    if reason is not None and not isinstance(reason, str):
        raise TypeError(f"reason must be a str or None, not {type(reason).__name__}")
    nvtx.mark(message=reason or "asked for by the program", domain=_DOMAIN)
