#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""foreign.py --build DIR --inject LIBRARY [--focus PROGRAM] -- COMMAND...: runs COMMAND (basic, built
for another machine, under an emulator) with the injection variable alone, and compares the
recording with what it noted. PROGRAM (focus, built for it) takes the place of the last word of
COMMAND in a focused run. The reader is that of this machine."""

import argparse
import glob
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import focused  # noqa: E402
import harness  # noqa: E402


def check(test, arguments):
    for mode, status in (("all", 7), ("random", 0)):
        folder = test.path(mode)
        os.mkdir(folder)
        run = harness.Run(test, test.new_truth(), None)
        env = {"NVTX_INJECTION64_PATH": os.path.abspath(arguments.inject)}
        run.outcome = test.run([*arguments.command, mode], run.truth, env, cwd=folder)
        harness.expect_equal(run.outcome.status, status, f"exit status of '{mode}'")
        sessions = glob.glob(os.path.join(folder, "rangefinder-*.rfdir"))
        harness.fail_if(len(sessions) != 1, f"'{mode}' left {len(sessions)} sessions")
        run.output = sessions[0]
        run.check_truth()
        print(f"{mode}: clock {run.recording.info['clock']}, "
              f"{run.recording.info['n_events']} events")


def check_focused(test, arguments):
    test.inject = os.path.abspath(arguments.inject)
    for keeps_open in (0, 1):
        session = focused.Session(test, clock=3, keeps_open=keeps_open)
        words = "push=a start=b push=x pop push=step mark=in end=0 pop push=y pop push=step pop"
        done = test.run([*arguments.command[:-1], arguments.focus, *words.split()], env=session.env)
        harness.expect_equal(done.status, 0, f"exit status ({done.stderr.decode()})")
        harness.expect_equal(session.inside(0), ["step", "in"], "inside")
        harness.expect_equal(session.all(), ["a", "b"] * keeps_open + ["step", "in", "step"], "all")
        print(f"focused, keeps_open {keeps_open}: {len(session.windows())} captures")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--inject", required=True)
    parser.add_argument("--focus")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    test = harness.Test(arguments.build)
    try:
        check(test, arguments)
        if arguments.focus:
            check_focused(test, arguments)
    except harness.Skip as skip:
        print(f"SKIP: {skip}")
        return 77
    except harness.Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    finally:
        test.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
