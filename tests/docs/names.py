#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""names.py SOURCE BUILD CTEST: every name that a document names exists.

Looked at are README.md, ARCHITECTURE.md, CONTRIBUTING.md, the pages of docs, the man pages and the
READMEs of tests and examples. A line is printed for each name that does not exist:

    DOCUMENT:LINE: NAME: why

What is checked:
links      the file, and the heading behind #
paths      src/..., tests/..., docs/... and so on, in prose and in code; * matches anything
files      NAME.c, NAME.h, NAME.py, NAME.sh, NAME.md in backticks or links: a file of this name is in
           the tree, or the document itself makes it, or FOREIGN_FILES lists it
functions  NAME() in backticks, and names that begin with rf_, cli_, rfw_, RF_ or RANGEFINDER_, are
           words of the sources. Functions of CUDA, NVTX, Python and libc are not looked for
words      in the pages for developers every word_with_underscores in backticks is a word of the
           sources, and in "`NAME` in [FILE](...)" one of that file
tests      SUITE.CASE in backticks is a test, and so is each name in the column "driven by"
options    --NAME is an option of a verb, from its -h or accepted without a word there; behind
           `rangefinder VERB` one of that verb
man pages  rangefinder-VERB(1) is a page
messages   in docs/troubleshooting.md **`TEXT`** is in a text of the sources; … stands for what varies
reach      every page of docs can be reached from README.md by links
folders    tests/README.md has a row for every folder of tests
members    docs/exports.md names every field of src/model/fields

