# SPDX-License-Identifier: Apache-2.0
"""Exports of nsys for hostile.py: every table that is read and some that are not, every column of
theirs filled, or made by SQL in large numbers."""

import contextlib
import os
import sqlite3
import struct

GPID = 1 << 48 | 10 << 24
GTID = GPID | 10

WORK = "start end deviceId contextId greenContextId streamId correlationId globalPid"
TABLES = {name: columns.split() for name, columns in {
    "StringIds": "id value",
    "PROCESSES": "globalPid pid name nameId",
    "ThreadNames": "nameId priority globalTid",
    "TARGET_INFO_GPU": "vmId id name totalMemory smCount uuid chipName cuDevice computeMajor"
                       " computeMinor",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs utcTime localTime systemClockNs",
    "TARGET_INFO_SYSTEM_ENV": "globalVid devStateName name nameEnum value",
    "META_DATA_EXPORT": "name value",
    "META_DATA_CAPTURE": "name value",
    "TARGET_INFO_CUDA_CONTEXT_INFO": "nullStreamId hwId vmId processId deviceId contextId"
                                     " parentContextId isGreenContext",
    "TARGET_INFO_CUDA_STREAM": "streamId hwId vmId processId contextId priority flag",
    "TARGET_INFO_CUDA_NULL_STREAM": "streamId hwId vmId processId deviceId contextId",
    "TARGET_INFO_CUDA_DEVICE": "gpuId cudaId pid uuid numMultiprocessors",
    "TARGET_INFO_NVTX_CUDA_DEVICE": "name hwId vmId deviceId",
    "TARGET_INFO_NVTX_CUDA_CONTEXT": "name hwId vmId processId deviceId contextId",
    "TARGET_INFO_NVTX_CUDA_STREAM": "name hwId vmId processId deviceId contextId streamId",
    "NVTX_EVENTS": "start end eventType rangeId category color text globalTid endGlobalTid textId"
                   " domainId uint64Value int64Value doubleValue uint32Value int32Value floatValue"
                   " jsonTextId jsonText binaryData",
    "NVTX_PAYLOAD_SCHEMAS": "domainId schemaId name type flags numEntries payloadSize alignTo",
    "NVTX_PAYLOAD_SCHEMA_ENTRIES": "domainId schemaId idx flags type name description"
                                   " arrayOrUnionDetail offset",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end eventClass globalTid correlationId nameId returnValue"
                                   " callchainId",
    "CUPTI_ACTIVITY_KIND_DRIVER": "start end eventClass globalTid correlationId nameId returnValue"
                                  " callchainId",
    "OSRT_API": "start end eventClass globalTid correlationId nameId returnValue nestingLevel"
                " callchainId",
    "CUPTI_ACTIVITY_KIND_KERNEL": WORK + " demangledName shortName mangledName launchType"
                                  " cacheConfig registersPerThread gridX gridY gridZ blockX blockY"
                                  " blockZ staticSharedMemory dynamicSharedMemory"
                                  " localMemoryPerThread localMemoryTotal gridId"
                                  " sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig"
                                  " graphId clusterX clusterY clusterZ",
    "CUPTI_ACTIVITY_KIND_MEMCPY": WORK + " bytes copyKind deprecatedSrcId srcKind dstKind"
                                  " srcDeviceId srcContextId dstDeviceId dstContextId"
                                  " migrationCause graphNodeId virtualAddress copyCount",
    "CUPTI_ACTIVITY_KIND_MEMSET": WORK + " value bytes graphNodeId memKind",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": WORK + " deprecatedSyncType syncType eventId"
                                           " eventSyncId",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": WORK + " graphId graphExecId",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT": "timestamp deviceId contextId greenContextId streamId"
                                      " correlationId globalPid eventId eventSyncId",
    "CUPTI_ACTIVITY_KIND_OVERHEAD": "start end eventClass globalTid correlationId nameId"
                                    " overheadType",
    "PROFILER_OVERHEAD": "start end globalTid nameId overheadType",
    "CUDA_GRAPH_NODE_EVENTS": "start end eventClass globalTid nameId graphNodeId"
                              " originalGraphNodeId",
    "CUDA_GPU_MEMORY_USAGE_EVENTS": "start globalPid deviceId contextId address pc bytes memKind"
                                    " memoryOperationType name correlationId streamId",
    "DIAGNOSTIC_EVENT": "timestamp timestampType source severity text globalPid",
    "GPU_METRICS": "rawTimestamp timestamp typeId metricId value",
    "TARGET_INFO_GPU_METRICS": "typeId sourceId typeName metricId metricName",
    "GENERIC_EVENTS": "genericEventId rawTimestamp timestamp typeId data",
    "GENERIC_EVENT_TYPES": "typeId sourceId name data",
    "SCHED_EVENTS": "start cpu isSchedIn globalTid threadState threadBlock",
    "COMPOSITE_EVENTS": "id start cpu threadState globalTid cpuCycles",
    "CUDNN_EVENTS": "start end eventClass globalTid correlationId nameId",
    "CUBLAS_EVENTS": "start end eventClass globalTid correlationId nameId",
    "SYSCALL": "start end eventClass globalTid correlationId nameId",
    "MPI_P2P_EVENTS": "start end globalTid textId tag size commHandle remoteRank reqHandle",
}.items()}
SILENT = ("TARGET_INFO_", "META_DATA_")
N_ROWS = 6
EVENT_TYPES = (59, 59, 60, 34, 33, 75)
TEXT = {"value", "name", "text", "uuid", "chipName", "utcTime", "localTime", "devStateName",
        "jsonText", "binaryData", "typeName", "metricName", "description", "data"}
