#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the README's picture of a converted trace: what a GPU did, and the ranges of the thread that
launched it, as the GPU saw them.

usage: docs/picture_gpu.py TRACE.json PID FROM_US UNTIL_US > docs/gpu-timeline.svg

TRACE.json is what `rangefinder export -t json` made; the README's is of
tests/data/nsys_exports/c_real_h100_2gpu.sqlite, a part of a real run of PyTorch on two H100.
"""
import json
import sys

WIDTH, LEFT, ROW, GAP = 920, 112, 15, 10
GROUPS = [("NVTX, projected", "nvtx_gpu", "#a9c8e8"), ("kernels", "kernel", "#7fb77e"),
          ("copies", "gpu_memcpy", "#c9a6d8")]


def depths(events):
    """Rows so that events of one row do not overlap and an enclosing one is above."""
    ends, result = [], []
    for e in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        row = next((i for i, end in enumerate(ends) if end <= e["ts"]), len(ends))
        ends[row:row + 1] = [e["ts"] + e["dur"]]
        result.append((row, e))
    return result, len(ends)


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def main():
    trace, pid, first, last = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    events = [e for e in json.load(open(trace, encoding="utf-8"))["traceEvents"]
              if e["ph"] == "X" and e["pid"] == pid and e["ts"] + e["dur"] > first
              and e["ts"] < last]
    scale = (WIDTH - LEFT - 8) / (last - first)
    out, y = [], 24
    for label, category, color in GROUPS:
        rows, n = depths([e for e in events if e.get("cat") == category])
        if n == 0:
            continue
        out.append(f'<text x="6" y="{y + 11}">{label}</text>')
        for row, e in rows:
            a, b = max(e["ts"], first), min(e["ts"] + e["dur"], last)
            x, w = LEFT + (a - first) * scale, max((b - a) * scale, 0.7)
            name = escape(e["name"].split(", op_id")[0])
            out.append(f'<rect x="{x:.1f}" y="{y + row * ROW}" width="{w:.1f}" height="{ROW - 2}" '
                       f'rx="1.5" fill="{color}"><title>{name}</title></rect>')
            fits = int(w / 5.6)
            if fits > 3:
                shown = name if len(name) <= fits else name[:fits - 1] + "…"
                out.append(f'<text x="{x + 2:.1f}" y="{y + row * ROW + 10}" font-size="9">{shown}'
                           "</text>")
        y += n * ROW + GAP
    for k in range(5):
        x = LEFT + k * (WIDTH - LEFT - 8) / 5
        out.insert(0, f'<line x1="{x:.1f}" y1="18" x2="{x:.1f}" y2="{y}" stroke="#eee"/>'
                      f'<text x="{x + 2:.1f}" y="12" fill="#888">{k * (last - first) / 5:.0f} µs</text>')
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
          'font-family="sans-serif" font-size="11">')
    print(f'<rect width="{WIDTH}" height="{y}" fill="white"/>')
    print("\n".join(out))
    print("</svg>")


main()
