#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py list: the names of the cases. run.py --build DIR CASE: runs one.

A case is a function case_NAME(test) in a file cases_*.py; its test is terminal.NAME. Exit status: 0
passed, 1 failed, 77 skipped, with the reason on a line "SKIP: ...". """

import argparse
import glob
import importlib
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import screen  # noqa: E402


def find_cases():
    cases = {}
    for path in sorted(glob.glob(os.path.join(HERE, "cases_*.py"))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, function in vars(module).items():
            if name.startswith("case_"):
                cases[name[5:].replace("_", "-")] = function
    return cases


def run_case(function, build):
    folder = tempfile.mkdtemp(prefix="rf-terminal-")
    test = screen.Test(build, folder)
    try:
        function(test)
    except screen.Skip as skip:
        print(f"SKIP: {skip}")
        return 77
    except screen.Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    finally:
        test.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("case", nargs="+")
    arguments = parser.parse_args()
    cases = find_cases()
    if arguments.case == ["list"]:
        print("\n".join(cases))
        return 0
    status = 0
    for name in arguments.case:
        if name not in cases:
            parser.error(f"no case '{name}'")
        result = run_case(cases[name], arguments.build)
        if len(arguments.case) > 1:
            print(f"{name}: {({0: 'passed', 77: 'skipped'}).get(result, 'FAILED')}")
        status = result or status
    return status


if __name__ == "__main__":
    sys.exit(main())
