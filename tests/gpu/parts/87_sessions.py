# SPDX-License-Identifier: Apache-2.0
"""A program that records itself several times, as Python's rangefinder.profile() does: CUPTI is
subscribed to, flushed and left again and again, while the program goes on."""

import os
import sys

from checks import Skipped, check, expect
from gpu import HERE
from recording import Recording

N_SESSIONS = 4
N_LAUNCHES = 2000


def run_sessions(gpu, when):
    """What the program said, and its recordings."""
    if not gpu.is_dry and gpu.machine.lacks("torch"):
        raise Skipped(gpu.machine.lacks("torch"))
    folder = os.path.join(gpu.work, "sessions-" + when)
    os.mkdir(folder)
    recorder = os.path.join(gpu.build, "lib", "librangefinder-inject.so")
    command = [sys.executable, os.path.join(HERE, "sessions.py"), recorder, folder, str(N_SESSIONS),
               str(N_LAUNCHES), when] + (["stand-ins"] if gpu.is_dry else [])
    done = gpu.run(command, timeout=150)
    gpu.log("sessions %s: status %d\n%s%s" % (when, done.status, done.out, done.err))
    expect(done.status == 0, "status %d: %s" % (done.status, done.err.strip()[-200:]))
    recordings = []
    for i in range(N_SESSIONS):
        base = os.path.join(folder, "s%d" % i)
        gpu.rangefinder("recover", base + ".rfdir")
        recordings.append(Recording(gpu, base, done))
    return done.said(), recordings


def check_sessions(gpu, when):
    said, recordings = run_sessions(gpu, when)
    gpu.numbers["sessions_" + when] = said
    if when == "kineto" and said["state"] == [2] * N_SESSIONS:
        said = [[text for text in recording.info["messages"] if "CUDA" in text]
                for recording in recordings]
        expect(all(said), "CUDA was not recorded, and a recording does not say so: %s" % said)
        return "torch.profiler has not left CUPTI: not recorded, and said: %s" % "; ".join(said[0])
    expect(said["state"] == [1] * N_SESSIONS, "CUDA was not recorded: %s" % said["state"])
    for i, recording in enumerate(recordings):
        kernels, launches = recording.kernels(), recording.launches()
        expect(len(kernels) == N_LAUNCHES, "session %d has %d kernels, not %d" % (
            i, len(kernels), N_LAUNCHES))
        without = [k for k in kernels if (k.pid, k.correlation) not in launches]
        expect(not without, "session %d: %d kernels without a launch" % (i, len(without)))
        expect(not recording.lost(), "session %d: %s" % (i, recording.lost()))
        expect(recording.count("TARGET_INFO_GPU") > 0, "session %d knows no GPU" % i)
    return "%d kernels each; the ends took %s ms" % (
        N_LAUNCHES, ", ".join("%.0f" % ms for ms in said["stop_ms"]))


@check("sessions of one process, CUDA in use before: all kernels", dry=True)
def sessions_late(gpu):
    return check_sessions(gpu, "late")


@check("sessions of one process, CUDA first used in one: all kernels", dry=True)
def sessions_first(gpu):
    return check_sessions(gpu, "first")


@check("sessions after torch.profiler: all kernels, or it is said", needs=["torch"])
def sessions_after_kineto(gpu):
    return check_sessions(gpu, "kineto")


@check("what is left of CUPTI when the sessions are over")
def sessions_cost(gpu):
    said = gpu.numbers.get("sessions_late")
    if said is None:
        raise Skipped("nothing was measured")
    return "%.2f us per launch before, %.2f after: ratio %.2f" % (
        said["before_us"], said["after_us"], said["after_us"] / said["before_us"])
