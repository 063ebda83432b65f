#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""man_options.py MAN RANGEFINDER: each option of a verb's man page, in the folder MAN of a build, has the letter, the
name of its value and the help that `rangefinder VERB -h` has. (That these are the same options, tests/cli/man looks.)"""

import pathlib
import re
import subprocess
import sys

MAN, RANGEFINDER = pathlib.Path(sys.argv[1]), sys.argv[2]
RECORD = {"gpu-metrics": ["gpu-metrics", "record"]}  # its options are on the same page


def help_of(words):
    """{name: (signature, text)} of the options that a help lists."""
    text = subprocess.run([RANGEFINDER, *words, "-h"], check=True, capture_output=True, text=True).stdout
    options, found = {}, None
    for line in text[text.index("\noptions:"):].splitlines()[2:]:
        match = re.match(r"  (-.,|   ) --([a-z0-9-]+)(\S*)(.*)", line)
        if match:
            letter, name, value, rest = match.groups()
            found = [letter.strip(), value, rest.strip()]
            options[name] = found
        elif line.startswith(" " * 30) and found:
            found[2] += " " + line.strip()
        else:
            found = None
    return options


def plain(text):
    text = re.sub(r"\\f[BIR]", "", text)
    return text.replace("\\-", "-").replace("\\|", "").replace("\\e", "\\").replace("\\&", "")


def page_of(path):
    """The same of a man page, of all its sections of options."""
    options, found = {}, None
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line == ".TP":
            match = re.match(r"(?:(-.), )?--([a-z0-9-]+)(\S*)$", plain(next(lines, "")))
            found = [f"{match[1]}," if match[1] else "", match[3], ""] if match else None
            if found:
                options.setdefault(match[2], found)
        elif line.startswith((".SH", ".RS", ".RE")):
            found = None
        elif found is not None and not line.startswith("."):
            found[2] += " " + plain(line)
    return options


def words_of(text):
    """A command in quotes is bold in the man page."""
    return re.sub(r"'(rangefinder [^']*)'", r"\1", text).split()


def compare(verb, theirs, page):
    for name, (letter, value, text) in theirs.items():
        if name not in page or name == "help":
            continue
        other_letter, other_value, other_text = page[name]
        if letter != other_letter:
            yield f"{verb} --{name}: the letter is '{letter}', and '{other_letter}' in the man page"
        if value != other_value:
            yield f"{verb} --{name}: '{value}' in the help, '{other_value}' in the man page"
        if words_of(other_text)[:len(words_of(text))] != words_of(text):
            yield f"{verb} --{name}: '{text}' in the help, '{other_text}' in the man page"


def main():
    wrong, n = [], 0
    for path in sorted(MAN.glob("rangefinder-*.1")):
        verb = path.stem[len("rangefinder-"):]
        of_other = re.search(r'^\.\\" options: (\S+)$', path.read_text(encoding="utf-8"), re.MULTILINE)
        page = page_of(MAN / of_other.group(1) if of_other else path)
        theirs = help_of([verb])
        n += len(theirs)
        wrong += compare(verb, theirs, page)
        if verb in RECORD:
            wrong += compare(f"{verb} record", help_of(RECORD[verb]), page)
    assert n > 200, n
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{n} options have the same letters, values and texts in help and man page")


if __name__ == "__main__":
    main()
