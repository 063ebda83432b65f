# SPDX-License-Identifier: Apache-2.0
"""From recordings of a GPU to answers: `why` about causes that are planted; a flight recorder; traces
of torch.profiler."""

import collections
import gzip
import json
import os

from checks import check, expect
from recording import Recording

ALONE = True

# cause: the part of the step that `why` is to name, and its path. A clean run has none.
CAUSES = {"launch": ("gap", "forward"), "copy": ("call", "load"), "kernel": ("call", "loss")}
# The GPU work that the call waits for, and the range in which the GPU was idle.
WORK = {"copy": "[CUDA memcpy HtoD]", "kernel": "layer_kernel"}


def table(gpu, recording, report):
    return json.loads(gpu.rangefinder("stats", "-q", "-r", report, "-f", "json", recording.path).out)


def is_shown(gpu, recording, cause):
    """Whether a table of GPU work has it among the first."""
    if cause == "launch":
        return any(gap["Why"] == "host" and gap["Range"] == ":step"
                   for gap in table(gpu, recording, "gpu_gaps:rows=3"))
    waits = sorted(table(gpu, recording, "critical"), key=lambda row: row["Max (ns)"], reverse=True)
    return any(wait["Work"].startswith(WORK[cause]) for wait in waits[:2])


@check("why names what was planted, and nothing in a clean run", needs=["program"])
def planted(gpu):
    wrong, texts = [], []
    for cause in ("nothing", *CAUSES):
        recording = gpu.record([gpu.program("planted"), cause])
        found = json.loads(gpu.rangefinder("why", "step", "--json", recording.path).out)["causes"]
        named = [(c["part"], c["path"]) for c in found if c["chance"] < 0.01]
        texts.append("%s: %s" % (cause, named))
        if cause == "nothing":
            is_right = not named
        else:
            is_right = CAUSES[cause] in named and is_shown(gpu, recording, cause)
            if not is_right:
                texts.append("tables: %s; %s" % (table(gpu, recording, "gpu_gaps:rows=3"),
                                                 table(gpu, recording, "critical")[:3]))
        if not is_right:
            wrong.append(cause)
    text = "; ".join(texts)
    expect(not wrong, "wrong of %s: %s" % (", ".join(wrong), text))
    return text


def whole_steps(recording, until_slow):
    """Kernels by step, of the steps whose begin and end are in the recording; until_slow: up to the
    longest."""
    launches = recording.launches()
    at = sorted(launches[key].start for kernel in recording.kernels()
                if (key := (kernel.pid, kernel.correlation)) in launches)
    steps = sorted((start, end) for start, end, _, text in recording.ranges() if text == "step" and end)
    if until_slow:
        steps = steps[:1 + max(range(len(steps)), key=lambda i: steps[i][1] - steps[i][0])]
    return collections.Counter(sum(start <= t <= end for t in at) for start, end in steps)


@check("a flight recorder: the newest steps have their kernels", needs=["program"])
def flight_recorder(gpu):
    base = os.path.join(gpu.work, "fly")
    done = gpu.run([gpu.machine.rangefinder, "profile", "-f", "true", "-t", "cuda,nvtx", "--ring=1M",
                    "--snapshot-on=slow:step:3x", "--snapshots=1", "-o", base,
                    gpu.program("planted"), "kernel", "3000"])
    expect(done.status == 0, "status %d: %s" % (done.status, done.err.strip()[-300:]))
    texts = []
    for path, is_snapshot in ((base + ".snapshot1.rf", True), (base + ".rf", False)):
        expect(os.path.exists(path), "there is no %s: %s" % (os.path.basename(path), done.err[-300:]))
        recording = Recording(gpu, path[:-3], done)
        steps = whole_steps(recording, is_snapshot)  # later ones' work may be running
        lost = recording.lost()
        texts.append("%s: steps by kernels %s, lost %s" % (os.path.basename(path), dict(steps), lost))
        n_others = sum(n for kernels, n in steps.items() if kernels != 4)
        # the oldest step may have begun before the ring's time
        expect(steps[4] >= 5 and n_others <= 1, "; ".join(texts))
    return "; ".join(texts)


@check("--pytorch=autograd-nvtx: operators, and the kernels that they launched", needs=["torch"])
def autograd(gpu):
    recording = gpu.record(gpu.step("3", "--size", "tiny"), ["--pytorch=autograd-nvtx"], timeout=150)
    n_operators = sum((text or "").startswith("aten::") for _, _, _, text in recording.ranges())
    rows = table(gpu, recording, "nvtx_gpu_proj_sum")
    n_projected = sum("aten::" in row["Range"] for row in rows)
    text = "%d ranges of operators; %d of %d projected rows are operators" % (
        n_operators, n_projected, len(rows))
    expect(n_operators > 100 and n_projected > 10, text)
    return text


# ---- Traces of torch.profiler ----

def trace_of(gpu):
    """The path of a trace of two steps, and its events of the GPU."""
    path = os.path.join(gpu.work, "kineto.json")
    done = gpu.run(gpu.step("8", "--size", "tiny", "--kineto", "5-6", "--trace", path), timeout=120)
    expect(done.status == 0 and os.path.exists(path), done.err.strip()[-200:])
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    return path, [event for event in events
                  if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]


@check("a trace of torch.profiler, opened: its kernels, their times and launches", needs=["torch"])
def kineto(gpu):
    path, events = trace_of(gpu)
    theirs = collections.Counter(event["name"] for event in events if event["cat"] == "kernel")
    rows = json.loads(gpu.rangefinder("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "json", path).out)
    ours = collections.Counter({row["Name"]: row["Instances"] for row in rows})
    total = sum(row["Total Time (ns)"] for row in rows)
    true = sum(event["dur"] for event in events if event["cat"] == "kernel") * 1e3
    linked = json.loads(gpu.rangefinder("stats", "-q", "-r", "cuda_kern_exec_sum", "-f", "json", path).out)
    n_linked = sum(row["Count"] for row in linked)
    text = "%d kernels of %d names, %.0f ns of %.0f; %d with their launch; %d bytes" % (
        sum(ours.values()), len(ours), total, true, n_linked, os.path.getsize(path))
    if gpu.out:
        with open(path, "rb") as file, gzip.open(os.path.join(gpu.out, "torch-gpu.json.gz"), "wb", 9) as to:
            to.write(file.read())
    expect(ours == theirs and abs(total - true) <= len(events) and n_linked == sum(theirs.values()), text)
    return text
