# SPDX-License-Identifier: Apache-2.0
from .. import _C


def _enable_profiler_legacy(config):
    _C.enable("LEGACY")


def _disable_profiler_legacy():
    _C.disable()


class profile:
    def __enter__(self):
        _enable_profiler_legacy(None)
        return self

    def __exit__(self, *error):
        _disable_profiler_legacy()
