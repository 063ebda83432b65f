# SPDX-License-Identifier: Apache-2.0
"""The real torchrun, with PyTorch's processes on gloo. RF_TORCH_PYTHON names a Python that has PyTorch, if this one has
none."""

import json
import os
import subprocess
import sys

import pytest
from conftest import RANGEFINDER, SLOW, run

PYTHON = os.environ.get("RF_TORCH_PYTHON", sys.executable)
STEPS = 20

# Rank 1 comes 30 ms later to each barrier.
SCRIPT = f"""
import time, warnings
warnings.simplefilter("ignore")
import torch
import torch.distributed as dist
from torch.cuda import nvtx

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range({STEPS}):
    nvtx.range_push("step")
    model(torch.ones(4, 8)).sum().backward()
    optimizer.step()
    nvtx.range_push("load")
    time.sleep(0.03 * dist.get_rank())
    nvtx.range_pop()
    nvtx.range_push("barrier")
    dist.barrier()
    nvtx.range_pop()
    nvtx.range_pop()
dist.destroy_process_group()
"""


def stats(report, *inputs):
    done = run(RANGEFINDER, "stats", "-q", "-f", "json", "-r", report, "--collective=barrier", *inputs)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two ranks, recorded each by a command line of its own."""
    done = subprocess.run([PYTHON, "-c", "import torch.distributed.run"], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"there is no PyTorch for {PYTHON}; RF_TORCH_PYTHON may name a Python that has it")
    folder = tmp_path_factory.mktemp("torchrun")
    (folder / "train.py").write_text(SCRIPT)
    done = subprocess.run([PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--no-python",
                           RANGEFINDER, "profile", "-q", "-t", "nvtx", "-o", "run.%r", PYTHON, "train.py"],
                          cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
                          timeout=250 * SLOW, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_ranks(folder):
    assert sorted(path.name for path in folder.glob("*.rf")) == ["run.0.rf", "run.1.rf"]
    done = run(RANGEFINDER, "info", "--job", "--json", folder)
    job = json.loads(done.stdout)["job"]
    assert (job["world_size"], job["n_missing"], [one["state"] for one in job["ranks"]]) == (2, 0, ["ended"] * 2)


def test_steps(folder):
    rows = [row for row in stats("nvtx_sum", folder) if row["Range"] == ":step"]
    assert sorted((row["Rank"], row["Instances"]) for row in rows) == [(0, STEPS), (1, STEPS)]


def test_the_late_rank(folder):
    """Its own sleep makes the other one wait."""
    rows = {row["Rank"]: row for row in stats("stragglers", folder)}
    assert rows[1]["Straggler"] and not rows[0]["Straggler"], rows
    assert rows[1]["Times Last"] == rows[1]["Collectives"] == STEPS
    assert rows[1]["Cost (ns)"] >= 0.028e9 * STEPS
