# SPDX-License-Identifier: Apache-2.0
"""--pytorch=autograd-nvtx: what torch.autograd.profiler.emit_nvtx() does, for the whole run.

emit_nvtx waits for the GPU when it is entered, which initialises CUDA: too early for programs that
fork, or choose a device, later. Here it is the other way round: when the program has initialised
CUDA, the profiler is enabled as emit_nvtx enables it, without waiting for anything.

Torch's profiler is a matter of each thread. Autograd hands it on to the threads that run backward;
Python's threads get it here. When the program profiles by itself, ours steps aside on that thread
until it is done."""
import atexit
import functools
import os
import resource
import sys
import threading

from . import say
from .pytorch import compiling_test

# Set by those who want the ranges of a run on the CPU, with a PyTorch that has CUDA.
WITHOUT_CUDA_VARIABLE = "RANGEFINDER_PYTORCH_WITHOUT_CUDA"


def start(torch, has_sizes):
    reason = why_there_is_no_nvtx(torch)
    if reason:
        say("--pytorch=autograd-nvtx: %s: its operators are not recorded" % reason)
        return
    autograd = AutogradRanges(torch, has_sizes)
    autograd.take_turns()
    follow_threads(torch, autograd)
    atexit.register(tell_of_nothing, autograd, os.getpid())
    atexit.register(autograd.disable)
    if os.environ.get(WITHOUT_CUDA_VARIABLE, "0") not in ("", "0"):
        autograd.begin()
    else:
        torch.cuda._lazy_call(autograd.begin)


def why_there_is_no_nvtx(torch):
    version = "PyTorch %s" % getattr(torch, "__version__", "of this program")
    if getattr(getattr(torch, "version", None), "hip", None):
        return "%s was built for ROCm, which has no NVTX" % version
    if not hasattr(torch._C, "_nvtx"):
        return "%s was built without NVTX (without CUDA)" % version
    return None


def tell_of_nothing(autograd, pid):
    """At the end: the program used torch, and none of its operators was annotated."""
    if autograd.was_tried or os.getpid() != pid or not (autograd.has_calls or is_alone()):
        return
    say(
        "--pytorch=autograd%s-nvtx: no operator was annotated: the program did not initialise CUDA; "
        "to annotate operators on the CPU, set %s=1"
        % ("-shapes" if autograd.has_sizes else "", WITHOUT_CUDA_VARIABLE)
    )


def is_alone():
    """Whether this process neither is a worker nor had any: its operators are all that there are."""
    processes = sys.modules.get("multiprocessing.process")
    is_worker = getattr(processes, "parent_process", lambda: None)() is not None
    had_children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
    return not (is_worker or had_children)


class AutogradRanges:
    def __init__(self, torch, has_sizes):
        self._profiler = torch.autograd.profiler
        self._enable = self._profiler._enable_profiler
        self._disable = self._profiler._disable_profiler
        self._is_enabled = getattr(torch.autograd, "_profiler_enabled", lambda: False)
        self.has_sizes = has_sizes
        self._here = threading.local()
        self.has_begun = False
        self.was_tried = False
        self.has_calls = False  # of modules, before it has begun
        try:
            from torch.autograd import profiler_legacy as legacy
        except ImportError:
            legacy = None
        self._legacy = legacy

    def begin(self):
        """CUDA is initialised. Called by torch, which must not see it fail."""
        self.has_begun = self.was_tried = True
        self.enable()

    def enable(self):
        """On this thread, unless it is or the program's own profiler runs here."""
        here = self._here
        if not self.has_begun or getattr(here, "end", None) is not None or self._is_enabled():
            return
        p = self._profiler
        try:
            config = p.ProfilerConfig(
                p.ProfilerState.NVTX,
                self.has_sizes,
                False,
                False,
                False,
                False,
                p._ExperimentalConfig(),
            )
            self._enable(config, set())
            getattr(p, "_run_on_profiler_start", int)()
        except Exception as error:
            self.has_begun = False
            say("--pytorch=autograd-nvtx: this PyTorch cannot do it: %s" % error)
            return
        here.end = _AtThreadEnd(self._disable)

    def disable(self):
        """On this thread. Returns whether it was enabled."""
        end = getattr(self._here, "end", None)
        if end is None:
            return False
        self._here.end = None
        end.run()
        getattr(self._profiler, "_run_on_profiler_stop", int)()
        return True

    def is_here(self):
        return getattr(self._here, "end", None) is not None

    def take_turns(self):
        """The functions by which torch's profilers are switched on and off, with which ours must
        not be on at the same time."""
        self._wrap(self._profiler, "_enable_profiler", "_disable_profiler")
        if self._legacy is not None:
            self._wrap(self._legacy, "_enable_profiler_legacy", "_disable_profiler_legacy")

    def _wrap(self, module, enable_name, disable_name):
        enable, disable = getattr(module, enable_name, None), getattr(module, disable_name, None)
        if enable is None or disable is None:
            return

        @functools.wraps(enable)
        def enable_alone(*arguments, **named_arguments):
            was_on = self.disable()
            try:
                if was_on:
                    getattr(self._profiler, "_run_on_profiler_start", int)()
                return enable(*arguments, **named_arguments)
            except BaseException:
                if was_on:
                    self.enable()
                raise

        @functools.wraps(disable)
        def disable_and_go_on(*arguments, **named_arguments):
            try:
                return disable(*arguments, **named_arguments)
            finally:
                self.enable()

        setattr(module, enable_name, enable_alone)
        setattr(module, disable_name, disable_and_go_on)


class _AtThreadEnd:
    """Disables the profiler when the thread's local values go; torch warns of what is left."""

    def __init__(self, disable):
        self._disable = disable
        self._thread = threading.get_ident()

    def run(self):
        disable, self._disable = self._disable, None
        if disable is not None and threading.get_ident() == self._thread:
            try:
                disable()
            except Exception:  # the program has pushed something of its own over it
                pass

    def __del__(self):
        self.run()


def follow_threads(torch, autograd):
    """Threads that start later have the profiler from their start; those that run already, and
    daemons, get it with the first module that they call."""
    bootstrap = threading.Thread._bootstrap_inner

    @functools.wraps(bootstrap)
    def bootstrap_with_ranges(self):
        # Daemons may be ended in the middle, when the program ends, of which torch would warn.
        if autograd.has_begun and not self.daemon:
            autograd.enable()
        bootstrap(self)

    threading.Thread._bootstrap_inner = bootstrap_with_ranges

    call = torch.nn.Module.__call__
    is_compiling = compiling_test(torch)

    @functools.wraps(call)
    def call_with_ranges(self, *arguments, **named_arguments):
        if not is_compiling():
            if not autograd.has_begun:
                autograd.has_calls = True
            elif not autograd.is_here():
                autograd.enable()
        return call(self, *arguments, **named_arguments)

    torch.nn.Module.__call__ = call_with_ranges
