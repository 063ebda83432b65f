#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""constants.py CC [--write]: the constants of the public enumerations beside constants.txt, which is
what programs were built with: none is gone or has another value. (abi.py does not see them: functions
take them as int.)

--write: the constants as they are now become the ones to compare with"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "constants.txt"
INCLUDE = HERE.parent.parent / "include"


def names():
    for header in sorted((INCLUDE / "rangefinder").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        for body in re.findall(r"\benum\s+\w+\s*\{(.*?)\}", text, re.DOTALL):
            yield from re.findall(r"(?:^|,)\s*(RF_\w+)", body)


def values(compiler):
    headers = "".join(f"#include <rangefinder/{header.name}>\n" for header in sorted((INCLUDE / "rangefinder").glob("*.h")))
    prints = "".join(f'printf("{name} %lld\\n", (long long){name});\n' for name in names())
    with tempfile.TemporaryDirectory() as name:
        program = pathlib.Path(name, "constants")
        source = program.with_suffix(".c")
        source.write_text(f"#include <stdio.h>\n{headers}int main(void)\n{{\n{prints}return 0;\n}}\n")
        subprocess.run([compiler, "-I", INCLUDE, "-o", program, source], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def main():
    now = values(sys.argv[1])
    if "--write" in sys.argv[2:]:
        BASELINE.write_text(now)
        return
    have = dict(line.split() for line in now.splitlines())
    before = dict(line.split() for line in BASELINE.read_text().splitlines())
    if len(before) < 200 or not set(before) & {"RF_ALIGN_ANCHORS", "RF_ERR_IO"}:
        sys.exit(f"{BASELINE.name} has {len(before)} constants, and lacks some")
    wrong = [f"{name} was {value}, and is {have.get(name, 'gone')}" for name, value in before.items() if have.get(name) != value]
    wrong += [f"{name} is new: add it to {BASELINE.name}" for name in have if name not in before]
    if wrong:
        sys.exit("\n".join(wrong) + f"\nIf that is meant: python3 tests/abi/{pathlib.Path(__file__).name} cc --write")
    print(f"{len(have)} constants")


if __name__ == "__main__":
    main()
