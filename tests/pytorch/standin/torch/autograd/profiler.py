# SPDX-License-Identifier: Apache-2.0
import torch
import torch.cuda

from .. import _C

_is_profiler_enabled = False


class ProfilerState:
    NVTX = "NVTX"
    KINETO = "KINETO"


class _ExperimentalConfig:
    pass


class ProfilerConfig:
    def __init__(self, state, sizes, memory, stack, flops, modules, experimental):
        self.state, self.sizes = state, sizes


def _enable_profiler(config, activities):
    _C.enable(config.state, ", sizes = [[4, 8]]" if config.sizes else "")


def _disable_profiler():
    _C.disable()


if not torch.is_one:

    def _run_on_profiler_start():
        global _is_profiler_enabled
        _is_profiler_enabled = True

    def _run_on_profiler_stop():
        global _is_profiler_enabled
        _is_profiler_enabled = False


class _Profile:
    state = None

    def __enter__(self):
        config = ProfilerConfig(
            self.state, False, False, False, False, False, _ExperimentalConfig()
        )
        _enable_profiler(config, set())
        return self

    def __exit__(self, *error):
        _disable_profiler()


class profile(_Profile):
    state = ProfilerState.KINETO


class emit_nvtx(_Profile):
    state = ProfilerState.NVTX

    def __enter__(self):
        torch.cuda.synchronize()
        return super().__enter__()
