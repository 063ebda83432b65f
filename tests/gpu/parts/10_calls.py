# SPDX-License-Identifier: Apache-2.0
"""Launches, copies, memsets and waits of several threads: is everything there, and in order?

The recorder takes the times of ranges itself and those of CUDA's calls from CUPTI; a call in a
range of its own thus tells how well the two clocks were brought together."""

import bisect
import collections

from checks import check, expect
from recording import is_kernel_launch

CLOCK_ERROR_NS = 1000  # what the two clocks of the processor may be apart after conversion
GPU_CLOCK_ERROR_NS = 5000  # and the GPU's, which CUPTI interpolates


def recorded(gpu):
    return gpu.recorded("calls", 2, 50 if gpu.is_dry else 400)


def expect_count(what, found, wanted):
    expect(found == wanted, "%d %s recorded, %d were made" % (found, what, wanted))


@check("every launch has its kernel", needs=["program"], dry=True)
def every_launch_has_its_kernel(gpu):
    recording = recorded(gpu)
    wanted = recording.said()["kernels"]
    launches, kernels = recording.launches(), recording.kernels()
    expect_count("launches", len(launches), wanted)
    expect_count("kernels", len(kernels), wanted)
    missing = set(launches) - {(kernel.pid, kernel.correlation) for kernel in kernels}
    expect(not missing, "%d launches have no kernel" % len(missing))
    expect(not recording.lost(), recording.lost())
    return "%d launches, %d kernels" % (len(launches), len(kernels))


@check("copies, memsets and waits are all there", needs=["program"], dry=True)
def the_rest_is_there(gpu):
    recording = recorded(gpu)
    said = recording.said()
    copies = recording.count("CUPTI_ACTIVITY_KIND_MEMCPY")
    sets = recording.count("CUPTI_ACTIVITY_KIND_MEMSET")
    waits = recording.count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "WHERE syncType = 3")
    expect_count("copies", copies, said["copies"])
    expect_count("memsets", sets, said["sets"])
    expect(waits >= said["stream_waits"],  # other calls may wait inside
           "%d waits for streams recorded, %d were made" % (waits, said["stream_waits"]))
    return "%d copies, %d memsets, %d waits for streams" % (copies, sets, waits)


@check("16 threads with two streams each: everything once", needs=["program"], dry=True)
def many_threads(gpu):
    recording = gpu.record([gpu.program("calls"), "16", "10" if gpu.is_dry else "200"])
    said = recording.said()
    kernels, launches = recording.kernels(), recording.launches()
    copies = recording.count("CUPTI_ACTIVITY_KIND_MEMCPY")
    expect_count("kernels", len(kernels), said["kernels"])
    expect_count("launches", len(launches), said["kernels"])
    expect_count("copies", copies, said["copies"])
    orphans = sum((kernel.pid, kernel.correlation) not in launches for kernel in kernels)
    expect(orphans == 0, "%d kernels have no launch" % orphans)
    expect(not recording.lost(), recording.lost())
    return "%d kernels in %d streams, from %d threads" % (
        len(kernels), len({kernel.stream for kernel in kernels}),
        len({call.tid for call in launches.values()}))


@check("correlation ids all resolve", needs=["program"], dry=True)
def correlations_resolve(gpu):
    recording = recorded(gpu)
    known = {(call.pid, call.correlation) for call in recording.calls()}
    n_ids, n_unknown = 0, 0
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        rows = recording.rows("CUPTI_ACTIVITY_KIND_" + table,
                              "globalPid >> 24 & 0xffffff, correlationId")
        n_ids += len(rows)
        n_unknown += sum(row not in known for row in rows)
    expect(n_ids > 0, "no GPU work was recorded")
    expect(n_unknown == 0, "%d of %d pieces of GPU work have no call" % (n_unknown, n_ids))
    return "%d of %d" % (n_ids, n_ids)


@check("names: kernels are demangled, calls are named", needs=["program"], dry=True)
def names_are_readable(gpu):
    recording = recorded(gpu)
    kernels = collections.Counter(kernel.name for kernel in recording.kernels())
    calls = {call.name for call in recording.calls()}
    expect(set(kernels) == {"spin(long long)"}, "kernels are called %s" % ", ".join(
        map(str, kernels)))
    unnamed = [name for name in calls if not (name or "").lstrip("_").startswith("cu")]
    expect(not unnamed, "%d calls are called %s" % (len(unnamed), unnamed[:3]))
    return "%s; %d functions" % (", ".join(kernels), len(calls))


