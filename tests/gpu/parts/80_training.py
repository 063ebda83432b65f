# SPDX-License-Identifier: Apache-2.0
"""What recording costs a PyTorch training step. bench/cuda.sh runs this part and the one before."""

import statistics
import time

from checks import check, expect
from clients import client_env

ALONE = True

MAX_SLOWDOWN = 1.02
MAX_ARMED_SLOWDOWN = 1.01  # or what runs of the same differ by


def timed(gpu, size, ways, n_rounds):
    """{way: ms per step}, by turns: the least of all rounds, the median, the least of each round. Where
    the time is short there are fewer rounds."""
    times = {name: [] for name in ways}
    for number in range(n_rounds):
        start = time.monotonic()
        for name, run in ways.items():
            times[name].append(run(gpu, gpu.step("40", "--size", size))["groups_ms"])
        if gpu.left_s() < 1.5 * (time.monotonic() - start):
            gpu.log("%s: %d rounds of %d, time is short" % (size, number + 1, n_rounds))
            break
    return {name: (min(map(min, rounds)), statistics.median(sum(rounds, [])),
                   [min(groups) for groups in rounds]) for name, rounds in times.items()}


def spread(times):
    """What runs of the same differ by, as a ratio."""
    return max(times["bare"][2]) / min(times["bare"][2])


def bare(gpu, command):
    done = gpu.run(command, timeout=120)
    expect(done.status == 0, done.err.strip()[-200:])
    return done.said()


def floor(gpu, command):
    """What CUPTI itself costs."""
    done = gpu.run(command, env=client_env(gpu, "floor_client", gpu.step_libraries()), timeout=120)
    expect(done.status == 0 and "client:" not in done.err, done.err.strip()[-200:])
    return done.said()


def ours(gpu, command):
    return gpu.record(command, timeout=150).said()


def armed(gpu, command):
    return gpu.record(command, ["-c", "cudaProfilerApi"], status=None, timeout=150).said()


def training(gpu):
    if "step_ms" not in gpu.numbers:
        ways = {"bare": bare, "floor": floor, "ours": ours, "armed": armed}
        gpu.numbers["step_ms"] = timed(gpu, "medium", ways, 1 if gpu.is_quick else 2)
    return gpu.numbers["step_ms"]


def slowdown_text(times, name):
    ratios = [times[way][0] / times["bare"][0] for way in (name, "floor") if way in times]
    return "%.2f ms bare, %.2f, ratio %.3f (medians %.3f; the same again %.3f)%s" % (
        times["bare"][0], times[name][0], ratios[0], times[name][1] / times["bare"][1],
        spread(times), "; of CUPTI alone %.3f" % ratios[1] if len(ratios) > 1 else "")


@check("training step with -t cuda,nvtx (at most 2 % slower)", needs=["torch"])
def training_recorded(gpu):
    times = training(gpu)
    text = slowdown_text(times, "ours")
    expect(times["ours"][0] / times["bare"][0] <= MAX_SLOWDOWN, text)
    return text


@check("training step, armed and not capturing (nothing measurable)", needs=["torch"])
def training_armed(gpu):
    times = training(gpu)
    text = slowdown_text(times, "armed")
    most = max(MAX_ARMED_SLOWDOWN, spread(times))
    expect(times["armed"][0] / times["bare"][0] <= most, text)
    return text


@check("a step that waits for the processor, for comparison", needs=["torch"])
def training_small(gpu):
    times = timed(gpu, "small", {"bare": bare, "floor": floor, "ours": ours}, 1)
    gpu.numbers["small_step_ms"] = times
    return slowdown_text(times, "ours")
