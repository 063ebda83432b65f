# SPDX-License-Identifier: Apache-2.0
"""PyTorch: what is recorded against torch.profiler, alone and in the same process; and which
libcupti is taken where there are several."""

import collections
import os

from checks import check, expect
from clients import dump


def torch_counts(gpu):
    """What torch.profiler alone counts of steps 5 and 6."""
    if "torch_counts" not in gpu.numbers:
        done = gpu.run(gpu.step("8", "--kineto", "5-6"), timeout=120)
        expect(done.status == 0, done.err.strip()[-200:])
        gpu.numbers["torch_counts"] = done.said()["kineto"]
    return gpu.numbers["torch_counts"]


def our_counts(recording):
    counts = collections.Counter(kernel.name for kernel in recording.kernels())
    counts["copies"] = recording.count("CUPTI_ACTIVITY_KIND_MEMCPY")
    counts["memsets"] = recording.count("CUPTI_ACTIVITY_KIND_MEMSET")
    return counts


def by_sort(counts):
    others = {name: n for name, n in counts.items() if name in ("copies", "memsets")}
    others["kernels"] = sum(counts.values()) - sum(others.values())
    return others


@check("counts equal torch.profiler's of the same steps", needs=["torch"])
def counts_equal(gpu):
    theirs = torch_counts(gpu)
    recording = gpu.record(gpu.step("8", "--capture", "5-6"), ["-c", "cudaProfilerApi"], timeout=180)
    ours = our_counts(recording)
    sorts = [by_sort(collections.Counter(theirs)), by_sort(ours)]
    expect(sorts[0].get("kernels") == sorts[1].get("kernels")
           and theirs.get("copies", 0) == ours["copies"]
           and theirs.get("memsets", 0) == ours["memsets"], "torch %s, ours %s" % tuple(sorts))
    different = [name for name in set(theirs) | set(ours)
                 if name not in ("copies", "memsets") and theirs.get(name, 0) != ours[name]]
    return "%s; %d of %d kernel names read differently" % (sorts[1], len(different), len(ours) - 2)


# ---- torch.profiler in the same process ----

def steps_with_kernels(recording):
    """Kernels by step: those launched within its range, by any thread of the process."""
    ranges = sorted((start, end, text) for start, end, _, text in recording.ranges()
                    if (text or "").startswith("step "))
    launches = recording.launches()
    counts = collections.Counter()
    for kernel in recording.kernels():
        launch = launches.get((kernel.pid, kernel.correlation))
        for start, end, text in ranges:
            if launch and start <= launch.start <= end:
                counts[int(text.split()[1])] += 1
    return counts


def beside(gpu, arguments, options):
    recording = gpu.record(gpu.step("10", *arguments), options, timeout=180)
    theirs = recording.said()["kineto"]
    n_theirs = by_sort(collections.Counter(theirs))["kernels"]
    per_step = by_sort(collections.Counter(torch_counts(gpu)))["kernels"] // 2
    ours = steps_with_kernels(recording)
    said = [line for line in recording.done.err.split("\n")
            if line.startswith("rangefinder: ") and "profiler" in line]
    text = "torch counts %d kernels, ours by step %s, a step has %d; said: %s" % (
        n_theirs, dict(sorted(ours.items())), per_step, "; ".join(said) or "nothing")
    return recording, n_theirs, per_step, ours, bool(said), text


@check("torch.profiler begins while we record", needs=["torch"])
def torch_after_ours(gpu):
    _, n_theirs, per_step, ours, has_said, text = beside(gpu, ["--kineto", "4-5"], [])
    gpu.answers["g"] = "it begins while we record: " + text
    expect(n_theirs in (2 * per_step, 0), "torch.profiler is disturbed: " + text)
    is_whole = all(ours[i] == per_step for i in range(2, 10))
    expect(is_whole or has_said, "kernels are missing, and nothing says so: " + text)
    return text


@check("our capture begins while torch.profiler records", needs=["torch"])
def ours_after_torch(gpu):
    _, n_theirs, per_step, ours, has_said, text = beside(
        gpu, ["--kineto", "3-7", "--capture", "5-6"], ["-c", "cudaProfilerApi"])
    gpu.answers["g"] = gpu.answers.get("g", "") + "; it has begun before our capture: " + text
    expect(n_theirs in (5 * per_step, 0), "torch.profiler is disturbed: " + text)
    is_whole = ours[5] == per_step and ours[6] == per_step
    expect(is_whole or has_said, "kernels are missing, and nothing says so: " + text)
    return text


# ---- Which libcupti ----

def folder_of(path):
    return os.path.dirname(path)


@check("one libcupti in the process: a CUDA program, PyTorch", needs=["program", "torch"])
def one_library(gpu):
    plain = gpu.recorded("calls", 2, 400).done.libraries()
    torch = gpu.step_libraries()
    expect(len(plain) == 1, "a CUDA program has %s" % plain)
    expect(len(torch) == 1, "PyTorch has %s" % torch)
    return "%s; PyTorch: %s" % (plain[0], torch[0])


@check("several libcupti: the other one comes first on the path", needs=["program", "torch"])
def several_libraries(gpu):
    torch = gpu.step_libraries()
    plain = gpu.recorded("calls", 2, 400).done.libraries()
    env = {"LD_LIBRARY_PATH": folder_of(torch[0])}
    with_torchs = gpu.record([gpu.program("calls"), "1", "20"], env=env)
    env = {"LD_LIBRARY_PATH": folder_of(plain[0])}
    with_toolkits = gpu.record(gpu.step("2"), env=env, timeout=120)
    for recording in (with_torchs, with_toolkits):
        expect(len(recording.done.libraries()) == 1, "mapped: %s" % recording.done.libraries())
        expect(recording.kernels(), "no kernels")
    return "program on PyTorch's path: %s; PyTorch on the toolkit's: %s" % (
        with_torchs.done.libraries()[0], with_toolkits.done.libraries()[0])


@check("raw buffers of PyTorch are written as a fixture", needs=["torch", "cc"])
def fixture(gpu):
    """Names made by templates and by compilers at run time, and launches by libraries."""
    text, names = dump(gpu, "torch", gpu.step("2", "--size", "tiny"), gpu.step_libraries())
    kernels = set(names)
    expect(len(kernels) > 10, "%s, only %d different" % (text, len(kernels)))
    return "%s, %d different" % (text, len(kernels))
