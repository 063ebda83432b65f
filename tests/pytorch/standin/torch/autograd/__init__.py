# SPDX-License-Identifier: Apache-2.0
import torch

from .. import _C


def _profiler_enabled():
    return _C.enabled()


def backward(tensors, grad_tensors=None):
    """Computes the sum of gradients."""
    with _C.operator("autograd::engine::evaluate_function: AddBackward0"):
        pass


def grad(outputs, inputs):
    return [torch.Tensor(*outputs.shape)]


from . import profiler, profiler_legacy  # noqa: E402,F401
