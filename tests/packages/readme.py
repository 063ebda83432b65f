#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: readme.py README.md FOLDER: writes the programs of the README's thirty seconds, train.c and
train.py, into FOLDER."""

import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
for heading, language, name in (("Thirty seconds", "c", "train.c"), ("Python", "python", "train.py")):
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    program = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)[1]
    (pathlib.Path(sys.argv[2]) / name).write_text(program)
