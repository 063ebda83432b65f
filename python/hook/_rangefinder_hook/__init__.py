# SPDX-License-Identifier: Apache-2.0
"""Annotates Python programs that `rangefinder profile` runs, without changes to them.

Everything here waits for an import: a program that never imports what is to be annotated pays for
one dictionary look-up per import. This file is what every Python process reads at its start; the
rest is read when it is needed."""
import os
import sys

PYTORCH_VARIABLE = "RANGEFINDER_PYTORCH"
FUNCTIONS_VARIABLE = "RANGEFINDER_PYTHON_FUNCTIONS"
SAID_VARIABLE = "RANGEFINDER_PYTHON_SAID"

_finder = None


def say(text):
    """One line on standard error, once: also not again by the processes that this one starts."""
    said = os.environ.get(SAID_VARIABLE, "").split("\n")
    if text in said:
        return
    os.environ[SAID_VARIABLE] = "\n".join(said + [text]).strip("\n")
    try:
        sys.__stderr__.write("rangefinder: %s\n" % text)
        sys.__stderr__.flush()
    except (AttributeError, OSError, ValueError):  # there is none, or it is closed
        pass


def start():
    """To be called once, as early as possible; does nothing when nothing is asked for."""
    if _finder is not None:
        return
    modes = [mode for mode in os.environ.get(PYTORCH_VARIABLE, "").split(",") if mode]
    path = os.environ.get(FUNCTIONS_VARIABLE)
    if modes and modes != ["none"]:
        when_imported("torch", lambda module: _start_pytorch(module, modes))
    if path:
        from . import functions

        functions.start(path)


def _start_pytorch(module, modes):
    from . import pytorch

    pytorch.start(module, modes)


def when_imported(name, action):
    """Calls action(module) when the module of that name has been imported; at once if it has been
    already, and again if it is imported anew."""
    global _finder
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
    _finder.actions.setdefault(name, []).append(action)
    module = sys.modules.get(name)
    if module is not None and not _is_being_imported(module):
        _act(action, module)


def _is_being_imported(module):
    return getattr(getattr(module, "__spec__", None), "_initializing", False)


def _act(action, module):
    try:
        action(module)
    except Exception as error:  # the program's import has succeeded, whatever becomes of ours
        say("'%s' is not annotated: %s: %s" % (module.__name__, type(error).__name__, error))


class _Finder:
    """Stands before the other finders and finds nothing itself: it asks them, and has itself
    called when the module that they found has been executed."""

    def __init__(self):
        self.actions = {}  # name of a module: what to do

    def find_spec(self, name, path=None, target=None):
        if name not in self.actions:
            return None
        from . import waiting

        return waiting.find(self, name, path, target)

    def executed(self, name, module):
        module = sys.modules.get(name, module)  # a module may put another in its place
        for action in list(self.actions.get(name, ())):
            _act(action, module)
