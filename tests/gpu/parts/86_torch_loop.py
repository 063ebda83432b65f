# SPDX-License-Identifier: Apache-2.0
"""PyTorch: a capture of a training loop, NCCL; and which libcupti is taken where there are several."""

import collections
import os
import sys

from checks import check, expect
from clients import dump
from torch_steps import kernels_per_step, steps_with_kernels


@check("-c nvtx: one step of a training loop, its range's kernels", needs=["torch"])
def nvtx_capture(gpu):
    """The range ends while its kernels run."""
    per_step = kernels_per_step(gpu)
    names = [".1", ".2"]
    recordings = gpu.record(
        gpu.step("12", "--outer", "5-5", "--outer", "8-9"),
        ["-c", "nvtx", "-p", "window", "--nvtx-capture-unregistered",
         "--capture-range-end=repeat:2"], names=names, timeout=180)
    found = [steps_with_kernels(recording) for recording in recordings]
    text = "a step has %d kernels; recorded by step: %s" % (per_step, [dict(f) for f in found])
    expect(found[0] == {5: per_step} and found[1] == {8: per_step, 9: per_step}, text)
    expect(not any(recording.lost() for recording in recordings), recordings[0].lost())
    gpu.keep(recordings[0].path, "torch-step.rf")
    return text


NCCL = """
import json, os, torch, torch.distributed as dist
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29871", RANK="0", WORLD_SIZE="1")
dist.init_process_group("nccl", device_id=torch.device("cuda:0"))
a = torch.ones(1 << 20, device="cuda")
out = torch.empty_like(a)
for i in range(10):
    torch.cuda.nvtx.range_push("exchange")
    dist.all_reduce(a)
    dist.all_gather_into_tensor(out, a)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
dist.destroy_process_group()
print(json.dumps({"nccl": ".".join(map(str, torch.cuda.nccl.version()))}))
"""


@check("NCCL with one rank: its annotations, with their payloads", needs=["torch"])
def nccl(gpu):
    recording = gpu.record([sys.executable, "-c", NCCL], timeout=150)
    names = collections.Counter(text for _, _, _, text in recording.ranges())
    text = "NCCL %s: %s; %d kernels, %d copies" % (
        recording.said()["nccl"], {name: n for name, n in names.items() if "nccl" in (name or "")},
        len(recording.kernels()), recording.count("CUPTI_ACTIVITY_KIND_MEMCPY"))
    gpu.keep(recording.path, "nccl.rf")
    expect(names["exchange"] == 10, text)
    expect(names["ncclAllReduce"] == 10 and names["ncclAllGather"] == 10, text)
    expect(not recording.lost(), recording.lost())
    return text


# ---- Which libcupti ----

def folder_of(path):
    return os.path.dirname(path)


@check("one libcupti in the process: a CUDA program, PyTorch", needs=["program", "torch"])
def one_library(gpu):
    plain = gpu.recorded("calls", 2, 400).done.libraries()
    torch = gpu.step_libraries()
    expect(len(plain) == 1, "a CUDA program has %s" % plain)
    expect(len(torch) == 1, "PyTorch has %s" % torch)
    return "%s; PyTorch: %s" % (plain[0], torch[0])


@check("several libcupti: the other one comes first on the path", needs=["program", "torch"])
def several_libraries(gpu):
    torch = gpu.step_libraries()
    plain = gpu.recorded("calls", 2, 400).done.libraries()
    env = {"LD_LIBRARY_PATH": folder_of(torch[0])}
    with_torchs = gpu.record([gpu.program("calls"), "1", "20"], env=env)
    env = {"LD_LIBRARY_PATH": folder_of(plain[0])}
    with_toolkits = gpu.record(gpu.step("2"), env=env, timeout=120)
    for recording in (with_torchs, with_toolkits):
        expect(len(recording.done.libraries()) == 1, "mapped: %s" % recording.done.libraries())
        expect(recording.kernels(), "no kernels")
    return "program on PyTorch's path: %s; PyTorch on the toolkit's: %s" % (
        with_torchs.done.libraries()[0], with_toolkits.done.libraries()[0])


@check("raw buffers of PyTorch are written as a fixture", needs=["torch", "cc"])
def fixture(gpu):
    """Names made by templates and by compilers at run time, and launches by libraries."""
    text, names = dump(gpu, "torch", gpu.step("2", "--size", "tiny"), gpu.step_libraries())
    kernels = set(names)
    expect(len(kernels) > 10, "%s, only %d different" % (text, len(kernels)))
    return "%s, %d different" % (text, len(kernels))
