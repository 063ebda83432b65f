# SPDX-License-Identifier: Apache-2.0
"""A focused run as the recorder alone sees it: the test makes the control page (rf-control), runs
tests/record/focus.c in the session, and looks at the records in the parts (rf-parts)."""

import json
import subprocess

from harness import SLOW, expect_equal, fail_if, shell_status

MARK, PUSH, POP, POP_DOMAIN, START, END = 1, 2, 3, 4, 5, 6
THREAD, THREAD_END, COUNTER, VOID = 8, 9, 11, 12
STRING, DOMAIN = 19, 17
NVTX, PROFILER = 1, 2
DEFAULT, NAMED, ANY = 0, 1, 2
UNREGISTERED, OTHER_DOMAIN, CASE = 1, 2, 3


class Session:
    def __init__(self, test, **settings):
        self.test = test
        test.n_runs += 1
        self.path = test.path(f"focus{test.n_runs}.rfdir")
        settings = {"triggers": NVTX, "message": "step", **settings}
        if "domain" in settings:
            settings.setdefault("domain_kind", NAMED)
        self.control("make", *(f"{k}={v}" for k, v in settings.items()))

    def control(self, *words, expect_status=0):
        done = self.test.run([self.test.program("rf-control"), self.path, *map(str, words)])
        if expect_status is not None:
            fail_if(done.status != expect_status, f"rf-control: {done.stderr.decode()}")
        return done.stdout.decode()

    @property
    def env(self):
        return {"NVTX_INJECTION64_PATH": self.test.inject, "RANGEFINDER_SESSION": self.path}

    def command(self, words, program="focus"):
        words = words.split() if isinstance(words, str) else words
        return [self.test.program(program), *map(str, words)]

    def run(self, words, env=None, expect_status=0, program="focus", under=()):
        done = self.test.run(
            [*under, *self.command(words, program)], env={**self.env, **(env or {})}
        )
        expect_equal(done.status, expect_status, f"status ({done.stderr.decode()})")
        return done

    def start(self, words, env=None, program="focus"):
        return subprocess.Popen(
            self.command(words, program),
            env=self.test.environment(env={**self.env, **(env or {})}),
            cwd=self.test.folder,
            stdin=subprocess.DEVNULL,
        )

    def wait(self, process, expect_status=0):
        expect_equal(shell_status(process.wait(timeout=60 * SLOW)), expect_status, "status")

    def state(self):
        return json.loads(self.control("show"))

    def windows(self):
        """All captures; all must have ended, and be well-formed."""
        state = self.state()
        expect_equal(state["n_open"], 0, "triggers left open")
        expect_equal(state["is_on"], 0, "a capture is left on")
        expect_equal(state["n_missed"], 0, "missed captures")
        expect_equal(state["phase"], 2 * state["n_windows"], "phase")
        last = 0
        for begin, end in state["windows"]:
            fail_if(not last < begin < end, f"windows out of order: {state['windows']}")
            last = end
        return state["windows"]

    def records(self):
        """All records with their texts, stream after stream."""
        done = self.test.run([self.test.program("rf-parts"), self.path])
        fail_if(done.status != 0, f"rf-parts: {done.stderr.decode()}")
        strings, records = {}, []
        for line in done.stdout.decode().splitlines():
            item = json.loads(line)
            fail_if(item["what"] == "damage", f"damaged part: {item}")
            if item["what"] == "def" and item["type"] == STRING:
                strings[item["process"], item["index"]] = item.get("text")
            elif item["what"] == "record":
                if "string" in item:
                    process = item["process"]
                    while process > 0 and (process, item["string"]) not in strings:
                        process -= 1  # a forked process has its parent's
                    item["text"] = strings.get((process, item["string"]))
                records.append(item)
        return records

    def inside(self, index=0, types=(MARK, PUSH, START)):
        """Texts of what began in a capture, in order of time."""
        begin, end = self.windows()[index]
        found = [r for r in self.records() if r["type"] in types and begin <= r["ticks"] <= end]
        return [r.get("text") for r in sorted(found, key=lambda r: r["ticks"])]

    def all(self, types=(MARK, PUSH, START)):
        found = [r for r in self.records() if r["type"] in types]
        return [r.get("text") for r in sorted(found, key=lambda r: r["ticks"])]

    def is_whole(self, index=0, text="step"):
        """The trigger's range is inside the window with its begin and its end."""
        begin, end = self.windows()[index]
        ticks = [r["ticks"] for r in self.records() if begin <= r["ticks"] <= end]
        opened = [r["ticks"] for r in self.records() if r.get("text") == text]
        closed = [r["ticks"] for r in self.records() if r["type"] in (POP, POP_DOMAIN, END)]
        fail_if(not any(begin < t < end for t in opened), "the trigger's begin is not inside")
        fail_if(not any(begin < t < end for t in closed), "the trigger's end is not inside")
        return bool(ticks)
