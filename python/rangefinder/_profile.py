# SPDX-License-Identifier: Apache-2.0
"""rangefinder.profile(): records the process that it is called in."""

import atexit
import builtins
import contextlib
import functools
import inspect
import itertools
import os
import sys
import threading
import warnings

from rangefinder import _standby

_ENDING = ".rf"
_TRACES = ("cuda", "nvtx")

# As rangefinder._session.cuda_state() says.
_CUDA_UNUSED, _CUDA_SAID, _CUDA_UNNOTICED = 0, 2, 3

_lock = threading.RLock()
_is_changing = False  # a profile starts or stops, on the thread that has the lock
_active = None  # the profile that records now
_entry = None  # the recorder's, once it is loaded
_written = set()  # real paths of the files that recordings of this process became


def _change(function, depth):
    """One start or stop at a time. Other threads wait; a signal handler cannot. It is no context
    manager, in whose Python code KeyboardInterrupt would leave the change undone."""
    global _is_changing
    with _lock:
        if _is_changing:
            raise RuntimeError("a signal handler came while a profile() was starting or stopping")
        try:
            _is_changing = True
            function(depth + 1)
        finally:
            _is_changing = False


def _default_name():
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.splitext(os.path.basename(script))[0] if script else "rangefinder"


def _is_interactive():
    """Whether somebody types what is run: Python's prompt, IPython, a notebook."""
    return hasattr(sys, "ps1") or hasattr(builtins, "get_ipython")


def _load():
    global _entry
    if _entry is None:
        from rangefinder import _session

        _entry = _session.load(_standby.RECORDER)
    return _entry


def _short_name(path):
    """nvtx/_lib/lib.so for what lies in a folder of sys.path."""
    folders = [folder for folder in sys.path if folder and path.startswith(folder + os.sep)]
    name = path[len(max(folders, key=len)) + 1 :] if folders else path
    return f"{name} (perhaps)" if _standby.hides_state(path) else name


def _warn_of_missed(depth):
    from rangefinder import _session

    missed = _standby.missed(_session.copies())
    if missed:
        names = ", ".join(sorted(_short_name(path) for path in missed))
        why = (
            "they looked for a tool before rangefinder was imported; import rangefinder first"
            if _standby.is_armed()
            else "RANGEFINDER_STANDBY=0 keeps them from it"
        )
        warnings.warn(
            f"annotations of these libraries are not recorded: {names}: {why}",
            RuntimeWarning,
            stacklevel=depth + 1,
        )


def _names_of(trace):
    """('nvtx', 'cuda') or 'nvtx,cuda', checked."""
    names = set(trace.split(",") if isinstance(trace, str) else trace)
    for name in names:
        if name not in _TRACES:
            raise ValueError(f"trace has 'cuda' and 'nvtx', not {name!r}")
    if "nvtx" not in names:
        raise ValueError("trace needs 'nvtx': annotations are recorded in any case")
    return names


def _is_torch_profiling():
    """Whether torch.profiler is at work, which has CUPTI then and does not say so. emit_nvtx() has
    not."""
    profiler = sys.modules.get("torch.autograd.profiler")
    if not getattr(profiler, "_is_profiler_enabled", False):
        return False
    try:
        return sys.modules["torch"]._C._autograd._profiler_type().name != "NVTX"
    except (AttributeError, KeyError):
        return True


def _why_no_cuda():
    """What keeps CUDA from being recorded; None: nothing; '': somebody who wants it so."""
    tool = _standby.cuda_tool()
    if tool == "none":
        return ""
    if tool:
        return (
            f"{_standby.CUDA_INJECTION}={tool!r} is another tool; to record it: unset "
            f"{_standby.CUDA_INJECTION}"
        )
    if _is_torch_profiling():
        return "torch.profiler is at work, and CUPTI serves one profiler: use one of the two"
    return None


def _why_unnoticed():
    if not _standby.is_armed():
        return (
            "it was initialised in the recording, and RANGEFINDER_STANDBY=0 keeps that from being "
            "seen: initialise it before"
        )
    return "it was just being initialised when the recording began, or without the driver's notice"


