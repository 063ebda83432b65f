#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cycles.py BUILD [FOLDER...]: object files of a folder that need each other in a circle.

A file needs another one if its object file refers to a symbol that the other one defines. Folders
are those directly in src/ and python/, with all that is below them; without arguments, all of them
that have two files. Every cycle of two files or more is printed, with the number of its files.

--explain         also the symbols for which the files of a cycle need each other, and what to
                  take out of it first: a symbol, or one file's need of another
--strict          more than 3 files in a cycle are an error, and the exit status is 1
--limit FOLDER=N  with --strict: in FOLDER, more than N files are
--allow A,B,...   with --strict: these files may form a cycle of any size"""

import argparse
import collections
import json
import pathlib
import shlex
import subprocess
import sys

MOST = 3  # files in a cycle, where nothing else is said


def die(text):
    sys.exit(f"cycles.py: {text}")


# ---- Object files and their symbols ----

def object_of(entry):
    """The output of a command of compile_commands.json."""
    path = entry.get("output")
    if path is None:
        words = entry.get("arguments") or shlex.split(entry["command"])
        path = words[words.index("-o") + 1]
    return pathlib.Path(entry["directory"], path)


def objects(build):
    """By folder, the object of each source: one, though several targets may compile it."""
    commands = build / "compile_commands.json"
    if not commands.exists():
        die(f"no '{commands}': build first")
    home = next(line.split("=", 1)[1] for line in (build / "CMakeCache.txt").read_text().splitlines()
                if line.startswith("CMAKE_HOME_DIRECTORY"))
    found = collections.defaultdict(dict)
    for entry in json.loads(commands.read_text()):
        source = pathlib.Path(entry["directory"], entry["file"])
        path = object_of(entry)
        if not source.is_relative_to(home) or not path.exists():
            continue
        parts = source.relative_to(home).parts
        if len(parts) >= 3 and parts[0] in ("src", "python"):
            found["/".join(parts[:2])].setdefault("/".join(parts[2:]), path)
    return found


def symbols(paths):
    """By object file, the names that it defines and the names that it needs."""
    done = subprocess.run(["nm", "-g", "-P", "-A", *paths], capture_output=True, text=True)
    if done.returncode != 0:
        die(done.stderr.strip())
    defined, needed = collections.defaultdict(set), collections.defaultdict(set)
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if name.startswith("__gnu_lto"):
            die(f"'{path}' was compiled for link-time optimization: nm does not see its symbols")
        (needed if kind in "Uwv" else defined)[path].add(name)
    return defined, needed


class Folder:
    """The files of a folder; needs[a][b]: the symbols of b that a refers to."""

    def __init__(self, name, files):
        self.name, self.files = name, sorted(files)
        defined, needed = symbols([str(path) for path in files.values()])
        owner = {symbol: file for file, path in files.items() for symbol in defined[str(path)]}
        self.needs = {file: collections.defaultdict(set) for file in self.files}
        for file, path in files.items():
            for symbol in needed[str(path)]:
                if owner.get(symbol, file) != file:
                    self.needs[file][owner[symbol]].add(symbol)

    def cycles(self, without=frozenset(), files=None):
        """Sets of files that reach each other, the largest first; without: symbols, and pairs of
        files, that are left out."""
        files = self.files if files is None else files
        edges = {a: [b for b in self.needs[a] if b in files and self.needs[a][b] - without and
                     (a, b) not in without] for a in files}
        found = [part for part in components(edges) if len(part) > 1]
        return sorted(found, key=lambda part: (-len(part), sorted(part)))


def components(edges):
    """The strongly connected components of a graph (Tarjan's algorithm, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in edges:
        if root in index:
            continue
        path = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while path:
            node, rest = path[-1]
            after = next(rest, None)
            if after is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    part = set(stack[stack.index(node):])
                    del stack[stack.index(node):]
                    on_stack -= part
                    found.append(part)
            elif after not in index:
                index[after] = low[after] = len(index)
                stack.append(after)
                on_stack.add(after)
                path.append((after, iter(edges[after])))
            elif after in on_stack:
                low[node] = min(low[node], index[after])
    return found


# ---- What holds a cycle together ----

def weight(folder, part, gone):
    """What is left of a cycle: the squares of the cycles, then the needs in them."""
    cycles = folder.cycles(gone, part)
    n_needs = sum(1 for files in cycles for a in files for b in files
                  if (a, b) not in gone and folder.needs[a].get(b, set()) - gone)
    return sum(len(files) ** 2 for files in cycles), n_needs


def ways_out(folder, part):
    """What could be taken out of a cycle, in words: a symbol, by moving it to a file that needs none
    of these; one file's need of another."""
    ways, users = {}, collections.defaultdict(list)
    for a in sorted(part):
        for b in sorted(part):
            names = sorted(folder.needs[a].get(b, ()))
            if names:
                ways[a, b] = f"{a} -> {b}: {' '.join(names)}"
            for name in names:
                users[name, b].append(a)
    for (name, file), files in users.items():
        ways[name] = f"{name} ({file}, needed by {len(files)})"
    return ways


def explain(folder, part):
    ways = ways_out(folder, part)
    for way, words in ways.items():
        if isinstance(way, tuple):
            print(f"    {words}")
    if len(part) > MOST:
        print("  to take out of the cycle, one after the other; the largest cycle that is left:")
    gone, left = set(), [part]
    while left and len(left[0]) > MOST:
        best = min((way for way in ways if way not in gone),
                   key=lambda way: (weight(folder, part, frozenset(gone | {way})),
                                    isinstance(way, tuple), ways[way]))
        gone.add(best)
        left = folder.cycles(frozenset(gone), part)
        print(f"    {ways[best]}: {len(left[0]) if left else 1}")


# ---- All folders ----

def report(folder, options, limits, allowed):
    """Prints the cycles of a folder; returns the errors."""
    cycles = folder.cycles()
    sizes = " ".join(str(len(part)) for part in cycles)
    print(f"{folder.name}: {len(folder.files)} files, cycles of {sizes or 'none'}")
    errors = []
    for part in cycles:
        print(f"  {len(part)}: {' '.join(sorted(part))}")
        if options.explain:
            explain(folder, part)
        most = limits.get(folder.name, MOST)
        if len(part) > most and frozenset(part) not in allowed:
            errors.append(f"{folder.name}: {len(part)} files need each other in a circle, where at"
                          f" most {most} may: {' '.join(sorted(part))}")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--limit", action="append", default=[], metavar="FOLDER=N")
    parser.add_argument("--allow", action="append", default=[], metavar="FILE,...")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    found = objects(options.build.resolve())
    wanted = [name.strip("/") for name in options.folders] or \
        sorted(name for name in found if len(found[name]) > 1)
    limits = {name: int(n) for name, n in (text.split("=") for text in options.limit)}
    allowed = {frozenset(text.split(",")) for text in options.allow}
    unknown = set(wanted) - set(found)
    if unknown or not wanted:
        die(f"no objects of '{' '.join(sorted(unknown))}'; there are: {' '.join(sorted(found))}")
    errors = []
    for name in wanted:
        errors += report(Folder(name, found[name]), options, limits, allowed)
    if not options.strict:
        return 0
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
