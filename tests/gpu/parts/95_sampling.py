# SPDX-License-Identifier: Apache-2.0
"""Sampling of hardware counters: what they say of loads that are known, when samples come, and how
CUPTI behaves where its documentation leaves it open. RF_GPU_SAMPLING_S: how long the run without a
gap is to be (60; 10 with --quick). Ten minutes are a part of their own, 96_ten_minutes.py."""

import bisect
import glob
import json
import os
import re
import shutil
import statistics
import sys
import sysconfig

from checks import Failed, Skipped, check, expect
from gpu import ROOT
from metrics_log import Spacing, times_of

HZ = 10000
INTERVAL = 1e9 / HZ
ON_DEVICE = "--gpu-metrics-devices=0"

# What is said where the machine is the reason. Any other failure is ours until it is understood.
REFUSED = re.compile(r"may not read the GPU's counters|cannot be sampled: it|in use already"
                     r"|CUDA shows no GPU|CUDA 12\.6 or later cannot be loaded|, it lacks ")


# ---- Recordings ----

def sampling_env(gpu):
    """Stand-ins of their own, where there is no GPU."""
    if not gpu.is_dry:
        return {}
    folder = os.path.join(gpu.build, "tests", "pmsampling", "double")
    return {"RANGEFINDER_CUPTI": os.path.join(folder, "libcupti.so.13"), "LD_LIBRARY_PATH": folder,
            "RF_PM_DOUBLE": "realtime=1,chip=GH100," + os.environ.get("RF_PM_DOUBLE", "")}


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
    if done.status != 0 and REFUSED.search(done.err):
        raise Skipped("the GPU is not sampled here: %s" % last_line(done.err))
    expect(done.status == 0, "status %d: %s" % (done.status, last_line(done.err)))
    return path, done.err


def is_gvisor():
    with open("/proc/version") as file:
        return "gVisor" in file.read()


@check("GPU 0 can be sampled", dry=True)
def can_be_sampled(gpu):
    gpu.numbers["sampling"] = "the GPU is not sampled here: see that check"
    try:
        _, said = record_alone(gpu, "probe", seconds=0.3)
    except Failed as found:
        if is_gvisor():
            raise Skipped("gVisor lets nobody read counters: %s" % found) from None
        raise
    gpu.numbers["sampling"] = ""
    return re.search(r"GPU 0 \(.*", said).group(0)


def require(gpu):
    """Skips where the GPU is not sampled."""
    if gpu.numbers.get("sampling", "it was not tried"):
        raise Skipped(gpu.numbers.get("sampling", "it was not tried"))


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


# ---- The Python module ----

