# SPDX-License-Identifier: Apache-2.0
"""Captures cut where they should: the kernels of a window, all of them and no other."""

import collections

from checks import check, expect

ALONE = True

STEPS = 12


def steps_of(recording):
    """How many kernels of each step were recorded; a step's kernels have step + 1 blocks."""
    return dict(collections.Counter(kernel.grid - 1 for kernel in recording.kernels()))


def expect_durations(recording):
    """The last kernels ran when CUPTI was told to stop: it must have seen their ends, too. A GPU that
    was idle runs at a fifth of its clock at first."""
    durations = sorted(kernel.end - kernel.start for kernel in recording.kernels())
    usual = durations[len(durations) // 2]
    expect(durations[0] > usual / 10 and durations[-1] < 10 * usual,
           "kernels that do the same take %d to %d ns, %d usually" % (
               durations[0], durations[-1], usual))


def expect_steps(recording, first, last):
    found = steps_of(recording)
    wanted = {step: 10 for step in range(first, last + 1)}
    expect(found == wanted, "steps %d to %d were to be captured, kernels by step: %s; %s" % (
        first, last, sorted(found.items()), recording.done.err.strip()[-150:]))
    expect_durations(recording)
    return "steps %d to %d, %d kernels, %.1f s" % (first, last, sum(found.values()),
                                                   recording.done.seconds)


def one_window(gpu, program, options):
    command = [gpu.program(program), str(STEPS), "4-6"]
    return expect_steps(gpu.record(command, options), 4, 6)


@check("cudaProfilerStart and Stop cut", needs=["program"], dry=True)
def profiler_api_cuts(gpu):
    return one_window(gpu, "windows", ["-c", "cudaProfilerApi"])


@check("the same with a shared libcudart: counted once", needs=["program"])
def profiler_api_is_counted_once(gpu):
    command = [gpu.program("windows-shared"), str(STEPS), "4-6", "8-9"]
    recordings = gpu.record(command, ["-c", "cudaProfilerApi", "--capture-range-end=repeat:2"],
                            names=[".1", ".2"])
    return "%s; %s" % (expect_steps(recordings[0], 4, 6), expect_steps(recordings[1], 8, 9))


@check("an NVTX range cuts", needs=["program"], dry=True)
def nvtx_cuts(gpu):
    return one_window(gpu, "windows",
                      ["-c", "nvtx", "-p", "window", "--nvtx-capture-unregistered"])


@check("repeated captures by cudaProfilerApi, a file each", needs=["program"], dry=True)
def repeated_captures(gpu):
    command = [gpu.program("windows"), str(STEPS), "1-2", "4-4", "7-10"]
    recordings = gpu.record(command, ["-c", "cudaProfilerApi", "--capture-range-end=repeat"],
                            names=[".1", ".2", ".3"])
    windows = [(1, 2), (4, 4), (7, 10)]
    texts = [expect_steps(recording, *window) for recording, window in zip(recordings, windows)]
    return "; ".join(texts)


@check("repeated captures by an NVTX range", needs=["program"], dry=True)
def repeated_nvtx_captures(gpu):
    command = [gpu.program("windows"), str(STEPS), "0-0", "5-6"]
    options = ["-c", "nvtx", "-p", "window", "--nvtx-capture-unregistered",
               "--capture-range-end=repeat:2"]
    recordings = gpu.record(command, options, names=[".1", ".2"])
    return "%s; %s" % (expect_steps(recordings[0], 0, 0), expect_steps(recordings[1], 5, 6))


@check("stop-shutdown ends the program after the capture", needs=["program"], dry=True)
def shutdown_after_capture(gpu):
    recording = gpu.record([gpu.program("windows"), "400", "3-4"],
                           ["-c", "cudaProfilerApi", "--capture-range-end=stop-shutdown"],
                           status=None)
    return "%s, status %d" % (expect_steps(recording, 3, 4), recording.done.status)
