#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py list: the names of the cases. run.py --build DIR CASE: runs one.

A case is a function case_NAME(test) in a file cases_*.py; its test is record.NAME. Exit status: 0
passed, 1 failed, 77 skipped, with the reason on a line "SKIP: ...". """

import argparse
import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import harness  # noqa: E402


def find_cases(here):
    cases = {}
    for path in sorted(glob.glob(os.path.join(here, "cases_*.py"))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, function in vars(module).items():
            if name.startswith("case_"):
                cases[name[5:].replace("_", "-")] = function
    return cases


def run_case(function, kit, build, keep):
    test = kit.Test(build)
    try:
        function(test)
    except kit.Skip as skip:
        print(f"SKIP: {skip}")
        return 77
    except kit.Failure as failure:
        print(f"FAILED: {failure}")
        if keep:
            print(f"kept: {test.folder}")
        return 1
    finally:
        if not keep:
            test.close()
    return 0


def main(here=HERE, kit=harness):
    """here: the folder of the cases; kit: what has their Test, Skip and Failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--keep", action="store_true", help="keep the files of the case")
    parser.add_argument("case", nargs="+")
    arguments = parser.parse_args()
    cases = find_cases(here)
    if arguments.case == ["list"]:
        print("\n".join(cases))
        return 0
    status = 0
    for name in arguments.case:
        if name not in cases:
            parser.error(f"no case '{name}'")
        result = run_case(cases[name], kit, arguments.build, arguments.keep)
        if len(arguments.case) > 1:
            print(f"{name}: {({0: 'passed', 77: 'skipped'}).get(result, 'FAILED')}")
        status = result or status
    return status


if __name__ == "__main__":
    sys.exit(main())
