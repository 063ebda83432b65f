# SPDX-License-Identifier: Apache-2.0
"""The files of a job, in the order in which the command line lists them."""

import os
import re

ENDINGS = (".rf", ".rfdir", ".rfsum", ".sqlite", ".nsys-rep", ".qdrep")
_CONTROL_FILE = "session"  # a directory with it is a session, that is, a recording


def _by_number(name):
    """2 before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _of_folder(path):
    names = [name for name in os.listdir(path) if name.endswith(ENDINGS)]
    if not names:
        raise ValueError(f"the folder '{path}' has no recordings ({', '.join(ENDINGS)})")
    return [os.path.join(path, name) for name in sorted(names, key=_by_number)]


def _of_path(path):
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, _CONTROL_FILE)):
        return _of_folder(path)
    return [path]


def split(word):
    """(path, N) of PATH[:N]; N is None where it is not there."""
    path, _, number = word.rpartition(":")
    if path and number.isdigit() and not os.path.exists(word):
        return path, int(number)
    return word, None


def limited(word):
    """The files of PATH[:N]: the first N of a folder; of a file N says nothing."""
    path, n = split(word)
    return _of_path(path)[:n]


def listed(inputs):
    """The paths of files and folders, each file once.

    inputs: str, os.PathLike, or an iterable of them. Raises ValueError for a folder without recordings, and
    where there is nothing at all."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = [inputs]
    found = {}
    for path in inputs:
        for each in _of_path(os.fsdecode(path)):
            found.setdefault(os.path.realpath(each), each)
    if not found:
        raise ValueError("there is no input")
    return list(found.values())
