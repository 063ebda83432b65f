#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak_storm.py --build DIR [--minutes N] [--seed N]: random programs that fork, exec, start threads
and annotate in signal handlers, recorded whole, split, by hand and as captures, and duels of threads and
forks at random instructions. What every thread annotated must be in the recording, to the last
event. With --seed, the first program is the one of that seed."""

import argparse
import collections
import glob
import os
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402
from cases_processes import check_duel  # noqa: E402
from cases_standby import check_session_duel  # noqa: E402

N_ROUNDS = 3


def made_by(outcome):
    """round -> (pid, tid) -> marks, ranges: what the program says it annotated."""
    rounds = collections.defaultdict(collections.Counter)
    for line in outcome.stdout.decode().splitlines():
        number, pid, tid, marks, ranges = map(int, line.split())
        rounds[number].update({(pid, tid, "marks"): marks, (pid, tid, "ranges"): ranges})
    return rounds


def recorded_in(test, path):
    found = collections.Counter()
    for (pid, tid), (marks, ranges, cut) in test.count(path).items():
        found.update({(pid, tid, "marks"): marks, (pid, tid, "ranges"): ranges})
        harness.fail_if(cut, f"{cut} ranges of thread {tid} of process {pid} are cut")
    return found


def recorded_in_pieces(test, stem):
    """What the files of a run that was split have: a range counts where it ends."""
    found = collections.Counter()
    for path in glob.glob(glob.escape(stem) + ".*.rf"):
        for (pid, tid), (marks, ranges, _cut) in test.count(path).items():
            found.update({(pid, tid, "marks"): marks, (pid, tid, "ranges"): ranges})
    return found


def compare(made, recorded, what):
    missing, extra = +(made - recorded), +(recorded - made)
    harness.fail_if(missing or extra, f"{what}: missing {dict(missing)}, too many {dict(extra)}")


def check(test, outcome, recordings):
    """recordings: the files of one recording of all rounds, or those of each round. Returns how
    many events were compared."""
    harness.expect_equal(outcome.status, 0, f"exit status ({outcome.stderr.decode()})")
    rounds = made_by(outcome)
    if len(recordings) == 1:
        rounds = {0: sum(rounds.values(), collections.Counter())}
    for number, paths in enumerate(recordings):
        recorded = sum((recorded_in(test, path) for path in paths), collections.Counter())
        compare(rounds[number], recorded, f"recording {number + 1}")
    return sum(sum(made.values()) for made in rounds.values())


def storm(test, mode, seed):
    env = {"STORM_COUNTS": test.path("counts")}
    if mode == "by hand":
        env["NVTX_INJECTION64_PATH"] = test.inject
        outcome = test.run([test.program("storm"), str(seed), str(N_ROUNDS)], env=env)
        return check(test, outcome, [test.session_directories()])
    if mode == "captures":
        options = ["-c", "nvtx", "-p", "storm", "--nvtx-capture-unregistered",
                   f"--capture-range-end=repeat:{N_ROUNDS}"]
        run = test.record("storm", seed, N_ROUNDS, "trigger", options=options, env=env,
                          compare=False)
        stem = run.output[: -len(".rf")]
        return check(test, run.outcome, [[f"{stem}.{i + 1}.rf"] for i in range(N_ROUNDS)])
    if mode == "split":
        run = test.record("storm", seed, N_ROUNDS, options=["--split=1M,100ms"], env=env, compare=False)
        harness.expect_equal(run.outcome.status, 0, f"exit status ({run.outcome.stderr.decode()})")
        made = sum(made_by(run.outcome).values(), collections.Counter())
        compare(made, recorded_in_pieces(test, run.output[: -len(".rf")]), "all files")
        return sum(made.values())
    run = test.record("storm", seed, N_ROUNDS, env=env, compare=False)
    return check(test, run.outcome, [[run.output]])


def duel(test, _mode, seed):
    chance = random.Random(seed)
    what, most = chance.choice([("attach", 20000), ("child", 20000), ("birth", 800),
                                ("death", 200), ("session", 120)])
    who = chance.choice(["thread", "fork"])
    first, stride = chance.randrange(most // 4), 1 + most // chance.randrange(3, 7)
    if what == "session":
        return check_session_duel(test, who, "calls", first, stride)[0]
    return check_duel(test, what, who, "instructions", first, stride)


def run_one(build, function, mode, seed):
    test = harness.Test(build)
    test.truth_size = 1 << 16
    test.timeout_s = 600
    try:
        return function(test, mode, seed)
    except harness.Skip as skip:
        print(f"skipped: {skip}", flush=True)
        return 0
    except harness.Failure as failure:
        raise harness.Failure(f"{mode}, seed {seed}: {failure}") from failure
    finally:
        test.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    programs = collections.Counter()
    events = collections.Counter()
    end = time.monotonic() + 60 * arguments.minutes
    modes = [("whole", storm), ("split", storm), ("by hand", storm), ("captures", storm), ("duel", duel)]
    try:
        while time.monotonic() < end or not programs:
            seed = arguments.seed if not programs and arguments.seed else chance.getrandbits(48)
            for mode, function in modes:
                events[mode] += run_one(arguments.build, function, mode, seed)
                programs[mode] += 1
    except harness.Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    for mode in programs:
        what = "rounds" if mode == "duel" else "events"
        print(f"{mode}: {programs[mode]} programs, {events[mode]} {what}, each there, nothing lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
