# SPDX-License-Identifier: Apache-2.0
"""keys.py BUILD: no object of any JSON that the command line writes has a key twice: exports,
reports and --json, of recordings and of an nsys export with every kind of row."""

import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "import")]
import roundtrip  # noqa: E402
import unique_json  # noqa: E402

EXPORTS = [["-t", "json"], ["-t", "json", "--tracks=category"], ["--flavor=kineto"],
           ["--compat=nsys2json", "--activity-type=kernel,nvtx,nvtx-kernel,cuda-api"],
           ["-t", "json", "--by-process"]]
COMMANDS = [["sessions", "list", "--json"]]


def check_refuses():
    try:
        unique_json.loads('[{"a": {"type": 1, "b": 2, "type": 3}}]')
    except unique_json.DoubleKey:
        return
    raise AssertionError("a key that stands twice is not noticed")


def run(program, *words, may_fail=False):
    done = subprocess.run([program, *words], capture_output=True)
    if done.returncode != 0 and not may_fail:
        raise AssertionError(f"{words}: {done.stderr.decode()}")
    return done.stdout


def reports(program):
    """All that there are."""
    text = run(program, "stats", "-h").decode().partition("\nreports:\n")[2]
    names = [line.lstrip("* ").split()[0] for line in text.splitlines() if line.strip()]
    if len(names) < 10 or "nvtx_sum" not in names:
        raise AssertionError(f"reports: {names}")
    return names


def check_file(program, path, names):
    kinds = set()
    for row in unique_json.lines(run(program, "export", "-t", "jsonl", "-o", "-", path)):
        kinds.add(row.get("type"))
    for options in EXPORTS:
        unique_json.loads(run(program, "export", *options, "-o", "-", path))
    unique_json.loads(run(program, "info", "--json", path))
    for name in names:
        text = run(program, "stats", "-r", name, "-f", "json", path, may_fail=True)
        if text.strip():
            unique_json.loads(text)
    return kinds


def main():
    program = pathlib.Path(sys.argv[1], "bin", "rangefinder")
    check_refuses()
    names = reports(program)
    with tempfile.TemporaryDirectory() as folder:
        everything = pathlib.Path(folder, "everything.sqlite")
        roundtrip.make_places(everything)
        kinds = check_file(program, everything, names)
        for golden in sorted((TESTS / "golden").glob("*.rf")):
            kinds |= check_file(program, golden, names)
    for kind in ("payload_schema", "payload_entry", "memory", "sample", "kernel", "push_pop",
                 "start_end", "mark", "resource", "sync"):
        if kind not in kinds:
            raise AssertionError(f"no row of kind {kind} was looked at")
    for words in COMMANDS:
        unique_json.loads(run(program, *words))


if __name__ == "__main__":
    main()
