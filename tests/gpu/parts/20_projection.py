# SPDX-License-Identifier: Apache-2.0
"""The projection of ranges onto the GPU against CUDA events around the same kernels."""

import statistics

from checks import check, expect

ALONE = True

# The first event is recorded before the first kernel begins and the second after the last one ends:
# the elapsed time is the projection and what lies between, some microseconds.
MAX_MORE_US = 10
MAX_LESS_US = 2
MAX_RATIO = 0.01


@check("projections match cudaEventElapsedTime", needs=["program"], dry=True)
def projections_match_events(gpu):
    recording = gpu.recorded("batches", 20 if gpu.is_dry else 100, 5)
    elapsed_us = recording.said()["elapsed_us"]
    projected = {}
    for row in recording.report("nvtx_gpu_proj_trace"):
        if row["Name"].startswith(":batch "):  # domain:text
            projected[int(row["Name"].split()[1])] = float(row["Projected Duration (ns)"]) / 1000
    expect(len(projected) == len(elapsed_us),
           "%d of %d ranges have a projection" % (len(projected), len(elapsed_us)))
    more = [elapsed_us[i] - projected[i] for i in sorted(projected)]
    bad = [i for i in sorted(projected)
           if not -MAX_LESS_US <= more[i] <= MAX_MORE_US + MAX_RATIO * elapsed_us[i]]
    gpu.numbers["event_less_projection_us"] = [min(more), statistics.median(more), max(more)]
    text = "event less projection: %.1f to %.1f us, median %.1f" % (
        min(more), max(more), statistics.median(more))
    # a stand-in waits for the processor, which others use, too
    expect(len(bad) <= len(more) // (5 if gpu.is_dry else 50), "%d of %d differ: %s" % (len(bad), len(more), text))
    return text + " (%d of %d more than %d us + 1 %% apart)" % (len(bad), len(more), MAX_MORE_US)


@check("kernels are counted for the range that launched them", needs=["program"], dry=True)
def kernels_are_counted(gpu):
    recording = gpu.recorded("batches", 20 if gpu.is_dry else 100, 5)
    n_batches = len(recording.said()["elapsed_us"])
    rows = [row for row in recording.report("nvtx_kern_sum")
            if row["NVTX Range"].startswith(":batch ")]
    n_kernels = sum(int(row["Kern Inst"]) for row in rows)
    expect(n_kernels == 5 * n_batches,
           "%d kernels in %d ranges of 5" % (n_kernels, n_batches))
    return "%d kernels in %d ranges" % (n_kernels, n_batches)
