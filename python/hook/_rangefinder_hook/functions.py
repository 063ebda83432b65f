# SPDX-License-Identifier: Apache-2.0
"""--python-functions-trace: ranges around the functions that a file in nsys's format names.

    [{"module": "cupy", "functions": ["dot", "random.random"], "domain": "CuPy", "color": "blue"}]

A function is looked up in its module when that has been imported, and replaced there. "domain" and
"color" may be left out, and what has another name is passed over."""
import functools
import importlib.util
import inspect
import json
import types

from . import ranges, say, when_imported
from .pytorch import compiling_test

_OPTION = "--python-functions-trace"
_MARK = "_rangefinder_annotated"

_COLORS = {
    "black": 0x000000,
    "blue": 0x0071C5,
    "brown": 0xA52A2A,
    "cyan": 0x00FFFF,
    "darkgreen": 0x006400,
    "gray": 0x808080,
    "green": 0x76B900,
    "grey": 0x808080,
    "lime": 0x00FF00,
    "magenta": 0xFF00FF,
    "navy": 0x000080,
    "olive": 0x808000,
    "orange": 0xFFA500,
    "pink": 0xFFC0CB,
    "purple": 0x800080,
    "rapids": 0x7400FF,
    "red": 0xFF0000,
    "silver": 0xC0C0C0,
    "teal": 0x008080,
    "white": 0xFFFFFF,
    "yellow": 0xFFFF00,
}


is_compiling = bool  # false; in a program with PyTorch, whether torch.compile traces the code


def _torch_imported(torch):
    global is_compiling
    is_compiling = compiling_test(torch)


def start(path):
    when_imported("torch", _torch_imported)
    try:
        with open(path, encoding="utf-8-sig") as file:
            groups = json.load(file)
        for group in groups:
            _wait(group["module"], group["functions"], group.get("domain"), color_of(group))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        say("%s: cannot use '%s': %s" % (_OPTION, path, error))


def color_of(group):
    """0xAARRGGBB, or None: a name, or six or eight hexadecimal digits, or a number."""
    color = group.get("color")
    if color is None:
        return None
    try:
        if isinstance(color, str):
            digits = color.lower().lstrip("#")
            value = _COLORS.get(digits)
            value = int(digits, 16) if value is None else value
        else:
            value = int(color)
    except ValueError:
        say("%s: there is no color '%s'" % (_OPTION, color))
        return None
    return (value if value > 0xFFFFFF else value | 0xFF000000) & 0xFFFFFFFF


def _wait(module, names, domain, color):
    for name in names:
        when_imported(module, functools.partial(_annotate, module, name, domain, color))


def _annotate(module_name, path, domain, color, module):
    """Replaces the function that path leads to from the module, "function" or "Class.method" or one
    of a submodule."""
    *steps, last = path.split(".")
    holder = module
    for i, step in enumerate(steps):
        below = getattr(holder, step, None)
        if below is None:
            rest = ".".join(steps[i + 1 :] + [last])
            _wait_for_submodule(holder, step, rest, domain, color)
            return
        holder = below
    # of a class, what stands in it, and not what it binds
    look_up = inspect.getattr_static if isinstance(holder, type) else getattr
    function = look_up(holder, last, None)
    if function is None:
        say("%s: '%s' has no '%s'" % (_OPTION, module_name, path))
        return
    ranges.load()
    name = "%s.%s" % (module_name, path)
    try:
        annotated = annotate(function, ranges.range_of(name, domain, color))
        if annotated is not None:
            setattr(holder, last, annotated)
    except (TypeError, AttributeError) as error:
        say("%s: '%s' cannot be annotated: %s" % (_OPTION, name, error))


def _wait_for_submodule(holder, name, path, domain, color):
    """For "random.random" of a package that does not import its "random" by itself."""
    package = getattr(holder, "__name__", str(holder))
    full_name = "%s.%s" % (package, name)
    is_package = isinstance(holder, types.ModuleType) and hasattr(holder, "__path__")
    if not is_package or importlib.util.find_spec(full_name) is None:
        say("%s: '%s' has no '%s'" % (_OPTION, package, name))
        return
    when_imported(full_name, functools.partial(_annotate, full_name, path, domain, color))


