# SPDX-License-Identifier: Apache-2.0
"""Python imports this at its start, because `rangefinder profile` has put this folder first in
PYTHONPATH. It switches the annotations on and gets out of the way: the folder leaves sys.path, and
the sitecustomize that this one shadows is imported as if it were the only one. Every Python may
meet this file, also one that is too old for the rest: then it only steps aside."""
import sys


def _start(folder):
    try:
        if sys.version_info >= (3, 6):
            import _rangefinder_hook

            _rangefinder_hook.start()
    except Exception:  # whatever happens, the program runs
        text = "rangefinder: Python functions are not annotated: %r\n"
        sys.stderr.write(text % sys.exc_info()[1])
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)


_start(__file__.rpartition("/")[0])
del sys.modules["sitecustomize"]
# Where there is no other, this fails as it does for site, which then goes on.
import sitecustomize  # noqa: E402,F401
