# SPDX-License-Identifier: Apache-2.0
"""Very many launches: is one lost?"""

from checks import check, expect


@check("nothing is lost over 1,000,000 launches", needs=["program"], dry=True)
def nothing_is_lost(gpu):
    n_bursts = 20 if gpu.is_dry else 2000
    recording = gpu.record([gpu.program("launches"), str(n_bursts), "500"], timeout=150)
    wanted = recording.said()["kernels"]
    n_kernels = recording.count("CUPTI_ACTIVITY_KIND_KERNEL")
    n_launches = recording.count(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "JOIN StringIds ON id = nameId WHERE value LIKE '%cudaLaunchKernel%'")
    expect(n_kernels == wanted, "%d of %d kernels; %s" % (
        n_kernels, wanted, recording.lost() or "it says that nothing was lost"))
    expect(n_launches == wanted, "%d of %d launches" % (n_launches, wanted))
    expect(not recording.lost(), recording.lost())
    gpu.numbers["recorded_bytes_per_launch"] = recording_size(recording) / wanted
    return "%d launches, %d kernels, %.0f bytes per launch" % (
        n_launches, n_kernels, recording_size(recording) / wanted)


def recording_size(recording):
    return recording.info["size_bytes"]
