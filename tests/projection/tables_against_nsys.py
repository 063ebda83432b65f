#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tables_against_nsys.py RANGEFINDER DATA TABLES: the reports of `stats`, row by row against what
`nsys stats` (2022.4.2) made of the same files.

Differences that are meant: names of the default domain begin with a colon; newer versions of nsys have
a column for green contexts. nsys reckons a throughput with the duration's whole inverse, so that it is off by up to the duration's part of a
second."""
import csv
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile

NEWER = {'nvtxppsum': 'nvtx_pushpop_sum', 'nvtxpptrace': 'nvtx_pushpop_trace',
         'nvtxsesum': 'nvtx_startend_sum', 'cudaapisum': 'cuda_api_sum',
         'cudaapitrace': 'cuda_api_trace', 'apigpusum': 'cuda_api_gpu_sum',
         'gpusum': 'cuda_gpu_sum', 'gputrace': 'cuda_gpu_trace',
         'gpumemtimesum': 'cuda_gpu_mem_time_sum', 'gpumemsizesum': 'cuda_gpu_mem_size_sum',
         'kernexecsum': 'cuda_kern_exec_sum', 'kernexectrace': 'cuda_kern_exec_trace',
         'nvtxkernsum': 'nvtx_kern_sum'}
NAMES = ('Range', 'Name', 'NVTX Range', 'NameTree')


def report(rangefinder, name, path):
    return subprocess.run([rangefinder, 'stats', '-q', '--allow-empty', '-r', name, '-f', 'csv', '-o', '-', path],
                          check=True, capture_output=True, text=True).stdout


def is_close(column, ours, theirs):
    """The last digit may be rounded another way."""
    if 'Throughput' in column:
        return theirs == '' and ours == 'None' or \
            abs(float(ours) - float(theirs)) <= 0.001 + 1e-4 * float(ours)
    try:
        return abs(float(ours) - float(theirs)) <= 0.1000001 * ('.' in theirs) and \
            (ours.isdigit() == theirs.isdigit())
    except ValueError:
        return False


def plain(row):
    for name in NAMES:
        if name in row:
            dashes = len(row[name]) - len(row[name].lstrip('-'))
            row[name] = row[name][:dashes] + row[name][dashes:].removeprefix(':')
    return row


def compare(where, ours, theirs, left_out):
    ours = [{k: v for k, v in plain(row).items() if k not in left_out} for row in ours]
    theirs = [{k: v for k, v in plain(row).items() if k not in left_out} for row in theirs]
    assert len(ours) == len(theirs), (where, len(ours), len(theirs))
    assert list(ours[0]) == list(theirs[0]), (where, list(ours[0]), list(theirs[0]))
    # rows that tie come in any order there; what is text or a whole number is the same to the letter
    exact = [c for c in ours[0] if all('.' not in row[c] or not is_close(c, row[c], row[c])
                                       for row in theirs) and 'Throughput' not in c]
    def key(row):
        return [row[c] for c in exact]
    for mine, its in zip(sorted(ours, key=key), sorted(theirs, key=key)):
        for column in its:
            assert mine[column] == its[column] or is_close(column, mine[column], its[column]), \
                (where, column, mine, its)


def main():
    rangefinder, data, tables = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for table in sorted(tables.glob('*.csv.gz')):
            name, older = table.name.split('.')[:2]
            path = pathlib.Path(folder) / (name + '.sqlite')
            if not path.exists():
                path.write_bytes(gzip.decompress((data / (name + '.sqlite.gz')).read_bytes()))
            theirs = list(csv.DictReader(io.StringIO(gzip.decompress(table.read_bytes()).decode())))
            text = report(rangefinder, NEWER[older], path)
            assert text == report(rangefinder, older, path), older
            compare((name, older), list(csv.DictReader(io.StringIO(text))), theirs,
                    {'GreenCtx'})
            seen.add(older)
    assert seen == set(NEWER) - {'nvtxsesum'}, seen


if __name__ == "__main__":
    main()
