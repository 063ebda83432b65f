# SPDX-License-Identifier: Apache-2.0
# Collectives of NCCL and MPI: what a recording of several ranks has of them.
command -v python3 >/dev/null || exit 77
python3 - <<'MAKE'
import json
import sqlite3


def make(path, ranks, at=0):
    db = sqlite3.connect(path)
    db.executescript("""
    CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId, jsonText);
    CREATE TABLE StringIds(id, value);
    INSERT INTO StringIds VALUES (1, 'MPI_Send'), (3, 'MPI_Allreduce'), (6, 'MPI_Ibcast'),
        (7, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'), (8, 'gemm'), (9, 'cudaLaunchKernel_v7000'),
        (10, 'MPI_Init');
    CREATE TABLE MPI_RANKS(globalTid, rank);
    CREATE TABLE MPI_COLLECTIVES_EVENTS(start, end, globalTid, textId, commHandle, rootRank, size,
        recvSize, requestHandle);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,
        correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY,
        blockZ);
    """)
    for rank in ranks:
        pid = 1 << 48 | (10 + rank) << 24
        tid = pid | (10 + rank)
        db.execute("INSERT INTO MPI_RANKS VALUES (?, ?)", (tid, rank))

        def push(start, end, text, domain, payload=None):
            db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, ?, ?)",
                       (at + start, at + end, text, tid, domain, payload and json.dumps(payload)))

        for domain, name in (1, "NCCL"), (2, "MPI"), (3, "own"):
            db.execute("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, ?, ?, ?, NULL)", (name, tid, domain))
        for i in range(4):
            start = 1000 * (i + 1) + (70 if i > 0 and rank == 1 else 10 * rank)
            push(start, 1000 * (i + 1) + 200, "ncclAllReduce", 1,
                 {"NCCL communicator ID": 77 + i // 2, "Message size [bytes]": 1 << 20})
            push(start + 300, start + 400, "ncclGroupEnd", 1)
            push(start + 310, start + 320, "MPI_Barrier", 2)
            push(start + 330, start + 340, "MPI_Send", 2)
            push(start + 350, start + 390, "exchange", 3, {"bytes": 100, "rank": 9})
            db.execute("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (?, ?, ?, 3, 1, NULL, ?, ?, NULL)",
                       (at + start + 500, at + start + 600, tid, 8, 8))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
                       "(?, ?, ?, 1, ?, 0, ?, ?, ?, 1, 1, 1, 1, 1, 1)",
                       (at + start + 700, at + start + 800, rank, 7 + i % 2, pid, 7 + i // 3, 7 + i // 3))
        db.execute("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (?, NULL, ?, 6, 1, 0, NULL, 512, NULL)",
                   (at + 7000, tid))
    db.commit()


make("job.sqlite", range(3))
for rank in range(3):
    make(f"rank{rank}.sqlite", [rank])
MAKE
show() { run rangefinder stats -q -f csv -r collectives "$@"; }
show job.sqlite
show rank0.sqlite rank1.sqlite
# of a range that is asked for; its payload says no rank that the process does not have
show --collective=exchange@own job.sqlite | grep -v Reduce
run rangefinder stats -q -r collectives --collective=nothing job.sqlite
# the same rows of summaries, and of ranks that were recorded apart
rangefinder stats -q -f csv -r collectives job.sqlite >of_recording
run rangefinder summarize -q job.sqlite
rangefinder stats -q -f csv -r collectives job.rfsum | cut -d, -f4- | cmp - of_recording
run rangefinder summarize -q --merge rank2.sqlite rank0.sqlite rank1.sqlite -o merged
rangefinder stats -q -f csv -r collectives merged.rfsum | cut -d, -f4- | cmp - of_recording
rangefinder stats -q -f csv -r collectives --sum-inputs rank1.sqlite rank2.sqlite rank0.sqlite |
    cut -d, -f4- | cmp - of_recording
rangefinder stats -q -f csv -r collectives --collective=exchange job.sqlite >of_recording
rangefinder stats -q -f csv -r collectives --collective=exchange --sum-inputs rank?.sqlite |
    cut -d, -f4- | cmp - of_recording
python3 - <<'SHOW'
import sqlite3
query = """SELECT kind, operation, communicator, number, start_utc_ns + start, start_utc_ns + start + duration, bytes, rank,
    pid, tid, device, stream FROM collective_times AS t JOIN collective_series USING (series)
    WHERE rank = 1 AND number > 1 ORDER BY t.rowid"""
for row in sqlite3.connect("merged.rfsum").execute(query):
    print(*row)
SHOW
show --quantiles=0,50,100 job.sqlite
rangefinder stats -q -f csv -r collectives --quantiles=20,80 job.sqlite >of_recording
rangefinder stats -q -f csv -r collectives --quantiles=20,80 merged.rfsum | cut -d, -f4- | cmp - of_recording
run rangefinder summarize -q -f --max-collectives=4 --collective=exchange job.sqlite
run rangefinder stats -q -r collectives job.rfsum
run rangefinder summarize --max-collectives=0 job.sqlite
sqlite() { python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])' "$@"; }
sqlite job.rfsum 'DROP TABLE collective_times; DROP TABLE collective_series; DROP TABLE collective_inputs'
run rangefinder stats -q -r collectives job.rfsum
run rangefinder profile -q -o none act push:a pop
show none.rf
run rangefinder stats -q -r collectives --allow-empty none.rf
rm ./*.sqlite ./*.rf ./*.rfsum of_recording
