# SPDX-License-Identifier: Apache-2.0
"""examples.py BUILD: the examples, recorded, exported through the command line and read again."""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import decode  # noqa: E402


def main():
    program = pathlib.Path(sys.argv[1], "bin", "rangefinder").resolve()
    examples = sorted(example for example in program.parent.glob("example-*")
                      if not example.name.startswith("example-cuda-"))  # these need a GPU
    if not program.exists() or not examples:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for example in examples:
            run = pathlib.Path(folder, example.name)
            subprocess.run([program, "profile", "-q", "-o", run, example], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
            subprocess.run([program, "export", "-q", "-o", f"{run}.pftrace.gz", f"{run}.rf"],
                           check=True)
            rows = subprocess.run([program, "export", "-q", "-t", "jsonl", "-o", "-", f"{run}.rf"],
                                  check=True, capture_output=True).stdout.decode().splitlines()
            kinds = [json.loads(row).get("type") for row in rows]
            trace = decode.Trace(decode.read(f"{run}.pftrace.gz"))
            n_ranges = kinds.count("push_pop") + kinds.count("start_end")
            found = [s for s in trace.slices if s.category == "nvtx"]
            if n_ranges == 0 or len(found) != n_ranges:
                raise AssertionError(f"{example.name}: {len(found)} ranges, not {n_ranges}")
            if len(trace.clocks) != 3 or trace.clocks[6] < trace.clocks[3]:
                raise AssertionError(f"{example.name}: clocks {trace.clocks}")


if __name__ == "__main__":
    main()
