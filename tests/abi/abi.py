#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""abi.py BUILD [--write]: the binary interface of librangefinder beside librangefinder.abi.xz, which
is what programs were built with: abidiff (abigail-tools) finds nothing but what docs/compatibility.md
lets grow, structures at their end among it. It is then made to find changes that do break programs.
BUILD needs debug information.

--write: the interface as it is now becomes the one to compare with"""

import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import policy

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = policy.BASELINE
HEADERS = HERE.parent.parent / "include"
INCOMPATIBLE_OR_CHANGED = 4 | 8  # bits of abidiff's exit status


def skip(text):
    print(f"SKIP: {text}")
    sys.exit(77)


def interface_of(library):
    done = subprocess.run(
        ["abidw", "--headers-dir", HEADERS, "--drop-private-types", "--drop-undefined-syms", "--no-show-locs",
         "--no-comp-dir-path", "--no-corpus-path", "--no-elf-needed", "--type-id-style", "hash", library],
        capture_output=True, text=True, check=True)
    return done.stdout


def growing(interface):
    """The structures that may grow, by the table and by the rule of policy.py."""
    every = {one.get("name") for one in ElementTree.fromstring(interface).iter("class-decl")}
    return every - policy.fixed() - policy.may_not_grow(interface)


def differences(folder, before, now):
    """What breaks programs, as abidiff prints it; "": nothing."""
    paths = [folder / name for name in ("before.abi", "now.abi", "may-grow")]
    rules = "".join(f"[suppress_type]\n  type_kind = struct\n  name = {name}\n  has_data_member_inserted_at = end\n"
                    for name in sorted(growing(before)))
    for path, text in zip(paths, (before, now, rules)):
        path.write_text(text)
    done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", paths[2], paths[0], paths[1]],
                          capture_output=True, text=True)
    if done.returncode & ~INCOMPATIBLE_OR_CHANGED:
        sys.exit(f"abidiff failed ({done.returncode}): {done.stderr}{done.stdout}")
    return done.stdout if done.returncode else ""


def forged(interface):
    """(what, whether it breaks programs, the changed interface)"""
    def changed(pattern, by):
        text, n = re.subn(pattern, by, interface, count=1, flags=re.DOTALL)
        assert n == 1, pattern
        return text

    def grown(name):
        struct = rf"(<class-decl name='{name}' size-in-bits=')(\d+)('.*?)(\n\s*</class-decl>)"
        bits = int(re.search(struct, interface, re.DOTALL).group(2))
        of_type = re.search(r"<type-decl name='double'[^>]* id='([^']*)'", interface).group(1)
        return changed(struct, rf"\g<1>{bits + 64}\3\n<data-member access='public' layout-offset-in-bits='{bits}'>"
                               rf"<var-decl name='added' type-id='{of_type}' visibility='default'/></data-member>\4")

    yield "a function is gone", True, re.sub(r"[^\n]*name='rf_aligned_ns'.*?\n", "", interface, count=1)
    yield "a constant has another number", True, changed(r"(name='RF_COMPARE_ALL' value=')\d+", r"\g<1>99")
    yield "an element of arrays grows", True, changed(
        r"(<class-decl name='rf_anchor' size-in-bits=')\d+", r"\g<1>256")
    for name in ("rf_payload_bytes", "rf_merged_input_info"):
        yield f"{name}, which the program allocates without a size, grows", True, grown(name)
    for name in ("rf_clock", "rf_process"):
        yield f"{name} grows at its end", False, grown(name)


def main():
    build, write = sys.argv[1], "--write" in sys.argv[2:]
    library = pathlib.Path(build, "lib", "librangefinder.so")
    if shutil.which("abidw") is None or shutil.which("abidiff") is None:
        skip("abidw and abidiff are not installed (abigail-tools)")
    now = interface_of(library)
    if "<class-decl" not in now:
        skip("the library has no debug information")
    if write:
        BASELINE.write_bytes(lzma.compress(now.encode(), preset=9))
        return
    if "architecture='elf-amd-x86_64'" not in now:
        skip("the interface to compare with is that of x86-64")
    before = lzma.decompress(BASELINE.read_bytes()).decode()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = differences(folder, before, now)
        if found:
            sys.exit(f"{found}\nPrograms that were built before break. If that is meant, say it in CHANGELOG.md, and run\n"
                     f"    python3 {pathlib.Path(__file__).name} {build} --write")
        for what, breaks, interface in forged(before):
            if (differences(folder, before, interface) != "") != breaks:
                sys.exit(f"{what}: {'not found' if breaks else 'found, though it breaks nothing'}\n"
                         f"{differences(folder, before, interface)}")
    print("nothing that breaks programs")


if __name__ == "__main__":
    main()
