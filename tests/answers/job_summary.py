# SPDX-License-Identifier: Apache-2.0
"""Makes the summary of a job whose truth is known: ranks that repeat a step of some work and an all-reduce, in
which each waits for the last. Durations are nanoseconds.

usage: job_summary.py OUT [name=value ...], with the names of Job"""
import dataclasses
import random
import sqlite3
import sys

SCHEMA = """
PRAGMA application_id = 0x5246534d; PRAGMA user_version = 1; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;
CREATE TABLE inputs (input INTEGER PRIMARY KEY, path TEXT, host TEXT, filter TEXT, rank INTEGER, local_rank INTEGER,
  world_size INTEGER, start_utc_ns INTEGER, duration_ns INTEGER, n_inputs INTEGER, n_events INTEGER, n_lost INTEGER,
  n_cut INTEGER, n_paths_folded INTEGER);
CREATE TABLE paths (path INTEGER PRIMARY KEY, parent INTEGER, domain TEXT, name TEXT, is_rest INTEGER);
CREATE TABLE sums (sum INTEGER PRIMARY KEY, input INTEGER, path INTEGER, kind TEXT, n INTEGER, total INTEGER,
  squares_high INTEGER, squares_low INTEGER, min INTEGER, min_start_utc_ns INTEGER, min_rank INTEGER, min_pid INTEGER,
  min_tid INTEGER, max INTEGER, max_start_utc_ns INTEGER, max_rank INTEGER, max_pid INTEGER, max_tid INTEGER,
  self INTEGER, gpu INTEGER, n_gpu INTEGER);
CREATE TABLE buckets (sum INTEGER, bucket INTEGER, n INTEGER, PRIMARY KEY (sum, bucket)) WITHOUT ROWID;
CREATE TABLE step_inputs (input INTEGER PRIMARY KEY, n_searched INTEGER, n_left_out INTEGER);
CREATE TABLE step_threads (thread INTEGER PRIMARY KEY, input INTEGER, host TEXT, rank INTEGER, pid INTEGER, tid INTEGER);
CREATE TABLE steps (step INTEGER PRIMARY KEY, thread INTEGER, number INTEGER, path INTEGER, start_utc_ns INTEGER,
  duration INTEGER, self INTEGER, busy INTEGER, wait INTEGER, cut TEXT);
CREATE TABLE step_children (step INTEGER, child INTEGER, path INTEGER, n INTEGER, total INTEGER,
  PRIMARY KEY (step, child)) WITHOUT ROWID;
CREATE TABLE collective_inputs (input INTEGER PRIMARY KEY, n_searched INTEGER, n_left_out INTEGER);
CREATE TABLE collectives (input INTEGER, kind TEXT, operation TEXT, communicator INTEGER, number INTEGER,
  start_utc_ns INTEGER, end_utc_ns INTEGER, bytes INTEGER, rank INTEGER, pid INTEGER, tid INTEGER, device INTEGER,
  stream INTEGER);
INSERT INTO paths VALUES (1, 0, '', 'step', 0);
"""
START = 1_700_000_000_000_000_000


@dataclasses.dataclass
class Job:
    ranks: int = 8
    steps: int = 200
    work: int = 10_000_000
    noise: float = 0.02       # standard deviation of the work of a step, as a part of it
    uneven: float = 0.0005    # likewise of what the ranks differ by for good
    stall: float = 0.0        # probability of a stall in a step, half as long as the work, on any rank
    transfer: int = 500_000
    straggler: int = -1       # rank that takes longer
    slow: float = 0.0         # by this part
    from_step: int = 0        # from this step on
    to_step: int = 1 << 30
    ranks_per_host: int = 8
    host_offset: int = 0      # standard deviation of the clocks of hosts
    kind: str = "mpi_range"
    operation: str = "Allreduce"
    seed: int = 1
    order: int = 0            # seed of the order in which inputs are written; 0: by rank
    collectives: int = 1      # 0: none
    without: tuple = ()       # ranks that are not written

    def host(self, rank):
        return f"node{rank // self.ranks_per_host}"


def simulate(job):
    """The work and the collective of each step and rank: lists of (begin, start, end)."""
    rng = random.Random(job.seed)
    speed = [1 + rng.gauss(0, job.uneven) for _ in range(job.ranks)]
    ready = [0] * job.ranks
    steps = []
    for step in range(job.steps):
        start = []
        for rank in range(job.ranks):
            work = job.work * speed[rank] * max(0.1, 1 + rng.gauss(0, job.noise))
            if rank == job.straggler and job.from_step <= step < job.to_step:
                work *= 1 + job.slow
            if job.stall and rng.random() < job.stall:
                work += job.work / 2
            start.append(ready[rank] + int(work))
        end = [max(start) + int(job.transfer * (1 + abs(rng.gauss(0, 0.02)))) for _ in range(job.ranks)]
        steps.append(list(zip(ready, start, end)))
        ready = end
    return steps


def write(path, job):
    """The file, with an input for each rank. Returns what simulate() does."""
    steps = simulate(job)
    rng = random.Random(job.seed + 1)
    offset = {}
    order = [rank for rank in range(job.ranks) if rank not in job.without]
    if job.order:
        random.Random(job.order).shuffle(order)
    for rank in range(job.ranks):
        offset.setdefault(job.host(rank), int(rng.gauss(0, job.host_offset)))
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    db.execute("BEGIN")
    for i, rank in enumerate(order, 1):
        host, base = job.host(rank), START + offset[job.host(rank)]
        db.execute("INSERT INTO inputs VALUES (?,?,?,'',?,?,?,?,?,1,?,0,0,0)",
                   (i, f"rank{rank}.rf", host, rank, rank % job.ranks_per_host, job.ranks, base, steps[-1][rank][2],
                    2 * len(steps)))
        db.execute("INSERT INTO step_inputs VALUES (?,1,0)", (i,))
        db.execute("INSERT INTO collective_inputs VALUES (?,1,0)", (i,))
        db.execute("INSERT INTO step_threads VALUES (?,?,?,?,?,?)", (i, i, host, rank, 1000 + rank, 1000 + rank))
        db.executemany("INSERT INTO steps VALUES (?,?,?,1,?,?,?,0,0,'')",
                       (((i - 1) * len(steps) + n + 1, i, n + 1, base + begin, end - begin, end - begin)
                        for n, (begin, _, end) in enumerate(step[rank] for step in steps)))
        if job.collectives:
            db.executemany("INSERT INTO collectives VALUES (?,?,?,-1,?,?,?,1024,?,?,?,-1,-1)",
                           ((i, job.kind, job.operation, n + 1, base + start, base + end, rank, 1000 + rank, 1000 + rank)
                            for n, (_, start, end) in enumerate(step[rank] for step in steps)))
    db.commit()
    db.close()
    return steps


def main():
    job = Job()
    for word in sys.argv[2:]:
        name, value = word.split("=", 1)
        setattr(job, name, type(getattr(job, name))(value))
    write(sys.argv[1], job)


if __name__ == "__main__":
    main()