def build_module(gpu, package):
    """Python's headers are where Triton works; what CMake needs beside them may not be."""
    expect(gpu.machine.cc, gpu.machine.lacks("cc"))
    os.makedirs(package)
    for path in glob.glob(os.path.join(ROOT, "python", "rangefinder", "*.py")):
        shutil.copy(path, package)
    target = os.path.join(package, "_pm_sampling" + sysconfig.get_config_var("EXT_SUFFIX"))
    command = [gpu.machine.cc, "-std=gnu11", "-O2", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", target]
    command += ["-I" + os.path.join(ROOT, name) for name in ("src", "include", "python/pm_sampling")]
    command.append("-I" + sysconfig.get_paths()["include"])
    for sources in ("python/pm_sampling/*.c", "src/pmsampling/*.c", "src/base/crc32c.c",
                    "src/base/cupti_*.c", "src/base/nearest.c"):
        command += sorted(glob.glob(os.path.join(ROOT, sources)))
    return gpu.run(command + ["-lpthread", "-ldl"])


def module_env(gpu):
    """With rangefinder.pm_sampling of the build, or one that is made here, for this Python."""
    require(gpu)
    if "module" not in gpu.numbers:
        root, error = os.path.join(gpu.build, "python"), ""
        if not glob.glob(os.path.join(root, "rangefinder", "_pm_sampling" +
                                      sysconfig.get_config_var("EXT_SUFFIX"))):
            root = os.path.join(gpu.work, "python")
            done = build_module(gpu, os.path.join(root, "rangefinder"))
            errors = [line for line in done.err.split("\n") if "error" in line]
            error = "" if done.status == 0 else (errors or [last_line(done.err)])[0]
        gpu.numbers["module"], gpu.numbers["module_error"] = root, error
    if gpu.numbers["module_error"]:
        raise Skipped("the Python module is not built: %s" % gpu.numbers["module_error"])
    path = [gpu.numbers["module"], os.environ.get("PYTHONPATH")]
    return {**sampling_env(gpu), "PYTHONPATH": os.pathsep.join(filter(None, path))}


def ask_module(gpu, script, *arguments):
    """What a script in Python says, as JSON in its last line."""
    done = gpu.run([sys.executable, "-c", script, *arguments], env=module_env(gpu))
    gpu.log("a script said %s\n%s" % (done.out, done.err))
    expect(done.status == 0, last_line(done.err))
    return json.loads(done.out.strip().split("\n")[-1])


# ---- What the counters say ----

# The example of docs/gpu-metrics.md, on a program.
OF_PROGRAM = """
import json, subprocess, sys
from rangefinder import pm_sampling
collector = pm_sampling.Collector(device_index=0)
collector.enable()
collector.configure(
    metrics=[
        "dram__bytes.sum.per_second",
        "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
        "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    ],
    sampling_interval=500_000,
)
collector.start()
out = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout.decode()
collector.stop()
data = collector.decode(max_samples=60_000)
collector.disable()
busy = [s.metric_values for s in data[data.is_first:]
        if s.end_timestamp > s.start_timestamp > 0 and s.metric_values[2] > 90]
print(json.dumps({"said": json.loads(out.split("\\n")[0]), "n": len(data), "busy": busy}))
"""


def of_program(gpu, *arguments):
    """The medians of the metrics while all SMs were busy, and what the program said."""
    told = ask_module(gpu, OF_PROGRAM, gpu.program("sampled"), *arguments)
    expect(len(told["busy"]) >= 50, "only %d samples of %d are of a GPU that is busy" % (
        len(told["busy"]), told["n"]))
    return [statistics.median(column) for column in zip(*told["busy"])], told["said"]


def compare_bytes(measured, true):
    text = "sampled %.0f GB/s, moved %.0f GB/s, ratio %.3f" % (
        measured / 1e9, true / 1e9, measured / true)
    expect(0.9 <= measured / true <= 1.1, text)
    return text


@check("rangefinder.pm_sampling: DRAM throughput of a copy, within 10 %", needs=["program"])
def module_dram(gpu):
    (measured, tensor, _), said = of_program(gpu, "copy", "100")
    gpu.numbers["module_copy"] = {"sampled_bytes_per_s": measured, "tensor": tensor, **said}
    gpu.numbers["sampled_ms"] = {"copy": said["ms"]}
    expect(tensor < 2, "tensor cores are active in a copy: %.1f %%" % tensor)
    return compare_bytes(measured, said["bytes_per_s"])


@check("rangefinder.pm_sampling: tensor cores in matrix products", needs=["program"])
def module_tensor(gpu):
    (dram, tensor, _), said = of_program(gpu, "tensor", "20")
    gpu.numbers.setdefault("sampled_ms", {})["tensor"] = said["ms"]
    text = "%.1f %%, and %.0f GB/s of DRAM" % (tensor, dram / 1e9)
    expect(tensor > 50, text)
    return text


@check("what sampling adds to the times of kernels", needs=["program"])
def slower(gpu):
    sampled = gpu.numbers.get("sampled_ms", {})
    texts = []
    for load, ms in sampled.items():
        alone = gpu.run([gpu.program("sampled"), load, "20"]).said()["ms"]
        texts.append("%s: %+.1f %% of %.2f ms" % (load, 100 * (ms / alone - 1), alone))
    if not texts:
        raise Skipped("none was sampled")
    return "; ".join(texts)


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
import ctypes, json, subprocess, sys, time
from rangefinder import pm_sampling as pm

cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)

def has_context():
    flags, active = ctypes.c_uint(), ctypes.c_int()
    if not hasattr(cuda, "cuDevicePrimaryCtxGetState"):
        return 0
    cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active))
    return active.value

def decode(collector, n):
    data = collector.decode(n)
    times = list(zip(data.start_timestamps, data.end_timestamps))
    whole = [time for time in times if time[1] > time[0] > 0]
    return {"n": len(data), "reason": data.stop_reason.name, "overflow": data.overflow,
            "untimed": sum(time == (0, 0) for time in times),
            "empty": sum(time[0] == time[1] > 0 for time in times),
            "first": whole[0] if whole else None, "last": whole[-1] if whole else None}

def memory():
    "In use, MiB; SM clock, MHz."
    try:
        done = subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=memory.used,clocks.sm",
                               "--format=csv,noheader,nounits"], stdout=subprocess.PIPE)
    except OSError:
        return "no nvidia-smi"
    return done.stdout.decode().strip()

