# SPDX-License-Identifier: Apache-2.0
"""python3 -m rangefinder.fleet recipe REPORT --input ...: what `rangefinder recipe` runs.
python3 -m rangefinder.fleet export --input ... --to DIR: a job as Parquet (docs/parquet.md)."""

import argparse
import signal
import sys

from rangefinder.fleet import FleetError, _export, _recipe, _recipes


def _true(word):
    if word not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"'{word}' is neither true nor false")
    return word == "true"


def _add_flag(parser, *names, **kind):
    parser.add_argument(*names, nargs="?", const=True, default=False, type=_true, metavar="true|false", **kind)


def _add_common(parser):
    parser.add_argument("--input", action="append", nargs="+", required=True, metavar="PATH[:N]",
                        help="recordings, summaries, or folders of them (of a folder the first N)")
    parser.add_argument("--mode", choices=("none", "concurrent", "dask-futures"), default="concurrent",
                        help="one process; one per processor; tasks of Dask")
    parser.add_argument("--progress", choices=("auto", "json", "none"), default="auto",
                        help="on a terminal; lines of JSON on standard error; not at all")
    _add_flag(parser, "-f", "--force-overwrite")
    _add_flag(parser, "-q", "--quiet")


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m rangefinder.fleet", description=__doc__, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True)
    recipe = verbs.add_parser("recipe", allow_abbrev=False)
    recipe.add_argument("--help-recipes", action="store_true")
    recipe.add_argument("recipe", metavar="REPORT")
    recipe.add_argument("--output", metavar="DIR")
    recipe.add_argument("--step", metavar="MESSAGE[@DOMAIN]")
    recipe.add_argument("--collective", metavar="MESSAGE[@DOMAIN]")
    recipe.add_argument("--filter-time", metavar="START/END")
    recipe.add_argument("--filter-nvtx", metavar="MESSAGE[@DOMAIN][/INDEX]")
    _add_flag(recipe, "--csv")
    _add_flag(recipe, "--fold-numbers")
    _add_common(recipe)
    export = verbs.add_parser("export", allow_abbrev=False, help="Parquet: docs/parquet.md")
    export.add_argument("--to", required=True, metavar="DIR", help="the folder to write")
    export.add_argument("--run", metavar="NAME", help="the partition run=NAME; by default the name of the input")
    _add_common(export)
    options = parser.parse_args(arguments)
    options.input = [path for group in options.input for path in group]
    options.arguments = arguments
    return options


def main(arguments):
    """Returns an exit status."""
    if arguments[:1] == ["recipe"] and "--help-recipes" in arguments:
        print(_recipes.described())
        return 0
    if arguments[:1] == ["_export"]:  # a task of export, see _export.py
        from rangefinder.fleet import _parquet

        return _parquet.main(*arguments[1:])
    options = _parse(arguments)
    # what is written so far goes with a process that a batch system ends
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        return _recipe.recipe(options) if options.verb == "recipe" else _export.export(options)
    except (FleetError, ValueError) as error:
        for line in str(error).splitlines():
            _recipe.say(line)
    except OSError as error:
        _recipe.say(f"'{error.filename}': {error.strerror.lower()}" if error.filename and error.strerror else error)
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(status)
