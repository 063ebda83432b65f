# SPDX-License-Identifier: Apache-2.0
"""rangefinder.pm_sampling on a GPU, and by it how CUPTI behaves where its documentation leaves that
open."""

import glob
import os
import re
import statistics
import sys

from checks import Skipped, check, expect
from sampling import INTERVAL, ON_DEVICE, ask_module, compare_bytes, last_line, module_env, require, run_tests

ALONE = True

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


# ---- Questions about CUPTI ----

PROBE = """
import ctypes, json, subprocess, sys, time
from rangefinder import pm_sampling as pm

cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
METRICS = ["sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum.per_second"]
out = {"errors": {}}

def section(function):
    "Runs it; what goes wrong in one is not to hide what the others find."
    try:
        with pm.Collector(0) as collector:
            function(collector)
    except Exception as error:
        out["errors"][function.__name__] = "%s: %s" % (type(error).__name__, error)

def has_context():
    flags, active = ctypes.c_uint(), ctypes.c_int()
    if not hasattr(cuda, "cuDevicePrimaryCtxGetState"):
        return 0
    cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active))
    return active.value

def smi():
    "MiB in use, MHz of the SMs."
    try:
        done = subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=memory.used,clocks.sm",
                               "--format=csv,noheader,nounits"], stdout=subprocess.PIPE)
    except OSError:
        return "no nvidia-smi"
    return done.stdout.decode().strip()

def decode(collector, n):
    data = collector.decode(n)
    times = list(zip(data.start_timestamps, data.end_timestamps))
    whole = [time for time in times if time[1] > time[0] > 0]
    return {"n": len(data), "reason": data.stop_reason.name, "overflow": data.overflow,
            "untimed": sum(time == (0, 0) for time in times),
            "empty": sum(time[0] == time[1] > 0 for time in times),
            "first": whole[0] if whole else None, "last": whole[-1] if whole else None}

out["smi_before"] = smi()

@section
def enable(collector):
    out["context_after"] = has_context()
    with open("/proc/self/maps") as maps:
        words = {line.split()[-1] for line in maps if "libcupti" in line or "libnvperf" in line}
    out["libraries"] = sorted(words)
    collector.configure(metrics=METRICS, sampling_interval=100000)
    collector.start()
    time.sleep(0.2)
    out["smi_started"] = smi()
    data = collector.decode(4000)
    out["cupti"], out["chip"] = data.cupti_version, data.chip_name

@section
def times(collector):
    collector.configure(metrics=METRICS, sampling_interval=100000)
    before = time.time_ns()
    collector.start()
    time.sleep(0.2)
    data = collector.decode(4000)
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
    out["stopped"] = time.time_ns()
    out["tail"] = decode(collector, 6000)

@section
def full(collector):
    collector.configure(metrics=METRICS, sampling_interval=100000)
    collector.start()
    time.sleep(0.2)
    out["full"] = [decode(collector, 500) for _ in range(3)]
    time.sleep(0.1)
    out["full"] += [decode(collector, 10000) for _ in range(2)]

@section
def overflow(collector):
    collector.configure(metrics=METRICS, sampling_interval=10000, hardware_buffer_size=8 << 20)
    collector.start()
    time.sleep(2)
    try:
        out["overflow"] = "no error: %s" % decode(collector, 20000)
    except Exception as error:
        out["overflow"] = "%s: %s" % (type(error).__name__, error)
    out["restarted"] = 0
    end = time.time() + 5
    collector.restart()
    while out["restarted"] == 0 and time.time() < end:  # samples come some milliseconds later
        try:
            out["restarted"] = decode(collector, 1000)["n"]  # soon: an image takes its time
        except MemoryError:  # it was full again before this process ran again
            collector.restart()

@section
def reconfigure(collector):
    "Disables the device and enables it again: may undo ProfilerInitialize."
    for interval in (100000, 200000):
        collector.configure(metrics=METRICS, sampling_interval=interval)
        collector.start()
        time.sleep(0.1)
        collector.stop()
    out["reconfigured"] = decode(collector, 10000)

@section
def second_session(collector):
    "A device can be enabled twice; it is the second configuration that is refused."
    collector.configure(metrics=METRICS, sampling_interval=100000)
    collector.start()
    script = ("from rangefinder import pm_sampling as pm\\n"
              "try:\\n    with pm.Collector(0) as c:\\n"
              "        c.configure(metrics=%r, sampling_interval=100000)\\n        c.start()\\n"
              "    print('none')\\n"
              "except Exception as error:\\n    print(type(error).__name__ + ': ' + str(error))" % METRICS)
    second = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE)
    out["second_session"] = second.stdout.decode().strip()

@section
def cost(collector):
    metrics = collector.choose_metrics()
    collector.configure(metrics=metrics, sampling_interval=100000)
    out["n_metrics"] = len(metrics)
    collector.start()
    collector.decode(1000)
    time.sleep(0.05)
    stamps = [time.perf_counter()]
    data = collector.decode(1000)
    stamps.append(time.perf_counter())
    for _ in range(2):
        data._values(0, len(data))
        stamps.append(time.perf_counter())
    out["cost"] = [(b - a) * 1e6 / len(data) for a, b in zip(stamps, stamps[1:])]
    out["n"], out["sample_bytes"] = len(data), len(data.image) / 1000
print(json.dumps(out))
"""


