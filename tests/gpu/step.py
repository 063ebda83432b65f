#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of a transformer, for the checks. Prints one line of JSON.

usage: step.py STEPS [--size tiny|small|medium] [--kineto FIRST-LAST [--trace PATH]]
               [--capture FIRST-LAST] [--outer FIRST-LAST]...

--kineto records those steps with torch.profiler and counts the kernels in them, by name, or writes
its trace to PATH;
--capture puts cudaProfilerStart and Stop around them, --outer a range "window", at whose end nobody
waits for the GPU. Each step is a range "step N". Without a GPU it runs on the processor, so that it
can be tried."""

import argparse
import collections
import json
import time

import torch
from torch import nn

SIZES = {  # width, heads, layers, sequences, their length
    "tiny": (32, 2, 1, 2, 16),
    "small": (256, 4, 4, 8, 64),  # the GPU waits for the processor
    "medium": (2048, 16, 8, 16, 512),  # the processor waits for the GPU
}
GROUP = 10  # steps that are timed together
N_TOKENS = 1000


class Model(nn.Module):
    def __init__(self, width, heads, layers):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
        self.embed = nn.Embedding(N_TOKENS, width)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, N_TOKENS)

    def forward(self, tokens):
        return self.head(self.layers(self.embed(tokens)))


class Trainer:
    def __init__(self, size, device):
        width, heads, layers, n, length = SIZES[size]
        torch.manual_seed(1)
        self.device = device
        self.model = Model(width, heads, layers).to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.tokens = torch.randint(N_TOKENS, (n, length), device=device)

    def step(self, number):
        torch.cuda.nvtx.range_push("step %d" % number)
        self.optimizer.zero_grad()
        with torch.autocast(self.device, dtype=torch.bfloat16):
            logits = self.model(self.tokens)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), self.tokens.flatten())
        loss.backward()
        self.optimizer.step()
        torch.cuda.nvtx.range_pop()

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()


def steps_of(text):
    first, last = text.split("-")
    return int(first), int(last)


def count(profiler):
    """Kernels by name; copies and memsets together."""
    counts = collections.Counter()
    for event in profiler.events():
        if not str(event.device_type).endswith("CUDA"):
            continue
        name = event.name
        if name.startswith("Memcpy"):
            name = "copies"
        elif name.startswith("Memset"):
            name = "memsets"
        elif getattr(event, "is_user_annotation", False) or name.startswith("Optimizer."):
            continue  # what PyTorch itself annotates, as the GPU saw it
        counts[name] += 1
    return dict(counts)


class Windows:
    """Begins and ends torch.profiler and the capture before and after their steps."""

    def __init__(self, trainer, kineto, capture, outer):
        self.trainer = trainer
        self.kineto, self.capture, self.outer = kineto, capture, outer
        activities = [torch.profiler.ProfilerActivity.CPU]
        if trainer.device == "cuda":
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self.profiler = torch.profiler.profile(activities=activities) if kineto else None

    def before(self, step):
        if self.kineto and step == self.kineto[0]:
            self.trainer.wait()
            self.profiler.__enter__()
        if self.capture and step == self.capture[0]:
            self.trainer.wait()
            torch.cuda.cudart().cudaProfilerStart() if self.trainer.device == "cuda" else None
        if any(step == first for first, _ in self.outer):
            torch.cuda.nvtx.range_push("window")

    def after(self, step):
        if any(step == last for _, last in self.outer):
            torch.cuda.nvtx.range_pop()
            time.sleep(0.3)  # the capture's work is waited for, as it would be in a longer run
        if self.capture and step == self.capture[1]:
            self.trainer.wait()
            torch.cuda.cudart().cudaProfilerStop() if self.trainer.device == "cuda" else None
        if self.kineto and step == self.kineto[1]:
            self.trainer.wait()
            self.profiler.__exit__(None, None, None)


def mapped_libcupti():
    with open("/proc/self/maps") as file:
        paths = (line[line.index("/"):].strip() for line in file if "libcupti" in line)
        return sorted(set(paths))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", type=int)
    parser.add_argument("--size", default="small", choices=sorted(SIZES))
    parser.add_argument("--kineto", type=steps_of)
    parser.add_argument("--trace")
    parser.add_argument("--capture", type=steps_of)
    parser.add_argument("--outer", type=steps_of, action="append", default=[])
    arguments = parser.parse_args()
    trainer = Trainer(arguments.size, "cuda" if torch.cuda.is_available() else "cpu")
    windows = Windows(trainer, arguments.kineto, arguments.capture, arguments.outer)
    groups_ms, start = [], 0.0
    for step in range(arguments.steps):
        if step % GROUP == 0:
            trainer.wait()
            start = time.perf_counter()
        windows.before(step)
        trainer.step(step)
        windows.after(step)
        if step % GROUP == GROUP - 1:
            trainer.wait()
            groups_ms.append((time.perf_counter() - start) * 1000 / GROUP)
    trainer.wait()
    result = {"device": trainer.device, "steps": arguments.steps, "groups_ms": groups_ms[1:]}
    if arguments.trace:
        windows.profiler.export_chrome_trace(arguments.trace)
    elif windows.profiler:
        result["kineto"] = count(windows.profiler)
    print(json.dumps(result))
    for path in mapped_libcupti():
        print("library", path)


if __name__ == "__main__":
    main()
