# SPDX-License-Identifier: Apache-2.0
"""PyTorch: what is recorded against torch.profiler, alone and in the same process."""

import collections

from checks import check, expect
from torch_steps import by_sort, kernels_per_step, our_counts, steps_with_kernels, torch_counts


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

def beside(gpu, arguments, options):
    recording = gpu.record(gpu.step("10", *arguments), options, timeout=180)
    theirs = recording.said()["kineto"]
    n_theirs = by_sort(collections.Counter(theirs))["kernels"]
    per_step = kernels_per_step(gpu)
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