out = {"context_before": has_context(), "smi_before": memory()}
metrics = ["sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum.per_second"]
with pm.Collector(0) as collector:
    out["context_after"] = has_context()
    collector.configure(metrics=metrics, sampling_interval=100000)
    before = time.time_ns()
    collector.start()
    time.sleep(0.2)
    out["smi_started"] = memory()
    data = collector.decode(10000)
    out["cupti"] = data.cupti_version
    with open("/proc/self/maps") as maps:
        words = {line.split()[-1] for line in maps if "libcupti" in line or "libnvperf" in line}
    out["libraries"] = sorted(words)
    out["first"] = [t and t - before for t in (data.start_timestamps[0], data.end_timestamps[0])]
    out["first_values"] = list(data[0].metric_values)
    out["second"] = data.start_timestamps[1] - before
    # how old the newest sample is when it is asked for, at most: grows where clocks run apart
    out["age"] = []
    for _ in range(5):
        time.sleep(0.5)
        last = decode(collector, 6000)["last"][1]
        out["age"].append(time.time_ns() - last)
    collector.stop()
    after = time.time_ns()
    out["tail"] = decode(collector, 10000)
    out["stopped"] = after
    # more than fit
    collector.start()
    time.sleep(0.2)
    out["full"] = [decode(collector, 500) for _ in range(3)]
    time.sleep(0.1)
    out["full"] += [decode(collector, 10000) for _ in range(2)]
    collector.stop()
    # a second session, in another process
    script = ("from rangefinder import pm_sampling as pm\\n"
              "try:\\n    pm.Collector(0).enable()\\n    print('none')\\n"
              "except Exception as error:\\n    print(type(error).__name__ + ': ' + str(error))")
    second = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE)
    out["second_session"] = second.stdout.decode().strip()
with pm.Collector(0) as collector:
    collector.configure(metrics=metrics, sampling_interval=10000, hardware_buffer_size=8 << 20)
    collector.start()
    time.sleep(2)
    try:
        out["overflow"] = "no error: %s" % decode(collector, 20000)
    except Exception as error:
        out["overflow"] = "%s: %s" % (type(error).__name__, error)
    collector.restart()
    time.sleep(0.01)
    out["restarted"] = decode(collector, 10000)
with pm.Collector(0) as collector:  # what a sample costs
    chip = data.chip_name
    collector.configure(metrics=pm.choose_metrics(chip), sampling_interval=100000)
    collector.start()
    collector.decode(2000)
    time.sleep(0.15)
    begin = time.perf_counter()
    data = collector.decode(2000)
    middle = time.perf_counter()
    values = data._values(0, len(data))
    end = time.perf_counter()
    data._values(0, len(data))
    again = time.perf_counter()
    out["cost"] = {"n": len(data), "decode_us": (middle - begin) * 1e6 / len(data),
                   "evaluate_us": (end - middle) * 1e6 / len(data),
                   "again_us": (again - end) * 1e6 / len(data), "n_metrics": len(data.metrics),
                   "image_bytes": len(data.image) / 2000}
