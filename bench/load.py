# SPDX-License-Identifier: Apache-2.0
"""load.py TRACE...: how long Perfetto's trace processor takes to load each, in a process of its own:
a line with seconds, MB (the most that it had), and slices."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "perfetto"))
from trace_processor import TraceProcessor, need  # noqa: E402


def most_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmHWM in /proc/PID/status")


def main():
    need()
    empty = pathlib.Path("empty.json")
    empty.write_text('{"traceEvents":[]}')
    for path in sys.argv[1:]:
        with TraceProcessor() as engine:
            engine.load(empty)  # it has started
            begin = time.monotonic()
            engine.load(path)
            seconds = time.monotonic() - begin
            slices = engine.query("select count(*) from slice")[0][0]
            print(f"{seconds:.3f} {most_mb(engine.pid):.0f} {slices}", flush=True)


if __name__ == "__main__":
    main()
