#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is in a recording: the ranges that took longest, what lay inside the longest, and columns.

    python3 reading.py RECORDING

RECORDING: a .rf file, or a SQLite database that nsys exported.
"""

import collections
import sys

import rangefinder


def main():
    with rangefinder.open(sys.argv[1]) as recording:
        info = recording.info
        print(f"ranges: {info.n_ranges}, marks: {info.n_marks}, processes: {len(recording.processes)}")

        total_ns = collections.Counter()
        for span in recording.ranges:
            total_ns[span.name] += span.duration_ns
        for name, ns in total_ns.most_common(3):
            print(f"{ns / 1e6:10.3f} ms  {name}")

        longest = max(recording.ranges, key=lambda span: span.duration_ns)
        print(f"inside {longest.name}: {', '.join(sorted({c.name for c in longest.children})) or '-'}")

        # columns have no object per event; numpy.asarray() and pyarrow take them as they are
        columns = recording.table("ranges", "start_ns", "duration_ns")
        print(f"columns of {columns.n_rows} rows: {', '.join(columns)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
