# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs, as a whole and node by node; memory usage; events."""

import collections

from checks import check, expect


@check("graphs as a whole: one piece of work per launch", needs=["program"], dry=True)
def whole_graphs(gpu):
    recording = gpu.recorded("graphs", 100, 20)
    said = recording.said()
    n_graphs = recording.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    expect(n_graphs == said["graphs"], "%d graphs of %d" % (n_graphs, said["graphs"]))
    known = {(call.pid, call.correlation) for call in recording.calls()
             if "GraphLaunch" in call.name}
    rows = recording.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                          "globalPid >> 24 & 0xffffff, correlationId")
    expect(all(row in known for row in rows), "graphs without the call that launched them")
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


@check("graphs made before the capture that they are launched in", needs=["program"], dry=True)
def graphs_from_before(gpu):
    command = [gpu.program("graphs"), "50", "10", "late"]
    whole = gpu.record(command, ["-c", "cudaProfilerApi"])
    n_graphs = whole.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    nodes = gpu.record(command, ["-c", "cudaProfilerApi", "--cuda-graph-trace=node"])
    n_kernels = len(nodes.kernels())
    text = "%d graphs of 50; node by node %d kernels of 500" % (n_graphs, n_kernels)
    gpu.answers["l"] = text
    expect(n_graphs == 50 and n_kernels == 500, text)
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
