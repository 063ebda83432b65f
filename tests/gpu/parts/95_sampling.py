# SPDX-License-Identifier: Apache-2.0
"""Hardware counters while a program is recorded, and without one: what they say of loads that are known,
and when samples come. RF_GPU_SAMPLING_S: how long the run without a gap is to be (60; 10 with --quick).
Ten minutes are a part of their own, 97_ten_minutes.py."""

import bisect
import os
import re
import resource
import statistics
import sys

from checks import check, expect
from metrics_log import Spacing, no_numbers, times_of
from sampling import HZ, INTERVAL, ON_DEVICE, compare_bytes, last_line, record_alone, require, try_it

ALONE = True


@check("GPU 0 can be sampled", dry=True)
def can_be_sampled(gpu):
    return try_it(gpu)


@check("question (c): the metrics of the chip's set", dry=True)
def question_set(gpu):
    require(gpu)
    path, said = record_alone(gpu, "set", seconds=0.3)
    found = re.search(r"GPU 0 \((\w+)\): ([\d,]+) samples of (\d+) metrics", said)
    expect(found, last_line(said))
    left_out = re.search(r"cannot be sampled and are left out: .*", said)
    text = "%s: %s metrics are sampled%s" % (found.group(1), found.group(3),
                                             ", " + left_out.group(0) if left_out else "")
    bad = no_numbers(path)
    text += "".join(", %d values of '%s' are no numbers" % (n, label) for label, n in bad.items())
    gpu.answers["c"] = text
    # a GPU may lack counters: those of NVLink, in a virtual machine that has one of several GPUs
    expect(found.group(1) != "GH100" or left_out or found.group(3) == "19", text)
    return text


# ---- What the counters say ----

class Samples:
    """Of one GPU: times, and values by the beginning of a metric's label."""

    def __init__(self, db):
        self.db = db
        tables = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'GPU_METRICS'")
        expect(tables.fetchone()[0], "there is no sample")
        self.names = dict(db.execute("SELECT metricName, metricId FROM TARGET_INFO_GPU_METRICS"))
        self._rows = {}

    def rows(self, label):
        """Times and values of a metric, by time. A time is the end of its sample."""
        if label not in self._rows:
            found = [i for name, i in self.names.items() if name.startswith(label)]
            expect(len(found) == 1, "%d metrics are '%s'" % (len(found), label))
            rows = self.db.execute("SELECT timestamp, value FROM GPU_METRICS WHERE metricId = ?"
                                   " ORDER BY timestamp", (found[0],)).fetchall()
            self._rows[label] = ([row[0] for row in rows], [row[1] for row in rows])
        return self._rows[label]

    def mean(self, label, kernels):
        """Of the samples that lie wholly in a kernel."""
        times, values = self.rows(label)
        found = []
        for kernel in kernels:
            first = bisect.bisect_left(times, kernel.start + INTERVAL)
            found += values[first:bisect.bisect_right(times, kernel.end)]
        expect(len(found) >= 20, "only %d samples of '%s' lie in kernels" % (len(found), label))
        return statistics.mean(found)


def record_load(gpu, load, n_kernels, kernel):
    """Samples and kernels of a run of programs/sampled.cu, and what it said."""
    require(gpu)
    recording = gpu.record([gpu.program("sampled"), load, str(n_kernels)],
                           [ON_DEVICE, "--gpu-metrics-frequency=%d" % HZ])
    kernels = [found for found in recording.kernels() if kernel in (found.name or "")]
    kernels.sort(key=lambda found: found.start)
    expect(len(kernels) == n_kernels, "%d kernels were recorded of %d while the GPU was sampled" % (
        len(kernels), n_kernels))
    return Samples(recording.db), kernels, recording.said()


@check("profile: kernels beside samples; DRAM throughput, within 10 %", needs=["program"])
def dram_throughput(gpu):
    samples, kernels, said = record_load(gpu, "copy", 20 if gpu.is_quick else 40, "copy_kernel")
    kernels = kernels[1:]
    share = sum(samples.mean("DRAM %s Bandwidth" % way, kernels) for way in ("Read", "Write")) / 100
    true = statistics.mean(said["bytes"] / (k.end - k.start) * 1e9 for k in kernels)
    gpu.numbers["copy"] = {"share": share, "bytes_per_s": true,
                           "tensor": samples.mean("Tensor Active", kernels), **said}
    return compare_bytes(share * said["peak"], true)


@check("profile: tensor cores in matrix products, and not in copies", needs=["program"])
def tensor_activity(gpu):
    samples, kernels, _ = record_load(gpu, "tensor", 10, "tensor_kernel")
    active = samples.mean("Tensor Active", kernels[1:])
    text = "%.1f %% in matrix products" % active
    expect(active > 50, text)
    if "copy" in gpu.numbers:
        text += ", %.1f %% in copies" % gpu.numbers["copy"]["tensor"]
        expect(gpu.numbers["copy"]["tensor"] < 2, text)
    return text


