# SPDX-License-Identifier: Apache-2.0
"""The kernels of training steps (step.py), as torch.profiler counts them and as we do."""

import collections

from checks import expect


def torch_counts(gpu):
    """What torch.profiler alone counts of steps 5 and 6."""
    with gpu.once("torch_counts"):
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


def kernels_per_step(gpu):
    return by_sort(collections.Counter(torch_counts(gpu)))["kernels"] // 2


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
