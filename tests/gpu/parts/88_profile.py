# SPDX-License-Identifier: Apache-2.0
"""rangefinder.profile() of the Python package, where the build has it for this Python."""

import glob
import os
import sys
import sysconfig

from checks import Skipped, check, expect
from recording import Recording

PROGRAM = """
import json, sys, time, torch, rangefinder
N = 1000
x = torch.empty(1 << 16, device="cuda")
def launch():
    for _ in range(N):
        x.add_(1)
said = {"n": N, "ms": []}
for i in range(3):
    with rangefinder.profile(sys.argv[1] + "/p%d.rf" % i):
        torch.cuda.nvtx.range_push("inside")
        launch()
        torch.cuda.nvtx.range_pop()
        start = time.perf_counter()
    said["ms"].append(round((time.perf_counter() - start) * 1e3, 1))
    launch()
torch.cuda.synchronize()
for i in range(3):
    with rangefinder.open(sys.argv[1] + "/p%d.rf" % i) as run:
        said.setdefault("ranges", []).append(len(run.ranges.filter(name="inside")))
print(json.dumps(said))
"""


@check("rangefinder.profile() three times in one process: all kernels", needs=["torch"])
def three_times(gpu):
    package = os.path.join(gpu.build, "python")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not glob.glob(os.path.join(package, "rangefinder", "_session" + suffix)):
        raise Skipped("the build has no Python package for this Python")
    done = gpu.run([sys.executable, "-c", PROGRAM, gpu.work], env={"PYTHONPATH": package}, timeout=150)
    expect(done.status == 0, "status %d: %s" % (done.status, done.err.strip()[-300:]))
    said = done.said()
    recordings = [Recording(gpu, os.path.join(gpu.work, "p%d" % i), done) for i in range(3)]
    found = [len(recording.kernels()) for recording in recordings]
    text = "%s kernels of %d, %s ranges; the ends took %s ms; said: %s" % (
        found, said["n"], said["ranges"], said["ms"], done.err.strip()[-200:] or "nothing")
    expect(found == [said["n"]] * 3 and said["ranges"] == [1, 1, 1], text)
    expect(not any(recording.lost() for recording in recordings), text)
    return text
