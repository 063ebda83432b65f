# SPDX-License-Identifier: Apache-2.0
"""--pytorch=functions-trace: ranges around the forward of every module, backward, and the step of
every optimizer. CUDA is not needed. The ranges are in the domain "PyTorch", and their names are
registered, so that a capture can wait for one of them."""
import functools

from . import ranges
from .pytorch import compiling_test

DOMAIN = "PyTorch"


def start(torch, has_sizes):
    ranges.load()
    sizes = Sizes(torch) if has_sizes else None
    annotate_modules(torch, sizes)
    annotate_backward(torch, sizes)
    annotate_optimizers(torch, has_sizes)


class Sizes:
    """The sizes of the tensors among the arguments of a call, as torch's emit_nvtx writes them."""

    def __init__(self, torch):
        self._tensor = torch.Tensor
        self._is_tracing = getattr(torch._C, "_is_tracing", bool)
        self._is_exporting = getattr(getattr(torch, "compiler", None), "is_compiling", bool)

    def text(self, name, arguments):
        """None where looking at a size would make it a constant of what is traced."""
        if self._is_tracing() or self._is_exporting():
            return None
        try:
            found = [self._of(argument) for argument in arguments]
            return ("%s, sizes = %s" % (name, found)).encode("utf-8", "replace")
        except Exception:  # a tensor of a kind that has no size
            return None

    def _of(self, argument):
        if isinstance(argument, self._tensor):
            return list(argument.shape)
        if isinstance(argument, (list, tuple)):
            return [list(item.shape) for item in argument if isinstance(item, self._tensor)]
        return []


# ---- Module.forward ----


def annotate_modules(torch, sizes):
    """Wraps Module.__call__, which every module passes through on its way to forward(); the hooks
    of the module lie within the range."""
    call = torch.nn.Module.__call__
    is_compiling = compiling_test(torch)
    named = ranges.NamedRanges(".forward", DOMAIN)
    push, pop = ranges.push, ranges.pop

    @functools.wraps(call)
    def annotated(self, *arguments, **named_arguments):
        if is_compiling():
            return call(self, *arguments, **named_arguments)
        range_ = named[type(self).__name__]
        push(range_)
        try:
            return call(self, *arguments, **named_arguments)
        finally:
            pop(range_)

    @functools.wraps(call)
    def annotated_with_sizes(self, *arguments, **named_arguments):
        if is_compiling():
            return call(self, *arguments, **named_arguments)
        name = type(self).__name__
        range_ = named[name]
        everything = arguments + tuple(named_arguments.values())
        push_sized(range_, sizes.text(name + ".forward", everything))
        try:
            return call(self, *arguments, **named_arguments)
        finally:
            pop(range_)

    torch.nn.Module.__call__ = annotated_with_sizes if sizes else annotated


def push_sized(range_, text):
    if text is None:
        ranges.push(range_)
    else:
        ranges.push_text(range_, text)


# ---- Backward ----


def annotate_backward(torch, sizes):
    """Tensor.backward() calls torch.autograd.backward() by that name, so that one range covers
    either way. The work itself runs on threads of autograd, while the caller waits."""
    is_compiling = compiling_test(torch)
    for name in ("backward", "grad"):
        function = getattr(torch.autograd, name)
        annotated = _backward(function, name, is_compiling, sizes)
        setattr(torch.autograd, name, annotated)


def _backward(function, name, is_compiling, sizes):
    name = "autograd." + name
    range_ = ranges.range_of(name, DOMAIN)
    pop = ranges.pop

    @functools.wraps(function)
    def annotated(*arguments, **named_arguments):
        if is_compiling():
            return function(*arguments, **named_arguments)
        push_sized(range_, sizes.text(name, arguments[:1]) if sizes else None)
        try:
            return function(*arguments, **named_arguments)
        finally:
            pop(range_)

    return annotated


# ---- Optimizer.step ----

_MARK = "_rangefinder_annotated"

# What Optimizer's __init__ and __setstate__ call to wrap the class's step for torch's own profiler:
# in PyTorch 2 and before it. Ours is wrapped around that.
_HOOKS = ("_patch_step_function", "_hook_for_profile")


def annotate_optimizers(torch, has_sizes):
    optimizer = torch.optim.Optimizer
    is_compiling = compiling_test(torch)
    named = ranges.NamedRanges(".step", DOMAIN)
    hook = next((name for name in _HOOKS if hasattr(optimizer, name)), "__init__")
    prepare = getattr(optimizer, hook)

    @functools.wraps(prepare)
    def annotated(self, *arguments, **named_arguments):
        result = prepare(self, *arguments, **named_arguments)
        step = getattr(type(self), "step", None)
        if step is not None and not getattr(step, _MARK, False):
            type(self).step = _step(step, named, is_compiling, has_sizes)
        return result

    setattr(optimizer, hook, annotated)


def _step(step, named, is_compiling, has_sizes):
    pop = ranges.pop

    @functools.wraps(step)
    def annotated(self, *arguments, **named_arguments):
        if is_compiling():
            return step(self, *arguments, **named_arguments)
        name = type(self).__name__
        range_ = named[name]
        push_sized(range_, _rates(name + ".step", self) if has_sizes else None)
        try:
            return step(self, *arguments, **named_arguments)
        finally:
            pop(range_)

    setattr(annotated, _MARK, True)
    return annotated


def _rates(name, optimizer):
    """The learning rate of each group; not of those that are tensors, which may be on a GPU."""
    try:
        rates = [group.get("lr") for group in optimizer.param_groups]
        rates = [rate if isinstance(rate, (int, float)) else None for rate in rates]
        return ("%s, lr = %s" % (name, rates)).encode("utf-8", "replace")
    except Exception:  # an optimizer of an unusual kind
        return None
