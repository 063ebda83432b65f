# SPDX-License-Identifier: Apache-2.0
"""What recording adds to the launch of a kernel: nothing attached, ours, the floor (a CUPTI client
that throws its buffers away) and nsys, by turns in one run. bench/cuda.sh runs this part alone."""

import os
import statistics
import time

from checks import Skipped, check, expect
from clients import client_env

ALONE = True

MAX_FLOOR_RATIO = 1.3  # ours to the floor, of what is added
MAX_NSYS_RATIO = 1.0
MAX_ARMED_NS = 60  # of a launch of some microseconds; or twice what runs of the same differ by


def bare(gpu, command):
    return gpu.run(command).said()


def floor(gpu, command):
    done = gpu.run(command, env=client_env(gpu, "floor_client"))
    expect("client:" not in done.err, done.err.strip())
    return done.said()


def ours(gpu, command):
    return gpu.record(command).said()


def armed(gpu, command):
    return gpu.record(command, ["-c", "cudaProfilerApi"], status=None).said()


def nsys(gpu, command):
    output = os.path.join(gpu.work, "nsys")
    done = gpu.run([gpu.machine.nsys, "profile", "-t", "cuda,nvtx", "-s", "none", "--cpuctxsw=none",
                    "-f", "true", "-o", output] + command, timeout=120)
    if "{" not in done.out:  # whether it can make a report of it is not asked
        raise Skipped("nsys fails: %s" % (done.err.strip() or done.out.strip())[-120:])
    return done.said()


def measure(gpu):
    """{way: {"min", "median", "whole": ns per launch, "added_min", "added_median"}}, measured once. min:
    the least of all rounds; what is added is the median of the rounds, of each round's difference to
    the run without a recorder in it: processes that do the same differ by some percent."""
    if "launch_ns" in gpu.numbers:
        return gpu.numbers["launch_ns"]
    n_rounds = 2 if gpu.is_dry else 3 if gpu.is_quick else 9
    command = [gpu.program("launches"), "20" if gpu.is_dry else "100", "500"]
    ways = {"bare": bare, "floor": floor, "ours": ours, "armed": armed, "again": bare}
    if gpu.machine.nsys and not gpu.is_dry:
        ways["nsys"] = nsys
    results = {name: [] for name in ways}
    for number in range(n_rounds):
        start = time.monotonic()
        for name in list(ways):
            if name == "nsys" and number >= 5:
                continue  # it takes seconds to start
            try:
                results[name].append(ways[name](gpu, command))
            except Skipped as reason:
                gpu.log("%s: %s" % (name, reason))
                del ways[name], results[name]
        if gpu.left_s() < 1.5 * (time.monotonic() - start):
            gpu.log("%d rounds of %d, time is short" % (number + 1, n_rounds))
            break
    gpu.numbers["launch_ns"] = {name: summary(results["bare"], results[name]) for name in results}
    return gpu.numbers["launch_ns"]


def summary(bare_rounds, rounds):
    def added(what):
        return statistics.median(said[what] - bare_said[what]
                                 for bare_said, said in zip(bare_rounds, rounds))

    return {"min": min(said["min_ns"] for said in rounds),
            "median": statistics.median(said["median_ns"] for said in rounds),
            "whole": statistics.median(said["whole_ns"] for said in rounds),
            "added_min": added("min_ns"), "added_median": added("median_ns")}


def added(numbers, name, what):
    return numbers[name]["added_" + what]


@check("overhead per launch, against the floor (at most 1.3 x)", needs=["program", "cc"], dry=True)
def against_floor(gpu):
    numbers = measure(gpu)
    ratios = {what: added(numbers, "ours", what) / max(added(numbers, "floor", what), 1)
              for what in ("min", "median")}
    gpu.numbers["launch_ratio_to_floor"] = ratios
    text = "; ".join("%s: bare %.0f ns, floor + %.0f, ours + %.0f, ratio %.2f" % (
        what, numbers["bare"][what], added(numbers, "floor", what), added(numbers, "ours", what),
        ratios[what]) for what in ("min", "median"))
    gpu.answers["h"] = text + "; with the wait after each burst: " + ", ".join(
        "%s %.0f" % (name, numbers[name]["whole"]) for name in numbers)
    expect(gpu.is_dry or ratios["min"] <= MAX_FLOOR_RATIO, text)
    return text


@check("overhead per launch, armed and not capturing", needs=["program"], dry=True)
def while_armed(gpu):
    numbers = measure(gpu)
    noise = abs(added(numbers, "again", "min"))
    text = "min %+.0f ns, median %+.0f ns; without a recorder, again: %+.0f and %+.0f ns" % (
        added(numbers, "armed", "min"), added(numbers, "armed", "median"),
        added(numbers, "again", "min"), added(numbers, "again", "median"))
    expect(gpu.is_dry or added(numbers, "armed", "min") <= max(MAX_ARMED_NS, 2 * noise), text)
    return text


@check("question (p): a launch after a capture, against one before", needs=["program"], dry=True)
def after_capture(gpu):
    """CUPTI stays attached; by users of torch.profiler something of it costs for ever."""
    command = [gpu.program("launches"), "20" if gpu.is_dry else "400", "500", "capture"]
    bare_said = gpu.run(command).said()
    said = gpu.record(command, ["-c", "cudaProfilerApi"]).said()
    ratio = said["after_min_ns"] / said["min_ns"]
    text = "min %.0f ns before, %.0f after, ratio %.2f; without a recorder %.0f and %.0f" % (
        said["min_ns"], said["after_min_ns"], ratio, bare_said["min_ns"],
        bare_said["after_min_ns"])
    gpu.numbers["launch_after_capture"] = said
    gpu.answers["p"] = text
    return text


@check("overhead per launch, against nsys (at most its)", needs=["program", "nsys"])
def against_nsys(gpu):
    numbers = measure(gpu)
    if "nsys" not in numbers:
        raise Skipped("nsys could not run it")
    if added(numbers, "nsys", "min") < added(numbers, "floor", "min") / 2:
        raise Skipped("nsys adds %.0f ns to a launch: it does not trace CUDA here" % added(
            numbers, "nsys", "min"))
    ratio = added(numbers, "ours", "min") / max(added(numbers, "nsys", "min"), 1)
    gpu.numbers["launch_ratio_to_nsys"] = ratio
    text = "nsys + %.0f ns, ours + %.0f ns, ratio %.2f" % (
        added(numbers, "nsys", "min"), added(numbers, "ours", "min"), ratio)
    expect(ratio <= MAX_NSYS_RATIO, text)
    return text
