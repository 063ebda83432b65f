# SPDX-License-Identifier: Apache-2.0
"""The times of samples as a recording has them (docs/format.md, section 10): an export of ten minutes
would take as long."""

import array
import statistics
import struct

from checks import expect

METRICS, SAMPLES = 5, 2  # type of a chunk, and kind of its payload


def times_of(path, slot=0):
    """Starts and ends of the samples of a GPU, nanoseconds of CLOCK_REALTIME."""
    starts, ends = array.array("q"), array.array("q")
    with open(path, "rb") as file:
        file.seek(64)
        while True:
            head = file.read(64)
            if len(head) < 64:
                return starts, ends
            magic, kind, _, size, _, chunk_slot = struct.unpack_from("<IHHQII", head)
            expect(magic == 0x4B434652, "%s: no chunk at %d" % (path, file.tell() - 64))
            if kind != METRICS or chunk_slot != slot:
                file.seek(size, 1)
                continue
            payload = memoryview(file.read(size))
            kind, n_metrics, n = struct.unpack_from("<IIQ", payload)
            if kind == SAMPLES:
                words = payload[64:].cast("q")[: n * (2 + n_metrics)]
                starts.extend(words[:: 2 + n_metrics])
                ends.extend(words[1 :: 2 + n_metrics])


class Spacing:
    """How far the ends of samples are apart: low and high leave out one percent each."""

    def __init__(self, times):
        gaps = sorted(b - a for a, b in zip(times, times[1:]))
        expect(len(gaps) > 1000, "only %d samples" % len(times))
        self.low, self.high = gaps[len(gaps) // 100], gaps[-1 - len(gaps) // 100]
        self.median = statistics.median(gaps)
        self.least, self.most = gaps[0], gaps[-1]

    def __str__(self):
        return "%.1f us (1 %%: %.1f, 99 %%: %.1f, most %.1f)" % (
            self.median / 1e3, self.low / 1e3, self.high / 1e3, self.most / 1e3)
