# SPDX-License-Identifier: Apache-2.0
"""What exists: the files of the tree, the words and texts of its sources, options and tests."""

import fnmatch
import functools
import os
import re
import subprocess


class Tree:
    def __init__(self, source, build):
        self.source, self.build = source, build
        listed = subprocess.run(["git", "-C", source, "ls-files", "-co", "--exclude-standard"],
                                capture_output=True, check=False).stdout.decode().split("\n")
        self.files = [f for f in listed if f and os.path.exists(os.path.join(source, f))]
        if not self.files:  # an archive without git
            for folder, folders, names in os.walk(source):
                folders[:] = [d for d in folders if not d.startswith((".", "build"))]
                self.files += [os.path.relpath(os.path.join(folder, n), source) for n in names]
        self.folders = {os.path.dirname(f) for f in self.files}
        while True:
            above = {os.path.dirname(f) for f in self.folders} - self.folders
            if not above:
                break
            self.folders |= above
        self.base_names = {os.path.basename(f) for f in self.files}
        self.words = set()
        for path in self.files:
            if path.endswith((".c", ".h", ".py", ".pyi", ".sh", ".txt", ".cmake", ".cc", ".cu", ".in",
                              ".toml")) or path == "dev":
                if not path.startswith(("tests/docs/", "docs/")):
                    self.words |= set(re.findall(r"\w+", self.text(path)))

    def text(self, path):
        with open(os.path.join(self.source, path), encoding="utf-8", errors="replace") as file:
            return file.read()

    def has(self, path):
        path = path.rstrip("/")
        if "*" in path:
            return any(fnmatch.fnmatch(f, path) for f in [*self.files, *self.folders])
        return path in self.files or path in self.folders

    @functools.lru_cache
    def accepted_options(self):
        """What the command line accepts and its help does not name: older names, nsys's own."""
        found = set()
        for path in self.files:
            if path.startswith("src/cli/") and path.endswith((".c", ".h")):
                found |= set(re.findall(r'"([a-z][a-z0-9-]+)"', self.text(path)))
        return found

    def has_word(self, word):
        if word.endswith("*") or word.endswith("_"):
            start = word.rstrip("*")
            return any(w.startswith(start) for w in self.words)
        return word in self.words


    @functools.lru_cache
    def options_of_scripts(self):
        """Those of the scripts that pages for developers are about."""
        found = set()
        for path in self.files:
            if path.startswith(("tests/", "bench/")) and path.endswith((".py", ".sh")):
                found |= set(re.findall(r"--([a-z][a-z0-9-]*)", self.text(path)))
        return found

    @functools.lru_cache
    def literals(self):
        """The texts of the sources, those in parts put together."""
        text = r'f?"(?:[^"\\\n]|\\.)*"'
        whole = re.compile(rf"{text}(?:\s*(?:PRI\w+\s*)?{text})*")
        found = []
        for path in self.files:
            if path.startswith(("src/", "python/")) and path.endswith((".c", ".h", ".py")):
                for match in whole.findall(self.text(path)):
                    found.append("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match)))
        return found

    def says(self, message):
        parts = [re.escape(part.strip()) for part in message.split("…") if part.strip()]
        wanted = re.compile(".*".join(parts), re.S)
        return any(wanted.search(literal) for literal in self.literals())


def run(*words):
    return subprocess.run(words, capture_output=True, check=False).stdout.decode()


def options_of_verbs(program):
    """{verb: its options}; every verb's, and nsys2json's."""
    found = {}
    verbs = re.findall(r"^  ([a-z][a-z0-9-]*) ", run(program, "help"), re.M)
    for verb in {*verbs} - {"rangefinder"}:
        found[verb] = set(re.findall(r"--([a-z][a-z0-9-]*)", run(program, verb, "-h")))
    found["gpu-metrics"] |= set(
        re.findall(r"--([a-z][a-z0-9-]*)", run(program, "gpu-metrics", "record", "-h")))
    beside = os.path.join(os.path.dirname(program), "nsys2json")
    found["nsys2json"] = set(re.findall(r"--([a-z][a-z0-9-]*)", run(beside, "-h")))
    return found


def names_of_tests(folder):
    """From the files that ctest reads: `ctest -N` would empty the log of the run that this is in."""
    path = os.path.join(folder, "CTestTestfile.cmake")
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = set(re.findall(r"^ *add_test\((?:\[=*\[)?([^\] ]+)", text, re.M))
    for inner in re.findall(r'^ *subdirs\("([^"]+)"\)', text, re.M):
        found |= names_of_tests(os.path.join(folder, inner))
    return found