def probe(gpu, section):
    """What rangefinder.pm_sampling sees of CUPTI. Asked once."""
    if "sampling_probe" not in gpu.numbers:
        gpu.numbers["sampling_probe"] = ask_module(gpu, PROBE)
    found = gpu.numbers["sampling_probe"]
    expect(section not in found["errors"], found["errors"].get(section))
    return found


def say_decode(row):
    text = "%d (%s" % (row["n"], row["reason"])
    for name in ("untimed", "empty"):
        text += ", %d %s" % (row[name], name) if row[name] else ""
    return text + ")"


@check("question (b): a decode with too little room; a full hardware buffer", dry=True)
def question_resume(gpu):
    found = probe(gpu, "full")
    rows = found["full"]
    whole = [row for row in rows if row["first"]]
    gaps = [b["first"][0] - a["last"][1] for a, b in zip(whole, whole[1:])]
    text = "decodes with room for 500, 500, 500, 10000, 10000: %s; missing between them: %s" % (
        ", ".join(map(say_decode, rows)), ", ".join("%.1f ms" % (gap / 1e6) for gap in gaps))
    text += "; a full buffer: %s" % found.get("overflow")
    gpu.answers["b"] = text
    expect(whole, text)
    expect(all(gap > -50000 for gap in gaps), "samples come twice: " + text)
    probe(gpu, "overflow")
    expect("MemoryError" in found["overflow"] or "True" in found["overflow"], text)
    expect(found["restarted"] > 10, "nothing comes after a restart: " + text)
    return text


@check("another configuration of one collector", dry=True)
def reconfigured(gpu):
    found = probe(gpu, "reconfigure")["reconfigured"]
    expect(found["n"] > 10, "nothing comes after it: %s" % say_decode(found))
    return say_decode(found)


FIXTURE = """
import json, subprocess, sys
from rangefinder import pm_sampling as pm
with pm.Collector(0) as collector:
    collector.configure(metrics=collector.choose_metrics(), sampling_interval=20_000_000)
    collector.start()
    subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=True)
    collector.stop()
    data = collector.decode(40)
with open(sys.argv[1] + ".rfpm", "wb") as file:
    file.write(data._samples.serialise())
with open(sys.argv[1] + ".json", "w") as file:
    json.dump({"chip": data.chip_name, "cupti": data.cupti_version, "metrics": data.metrics,
               "samples": [[s.start_timestamp, s.end_timestamp, *s.metric_values] for s in data]},
              file, indent=0)
print(json.dumps({"n": len(data), "busy": sum(s.metric_values[3] > 50 for s in data)}))
"""


