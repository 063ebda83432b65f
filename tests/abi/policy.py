#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""policy.py: the table of docs/compatibility.md beside the public headers and the interface of the library: which
structs may grow. Its functions are what abi.py and layout.py know of that.

A struct may grow where the program cannot have one of its own, or says how large its own is: its first member
is `size`, or the library hands out pointers to it. It may not where it lies in another struct."""

import lzma
import pathlib
import re
import sys
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BASELINE = HERE / "librangefinder.abi.xz"
HEADERS = ROOT / "include" / "rangefinder"
POLICY = ROOT / "docs" / "compatibility.md"
SIZED, FIXED, OPAQUE = "begin with the `INIT` macro", "not at all", "opaque types"


def table(text):
    """[(names of structs, the whole row)]"""
    rows = re.findall(r"^\|.*\|$", text.partition("\n## What a minor version may change\n")[2].partition("\n## ")[0],
                      re.MULTILINE)
    return [(re.findall(r"`(rf_\w+)`", row.split("|")[1]), row) for row in rows]


def named(word, text=None):
    """The structs of the rows that have a word."""
    rows = table(POLICY.read_text() if text is None else text)
    return {name for names, row in rows if word in row for name in names}


def fixed():
    return named(f"| {FIXED}")


# ---- The rule ----

class Uses:
    """How functions and structs refer to each struct: "*" is a pointer to one that may be written, "* const" one to a
    constant, "" one by value."""

    def __init__(self, interface):
        tree = ElementTree.fromstring(interface)
        self.types = {one.get("id"): one for one in tree.iter() if one.get("id")}
        self.first, self.parameters, self.returned, self.members = {}, {}, {}, {}
        for one in tree.iter("function-decl"):
            for part in one:
                if part.tag in ("parameter", "return"):
                    self._note(self.parameters if part.tag == "parameter" else self.returned, part)
        for one in tree.iter("class-decl"):
            variables = [member.find("var-decl") for member in one.findall("data-member")]
            if variables:
                self.first[one.get("name")] = variables[0].get("name")
            for variable in variables:
                self._note(self.members, variable)

    def _note(self, found, part):
        path, at = [], self.types.get(part.get("type-id"))
        while at is not None and at.tag != "class-decl":
            if at.tag == "pointer-type-def":
                path.append("*")
            elif at.tag == "qualified-type-def" and at.get("const") == "yes":
                path.append("const")
            at = self.types.get(at.get("type-id"))
        if at is not None:
            found.setdefault(at.get("name"), set()).add(" ".join(path))

    def may_grow(self, name):
        parameters, members = self.parameters.get(name, set()), self.members.get(name, set())
        if "" in members:
            return False
        if self.first[name] == "size":
            return True
        by_pointer = {"* *", "* * const"} & parameters
        is_handed_out = bool(by_pointer or members or self.returned.get(name))
        return is_handed_out and ("*" not in parameters or "* *" in parameters)


def may_not_grow(interface):
    uses = Uses(interface)
    return {name for name in uses.first if not uses.may_grow(name)}


# ---- Checks ----

def check_headers(text):
    """Yields what the page lacks, or has and should not."""
    structs, opaque = {}, set()
    for header in sorted(HEADERS.glob("*.h")):
        if f"](../include/rangefinder/{header.name})" not in text:
            yield f"the page does not name {header.name}"
        source = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        structs.update(re.findall(r"^struct (rf_\w+) \{\s*(.*?);", source, re.MULTILINE | re.DOTALL))
        opaque |= set(re.findall(r"^typedef struct (rf_\w+) rf_\w+;", source, re.MULTILINE))
    sized = {name for name, first in structs.items() if first == "size_t size"}
    for what, is_there, said in (("its first member is size", sized, named(SIZED, text)),
                                 ("it is opaque", opaque, named(OPAQUE, text))):
        yield from (f"{name}: {what}, and it is not in the row of these" for name in sorted(is_there - said))
        yield from (f"{name}: it is in a row of which it is not: {what}" for name in sorted(said - is_there))
    names = [name for names, _ in table(text) for name in names]
    for name in sorted(set(names)):
        if names.count(name) > 1 and name not in sized:
            yield f"{name} is in {names.count(name)} rows"
        if name not in structs and name not in opaque:
            yield f"no header has {name}"


def check_interface(interface):
    yield from (f"{name} may not grow: programs allocate it without a size, or it lies in another struct. Say so in "
                f"{POLICY.name}" for name in sorted(may_not_grow(interface) - fixed()))


def forged(interface):
    """(struct, what was done to the interface) after which it may not grow any more."""
    def changed(pattern, by):
        text, n = re.subn(pattern, by, interface, count=1, flags=re.DOTALL)
        assert n == 1, pattern
        return text

    yield "rf_finding", changed(r"(<class-decl name='rf_finding'.*?<var-decl name=')size'", r"\1other'")
    # the struct that rf_info_of() hands out lies in another one
    info = re.search(r"<class-decl name='rf_info'[^>]* id='([^']*)'", interface).group(1)
    yield "rf_info", changed(r"(<class-decl name='rf_coverage'.*?)(\n\s*</class-decl>)",
                             rf"\1<data-member><var-decl name='more' type-id='{info}'/></data-member>\2")
    # and the program may give its own to a function
    to_info = f"<pointer-type-def type-id='{info}' size-in-bits='64' id='forged'/>"
    yield "rf_info", changed(r"(<function-decl name='rf_aligned_ns'[^>]*>)",
                             r"\1<parameter type-id='forged'/>").replace("<class-decl", f"{to_info}<class-decl", 1)


def main():
    text, interface = POLICY.read_text(), lzma.decompress(BASELINE.read_bytes()).decode()
    wrong = [*check_headers(text), *check_interface(interface)]
    if wrong:
        sys.exit("\n".join(wrong))
    for name in ("rf_payload_bytes", "rf_value", "rf_merged_input_info", "rf_counter_limit"):
        assert name in may_not_grow(interface), f"the rule lets {name} grow"
    for name, interface_then in forged(interface):
        assert name not in may_not_grow(interface), f"the rule does not let {name} grow"
        assert name in may_not_grow(interface_then), f"the rule lets {name} grow, though programs would break"
    for name in ("rf_why_cause", "rf_clock"):  # the page as it was without them
        assert any(name in one for one in check_headers(text.replace(f"`{name}`", ""))), f"{name} is not missed"
    print(f"{len(fixed())} structs may not grow, {len(named(SIZED))} have a size")


if __name__ == "__main__":
    main()
