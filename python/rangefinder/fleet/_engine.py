# SPDX-License-Identifier: Apache-2.0
"""Spreads tasks over an executor: threads of this process, any Executor of concurrent.futures, MPI's too,
or a Client of dask.distributed."""

import concurrent.futures
import contextlib
import itertools
import os
import queue

from rangefinder.fleet import _tasks

WINDOW = 256  # tasks that are handed out and not done, at most; of larger clusters two per thread
EMBEDDED = "--mode=concurrent, in Python executor=None, needs nothing but this machine"


class FleetError(RuntimeError):
    """The executor gave up, or nothing of the job could be read."""


def _is_dask(executor):
    return hasattr(executor, "get_executor") and hasattr(executor, "scheduler")


@contextlib.contextmanager
def opened(executor):
    """What has submit(): one of threads for None, or for a number of them."""
    if executor is None or isinstance(executor, int):
        # each waits for a process that does the work
        with concurrent.futures.ThreadPoolExecutor(executor or len(os.sched_getaffinity(0))) as threads:
            yield threads
    elif _is_dask(executor):
        # pure=False: a file may have changed since it was last asked for
        yield executor.get_executor(pure=False)
    else:
        yield executor


def _lost(error):
    """The outcome of a task whose worker died with it, time and again; otherwise None."""
    if type(error).__name__ != "KilledWorker":
        return None
    return _tasks.Outcome(_tasks.LOST, "the workers that ran it died; see the scheduler's log")


def _outcome(future, executor):
    if future.cancelled():
        raise FleetError(f"the scheduler has given its tasks up, or is gone; {EMBEDDED}")
    error = future.exception()
    if error is None:
        return future.result()
    lost = _lost(error)
    if lost is not None:
        return lost
    if isinstance(error, concurrent.futures.BrokenExecutor):
        raise FleetError(f"a worker of {type(executor).__name__} died, which ends all of them; an "
                         f"executor of dask.distributed replaces them; {EMBEDDED}") from error
    if isinstance(error, (OSError, concurrent.futures.CancelledError)) or "Comm" in type(error).__name__:
        raise FleetError(f"the scheduler is gone: {error}; {EMBEDDED}") from error
    raise error


def _check(executor):
    """Raises FleetError where a Client has lost its scheduler."""
    status = getattr(executor, "status", "running")
    if _is_dask(executor) and status not in ("running", "connecting"):
        raise FleetError(f"the scheduler is gone (the client is {status}); {EMBEDDED}")


def _window(executor):
    return max(WINDOW, 2 * sum(executor.nthreads().values())) if _is_dask(executor) else WINDOW


def outcomes(executor, jobs, paths):
    """Yields (index, Outcome) for each path, as they come. So many tasks are handed out at a time that neither
    they nor results pile up anywhere. jobs: a _tasks.Job for each path."""
    done = queue.SimpleQueue()
    todo = iter(enumerate(zip(jobs, paths)))
    with opened(executor) as pool:
        pending = {}  # future: index

        def submit_next():
            for index, (job, path) in itertools.islice(todo, 1):
                future = pool.submit(_tasks.run, job, path)
                pending[future] = index
                future.add_done_callback(done.put)

        try:
            for _ in range(_window(executor)):
                submit_next()
            while pending:
                try:
                    future = done.get(timeout=1)
                except queue.Empty:
                    _check(executor)
                    continue
                index = pending.pop(future)
                outcome = _outcome(future, executor)
                submit_next()
                yield index, outcome
        finally:
            for future in pending:
                future.cancel()
