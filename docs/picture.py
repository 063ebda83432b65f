#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of the README from a recording of examples/pipeline.c.

usage: docs/picture.py BUILD_FOLDER > docs/timeline.svg
"""
import json
import os
import subprocess
import sys
import tempfile

WIDTH, LEFT, ROW, LANE = 920, 96, 18, 8
COLORS = {"make": "#4c78a8", "blur": "#f58518", "copy back": "#ffbf79", "split": "#bab0ac",
          "sum": "#54a24b", "queue empty": "#e4e4e4", "queue full": "#f2b5b5", "image": "#b279a2",
          "merge": "#54a24b"}


def record(build):
    """Events of one run of the pipeline, as `rangefinder export -t jsonl` gives them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.rf")
        tool = os.path.join(build, "bin", "rangefinder")
        subprocess.run([tool, "profile", "-q", "-o", path,
                        os.path.join(build, "bin", "example-pipeline")],
                       check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([tool, "export", "-t", "jsonl", "-o", "-", path], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in text.splitlines()]


def main():
    lines = record(sys.argv[1])
    names = {e["thread"]: e["name"] for e in lines if e["type"] == "thread"}
    events = [e for e in lines if e["type"] in ("push_pop", "start_end")]
    begin = min(e["start_ns"] for e in events)
    window = 2_500_000  # ns shown
    first = begin + 500_000
    scale = (WIDTH - LEFT - 8) / window
    rows = [t for t in names if not names[t].startswith("example")]
    journeys = [e for e in events if e["type"] == "start_end" and e["end_ns"] > first and
                e["start_ns"] < first + window][:8]
    height = 34 + len(rows) * (ROW + 10) + len(journeys) * LANE + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for k in range(6):
        x = LEFT + k * window / 5 * scale
        out.append(f'<line x1="{x:.1f}" y1="20" x2="{x:.1f}" y2="{height - 8}" stroke="#eee"/>'
                   f'<text x="{x + 2:.1f}" y="14" fill="#888">{k * window / 5e6:.1f} ms</text>')

    def bar(e, y, tall, label=True):
        a = max(e["start_ns"], first)
        b = min(e["end_ns"], first + window)
        if b <= a:
            return
        x, w = LEFT + (a - first) * scale, max((b - a) * scale, 0.8)
        name = e.get("name") or ""
        out.append(f'<rect x="{x:.1f}" y="{y}" width="{w:.1f}" height="{tall}" rx="1.5" '
                   f'fill="{COLORS.get(name, "#9ecae9")}"><title>{name}</title></rect>')
        if label and w > 7 * len(name):
            out.append(f'<text x="{x + 3:.1f}" y="{y + tall - 5}">{name}</text>')

    for i, thread in enumerate(rows):
        y = 24 + i * (ROW + 10)
        out.append(f'<text x="6" y="{y + 13}">{names[thread]}</text>')
        for e in events:
            if e["thread"] == thread and e["type"] == "push_pop":
                inner = e.get("name") == "copy back"
                bar(e, y + (6 if inner else 0), ROW - (6 if inner else 0))
    y = 30 + len(rows) * (ROW + 10)
    out.append(f'<text x="6" y="{y + 12}">images</text>')
    for i, e in enumerate(journeys):
        bar(e, y + i * LANE, LANE - 2, label=False)
    out.append("</svg>")
    print("\n".join(out))


main()
