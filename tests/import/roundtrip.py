#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""roundtrip.py RANGEFINDER DATA: exports of nsys in DATA, and one made here with every kind of work,
are imported, exported to SQLite and imported again.

Both imports must show the same; in whole exports the rows of the tables must be those of the
original, too; and nsys, where it is installed, must report the same of both.
"""
import csv
import gzip
import io
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import unique_json  # noqa: E402

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
        'gridId',
        'sharedMemoryExecuted', 'graphNodeId', 'sharedMemoryLimitConfig', 'greenContextId',
        'graphId', 'clusterX', 'clusterY', 'clusterZ', 'clusterSchedulingPolicy',
        'maxPotentialClusterSize', 'maxActiveClusters', 'sharedMemoryRequestedPercentage'),
    'CUPTI_ACTIVITY_KIND_MEMCPY': WORK + (
        'bytes', 'copyKind', 'srcKind', 'dstKind', 'graphNodeId', 'srcDeviceId', 'srcContextId',
        'dstDeviceId', 'dstContextId', 'migrationCause', 'virtualAddress', 'copyCount'),
    'CUPTI_ACTIVITY_KIND_MEMSET': WORK + ('value', 'bytes', 'graphNodeId', 'memKind'),
    'CUPTI_ACTIVITY_KIND_GRAPH_TRACE': WORK + ('graphId', 'graphExecId'),
    'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION': WORK + ('syncType', 'eventId', 'eventSyncId'),
    'NVTX_EVENTS': ('start', 'end', 'eventType', 'rangeId', 'category', 'color', 'text', 'globalTid',
                    'endGlobalTid', '@textId', 'domainId', 'uint64Value', 'int64Value',
                    'doubleValue', 'uint32Value', 'int32Value', 'floatValue', 'jsonText',
                    'binaryData'),
}

# Tables that are kept column by column, as nsys 2026 has them: @ is an id of StringIds, $ a text.
CALL = 'start end eventClass globalTid '
OPENACC = ('start end @nameId globalTid eventKind DeviceType lineNo cuDeviceId cuContextId'
           ' cuStreamId @srcFile @funcName')
PLACE = 'deviceId contextId greenContextId streamId correlationId globalPid '
KEPT = {
    'CUPTI_ACTIVITY_KIND_CUDA_EVENT': 'timestamp ' + PLACE + 'eventId eventSyncId',
    'CUDA_GPU_MEMORY_USAGE_EVENTS':
        'start globalPid deviceId contextId address pc bytes memKind memoryOperationType $name'
        ' correlationId streamId localMemoryPoolAddress localMemoryPoolReleaseThreshold'
        ' localMemoryPoolSize localMemoryPoolUtilizedSize importedMemoryPoolAddress'
        ' importedMemoryPoolProcessId',
    'CUDA_GPU_MEMORY_POOL_EVENTS':
        'start globalPid deviceId address operationType poolType correlationId minBytesToKeep'
        ' localMemoryPoolReleaseThreshold localMemoryPoolSize localMemoryPoolUtilizedSize',
    'CUDA_UM_CPU_PAGE_FAULT_EVENTS':
        'start globalPid address originalFaultPc @CpuInstruction @module unresolvedFaultPc'
        ' @sourceFile sourceLine',
    'CUDA_UM_GPU_PAGE_FAULT_EVENTS':
        'start end globalPid deviceId address numberOfPageFaults faultAccessType',
    'CUDA_GRAPH_EVENTS': CALL + '@nameId graphId originalGraphId graphExecId',
    'CUDA_GRAPH_NODE_EVENTS': CALL + '@nameId graphNodeId originalGraphNodeId',
    'CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH':
        'start end ' + PLACE + 'graphNodeId graphId',
    'CUDA_HOST_CALLBACK': CALL + 'correlationId @nameId',
    'CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS':
        'start end eventClass deviceId contextId streamId correlationId globalPid ChannelID'
        ' sourceBytes NumberOfOperations',
    'CUPTI_ACTIVITY_KIND_OVERHEAD': CALL + 'correlationId @nameId overheadType',
    'CUPTI_ACTIVITY_KIND_JIT':
        CALL + 'correlationId @nameId overheadType jitEntryType jitOperationType deviceId'
        ' jitOperationCorrelationId cacheSize $cachePath',
    'PROFILER_OVERHEAD': 'start end globalTid @nameId overheadType',
    'CUDNN_EVENTS': CALL + '@nameId',
    'CUBLAS_EVENTS': CALL + '@nameId',
    'SYSCALL': CALL + '@nameId',
    'MPI_P2P_EVENTS':
        'start end globalTid @textId commHandle commUid tag remoteRank size requestHandle',
    'MPI_COLLECTIVES_EVENTS':
        'start end globalTid @textId commHandle commUid rootRank size recvSize requestHandle',
    'MPI_START_WAIT_EVENTS': 'start end globalTid @textId requestHandle',
    'MPI_OTHER_EVENTS': 'start end globalTid @textId',
    'MPI_RANKS': 'globalTid rank',
    'CUPTI_ACTIVITY_KIND_OPENACC_DATA': OPENACC + ' bytes @varName',
    'CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH':
        OPENACC + ' numGangs numWorkers vectorLength @kernelName',
    'CUPTI_ACTIVITY_KIND_OPENACC_OTHER': OPENACC,
    'DIAGNOSTIC_EVENT': 'timestamp timestampType source severity $text globalPid',
    'NVTX_PAYLOAD_SCHEMAS': 'domainId schemaId $name type flags numEntries payloadSize alignTo',
    'NVTX_PAYLOAD_SCHEMA_ENTRIES':
        'domainId schemaId idx flags type $name $description arrayOrUnionDetail offset',
    'NVTX_PAYLOAD_ENUMS': 'domainId schemaId $name numEntries size',
    'NVTX_PAYLOAD_ENUM_ENTRIES': 'domainId schemaId idx $name value isFlag',
    'TARGET_INFO_GPU_METRICS': 'typeId sourceId $typeName metricId $metricName',
    'GPU_METRICS': 'timestamp typeId metricId value',
    'TARGET_INFO_SOC_METRICS': 'typeId sourceId $typeName metricId $metricName',
    'SOC_METRICS': 'timestamp typeId metricId value',
}
TABLES.update({table: tuple(columns.replace('$', '').split()) for table, columns in KEPT.items()})


# Where GPU work ran: rows of two processes, with nothing that would have to be made up. The columns
# of TARGET_INFO_GPU get values of their own.
GPU_TEXTS = ('name', 'busLocation', 'uuid', 'chipName', 'ctxswDevPath', 'ctrlDevPath')
GPU_COLUMNS = (
    'vmId id name busLocation isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount'
    ' pwGpuId uuid luid chipName cuDevice ctxswDevPath ctrlDevPath revision nodeMask constantMemory'
    ' maxIPC maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm'
    ' maxRegistersPerSm threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm'
    ' maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY maxGridDimZ'
    ' computeMajor computeMinor smMajor smMinor numaNodeId').split()
PLACES = {
    'TARGET_INFO_GPU': (GPU_COLUMNS, [
        [f'{column} {gpu}' if column in GPU_TEXTS else gpu if column == 'id' else
         100 * (gpu + 1) + i for i, column in enumerate(GPU_COLUMNS)] for gpu in (0, 1)]),
    'TARGET_INFO_CUDA_DEVICE': ('gpuId cudaId pid uuid numMultiprocessors'.split(), [
        (0, 0, 100, 'uuid 0', 132), (1, 1, 100, 'uuid 1', 66), (0, 1, 200, 'MIG-3', 16)]),
    'TARGET_INFO_CUDA_CONTEXT_INFO': (
        'nullStreamId hwId vmId processId deviceId contextId parentContextId isGreenContext'
        ' numMultiprocessors numTpcs tpcMask'.split(), [
            (7, 0, 1, 100, 0, 1, None, 0, None, None, None),
            (14, 0, 1, 100, 1, 2, None, 0, 132, 66, None),
            (None, 0, 1, 100, 1, 3, 2, 1, 16, 8, '0xff'),
            (15, 0, 1, 200, 1, 2, None, 0, None, None, None),
            (None, 0, 1, 200, 1, 3, 2, 1, None, None, None)]),
    'TARGET_INFO_CUDA_NULL_STREAM': ('streamId hwId vmId processId deviceId contextId'.split(), [
        (7, 0, 1, 100, 0, 1), (14, 0, 1, 100, 1, 2), (15, 0, 1, 200, 1, 2)]),
    'TARGET_INFO_CUDA_STREAM': ('streamId hwId vmId processId contextId priority flag'.split(), [
        (7, 0, 1, 100, 1, 0, 3), (8, 0, 1, 100, 1, 4294967291, 2), (9, 0, 1, 100, 1, 0, 1),
        (13, 0, 1, 100, 2, 4294967295, 2), (13, 0, 1, 200, 2, 0, 2)]),
    'TARGET_INFO_NVTX_CUDA_DEVICE': ('name hwId vmId deviceId'.split(), [
        ('the second "one"', 0, 1, 1)]),
    'TARGET_INFO_NVTX_CUDA_CONTEXT': (
        'name hwId vmId processId deviceId contextId'.split(), [('ctx é', 0, 1, 100, 1, 2)]),
    'TARGET_INFO_NVTX_CUDA_STREAM': (
        'name hwId vmId processId deviceId contextId streamId'.split(), [
            ('copies', 0, 1, 100, 0, 1, 8), ('compute', 0, 1, 200, 1, 2, 13)]),
}


def run(*command):
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, (command, done.returncode, done.stderr.decode())
    return done.stdout


def export(rangefinder, form, path, *options):
    return run(rangefinder, 'export', '-t', form, *options, '-o', '-', str(path))


# ---- Two imports ----

def plain_range(event):
    """A range that was cut has an end in the table, so that it is one like others."""
    return {key: value for key, value in event.items() if key != 'cut'}


def jsonl_events(rangefinder, path):
    lines = export(rangefinder, 'jsonl', path).decode().splitlines()
    return [plain_range(unique_json.loads(line)) for line in lines[1:]]


def trace_events(rangefinder, path):
    """The Chrome trace has the calls and the GPU work with everything that is known of them."""
    trace = unique_json.loads(export(rangefinder, 'json', path))
    for event in trace['traceEvents']:
        if 'args' in event:
            event['args'].pop('cut', None)
    return [{key: value for key, value in event.items() if value != {}}
            for event in trace['traceEvents']]


def report_rows(rangefinder, name, path):
    """Rows alike in what they are sorted by may stand in any order."""
    text = run(rangefinder, 'stats', '--allow-empty', '-r', name, '-f', 'csv', str(path))
    return sorted(text.splitlines()) if name == 'nvtx_kern_sum' else text.splitlines()


LOSSES = ('n_lost_records', 'lost_bytes', 'n_lost_defs', 'n_failed_processes', 'n_damaged_bytes',
          'n_unmatched_ends', 'n_foreign_ends', 'n_stalls', 'stall_ns')
ORIGIN = ('product', 'host', 'epoch_utc_ns', 'epoch_mono_ns', 'utc_offset_s', 'is_import')


def origin(rangefinder, path):
    """Who recorded it, where and when; what was lost."""
    info = json.loads(run(rangefinder, 'info', '--json', str(path)))
    assert not [row for row in info['not_read'] if row['table'].startswith('RANGEFINDER')], path
    return {name: info[name] for name in ORIGIN + LOSSES}


def compare_imports(rangefinder, first, second):
    assert origin(rangefinder, first) == origin(rangefinder, second), origin(rangefinder, second)
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
        chosen = ['0' if column.strip('@') not in known else
                  f"(SELECT value FROM StringIds WHERE id = {column[1:]})" if column[0] == '@'
                  else column for column in columns]
        if not known:
            return None
        found = database.execute(f'SELECT {", ".join(chosen)} FROM {table}').fetchall()
    return sorted(repr(tuple(value or 0 for value in row)) for row in found)


def place_waits(path):
    """Exports of nsys say device 0 of waits; imports, the device on which their context ran."""
    with sqlite3.connect(path) as database:
        tables = {row[0] for row in database.execute('SELECT name FROM sqlite_master')}
        if 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION' in tables:
            database.execute("""UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS wait SET deviceId =
                coalesce((SELECT deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL AS kernel WHERE
                          kernel.contextId = wait.contextId AND kernel.globalPid = wait.globalPid),
                         deviceId)""")
    database.close()


def compare_tables(first, second):
    n_rows = 0
    for table, columns in TABLES.items():
        a, b = rows(first, table, columns), rows(second, table, columns)
        assert (a or None) == b, (first, table, len(a or []), len(b or []))
        n_rows += len(a or [])
    streams = ('hwId', 'vmId', 'processId', 'contextId', 'streamId', 'priority', 'flag')
    a, b = (rows(path, 'TARGET_INFO_CUDA_STREAM', streams) for path in (first, second))
    assert set(a or []) <= set(b or []), (first, 'streams')
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
            CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId, jsonText,
                binaryData, category);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid,
                correlationId, nameId, returnValue, callchainId);
            CREATE TABLE OSRT_API(start, end, eventClass, globalTid, nameId, returnValue);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL({work}, demangledName, shortName, mangledName,
                launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY,
                blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,
                localMemoryTotal, sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig,
                graphId, clusterX, clusterY, clusterZ, clusterSchedulingPolicy,
                maxPotentialClusterSize, maxActiveClusters, sharedMemoryRequestedPercentage);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY({work}, bytes, copyKind, srcKind, dstKind,
                srcDeviceId, dstDeviceId, graphNodeId, srcContextId, dstContextId, migrationCause,
                virtualAddress, copyCount);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET({work}, value, bytes, graphNodeId, memKind);
            CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE({work}, graphId, graphExecId);
            CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION({work}, syncType, eventId,
                eventSyncId);
            CREATE TABLE TARGET_INFO_GPU(id, name, chipName, uuid, smCount, computeMajor,
                computeMinor, totalMemory);''')

        def put(table, *values):
            db.execute(f'INSERT INTO {table} VALUES({",".join("?" * len(values))})', values)

        for i, value in enumerate(strings):
            put('StringIds', 3 * i + 5, value)
        name = {value: 3 * i + 5 for i, value in enumerate(strings)}
        for process in (pid, other):
            put('NVTX_EVENTS', 1000, 9000, 59, 'step', process | 7, 0, None, None, 3)
            put('NVTX_EVENTS', 1001, 8000, 59, 'json', process | 7, 0, '{"a": "é"}', None, None)
            put('NVTX_EVENTS', 1002, 7000, 59, 'bytes', process | 7, 0, None, '0xff00', None)
            put('CUPTI_ACTIVITY_KIND_RUNTIME', 1100, 1300, 0, process | 7, 1,
                name['cudaLaunchKernel'], 0, None)
            put('CUPTI_ACTIVITY_KIND_RUNTIME', 1150, 1250, 1, process | 7, 2,
                name['cuLaunchKernel'], -700, None)
            put('OSRT_API', 1400, 1500, 27, process | 7, name['read'], 512)
            put('CUPTI_ACTIVITY_KIND_KERNEL', 2000, 3000, 1, 2, 3, 13, 1, process,
                name['void k<int>(int)'], name['k'], name['_Z1kIiEvi'], 1, 2, 33, 4, 5, 6, 7, 8, 9,
                1024, 2048, 16, 1 << 33, 65536, 17179869184 * 9, 1, 77, 2, 3, 4, 5, 6, 7, 8)
        for i, call in ((3, 'cudaMemsetAsync'), (4, 'naïve "name"'), (5, 'cuLaunchKernel')):
            put('CUPTI_ACTIVITY_KIND_RUNTIME', 2000 + i * 100, 2050 + i * 100, i == 5, pid | 8, i,
                name[call], 0, None)
        put('CUPTI_ACTIVITY_KIND_MEMCPY', 4000, 4100, 0, 1, None, 7, 4, pid, 1 << 40, 10, 2, 2, 1,
            0, None, 5, 6, 3, 1 << 46, 7)
        put('CUPTI_ACTIVITY_KIND_MEMCPY', 4000, 4100, 0, 1, None, 8, 4, pid, 5, 1, 0, 2, None, None,
            11, None, None, None, None, None)
        put('CUPTI_ACTIVITY_KIND_MEMSET', 4200, 4300, 0, 1, None, 7, 3, pid, 0xffffffff, 64, 12, 2)
        put('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', 5000, 6000, 0, 1, None, 7, 5, pid, 9, 10)
        put('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 6000, 6500, 0, 1, None, 0xffffffff, 5, pid, 4,
            19, 1 << 40)
        put('TARGET_INFO_GPU', 0, 'NVIDIA H100', 'GH100', 'GPU-1', 132, 9, 0, 80 << 30)
        make_kept(db, list(name.values()), pid, other)


def make_places(path):
    """The same with all that can be known of where it ran."""
    make_everything(path)
    with sqlite3.connect(path) as db:
        db.execute('DROP TABLE TARGET_INFO_GPU')
        for table, (columns, values) in PLACES.items():
            db.execute(f'CREATE TABLE {table}({", ".join(columns)})')
            db.executemany(f'INSERT INTO {table} VALUES({",".join("?" * len(columns))})', values)


def kept_value(column, row, n, strings, processes):
    """A value of its own for every column; in the second row, none where there need be none."""
    known = {'start': 2500 + n, 'end': 2600 + n, 'globalTid': processes[row] | 7,
             'globalPid': processes[row], 'correlationId': row + 1, 'memoryOperationType': 0}
    if column in known or (column == 'timestamp' and row == 0):
        return known.get(column, 2700 + n)
    if column == 'timestamp':
        return 0 if n % 2 else 2800 + n
    if column in ('typeId', 'metricId', 'sourceId', 'schemaId', 'domainId', 'value'):
        return 10 * row + len(column)
    if column[0] == '@':
        return strings[n % len(strings)]
    if row == 1 and n % 3 == 0 and 'Id' in column:
        return None
    return f'{column[1:]} "{n}"' if column[0] == '$' else (1 << 40) + n if 'ddress' in column else n


def make_kept(db, strings, *processes):
    n = 0
    for table, columns in KEPT.items():
        columns = columns.split()
        db.execute(f'CREATE TABLE {table}({", ".join(column.strip("@$") for column in columns)})')
        for row in range(2):
            values = []
            for column in columns:
                n += 1
                values.append(kept_value(column, row, n, strings, processes))
            db.execute(f'INSERT INTO {table} VALUES({",".join("?" * len(values))})', values)


def check_everything(rangefinder, folder):
    first, second = folder / 'everything.sqlite', folder / 'everything.out.sqlite'
    make_everything(first)
    check(rangefinder, first, second)
    check_texts(rangefinder, first)
    assert compare_tables(first, second) == 22 + 2 * len(KEPT)
    with sqlite3.connect(second) as database: # 0 and NULL are not alike there
        assert database.execute('SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS'
                                ' WHERE memoryOperationType = 0').fetchone() == (2,)
    more = {'TARGET_INFO_GPU': ('id', 'name', 'chipName', 'uuid', 'smCount', 'computeMajor',
                                'computeMinor', 'totalMemory')}
    for table, columns in more.items():
        assert rows(first, table, columns) == rows(second, table, columns), table
    assert rows(second, 'TARGET_INFO_CUDA_CONTEXT_INFO',
                ('processId', 'deviceId', 'contextId', 'parentContextId', 'isGreenContext')) == [
                    '(100, 0, 1, 0, 0)', '(100, 1, 3, 2, 1)', '(200, 1, 3, 2, 1)']
    assert rows(second, 'TARGET_INFO_CUDA_STREAM', ('processId', 'contextId', 'streamId')) == [
        '(100, 1, 7)', '(100, 1, 8)', '(100, 2, 13)', '(200, 2, 13)']


def check_places(rangefinder, folder):
    first, second = folder / 'places.sqlite', folder / 'places.out.sqlite'
    make_places(first)
    check(rangefinder, first, second)
    compare_tables(first, second)
    with sqlite3.connect(second) as database:
        for table, (columns, values) in PLACES.items():
            found = database.execute(f'SELECT {", ".join(columns)} FROM {table}').fetchall()
            assert sorted(found, key=repr) == sorted(map(tuple, values), key=repr), (table, found)
    with sqlite3.connect(first) as database:  # of a process that nothing else is known of
        database.execute('INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(1, 0, 1, 999, 1, 0, 1)')
        database.execute('INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0, 0, 999, NULL, NULL)')
    counts = json.loads(run(rangefinder, 'info', '--json', str(first)))
    left_out = [row for row in counts['not_read'] if 'without events' in row['reason']]
    assert len(left_out) == 2, counts['not_read']
    only = folder / 'places.gpu0.sqlite'
    run(rangefinder, 'export', '-t', 'sqlite', '--filter-gpu=0', '-o', str(only), str(first))
    with sqlite3.connect(only) as database:
        for table, n in {'TARGET_INFO_CUDA_STREAM': 3, 'TARGET_INFO_CUDA_DEVICE': 1,
                         'TARGET_INFO_GPU': 1, 'TARGET_INFO_NVTX_CUDA_STREAM': 1}.items():
            assert database.execute(f'SELECT count(*) FROM {table}').fetchone() == (n,), table


def check_losses(rangefinder, folder):
    """What the recording had lost is lost in every copy of it."""
    first, second = folder / 'losses.sqlite', folder / 'losses.out.sqlite'
    shutil.copy(folder / 'places.out.sqlite', first)
    names = ('lostEvents', 'lostBytes', 'lostDefinitions', 'lostProcesses', 'damagedBytes',
             'unmatchedEnds', 'foreignEnds', 'stalls', 'stallNs')
    with sqlite3.connect(first) as database:
        for number, name in enumerate(names, 11):
            change = database.execute('UPDATE RANGEFINDER_INFO SET value = ? WHERE name = ?',
                                      (number, name))
            assert change.rowcount == 1, name
    run(rangefinder, 'export', '-t', 'sqlite', '-o', str(second), str(first))
    info = origin(rangefinder, second)
    assert [info[name] for name in LOSSES] == list(range(11, 20)), info


def check_texts(rangefinder, path):
    """Rows and samples in the formats that are not compared otherwise."""
    table = list(csv.reader(io.StringIO(export(rangefinder, 'csv', path).decode())))
    assert {len(line) for line in table} == {len(table[0])}
    lines = [dict(zip(table[0], line)) for line in table[1:]]
    memory = [line for line in lines if line['type'] == 'memory']
    assert len(memory) == 2 and memory[0]['pid'] == '100', memory
    assert 'bytes=' + memory[0]['bytes'] in memory[0]['payload'], memory
    assert 'memory_operation_type=0' in memory[0]['payload'], memory
    samples = [line for line in lines if line['type'] == 'counter']
    assert any(line['name'] == 'Other memory in use [bytes]' for line in samples), samples
    assert any(line['name'].startswith('metricName "') and line['full_name'] for line in samples)
    text = export(rangefinder, 'text', path).decode()
    assert '<memory> ' in text and 'Other memory in use [bytes] = 0' in text
    assert '[payload {"a": "é"}]' in text
    only = export(rangefinder, 'jsonl', path, '--activity=gpu-metrics').decode()
    kinds = {json.loads(line)['type'] for line in only.splitlines()}
    assert 'sample' in kinds and not kinds & {'memory', 'kernel', 'push_pop', 'cuda_event'}, kinds


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
        check_places(rangefinder, folder)
        check_losses(rangefinder, folder)
        for path in files:
            stem = path.name.removesuffix('.sqlite.gz')
            first, second = folder / (stem + '.sqlite'), folder / (stem + '.out.sqlite')
            first.write_bytes(gzip.decompress(path.read_bytes()))
            check(rangefinder, first, second)
            if stem in WHOLE:
                place_waits(first)
                compare_tables(first, second)
                if has_nsys:
                    compare_nsys(first, second)


if __name__ == '__main__':
    main()
