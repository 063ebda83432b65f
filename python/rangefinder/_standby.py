# SPDX-License-Identifier: Apache-2.0
"""What `import rangefinder` does so that profile() can record this process later: libraries look for
an NVTX tool once, at their first call, and find the recorder, which waits.

The recorder is named in the environment of the process as its libraries see it (os.environ stays
as it is), with the pid as a marker: in a program that this one starts, the recorder sees another
pid and lets itself not be attached.

CUDA's driver looks when it is initialised. It is told of the recorder only while profile() records:
other profilers (PyTorch's) make themselves small where that variable is set, and later recordings
need no driver to load anything."""

import os

INJECTION = "NVTX_INJECTION64_PATH"
CUDA_INJECTION = "CUDA_INJECTION64_PATH"
MARKER = "RANGEFINDER_STANDBY"
SESSION = "RANGEFINDER_SESSION"
RECORDER_NAME = "librangefinder-inject.so"
RECORDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", RECORDER_NAME)

_tool = None  # what is recorded by, or None
_is_cuda_told = False  # CUDA's driver finds the recorder
_early = None  # the files that were mapped before the recorder could be found; None: all


def _is_inherited(tool):
    """Whether a parent of this process put the recorder there, for itself."""
    return os.path.basename(tool) == RECORDER_NAME and os.environ.get(MARKER, "").isdigit()


def _put():
    tool = os.environ.get(INJECTION)
    if not tool or _is_inherited(tool):
        os.putenv(INJECTION, RECORDER)
        os.putenv(MARKER, str(os.getpid()))


def _mapped_files():
    """The files of which this process runs code, with the address where each begins."""
    files = {}
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                fields = line.rstrip("\n").split(None, 5)
                if len(fields) == 6 and fields[5].startswith("/"):
                    files.setdefault(fields[5], int(fields[0].split("-")[0], 16))
    except OSError:
        pass
    return files


def arm():
    """Called once, by the import."""
    global _early, _tool
    tool = os.environ.get(INJECTION)
    if tool and not _is_inherited(tool):
        _tool = tool
        return
    if os.environ.get(SESSION):
        _tool = RECORDER_NAME
        return
    if os.environ.get(MARKER) == "0" or not os.path.exists(RECORDER):
        return
    _early = frozenset(_mapped_files())
    _put()
    os.register_at_fork(after_in_child=_put)


def check():
    """Raises RuntimeError where this process cannot be recorded from within."""
    if _tool is not None:
        if os.environ.get(SESSION):
            raise RuntimeError(
                "this process is being recorded already, by the command line; leave out "
                "rangefinder.profile() there, or use 'rangefinder start' and 'stop'"
            )
        raise RuntimeError(
            f"another tool has this process's NVTX calls: {INJECTION}={_tool!r}; to record with "
            f"rangefinder.profile(), run without it"
        )
    if not os.path.exists(RECORDER):
        raise RuntimeError(f"the recorder is missing: {RECORDER!r}; install the package anew")


def is_armed():
    """Whether libraries find the recorder."""
    return os.environ.get(MARKER) != "0"


def cuda_tool():
    """What CUDA's driver is told to load instead of the recorder: a file, 'none', or None."""
    tool = os.environ.get(CUDA_INJECTION)
    return tool if tool and not _is_inherited(tool) else None


def tell_cuda():
    """Until untell_cuda() the driver, when it is initialised, loads the recorder."""
    global _is_cuda_told
    if _early is not None:
        _is_cuda_told = True
        os.putenv(CUDA_INJECTION, RECORDER)


def untell_cuda():
    """The variable is what os.environ says."""
    global _is_cuda_told
    if _is_cuda_told and CUDA_INJECTION in os.environ:
        os.putenv(CUDA_INJECTION, os.environ[CUDA_INJECTION])
    elif _is_cuda_told:
        os.unsetenv(CUDA_INJECTION)
    _is_cuda_told = False


def missed(attached):
    """The files of libraries that looked for a tool before this module was imported. attached: those
    that found the recorder. What carries no symbols cannot be seen."""
    from rangefinder import _elf

    attached = {os.path.realpath(path) for path in attached}
    files = {
        path: base
        for path, base in _mapped_files().items()
        if (_early is None or path in _early) and os.path.realpath(path) not in attached
    }
    try:
        found = _elf.have_looked_for_tool(files)
    except OSError:
        found = []
    return found + [path for path in files if hides_state(path) and path not in found]


def hides_state(path):
    """Whether this is the library of NVTX before version 3, of which nobody can tell whether it was
    used."""
    return "libnvToolsExt" in os.path.basename(path)
