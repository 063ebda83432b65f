# SPDX-License-Identifier: Apache-2.0
"""--python-functions-trace: functions that a file lists."""

import os
import sys

from harness import HAS_COLOR, PUSH_POP, START_END, Skip, expect_equal, fail_if
from recording import counts, functions_file, record

PACKAGE = {
    "__init__.py": '''
import functools
from .inner import helper
LIMIT = 3
class Shape:
    "A shape."
    def area(self, side):
        "The area."
        return side * side
    @staticmethod
    def fixed(n):
        return n
    @classmethod
    def made(cls, n):
        return cls, n
    @property
    def name(self):
        return "shape"
class Square(Shape):
    pass
def add(a, b=1):
    "Adds."
    return a + b
def fails():
    raise KeyError("on purpose")
@functools.lru_cache(maxsize=None)
def cached(n):
    return n
def count(n):
    got = []
    for i in range(n):
        got.append((yield i))
    return got
async def later(n):
    return n
async def stream(n):
    for i in range(n):
        try:
            got = yield i
        except ValueError:
            got = "caught"
        if got:
            yield got
''',
    "inner.py": "def helper(n):\n    return n\n",
    "late.py": "def sleeper(n):\n    return n\n",
}

USE = """
import asyncio, inspect
import kit
print(kit.add(1, b=2), kit.add.__doc__, inspect.signature(kit.add))
print(kit.Shape().area(3), kit.Shape.area.__name__, kit.Square().area(4))
print(kit.Shape.fixed(1), kit.Shape().fixed(2), kit.Shape.made(3), kit.Square.made(4))
try:
    kit.fails()
except KeyError as error:
    print(error)
print(kit.cached(1), kit.cached(1), kit.cached.cache_info(), kit.helper(1), kit.inner.helper(2))
counter = kit.count(2)
print(next(counter), counter.send("x"), inspect.isgeneratorfunction(kit.count))
try:
    counter.send("y")
except StopIteration as stop:
    print(stop.value)
closed = kit.count(5)
next(closed)
closed.close()
async def main():
    print(await kit.later(1), inspect.iscoroutinefunction(kit.later))
    print([i async for i in kit.stream(3)], inspect.isasyncgenfunction(kit.stream))
    stream = kit.stream(1)
    print(await stream.__anext__(), await stream.athrow(ValueError("in")))
    try:
        print(await stream.asend("z"))
    except StopAsyncIteration:
        print("end")
    closed = kit.stream(2)
    print(await closed.__anext__())
    await closed.aclose()
    await asyncio.gather(kit.later(2), kit.later(3))
asyncio.run(main())
import kit.late
print(kit.late.sleeper(1))
"""

FUNCTIONS = ["add", "Shape.area", "Shape.fixed", "Shape.made", "fails", "cached", "inner.helper"]
LATER = ["count", "later", "stream", "late.sleeper"]


def make_package(test):
    folder = test.path("packages")
    os.makedirs(os.path.join(folder, "kit"))
    for name, text in PACKAGE.items():
        with open(os.path.join(folder, "kit", name), "w", encoding="utf-8") as file:
            file.write(text)
    return {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}


def case_functions_file(test):
    """Functions and methods of every kind."""
    env = make_package(test)
    path = functions_file(
        test,
        [
            {"_comment": 1, "module": "kit", "functions": FUNCTIONS + LATER, "color": "red"},
            {"module": "json", "functions": ["dumps"], "domain": "JSON", "color": "E8B795"},
            {"module": "never.imported", "functions": ["f"]},
        ],
    )
    script = USE + "import json\njson.dumps({})\n"
    rec = record(test, script, f"--python-functions-trace={path}", env=env)
    expected = {
        "kit.add": 1,
        "kit.Shape.area": 2,
        "kit.Shape.fixed": 2,
        "kit.Shape.made": 2,
        "kit.fails": 1,
        "kit.cached": 2,
        "kit.inner.helper": 1,
        "kit.late.sleeper": 1,
    }
    expect_equal(counts(rec, None), expected, "ranges of functions")
    begun = {}
    for event in rec.events(START_END):
        fail_if(event["cut"], f"{event['name']} has no end")
        begun[event["name"]] = begun.get(event["name"], 0) + 1
    expect_equal(begun, {b"kit.count": 2, b"kit.later": 3, b"kit.stream": 3}, "of generators")
    expect_equal(rec.named("kit.add")[0]["color"], 0xFFFF0000, "color by its name")
    dumps = rec.one("json.dumps", PUSH_POP)
    expect_equal((dumps["domain_name"], dumps["color"]), (b"JSON", 0xFFE8B795), "domain, color")
    fail_if(not dumps["flags"] & HAS_COLOR, "no color")


