# SPDX-License-Identifier: Apache-2.0
"""The stubs say what there is: the same names, parameters and defaults as at run time."""

import ast
import enum
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import rangefinder
from limits import SLOW

MODULES = ["rangefinder.nvtx", "rangefinder.nvtx.writer"]
FOLDER = pathlib.Path(rangefinder.__file__).parent


def stub_of(module):
    parts = module.split(".")[1:]
    for path in (FOLDER.joinpath(*parts, "__init__.pyi"), FOLDER.joinpath(*parts).with_suffix(".pyi")):
        if path.exists():
            return ast.parse(path.read_text(encoding="utf-8"))
    raise AssertionError(f"{module} has no stub")


def parameters(function):
    """(name, kind, default) of what a stub's function takes."""
    args = function.args
    kinds = inspect.Parameter
    plain = [(arg, kinds.POSITIONAL_ONLY) for arg in args.posonlyargs]
    plain += [(arg, kinds.POSITIONAL_OR_KEYWORD) for arg in args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    found = [(arg.arg, kind, value) for (arg, kind), value in zip(plain, defaults)]
    found += [
        (arg.arg, kinds.KEYWORD_ONLY, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults)
    ]
    if args.vararg:
        place = next((i for i, each in enumerate(found) if each[1] is kinds.KEYWORD_ONLY), len(found))
        found.insert(place, (args.vararg.arg, kinds.VAR_POSITIONAL, None))
    if args.kwarg:
        found.append((args.kwarg.arg, kinds.VAR_KEYWORD, None))
    return [
        (name, kind, kinds.empty if value is None else ast.literal_eval(value))
        for name, kind, value in found
    ]


def runtime_parameters(function):
    """An enum's member as a default is `...` in a stub."""
    return [
        (each.name, each.kind, ... if isinstance(each.default, enum.Enum) else each.default)
        for each in inspect.signature(function).parameters.values()
    ]


def imported(node):
    """The names that a stub has from a module in Python: they are those."""
    return {alias.asname for child in node.body if isinstance(child, ast.ImportFrom) for alias in child.names
            if alias.asname}


def members(node):
    return {
        name: child
        for child in node.body
        for name in (
            [child.name]
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            else [child.target.id] if isinstance(child, ast.AnnAssign)
            else [child.targets[0].id] if isinstance(child, ast.Assign) else []
        )
    }


def check_class(node, cls):
    said = {name: child for name, child in members(node).items() if not name.startswith("_")}
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    there = {name for name in vars(cls) if not name.startswith("_")} - inherited
    assert set(said) == there, cls
    for name, child in said.items():
        is_value = isinstance(child, (ast.Assign, ast.AnnAssign)) or bool(child.decorator_list)
        assert is_value == (not callable(getattr(cls, name))), (cls, name)
        if not is_value:
            assert parameters(child)[1:] == runtime_parameters(getattr(cls, name))[1:], (cls, name)
    made = members(node).get("__new__")
    if made is not None:
        assert parameters(made)[1:] == runtime_parameters(cls), cls


@pytest.mark.parametrize("name", MODULES)
def test_stub(name):
    module, stub = importlib.import_module(name), stub_of(name)
    said = {key: child for key, child in members(stub).items()
            if not key.startswith("_") and not isinstance(child, ast.Assign)}
    assert set(said) | imported(stub) == set(module.__all__)
    for key, child in said.items():
        thing = getattr(module, key)
        if isinstance(child, ast.ClassDef):
            check_class(child, thing)
        else:
            assert parameters(child) == runtime_parameters(thing), key


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    """Everything public has one; what takes arguments names them."""
    module = importlib.import_module(name)
    for key in module.__all__:
        thing = getattr(module, key)
        assert inspect.getdoc(thing), key
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            is_value = not hasattr(type(value), "__get__")  # a field's default
            assert member.startswith("_") or is_value or inspect.getdoc(value), (key, member)


# What a stub cannot say: that programs can make no types of Domain and Counter, while there are some; and,
# for Python before 3.15, that annotate goes with no other base that is written in C.
ALLOWED = "rangefinder.nvtx.Domain\nrangefinder.nvtx.Counter\nrangefinder.nvtx.annotate\n"


def test_mypy_agrees(tmp_path):
    if subprocess.run([sys.executable, "-c", "import mypy.stubtest"], capture_output=True).returncode:
        pytest.skip("mypy is not installed")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    (tmp_path / "allowed").write_text(ALLOWED)
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", str(tmp_path / "mypy.ini"),
            "--ignore-unused-allowlist", "--allowlist", str(tmp_path / "allowed"), "rangefinder.nvtx", "rangefinder._profile",
            "rangefinder.pm_sampling",
        ],
        capture_output=True, text=True, timeout=240 * SLOW, cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(FOLDER.parent)},
    )
    assert done.returncode == 0, done.stdout
