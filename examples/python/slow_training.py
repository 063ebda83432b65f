#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop in PyTorch, on the CPU, of which some steps are slow. docs/tutorials.md finds out why.

Every 17th batch has large images, which are augmented whole and then cropped. With CROP_FIRST=1 they
are cropped first. The argument is the number of steps (200).
"""

import os
import sys

import torch

import rangefinder.nvtx as nvtx

N_STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
SIZE, LARGE = 32, 160
crops_first = os.environ.get("CROP_FIRST") == "1"

torch.set_num_threads(1)
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(SIZE * SIZE, 256), torch.nn.ReLU(),
                            torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = torch.nn.CrossEntropyLoss()


def read(number):
    with nvtx.annotate("read"):
        size = LARGE if number % 17 == 16 else SIZE
        return torch.rand(32, size, size), torch.randint(0, 10, (32,))


def crop(images):
    with nvtx.annotate("crop"):
        return images[:, :SIZE, :SIZE]


def augment(images):
    with nvtx.annotate("augment"):
        for shift in range(1, 4):
            images = (images + images.roll(shift, 1).flip(2)) / 2
        return images


def load(number):
    with nvtx.annotate("load"):
        images, labels = read(number)
        images = augment(crop(images)) if crops_first else crop(augment(images))
        return images, labels


for number in range(N_STEPS):
    with nvtx.annotate("step"):
        images, labels = load(number)
        optimizer.zero_grad()
        with nvtx.annotate("forward"):
            loss = loss_of(model(images), labels)
        with nvtx.annotate("backward"):
            loss.backward()
        with nvtx.annotate("optimizer"):
            optimizer.step()