print(json.dumps(out))
"""


def probe(gpu):
    """What rangefinder.pm_sampling sees of CUPTI. Asked once."""
    if "sampling_probe" not in gpu.numbers:
        gpu.numbers["sampling_probe"] = ask_module(gpu, PROBE)
    return gpu.numbers["sampling_probe"]


def say_decode(row):
    text = "%d (%s" % (row["n"], row["reason"])
    for name in ("untimed", "empty"):
        text += ", %d %s" % (row[name], name) if row[name] else ""
    return text + ")"


@check("question (b): a decode with too little room; a full hardware buffer", dry=True)
def question_resume(gpu):
    found = probe(gpu)
    rows = found["full"]
    whole = [row for row in rows if row["first"]]
    gaps = [b["first"][0] - a["last"][1] for a, b in zip(whole, whole[1:])]
    text = "decodes with room for 500, 500, 500, 10000, 10000: %s; missing between them: %s" % (
        ", ".join(map(say_decode, rows)), ", ".join("%.1f ms" % (gap / 1e6) for gap in gaps))
    text += "; a full buffer: %s" % found["overflow"]
    gpu.answers["b"] = text
    expect(whole, text)
    expect(all(gap > -50000 for gap in gaps), "samples come twice: " + text)
    expect("MemoryError" in found["overflow"] or "True" in found["overflow"], text)
    expect(found["restarted"]["n"] > 10, "nothing comes after a restart: " + text)
    return text


@check("question (d): the first sample, and the last", dry=True)
def question_first(gpu):
    found = probe(gpu)
    start = "%+.1f us" % (found["first"][0] / 1e3) if found["first"][0] else "0"
    text = ("the first starts at %s, ends %+.1f us after start() was called, and has the values %s;"
            " the second begins at %+.1f us; after stop() come %s" % (
                start, found["first"][1] / 1e3, found["first_values"], found["second"] / 1e3,
                say_decode(found["tail"])))
    gpu.answers["d"] = text
    return text


@check("question (e): times of samples are CLOCK_REALTIME", dry=True)
def question_clock(gpu):
    found = probe(gpu)
    last = found["tail"]["last"][1] - found["stopped"] if found["tail"]["last"] else None
    text = "the second begins %+.1f us after start() was called%s; at five decodes the newest is %s us old" % (
        found["second"] / 1e3,
        ", the last ends %+.1f us after stop()" % (last / 1e3) if last is not None else "",
        ", ".join("%.0f" % (age / 1e3) for age in found["age"]))
    if "alignment_ns" in gpu.numbers:
        text += "; against kernels: median %+.1f us" % (gpu.numbers["alignment_ns"]["median"] / 1e3)
    gpu.answers["e"] = text
    expect(-1e6 < found["second"] < 1e9 and (last is None or last < 1e6), text)
    expect(all(-1e6 < age < 1e9 for age in found["age"]), text)
    return text


@check("question (j): no context at Enable; the size of SetConfig's struct", dry=True)
def question_enable(gpu):
    found = probe(gpu)
    text = "CUPTI %d takes our struct of %s bytes; a context of the device: %s before enable(), %s after; %s" % (
        found["cupti"], "60" if found["cupti"] < 26 else "64",
        "one" if found["context_before"] else "none", "one" if found["context_after"] else "none",
        " ".join(found["libraries"]))
    text += "; MiB in use and MHz of SMs: %s before, %s while it samples with 512 MiB" % (
        found["smi_before"], found["smi_started"])
    gpu.answers["j"] = text
    return text


@check("a second process is told that the GPU is sampled")
def second_session(gpu):
    said = probe(gpu)["second_session"]
    expect("in use already" in said and "process" in said, said or "nothing was said")
    return said


@check("10 kHz can be read: a sample costs less than it lasts", dry=True)
def cost(gpu):
    found = probe(gpu)["cost"]
    text = "%.1f us to decode and %.1f us to evaluate (again: %.1f), of %d metrics, in %.0f bytes" % (
        found["decode_us"], found["evaluate_us"], found["again_us"], found["n_metrics"],
        found["image_bytes"])
    expect(found["decode_us"] + found["evaluate_us"] < 0.8 * INTERVAL / 1e3, text)
    return text


@check("without privileges it says how to get them")
def privileges(gpu):
    require(gpu)
    if os.getuid() != 0:
        raise Skipped("this is not root, and the GPU is sampled nevertheless")
    command = [gpu.machine.rangefinder, "gpu-metrics", "record", ON_DEVICE, "-d", "0.2", "-f", "true",
               "-o", "/tmp/rangefinder-nobody"]
    script = "import os, sys; os.setgid(65534); os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])"
    done = gpu.run([sys.executable, "-c", script, *command])
    try:
        with open("/proc/driver/nvidia/params") as file:
            found = re.search("RmProfilingAdminOnly: .*", file.read())
            params = found.group(0) if found else "no RmProfilingAdminOnly"
    except OSError as error:
        params = "params: %s" % error.strerror
    text = "%s; status %d: %s" % (params, done.status, last_line(done.err))
    for path in glob.glob("/tmp/rangefinder-nobody*"):
        os.remove(path)
    if "Permission denied" in done.err:
        raise Skipped("nobody cannot run it: %s" % text)
    expect(done.status == 0 or "NVreg_RestrictProfilingToAdminUsers=0" in done.err, text)
    return text


def run_tests(gpu, module):
    env = {**module_env(gpu), "RF_PM_MODULE": module, "RF_PM_GPU": "1", "RF_BUILD": gpu.build,
           "PYTHONDONTWRITEBYTECODE": "1"}
    done = gpu.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfE",
                    os.path.join(ROOT, "tests", "python", "test_pm_sampling.py")], env=env, timeout=120)
    if "No module named" in done.err or "no tests ran" in done.out:
        raise Skipped(last_line(done.err or done.out))
    gpu.log(done.out)
    expect(done.status == 0, " | ".join(done.out.strip().split("\n")[-6:]))
    return last_line(done.out)


@check("rangefinder.pm_sampling passes its tests on this GPU")
def module_tests(gpu):
    return run_tests(gpu, "rangefinder.pm_sampling")


@check("cupti.pm_sampling passes them, too")
def nvidia_tests(gpu):
    there = gpu.run([sys.executable, "-c", "import cupti.pm_sampling"])
    if there.status != 0:
        raise Skipped("NVIDIA's module: %s" % last_line(there.err))
    return run_tests(gpu, "cupti.pm_sampling")


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
    path, said = record_alone(gpu, "long", "--gpu-metrics-frequency=%d" % HZ, seconds=seconds,
                              timeout=seconds + 120)
    counts = count_samples(gpu, path)
    expect(len(counts) == 1 and "lost" not in said, "%s; %s" % (counts, last_line(said)))
    found = Spacing(times_of(path)[1])
    text = "%d samples in %.0f s (ten minutes are not asked for here): %s" % (
        counts[0], seconds, found)
    expect(counts[0] >= 0.999 * seconds * HZ and found.most < 1.5 * INTERVAL, text)
    return text
