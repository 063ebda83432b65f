# SPDX-License-Identifier: Apache-2.0
"""How CUPTI itself behaves here, seen by clients that are no part of Rangefinder; and raw buffers
as fixtures for machines without a GPU."""

import json
import os

from checks import Skipped, check, expect
from clients import client_env, dump

CLOCK_ERROR_NS = 5000  # of the GPU's clock, which CUPTI interpolates


def probe(gpu, callback):
    """What the probe client says; asked once."""
    key = "probe_with_callback" if callback else "probe"
    if key not in gpu.numbers:
        gpu.numbers[key] = run_probe(gpu, callback)
    return gpu.numbers[key]


def run_probe(gpu, callback):
    out = os.path.join(gpu.work, "probe-%d.json" % callback)
    env = client_env(gpu, "probe_client", RF_CLIENT_OUT=out, RF_CLIENT_CALLBACK=str(callback))
    done = gpu.run([gpu.program("launches"), "20" if gpu.is_dry else "400", "500"], env=env)
    expect(done.status == 0 and os.path.exists(out), done.err.strip()[-200:])
    with open(out) as file:
        return json.load(file)


@check("question (a): the timestamp callback", needs=["program", "cc"], dry=True)
def timestamp_callback(gpu):
    with_it, without = probe(gpu, 1), probe(gpu, 0)
    if not with_it["has_callback"]:
        raise Skipped("registering it returns %d" % with_it["callback_result"])
    text = ("CUPTI %d; with a callback %d of %d kernels have start 0, %d are in its clock, %d in"
            " CLOCK_REALTIME, %d elsewhere, %d begin before their launch, %d end before they begin;"
            " %d of %d calls are in its clock; without: %d of %d have start 0, %d begin early, the"
            " soonest %d ns after its launch" % (
                with_it["version"], with_it["zero"], with_it["kernels"], with_it["in_callback"],
                with_it["in_realtime"], with_it["elsewhere"], with_it["early"],
                with_it["backwards"], with_it["calls_in_callback"], with_it["calls"],
                without["zero"], without["kernels"], without["early"], without["least_delay_ns"]))
    gpu.answers["a"] = text
    expect(without["zero"] == 0 and without["least_delay_ns"] >= -CLOCK_ERROR_NS, text)
    return text


@check("question (i): CUPTI's clock settles", needs=["program", "cc"], dry=True)
def clock_settles(gpu):
    clocks = probe(gpu, 0)["clocks"]
    expect(clocks, "cuptiGetTimestamp gave nothing")
    offsets = [offset for _, offset, _ in clocks]
    text = ("CUPTI's clock less CLOCK_REALTIME: %d ns in InitializeInjection (known to %d ns), then"
            " %d to %d ns in %d looks over %.1f s" % (
                offsets[0], clocks[0][2], min(offsets[1:] or offsets), max(offsets[1:] or offsets),
                len(clocks), (clocks[-1][0] - clocks[0][0]) / 1e9))
    gpu.answers["i"] = text
    return text


@check("question (k): which buffers CUPTI keeps when nothing runs", needs=["program", "cc"], dry=True)
def buffers_come_back(gpu):
    found = probe(gpu, 0)
    text = ("%d buffers came, %d of them empty; when the program exited CUPTI still had %s after"
            " cuptiActivityFlushAll(0), asked three times, and %d after a forced flush" % (
                found["buffers"], found["empty"], found["kept"], found["kept_forced"]))
    gpu.answers["k"] = text
    # a capture's end is waited for until it has none, for 2 s at most
    expect(found["kept"][-1] == 0, text)
    return text


# ---- Fixtures ----

@check("raw buffers are written as fixtures", needs=["program", "cc"], dry=True)
def fixtures(gpu):
    calls, names = dump(gpu, "calls", [gpu.program("calls"), "2", "10"])
    expect(sum(name == "_Z4spinx" for name in names) == 60, "%d kernels have their names of 60" %
           sum(name == "_Z4spinx" for name in names))
    graphs, _ = dump(gpu, "graphs", [gpu.program("graphs"), "10", "5"])
    nodes, names = dump(gpu, "nodes", [gpu.program("graphs"), "10", "5"], RF_CLIENT_NODES="1")
    expect(sum(name == "_Z4spinx" for name in names) == 50, "nodes: %d names" % len(names))
    return "; ".join((calls, graphs, nodes))
