# SPDX-License-Identifier: Apache-2.0
"""What a worker does with one file. It runs the command line as a process of its own: a file that crashes
it, or takes too much memory, costs a row of the result and not the worker."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from typing import Optional, Tuple

from rangefinder import __main__ as command_line
from rangefinder import _reader

# What runs this package in another process. "-m" would search the current folder first, whose files may
# come from others. Its first argument is the folder that has the package.
_RUN_PACKAGE = """import sys
sys.path[:1] == [""] and sys.path.pop(0)
folder = sys.argv.pop(1)
folder in sys.path or sys.path.insert(0, folder)
from rangefinder.fleet.__main__ import main
sys.exit(main(sys.argv[1:]))"""
_PACKAGE_FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

OK, MISSING, FAILED, CRASHED, LOST = "ok", "missing", "failed", "crashed", "lost"


@dataclass(frozen=True)
class Job:
    """What all tasks of a pass have in common. It travels with each of them: a few hundred bytes."""

    arguments: Tuple[str, ...]  # of the command line; {input} and {output} stand for files; without
    # {output} what it prints is the output
    version: str  # of the package that asks
    folder: str  # that relative paths begin in
    command: Optional[str] = None  # the command line; None: that of the worker's package
    is_python: bool = False  # the arguments are those of python3 -m rangefinder.fleet
    memory_bytes: Optional[int] = None  # address space that the process may use; None: all


@dataclass(frozen=True)
class Outcome:
    """What a task returns."""

    status: str
    message: str = ""
    data: bytes = field(default=b"", repr=False)  # the output, compressed
    cpu_ns: int = 0  # of the processor
    memory_bytes: int = 0  # the most that the process had

    def output(self):
        """bytes: what the command line wrote."""
        return zlib.decompress(self.data)


def _command(job, path, output):
    words = [job.command or command_line.COMMAND]
    if job.is_python:
        words = [sys.executable, "-c", _RUN_PACKAGE, _PACKAGE_FOLDER]
    words += [word.replace("{input}", path).replace("{output}", output) for word in job.arguments]
    if job.memory_bytes is None:
        return words
    # the shell sets the limit: code between fork and exec is unsafe beside threads
    return ["sh", "-c", f'ulimit -v {max(1, job.memory_bytes // 1024)}; exec "$0" "$@"', *words]


def _said(path):
    """What the command line said first, without its name."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read(1 << 16).splitlines()
    return lines[0].partition(": ")[2] or lines[0] if lines else "no message"


def _outcome(status, said, output, usage):
    spent = {
        "cpu_ns": int((usage.ru_utime + usage.ru_stime) * 1e9),
        "memory_bytes": usage.ru_maxrss * 1024,
    }
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        hint = "; was there too little memory?" if status == -signal.SIGKILL else ""
        return Outcome(CRASHED, f"rangefinder was ended by {name}{hint}", **spent)
    if status != 0 or not os.path.exists(output):
        return Outcome(FAILED, _said(said), **spent)
    with open(output, "rb") as file:
        return Outcome(OK, "", zlib.compress(file.read(), 1), **spent)


def run(job, path):
    """Runs the command line for one file. Returns an Outcome; never raises for what the file is."""
    if _reader.__version__ != job.version:
        return Outcome(FAILED, f"this worker has rangefinder {_reader.__version__}, and {job.version} asks: "
                               "install the same one on both")
    if not os.path.exists(os.path.join(job.folder, path)):
        return Outcome(MISSING, f"'{path}': no such file on {os.uname().nodename}")
    scratch = tempfile.mkdtemp(prefix="rangefinder-task-")
    said, output = os.path.join(scratch, "said"), os.path.join(scratch, "out.rfsum")
    printed = output if "{output}" not in job.arguments else os.devnull
    folder = None if os.path.isabs(path) else job.folder
    try:
        with open(said, "wb") as errors, open(printed, "wb") as out:
            process = subprocess.Popen(_command(job, path, output), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=errors, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return _outcome(process.returncode, said, output, usage)
    except OSError as error:
        return Outcome(FAILED, f"cannot run rangefinder on {os.uname().nodename}: {error}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