SHARED = {"globalTid": GTID, "endGlobalTid": GTID, "globalPid": GPID, "deviceId": 0, "eventClass": 0,
          "contextId": 1, "streamId": 7, "domainId": 0, "greenContextId": 0, "pid": 10,
          "hwId": 0, "vmId": 1, "processId": 10, "cudaId": 0, "gpuId": 0}


def filled(table, column, i):
    """The value of a column in row i: an ordinary one, of the right type."""
    if column == "text" and table == "NVTX_EVENTS":
        return None if i % 2 else f"text {i}"
    if column == "value" and table in ("CUPTI_ACTIVITY_KIND_MEMSET", "GPU_METRICS"):
        return i
    if column == "correlationId" and table == "CUPTI_ACTIVITY_KIND_DRIVER":
        return 100 + i
    if column in (["binaryData"] if i % 2 else ["jsonText", "jsonTextId"]):
        return None  # a payload is one or the other
    if column in TEXT and not (column == "name" and table.startswith("CUDA_GPU_MEMORY")):
        return f"{column} {i}"
    if column in ("start", "timestamp", "rawTimestamp"):
        return 1000 * (i + 1) + (0 if table == "NVTX_EVENTS" else 100 if "RUNTIME" in table else 300)
    if column == "end":
        return 1000 * (i + 1) + (900 if table == "NVTX_EVENTS" else 200 if "RUNTIME" in table
                                 else 400)
    if column == "eventType":
        return EVENT_TYPES[i]
    return SHARED.get(column, i + 1)


# ---- Payloads, and counters of NVTX ----

PAYLOAD_TABLES = {name: columns.split() for name, columns in {
    "NVTX_EVENTS": "start end eventType globalTid domainId jsonText binaryData",
    "NVTX_PAYLOAD_SCHEMAS": "domainId schemaId name type flags numEntries payloadSize alignTo globalPid",
    "NVTX_PAYLOAD_SCHEMA_ENTRIES": "domainId schemaId idx flags type name description"
                                   " arrayOrUnionDetail offset globalPid",
    "NVTX_PAYLOAD_ENUMS": "domainId schemaId name numEntries size globalPid",
    "NVTX_PAYLOAD_ENUM_ENTRIES": "domainId schemaId idx name value isFlag globalPid",
    "RANGEFINDER_NVTX_TYPE_SIZES": "globalPid type size alignment",
    "RANGEFINDER_NVTX_STRINGS": "globalPid handle text",
    "RANGEFINDER_NVTX_COUNTERS": "counterId globalPid globalTid domainId name unit description scope"
                                 " number valueType interpolation minimum maximum scaleNumerator"
                                 " scaleDenominator factor",
    "RANGEFINDER_NVTX_COUNTER_SAMPLES": "counterId timestamp value flags",
}.items()}
FIRST_ID = 1 << 24
ENTRY_TYPES = (18, FIRST_ID + 20, 80, 21, 75, FIRST_ID)  # a number, an enum, a string, ..., a struct
OF_PAYLOADS = {"type": 1, "idx": 0, "flags": 0, "numEntries": 1, "payloadSize": 0, "alignTo": 0,
               "size": 4, "arrayOrUnionDetail": 0, "offset": 0, "isFlag": 0, "domainId": 0,
               "number": "int64", "valueType": "delta", "interpolation": "linear", "flags text": "placed"}


