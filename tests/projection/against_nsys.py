#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""against_nsys.py RANGEFINDER DATA: nvtx_gpu_proj_trace of nsys's exports in DATA, row by row
against the table that nsys itself (2022.4.2) made of the same file.

nsys writes no colon before the names of the default domain. In the real recording, 155 s after its
start, it takes times that are less than some 30 us apart for one when it looks for parents, as an
index of 32-bit floats would; there the parents are checked against the definition instead.
"""
import csv
import gzip
import io
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

CASES = {'a_1proc_text': 490, 'b_4gpu_mixed': 494, 'c_real_h100_2gpu': 750,
         'd_4proc_same_device': 237}
TREE = ('Lvl', 'NumChild', 'ParentId', 'RangeStack')


def rows_by_id(text):
    return {row['RangeId']: row for row in csv.DictReader(io.StringIO(text))}


def report(rangefinder, name, path):
    return subprocess.run([rangefinder, 'stats', '--allow-empty', '-r', name, '-f', 'csv', path], check=True,
                          capture_output=True, text=True).stdout


def edges(row):
    start = int(row['Orig Start (ns)'])
    return start, start + int(row['Orig Duration (ns)'])


def plain_parent(row, rows):
    """The shortest range of the same thread around row. No two of the data are the same."""
    start, end = edges(row)
    around = [other for other in rows
              if other is not row and (other['PID'], other['TID']) == (row['PID'], row['TID'])
              and edges(other)[0] <= start and end <= edges(other)[1]]
    parent = min(around, key=lambda other: int(other['Orig Duration (ns)']), default=None)
    return parent['RangeId'] if parent else 'None'


def check_tree(rows):
    children = {}
    for row in rows.values():
        assert row['ParentId'] == plain_parent(row, rows.values()), row
        children[row['ParentId']] = children.get(row['ParentId'], 0) + 1
    for name, row in rows.items():
        parent = rows.get(row['ParentId'])
        assert int(row['NumChild']) == children.get(name, 0), row
        assert int(row['Lvl']) == (int(parent['Lvl']) + 1 if parent else 0), row
        assert row['RangeStack'] == (parent['RangeStack'] if parent else '') + ':' + name, row


def check_case(rangefinder, data, name, folder):
    path = folder / (name + '.sqlite')
    path.write_bytes(gzip.decompress((data / (name + '.sqlite.gz')).read_bytes()))
    table = gzip.decompress((data / (name + '.nvtxgpuproj.csv.gz')).read_bytes())
    want = rows_by_id(table.decode())
    text = report(rangefinder, 'nvtx_gpu_proj_trace', path)
    got = rows_by_id(text)
    assert len(want) == CASES[name] and text.count('\n') == len(got) + 1
    assert want.keys() == got.keys(), (name, len(got))
    assert list(next(iter(got.values()))) == list(next(iter(want.values())))
    starts = [int(row['Projected Start (ns)']) for row in got.values()]
    assert starts == sorted(starts)
    for key, row in got.items():
        row['Name'] = row['Name'].removeprefix(':')
        for column in row:
            if name != 'c_real_h100_2gpu' or column not in TREE:
                assert row[column] == want[key][column], (name, column, row, want[key])
    check_tree(got)
    assert text == report(rangefinder, 'nvtxgpuproj', path)
    if name.startswith('c'):
        check_all_tables(rangefinder, path)


COVERED = """
SELECT count(*), sum(op.start IS NOT NULL AND EXISTS (
    SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME AS call
    JOIN NVTX_EVENTS AS range ON range.globalTid = call.globalTid AND range.eventType = 59
        AND range.start <= call.start AND call.end <= range.end
    WHERE call.correlationId = op.correlationId
        AND call.globalTid / 0x1000000 = op.globalPid / 0x1000000))
FROM (%s) AS op"""
WORK = ' UNION ALL '.join('SELECT start, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_' + kind
                          for kind in ('KERNEL', 'MEMCPY', 'MEMSET'))


def check_all_tables(rangefinder, path):
    """Without -r: the summaries, one below the other, and how much of the work is covered."""
    with sqlite3.connect(f'file:{path}?mode=ro', uri=True) as db:
        everything, kernels = (db.execute(COVERED % work).fetchone()
                               for work in (WORK, WORK.split(' UNION ')[0]))
    done = subprocess.run([rangefinder, 'stats', path], check=True, capture_output=True, text=True)
    assert done.stderr.startswith('rangefinder: left out, since there is nothing for them: osrt_sum')
    tables = done.stdout.split('\n\n ** ')
    names = [table.split('):')[0].rsplit('(')[-1] for table in tables]
    assert names[:3] == ['self_time', 'cuda_api_sum', 'cuda_gpu_kern_sum'], names
    assert names[-2:] == ['nvtx_gpu_proj_sum', 'nvtx_kern_sum'], names
    for table, (n, n_covered) in ((tables[-2], everything), (tables[-1], kernels)):
        assert f'\n coverage: {n_covered} of {n} pieces of GPU work (' in table, (n_covered, n)


def main():
    rangefinder, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            check_case(rangefinder, data, name, pathlib.Path(folder))


main()
