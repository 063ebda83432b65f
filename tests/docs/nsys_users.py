# SPDX-License-Identifier: Apache-2.0
"""nsys_users.py PAGE RANGEFINDER: what the page says of nsys's options and reports is what happens; every
option of `profile` and every report that an installed nsys has is on the page or in the help."""

import re
import shutil
import subprocess
import sys
import tempfile

PAGE, RANGEFINDER = sys.argv[1:3]
KINDS = {  # heading of a table: (exit status, what standard error has)
    "accepted, and a line says that it is not recorded": (0, "not recorded by this version"),
    "accepted, and it changes nothing": (0, None),
    "refused": (2, "refused|not supported|rangefinder: "),
}
# not 1
VALUES = {"--trace-fork-before-exec": "true", "--wait": "all"}


def tables(text):
    """(heading, options) of each table."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        yield table.split("|")[1].strip(), re.findall(r"`(--[a-z0-9-]+)`", "".join(
            line.split("|")[1] for line in table.splitlines()[2:]))


def profile(option, folder):
    return subprocess.run([RANGEFINDER, "profile", "-o", "run", "-f", "true", f"{option}={VALUES.get(option, '1')}", "true"],
                          cwd=folder, capture_output=True, text=True)


def check(option, status, message, folder):
    done = profile(option, folder)
    if done.returncode != status:
        return f"{option}: exit status {done.returncode}, {done.stderr}"
    says = "not recorded by this version" in done.stderr
    if message is None and says or message is not None and not re.search(message, done.stderr):
        return f"{option}: {done.stderr}"
    return None


def rangefinder(*words):
    return subprocess.run([RANGEFINDER, *words], capture_output=True, text=True)


def check_other(verb, option, kind, listed):
    """What a verb makes of an option, of which its help has those in `listed`."""
    if kind == "same":
        done = rangefinder(*verb.split(), option, "--help")
        fits = option in listed or done.returncode == 0
    else:
        value = "true" if kind == "ignored" else "1"
        done = rangefinder(*verb.split(), f"{option}={value}", "--help")
        fits = option not in listed and {
            "ignored": done.returncode == 0 and not done.stderr,
            "said": f"rangefinder: not done by '{verb}': " in done.stderr and f"({option})" in done.stderr,
            "refused": done.returncode == 2 and re.match(rf"rangefinder: '?{option}'?: ", done.stderr),
        }[kind]
    return None if fits else f"{verb} {option} is not {kind}: {done.returncode}, {done.stderr}"


def check_others(text):
    """The table of the other verbs."""
    rows = re.search(r"## Options of other verbs\n\n\|.*\n\|.*\n((?:\|.*\n)+)", text).group(1).splitlines()
    wrong, n = [], 0
    for row in rows:
        verbs, *columns = row.strip("|").split("|")
        for verb in re.findall(r"`([a-z ]+)`", verbs):
            listed = set(re.findall(r"--[a-z0-9-]+", rangefinder("help", verb.split()[0]).stdout))
            for kind, cell in zip(("same", "ignored", "said", "refused"), columns):
                for option in re.findall(r"`(--[a-z0-9-]+)`", cell):
                    n += 1
                    wrong.append(check_other(verb, option, kind, listed))
    assert n > 60, n
    return [line for line in wrong if line]


def check_reports(text):
    """Those that are said to be the same are listed; lists.py compares those that are refused."""
    listed = rangefinder("stats", "--help-reports").stdout
    table = re.search(r"\| report of nsys, the same here \|\n.*\n(.*)\n", text).group(1)
    names = re.findall(r"`([a-z_]+)`", table)
    assert len(names) > 20, names
    if shutil.which("nsys"):
        theirs = re.findall(r"^  ([a-z0-9_]+)(?:\[[^\]]*\]|:[^ ]*)* --", subprocess.run(
            ["nsys", "stats", "--help-reports"], capture_output=True, text=True).stdout, re.MULTILINE)
        missing = [name for name in theirs if f"`{name}`" not in text]
        if missing:
            return [f"reports of nsys that the page has not: {missing}"]
    return [f"{name} is no report" for name in names if not re.search(rf"\b{name}\b", listed)]


def main():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    found = {heading: options for heading, options in tables(text) if heading in KINDS}
    if set(found) != set(KINDS) or min(map(len, found.values())) < 4:
        sys.exit(f"the tables of {PAGE}: {found}")
    with tempfile.TemporaryDirectory() as folder:
        wrong = [check(option, *KINDS[heading], folder) for heading, options in found.items() for option in options]
    wrong = [line for line in wrong if line] + check_others(text) + check_reports(text)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{sum(map(len, found.values()))} options do what the page says")
    if shutil.which("nsys") is None:
        print("nsys is not installed: whether these are all was not looked at")
        return
    theirs = set(re.findall(r"^\s+(?:-\w,\s*)?(--[a-z0-9-]+[a-z0-9])", subprocess.run(
        ["nsys", "profile", "--help"], capture_output=True, text=True).stdout, re.MULTILINE))
    ours = subprocess.run([RANGEFINDER, "profile", "--help"], capture_output=True, text=True).stdout
    # of nvtx-domain-include and -exclude it prints what they have in common
    missing = [option for option in sorted(theirs - {"--help"}) if option not in text and option not in ours]
    if len(theirs) < 30 or missing:
        sys.exit(f"of {len(theirs)} options of nsys neither the page nor the help has {missing}")
    print(f"all {len(theirs)} options of nsys are known")


if __name__ == "__main__":
    main()
