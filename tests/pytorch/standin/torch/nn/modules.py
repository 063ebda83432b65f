# SPDX-License-Identifier: Apache-2.0
import torch


class Module:
    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def _wrapped_call_impl(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    def parameters(self):
        return []

    __call__ = _call_impl if torch.is_one else _wrapped_call_impl


class Linear(Module):
    def __init__(self, *sizes):
        self.sizes = sizes

    def forward(self, x, *, scale=None):
        if x is None:
            raise ValueError("no input")
        return x + 1


class Sequential(Module):
    def __init__(self, *modules):
        self.modules = modules

    def forward(self, x):
        for module in self.modules:
            x = module(x)
        return x