def case_functions_file_mistakes(test):
    """What is not there, or is no function, is said; the program runs on."""
    env = make_package(test)
    names = ["ad", "Shape", "Shape.name", "Shape.nothing", "LIMIT", "lost.function", "add"]
    path = functions_file(test, [{"module": "kit", "functions": names, "color": "sky"}])
    option = "--python-functions-trace"
    said = "".join(
        f"rangefinder: {option}: {text}\n"
        for text in (
            "there is no color 'sky'",
            "'kit' has no 'ad'",
            "'kit.Shape' cannot be annotated: it is a class; name one of its methods, "
            "'Shape.__init__'",
            "'kit.Shape.name' cannot be annotated: it is a property",
            "'kit' has no 'Shape.nothing'",
            "'kit.LIMIT' cannot be annotated: it is no function",
            "'kit' has no 'lost'",
        )
    )
    rec = record(test, USE, f"{option}={path}", env=env, stderr=said.encode())
    expect_equal(counts(rec, None), {"kit.add": 1}, "ranges")


def case_functions_file_builtin(test):
    """Modules that Python has imported before it starts the program, and functions made in C."""
    path = functions_file(
        test,
        [
            {"module": "os", "functions": ["getpid", "path.join"]},
            {"module": "math", "functions": ["sqrt"]},
            {"module": "builtins", "functions": ["list.append"]},
        ],
    )
    script = "import math, os\nos.getpid()\nprint(math.sqrt(4), os.path.join('a', 'b'))\n"
    said = (
        b"rangefinder: --python-functions-trace: 'builtins.list.append' cannot be annotated: "
        b"cannot set 'append' attribute of immutable type 'list'\n"
    )
    if sys.version_info < (3, 10):
        said = said.replace(
            b"cannot set 'append' attribute of immutable type 'list'",
            b"can't set attributes of built-in/extension type 'list'",
        )
    rec = record(test, script, f"--python-functions-trace={path}", env={}, stderr=said)
    found = counts(rec, None)
    expect_equal((found.get("os.getpid"), found.get("math.sqrt")), (1, 1), "ranges")
    fail_if(found.get("os.path.join", 0) < 1, "os.path.join was not recorded")


def case_functions_file_relative(test):
    """The program may be in another folder when it starts Python."""
    env = make_package(test)
    functions_file(test, [{"module": "kit", "functions": ["add"]}])
    script = """
import os, subprocess, sys
os.chdir("/")
subprocess.run([sys.executable, "-c", "import kit; kit.add(1)"], check=True)
"""
    rec = record(test, script, "--python-functions-trace=functions.json", env=env)
    expect_equal(counts(rec, None), {"kit.add": 1}, "ranges")


def case_functions_file_example(test):
    """The example's own file."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples/python")
    package = os.path.join(test.build, "python")
    if not os.path.isdir(os.path.join(package, "rangefinder", "nvtx")):
        raise Skip("the Python package was not built")
    with open(os.path.join(folder, "thread_pool.py"), encoding="utf-8") as file:
        script = file.read()
    option = "--python-functions-trace=" + os.path.join(folder, "functions.json")
    found = counts(record(test, script, option, env={"PYTHONPATH": package}), b"Counting")
    expect_equal(found.get("collections.Counter.most_common"), 1, "Counter.most_common")
    fail_if(found.get("collections.Counter.update", 0) < 2, "Counter.update was not recorded")
