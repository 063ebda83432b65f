#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A PyTorch training loop that says which of its steps are worth recording.

PROFILE_COUNT steps (3) from step PROFILE_STEP (10) on, after the warm-up. It says so in both ways;
one is enough:

    rangefinder profile -c cudaProfilerApi python3 pytorch_loop.py
    rangefinder profile -c nvtx -p profile --nvtx-capture-unregistered python3 pytorch_loop.py
"""

import os

import torch

N_STEPS = 100
first = int(os.environ.get("PROFILE_STEP", "10"))
count = int(os.environ.get("PROFILE_COUNT", "3"))

model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs = torch.randn(32, 64)

for step in range(N_STEPS):
    if step == first:
        if torch.cuda.is_available():
            torch.cuda.profiler.start()
        torch.cuda.nvtx.range_push("profile")
    torch.cuda.nvtx.range_push(f"step {step}")
    optimizer.zero_grad()
    loss = model(inputs).square().mean()
    loss.backward()
    optimizer.step()
    torch.cuda.nvtx.range_pop()
    if step == first + count - 1:
        torch.cuda.nvtx.range_pop()
        if torch.cuda.is_available():
            torch.cuda.profiler.stop()
