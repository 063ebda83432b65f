#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parts.py RANGEFINDER DATA_FOLDER: an import by two threads is that of one, and an import from the
pages of a file is that of SQLite's library.

A program that may use one processor reads and writes with one thread. Every file is made as long as
those are for which a second thread is started; what is behind the last page is no part of a
database."""

import collections
import gzip
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(1, HERE)
from hostile_files import GPID, TABLES, complete, launches, many  # noqa: E402

RANGEFINDER, DATA = (os.path.abspath(path) for path in sys.argv[1:3])
LENGTH = 17 << 20
WORK = [table for table in TABLES if table.startswith("CUPTI_ACTIVITY_KIND_")
        and "globalPid" in TABLES[table] and "streamId" in TABLES[table]]
OUTPUTS = {"jsonl": "jsonl", "json": "json", "perfetto": "pftrace", "sqlite": "sqlite",
           "csv": "csv", "text": "txt"}
READER = re.compile(rb'"import_reader":"(\w+)","import_why":"([^"]*)",')
readers = collections.Counter()


def result(n_processors, reader, path):
    """Everything that comes of a file: messages, what was left out, exports."""
    allowed = sorted(os.sched_getaffinity(0))[:n_processors]
    parts = []
    reader = "--import=" + reader
    for command in (["info", "--json", reader, path],
                    ["export", "-q", "-f", "true", "-t", ",".join(OUTPUTS), "-o", "o", reader, path],
                    ["export", "-q", "-f", "true", "--compat=nsys2json", "-o", "o.compat",
                     "--activity-type=kernel,nvtx,nvtx-kernel,cuda-api", reader, path],
                    ["stats", "-q", "--allow-empty", reader, path]):
        done = subprocess.run([RANGEFINDER, *command], capture_output=True, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, allowed))
        assert done.returncode in (0, 1), (command, done)
        readers.update(READER.findall(done.stdout))
        parts += [READER.sub(b"", done.stdout) + done.stderr, done.returncode]
    for ending in [*OUTPUTS.values(), "compat"]:
        if os.path.exists("o." + ending):
            with open("o." + ending, "rb") as file:
                parts.append(file.read())
            os.remove("o." + ending)
    return parts


def export(path, n_processors, output):
    allowed = sorted(os.sched_getaffinity(0))[:n_processors]
    subprocess.run([RANGEFINDER, "export", "-q", "-f", "true", "-o", output, path], check=True,
                   preexec_fn=lambda: os.sched_setaffinity(0, allowed))
    with open(output, "rb") as file:
        return file.read()


def compare(path, what):
    """Returns what is said of the file."""
    if os.path.getsize(path) < LENGTH:
        os.truncate(path, LENGTH)
    one = result(1, "auto", path)
    for other in ((2, "auto"), (2, "library")):
        two = result(*other, path)
        assert one == two, (what, other, [a[:300] if isinstance(a, bytes) else a for a in one],
                            [b[:300] if isinstance(b, bytes) else b for b in two])
    return one[0]


def files_of_tests():
    n = 0
    for folder, _, names in os.walk(DATA):
        for name in sorted(names):
            if not name.endswith(".sqlite.gz"):
                continue
            with gzip.open(os.path.join(folder, name)) as file, open("t.sqlite", "wb") as out:
                out.write(file.read())
            compare("t.sqlite", name)
            n += 1
    assert n > 20, n


def odd_values():
    """Each column of GPU work NULL, and of no use: no process, names that StringIds lacks."""
    values = (None, 2**40 + 77)
    assert len(WORK) >= 5, WORK
    for table in WORK:
        for column in TABLES[table]:
            complete("t.sqlite", lambda t, c, i, old: values[i % 3]
                     if (t, c) == (table, column) and i % 3 < 2 else old)
            compare("t.sqlite", (table, column))


def damage():
    """Each page overwritten, also two: of several errors the same one is told."""
    complete("good.sqlite")
    with open("good.sqlite", "rb") as file:
        good = file.read()
    messages = set()
    for page in range(1, len(good) // 4096):
        for other in (page, (page * 7) % (len(good) // 4096 - 1) + 1):
            bad = bytearray(good)
            for at in (page * 4096, other * 4096):
                bad[at:at + 4096] = b"\xff" * 4096
            with open("t.sqlite", "wb") as file:
                file.write(bad)
            messages.add(compare("t.sqlite", ("page", page, other)))
    assert any(b"CUPTI_ACTIVITY_KIND_KERNEL" in text for text in messages), messages
    assert any(b"NVTX_EVENTS" in text for text in messages), messages


def large():
    """Many rows of several streams, some of them without a process."""
    many("t.sqlite", *launches(120000, 1000),
         ("CUPTI_ACTIVITY_KIND_KERNEL", 60000,
          f"n * 7, n * 7 + 3, n % 3, 1, n % 40, n * 3, iif(n % 5, {GPID}, NULL), n % 6"))
    told = compare("t.sqlite", "large")
    for reason in (b"no globalPid, and no single call", b"name that StringIds lacks"):
        assert reason in told, (reason, told[-500:])
    compressed = [export("t.sqlite", n, "o.json.gz") for n in (1, 2)]
    assert compressed[0] == compressed[1], [len(one) for one in compressed]
    assert gzip.decompress(compressed[0]) == export("t.sqlite", 2, "o.json")


def main():
    if len(os.sched_getaffinity(0)) < 2:
        print("one processor: nothing to compare")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        files_of_tests()
        odd_values()
        damage()
        large()
        os.chdir("/")
    print(*readers.items(), sep="\n")
    assert readers[b"pages", b""] > 50 and readers[b"library", b"it was asked for"] > 50, readers


main()
