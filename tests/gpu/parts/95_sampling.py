# SPDX-License-Identifier: Apache-2.0
"""Sampling of hardware counters: what they say of loads that are known, when samples come, and how
CUPTI behaves where its documentation leaves it open. RF_GPU_SAMPLING_S: how long the run without a
gap is to be (60; 10 with --quick)."""

import bisect
import json
import os
import re
import sqlite3
import statistics
import sys

from checks import Failed, Skipped, check, expect

REFUSALS = ("may not read the GPU's counters", "is not sampled", "cannot be loaded",
            "CUDA shows no GPU", "cannot sample", "can be sampled", "MIG", "vGPU", "has it",
            "HARDWARE_BUSY")
HZ = 10000
ON_DEVICE = "--gpu-metrics-devices=0"


# ---- Recordings ----

def sampling_env(gpu):
    """Stand-ins of their own, where there is no GPU; and the package, where it was built."""
    package = os.path.join(gpu.build, "python")
    env = {"PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))}
    if gpu.is_dry:
        folder = os.path.join(gpu.build, "tests", "pmsampling", "double")
        settings = "realtime=1,chip=GH100," + os.environ.get("RF_PM_DOUBLE", "")
        env.update(RANGEFINDER_CUPTI=os.path.join(folder, "libcupti.so.13"),
                   LD_LIBRARY_PATH=folder, RF_PM_DOUBLE=settings)
    return env


def last_line(text):
    lines = [line for line in text.strip().split("\n") if line]
    return lines[-1][-300:] if lines else "nothing was said"


def record_alone(gpu, name, *options, seconds=1.0, timeout=90):
    """The path of a recording of the GPU without a program, and what was said."""
    path = os.path.join(gpu.work, name + ".rf")
    done = gpu.run([gpu.machine.rangefinder, "gpu-metrics", "record", "-f", "true", "-o", path,
                    ON_DEVICE, "--duration", str(seconds), *options], env=sampling_env(gpu),
                   timeout=timeout)
    gpu.log("gpu-metrics record %s: status %d\n%s" % (name, done.status, done.err))
    if done.status != 0 and any(refusal in done.err for refusal in REFUSALS):
        raise Skipped("the GPU is not sampled here: %s" % last_line(done.err))
    expect(done.status == 0, "status %d: %s" % (done.status, last_line(done.err)))
    return path, done.err


def require(gpu):
    """Skips where the machine does not let its GPU be sampled. Asked once."""
    if "sampling" not in gpu.numbers:
        try:
            record_alone(gpu, "probe", seconds=0.3)
            gpu.numbers["sampling"] = ""
        except Skipped as reason:
            gpu.numbers["sampling"] = str(reason)
    if gpu.numbers["sampling"]:
        raise Skipped(gpu.numbers["sampling"])


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

    def within(self, label, kernels, interval):
        """Values of the samples that lie wholly in a kernel."""
        times, values = self.rows(label)
        found = []
        for kernel in kernels:
            first = bisect.bisect_left(times, kernel.start + interval)
            found += values[first:bisect.bisect_right(times, kernel.end)]
        return found

    def mean(self, label, kernels, interval):
        found = self.within(label, kernels, interval)
        expect(len(found) >= 20, "only %d samples of '%s' lie in kernels" % (len(found), label))
        return statistics.mean(found)


def record_load(gpu, load, n_kernels, kernel, hz=HZ):
    """Samples and kernels of a run of programs/sampled.cu, and what it said."""
    require(gpu)
    recording = gpu.record([gpu.program("sampled"), load, str(n_kernels)],
                           [ON_DEVICE, "--gpu-metrics-frequency=%d" % hz])
    kernels = [found for found in recording.kernels() if kernel in (found.name or "")]
    expect(len(kernels) == n_kernels, "%d kernels were recorded of %d" % (len(kernels), n_kernels))
    return Samples(recording.db), kernels, recording.said()


# ---- What the counters say ----

@check("DRAM throughput is that of the bytes moved, within 10 %", needs=["program"])
def dram_throughput(gpu):
    samples, kernels, said = record_load(gpu, "copy", 20 if gpu.is_quick else 40, "copy_kernel")
    kernels = kernels[1:]
    interval = 1e9 / HZ
    share = sum(samples.mean("DRAM %s Bandwidth" % way, kernels, interval)
                for way in ("Read", "Write")) / 100
    measured = share * said["peak"]
    true = statistics.mean(said["bytes"] / (k.end - k.start) * 1e9 for k in kernels)
    tensor = samples.mean("Tensor Active", kernels, interval)
    gpu.numbers["copy"] = {"sampled_bytes_per_s": measured, "bytes_per_s": true, "tensor": tensor}
    text = "sampled %.0f GB/s, moved %.0f GB/s, ratio %.3f" % (
        measured / 1e9, true / 1e9, measured / true)
    expect(0.9 <= measured / true <= 1.1, text)
    return text


@check("tensor cores are active in matrix products, and not in copies", needs=["program"])
def tensor_activity(gpu):
    if "copy" not in gpu.numbers:
        raise Skipped("the copy was not sampled")
    samples, kernels, _ = record_load(gpu, "tensor", 10, "tensor_kernel")
    active = samples.mean("Tensor Active", kernels[1:], 1e9 / HZ)
    text = "%.1f %% in matrix products, %.1f %% in copies" % (active, gpu.numbers["copy"]["tensor"])
    expect(active > 50 and gpu.numbers["copy"]["tensor"] < 2, text)
    return text


@check("tensor cores are active in PyTorch's matrix products", needs=["torch"])
def torch_products(gpu):
    require(gpu)
    script = ("import torch; a = torch.ones(8192, 8192, dtype=torch.half, device='cuda');"
              "[a @ a for _ in range(100)]; torch.cuda.synchronize()")
    recording = gpu.record([sys.executable, "-c", script], [ON_DEVICE], timeout=180)
    kernels = sorted(recording.kernels(), key=lambda k: k.end - k.start)[-90:]
    expect(len(kernels) == 90, "%d kernels" % len(kernels))
    active = Samples(recording.db).mean("Tensor Active", kernels, 1e9 / HZ)
    expect(active > 50, "%.1f %%" % active)
    return "%.1f %% in 8192 x 8192 x 8192, half precision" % active


# ---- When samples come ----

def edge(times, values, at, interval):
    """When all SMs became busy, near a time: the sample of the edge is as full as its rest was
    busy. None where there is no edge."""
    first = bisect.bisect_left(times, at - 200000)
    for i in range(first, min(len(times), first + int(400000 / interval))):
        if values[i] > 90 and i > 0:
            fraction = min(max(values[i - 1], 0), 100) / 100
            return times[i] - interval - fraction * interval
    return None


@check("samples are aligned with kernels, within 20 us", needs=["program"])
def alignment(gpu):
    hz = 50000
    samples, kernels, _ = record_load(gpu, "edges", 200, "spin", hz)
    times, values = samples.rows("SMs Active")
    offsets = [found - kernel.start for kernel in kernels[2:]
               for found in [edge(times, values, kernel.start, 1e9 / hz)] if found is not None]
    expect(len(offsets) > 150, "only %d of %d kernels have an edge" % (len(offsets), len(kernels)))
    offsets.sort()
    median, low, high = (statistics.median(offsets), offsets[len(offsets) // 20],
                         offsets[-1 - len(offsets) // 20])
    gpu.numbers["alignment_ns"] = {"median": median, "p5": low, "p95": high}
    text = "SMs become busy %+.1f us after the kernel's start (%.1f to %.1f), of %d" % (
        median / 1e3, low / 1e3, high / 1e3, len(offsets))
    expect(abs(median) <= 20000, text)
    return text


def spacing(times):
    gaps = sorted(b - a for a, b in zip(times, times[1:]))
    expect(len(gaps) > 1000, "only %d samples" % len(times))
    return gaps[len(gaps) // 100], statistics.median(gaps), gaps[-1 - len(gaps) // 100], gaps[-1]


def load_samples(gpu, path):
    target = path[:-3] + ".sqlite"
    gpu.rangefinder("export", "-q", "-t", "sqlite", "-f", "true", "-o", target, path, timeout=400)
    return Samples(sqlite3.connect(target))


@check("samples come at the interval, within 5 %", dry=True)
def interval_is_kept(gpu):
    require(gpu)
    texts = []
    for hz in (1000, 10000, 50000):
        path, _ = record_alone(gpu, "spacing-%d" % hz, "--gpu-metrics-frequency=%d" % hz,
                               seconds=1.2 if gpu.is_dry else 3)
        low, median, high, most = spacing(load_samples(gpu, path).rows("SMs Active")[0])
        gpu.numbers["spacing_%d_ns" % hz] = [low, median, high, most]
        texts.append("%d Hz: %.1f us (1 %%: %.1f, 99 %%: %.1f, most %.1f)" % (
            hz, median / 1e3, low / 1e3, high / 1e3, most / 1e3))
        ns = 1e9 / hz
        expect(low > 0.95 * ns and high < 1.05 * ns, "; ".join(texts))
    return "; ".join(texts)


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
    path, said = record_alone(gpu, "long", "--gpu-metrics-frequency=%d" % HZ, seconds=seconds,
                              timeout=seconds + 120)
    counts = count_samples(gpu, path)
    text = "%d samples in %.0f s" % (counts[0], seconds)
    expect(len(counts) == 1 and "lost" not in said, "%s; %s" % (counts, last_line(said)))
    expect(counts[0] >= 0.999 * seconds * HZ, text)
    if seconds <= 60:
        most = spacing(load_samples(gpu, path).rows("SMs Active")[0])[3]
        text += ", the longest interval %.1f us" % (most / 1e3)
        expect(most < 1.5e9 / HZ, text)
    return text


# ---- Questions about CUPTI ----

@check("question (c): the metrics of the chip's set", dry=True)
def question_set(gpu):
    require(gpu)
    _, said = record_alone(gpu, "set", seconds=0.3)
    found = re.search(r"GPU 0 \((\w+)\): ([\d,]+) samples of (\d+) metrics", said)
    expect(found, last_line(said))
    left_out = re.search(r"cannot be sampled and are left out: .*", said)
    text = "%s: %s metrics are sampled%s" % (found.group(1), found.group(3),
                                             ", " + left_out.group(0) if left_out else "")
    gpu.answers["c"] = text
    expect(found.group(1) != "GH100" or found.group(3) == "19", text)
    return text


PROBE = """
import ctypes, json, time
from rangefinder import pm_sampling as pm

cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)

def has_context():
    flags, active = ctypes.c_uint(), ctypes.c_int()
    if not hasattr(cuda, "cuDevicePrimaryCtxGetState"):
        return 0
    cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active))
    return active.value

out = {"context_before": has_context()}
metrics = ["sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum.per_second"]
with pm.Collector(0) as collector:
    out["context_after"] = has_context()
    collector.configure(metrics=metrics, sampling_interval=100000)
    before = time.time_ns()
    collector.start()
    time.sleep(0.2)
    collector.stop()
    after = time.time_ns()
    data = collector.decode(10000)
    out["cupti"] = data.cupti_version
    out["n"] = len(data)
    out["first"] = [data.start_timestamps[0] - before, data.end_timestamps[0] - before]
    out["first_start"] = data.start_timestamps[0]
    out["second"] = data.start_timestamps[1] - before
    out["last"] = data.end_timestamps[-1] - after
    out["first_values"] = list(data[0].metric_values)
    collector.start()
    time.sleep(0.2)
    collector.stop()
    out["resumed"] = []
    for _ in range(8):
        data = collector.decode(500)
        ends = data.end_timestamps
        out["resumed"].append([len(data), data.stop_reason.name, data.overflow,
                               ends[0] if len(data) else 0, ends[-1] if len(data) else 0])
try:
    with pm.Collector(0) as collector:
        collector.configure(metrics=metrics, sampling_interval=10000, hardware_buffer_size=1 << 20)
        collector.start()
        time.sleep(1)
        data = collector.decode(50000)
        out["overflow"] = "no error; flag %s, %d samples" % (data.overflow, len(data))
except Exception as error:
    out["overflow"] = "%s: %s" % (type(error).__name__, error)
print(json.dumps(out))
"""


def probe(gpu):
    """What rangefinder.pm_sampling, where it was built, sees of CUPTI. Asked once."""
    require(gpu)
    if "sampling_probe" not in gpu.numbers:
        env = sampling_env(gpu)
        there = gpu.run([sys.executable, "-c", "import rangefinder.pm_sampling"], env=env)
        if there.status != 0:
            raise Skipped("rangefinder.pm_sampling is not built: %s" % last_line(there.err))
        done = gpu.run([sys.executable, "-c", PROBE], env=env)
        expect(done.status == 0, last_line(done.err))
        gpu.numbers["sampling_probe"] = json.loads(done.out.strip().split("\n")[-1])
    return gpu.numbers["sampling_probe"]


@check("question (b): decoding goes on after a full image; an overflow", dry=True)
def question_resume(gpu):
    found = probe(gpu)
    rows = [row for row in found["resumed"] if row[0] > 0]
    total = sum(row[0] for row in rows)
    text = "decode(500) of about 2000 samples: %s; a full buffer: %s" % (
        ", ".join("%d (%s)" % (row[0], row[1]) for row in found["resumed"]), found["overflow"])
    gpu.answers["b"] = text
    expect(rows, text)
    backwards = any(b[3] < a[4] for a, b in zip(rows, rows[1:]))
    expect(not backwards, "samples come twice: " + text)
    return "%d samples came; %s" % (total, text)


@check("question (d): the first sample", dry=True)
def question_first(gpu):
    found = probe(gpu)
    start = "%+.1f us" % (found["first"][0] / 1e3) if found["first_start"] else "0"
    text = ("it starts at %s, ends %+.1f us after start() was called, and has the values %s; the"
            " second begins at %+.1f us" % (start, found["first"][1] / 1e3, found["first_values"],
                                            found["second"] / 1e3))
    gpu.answers["d"] = text
    return text


@check("question (e): times of samples are CLOCK_REALTIME", dry=True)
def question_clock(gpu):
    found = probe(gpu)
    text = "the second begins %+.1f us after start() was called, the last ends %+.1f us after stop()" % (
        found["second"] / 1e3, found["last"] / 1e3)
    if "alignment_ns" in gpu.numbers:
        text += "; against kernels: median %+.1f us" % (gpu.numbers["alignment_ns"]["median"] / 1e3)
    gpu.answers["e"] = text
    expect(-1e6 < found["second"] < 1e9 and found["last"] < 1e6, text)
    return text


@check("question (j): no context at Enable; the size of SetConfig's struct", dry=True)
def question_enable(gpu):
    found = probe(gpu)
    text = "CUPTI %d takes our struct of %s bytes; a context of the device: %s before enable(), %s after" % (
        found["cupti"], "60" if found["cupti"] < 26 else "64",
        "one" if found["context_before"] else "none", "one" if found["context_after"] else "none")
    gpu.answers["j"] = text
    return text


@check("DRAM throughput through rangefinder.pm_sampling, within 10 %", needs=["program"])
def module_dram(gpu):
    probe(gpu)  # skips where the module is not there
    script = """
import json, subprocess, sys
from rangefinder import pm_sampling as pm
with pm.Collector(0) as collector:
    collector.configure(metrics=["dram__bytes.sum.per_second"], sampling_interval=1000000)
    collector.start()
    out = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout.decode()
    collector.stop()
    values = sorted(sample.metric_values[0] for sample in collector.decode(60000))[::-1]
print(json.dumps({"busy": values[len(values) // 20:len(values) // 5], "n": len(values)}))
"""
    done = gpu.run([sys.executable, "-c", script, gpu.program("sampled"), "copy", "100"],
                   env=sampling_env(gpu))
    expect(done.status == 0, last_line(done.err))
    told = json.loads(done.out.strip().split("\n")[-1])
    true = gpu.numbers.get("copy", {}).get("bytes_per_s")
    if not true:
        raise Failed("the copy's own throughput is not known")
    ratio = statistics.median(told["busy"]) / true
    text = "sampled %.0f GB/s, moved %.0f GB/s, ratio %.3f" % (
        ratio * true / 1e9, true / 1e9, ratio)
    expect(0.9 <= ratio <= 1.1, text)
    return text
