#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_data.py FOLDER FILE.sqlite...: writes FOLDER/FILE.rows, what comparing with a recording of
nsys needs of its export, and nothing of the machine that it was made on."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import nsys_rows  # noqa: E402

for path in sys.argv[2:]:
    name = os.path.splitext(os.path.basename(path))[0]
    with open(os.path.join(sys.argv[1], name + ".rows"), "w", encoding="utf-8") as file:
        nsys_rows.write_rows(nsys_rows.read_rows(path), file)
