#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py BUILD FOLDER...: functions and variables that a header of a folder (src/NAME, with all
that is below it) declares and another file than its own defines. The .c file of a header has its
name. Prints them, one a line; the exit status is 1 if there are any."""

import pathlib
import re
import sys

import cycles


def declared(header):
    """The names that a header may declare: those before a parenthesis, a bracket or a semicolon."""
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.DOTALL)
    text = re.sub(r"^#.*?(?<!\\)$", "", text, flags=re.DOTALL | re.MULTILINE)
    bodies = 1  # of structures and of functions that are inlined
    while bodies:
        text, bodies = re.subn(r"\{[^{}]*\}", ";", text)
    text = re.sub(r"\b(struct|union|enum) \w+\s*;", ";", text)  # a tag is not a function's name
    return set(re.findall(r"\b(\w+)(?=\s*[(\[;])", text))


def strangers(folder, files, home):
    """(header, name, file) of what a header declares that is not its file's."""
    paths = {path: str(file) for path, file in files.items()}
    defined, _ = cycles.symbols(list(paths.values()))
    owner = {name: source for source, path in paths.items() for name in defined[path]}
    for header in sorted((home / folder).rglob("*.h")):
        for name in sorted(declared(header)):
            if name in owner and pathlib.PurePath(owner[name]).stem != header.stem:
                yield header.relative_to(home), name, owner[name]


def main():
    build = pathlib.Path(sys.argv[1])
    home = pathlib.Path(next(line.split("=", 1)[1]
                             for line in (build / "CMakeCache.txt").read_text().splitlines()
                             if line.startswith("CMAKE_HOME_DIRECTORY")))
    objects = cycles.objects(build)
    found = [row for folder in sys.argv[2:] for row in strangers(folder, objects[folder], home)]
    for header, name, file in found:
        print(f"{header} declares {name}, which {file} defines")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
