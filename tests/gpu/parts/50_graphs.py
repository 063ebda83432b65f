# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs, as a whole and node by node; memory usage; events."""

import collections
import json
import os

from checks import check, expect
from clients import client_env


@check("graphs as a whole: one piece of work per launch", needs=["program"], dry=True)
def whole_graphs(gpu):
    recording = gpu.recorded("graphs", 100, 20)
    said = recording.said()
    n_graphs = recording.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    expect(n_graphs == said["graphs"], "%d graphs of %d" % (n_graphs, said["graphs"]))
    expect(graphs_of(recording)[1] == n_graphs, "graphs without the call that launched them")
    return "%d launches, %d graphs" % (said["graphs"], n_graphs)


@check("graphs node by node", needs=["program"], dry=True)
def graph_nodes(gpu):
    recording = gpu.recorded("graphs", 100, 20, options=["--cuda-graph-trace=node"])
    said = recording.said()
    wanted = said["graphs"] * said["kernels_per_graph"]
    kernels = [kernel for kernel in recording.kernels() if kernel.graph]
    nodes = collections.Counter(kernel.graph for kernel in kernels)
    expect(len(kernels) == wanted, "%d kernels of graphs, %d ran" % (len(kernels), wanted))
    expect(len(nodes) == said["kernels_per_graph"] and len(set(nodes.values())) == 1,
           "kernels by node: %s" % sorted(nodes.items())[:5])
    expect(recording.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE") == 0, "whole graphs as well")
    return "%d kernels in %d nodes" % (len(kernels), len(nodes))


def graphs_of(recording, table="GRAPH_TRACE"):
    """How many there are, and how many of them name a call that launches one."""
    known = {(call.pid, call.correlation) for call in recording.calls()
             if "GraphLaunch" in call.name}
    rows = recording.rows("CUPTI_ACTIVITY_KIND_" + table,
                          "globalPid >> 24 & 0xffffff, correlationId")
    return len(rows), sum(row in known for row in rows)


@check("questions (l), (m): graphs from before, in three captures", needs=["program"], dry=True)
def graphs_in_captures(gpu):
    """Node by node: a program crashes that launches a graph which it made before CUPTI was told to
    record whole graphs (CUPTI 13.0, an H200). By NVIDIA's notes the ids of graphs' launches are wrong in
    sessions after the first before CUDA 13.1 Update 1."""
    command = [gpu.program("graphs"), "50", "10", "late", "3"]
    recordings = gpu.record(command, ["-c", "cudaProfilerApi", "--capture-range-end=repeat:3"],
                            names=[".1", ".2", ".3"])
    found = [graphs_of(recording, "KERNEL") for recording in recordings]
    text = "kernels, of them with their call: %s; %.1f s" % (
        ", ".join("%d, %d" % row for row in found), recordings[0].done.seconds)
    gpu.answers["m"] = text
    expect(found == [(500, 500)] * 3, text)
    return text


@check("question (n): an empty capture before a graph is made", needs=["program"], dry=True)
def empty_capture_first(gpu):
    """By a user of 13.0 no kernel of graphs is seen then, for the process's life."""
    command = [gpu.program("graphs"), "50", "10", "empty"]
    recordings = gpu.record(command, ["-c", "cudaProfilerApi", "--capture-range-end=repeat:2",
                                      "--cuda-graph-trace=node"], names=[".1", ".2"])
    n = len(recordings[1].kernels())
    text = "%d kernels of 500 in the second capture, %d in the empty one" % (
        n, len(recordings[0].kernels()))
    gpu.answers["n"] = text
    expect(n == 500, text)
    return text


@check("question (o): the memory for times of graphs' nodes, limited", needs=["program", "cc"])
def times_run_out(gpu):
    """By parcagpu's authors CUPTI 13.0 has none left after 900,000 nodes with a limit of 8."""
    n_launches = 200 if gpu.is_quick else 1200
    command = [gpu.program("graphs"), str(n_launches), "1000"]
    out = os.path.join(gpu.work, "pool.json")
    env = client_env(gpu, "probe_client", RF_CLIENT_OUT=out, RF_CLIENT_NODES="1",
                     RF_CLIENT_POOL_LIMIT="8")
    done = gpu.run(command, env=env, timeout=120)
    expect(done.status == 0 and os.path.exists(out), done.err.strip()[-200:])
    with open(out) as file:
        limited = json.load(file)
    recording = gpu.record(command, ["--cuda-graph-trace=node"], timeout=120)
    text = "a limit of 8: %d of %d kernels have no time; recorded: %d of %d" % (
        limited["zero"], limited["kernels"], recording.info["n_bad_times"],
        len(recording.kernels()))
    gpu.answers["o"] = text
    is_said = "no times for GPU work" in recording.done.err
    expect(is_said == (recording.info["n_bad_times"] >= 16), "said: %s; %s" % (is_said, text))
    return text


@check("memory usage: every allocation and release", needs=["program"], dry=True)
def memory_usage(gpu):
    recording = gpu.recorded("memory", 20, options=["--cuda-memory-usage=true"])
    sizes = recording.said()["sizes"]
    rows = recording.rows("CUDA_GPU_MEMORY_USAGE_EVENTS", "bytes, memoryOperationType")
    found = collections.Counter(size for size, _ in rows)
    missing = [size for size in sizes if found[size] == 0]
    if gpu.is_dry:  # pinned memory there is no CUDA call, and a release has no size
        missing = [size for i, size in enumerate(sizes) if i % 3 != 1 and found[size] == 0]
    expect(not missing, "%d of %d allocations are missing, kinds %s" % (
        len(missing), len(sizes), sorted({sizes.index(size) % 3 for size in missing})))
    by_type = collections.Counter(kind for _, kind in rows)
    return "%d allocations, rows by operation: %s" % (len(sizes), dict(by_type))


@check("without --cuda-memory-usage nothing of it is recorded", needs=["program"], dry=True)
def no_memory_usage(gpu):
    recording = gpu.recorded("memory", 20)
    expect(recording.count("CUDA_GPU_MEMORY_USAGE_EVENTS") == 0, "there are rows")
    return "no rows"


@check("the examples run and are recorded", needs=["program"])
def examples(gpu):
    texts = []
    for name in ("vector_add", "graph", "two_threads"):
        recording = gpu.record([gpu.program("example-" + name)])
        n = sum(recording.count("CUPTI_ACTIVITY_KIND_" + table)
                for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"))
        expect(n > 0, "%s: no GPU work" % name)
        expect(not recording.lost(), "%s: %s" % (name, recording.lost()))
        texts.append("%s %d" % (name, n))
        if name == "two_threads":
            gpu.keep(recording.path, "two_threads.rf")
    return "pieces of GPU work: " + ", ".join(texts)


@check("names of streams given with NVTX are there", needs=["program"])
def stream_names(gpu):
    recording = gpu.recorded("example-vector_add")
    names = recording.rows("RANGEFINDER_OBJECT_NAMES", "name")
    lanes = sorted(name for name, in names if name.startswith("lane "))
    expect(len(lanes) == 4, "names: %s" % names)
    return ", ".join(lanes)