@check("profile: tensor cores in PyTorch's matrix products", needs=["torch"])
def torch_products(gpu):
    require(gpu)
    script = ("import torch; a = torch.ones(8192, 8192, dtype=torch.half, device='cuda');"
              "[a @ a for _ in range(100)]; torch.cuda.synchronize()")
    recording = gpu.record([sys.executable, "-c", script], [ON_DEVICE], timeout=180)
    kernels = sorted(recording.kernels(), key=lambda k: k.end - k.start)[-90:]
    expect(len(kernels) == 90, "%d kernels" % len(kernels))
    active = Samples(recording.db).mean("Tensor Active", kernels)
    expect(active > 50, "%.1f %%" % active)
    return "%.1f %% in 8192 x 8192 x 8192, half precision" % active


# ---- When samples come ----

def edge(times, values, at):
    """When all SMs became busy, near a time: the sample of the edge is as full as its rest was
    busy. None where there is no edge."""
    first = bisect.bisect_left(times, at - 2 * INTERVAL)
    for i in range(max(first, 1), min(len(times), first + 6)):
        if values[i] > 90:
            fraction = min(max(values[i - 1], 0), 100) / 100
            return times[i] - INTERVAL - fraction * INTERVAL
    return None


@check("samples are aligned with kernels, within 20 us", needs=["program"])
def alignment(gpu):
    samples, kernels, _ = record_load(gpu, "edges", 200, "spin")
    times, values = samples.rows("SMs Active")
    offsets = [found - kernel.start for kernel in kernels[2:]
               for found in [edge(times, values, kernel.start)] if found is not None]
    expect(len(offsets) > 150, "only %d of %d kernels have an edge" % (len(offsets), len(kernels)))
    offsets.sort()
    median, low, high = (statistics.median(offsets), offsets[len(offsets) // 20],
                         offsets[-1 - len(offsets) // 20])
    gpu.numbers["alignment_ns"] = {"median": median, "p5": low, "p95": high}
    text = "SMs become busy %+.1f us after the kernel's start (%.1f to %.1f), of %d" % (
        median / 1e3, low / 1e3, high / 1e3, len(offsets))
    expect(abs(median) <= 20000, text)
    return text


@check("samples come at the interval, within 5 %", dry=True)
def interval_is_kept(gpu):
    require(gpu)
    texts = []
    for hz in (1000, HZ):
        path, _ = record_alone(gpu, "spacing-%d" % hz, "--gpu-metrics-frequency=%d" % hz,
                               seconds=1.2 if gpu.is_dry else 3)
        found = Spacing(times_of(path)[1])
        texts.append("%d Hz: %s" % (hz, found))
        expect(found.low > 0.95e9 / hz and found.high < 1.05e9 / hz, "; ".join(texts))
    return "; ".join(texts)


@check("how fast it can be sampled: samples per second")
def highest_frequency(gpu):
    require(gpu)
    texts = []
    for hz in (20000, 50000, 100000, 200000):
        path, said = record_alone(gpu, "fast", "--gpu-metrics-frequency=%d" % hz, seconds=1)
        lost = re.search(r"about ([\d,]+) samples are lost", said)
        texts.append("%d: %d, %s lost" % (hz, len(times_of(path)[1]), lost.group(1) if lost else "0"))
        if lost:
            break
    return "; ".join(texts)


# ---- For long ----

def count_samples(gpu, path):
    """Of every metric, by the report."""
    text = gpu.rangefinder("stats", "-q", "-r", "gpu_metrics_sum", "-f", "csv", path,
                           timeout=400).out
    rows = [line.split(",") for line in text.strip().split("\n")]
    column = rows[0].index("Samples")
    # a metric's name has commas only in quotes, and stands before
    back = column - len(rows[0])
    expect(len(rows) > 1, "there is no sample")
    return sorted({int(row[back]) for row in rows[1:]})


@check("10 kHz, and no gap", dry=True)
def no_gap(gpu):
    require(gpu)
    usual = 2 if gpu.is_dry else 10 if gpu.is_quick else 60
    seconds = float(os.environ.get("RF_GPU_SAMPLING_S") or usual)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    path, said = record_alone(gpu, "long", "--gpu-metrics-frequency=%d" % HZ, seconds=seconds,
                              timeout=seconds + 120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ends = times_of(path)[1]
    counts = count_samples(gpu, path)  # fewer of a metric that is no number at times
    expect(counts[-1] == len(ends) and "lost" not in said, "%s of %d; %s" % (
        counts, len(ends), last_line(said)))
    found = Spacing(ends)
    gpu.numbers["sampling_cpu"] = used / seconds
    text = "%d samples in %.0f s (ten minutes are not asked for here): %s; %.0f %% of a processor" % (
        len(ends), seconds, found, 100 * used / seconds)
    expect(len(ends) >= 0.999 * seconds * HZ and found.most < 1.5 * INTERVAL, text)
    return text
