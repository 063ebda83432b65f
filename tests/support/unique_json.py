# SPDX-License-Identifier: Apache-2.0
"""JSON as strict readers take it: an object that has a key twice is refused, which json allows."""

import json


class DoubleKey(ValueError):
    """An object says something twice."""


def _object(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        double = sorted({key for key in keys if keys.count(key) > 1})
        raise DoubleKey(f"{', '.join(double)} twice in {dict(pairs)}")
    return found


def loads(text, **options):
    """As json.loads(); raises DoubleKey."""
    return json.loads(text, object_pairs_hook=_object, **options)


def load(file, **options):
    """As json.load(); raises DoubleKey."""
    return loads(file.read(), **options)


def lines(text):
    """The objects of JSON lines."""
    return [loads(line) for line in text.splitlines()]
