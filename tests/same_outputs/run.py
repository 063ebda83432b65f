#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py OLD NEW [FOLDER...]: do two builds write the same of every recording that the tests have?

Makes recordings with the build OLD (recordings.py), asks both builds for every output of each
(outputs.py), compares these byte for byte, and says of those that differ in which fields they do
(differences.py). FOLDER: more recordings and databases. Exit status: 0 where all outputs are equal
or only have something added, else 1.

--keep DIR   keep the recordings and the outputs of OLD in DIR, or use those that an earlier run left
             there
--left DIR   leave what NEW wrote otherwise in DIR (default: NEW/same-outputs)
--only TEXT  only recordings with TEXT in their names
--show N     show N of the outputs that differ (default: 40)
--jobs N     commands at a time (default: one per core)"""

import argparse
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import differences  # noqa: E402
import outputs  # noqa: E402
import recordings  # noqa: E402


def make_recordings(options, folder):
    if not folder.exists():
        unfinished = folder.with_name("recordings.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        subprocess.run([sys.executable, HERE / "recordings.py", options.old, unfinished,
                        *options.folders], check=True, stdout=subprocess.DEVNULL)
        unfinished.rename(folder)
    return [path.name for path, _ in recordings.paths_in(folder)]


def write_old(options, program, folder, reports, to):
    """The outputs of OLD, unless a mark says that they are there."""
    mark = to.parent / "old.complete"
    about = f"{options.old} {os.stat(program.rangefinder).st_mtime_ns}\n"
    if mark.exists() and mark.read_text() == about:
        return
    mark.unlink(missing_ok=True)
    outputs.write(program, folder, reports, to, options.jobs, options.only)
    if not options.only:
        mark.write_text(about)


def files_below(folder, only):
    """The files of the recordings with a text in their names."""
    return {str(path.relative_to(folder)) for place in folder.iterdir() if only in place.name
            for path in place.rglob("*") if path.is_file()}


def compare_all(old, new, versions, only):
    """{name of an output: Difference}, and how many there are; removes what is equal from new."""
    names, found = files_below(old, only) | files_below(new, only), {}
    for name in sorted(names):
        a, b = old / name, new / name
        if a.exists() and b.exists():
            difference = differences.compare(a, b, versions)
            if difference is None:
                b.unlink()
        else:
            difference = differences.Difference()
            difference.add("added file" if b.exists() else "removed file",
                           f"*{''.join(pathlib.Path(name).suffixes)}", name)
        if difference is not None:
            found[name] = difference
    return found, len(names)


def print_fields(found):
    """Every field that differs, over all outputs of a form."""
    totals, n_outputs = collections.Counter(), collections.Counter()
    for name, difference in found.items():
        form = pathlib.Path(name).name if "in-memory" not in name else "in-memory"
        for (what, field), n in difference.found.items():
            key = (what in differences.ADDITIONS, form, what, field)
            totals[key] += n
            n_outputs[key] += 1
    for is_addition, title in ((True, "added:"), (False, "changed:")):
        keys = sorted(key for key in totals if key[0] == is_addition)
        if keys:
            print(f"\n{title}")
        for key in keys:
            _, form, what, field = key
            print(f"  {form:28} {what:12} {field}: {totals[key]} times in {n_outputs[key]} outputs")


def print_first(found, n):
    shown = sorted(found, key=lambda name: (found[name].is_addition(), name))[:n]
    if shown:
        print(f"\nthe first difference ({len(shown)} of {len(found)} outputs that differ):")
    for name in shown:
        print(f"  {name}\n    {found[name].first_change or found[name].first}")


def run(options, folder):
    made = make_recordings(options, folder / "recordings")
    made = [name for name in made if options.only in name]
    older, newer = outputs.Program(options.old), outputs.Program(options.new)
    reports, old, new = older.reports(), folder / "old", options.left
    write_old(options, older, folder / "recordings", reports, old)
    outputs.write(newer, folder / "recordings", reports, new, options.jobs, options.only)
    versions = None
    if older.version != newer.version:
        print(f"versions {older.version} and {newer.version}: taken for the same")
        versions = (older.version, newer.version)
    found, n = compare_all(old, new, versions, options.only)
    if n < 5 * max(len(made), 1):
        sys.exit(f"only {n} outputs of {len(made)} recordings: nothing was compared")
    n_added = sum(difference.is_addition() for difference in found.values())
    print_fields(found)
    print_first(found, options.show)
    print(f"\n{len(made)} recordings, {n} outputs: {n - len(found)} equal,"
          f" {n_added} with additions only, {len(found) - n_added} different")
    return 0 if n_added == len(found) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--left", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--show", type=int, default=40, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    options = parser.parse_args()
    options.old, options.new = options.old.resolve(), options.new.resolve()
    options.left = (options.left or options.new / "same-outputs").resolve()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        return run(options, options.keep.resolve())
    with tempfile.TemporaryDirectory(prefix="same-outputs-") as folder:
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
