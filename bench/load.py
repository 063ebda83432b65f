# SPDX-License-Identifier: Apache-2.0
"""load.py TRACE...: how long Perfetto's trace processor takes to load each, in a process of its own:
a line with seconds, MB (the most that it had), slices, seconds of processor time, flows, and
arguments."""

import os
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


def processor_seconds(pid):
    """user and system: where other work runs, they vary less than the clock."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    need()
    empty = pathlib.Path("empty.json")
    empty.write_text('{"traceEvents":[]}')
    for path in sys.argv[1:]:
        with TraceProcessor() as engine:
            engine.load(empty)  # it has started
            begin, used = time.monotonic(), processor_seconds(engine.pid)
            engine.load(path)
            seconds = time.monotonic() - begin
            used = processor_seconds(engine.pid) - used
            mb = most_mb(engine.pid)
            slices, flows, args = (engine.query(f"select count(*) from {table}")[0][0]
                                   for table in ("slice", "flow", "args"))
            print(f"{seconds:.3f} {mb:.0f} {slices} {used:.2f} {flows} {args}", flush=True)


if __name__ == "__main__":
    main()
