#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds samples of GPU metrics to a session directory: what `profile --gpu-metrics-devices` leaves
there (docs/format.md, section 10) after hours, of any length. A thousand samples, a chunk, take
100 ms; values are reproducible, times are not."""
import argparse
import array
import os
import random
import struct
import sys
import time

CHUNK = struct.Struct("<IHHQIIQQq16x")
HEAD = struct.Struct("<IIQqqQII16s")
METRICS = 5
DESCRIPTION, SAMPLES = 1, 2
AT_ONCE = 1000
INTERVAL_NS = 100_000


def chunk(kind, n_metrics, n, rest, slot=0, seq=1, start_ns=0, end_ns=0):
    rest += bytes(-len(rest) % 8)
    head = HEAD.pack(kind, n_metrics, n, start_ns, end_ns, INTERVAL_NS, 1, 0, bytes(16))
    return CHUNK.pack(0x4B434652, METRICS, CHUNK.size, len(head) + len(rest), 0, slot, seq, 0, 0) \
        + head + rest


def description(n_metrics, slot):
    texts = ["GH100", f"GPU {slot}", f"0000:{slot:02x}:00.0", "General Metrics for NVIDIA GH100"]
    for i in range(n_metrics):
        texts += [f"unit__metric_{i}.avg", f"Metric {i} [Throughput %]"]
    data = b"".join(text.encode() + b"\0" for text in texts)
    return chunk(DESCRIPTION, n_metrics, len(data), data, slot)


def write_samples(out, n_samples, n_metrics, start_ns, slot):
    """Rows of one chunk with other times again and again."""
    numbers = random.Random(slot)
    row = struct.Struct(f"<qq{n_metrics}d")
    rows = bytearray()
    for _ in range(AT_ONCE):
        rows += row.pack(0, 0, *(round(numbers.uniform(0, 100), 3) for _ in range(n_metrics)))
    times = array.array("q", [0, 0])
    for at in range(0, n_samples, AT_ONCE):
        n = min(AT_ONCE, n_samples - at)
        first_ns = start_ns + at * INTERVAL_NS
        for i in range(n):
            times[0] = first_ns + i * INTERVAL_NS
            times[1] = times[0] + INTERVAL_NS
            rows[i * row.size:i * row.size + 16] = times.tobytes()
        out.write(chunk(SAMPLES, n_metrics, n, bytes(rows[:n * row.size]), slot,
                        2 + at // AT_ONCE, first_ns, first_ns + n * INTERVAL_NS))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("session", help="NAME.rfdir")
    parser.add_argument("--samples", type=int, default=2_000_000)
    parser.add_argument("--metrics", type=int, default=19)
    parser.add_argument("--gpus", type=int, default=1)
    options = parser.parse_args()
    start_ns = time.time_ns()
    with open(os.path.join(options.session, "metrics.log"), "xb") as out:
        out.write(struct.pack("<8sHHI48x", b"RFLOG\r\n\x1a", 1, 2, 64))
        for slot in range(options.gpus):
            out.write(description(options.metrics, slot))
            write_samples(out, options.samples, options.metrics, start_ns, slot)
        size = out.tell()
    print(f"{options.gpus} GPUs, {options.samples} samples of {options.metrics} metrics each,"
          f" {size / 1e6:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