def _plural(n, what):
    ending = "" if n == 1 else "es" if what.endswith("s") else "s"
    return f"{n:,} {what}{ending}"


class profile:
    """Records this process, and the processes that it forks, to a file.

        with rangefinder.profile("step.rf"):
            train()

        @rangefinder.profile("load.rf", overwrite=True)
        def load(): ...

        p = rangefinder.profile()
        p.start()
        ...
        p.stop()
        print(p.summary)

    path: the file, a str or os.PathLike; '.rf' is added where it is missing. None: the name of the
        script in the current directory, or rangefinder.rf where there is no script. The name is
        settled, and the current directory looked at, when the recording starts.
    overwrite: whether a file of that name is replaced. None: only one that a recording of this
        process became, in a notebook or at a prompt: a cell can be run again.
    trace: what is recorded, by the names of the command line's -t: ('cuda', 'nvtx'), or ('nvtx',)
        without CUDA; or a str with commas. ValueError for other names, and without 'nvtx'.

    What is recorded of NVTX: annotations of rangefinder.nvtx, of other packages and of libraries in
    the process, on all threads. Libraries look for a tool once, at their first annotation: those
    that did so before `import rangefinder` are not recorded, and a RuntimeWarning names those that
    can be recognized. Programs that are started meanwhile (subprocess, multiprocessing's spawn) are
    not recorded; forked processes are, until they or the recording end.

    What is recorded of CUDA: calls, kernels, copies and what else `rangefinder profile -t cuda`
    records, of this process alone, whether CUDA was initialised before or is in the recording.
    Where it is not used nothing is loaded for it. Where it is used and cannot be recorded, because
    another profiler has CUPTI or there is no libcupti, a RuntimeWarning says why, and NVTX is. With
    CUDA stop() waits for the GPU work that was launched, for 2 s at most; where CUPTI hangs, 10 s.

    One recording at a time; any number of them one after another. The object can be used again.
    start() and stop() may be called on different threads. A decorated function or coroutine
    function makes a recording each time that it is called.

    After stop(), otherwise None:
        path            str: the file
        n_ranges, n_marks, n_events, n_processes
                        int: what it holds
        n_calls, n_kernels, n_graphs, n_copies, n_sets, n_syncs
                        int: what it holds of CUDA: calls, and GPU work: kernels, graphs launched as
                        a whole, memory copied or set, synchronizations
        size_bytes      int: its size
        n_lost          int: events that could not be recorded; lost_bytes: their size in bytes
        n_lost_cuda     int: records of CUDA for which CUPTI had no room
        summary         str: all of this in one line
    """

    def __init__(self, path=None, *, overwrite=None, trace=_TRACES):
        if path is not None:
            path = os.fspath(path)
            if isinstance(path, bytes):
                path = os.fsdecode(path)
            if not os.path.basename(path):
                raise ValueError(f"path {path!r} names no file")
        self._given = path
        self._overwrite = overwrite
        self._trace = _names_of(trace)
        self._pid = None
        self._directory = None
        self._done = {}
        self._forget()

    def _forget(self):
        self.path = self.summary = None
        self.n_ranges = self.n_marks = self.n_events = self.n_processes = None
        self.size_bytes = self.n_lost = self.lost_bytes = None
        self.n_calls = self.n_kernels = self.n_graphs = self.n_copies = self.n_sets = None
        self.n_syncs = self.n_lost_cuda = None

    @property
    def is_recording(self):
        """bool: between start() and stop(), in the process that called start()."""
        return self._pid == os.getpid()

    # ---- Starting ----

    def _replaces(self, path):
        if self._overwrite is None:
            return _is_interactive() and os.path.realpath(path) in _written
        return bool(self._overwrite)

    def _output(self):
        path = os.path.abspath(self._given if self._given is not None else _default_name())
        path = path if path.endswith(_ENDING) else path + _ENDING
        if not self._replaces(path) and os.path.lexists(path):
            raise FileExistsError(
                f"'{path}' exists already; name another one, or say overwrite=True"
            )
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"cannot write '{path}': there is no directory '{folder}'")
        return path

    def _make_directory(self, base):
        for number in range(1, 10000):
            path = f"{base}.rfdir" if number == 1 else f"{base}-{number}.rfdir"
            self._directory = path
            try:
                self._once("directory", os.mkdir, path, 0o700)
                return path
            except FileExistsError:
                pass
        raise FileExistsError(f"'{base}.rfdir' exists already, and all that could stand for it")

    def _begin(self, depth):
        global _active
        from rangefinder import _session
        from rangefinder.nvtx import _nvtx

        output = self._output()
        entry = _load()
        self._output_path, self._done = output, {}
        try:
            directory = self._make_directory(output[: -len(_ENDING)])
            _nvtx._attach(entry)
            _warn_of_missed(depth + 1)
            self._forget()
            _session.begin(directory)
            self._pid = os.getpid()
            _active = self
            self._begin_cuda(_session, depth + 1)
        except BaseException:  # KeyboardInterrupt comes anywhere
            _active = self._pid = None
            _standby.untell_cuda()
            with contextlib.suppress(RuntimeError):
                _session.end()
            _nvtx._detach()
            if "directory" in self._done:
                _session.remove(self._directory)
            raise

    def _begin_cuda(self, session, depth):
        """CUDA is recorded at once where it is in use, else from when it is initialised."""
        self._n_said, self._why = 0, ""
        if "cuda" not in self._trace:
            return
        self._why = _why_no_cuda()
        if self._why is None:
            session.record_cuda()
        state = session.cuda_state()
        if self._why is None and state == _CUDA_UNUSED:
            _standby.tell_cuda()
        if state == _CUDA_SAID or (state == _CUDA_UNNOTICED and self._why):
            self._warn_of_cuda(session, state, depth + 1)

    def _warn_of_cuda(self, session, state, depth):
        """What the recorder had to say since it was asked, and what it did not notice."""
        lines = session.messages(self._directory)
        lines, self._n_said = lines[self._n_said :], len(lines)
        if state == _CUDA_UNUSED:  # that it could not be recorded does not matter
            lines = [line for line in lines if not line.startswith(("CUDA is not", "tried "))]
        if state == _CUDA_UNNOTICED and self._why != "":
            lines.append(f"CUDA is not recorded: {self._why or _why_unnoticed()}")
            self._why = ""
        if lines:
            text = "; ".join(dict.fromkeys(lines))
            warnings.warn(text, RuntimeWarning, stacklevel=depth + 1)

    def start(self):
        """Starts recording.

        Raises FileExistsError or FileNotFoundError where the file cannot become what it should;
        RuntimeError where the process is being recorded already, by another profile(), by
        `rangefinder profile` or by another tool; OSError where the recorder cannot make its files;
        ImportError where the recorder is missing or of another version. Nothing is left behind then."""
        _change(self._start, 2)

    def _start(self, depth):
        if _active is not None:
            raise RuntimeError(
                f"this process is being recorded already, to '{_active._output_path}': one "
                f"profile() at a time"
            )
        _standby.check()
        self._begin(depth + 1)

    # ---- Stopping ----

    def stop(self):
        """Stops recording and writes the file.

        Does nothing where nothing is recorded, and in a process forked meanwhile. Raises OSError
        where the file cannot be written: what was recorded is then in the session directory that
        the message names, for `rangefinder recover`. Where KeyboardInterrupt comes meanwhile, it
        can be called again."""
        _change(self._stop, 2)

    def _stop(self, depth):
        global _active
        if not self.is_recording or _active is not self:
            return
        try:
            self._end(depth + 1)
        except Exception:
            _active = self._pid = None
            raise
        _active = self._pid = None

    def _once(self, step, function, *arguments):
        """Calls a function of C, or gives what it returned before. That is kept before Python looks
        for signals: a step whose result KeyboardInterrupt takes away would be done twice."""
        if step not in self._done:
            self._done.update(zip((step,), itertools.starmap(function, (arguments,))))
        return self._done[step]

    def _end(self, depth):
        from rangefinder import _session
        from rangefinder.nvtx import _nvtx

        try:
            _standby.untell_cuda()
            state = self._once("state", _session.cuda_state)
            self._once("end", _session.end)
        finally:
            _nvtx._detach()
        try:
            found = self._pack(_session)
        except Exception as error:
            raise type(error)(
                f"{error}; what was recorded is in '{self._directory}': rangefinder recover"
            ) from error
        self._take(found)
        try:
            if "cuda" in self._trace:
                self._warn_of_cuda(_session, state, depth + 1)
        finally:
            try:
                self._once("remove", _session.remove, self._directory)
            except OSError as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=depth + 1)

    def _pack(self, session):
        """Under the name that was asked for, or, where somebody else took it meanwhile, the next
        free one."""
        base = self._output_path[: -len(_ENDING)]
        while True:
            number = self._done.setdefault("number", 1)
            path = self._output_path if number == 1 else f"{base}-{number}{_ENDING}"
            try:
                found = self._once(
                    "found", session.pack, self._directory, path, self._replaces(path)
                )
                self.path = path
                _written.add(os.path.realpath(path))
                return found
            except FileExistsError:
                self._done["number"] = number + 1

    def _take(self, found):
        for name, value in found.items():
            if hasattr(self, name):  # the others are for the summary
                setattr(self, name, value)
        self.n_events = self.n_ranges + self.n_marks
        losses = [
            _plural(found[key], what)
            for key, what in (
                ("n_lost", "event"),
                ("n_lost_cuda", "CUDA record"),
                ("n_lost_names", "name"),
                ("n_lost_processes", "process"),
            )
            if found[key]
        ]
        self.summary = (
            f"wrote '{self.path}': {self.size_bytes:,} bytes, "
            f"{_plural(self.n_ranges, 'range')} and "
            f"{_plural(self.n_marks, 'mark')} of {_plural(self.n_processes, 'process')}, "
            f"{'CUDA: ' + found['cuda'] + '; ' if found['cuda'] else ''}"
            f"{'LOST ' + ', '.join(losses) if losses else 'nothing lost'}"
        )

    # ---- with, and @ ----

    def __enter__(self):
        try:
            _change(self._start, 2)
            return self
        except Exception:
            raise
        except BaseException:  # KeyboardInterrupt, when it had begun: there will be no __exit__()
            _change(self._stop, 2)
            raise

    def __exit__(self, kind, error, traceback):
        try:
            _change(self._stop, 2)
        except Exception as failure:
            if error is None:
                raise
            # what went wrong in the block matters more
            warnings.warn(str(failure), RuntimeWarning, stacklevel=2)
        except BaseException:  # KeyboardInterrupt: the process is not left recorded
            _change(self._stop, 2)
            raise
        return False

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def recorded(*args, **kwargs):
                with self:
                    return await function(*args, **kwargs)

        elif inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"'{function.__qualname__}' is a generator function, which runs in parts: write "
                f"'with rangefinder.profile(...)' inside it"
            )
        elif callable(function):

            @functools.wraps(function)
            def recorded(*args, **kwargs):
                with self:
                    return function(*args, **kwargs)

        else:
            raise TypeError(
                f"profile() decorates a function, not {type(function).__name__}: write "
                f"@rangefinder.profile(path)"
            )
        return recorded

    def __repr__(self):
        given = self._given if self._given is not None else _default_name()
        return f"<rangefinder.profile {given!r}{' (recording)' if self.is_recording else ''}>"


def _stop_at_exit():
    if _active is not None:
        _active.stop()


def _forget_in_child():
    """The recording is the parent's."""
    global _active, _is_changing, _lock
    _active = None
    _is_changing = False
    _lock = threading.RLock()


atexit.register(_stop_at_exit)
os.register_at_fork(after_in_child=_forget_in_child)
