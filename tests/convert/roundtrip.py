#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""roundtrip.py RANGEFINDER DATA: exports of nsys in DATA, and one made here with every kind of work,
are imported, exported to SQLite and imported again.

Both imports must show the same; in whole exports the rows of the tables must be those of the
original, too; and nsys, where it is installed, must report the same of both.
"""
import gzip
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

# The others say what stands wrong in them, or lack tables: only imports of them can be compared.
WHOLE = ('a_1proc_text', 'b_4gpu_mixed', 'c_real_h100_2gpu', 'd_4proc_same_device')
REPORTS = ('nvtx_gpu_proj_trace', 'nvtx_gpu_proj_sum', 'cuda_gpu_kern_sum', 'nvtx_kern_sum')
NSYS_REPORTS = ('nvtxgpuproj', 'gpukernsum', 'gputrace', 'cudaapisum', 'gpumemsizesum')

WORK = ('start', 'end', 'deviceId', 'contextId', 'streamId', 'correlationId', 'globalPid')
TABLES = {
    'CUPTI_ACTIVITY_KIND_RUNTIME': ('start', 'end', 'eventClass', 'globalTid', 'correlationId',
                                    '@nameId', 'returnValue'),
    'OSRT_API': ('start', 'end', 'eventClass', 'globalTid', '@nameId', 'returnValue'),
    'CUPTI_ACTIVITY_KIND_KERNEL': WORK + (
        '@demangledName', '@shortName', '@mangledName', 'launchType', 'cacheConfig',
        'registersPerThread', 'gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ',
        'staticSharedMemory', 'dynamicSharedMemory', 'localMemoryPerThread', 'localMemoryTotal',
        'sharedMemoryExecuted', 'graphNodeId', 'sharedMemoryLimitConfig'),
    'CUPTI_ACTIVITY_KIND_MEMCPY': WORK + ('bytes', 'copyKind', 'srcKind', 'dstKind', 'graphNodeId'),
    'CUPTI_ACTIVITY_KIND_MEMSET': WORK + ('value', 'bytes', 'graphNodeId', 'memKind'),
    'CUPTI_ACTIVITY_KIND_GRAPH_TRACE': WORK + ('graphId',),
    'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION': WORK + ('syncType',),
}


def run(*command):
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, (command, done.returncode, done.stderr.decode())
    return done.stdout


def export(rangefinder, form, path):
    return run(rangefinder, 'export', '-t', form, '-o', '-', str(path))


# ---- Two imports ----

def plain_range(event):
    """A range that was cut has an end in the table, so that it is one like others."""
    return {key: value for key, value in event.items() if key != 'cut'}


def jsonl_events(rangefinder, path):
    lines = export(rangefinder, 'jsonl', path).decode().splitlines()
    return [plain_range(json.loads(line)) for line in lines[1:]]


def trace_events(rangefinder, path):
    """The Chrome trace has the calls and the GPU work with everything that is known of them."""
    trace = json.loads(export(rangefinder, 'json', path))
    for event in trace['traceEvents']:
        if 'args' in event:
            event['args'].pop('cut', None)
    return [{key: value for key, value in event.items() if value != {}}
            for event in trace['traceEvents']]


def report_rows(rangefinder, name, path):
    """Rows alike in what they are sorted by may stand in any order."""
    text = run(rangefinder, 'stats', '-r', name, '-f', 'csv', str(path))
    return sorted(text.splitlines()) if name == 'nvtx_kern_sum' else text.splitlines()


def compare_imports(rangefinder, first, second):
    for read in (jsonl_events, trace_events):
        a, b = read(rangefinder, first), read(rangefinder, second)
        assert len(a) == len(b), (first, read.__name__, len(a), len(b))
        for x, y in zip(a, b):
            assert x == y, (first, read.__name__, x, y)
    for name in REPORTS:
        a, b = report_rows(rangefinder, name, first), report_rows(rangefinder, name, second)
        assert a == b, (first, name, [(x, y) for x, y in zip(a, b) if x != y][:1])


# ---- Two databases ----

def rows(path, table, columns):
    """The rows with names in place of the ids of strings; 0 and NULL are both "none"."""
    with sqlite3.connect(path) as database:
        database.text_factory = bytes
        known = {row[1].decode() for row in database.execute(f'PRAGMA table_info({table})')}
        chosen = [f"(SELECT value FROM StringIds WHERE id = {column[1:]})" if column[0] == '@'
                  else column if column in known else '0' for column in columns]
        if not known:
            return None
        found = database.execute(f'SELECT {", ".join(chosen)} FROM {table}').fetchall()
    return sorted(repr(tuple(value or 0 for value in row)) for row in found)


def compare_tables(first, second):
    n_rows = 0
    for table, columns in TABLES.items():
        a, b = rows(first, table, columns), rows(second, table, columns)
        assert (a or None) == b, (first, table, len(a or []), len(b or []))
        n_rows += len(a or [])
    assert n_rows > 0
    return n_rows


def nsys_reports(path):
    """The reports one behind the other; rows that are alike may stand in any order."""
    chosen = [word for name in NSYS_REPORTS for word in ('--report', name)]
    text = run('nsys', 'stats', *chosen, '--format', 'csv', str(path)).decode()
    text = text.replace(path.name, 'FILE').replace(str(path.parent), '')
    return sorted(text.splitlines())


def compare_nsys(first, second):
    a, b = nsys_reports(first), nsys_reports(second)
    assert a == b and len(a) > 100, (first, len(a), len(b), [(x, y) for x, y in zip(a, b)
                                                             if x != y][:1])


# ---- A file with every kind ----

def make_everything(path):
    """Calls of three kinds and work of five, in two processes, with every field of its own value."""
    work = ('start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid')
    pid, other = 1 << 48 | 100 << 24, 1 << 48 | 200 << 24
    strings = ['step', 'cudaLaunchKernel', 'cuLaunchKernel', 'read', 'k', 'void k<int>(int)',
               '_Z1kIiEvi', 'cudaMemsetAsync', 'naïve "name"']
    with sqlite3.connect(path) as db:
        db.executescript(f'''
            CREATE TABLE StringIds(id INTEGER, value TEXT);
            CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid,
                correlationId, nameId, returnValue, callchainId);
            CREATE TABLE OSRT_API(start, end, eventClass, globalTid, nameId, returnValue);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL({work}, demangledName, shortName, mangledName,
                launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY,
                blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,
                localMemoryTotal, sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig,
                graphId);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY({work}, bytes, copyKind, srcKind, dstKind,
                srcDeviceId, dstDeviceId, graphNodeId);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET({work}, value, bytes, graphNodeId, memKind);
            CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE({work}, graphId, graphExecId);
            CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION({work}, syncType);
            CREATE TABLE TARGET_INFO_GPU(id, name, chipName, uuid, smCount, computeMajor,
                computeMinor, totalMemory);''')

        def put(table, *values):
            db.execute(f'INSERT INTO {table} VALUES({",".join("?" * len(values))})', values)

        for i, value in enumerate(strings):
            put('StringIds', 3 * i + 5, value)
        name = {value: 3 * i + 5 for i, value in enumerate(strings)}
        for process in (pid, other):
            put('NVTX_EVENTS', 1000, 9000, 59, 'step', process | 7, 0)
            put('CUPTI_ACTIVITY_KIND_RUNTIME', 1100, 1300, 0, process | 7, 1,
                name['cudaLaunchKernel'], 0, None)
            put('CUPTI_ACTIVITY_KIND_RUNTIME', 1150, 1250, 1, process | 7, 2,
                name['cuLaunchKernel'], -700, None)
            put('OSRT_API', 1400, 1500, 27, process | 7, name['read'], 512)
            put('CUPTI_ACTIVITY_KIND_KERNEL', 2000, 3000, 1, 2, 3, 13, 1, process,
                name['void k<int>(int)'], name['k'], name['_Z1kIiEvi'], 1, 2, 33, 4, 5, 6, 7, 8, 9,
                1024, 2048, 16, 1 << 33, 65536, 17179869184 * 9, 1, 77)
        for i, call in ((3, 'cudaMemsetAsync'), (4, 'naïve "name"'), (5, 'cuLaunchKernel')):
            put('CUPTI_ACTIVITY_KIND_RUNTIME', 2000 + i * 100, 2050 + i * 100, i == 5, pid | 8, i,
                name[call], 0, None)
        put('CUPTI_ACTIVITY_KIND_MEMCPY', 4000, 4100, 0, 1, None, 7, 4, pid, 1 << 40, 10, 2, 2, 0,
            1, None)
        put('CUPTI_ACTIVITY_KIND_MEMCPY', 4000, 4100, 0, 1, None, 8, 4, pid, 5, 1, 0, 2, None, None,
            11)
        put('CUPTI_ACTIVITY_KIND_MEMSET', 4200, 4300, 0, 1, None, 7, 3, pid, 0xffffffff, 64, 12, 2)
        put('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', 5000, 6000, 0, 1, None, 7, 5, pid, 9, 10)
        put('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 6000, 6500, 0, 1, None, 0xffffffff, 5, pid, 4)
        put('TARGET_INFO_GPU', 0, 'NVIDIA H100', 'GH100', 'GPU-1', 132, 9, 0, 80 << 30)


def check_everything(rangefinder, folder):
    first, second = folder / 'everything.sqlite', folder / 'everything.out.sqlite'
    make_everything(first)
    check(rangefinder, first, second)
    assert compare_tables(first, second) == 16
    more = {'CUPTI_ACTIVITY_KIND_KERNEL': ('greenContextId', 'graphId'),
            'CUPTI_ACTIVITY_KIND_MEMCPY': ('streamId', 'srcDeviceId', 'dstDeviceId'),
            'TARGET_INFO_GPU': ('id', 'name', 'chipName', 'uuid', 'smCount', 'computeMajor',
                                'computeMinor', 'totalMemory')}
    for table, columns in more.items():
        assert rows(first, table, columns) == rows(second, table, columns), table
    assert rows(second, 'TARGET_INFO_CUDA_CONTEXT_INFO',
                ('processId', 'deviceId', 'contextId', 'parentContextId', 'isGreenContext')) == [
                    '(100, 0, 1, 0, 0)', '(100, 1, 3, 2, 1)', '(200, 1, 3, 2, 1)']
    assert rows(second, 'TARGET_INFO_CUDA_STREAM', ('processId', 'contextId', 'streamId')) == [
        '(100, 1, 7)', '(100, 1, 8)', '(100, 2, 13)', '(200, 2, 13)']


# ---- All files ----

def check(rangefinder, first, second):
    run(rangefinder, 'export', '-t', 'sqlite', '-o', str(second), str(first))
    compare_imports(rangefinder, first, second)
    again = second.with_suffix('.again.sqlite')
    run(rangefinder, 'export', '-t', 'sqlite', '-o', str(again), str(second))
    for table, columns in TABLES.items():
        assert rows(second, table, columns) == rows(again, table, columns), (first, table)


def main():
    rangefinder, data = sys.argv[1], pathlib.Path(sys.argv[2])
    has_nsys = shutil.which('nsys') is not None
    if not has_nsys:
        print('nsys is not installed: its reports are not compared')
    files = sorted(data.glob('**/*.sqlite.gz'))
    assert len(files) >= 4 and {path.name.split('.')[0] for path in files} >= set(WHOLE)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_everything(rangefinder, folder)
        for path in files:
            stem = path.name.removesuffix('.sqlite.gz')
            first, second = folder / (stem + '.sqlite'), folder / (stem + '.out.sqlite')
            first.write_bytes(gzip.decompress(path.read_bytes()))
            check(rangefinder, first, second)
            if stem in WHOLE:
                compare_tables(first, second)
                if has_nsys:
                    compare_nsys(first, second)


main()
