# SPDX-License-Identifier: Apache-2.0
"""The times of samples as a recording has them (docs/format.md, section 10): an export of ten minutes
would take as long."""

import array
import math
import statistics
import struct

from checks import expect

METRICS = 5  # type of a chunk
DESCRIPTION, SAMPLES = 1, 2  # kinds of its payload


def payloads(path, slot):
    """kind, number of metrics, n, and what follows the head, of the chunks of a GPU."""
    with open(path, "rb") as file:
        file.seek(64)
        while True:
            head = file.read(64)
            if len(head) < 64:
                return
            magic, kind, _, size, _, chunk_slot = struct.unpack_from("<IHHQII", head)
            expect(magic == 0x4B434652, "%s: no chunk at %d" % (path, file.tell() - 64))
            if kind != METRICS or chunk_slot != slot:
                file.seek(size, 1)
                continue
            payload = memoryview(file.read(size))
            yield (*struct.unpack_from("<IIQ", payload), payload[64:])


def times_of(path, slot=0):
    """Starts and ends of the samples of a GPU, nanoseconds of CLOCK_REALTIME."""
    starts, ends = array.array("q"), array.array("q")
    for kind, n_metrics, n, rest in payloads(path, slot):
        if kind == SAMPLES:
            words = rest.cast("q")[: n * (2 + n_metrics)]
            starts.extend(words[:: 2 + n_metrics])
            ends.extend(words[1 :: 2 + n_metrics])
    return starts, ends


def no_numbers(path, slot=0):
    """{label of a metric: how many of its values are no finite numbers}, where any are."""
    labels, found = [], {}
    for kind, n_metrics, n, rest in payloads(path, slot):
        if kind == DESCRIPTION:
            labels = bytes(rest[:n]).decode().split("\0")[5:-1:2]
        elif kind == SAMPLES:
            values = rest.cast("d")[: n * (2 + n_metrics)]
            for place, label in enumerate(labels):
                n_bad = sum(not math.isfinite(value) for value in values[2 + place :: 2 + n_metrics])
                if n_bad:
                    found[label] = found.get(label, 0) + n_bad
    return found


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
