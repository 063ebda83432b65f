#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of docs/gpu-metrics.md: ranges, kernels and counters of a GPU beneath them. What
is drawn is made up here, as a database in the schema of nsys, and goes through Rangefinder's import
and its trace.

usage: docs/picture_counters.py BUILD_FOLDER > docs/gpu-metrics.svg
"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

WIDTH, LEFT, ROW, PLOT = 920, 112, 18, 44
INTERVAL_US = 100
GPU = 1 << 48
# range, begin and end in us, kernels (name, begin, end), values while they run
STEPS = [("load batch", 0, 2500, [("unpack", 300, 2300)], (88, 0, 42)),
         ("forward", 2500, 6900, [("gemm", 2800, 4200), ("softmax", 4250, 5000),
                                  ("gemm", 5050, 6700)], (96, 74, 31)),
         ("loss", 6900, 8100, [("reduce", 7050, 7250), ("reduce", 7700, 7900)], (14, 0, 9)),
         ("backward", 8100, 14200, [("gemm", 8300, 10900), ("gemm", 10950, 14000)], (98, 81, 36)),
         ("optimizer", 14200, 16500, [("adam", 14450, 16300)], (93, 0, 88))]
SOFTMAX = (91, 0, 79)
METRICS = [("SMs Active [Throughput %]", "#4c78a8"), ("Tensor Active [Throughput %]", "#54a24b"),
           ("DRAM Read Bandwidth [Throughput %]", "#e0803a")]
END_US = 16800


def value(metric, at):
    """What a metric is in the interval that begins at a time: the mean over the kernels in it."""
    total = 0.0
    for _, _, _, kernels, values in STEPS:
        for name, begin, end in kernels:
            busy = min(end, at + INTERVAL_US) - max(begin, at)
            if busy > 0:
                level = (SOFTMAX if name == "softmax" else values)[metric]
                total += busy / INTERVAL_US * level * random.uniform(0.94, 1.04)
    return min(100, round(total))


def make_database(path):
    db = sqlite3.connect(path)
    names = sorted({k[0] for step in STEPS for k in step[3]})
    db.executescript("""
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE NVTX_EVENTS(start INTEGER, "end" INTEGER, eventType INTEGER, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER,
  textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, "end" INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER, shortName INTEGER, mangledName INTEGER, gridX INTEGER, gridY INTEGER,
  gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, graphNodeId INTEGER);
CREATE TABLE GPU_METRICS(rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, metricId INTEGER,
  value INTEGER);
CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, sourceId INTEGER, typeName TEXT,
  metricId INTEGER, metricName TEXT);""")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", list(enumerate(names, 1)))
    tid, correlation = (1 << 48) | (100 << 24) | 100, 0
    for name, begin, end, kernels, _ in STEPS:
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, NULL, NULL, ?, ?, NULL, NULL, 0)",
                   (begin * 1000, end * 1000, name, tid))
        for kernel, first, last in kernels:
            correlation += 1
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?, ?,"
                       " 1, 1, 1, 1, 1, 1, NULL)",
                       (first * 1000, last * 1000, correlation, tid & ~0xffffff,
                        *[names.index(kernel) + 1] * 3))
    for i, (label, _) in enumerate(METRICS):
        db.execute("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (?, ?, 'General Metrics', ?, ?)",
                   (GPU, GPU, i, label))
        for at in range(0, END_US, INTERVAL_US):
            end = (at + INTERVAL_US) * 1000
            db.execute("INSERT INTO GPU_METRICS VALUES (?, ?, ?, ?, ?)",
                       (end, end, GPU, i, value(i, at)))
    db.commit()
    db.close()


def export(build):
    """The trace's events."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made-up.sqlite")
        make_database(path)
        text = subprocess.run([os.path.join(build, "bin", "rangefinder"), "export", "-q", "-t",
                               "json", "-o", "-", path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)["traceEvents"]


def x_of(us):
    return LEFT + us * (WIDTH - LEFT - 8) / END_US


def draw_bars(out, label, events, y, color):
    out.append(f'<text x="6" y="{y + 13}">{label}</text>')
    for e in events:
        x, w = x_of(e["ts"]), x_of(e["ts"] + e["dur"]) - x_of(e["ts"])
        out.append(f'<rect x="{x:.1f}" y="{y}" width="{w - 1:.1f}" height="{ROW}" rx="1.5" '
                   f'fill="{color}"><title>{e["name"]}</title></rect>')
        if w > 6.2 * len(e["name"]):
            out.append(f'<text x="{x + 3:.1f}" y="{y + 13}">{e["name"]}</text>')


def draw_counter(out, label, samples, y, color):
    """The trace has a value where the interval begins that it stands for."""
    bottom = y + PLOT
    points = [f"M{LEFT} {bottom}"]
    for ts, number in samples:
        level = bottom - number * PLOT / 100
        points.append(f"L{x_of(ts):.1f} {level:.1f} L{x_of(ts + INTERVAL_US):.1f} {level:.1f}")
    points.append(f"L{x_of(samples[-1][0] + INTERVAL_US):.1f} {bottom} Z")
    out.append(f'<text x="6" y="{y + 20}">{label.split(" [")[0].replace(" Bandwidth", "")}</text>'
               f'<text x="6" y="{y + 34}" fill="#888" font-size="9">0 to 100 %</text>'
               f'<path d="{" ".join(points)}" fill="{color}" fill-opacity="0.45" '
               f'stroke="{color}"/>'
               f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - 8}" y2="{y}" stroke="#ddd"/>')


def main():
    random.seed(7)
    events = export(sys.argv[1])
    out, y = [], 24
    bars = [e for e in events if e["ph"] == "X"]
    draw_bars(out, "NVTX ranges", [e for e in bars if e.get("cat") == "nvtx"], y, "#a9c8e8")
    y += ROW + 6
    draw_bars(out, "kernels", [e for e in bars if e.get("cat") == "kernel"], y, "#7fb77e")
    y += ROW + 14
    for label, color in METRICS:
        samples = sorted((e["ts"], next(iter(e["args"].values()))) for e in events
                         if e["ph"] == "C" and label in e["name"])
        draw_counter(out, label, samples, y, color)
        y += PLOT + 12
    for k in range(6):
        x = LEFT + k * (WIDTH - LEFT - 8) / 6
        out.insert(0, f'<line x1="{x:.1f}" y1="18" x2="{x:.1f}" y2="{y}" stroke="#eee"/>'
                      f'<text x="{x + 2:.1f}" y="12" fill="#888">{k * END_US / 6e3:.1f} ms</text>')
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
          f'font-family="sans-serif" font-size="11">\n<rect width="{WIDTH}" height="{y}" '
          'fill="white"/>')
    print("\n".join(out))
    print("</svg>")


main()
