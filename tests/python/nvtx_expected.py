# SPDX-License-Identifier: Apache-2.0
"""What a recording must have of calls of the package nvtx, in Python's own types: for programs that are
recorded and say what they expect, as lists of

    ("event", members of an event), ("end", members of a range), ("sample", members of a counter, and value),
    ("domain", members of a domain)

test_nvtx_recorded.py compares the recording with them."""

import pickle

import numpy

TESTS = "tests of nvtx"  # the domain of the marks that begin and end each list
DOMAIN = "NVTX"  # the name of nvtx's own domain, which is NVTX's default one
UNCHANGED = "the value before"
COLORS = {None: 0x0000FF, "red": 0xFF0000}


class Lists:
    """The lists, by name."""

    def __init__(self, nvtx):
        self.nvtx, self.lists = nvtx, {}

    def begin(self, name):
        self.nvtx.mark(name, domain=TESTS)
        self.lists[name] = [("domain", {"name": TESTS})]
        return self.lists[name]

    def end(self):
        self.nvtx.mark("end", domain=TESTS)

    def write(self, path):
        with open(path, "wb") as file:
            pickle.dump(self.lists, file)


# ---- Events ----


def plain(value):
    """A payload's values, flat, as NVTX has them."""
    array = numpy.asarray(value)
    if array.ndim:
        return [plain(array.reshape(-1)[i:i + 1].reshape(())) for i in range(array.size)]
    if array.dtype.names:
        return {name: plain(array[name]) for name in array.dtype.names}
    if array.dtype.kind == "S":  # with the zeros at its end, which NumPy does not show
        return array.tobytes().ljust(array.dtype.itemsize, b"\0")
    return array.item()


def payload_of(payload):
    """The type and the value; None for what has none."""
    if payload is None:
        return None, None
    if isinstance(payload, (int, float)):
        return ("int64" if isinstance(payload, int) else "double"), payload
    array = numpy.array(payload)
    if array.nbytes == 0:
        return None, None
    if array.ndim == 0 and not array.dtype.names:  # a struct of one entry, which has the type's name
        return "extended", {array.dtype.name: plain(array)}
    return "extended", plain(array)


def event(kind, domain, message, color, category, payload):
    payload_type, value = payload_of(payload)
    members = {"kind": kind, "domain": domain or DOMAIN, "name": message, "color": COLORS.get(color, color),
               "is_registered": message is not None, "payload_type": payload_type, "payload": value,
               "category_name": category if isinstance(category, str) else None}
    if not isinstance(category, str):
        members["category"] = category
    return "event", members


def end(kind, domain, **more):
    return "end", {"kind": kind, "domain": domain or DOMAIN, "cut": None, **more}


# ---- Counters ----


def semantics_of(of):
    """What nvtx says if it is told nothing: a value of its own, valid until the next."""
    if of is None:
        return {"unit": None, "value_type": "absolute", "interpolation": "until_next", "min": None, "max": None,
                "scale_numerator": None, "scale_denominator": None}
    scale = of.unit_scale_numerator, of.unit_scale_denominator
    return {"unit": of.unit.decode() if of.unit is not None else None,
            "value_type": of.value_type.name.lower(), "interpolation": of.interpolation.name.lower(),
            "min": of.min, "max": of.max,
            "scale_numerator": scale[0] if scale != (1, 1) else None,
            "scale_denominator": scale[1] if scale != (1, 1) else None}


def semantics_of_field(dtype):
    """What numpy_dtype() was told of a field."""
    metadata = dict(dtype.metadata or {}).values()
    return next((each.counter_semantics for each in metadata), None)


def counters(domain, name, dtype, description=None, scope=None, semantics=None):
    """What the samples of each number in a group say of their counter; by the name of the number, which is
    None without a group. A dtype other than those of int and float is a group of one."""
    dtype = numpy.dtype(dtype)
    numbers = {None: dtype} if dtype in (numpy.int64, numpy.float64) else {dtype.name: dtype}
    if dtype.names:
        numbers = {each: dtype[each] for each in dtype.names if dtype[each].kind in "iuf"}
    types = {"i": "int64", "u": "uint64", "f": "double"}
    return {each: {"name": name if each is None else f"{name}.{each}", "domain": domain or DOMAIN,
                   "description": description, "scope": scope or None,
                   **semantics_of(semantics_of_field(of) or semantics), "number": types[of.kind]}
            for each, of in numbers.items()}


def sample(of, value):
    """A value of the dtype, or a tuple of a group's."""
    if isinstance(value, tuple):
        return [("sample", {**of[name], "value": each}) for name, each in zip(of, value)]
    return [("sample", {**each, "value": value}) for each in of.values()]
