# SPDX-License-Identifier: Apache-2.0
"""How a program can end, and fork: what is recorded then, and does anything hang?"""

from checks import check, expect

KERNELS = 1000


def end(gpu, how, sleep_ms, status):
    """Kernels that were recorded of KERNELS, and how long the run took."""
    recording = gpu.record([gpu.program("ends"), how, str(KERNELS), str(sleep_ms)], status=None)
    expect(recording.done.status == status,
           "status %d instead of %d" % (recording.done.status, status))
    expect("another profiler" not in recording.done.err, recording.done.err.strip()[-200:])
    return recording.count("CUPTI_ACTIVITY_KIND_KERNEL"), recording.done.seconds


def everything(gpu, how, sleep_ms, status):
    n, seconds = end(gpu, how, sleep_ms, status)
    gpu.numbers.setdefault("ends", []).append("%s after %d ms: %d of %d" % (
        how, sleep_ms, n, KERNELS))
    expect(n == KERNELS, "%d of %d kernels" % (n, KERNELS))
    return "%d of %d kernels, %.1f s" % (n, KERNELS, seconds)


@check("end by return: all is there", needs=["program"], dry=True)
def end_by_return(gpu):
    return everything(gpu, "return", 0, 0)


@check("end by cudaDeviceReset and return: all is there", needs=["program"], dry=True)
def end_by_reset(gpu):
    return everything(gpu, "reset", 0, 0)


@check("end by exit: all is there", needs=["program"], dry=True)
def end_by_exit(gpu):
    return everything(gpu, "exit", 0, 3)


@check("end by return, _exit, SIGTERM, SIGKILL a second later: all is there", needs=["program"], dry=True)
def ends_after_a_second(gpu):
    return "; ".join("%s: %s" % (name, everything(gpu, how, 1000, status))
                     for how, name, status in (("return", "return", 0), ("_exit", "_exit", 3),
                                               ("15", "SIGTERM", 143), ("9", "SIGKILL", 137)))


@check("SIGKILL while kernels are launched: all but the last flush", needs=["program"], dry=True)
def killed_in_the_middle(gpu):
    recording = gpu.record([gpu.program("ends"), "middle", str(KERNELS), "1500"], status=137)
    kernels = recording.kernels()
    launches = recording.ranges()[1:]  # the first is "work"
    missing_ms = (max(start for start, *_ in launches) - max(k.end for k in kernels)) / 1e6
    text = "%d kernels of %d launches; the last is %.0f ms before the last range" % (
        len(kernels), KERNELS + len(launches), missing_ms)
    gpu.numbers.setdefault("ends", []).append("SIGKILL while launching: " + text)
    # complete work is fetched five times a second
    expect(len(kernels) > KERNELS and missing_ms < 1000, text)
    expect("killed" in recording.done.err or "lost" in recording.done.err, recording.done.err)
    return text


def kernels_by_process(recording):
    counts = {}
    for kernel in recording.kernels():
        counts[kernel.pid] = counts.get(kernel.pid, 0) + 1
    return sorted(counts.values())


def fork(gpu, how, wanted):
    recording = gpu.record([gpu.program("forks"), how, "500"], timeout=60)
    child = recording.said()["child"]
    gpu.numbers.setdefault("ends", []).append("fork %s: child's status %d, %.1f s" % (
        how, child, recording.done.seconds))
    expect(child == 0, "the child's status is %d" % child)
    found = kernels_by_process(recording)
    expect(found == wanted, "kernels by process: %s; %s" % (found, recording.done.err.strip()))
    names = [text for _, _, _, text in recording.ranges()]
    expect("child" in names, "the child's range is missing")
    return "kernels by process: %s, %.1f s" % (found, recording.done.seconds)


@check("fork before CUDA: both processes are recorded", needs=["program"], dry=True)
def fork_before(gpu):
    return fork(gpu, "before", [500, 500])


@check("fork after CUDA: the child ends well", needs=["program"], dry=True)
def fork_after(gpu):
    return fork(gpu, "after", [500])


@check("fork after CUDA, the child tries CUDA", needs=["program"], dry=True)
def fork_use(gpu):
    return fork(gpu, "use", [500])


@check("fork and exec: the new program is recorded", needs=["program"], dry=True)
def fork_exec(gpu):
    return fork(gpu, "exec", [500, 500])


@check("end by _exit, SIGTERM, SIGKILL at once: how much is there", needs=["program"], dry=True)
def ends_at_once(gpu):
    found = []
    for how, name, status in (("_exit", "_exit", 3), ("15", "SIGTERM", 143), ("9", "SIGKILL", 137)):
        n, seconds = end(gpu, how, 0, status)
        found.append("%s %d of %d, %.1f s" % (name, n, KERNELS, seconds))
    gpu.answers["f"] = "; ".join(gpu.numbers["ends"]) + "; at once after the last wait: " + ", ".join(found)
    return "; ".join(found)
