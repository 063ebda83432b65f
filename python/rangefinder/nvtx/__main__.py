# SPDX-License-Identifier: Apache-2.0
"""python -m rangefinder.nvtx [options] SCRIPT [ARGUMENT...]: runs a program with a range around every
function, and with `import nvtx` being rangefinder.nvtx."""

import argparse
import os
import runpy
import sys

from rangefinder import nvtx


def _options(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m rangefinder.nvtx",
        usage="%(prog)s [options] SCRIPT [ARGUMENT...]",
        description="Runs a program with an NVTX range around every function, in the domain nvtx.py. "
        "A tool records them: rangefinder profile python -m rangefinder.nvtx train.py",
    )
    parser.add_argument("--include", action="append", metavar="PATTERN",
                        help="only functions whose file or name fits (a shell pattern); repeatable")
    parser.add_argument("--exclude", action="append", metavar="PATTERN",
                        help="no functions whose file or name fits; repeatable")
    parser.add_argument("--linenos", action="store_true", default=True,
                        help="messages say file and line (the default)")
    parser.add_argument("--no-linenos", action="store_false", dest="linenos",
                        help="messages are the names of functions alone")
    parser.add_argument("--c-calls", "--annotate-cfuncs", action="store_true", dest="c_calls",
                        help="functions that are not written in Python too")
    parser.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT [ARGUMENT...]")
    options = parser.parse_args(arguments)
    if not options.script:
        parser.error("no SCRIPT to run")
    return options


def main(arguments=None):
    """Returns when the program does; what it raises goes through."""
    options = _options(arguments)
    nvtx.install()
    profile = nvtx.Profile(
        options.linenos, options.c_calls, include=options.include,
        exclude=[*(options.exclude or []), __file__, runpy.__file__],
    )
    sys.argv = options.script
    sys.path[0] = os.path.dirname(os.path.abspath(options.script[0]))
    with profile:
        runpy.run_path(options.script[0], run_name="__main__")


if __name__ == "__main__":
    main()
