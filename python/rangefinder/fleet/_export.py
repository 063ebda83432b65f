# SPDX-License-Identifier: Apache-2.0
"""python3 -m rangefinder.fleet export: a job as Parquet."""

import glob
import json
import os
import time

from rangefinder import _reader
from rangefinder.fleet import FleetError, _engine, _inputs, _parquet, _recipe, _schema, _tasks


def _run_name(options):
    """What partitions are called after: --run, or the folder or file of the first input."""
    name = options.run or os.path.basename(os.path.abspath(_inputs.split(options.input[0])[0]))
    if not name or "/" in name or name.startswith("."):
        raise FleetError(f"'{name}' cannot be the name of a folder: give one with --run")
    return name


def _remove_parts(folder, index):
    """What a task wrote before it failed."""
    for path in glob.glob(os.path.join(glob.escape(folder), "*", "*", "*", _parquet.name_of(index, "*"))):
        os.unlink(path)


def export(options):
    """Returns an exit status."""
    if not _recipe.has_pyarrow():
        raise FleetError("Parquet needs the package pyarrow, here and where tasks run: pip install pyarrow")
    began = time.monotonic()
    paths, run = _recipe.paths_of(options.input), _run_name(options)
    path = _recipe.checked_name(options.to, options.force_overwrite)
    progress = _recipe.Progress(options.progress)
    files, totals = [None] * len(paths), {}
    with _recipe.new_folder(path) as folder, _recipe.executor_of(options.mode) as executor:
        # the number of an input is in the names of its files, as ranks may be there twice
        jobs = [_tasks.Job(("_export", "{input}", os.path.abspath(folder), run, str(i)), _reader.__version__,
                           os.getcwd(), is_python=True) for i in range(len(paths))]
        for n_done, (index, outcome) in enumerate(_engine.outcomes(executor, jobs, paths), 1):
            written = json.loads(outcome.output()) if outcome.status == _tasks.OK else {}
            if outcome.status != _tasks.OK:
                _remove_parts(folder, index)
            files[index] = {"path": paths[index], "status": outcome.status, "message": outcome.message}
            for table, (n_rows, size) in written.items():
                total = totals.setdefault(table, {"rows": 0, "bytes": 0})
                total["rows"] += n_rows
                total["bytes"] += size
            progress(n_done, len(paths))
        failed = [(file["path"], file["message"]) for file in files if file["status"] != _tasks.OK]
        if len(failed) == len(files):
            raise FleetError(f"none of {len(files)} files could be read; the first: {failed[0][1]}")
        _recipe.write_run(folder, options, began, {
            "schema": _schema.VERSION, "run": run, "tables": dict(sorted(totals.items())), "files": files})
    _recipe.say_failed(failed)
    if not options.quiet:
        for table, total in sorted(totals.items()):
            _recipe.say(f"{table}: {total['rows']} rows, {total['bytes']} bytes")
        _recipe.say(f"wrote '{path}': {len(files) - len(failed)} of {len(files)} files")
    return 1 if failed else 0
