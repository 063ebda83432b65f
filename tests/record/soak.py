#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak.py --build DIR --millions N: N million events through 8 threads, all checked, with the
command line draining and without one; then SIGKILL at random moments, many times."""

import argparse
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402
from cases_processes import case_kill_at_random, case_kill_command_line  # noqa: E402

THREADS = 8


def volume(test, millions, by_hand):
    test.timeout_s = 3600
    start = time.monotonic()
    arguments = [THREADS, millions * 1000]
    if by_hand:
        run = test.by_hand("volume", *arguments)
    else:
        run = test.record("volume", *arguments, compare=False)
    recorded = time.monotonic()
    n = run.outcome.stdout.decode().strip()
    done = test.run([test.program("rf-verify"), run.output, str(THREADS), n])
    harness.fail_if(done.status != 0, done.stderr.decode())
    print(
        f"{n} events through {THREADS} threads, {'by hand' if by_hand else 'profile'}: "
        f"recorded in {recorded - start:.1f} s, read in {time.monotonic() - recorded:.1f} s, "
        "nothing lost, all in order",
        flush=True,
    )


def with_test(build, function, *arguments):
    test = harness.Test(build)
    try:
        function(test, *arguments)
    finally:
        test.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--millions", type=int, default=100)
    arguments = parser.parse_args()
    try:
        with_test(arguments.build, volume, arguments.millions, False)
        with_test(arguments.build, volume, max(1, arguments.millions // 4), True)
        os.environ["RF_KILL_ROUNDS"] = "200"
        with_test(arguments.build, case_kill_at_random)
        print("kill -9 of the program at 200 random moments: nothing lost", flush=True)
        for _ in range(5):
            with_test(arguments.build, case_kill_command_line)
        print("kill -9 of the command line, 5 times: nothing lost", flush=True)
    except (harness.Failure, harness.Skip) as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
