# SPDX-License-Identifier: Apache-2.0
"""What the command line is asked for, of each recording, and the files that this leaves."""

import concurrent.futures
import os
import re
import shutil
import subprocess

import recordings

LIMIT_S = 300
FAKES = "in-memory"
ALL_TYPES = "--activity-type=kernel,nvtx,nvtx-kernel,cuda-api"
SCHEME = '--nvtx-color-scheme={"a": "red", "^s": "blue"}'

# Name and ending of the output, and the options. None of it holds the time of the export.
SHORT = [
    ("sqlite.sqlite", ["-t", "sqlite"]),
    ("json.json", ["-t", "json"]),
    ("perfetto.pftrace", ["-t", "perfetto"]),
    ("jsonl.jsonl", ["-t", "jsonl"]),
    ("csv.csv", ["-t", "csv"]),
]
WHOLE = SHORT + [
    ("text.txt", ["-t", "text"]),
    ("csv-raw.csv", ["-t", "csv", "--raw"]),
    ("text-raw.txt", ["-t", "text", "--raw"]),
    ("json-category.json", ["-t", "json", "--tracks=category"]),
    ("json-process.json", ["-t", "json", "--by-process"]),
    ("json-packed.json.gz", ["-t", "json"]),
    ("kineto.json", ["--flavor=kineto"]),
    ("kineto-rank.json", ["--flavor=kineto", "--rank=3"]),
    ("nsys2json.json", ["--compat=nsys2json"]),
    ("nsys2json-all.json", ["--compat=nsys2json", ALL_TYPES]),
    ("nsys2json-colors.json", ["--compat=nsys2json", "--nvtx-event-prefix=s", SCHEME]),
    ("perfetto-events.pftrace", ["-t", "perfetto", "--gpu-events"]),
    ("perfetto-category.pftrace", ["-t", "perfetto", "--tracks=category"]),
    ("perfetto-process.pftrace", ["-t", "perfetto", "--by-process"]),
    ("filter-time.jsonl", ["-t", "jsonl", "--filter-time=100us/2ms"]),
    ("filter-time.sqlite", ["-t", "sqlite", "--filter-time=/1.1"]),
    ("filter-nvtx.jsonl", ["-t", "jsonl", "--filter-nvtx=step/0"]),
    ("filter-name.json", ["-t", "json", "--filter-name=*e*"]),
    ("filter-kernel.perfetto.pftrace", ["-t", "perfetto", "--filter-kernel=/a/"]),
    ("filter-gpu.sqlite", ["-t", "sqlite", "--filter-gpu=0"]),
    ("activity-nvtx.csv", ["-t", "csv", "--activity=nvtx"]),
    ("activity-gpu.json", ["-t", "json", "--activity=gpu,api"]),
]
STATS = [
    ("column", ["-f", "column"]),
    ("csv", ["-f", "csv"]),
    ("json", ["-f", "json"]),
    ("process", ["-f", "csv", "--by-process"]),
    ("raw", ["-f", "csv", "--raw"]),
    ("time", ["-f", "csv", "--filter-time=/1.1"]),
]


class Program:
    """The programs of a build folder."""

    def __init__(self, build):
        self.build = build
        self.rangefinder = build / "bin" / "rangefinder"
        text = self._say("--version")
        self.version = text.split()[-1]
        self.python = self._python()

    def _say(self, *words):
        return subprocess.run([self.rangefinder, *words], capture_output=True, text=True,
                              check=True).stdout

    def _python(self):
        """The interpreter that the package was built for."""
        if not list((self.build / "python").glob("rangefinder/_reader*.so")):
            return None
        cache = (self.build / "CMakeCache.txt").read_text()
        found = re.search(r"^_?Python3_EXECUTABLE:[A-Z]*=(.+)$", cache, re.MULTILINE)
        return found.group(1) if found else None

    def reports(self):
        """All that `stats` names."""
        return sorted(set(re.findall(r"\b[a-z_]+_(?:sum|trace)\b", self._say("stats", "--help"))))


def commands(program, path, is_whole, reports):
    """(Name, command) for each output; the command runs in the folder of the outputs. Where the first
    one fails, the recording cannot be read, and a short list ends with it."""
    rangefinder, script = program.rangefinder, os.path.join(os.path.dirname(__file__), "rows.py")
    yield "info.json", [rangefinder, "info", "--json", path]
    for name, options in WHOLE if is_whole else SHORT:
        yield name, [rangefinder, "export", "-q", "-f", *options, "-o", name, path]
    for name, options in STATS if is_whole else STATS[1:2]:  # writes stats-NAME_REPORT.csv, ...
        yield f"stats-{name}", [rangefinder, "stats", "-q", "--force-overwrite", "-r",
                                ",".join(reports), *options, "-o", f"stats-{name}", path]
    if program.python:
        yield "python.jsonl", ["env", f"PYTHONPATH={program.build / 'python'}", program.python,
                               script, path]
    if not is_whole:
        return
    yield "info.txt", [rangefinder, "info", path]
    yield "stats.txt", [rangefinder, "stats", path]
    if path.suffix == ".sqlite":
        yield "nsys2json-verb.json", [
            program.build / "bin" / "nsys2json", "-f", path, "-o", "nsys2json-verb.json", "-t",
            "kernel", "nvtx", "nvtx-kernel", "cuda-api"]
    ending = "sqlite" if path.suffix == ".sqlite" else "rf"
    yield f"scrub.{ending}", [rangefinder, "scrub", "-f", "-o", f"scrub.{ending}", path]
    if path.suffix == ".rfdir":
        yield "recover.rf", [rangefinder, "recover", "-k", "-f", "-o", "recover.rf", path]


def run(name, command, folder):
    """Leaves NAME, which the command wrote or printed, and NAME.messages where there is more to say;
    returns whether the command succeeded."""
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith(("RANGEFINDER", "NVTX", "CUDA", "RANK", "SLURM", "OMPI"))}
    variables.update(LC_ALL="C.UTF-8", TZ="UTC", PYTHONDONTWRITEBYTECODE="1")
    try:
        done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False,
                              timeout=LIMIT_S, stdin=subprocess.DEVNULL)
        status, messages, printed = done.returncode, done.stderr, done.stdout
    except subprocess.TimeoutExpired:
        status, messages, printed = "it took too long", b"", b""
    if printed:
        (folder / name).write_bytes(printed)
    if status != 0 or messages:
        text = f"status {status}\n".encode() + messages
        (folder / f"{name}.messages").write_bytes(text)
    return status == 0


def of_recording(program, path, is_whole, reports, to):
    to.mkdir(parents=True)
    for name, command in commands(program, path, is_whole, reports):
        if not run(name, command, to) and name == "info.json" and not is_whole:
            break


def of_fakes(program, to, only):
    """Programs of the tests that export recordings which they build in memory."""
    for name in ("perfetto_traces", "export_golden"):
        binary = program.build / "bin" / name
        if binary.exists() and only in f"{FAKES}-{name}":
            folder = to / f"{FAKES}-{name}"
            folder.mkdir()
            run("program.txt", [binary, "."], folder)  # the path is in some outputs


def write(program, folder, reports, to, jobs, only=""):
    """The outputs of all recordings of a folder with a text in their names; in `to`, a folder for
    each of them."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    of_fakes(program, to, only)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(of_recording, program, path, is_whole, reports, to / path.name)
                   for path, is_whole in recordings.paths_in(folder) if only in path.name]
        for future in running:
            future.result()