def annotate(function, range_):
    """What is to stand in the function's place; None where that is done already. Raises TypeError
    for what is no function."""
    if getattr(function, _MARK, False):
        return None
    if isinstance(function, (staticmethod, classmethod)):
        inner = annotate(function.__func__, range_)
        return None if inner is None else type(function)(inner)
    if isinstance(function, property):
        raise TypeError("it is a property")
    if isinstance(function, type):
        raise TypeError("it is a class; name one of its methods, '%s.__init__'" % function.__name__)
    if not callable(function):
        raise TypeError("it is no function")
    if inspect.iscoroutinefunction(function):
        annotated = _coroutine(function, range_)
    elif inspect.isasyncgenfunction(function):
        annotated = _asynchronous_generator(function, range_)
    elif inspect.isgeneratorfunction(function):
        annotated = _generator(function, range_)
    elif isinstance(function, (types.FunctionType, types.BuiltinFunctionType)):
        annotated = _function(function, range_)
    elif inspect.ismethoddescriptor(function) and hasattr(function, "__objclass__"):
        annotated = _function(function, range_)  # a method of a type made in C
    else:
        return AnnotatedObject(function, range_)
    setattr(annotated, _MARK, True)
    return annotated


# ---- Functions of each kind ----


def _function(function, range_):
    push, pop = ranges.push, ranges.pop

    @functools.wraps(function)
    def annotated(*arguments, **named_arguments):
        if is_compiling():
            return function(*arguments, **named_arguments)
        push(range_)
        try:
            return function(*arguments, **named_arguments)
        finally:
            pop(range_)

    return annotated


# What stops in the middle and goes on later, perhaps on another thread, has a start/end range: it
# overlaps with others in any way.


def _coroutine(function, range_):
    begin, end = ranges.begin, ranges.end

    @functools.wraps(function)
    async def annotated(*arguments, **named_arguments):
        id_ = begin(range_)
        try:
            return await function(*arguments, **named_arguments)
        finally:
            end(range_, id_)

    return annotated


def _generator(function, range_):
    begin, end = ranges.begin, ranges.end

    @functools.wraps(function)
    def annotated(*arguments, **named_arguments):
        id_ = begin(range_)
        try:
            return (yield from function(*arguments, **named_arguments))
        finally:
            end(range_, id_)

    return annotated


def _asynchronous_generator(function, range_):
    begin, end = ranges.begin, ranges.end

    @functools.wraps(function)
    async def annotated(*arguments, **named_arguments):
        inner = function(*arguments, **named_arguments)
        id_ = begin(range_)
        try:
            value = await inner.__anext__()
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    await inner.aclose()
                    raise
                except BaseException as error:
                    value = await inner.athrow(error)
                else:
                    value = await inner.asend(sent)
        except StopAsyncIteration:
            pass
        finally:
            end(range_, id_)

    return annotated


class AnnotatedObject:
    """An object that can be called and has more to it: a NumPy ufunc, a function with a cache, one
    that was compiled. Everything but the call is the object's own."""

    def __init__(self, function, range_):
        self.__dict__["_rangefinder_function"] = function
        self.__dict__["_rangefinder_range"] = range_
        self.__dict__[_MARK] = True

    def __call__(self, *arguments, **named_arguments):
        if is_compiling():
            return self._rangefinder_function(*arguments, **named_arguments)
        range_ = self._rangefinder_range
        ranges.push(range_)
        try:
            return self._rangefinder_function(*arguments, **named_arguments)
        finally:
            ranges.pop(range_)

    def __get__(self, instance, owner=None):
        get = getattr(type(self._rangefinder_function), "__get__", None)
        if instance is None or get is None:
            return self
        return types.MethodType(self, instance)

    def __getattr__(self, name):
        return getattr(self._rangefinder_function, name)

    def __setattr__(self, name, value):
        setattr(self._rangefinder_function, name, value)

    def __reduce__(self):
        return self._rangefinder_function.__reduce__()

    def __eq__(self, other):
        return self._rangefinder_function == getattr(other, "_rangefinder_function", other)

    def __hash__(self):
        return hash(self._rangefinder_function)

    def __repr__(self):
        return repr(self._rangefinder_function)