@check("a counter image and its values are written as a fixture", needs=["program"])
def fixture(gpu):
    """test_pm_sampling_real.py evaluates it without a GPU, and must get the same values."""
    path = os.path.join(gpu.work, "counters")
    said = ask_module(gpu, FIXTURE, path, gpu.program("sampled"), "copy", "20")
    for ending in (".rfpm", ".json"):
        gpu.keep(path + ending, "counters" + ending)
    text = "%(n)d samples, %(busy)d of a busy GPU" % said
    expect(said["n"] >= 10 and said["busy"] >= 2, text)
    return text


BESIDE = """
import ctypes, sys
from rangefinder import pm_sampling as pm

cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        sys.exit("%s: %d" % (name, result))

N = 100
context, memory = ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4096))
def work():
    for _ in range(N):
        call("cuMemsetD32_v2", memory, 7, ctypes.c_size_t(1024))
    call("cuCtxSynchronize")
work()
with pm.Collector(0) as collector:
    collector.configure(metrics=["sm__cycles_active.avg.pct_of_peak_sustained_elapsed"],
                        sampling_interval=100000)
    collector.start()
    work()
    collector.stop()
    collector.decode(10000)
work()
print("{}")
"""


@check("question (q): recording and sampling in one process")
def recorded_and_sampled(gpu):
    """By XLA's sources disabling the device may end all of CUPTI: what is recorded after it?"""
    env = module_env(gpu)
    recording = gpu.record([sys.executable, "-c", BESIDE], env=env)
    n = recording.count("CUPTI_ACTIVITY_KIND_MEMSET")
    text = "%d memsets of 300 are recorded, before, in and behind sampling" % n
    gpu.answers["q"] = text
    expect(n == 300, text)
    return text


@check("question (d): the first sample, and the last", dry=True)
def question_first(gpu):
    found = probe(gpu, "times")
    start = "%+.1f us" % (found["first"][0] / 1e3) if found["first"][0] else "0"
    text = ("the first starts at %s, ends %+.1f us after start() was called, and has the values %s;"
            " the second begins at %+.1f us; after stop() come %s" % (
                start, found["first"][1] / 1e3, found["first_values"], found["second"] / 1e3,
                say_decode(found["tail"])))
    gpu.answers["d"] = text
    return text


@check("question (e): times of samples are CLOCK_REALTIME", dry=True)
def question_clock(gpu):
    found = probe(gpu, "times")
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
    found = probe(gpu, "enable")
    text = "CUPTI %d takes our struct of %s bytes; a context of the device after enable(): %s; %s;" % (
        found["cupti"], "60" if found["cupti"] < 26 else "64",
        "one" if found["context_after"] else "none", " ".join(found["libraries"]))
    text += " MiB in use and MHz of SMs: %s, %s while it samples with 512 MiB" % (
        found["smi_before"], found["smi_started"])
    gpu.answers["j"] = text
    return text


@check("a second process is told that the GPU is sampled")
def second_session(gpu):
    said = probe(gpu, "second_session")["second_session"]
    expect("in use already" in said and "process" in said, said or "nothing was said")
    return said


@check("10 kHz can be read: a sample costs less than it lasts", dry=True)
def cost(gpu):
    found = probe(gpu, "cost")
    text = "of %d: %.1f us to decode and %.1f us to evaluate (again: %.1f), %d metrics, %.0f bytes" % (
        found["n"], *found["cost"], found["n_metrics"], found["sample_bytes"])
    expect(found["cost"][0] + found["cost"][1] < 0.8 * INTERVAL / 1e3, text)
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


@check("rangefinder.pm_sampling passes its tests on this GPU")
def module_tests(gpu):
    return run_tests(gpu, "rangefinder.pm_sampling")
