# SPDX-License-Identifier: Apache-2.0
# What info says of exports of nsys: whose the calls are, and a start that is not known; and what to
# do with files that are no export yet.
sqlite3 os.sqlite "
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES(1, 'poll'), (2, 'cudaLaunchKernel'), (3, 'add');
    CREATE TABLE OSRT_API(start, end, globalTid, nameId);
    INSERT INTO OSRT_API VALUES(10, 20, 281474976776193, 1), (30, 40, 281474976776193, 1);"
lines()
{
    rangefinder info "$1" | sed -n '/^started/,/^duration/p; /^calls/p; /^GPU/p'
    rangefinder info --json "$1" | grep -oE '"n_(os_)?calls":[0-9]*'
}
lines os.sqlite
cp os.sqlite both.sqlite
sqlite3 both.sqlite "
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(50, 60, 0, 281474976776193, 1, 2);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,
        correlationId, globalPid, demangledName, shortName);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(70, 90, 0, 1, 7, 1, 281474976710656, 3, 3);
    CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs);
    INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000);"
lines both.sqlite
gzip -k both.sqlite
run rangefinder info both.sqlite.gz
printf 'PAR1....PAR1' >kernels.parquet
run rangefinder stats kernels.parquet
printf 'what only nsys knows' >run.qdstrm
run rangefinder info run.qdstrm
cp run.qdstrm run.qdrep
PATH=$BUILD/bin run "$BUILD/bin/rangefinder" info run.qdrep
run rangefinder info run.rf
# ids of 32 bits stand apart
echo '[{"ph": "X", "name": "a", "pid": 4294967295, "tid": 4294967294, "ts": 5, "dur": 5}]' >wide.json
rangefinder info wide.json | sed -n '/^processes/,$p'