def payload_filled(table, column, i):
    """As filled(). Event i has a payload of schema i, whose one entry is of type i."""
    if column == "schemaId":
        return FIRST_ID + i + (20 if "ENUM" in table else 0)
    if table == "NVTX_PAYLOAD_SCHEMA_ENTRIES" and column == "type":
        return ENTRY_TYPES[i]
    if column == "binaryData":
        size = 16 if ENTRY_TYPES[i] == 21 else 8
        return struct.pack("<4Q", 0, FIRST_ID + i, size, 32 + size) + bytes([i + 1] + [0] * (size - 1))
    if column == "handle":
        return f"0x{i + 1:x}"
    if column == "eventType":
        return (59, 60, 34)[i % 3]
    if table == "RANGEFINDER_NVTX_COUNTER_SAMPLES" and column == "flags":
        return (None, "placed", "no_value")[i % 3]
    if column == "value":
        return i
    value = OF_PAYLOADS.get(column)
    return filled(table, column, i) if value is None else value


def with_payloads(path, change=lambda table, column, i, value: value):
    """Those tables, each column of which change() gives a value, or drops: it returns LookupError."""
    with create(path) as db:
        for table, columns in PAYLOAD_TABLES.items():
            kept = [c for c in columns if change(table, c, 0, None) is not LookupError]
            db.execute(f"CREATE TABLE {table} ({', '.join(kept)})")
            db.executemany(
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(kept))})",
                [[change(table, column, i, payload_filled(table, column, i)) for column in kept]
                 for i in range(N_ROWS)])
        db.commit()


def create(path):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    return contextlib.closing(db)


def complete(path, change=lambda table, column, i, value: value, tables=None):
    """All tables; change() gives each value."""
    with create(path) as db:
        for table, columns in (tables or TABLES).items():
            db.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            db.executemany(
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
                [[change(table, column, i, filled(table, column, i)) for column in columns]
                 for i in range(N_ROWS)])
        db.commit()


# ---- Large numbers of rows ----

COLUMNS = {"NVTX_EVENTS": "start, end, eventType, globalTid, textId, domainId",
           "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, globalTid, correlationId, nameId",
           "CUPTI_ACTIVITY_KIND_KERNEL": "start, end, deviceId, contextId, streamId, correlationId,"
                                         " globalPid, shortName",
           "OSRT_API": "start, end, globalTid, nameId"}


def many(path, *rows):
    """rows: (table, count, "values of its columns in terms of n, from 0")."""
    with create(path) as db:
        db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        db.executemany("INSERT INTO StringIds VALUES (?, ?)",
                       [(1, "kernel"), (2, "launch"), (3, "layer")])
        for table, columns in COLUMNS.items():
            db.execute(f"CREATE TABLE {table} ({columns})")
        for table, count, values in rows:
            db.execute(f"INSERT INTO {table} WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT"
                       f" n + 1 FROM r WHERE n + 1 < {count}) SELECT {values} FROM r")
        db.commit()


def launches(count, start, gap=10):
    """Rows for many(): calls on the one thread, and a kernel for each."""
    return (("CUPTI_ACTIVITY_KIND_RUNTIME", count,
             f"{start} + n * {gap}, {start} + n * {gap} + 5, {GTID}, n + 1, 2"),
            ("CUPTI_ACTIVITY_KIND_KERNEL", count,
             f"{start} + n * {gap} + 1000, {start} + n * {gap} + 1008, 0, 1, 7, n + 1, {GPID}, 1"))
