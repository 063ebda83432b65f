# SPDX-License-Identifier: Apache-2.0
"""What numpy_dtype() adds to a dtype."""

import importlib
import warnings
from dataclasses import dataclass
from typing import Optional

from rangefinder.nvtx._nvtx import NvtxWarning
from rangefinder.nvtx._values import CounterSemantics, EntryKind, PayloadEntryType

__all__ = ["Metadata", "find_numpy", "metadata_of", "numpy_dtype"]

_KEY = "rangefinder.nvtx"


@dataclass(frozen=True)
class Metadata:
    counter_semantics: Optional[CounterSemantics] = None
    entry_kind: Optional[EntryKind] = None
    entry_type: Optional[PayloadEntryType] = None


def metadata_of(dtype):
    """The Metadata of a dtype, or None."""
    found = dtype.metadata.get(_KEY) if dtype.metadata else None
    return found if isinstance(found, Metadata) else None


def find_numpy():
    """NumPy, for a program that asks for a dtype. Raises RuntimeError where there is none."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise RuntimeError("dtypes need NumPy, which is not installed: pip install numpy") from None


def numpy_dtype(*args, counter_semantics=None, entry_kind=None, entry_type=None, **kwargs):
    """numpy.dtype(*args, **kwargs), with what NVTX has to know of the field that it becomes.

    counter_semantics: a CounterSemantics, of a field of a counter group.
    entry_kind: an EntryKind, the field's part in an event or group.
    entry_type: a PayloadEntryType, what the field's number stands for.

    Raises TypeError for arguments of other types and for fields that are too small for them, and
    RuntimeError where there is no NumPy.
    """
    numpy = find_numpy()
    for name, value, wanted in (
        ("counter_semantics", counter_semantics, CounterSemantics),
        ("entry_kind", entry_kind, EntryKind),
        ("entry_type", entry_type, PayloadEntryType),
    ):
        if value is not None and not isinstance(value, wanted):
            raise TypeError(f"{name} must be a {wanted.__name__} or None, not {type(value).__name__}")
    dtype = numpy.dtype(*args, **kwargs)
    _check(dtype, entry_kind)
    _check(dtype, entry_type)
    if counter_semantics is None and entry_kind is None and entry_type is None:
        return dtype
    if metadata_of(dtype) is not None:
        warnings.warn("the dtype has NVTX's metadata already, which stay", NvtxWarning, stacklevel=2)
        return dtype
    metadata = dict(dtype.metadata or {})
    metadata[_KEY] = Metadata(counter_semantics, entry_kind, entry_type)
    return numpy.dtype(dtype, metadata=metadata)


def _check(dtype, entry):
    """Raises TypeError where a field cannot hold what the entry is."""
    if entry is None or entry is EntryKind.MESSAGE:
        return
    size = 4 if entry in (PayloadEntryType.CATEGORY, PayloadEntryType.COLOR_ARGB) else 8
    is_time = isinstance(entry, EntryKind)
    if dtype.kind in ("iu" if is_time else "u") and dtype.itemsize == size and (is_time or dtype.isnative):
        return
    wanted = "64-bit integer storage" if is_time else f"native uint{size * 8} storage"
    raise TypeError(f"{type(entry).__name__}.{entry.name} requires {wanted}, not {dtype}")
