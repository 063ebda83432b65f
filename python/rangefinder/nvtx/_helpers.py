# SPDX-License-Identifier: Apache-2.0
"""What the extension asks Python for: nothing of it runs per event."""

import contextvars
import fnmatch
import functools
import inspect
import os

from rangefinder.nvtx._colors import color_or_reason
from rangefinder.nvtx._nvtx import get_domain

__all__ = ["color_or_reason", "decorate", "decorate_inside", "enter_async", "exit_async", "get_counter",
           "get_domain", "handle_of", "profile_message", "register_counter", "schema_of", "update_wrapper"]

update_wrapper = functools.update_wrapper


def get_counter(*args, **kwargs):
    from rangefinder.nvtx import _counters  # what few programs use is imported when it is used

    return _counters.get_counter(*args, **kwargs)


def register_counter(counter):
    from rangefinder.nvtx import _counters

    return _counters.register_counter(counter)


def schema_of(domain, dtype):
    from rangefinder.nvtx import _schemas

    return _schemas.schema_of(domain, dtype)


def handle_of(domain):
    from rangefinder.nvtx._lib.lib import DomainHandle

    return DomainHandle(domain)


def decorate_inside(annotate, function):
    """Decorates what a classmethod or staticmethod holds."""
    return type(function)(annotate(function.__func__))


def decorate(annotate, function):
    """Decorates a coroutine function, generator function or asynchronous generator function."""
    if inspect.iscoroutinefunction(function):
        return _decorate_coroutine(annotate, function)
    if inspect.isasyncgenfunction(function):
        return _decorate_async_generator(annotate, function)
    return _decorate_generator(annotate, function)


def _decorate_coroutine(annotate, function):
    @functools.wraps(function)
    async def annotated(*args, **kwargs):
        before = _open.get()
        range_id = annotate._start(_id_of(before))
        _open.set((annotate, range_id, before))
        try:
            return await function(*args, **kwargs)
        finally:
            annotate._end(range_id)
            _open.set(before)

    return annotated


def _decorate_generator(annotate, function):
    @functools.wraps(function)
    def annotated(*args, **kwargs):
        range_id = annotate._start(_id_of(_open.get()))
        try:
            return (yield from function(*args, **kwargs))
        finally:
            annotate._end(range_id)

    return annotated


def _decorate_async_generator(annotate, function):
    @functools.wraps(function)
    async def annotated(*args, **kwargs):
        range_id = annotate._start(_id_of(_open.get()))
        generator = function(*args, **kwargs)
        step = generator.asend(None)
        try:
            while True:
                before = _open.get()  # of the task that asks for this step
                _open.set((annotate, range_id, before))
                try:
                    value = await step
                except StopAsyncIteration:
                    return
                finally:
                    _open.set(before)
                try:
                    sent = yield value
                except GeneratorExit:
                    await generator.aclose()
                    raise
                except BaseException as error:
                    step = generator.athrow(error)
                else:
                    step = generator.asend(sent)
        finally:
            annotate._end(range_id)

    return annotated


# The ranges that the running task has open: (annotate, range id, the one before) or None. A task
# begins with those of the task that made it, and cannot end them. What a task begins is part of the
# range that stands here: asynchronous generators stand here in their steps, others do not.
_open = contextvars.ContextVar("rangefinder.nvtx.open", default=None)


def _id_of(entry):
    return entry[1] if entry is not None else 0


async def enter_async(annotate):
    """`async with annotate:` begins."""
    before = _open.get()
    _open.set((annotate, annotate._start(_id_of(before)), before))
    return annotate


async def exit_async(annotate):
    """`async with annotate:` ends."""
    passed = []
    entry = _open.get()
    while entry is not None and entry[0] is not annotate:
        passed.append(entry)  # blocks that end in another order than they began
        entry = entry[2]
    if entry is None:
        return False
    annotate._end(entry[1])
    entry = entry[2]
    for other in reversed(passed):
        entry = (other[0], other[1], entry)
    _open.set(entry)
    return False


def profile_message(code, has_lines, include, exclude):
    """What Profile calls the ranges of a function; None: it is left out."""
    path, name = code.co_filename, code.co_name
    file = os.path.basename(path)

    def fits(patterns):
        return any(
            fnmatch.fnmatchcase(text, pattern) for pattern in patterns for text in (path, file, name)
        )

    if (include and not fits(include)) or fits(exclude):
        return None
    return f"{file}:{code.co_firstlineno}({name})" if has_lines else name
