# SPDX-License-Identifier: Apache-2.0
"""Finds out which libraries in this process have looked for an NVTX tool: each has its own copy of
NVTX's state, whose place the file's symbols tell, if it still has them."""

import functools
import os
import struct

_SECTIONS = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
_MAX_NAMES = 256 << 20  # bytes of symbol names that are searched
_COMPLETE = 2  # NVTX_INIT_STATE_COMPLETE of NVIDIA's headers
_ATTACHED = -1  # RF_NVTX_ATTACHED of our own headers
_THEIRS = b"nvtxGlobals_v3"
_OURS = b"rf_nvtx_v1"


def _sections(file):
    """(type, offset, size, link) of each section of a 64-bit little-endian ELF file."""
    header = os.pread(file, 64, 0)
    if header[:6] != b"\x7fELF\x02\x01":
        return []
    (at,) = struct.unpack_from("<Q", header, 40)
    size, n = struct.unpack_from("<HH", header, 58)
    data = os.pread(file, size * n, at)
    found = []
    for i in range(n):
        kind, _, _, offset, length, link = struct.unpack_from("<IQQQQI", data, i * size + 4)
        found.append((kind, offset, length, link))
    return found


def _symbols(file, wanted):
    """{name: (value, size)} of those of the wanted symbols that the file has."""
    found = {}
    sections = _sections(file)
    for kind, offset, length, link in sections:
        if kind not in _SECTIONS or link >= len(sections) or sections[link][2] > _MAX_NAMES:
            continue
        names = os.pread(file, sections[link][2], sections[link][1])
        places = {name: names.find(b"\0" + name + b"\0") for name in wanted}
        if max(places.values()) < 0:
            continue
        table = os.pread(file, length, offset)
        for name, place in places.items():
            at = table.find(struct.pack("<I", place + 1)) if place >= 0 else -1
            while at >= 0 and at % 24 != 0:
                at = table.find(struct.pack("<I", place + 1), at + 1)
            if at >= 0:
                found.setdefault(name, struct.unpack_from("<QQ", table, at + 8))
    return found


def _first_load(file):
    """The address that the file's first segment asks for."""
    header = os.pread(file, 64, 0)
    (at,) = struct.unpack_from("<Q", header, 32)
    size, n = struct.unpack_from("<HH", header, 54)
    data = os.pread(file, size * n, at)
    for i in range(n):
        if struct.unpack_from("<I", data, i * size) == (1,):  # PT_LOAD
            return struct.unpack_from("<Q", data, i * size + 16)[0] & ~0xFFF
    return 0


@functools.lru_cache(maxsize=None)
def _find(path):
    """Where the states of a file stand, from where it is mapped: (of NVIDIA's headers, of ours)."""
    try:
        with open(path, "rb") as opened:
            file = opened.fileno()
            found = _symbols(file, (_THEIRS, _OURS))
            first = _first_load(file) if found else 0
    except (OSError, struct.error, OverflowError, MemoryError):
        return None, None
    theirs, ours = found.get(_THEIRS, (0, 0)), found.get(_OURS, (0, 0))
    return (
        theirs[0] - first if theirs[1] >= 32 else None,
        # its last two fields are an int and a pointer
        ours[0] - first + ours[1] - 16 if ours[1] >= 32 else None,
    )


def _is(memory, address, form, values):
    size = struct.calcsize(form)
    return struct.unpack(form, os.pread(memory, size, address)) == values


def have_looked_for_tool(files):
    """Those of the libraries, a dict of paths and the addresses where they are mapped, that have
    settled which tool they have."""
    found = []
    with open("/proc/self/mem", "rb") as file:
        memory = file.fileno()
        for path, base in files.items():
            theirs, ours = _find(path)
            try:
                # NVIDIA's: the state, and a table that begins with its own size
                if theirs is not None and _is(memory, base + theirs, "<I4xQ", (_COMPLETE, 16)):
                    found.append(path)
                elif ours is not None and _is(memory, base + ours, "<i", (_ATTACHED,)):
                    found.append(path)
            except (OSError, struct.error):
                pass  # the file is not what is mapped
    return found
