# SPDX-License-Identifier: Apache-2.0
"""protoc.py PROGRAM: what perfetto_traces (PROGRAM) writes, decoded by protoc with Perfetto's own
definitions: every field must be one that they name, of the type that they give it.

The definitions are looked for in $RF_PERFETTO_PROTOS, which is a checkout of Perfetto (or any folder
that holds protos/perfetto), and where distributions put them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDERS = [os.environ.get("RF_PERFETTO_PROTOS"), "/usr/include", "/usr/share/perfetto"]
FILES = ["trace.proto", "gpu/gpu_track_event.proto", "gpu/gpu_interned_data.proto"]
UNKNOWN = re.compile(r"^ *(\d+)(:| \{)", re.MULTILINE)  # protoc prints a number for no name


def find():
    """The folder to search, and those of the files that it has: the extensions came with v55."""
    for folder in filter(None, FOLDERS):
        found = [f"protos/perfetto/trace/{name}" for name in FILES
                 if pathlib.Path(folder, "protos/perfetto/trace", name).exists()]
        if len(found) == len(FILES):
            return folder, found
    return None, []


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def main():
    protoc = shutil.which("protoc")
    folder, files = find()
    if protoc is None:
        skip("protoc is not installed")
    if folder is None:
        skip("no definitions of Perfetto from v55 on; RF_PERFETTO_PROTOS may name a checkout")
    with tempfile.TemporaryDirectory() as traces:
        subprocess.run([sys.argv[1], traces], check=True)
        for trace in sorted(pathlib.Path(traces).glob("*.pftrace")):
            if trace.stat().st_size > 1 << 20 and not trace.name.startswith("hostile"):
                continue  # more of the same
            with open(trace, "rb") as data:
                text = subprocess.run(
                    [protoc, "-I", folder, "--decode=perfetto.protos.Trace", *files], check=True,
                    stdin=data, capture_output=True).stdout.decode()
            unknown = {number for number, _ in UNKNOWN.findall(text)}
            if unknown or "packet {" not in text:
                raise AssertionError(f"{trace.name}: fields without a name: {sorted(unknown)}")


if __name__ == "__main__":
    main()
