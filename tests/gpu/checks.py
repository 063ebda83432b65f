# SPDX-License-Identifier: Apache-2.0
"""Checks: functions that the files of parts/ register, and what becomes of them."""

import threading
import time
import traceback


class Failed(Exception):
    """What was found instead."""


class Skipped(Exception):
    """Why it cannot be checked here."""


class Check:
    """One line of the table. needs: names of what the machine must have (Machine.lacks)."""

    def __init__(self, title, function, needs, is_dry):
        self.title = title
        self.function = function
        self.needs = needs
        self.is_dry = is_dry
        self.part = ""
        self.is_alone = False  # it measures: nothing else may run


_registered = []


def check(title, needs=(), dry=False):
    """Registers a function of a Gpu. It returns what it measured, as text, or raises Failed or
    Skipped. dry: it means something with stand-ins for NVIDIA's libraries, too."""

    def register(function):
        _registered.append(Check(title, function, tuple(needs), dry))
        return function

    return register


def take_registered():
    """The checks that were registered since the last call."""
    taken = _registered[:]
    del _registered[:]
    return taken


def expect(is_right, text):
    """Fails with text unless is_right."""
    if not is_right:
        raise Failed(text)


class Report:
    """Runs checks, prints a line for each as it is done, and counts."""

    def __init__(self, say, deadline):
        self.say = say
        self.deadline = deadline
        self.rows = []  # number, result, title, text, seconds
        self._lock = threading.Lock()

    def count(self, result):
        return sum(row[1] == result for row in self.rows)

    def run(self, check, gpu):
        start = time.monotonic()
        result, text = self._result(check, gpu)
        text = " | ".join(line for line in text.split("\n") if line)
        with self._lock:
            number = len(self.rows) + 1
            self.rows.append((number, result, check.title, text, time.monotonic() - start))
            self.say("%3d %s  %-58s %s" % (number, result, check.title, text))

    def _result(self, check, gpu):
        reason = self._reason_to_skip(check, gpu)
        if reason:
            return "SKIP", reason
        try:
            return "PASS", check.function(gpu)
        except Skipped as reason:
            return "SKIP", str(reason)
        except Failed as found:
            gpu.log("FAIL %s: %s" % (check.title, found))
            return "FAIL", str(found)
        except Exception as error:  # pylint: disable=broad-except
            gpu.log(traceback.format_exc())
            return "FAIL", "%s: %s" % (type(error).__name__, str(error).strip().split("\n")[0])

    def _reason_to_skip(self, check, gpu):
        if gpu.machine.why_none:
            return gpu.machine.why_none
        if gpu.machine.is_dry and not check.is_dry:
            return "means nothing with stand-ins"
        for need in check.needs:
            if gpu.machine.lacks(need):
                return gpu.machine.lacks(need)
        if time.monotonic() > self.deadline:
            return "out of time"
        return None

    def last_line(self):
        return "%d passed, %d failed, %d skipped" % (
            self.count("PASS"), self.count("FAIL"), self.count("SKIP"))
