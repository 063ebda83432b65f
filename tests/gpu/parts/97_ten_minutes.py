# SPDX-License-Identifier: Apache-2.0
"""Ten minutes of samples at 10 kHz, where one command may not take so long: RF_GPU_TEN_MINUTES=begin
leaves a recorder behind, and =end, in a command that follows, waits for it and looks at what it made.
Between them nothing else can sample the GPU."""

import os
import re
import subprocess
import sys
import time

from checks import Skipped, check, expect
from metrics_log import Spacing, times_of

ALONE = True

HZ = 10000
BASE = "/tmp/rangefinder-ten-minutes"
LOOK_S = 40  # that it takes to look at what there is

# Runs a command and says what it took of the processor.
COUNTED = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("processor: %.1f s" % (used.ru_utime + used.ru_stime), flush=True)
sys.exit(status)
"""


def begin(gpu, seconds):
    with open(BASE + ".log", "w") as log:
        subprocess.Popen(
            [sys.executable, "-c", COUNTED, gpu.machine.rangefinder, "gpu-metrics", "record",
             "-f", "true", "-o", BASE + ".rf", "--gpu-metrics-devices=0", "--gpu-metrics-frequency=%d" % HZ, "-d", str(seconds)],
            env=gpu.machine.env, start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log)
    time.sleep(5)
    with open(BASE + ".log") as log:
        said = log.read()
    expect(os.path.isdir(BASE + ".rfdir"), "it does not sample: %s" % said)
    return "begun; RF_GPU_TEN_MINUTES=end looks at it"


def read_end(gpu):
    """What the recorder said when it was done."""
    while gpu.left_s() > LOOK_S:
        with open(BASE + ".log") as log:
            said = log.read()
        if "processor: " in said:
            return said
        time.sleep(1)
    raise Skipped("it samples still: ask again")


def end(gpu, seconds):
    expect(os.path.exists(BASE + ".log"), "RF_GPU_TEN_MINUTES=begin was not there before")
    said = read_end(gpu)
    text = re.sub(r"\s+", " ", said)[-300:]
    expect("wrote '" in said and "lost" not in said, text)
    _, ends = times_of(BASE + ".rf")
    found = Spacing(ends)
    used = float(re.search(r"processor: ([\d.]+) s", said).group(1))
    text = "%d samples in %.1f s: %s; %.0f %% of a processor, file of %.1f MB" % (
        len(ends), (ends[-1] - ends[0]) / 1e9, found, 100 * used / seconds,
        os.path.getsize(BASE + ".rf") / 1e6)
    expect(len(ends) >= 0.999 * seconds * HZ and found.most < 1.5e9 / HZ, text)
    return text


@check("10 kHz for ten minutes, and no gap")
def ten_minutes(gpu):
    step = os.environ.get("RF_GPU_TEN_MINUTES")
    seconds = float(os.environ.get("RF_GPU_SAMPLING_S") or 600)
    if step == "begin":
        return begin(gpu, seconds)
    if step == "end":
        return end(gpu, seconds)
    raise Skipped("two commands: RF_GPU_TEN_MINUTES=begin tests/gpu/run.sh ten_minutes, then =end")
