#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nvtx.py [--write] SOURCE: the tables of docs/nvtx.md have every function of the NVTX headers, with
its slot, whether the recorder takes it, and test programs that call it. --write makes the tables anew;
what the column "exported" says is kept, and is "not yet" for a function that is new."""

import pathlib
import re
import sys

HEADERS = ("nvToolsExt.h", "nvToolsExtSync.h", "nvToolsExtCuda.h", "nvToolsExtCudaRt.h",
           "nvToolsExtOpenCL.h", "nvToolsExtPayload.h", "nvToolsExtCounters.h", "nvToolsExtMem.h",
           "nvToolsExtMemCudaRt.h")
ANSWERED = ("nvtxInitialize", "nvtxDomainIsEnabled", "nvtxTimestampGet")  # callbacks without a record
HEAD = ["function", "slot", "recorded", "exported", "called by"]


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def functions_of(header):
    """Of a header, in their order."""
    found = re.findall(r"\bNVTX_API\s+(nvtx\w+)\s*\(", without_comments(header.read_text()))
    if not found:
        raise SystemExit(f"{header}: no functions")
    return list(dict.fromkeys(found))


def slots_of(folder):
    """The slot of each function."""
    slots = {}
    for header in sorted(folder.glob("*.h")) + sorted(folder.glob("nvtxDetail/*.h")):
        text = header.read_text()
        for module, name, number in re.findall(r"\bNVTX_CBID_([A-Z0-9]+)_([A-Z]\w+) = (\d+)", text):
            if not name.isupper():  # ..._INVALID and ..._SIZE are no functions
                slots["nvtx" + name] = f"{module} {number}"
        slots.update(re.findall(r"\bNVTX3EXT_CBID_(nvtx\w+)\s+(\d+)", text))
    return slots


def taken_by_the_recorder(source):
    """The callback of each function. Those that are counted only begin with count_."""
    taken = {}
    for file in sorted((source / "src/record").rglob("*.[ch]")):
        text = file.read_text()
        for name, callback in re.findall(r"\[NVTX_CBID_[A-Z0-9]+_(\w+)\] = RF_CALLBACK\((\w+)\)",
                                         text):
            taken["nvtx" + name] = callback
        taken.update(re.findall(r"\[NVTX3EXT_CBID_(nvtx\w+)\] = RF_CALLBACK\((\w+)\)", text))
        for name, callback in re.findall(r"RF_ENTRY\(NVTX_CBID_[A-Z]+_(\w+), (\w+)", text):
            taken[f"nvtx{name}A"] = taken[f"nvtx{name}W"] = callback
    return taken


def calls_in(source):
    """The functions that each test program calls: of those of the headers and of the recorder."""
    programs = [source / "tests/nvtx3/app_all.c", source / "tests/nvtx3/app_ext.c",
                source / "tests/nvtx3/app_mem.c"]
    for folder in ("record", "cuda"):
        programs += sorted((source / "tests" / folder).rglob("*.c"))
    return {str(program.relative_to(source / "tests")): set(
        re.findall(r"\b(nvtx[A-Z]\w+)\(", without_comments(program.read_text())))
            for program in programs}


def callers(name, calls, old):
    """What the page says, if it is so; else a program of the headers and one of the recorder."""
    told = re.findall(r"`([^`]+)`", old.get("called by", ""))
    found = [program for program, names in calls.items() if name in names]
    for_headers = [program for program in found if program.startswith("nvtx3/")]
    for_recorder = [program for program in found if program not in for_headers]
    if not told or not set(told) <= set(found):
        told = for_headers[:1] + for_recorder[:1]
    return ", ".join(f"`{program}`" for program in told) or "not yet"


def is_recorded(name, taken):
    callback = taken.get(name)
    if callback is None:
        return "not yet"
    if callback.startswith("count_"):
        return "counted"
    return "answered" if name in ANSWERED else "yes"


def rows_of(source, functions, old):
    taken, slots, calls = (taken_by_the_recorder(source), slots_of(source / "include/nvtx3"),
                           calls_in(source))
    for name in functions:
        exported = old.get(name, {}).get("exported", "not yet")
        slot = slots.get(name, old.get(name, {}).get("slot", "?"))
        yield [f"`{name}`", slot, is_recorded(name, taken), exported,
               callers(name, calls, old.get(name, {}))]


def table(rows):
    return [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)] + [f"| {' | '.join(row)} |"
                                                                    for row in rows]


def table_of(text, header):
    """The lines of a header's table, and its rows by the function's name."""
    match = re.search(rf"^## {re.escape(header)}:(?:(?!\n## ).)*?\n\n((?:\|[^\n]*\n)+)", text,
                      flags=re.M | re.S)
    if not match:
        raise SystemExit(f"docs/nvtx.md: no table of {header}")
    lines = match.group(1).splitlines()
    rows = {}
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0].strip("`")] = dict(zip(HEAD, cells))
    return match.span(1), lines, rows


def main():
    is_write = sys.argv[1] == "--write"
    source = pathlib.Path(sys.argv[-1])
    page = source / "docs/nvtx.md"
    text = page.read_text()
    problems = []
    for header in HEADERS:
        (begin, end), lines, old = table_of(text, header)
        functions = functions_of(source / "include/nvtx3" / header)
        if is_write:
            for row in old.values():
                row["called by"] = ""
        expected = table(rows_of(source, functions, old))
        if is_write:
            text = text[:begin] + "\n".join(expected) + "\n" + text[end:]
        elif lines != expected:
            problems += [f"{header}: the page lacks: {row}" for row in expected if row not in lines]
            problems += [f"{header}: not so: {row}" for row in lines if row not in expected]
    if is_write:
        page.write_text(text)
    print("\n".join(problems))
    if problems:
        raise SystemExit("docs/nvtx.md: tests/docs/nvtx.py --write SOURCE makes the tables")


main()
