# SPDX-License-Identifier: Apache-2.0
# Reports of what only Nsight Systems records, of a database that is made here.
command -v python3 >/dev/null || exit 77
python3 - <<'MAKE'
import sqlite3
RANKS = 3
db = sqlite3.connect("job.sqlite")
db.executescript("""
CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid);
CREATE TABLE StringIds(id, value);
INSERT INTO StringIds VALUES (1, 'MPI_Send'), (2, 'MPI_Recv'), (3, 'MPI_Allreduce'), (4, 'MPI_Wait'),
    (5, 'MPI_Init'), (6, 'MPI_Bcast'), (7, 'poll');
CREATE TABLE MPI_RANKS(globalTid, rank);
CREATE TABLE OSRT_API(start, end, globalTid, nameId);
INSERT INTO OSRT_API VALUES (100, 150, 281474976710666, 7), (200, 230, 281474976710666, 7);
CREATE TABLE SYSCALL(start, end, eventClass, globalTid, nameId);
INSERT INTO StringIds VALUES (8, 'read'), (9, 'futex');
INSERT INTO SYSCALL VALUES (100, 150, 107, 281474976710666, 8), (200, 230, 107, 281474976710666, 8),
    (300, 900, 107, 281474976710666, 9), (310, 800, 108, 281474976710666, 9),
    (1000, NULL, 107, 281474976710666, 9);
CREATE TABLE MPI_P2P_EVENTS(start, end, globalTid, textId, commHandle, tag, remoteRank, size,
    requestHandle);
CREATE TABLE MPI_COLLECTIVES_EVENTS(start, end, globalTid, textId, commHandle, rootRank, size,
    recvSize, requestHandle);
CREATE TABLE MPI_START_WAIT_EVENTS(start, end, globalTid, textId, requestHandle);
CREATE TABLE MPI_OTHER_EVENTS(start, end, globalTid, textId);
CREATE TABLE NET_NIC_METRIC(start, end, globalId, portId, metricsListId, metricsIdx, value);
INSERT INTO NET_NIC_METRIC VALUES (1000, 2000, 7, 1, 0, 10, 20000), (2000, 3000, 7, 1, 0, 10, 10000),
    (2000, 3000, 8, 1, 0, 10, 10001), (1000, 2000, 7, 1, 0, 6, 99999),
    (3000, 4000, 9, 1, 0, 10, 50000), (3000, 4000, 8, 1, 1, 10, 60000), (3000, 4000, 8, 1, 0, 10, -1);
CREATE TABLE TARGET_INFO_NETWORK_METRICS(metricsListId, metricsIdx, name, description, unit);
INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (0, 6, 'IB: Bytes sent', '', 'bytes/ms'),
    (0, 10, 'IB: Send waits', '', 'ticks/ms'), (1, 10, 'IB: Packets sent', '', 'packets/ms');
CREATE TABLE NIC_ID_MAP(nicId, globalId);
INSERT INTO NIC_ID_MAP VALUES (0, 7), (1, 8), (5, 9);
CREATE TABLE TARGET_INFO_NIC_INFO(GUID, stateName, nicId, name, deviceId, vendorId, linkLayer);
INSERT INTO TARGET_INFO_NIC_INFO VALUES (-2, 'Local', 0, 'mlx5_0', 4129, 5555, 2),
    (2, 'Local', 1, 'mlx5_1', 4129, 5555, 2);
""")
for rank in range(RANKS):
    tid = 1 << 48 | (10 + rank) << 24 | (10 + rank)
    db.execute("INSERT INTO MPI_RANKS VALUES (?, ?)", (tid, rank))
    db.execute("INSERT INTO MPI_OTHER_EVENTS VALUES (?, ?, ?, 5)", (10 + rank, 500, tid))
    db.execute("INSERT INTO NVTX_EVENTS VALUES (?, 9000, 59, 'step', ?)", (10 + rank, tid))
    for i in range(4):
        at = 1000 * (i + 1) + rank
        db.execute("INSERT INTO MPI_P2P_EVENTS VALUES (?, ?, ?, ?, 1, ?, ?, ?, NULL)",
                   (at, at + 10 * (rank + 1), tid, 1 + rank % 2, i, (rank + 1) % RANKS, 64 << i))
        db.execute("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (?, ?, ?, 3, 1, NULL, ?, ?, NULL)",
                   (at + 100, at + 200 + 5 * i, tid, 8 * (i + 1), 8 * (i + 1)))
        db.execute("INSERT INTO MPI_START_WAIT_EVENTS VALUES (?, ?, ?, 4, 77)",
                   (at + 300, at + 301 + i, tid))
    db.execute("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (7000, NULL, ?, 6, 1, 0, NULL, 512, NULL)",
               (tid,))
db.commit()
MAKE
show() { run rangefinder stats -q -f csv "$@" job.sqlite; }
show -r mpi_event_sum
show -r mpi_msg_size_sum
show -r mpi_event_trace:rows=9
show -r mpi_event_sum --filter-rank=1
show -r mpi_event_sum --filter-thread=10,12
show -r network_congestion
show -r network_congestion:ticks_threshold=0
show -r network_congestion:ticks_threshold=20000
show -r network_congestion:ticks_threshold=-1
show -r mpi_event_sum:ticks_threshold=1
show -r syscall_sum
show -r syscall_sum --activity=osrt
show -r syscall_sum --activity=nvtx
show -r um_sum -f csv:thru=GB
show -r um_sum -f json:gid=hex
show -r um_sum -f csv:addr=dec
show -r nvtx_sum -f table:ratio=x
# the same of our own database
rangefinder export -q -o ours.sqlite job.sqlite
for report in mpi_event_sum mpi_event_trace mpi_msg_size_sum network_congestion syscall_sum; do
    rangefinder stats -q -f csv -r $report job.sqlite >theirs.csv
    rangefinder stats -q -f csv -r $report ours.sqlite >ours.csv
    cmp theirs.csv ours.csv
done
run rangefinder stats -q -f csv -r nvtx_sum --filter-rank=0,2 job.sqlite
# formats by the place of a report, with -r and without
run rangefinder stats -q -f csv,json job.sqlite
run rangefinder stats -q -r osrt_sum,nvtx_sum -f csv,json job.sqlite
list
