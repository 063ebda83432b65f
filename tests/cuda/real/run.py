#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py list: the names of the cases. run.py --build DIR CASE: runs one.

A case is a function case_NAME(test) in a file cases_*.py beside this one; its test is
cuda-real.NAME. The runner is that of tests/record."""

import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "..", "..", "record")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
spec = importlib.util.spec_from_file_location("record_run", os.path.join(RECORD, "run.py"))
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)

import real  # noqa: E402

sys.exit(runner.main(HERE, real))
