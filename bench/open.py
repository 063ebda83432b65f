# SPDX-License-Identifier: Apache-2.0
"""open.py RANGEFINDER FILE: opens FILE as a browser does: the page, all files that its manifest
names, one after another, then the trace. A line with the seconds from the end of the conversion,
which is the last change of the trace's file, to the link, to the last of those files, and to the last
byte of the trace; then the MB of the trace, and of the files."""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "perfetto"))
import trace_processor  # noqa: E402


def end_of_conversion(pid):
    """The trace has no name any more, but is open."""
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        if ".pftrace" in os.readlink(fd):
            return os.stat(fd).st_mtime
    raise OSError("the command does not have the trace open")


class Client:
    def __init__(self, port):
        self.port = port

    def read(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise OSError(f"{path}: {answer.status}")
        return body


def main():
    trace_processor.need()
    folder = trace_processor.find_ui()
    with tempfile.TemporaryDirectory(dir=".") as temporary, subprocess.Popen(
            [sys.argv[1], "open", "--no-browser", f"--offline={folder.parent}", sys.argv[2]],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": temporary}) as server:
        link = server.stdout.readline().decode().strip()
        times = [time.time()]
        ended = end_of_conversion(server.pid)
        page, parameters = link.split("#!/?")
        trace = urllib.parse.urlsplit(urllib.parse.parse_qs(parameters)["url"][0])
        client = Client(trace.port)
        root = urllib.parse.urlsplit(page).path
        files = len(client.read(root))
        manifest = json.loads((folder / "manifest.json").read_text())
        for name in manifest["resources"]:
            files += len(client.read(f"{root}{folder.name}/{name}"))
        times.append(time.time())
        size = len(client.read(trace.path))
        times.append(time.time())
        server.kill()
    print(*(f"{at - ended:.3f}" for at in times), f"{size / 1e6:.0f} {files / 1e6:.0f}")


if __name__ == "__main__":
    main()
