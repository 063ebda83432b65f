#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reports_against_nsys.py RANGEFINDER DATA: the reports of `stats`, row by row against those that the
nsys on the PATH (2022.4, which has the older names) makes of the same databases. Where nsys is not
there the test is skipped.

Differences that are meant stand in docs/stats.md, under "Differences from nsys"."""
import csv
import gzip
import io
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import tables_against_nsys

REPORTS = ('apigpusum:base', 'cudaapisum', 'cudaapitrace', 'gpukernsum', 'gpukernsum:base',
           'gpukernsum:mangled', 'gpumemsizesum', 'gpumemtimesum', 'gpusum', 'gputrace',
           'kernexecsum:base', 'kernexectrace', 'nvtxkernsum:base', 'nvtxppsum', 'nvtxpptrace',
           'nvtxsum')
MADE = ('openmpevtsum', 'unifiedmemorytotals', 'umcpupagefaults')
SKIPPED = 77

TABLES = """
CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start, globalPid, address, originalFaultPc, CpuInstruction,
    module, unresolvedFaultPc);
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start, end, globalPid, deviceId, address,
    numberOfPageFaults, faultAccessType);
CREATE TABLE OPENMP_EVENT_KIND_TASK(start, end, eventClass, globalTid, correlationId, nameId,
    eventKind, parallelId, taskId, kind);
CREATE TABLE OPENMP_EVENT_KIND_FLUSH(start, end, eventClass, globalTid, correlationId, nameId,
    eventKind, threadId);
INSERT INTO StringIds VALUES (900001, 'Task'), (900002, 'Flush'), (900003, '0xabc'), (900004, '0xdef');
"""


def add_tables(path):
    """OpenMP and unified memory, as nsys has them."""
    database = sqlite3.connect(path)
    database.executescript(TABLES)
    tid = database.execute('SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME').fetchone()[0]
    pid = tid & ~0xffffff
    for i in range(40):
        start, page = 1000 * i, 0x7f0000000000 + i % 7 * 4096
        database.execute('INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (?, ?, ?, 1, ?, NULL, 2)',
                         (start, pid, page, 900003 + i % 3 // 2))
        database.execute('INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (?, ?, ?, 0, ?, ?, 1)',
                         (start, start + 10, pid, page + 4096, i))
        database.execute('INSERT INTO OPENMP_EVENT_KIND_TASK VALUES (?, ?, 1, ?, 0, 900001, 3, 1, 2, 0)',
                         (start, start + 37 * i % 101, tid))
        database.execute('INSERT INTO OPENMP_EVENT_KIND_FLUSH VALUES (?, ?, 1, ?, 0, 900002, 3, 1)',
                         (start, start + 53 * i % 97, tid))
        database.execute(
            'INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, '
            'globalPid, bytes, copyKind, virtualAddress) VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?)',
            (start, start + 5 + i, pid, 4096 * i, 11 + i % 2, page))
    database.commit()
    database.close()


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text.strip())))


def compare(rangefinder, nsys, path, report):
    theirs = subprocess.run([nsys, 'stats', '-q', '-r', report, '-f', 'csv', '-o', '-', path],
                            check=True, capture_output=True, text=True, timeout=60)
    ours = subprocess.run([rangefinder, 'stats', '-q', '-r', report, '-f', 'csv', '-o', '-', path],
                          check=True, capture_output=True, text=True, timeout=60)
    theirs, ours = rows_of(theirs.stdout), rows_of(ours.stdout)
    assert theirs, (path, report, 'nsys prints no rows')
    tables_against_nsys.compare((path, report), ours, theirs, {'GreenCtx'})


def main():
    rangefinder, data = sys.argv[1], pathlib.Path(sys.argv[2])
    nsys = shutil.which('nsys')
    version = subprocess.run([nsys, '--version'], capture_output=True, text=True).stdout if nsys else ''
    if '2022.4' not in version:
        print('skipped: nsys 2022.4 is not installed')
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        for name in ('b_4gpu_mixed', 'made'):
            path = pathlib.Path(folder) / (name + '.sqlite')
            path.write_bytes(gzip.decompress((data / 'b_4gpu_mixed.sqlite.gz').read_bytes()))
            if name == 'made':
                add_tables(path)
            for report in MADE if name == 'made' else REPORTS:
                compare(rangefinder, nsys, str(path), report)


if __name__ == '__main__':
    main()
