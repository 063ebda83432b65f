# SPDX-License-Identifier: Apache-2.0
"""Modules of this package under the names of NVIDIA's, for programs that are not to be changed."""

import importlib.machinery
import importlib.util
import sys

__all__ = ["install"]


def install(*names):
    """Makes `import nvtx` give rangefinder.nvtx, and `import cupti.pm_sampling` rangefinder.pm_sampling.

    names: "nvtx", "cupti.pm_sampling"; none: both.

    Of the package cupti, where it is installed, all else stays what it is, and its cuptiError catches
    the errors of rangefinder.pm_sampling. Where it is not installed, cupti.cupti.cuptiError is that
    of rangefinder.pm_sampling.

    Raises RuntimeError where NVIDIA's module was imported already: what imported it would go on using
    it. Raises ValueError for other names.

        import rangefinder
        rangefinder.install()
        import program
    """
    wrong = set(names) - set(_INSTALL)
    if wrong:
        raise ValueError(f"install() takes {', '.join(map(repr, _INSTALL))}, not {min(wrong)!r}")
    for name in names or _INSTALL:
        _INSTALL[name]()


def put(name, module):
    """Gives a module a name. RuntimeError: another one has it."""
    if sys.modules.setdefault(name, module) is not module:
        raise RuntimeError(f"the module {name} is imported already: call install() before it is")


def _install_nvtx():
    from rangefinder import nvtx

    nvtx.install()


def _install_pm_sampling():
    from rangefinder import pm_sampling

    if "cupti" not in sys.modules and importlib.util.find_spec("cupti") is None:
        package = _module("cupti", is_package=True)
        package.pm_sampling = pm_sampling
        package.cupti = _module("cupti.cupti")
        package.cupti.cuptiError = pm_sampling.cuptiError
        package.cupti.PmSamplingTriggerMode = pm_sampling.TriggerMode
        package.cupti.PmSamplingDecodeStopReason = pm_sampling.DecodeStopReason
        package.cupti.PmSamplingHardwareBufferAppendMode = pm_sampling.HardwareBufferAppendMode
        put("cupti.cupti", package.cupti)
        put("cupti", package)
    put("cupti.pm_sampling", pm_sampling)


def _module(name, is_package=False):
    spec = importlib.machinery.ModuleSpec(name, None, is_package=is_package)
    module = importlib.util.module_from_spec(spec)
    module.__doc__ = "What stands for NVIDIA's package: see rangefinder.install()."
    return module


_INSTALL = {"nvtx": _install_nvtx, "cupti.pm_sampling": _install_pm_sampling}