The script first looks at a page of its own, with an error of every kind, and expects to find them.
"""

import fnmatch
import os
import re
import sys

sys.dont_write_bytecode = True

from tree import Tree, names_of_tests, options_of_verbs  # noqa: E402

FOLDERS = ("src", "tests", "docs", "python", "bench", "examples", "include", "cmake")
DEVELOPERS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/testing.md", "docs/performance.md")
# What a reader or another project has: files that no part of the tree is.
FOREIGN_FILES = {"train.py", "program.py", "Python.h", "nvtxw3.h"}
FOREIGN_PATHS = {"include/rangefinder-nvtx"}  # where an installation has the NVTX headers
FOREIGN_WORDS = {"snake_case", "thing_verb"}
# Options of other programs, which documents show in their commands.
FOREIGN_OPTIONS = {
    "help", "version", "option",
    "install", "prefix", "cflags", "libs", "variable", "pause", "cap-add", "shm-size", "stop-timeout", "test-dir", "build",
    "sample", "cpuctxsw", "report", "format",  # nsys
    "include", "exclude", "no-linenos", "c-calls",  # python -m rangefinder.nvtx
    "to", "run",  # python3 -m rangefinder.fleet export
    "force-reinstall",  # pip
    "add-architecture",  # dpkg
    "no-python", "nproc-per-node", "nnodes", "no-nanny", "no-dashboard", "nworkers", "nthreads", "scheduler-file",  # torchrun, Dask
}
FOREIGN_FUNCTION = re.compile(
    r"(cu[A-Z]|cuda[A-Z]|cupti[A-Z]|nvtx[A-Z]|nvtx\.|torch|sys\.|os\.|pandas|numpy|pyarrow|polars|"
    r"time\.|__)"
)
LIBC = {
    "exit", "_exit", "abort", "fork", "exec", "main", "cuInit", "write", "setuid", "dlsym", "dlopen",
    "len", "help", "open", "str", "emit_nvtx", "set_device", "getpid", "mmap", "read_csv",
    "cudaDeviceReset", "read", "name",
}


def plain_man(text):
    """The text of a man page as a reader sees it; what is bold or italic stands in backticks."""
    text = re.sub(r'^\.\\".*$', "", text, flags=re.M)
    text = re.sub(r"\\\|", "", text).replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")
    return re.sub(r"\\f([BI])(.*?)\\fR", r"`\2`", text)


class Document:
    def __init__(self, tree, path, text=None):
        self.tree, self.path = tree, path
        self.is_man = path.startswith("docs/man/")
        text = tree.text(path) if text is None else text
        self.lines = (plain_man(text) if self.is_man else text).split("\n")
        self.problems, self.links = [], set()
        self.is_for_developers = path in DEVELOPERS or path.startswith("tests/")
        self.made = set(re.findall(r"(?:-o|>|```\w+) +([\w.-]+)", text))

    def complain(self, number, name, why):
        self.problems.append(f"{self.path}:{number}: {name}: {why}")

    def check(self, verbs, tests):
        in_code, column = False, None
        joined = ""  # a command over several lines
        for number, line in enumerate(self.lines, 1):
            if line.startswith("```"):
                in_code = not in_code
                continue
            is_code = in_code or (line.startswith("    ") and not self.is_man)
            self.check_paths(number, line)
            joined += line.rstrip("\\")
            if not line.endswith("\\"):
                self.check_options(number, joined, verbs)
                joined = ""
            if is_code:
                continue
            self.check_links(number, line)
            self.check_files(number, line)
            self.check_words(number, line)
            if os.path.basename(self.path) == "troubleshooting.md":
                self.check_messages(number, line)
            if line.startswith("|"):
                column = self.check_driven(number, line, column, tests)
            else:
                column = None
            for name in re.findall(r"`([a-z0-9]+\.[a-z0-9*_-]+)`", line):
                suite = name.split(".")[0]
                is_test = self.is_for_developers and name not in self.tree.base_names
                if is_test and self.tree.has(f"tests/{suite}/CMakeLists.txt"):
                    self.check_test(number, name, tests)
            if self.is_man:
                for page in re.findall(r"(rangefinder-[a-z0-9-]+)`?\(1\)", line):
                    if not self.tree.has(f"docs/man/{page}.1*"):
                        self.complain(number, page, "there is no such man page")
        self.check_places()
        return [*dict.fromkeys(self.problems)]

    def check_links(self, number, line):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, heading = target.partition("#")
            folder = os.path.dirname(self.path)
            path = os.path.normpath(os.path.join(folder, path)) if path else self.path
            if not self.tree.has(path):
                self.complain(number, target, "there is no such file")
                continue
            self.links.add(path)
            if heading and path.endswith(".md") and heading not in headings(self.tree.text(path)):
                self.complain(number, target, "the page has no such heading")

    def check_paths(self, number, line):
        line = re.sub(r"\]\([^)]*\)|https?:\S*|[\w./~$-]*build\S*", " ", line)
        for path in re.findall(r"(?<![\w./<$~-])(?:%s)/[\w./*-]+" % "|".join(FOLDERS), re.sub(r"\S*<\S*", " ", line)):
            path = path.rstrip(".")
            if path in FOREIGN_PATHS:
                continue
            if re.search(r"NAME|FILE|VERB|CASE|SUITE", path) or self.tree.has(path):
                continue
            self.complain(number, path, "there is no such file or folder")

    def check_files(self, number, line):
        line = re.sub(r"\]\([^)]*\)", "]", line)
        for quoted in re.findall(r"`([^`]+)`|\[([^\]]+)\]", line):
            text = quoted[0] or quoted[1]
            for name in re.findall(r"(?<![\w/*.<$-])([\w-]+\.(?:c|h|py|sh|md|cu))(?![\w.(])", text):
                if name in self.tree.base_names or name in FOREIGN_FILES or name in self.made:
                    continue
                if re.match(r"[A-Z_]+\.", name):  # capitals stand for any name
                    continue
                self.complain(number, name, "no file of the tree has this name")

    def check_words(self, number, line):
        for quoted in re.findall(r"`([^`]+)`", line):
            for name in re.findall(r"(?<![\w.>-])([A-Za-z_][\w.]*)\(", quoted):
                if FOREIGN_FUNCTION.match(name) or name in LIBC:
                    continue
                if name.split(".")[-1] not in self.tree.words:
                    self.complain(number, name + "()", "no source has this function")
            for name in re.findall(r"\b((?:rf|cli|rfw|RF|RANGEFINDER)_[A-Za-z0-9_]+\*?)", quoted):
                if not self.tree.has_word(name):
                    self.complain(number, name, "no source has this name")
            if self.is_for_developers and re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+(\.\w+)?", quoted):
                for word in quoted.split("."):
                    if word not in self.tree.words and word not in FOREIGN_WORDS:
                        self.complain(number, word, "no source has this name")

    def check_messages(self, number, line):
        for message in re.findall(r"\*\*`([^`]+)`\*\*", line):
            if not self.tree.says(message):
                self.complain(number, message, "no source says this")

    def check_places(self):
        """`NAME` in [FILE](...): the file has the name."""
        text = "\n".join(self.lines)
        for found in re.finditer(r"`(\w+)`\s+(?:in|of)\s+\[[^\]]*\]\(([^)#]+)\)", text):
            path = os.path.normpath(os.path.join(os.path.dirname(self.path), found[2]))
            if path in self.tree.files and not re.search(rf"\b{found[1]}\b", self.tree.text(path)):
                self.complain(text.count("\n", 0, found.start()) + 1, found[1], f"is not in {path}")

    def check_driven(self, number, line, column, tests):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if column is None:
            return cells.index("driven by") if "driven by" in cells else -1
        if column >= 0 and len(cells) > column:
            for name in re.findall(r"`([\w.*-]+)`", cells[column]):
                self.check_test(number, name if "." in name else "record." + name, tests)
        return column

    def check_test(self, number, name, tests):
        if not any(fnmatch.fnmatch(test, name) for test in tests):
            self.complain(number, name, "there is no such test")

    def check_options(self, number, line, verbs):
        helped = set().union(*verbs.values())
        accepted = (self.tree.accepted_options() - helped) | FOREIGN_OPTIONS
        known = helped | accepted
        if self.is_for_developers:
            known |= self.tree.options_of_scripts()
        command = re.compile(r"(?<![\w/-])(rangefinder ([a-z][a-z0-9-]*)|nsys2json)((?: [^|;#`]*)?)")
        for found in command.finditer(line):
            verb = found[2] or "nsys2json"
            own = verbs.get(verb)
            if own is None:
                continue
            for option in re.findall(r"(?<=\s)--([a-z][a-z0-9-]*)", found[3]):
                if option not in own and option not in accepted:
                    self.complain(number, "--" + option, f"{verb} has no such option")
        for option in re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)(?!\*)", line):
            if option not in known:
                self.complain(number, "--" + option, "no verb has this option")


def headings(text):
    """The names by which links find the headings of a page."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found = set()
    for title in re.findall(r"^#+ (.*)$", text, re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        found.add(re.sub(r"[^\w -]", "", title).strip().replace(" ", "-"))
    return found


def documents_of(tree):
    patterns = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md", "docs/man/*.[1-9]*",
                "tests/README.md", "tests/*/README.md", "examples/*/README.md")
    return sorted(f for f in tree.files if any(fnmatch.fnmatch(f, p) for p in patterns)
                  and not f.startswith("tests/data/"))


def unreachable(documents):
    """The pages of docs to which no links lead from README.md."""
    links = {document.path: document.links for document in documents}
    reached, found = {"README.md"}, ["README.md"]
    while found:
        new = links.get(found.pop(), set()) - reached
        reached |= new
        found += new
    return sorted(p for p in links if fnmatch.fnmatch(p, "docs/*.md") and p not in reached)


def folders_without_row(tree):
    """The folders of tests that tests/README.md does not explain."""
    text = tree.text("tests/README.md")
    folders = sorted({f.split("/")[1] for f in tree.files if re.match(r"tests/[^/]+/", f)})
    return [f"tests/README.md:1: {name}: no word about this folder" for name in folders
            if f"`{name}`" not in text]


def fields_without_word(tree):
    """The fields that rows of exports have and docs/exports.md does not name."""
    text, found = tree.text("docs/exports.md"), []
    for path in tree.files:
        if path.startswith("src/model/fields/"):
            row = r'^    {\.name = "(\w+)"((?:[^{}"]|"[^"]*")*)}'
            rows = re.findall(row, tree.text(path), flags=re.M)
            names = {n for n, rest in rows if "RF_FIELD_EMPTY" not in rest}
            found += [f"docs/exports.md:1: {name}: a field of {path}, and no word about it"
                      for name in sorted(names) if f"`{name}`" not in text]
    return found


WRONG = """[x](nowhere.md) [x](README.md#no-such-heading)
src/nowhere.c is a path, `nowhere.h` a file,
`rf_no_such_name` a name, `no_such_call()` a function, `push_a` in
[inject.c](../src/record/nvtx/inject.c) is elsewhere.
    rangefinder stats --duration=1 run.rf --no-such-option
`record.no-such-test` and, for people, **`no source says … this`**
| state | driven by |
| x | `no-such-case` |
"""
FOUND = """1 nowhere.md|1 README.md#no-such-heading|2 src/nowhere.c|2 nowhere.h|3 rf_no_such_name|3 no_such_call()
5 --duration|5 --no-such-option|6 record.no-such-test|6 no source says … this|8 record.no-such-case|3 push_a"""


def check_itself(tree, verbs, tests):
    """What is wrong with WRONG is found, and nothing else."""
    path = "docs/troubleshooting.md"
    page = Document(tree, path, WRONG)
    page.is_for_developers = True
    found = {tuple(problem[len(path) + 1 :].split(": ")[:2]) for problem in page.check(verbs, tests)}
    wanted = {tuple(one.split(" ", 1)) for one in re.split(r"[|\n]", FOUND)}
    assert found == wanted, (found - wanted, wanted - found)


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:3])
    tree = Tree(source, build)
    verbs = options_of_verbs(os.path.join(build, "bin/rangefinder"))
    tests = names_of_tests(build)
    assert len(verbs) > 10 and all(verbs.values()) and len(tests) > 100, (verbs, tests)
    check_itself(tree, verbs, tests)
    documents = [Document(tree, path) for path in documents_of(tree)]
    problems = [problem for document in documents for problem in document.check(verbs, tests)]
    problems += [f"{path}:1: {path}: no link leads here from README.md"
                 for path in unreachable(documents)]
    problems += folders_without_row(tree) + fields_without_word(tree)
    print("\n".join(problems))
    print(f"{len(documents)} documents, {len(problems)} names that do not exist")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
