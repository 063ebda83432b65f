# SPDX-License-Identifier: Apache-2.0
"""Waiting for a module's code to have run."""
import sys


def find(asking, name, path, target):
    """What the finders other than asking find. asking.executed(name, module) is called when that
    module has been executed."""
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        if finder is asking or find_spec is None:
            continue
        spec = find_spec(name, path, target)
        if spec is not None:
            hold(spec, asking.executed)
            return spec
    return None


def hold(spec, executed):
    """Has executed(name, module) called after the module's code has run. The loader is as it was
    before that code runs, and nothing of this is left behind."""
    loader, name = spec.loader, spec.name
    if not hasattr(loader, "exec_module"):
        return
    if getattr(loader, "name", None) != name or isinstance(loader, type):
        spec.loader = HeldLoader(loader, executed)  # one loader of many modules
        return
    run = loader.exec_module

    def exec_module(module):
        loader.__dict__.pop("exec_module", None)
        run(module)
        executed(name, module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        spec.loader = HeldLoader(loader, executed)


class HeldLoader:
    """Stands for a loader until it is used."""

    def __init__(self, loader, executed):
        self._loader = loader
        self._executed = executed

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._executed(module.__spec__.name, module)