@check("kernels begin after their launches", needs=["program"], dry=True)
def kernels_begin_after_launches(gpu):
    recording = recorded(gpu)
    launches = recording.launches()
    delays = [kernel.start - launches[kernel.pid, kernel.correlation].start
              for kernel in recording.kernels() if (kernel.pid, kernel.correlation) in launches]
    expect(delays, "no kernel has a launch")
    delays.sort()
    gpu.numbers["launch_to_kernel_ns"] = [delays[0], delays[len(delays) // 2]]
    expect(delays[0] >= -GPU_CLOCK_ERROR_NS, "one begins %d ns before its launch" % -delays[0])
    return "%d ns at least, median %d ns" % (delays[0], delays[len(delays) // 2])


@check("kernels end before the wait for their stream does", needs=["program"], dry=True)
def kernels_end_before_waits(gpu):
    recording = recorded(gpu)
    waits = collections.defaultdict(list)
    for stream, end in recording.rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 'streamId, "end"',
                                      'WHERE syncType = 3 ORDER BY "end"'):
        waits[stream].append(end)
    margins = []
    for kernel in recording.kernels():
        ends = waits[kernel.stream]
        # the first wait that ended after the kernel's begin is the one that it ends before
        i = bisect.bisect_left(ends, kernel.start)
        if i < len(ends):
            margins.append(ends[i] - kernel.end)
    expect(margins, "no wait was recorded for a stream with kernels")
    worst = min(margins)
    gpu.numbers["kernel_to_wait_ns"] = worst
    expect(worst >= -GPU_CLOCK_ERROR_NS, "one ends %d ns after the wait" % -worst)
    return "%d ns at least, %d kernels" % (worst, len(margins))


@check("calls lie in the ranges around them: two clocks are one", needs=["program"], dry=True)
def calls_lie_in_ranges(gpu):
    """The n-th launch of a thread stands in its n-th range "launch", and every other wait for a
    stream in a range "wait"."""
    recording = recorded(gpu)
    calls, ranges = collections.defaultdict(list), collections.defaultdict(list)
    for call in sorted(recording.calls()):
        if not call.is_driver and is_kernel_launch(call.name):
            calls[call.tid, "launch"].append(call)
        elif not call.is_driver and (call.name or "").startswith("cudaStreamSynchronize"):
            calls[call.tid, "wait"].append(call)
    for start, end, tid, text in recording.ranges():
        ranges[tid, text].append((start, end))
    before, after = [], []
    for key, mine in ranges.items():
        of_calls = calls[key][::2] if key[1] == "wait" else calls[key]
        expect(len(mine) == len(of_calls), "%d ranges \"%s\", %d calls" % (
            len(mine), key[1], len(of_calls)))
        before += [call.start - start for (start, _), call in zip(mine, of_calls)]
        after += [end - call.end for (_, end), call in zip(mine, of_calls)]
    worst = min(before + after)
    gpu.numbers["call_in_range_ns"] = [min(before), min(after)]
    expect(worst >= -CLOCK_ERROR_NS, "a call is %d ns outside of its range" % -worst)
    return "at least %d ns after the begin, %d ns before the end" % (min(before), min(after))


@check("the GPU is described; contexts and streams are known", needs=["program"], dry=True)
def places_are_known(gpu):
    recording = recorded(gpu)
    gpus = recording.rows("TARGET_INFO_GPU", "name, smCount, totalMemory, busLocation, uuid")
    contexts = recording.count("TARGET_INFO_CUDA_CONTEXT_INFO")
    streams = {row[0] for row in recording.rows("TARGET_INFO_CUDA_STREAM", "streamId")}
    used = {kernel.stream for kernel in recording.kernels()}
    text = "%s; contexts: %d; streams: %s, with kernels %s" % (
        gpus, contexts, sorted(streams), sorted(used))
    expect(gpus and all(all(row) for row in gpus), text)
    expect(gpu.is_dry or gpu.machine.name in [row[0] for row in gpus], text)
    expect(contexts > 0 and used and used <= streams, text)
    return text
