# SPDX-License-Identifier: Apache-2.0
import functools

import torch


class Optimizer:
    def __init__(self, params, lr=0.1):
        self.param_groups = [{"params": list(params), "lr": lr}]
        if torch.is_one:
            self._hook_for_profile()
        else:
            self._patch_step_function()

    def __setstate__(self, state):
        self.__dict__.update(state)
        if torch.is_one:
            self._hook_for_profile()
        else:
            self._patch_step_function()

    @staticmethod
    def profile_hook_step(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper

    def _patch(self):
        if not getattr(self.__class__.step, "hooked", None):
            self.__class__.step = self.profile_hook_step(self.__class__.step)
            self.__class__.step.hooked = True

    if torch.is_one:
        _hook_for_profile = _patch
    else:
        _patch_step_function = _patch

    def zero_grad(self):
        pass

    def step(self, closure=None):
        raise NotImplementedError


class SGD(Optimizer):
    def step(self, closure=None):
        """Takes a step."""
        return None if closure is None else closure()


class Momentum(SGD):
    """Has the step of its base."""
