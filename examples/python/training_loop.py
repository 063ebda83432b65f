#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop that says which of its steps are worth recording.

It fits a line to points; what matters are the ranges. PROFILE_COUNT steps (3) from step PROFILE_STEP
(10) on, after the warm-up:

    rangefinder profile -c nvtx -p profile@training python3 training_loop.py
"""

import os
import random

import rangefinder.nvtx as nvtx

N_STEPS = 100
N_POINTS = 500
first = int(os.environ.get("PROFILE_STEP", "10"))
count = int(os.environ.get("PROFILE_COUNT", "3"))
training = nvtx.get_domain("training")


@nvtx.annotate(domain="training", color="green")
def load():
    xs = [random.uniform(-1, 1) for _ in range(N_POINTS)]
    return [(x, 3 * x + 1 + random.gauss(0, 0.1)) for x in xs]


@nvtx.annotate(domain="training", color="orange")
def forward(model, batch):
    slope, offset = model
    return [slope * x + offset - y for x, y in batch]


@nvtx.annotate(domain="training", color="purple")
def backward(model, batch, errors):
    rate = 0.5 / len(batch)
    return (
        model[0] - rate * sum(error * x for error, (x, _) in zip(errors, batch)),
        model[1] - rate * sum(errors),
    )


def main():
    model = (0.0, 0.0)
    for step in range(N_STEPS):
        if step == first:
            training.push_range(message="profile")  # what -p waits for
        with nvtx.annotate("step", domain="training", payload=step):
            batch = load()
            errors = forward(model, batch)
            model = backward(model, batch, errors)
        if step == first + count - 1:
            training.pop_range()
    nvtx.mark("trained", domain="training")
    print(f"y = {model[0]:.1f} x + {model[1]:.1f}")


if __name__ == "__main__":
    random.seed(1)
    main()
