#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layout.py CC SOURCE [--refresh]: compares where the members of the public structs lie with
layout.txt, which programs that are compiled already rely on (docs/compatibility.md). A struct may get
members at its end; one of which that page says so may not. `reserved` members may become others.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "abi"))
import policy  # noqa: E402

FIXED = policy.fixed()


def structs_of(folder):
    """[(struct, [members])] of all headers, members of unions among the others."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            source = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for struct, body in re.findall(r"^struct (rf_\w+) \{\n(.*?)^\};", source, re.M | re.S):
            body = re.sub(r"union \{|\}", "", body)
            members = []
            for declaration in body.split(";"):
                pointer = re.search(r"\(\*(\w+)\)\(", declaration)
                if pointer:
                    members.append(pointer[1])
                elif declaration.strip():
                    members += [re.search(r"(\w+)(?:\[[^]]*\])*\s*$", one)[1]
                                for one in declaration.split(",")]
            found.append((struct, members))
    return found


def layout_of(compiler, source):
    """The lines STRUCT MEMBER OFFSET SIZE, and STRUCT - 0 SIZE."""
    include = os.path.join(source, "include")
    lines = []
    for struct, members in structs_of(os.path.join(include, "rangefinder")):
        lines.append(f'printf("{struct} - 0 %zu\\n", sizeof(struct {struct}));')
        lines += [f'printf("{struct} {member} %zu %zu\\n", offsetof(struct {struct}, {member}), '
                  f"sizeof(((struct {struct} *)0)->{member}));" for member in members]
    program = ("#include <rangefinder/rangefinder.h>\n#include <rangefinder/pm_sampling.h>\n"
               "#include <rangefinder/summary.h>\n#include <rangefinder/why.h>\n"
               "#include <rangefinder/advise.h>\n"
               "#include <rangefinder/clocks.h>\n"
               "#include <rangefinder/compare.h>\n"
               "#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layout")
        with open(path + ".c", "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([compiler, "-std=c11", "-I", include, path + ".c", "-o", path], check=True)
        return subprocess.check_output([path], text=True).splitlines()


def is_in_reserved(line, expected):
    """Whether a member lies where a reserved one was."""
    struct, _, at, size = line.split()
    reserved = [was.split() for was in expected if was.startswith(f"{struct} reserved")]
    return any(int(was[2]) <= int(at) and int(at) + int(size) <= int(was[2]) + int(was[3])
               for was in reserved)


def differences(expected, now):
    """Yields what programs that are compiled already would trip over."""
    is_now = {tuple(line.split()[:2]): line for line in now}
    for line in expected:
        struct, member = line.split()[:2]
        if (member == "-" and struct not in FIXED) or member.startswith("reserved"):
            continue
        if is_now.get((struct, member)) != line:
            yield f"was: {line}    is: {is_now.get((struct, member), 'not there')}"
    known = {tuple(line.split()[:2]) for line in expected}
    for line in now:
        struct, member = line.split()[:2]
        is_new = (struct, member) not in known and not is_in_reserved(line, expected)
        if struct in FIXED and is_new:
            yield f"new: {line}"


def main():
    compiler, source = sys.argv[1:3]
    path = os.path.join(source, "tests/headers/layout.txt")
    now = layout_of(compiler, source)
    if "--refresh" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(now) + "\n")
        return 0
    with open(path, encoding="utf-8") as file:
        expected = file.read().splitlines()
    wrong = list(differences(expected, now))
    for line in wrong:
        print(line)
    missing = set(now) - set(expected)
    if not wrong and missing:
        print("layout.txt does not have these yet; layout.py --refresh adds them:")
        print("\n".join(sorted(missing)))
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
