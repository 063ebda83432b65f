#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""planted.py BUILD [SEEDS]: causes planted in real programs, which are recorded; those about a GPU in
one that uses the stand-ins for CUDA. `why` and `advise` name each in at least 95 of 100 seeds, and
nothing in at least 95 % of twice as many clean runs of each program; the tables of GPU work show what
was planted. `./dev soak answers` runs 100 seeds. Without SEEDS it is a test, with 10, which may run
beside other work, whose delays are causes as well: 70 % will do there, and a run that had a core for
less than 80 % of its time, a clean one 85 %, is not judged."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

# The part of the step, and its path. While the lock is waited for, another thread is in save; it is
# named too, unless that thread was kept off its core.
CAUSES = {
    "child": (("self", "range"), "load > read"),
    "gap": (("gap",), "forward"),
    "lock": (("self", "range"), "commit"),
    "layers": (("more",), "forward > layer"),
}
GPU_CAUSES = {
    "launch": (("gap",), "forward"),
    "copy": (("call",), "load"),
    "kernel": (("call",), "loss"),
}
PROGRAM = dict.fromkeys(CAUSES, "planted") | dict.fromkeys(GPU_CAUSES, "planted_gpu")
ALL_CAUSES = CAUSES | GPU_CAUSES
# Of the call: the GPU work that it waits for.
WORK = {"copy": "[CUDA memcpy HtoD]", "kernel": "layer_kernel"}
LEAST = 0.95
LEAST_BESIDE_OTHERS = 0.7
LEAST_OF_A_CORE = 0.8
LEAST_OF_A_CORE_CLEAN = 0.85  # what takes the core away is all that there is to be named


class Answers:
    least_of_a_core = least_of_a_core_clean = 0

    def __init__(self, build, folder):
        self.rangefinder = build / "bin" / "rangefinder"
        self.programs = build / "bin"
        self.recording = folder / "run.rf"
        stand_in = build / "tests" / "cuda" / "double" / "cupti" / "libcupti.so.12"
        self.env = os.environ | {"RANGEFINDER_CUPTI": str(stand_in), "RF_DOUBLE_SPIN": "1"}

    def record(self, program, cause, seed):
        """The share of the time in which the program had a core, where it says so."""
        done = subprocess.run([self.rangefinder, "profile", "-q", "-f", "true", "-o", self.recording,
                               self.programs / program, cause, str(seed)],
                              check=True, env=self.env, stdout=subprocess.PIPE)
        return float(done.stdout or 1)

    def table(self, report):
        return json.loads(subprocess.run([self.rangefinder, "stats", "-q", "-r", report, "-f", "json",
                                          self.recording], check=True, stdout=subprocess.PIPE).stdout)

    def ask(self, *args):
        return json.loads(subprocess.run([self.rangefinder, *args, "--json", self.recording],
                                         check=True, stdout=subprocess.PIPE).stdout)

    def causes(self):
        """Those that are more than chance."""
        return [cause for cause in self.ask("why", "step")["causes"] if cause["chance"] < 0.01]

    def findings(self):
        """Those about the steps of the main thread."""
        return [finding for finding in self.ask("advise")["findings"]
                if finding["id"] == "slow-instances" and finding["subject"] == "step@"]


def is_named(causes, cause):
    parts, path = ALL_CAUSES[cause]
    return any(found["part"] in parts and found["path"] == path for found in causes)


def is_advised(findings, cause):
    return any(f"'{ALL_CAUSES[cause][1]}'" in finding["title"] for finding in findings)


def is_shown(answers, cause):
    """Whether the tables of GPU work have it among the first: a busy machine has stalls of its own."""
    if cause == "launch":
        return any(gap["Why"] == "host" and gap["Range"] == ":step"
                   for gap in answers.table("gpu_gaps:rows=3"))
    if cause in WORK:
        waits = sorted(answers.table("critical"), key=lambda row: row["Max (ns)"], reverse=True)
        return any(wait["Work"] == WORK[cause] for wait in waits[:2])
    return True


def too_busy(n, seeds):
    return f" ({len(seeds) - n} more had no core for too long)" if n < len(seeds) else ""


def plant(answers, cause, seeds):
    """How often each verb names the cause, and in how many runs."""
    n = n_why = n_advise = n_other = n_shown = 0
    for seed in seeds:
        if answers.record(PROGRAM[cause], cause, seed) < answers.least_of_a_core:
            continue
        n += 1
        causes, findings = answers.causes(), answers.findings()
        n_why += is_named(causes, cause)
        n_advise += is_advised(findings, cause)
        n_other += any(found["other"] == "save" for found in causes)
        n_shown += is_shown(answers, cause)
        if not is_named(causes, cause):
            print(f"  {cause}, seed {seed}: {causes}")
    print(f"{cause}: named by why in {n_why}, by advise in {n_advise} of {n}"
          + too_busy(n, seeds)
          + (f"; the other thread too in {n_other}" if cause == "lock" else "")
          + (f"; in the tables of GPU work in {n_shown}" if cause in GPU_CAUSES else ""), flush=True)
    return n, (n_why, n_advise, n_shown)


def clean(answers, program, seeds):
    """How often each verb names nothing, and in how many runs."""
    n = n_why = n_advise = 0
    for seed in seeds:
        if answers.record(program, "nothing", seed) < answers.least_of_a_core_clean:
            continue
        n += 1
        n_why += not answers.causes()
        n_advise += not answers.findings()
    print(f"{program}, nothing planted: nothing named by why in {n_why}, by advise in {n_advise} of {n}"
          + too_busy(n, seeds), flush=True)
    return n, (n_why, n_advise)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    is_test = len(sys.argv) <= 2
    n = 10 if is_test else int(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        answers = Answers(build, pathlib.Path(name))
        if is_test:
            answers.least_of_a_core, answers.least_of_a_core_clean = LEAST_OF_A_CORE, LEAST_OF_A_CORE_CLEAN
        named = {cause: plant(answers, cause, range(1, n + 1)) for cause in ALL_CAUSES}
        silent = {program: clean(answers, program, range(2 * n)) for program in ("planted", "planted_gpu")}
    least = LEAST_BESIDE_OTHERS if is_test else LEAST
    for program, (n_clean, n_silent) in silent.items():
        assert all(got >= int(least * n_clean) for got in n_silent), silent
        of_program = [named[cause] for cause in ALL_CAUSES if PROGRAM[cause] == program]
        assert all(got >= int(least * n_judged) for n_judged, of in of_program for got in of), named
        n_all = sum(n_judged for n_judged, _ in of_program)
        if min(n_all, n_clean) < n:
            print(f"SKIP: {program}: this machine is too busy: {min(n_all, n_clean)} runs had a core")
            sys.exit(77)
        for which in range(3):
            assert sum(of[which] for _, of in of_program) >= least * n_all, named


if __name__ == "__main__":
    main()
