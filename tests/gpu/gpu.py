# SPDX-License-Identifier: Apache-2.0
"""What checks work with: programs, ways to run them, recordings."""

import concurrent.futures
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import sources
from checks import Failed, Skipped, expect
from recording import Recording

MAX_LOG_BYTES = 8 << 20  # of log.txt; what brings files back from a machine may have a limit

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def kill_session(leader):
    """Kills every process of a session: also those that have a group of their own."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                pid, rest = file.read().split(" ", 1)
            if int(rest.rsplit(")", 1)[1].split()[3]) == leader:
                os.kill(int(pid), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            pass  # it has ended


class Done:
    """A command that ended. status: as Python gives it, negative for a signal."""

    def __init__(self, status, out, err, seconds):
        self.status = status
        self.out = out
        self.err = err
        self.seconds = seconds

    def said(self):
        """The line of JSON that a test program prints."""
        for line in self.out.split("\n"):
            if line.startswith("{"):
                return json.loads(line)
        raise Failed("the program printed no result (status %d): %s" % (
            self.status, (self.err.strip().split("\n") or [""])[-1]))

    def libraries(self):
        """The libcupti that it had mapped."""
        lines = [line for line in self.out.split("\n") if line.startswith("library ")]
        return sorted({line.split(" ", 1)[1].strip() for line in lines})


class Gpu:
    """numbers: what was measured, by name; answers: to the open questions, by letter."""

    def __init__(self, machine, build, out, is_quick, deadline):
        self.machine = machine
        self.deadline = deadline  # of time.monotonic(): no command runs longer
        self.build = build
        self.out = os.path.abspath(out) if out else None
        self.is_quick = is_quick
        self.is_dry = machine.is_dry
        self._work_to_keep = os.environ.get("RF_GPU_WORK")
        self.work = self._work_to_keep or tempfile.mkdtemp(prefix="rangefinder-gpu-")
        self.numbers = {}
        self.answers = {}
        self._programs = {}  # name: path, error
        self._recorded = {}
        self._n_recordings = 0
        self._keeper = None
        self.lock = threading.RLock()  # parts run at the same time
        self._locks = {}  # of what is made once, by name

    def __enter__(self):
        self._keeper = self.machine.keep_awake()
        return self

    def __exit__(self, *_):
        if self._keeper:
            self._keeper.kill()
            self._keeper.wait()
        if not self._work_to_keep:
            shutil.rmtree(self.work, ignore_errors=True)

    def log(self, text):
        """For who looks for what went wrong."""
        if not self.out:
            return
        with self.lock, open(os.path.join(self.out, "log.txt"), "a") as file:
            if file.tell() < MAX_LOG_BYTES:
                file.write(text.rstrip()[:MAX_LOG_BYTES // 8] + "\n")

    def log_machine(self):
        if not self.out or self.is_dry or self.machine.why_none:
            return
        for argv in self.machine.commands_of_interest():
            try:
                done = self.run(argv, timeout=20)
                self.log("$ %s\n%s%s" % (" ".join(argv), done.out, done.err))
            except Failed as failure:
                self.log(str(failure))
        self.log("packages: " + self.machine.packages())

    def left_s(self):
        """Seconds until every command is ended."""
        return self.deadline - time.monotonic()

    def once(self, name):
        """A lock for what is made once, however many parts ask for it."""
        with self.lock:
            return self._locks.setdefault(name, threading.RLock())

    # ---- Programs ----

    def program(self, name):
        """The path of a program of programs/ or examples/cuda (example-NAME)."""
        built = os.path.join(self.build, "programs", name)
        if not self.is_dry and os.path.exists(built):
            return built
        with self.once("programs"):
            if name not in self._programs:
                self._build_some([name] if self.is_dry else sources.sources(self.machine.nvcc))
        path, error = self._programs[name]
        expect(path, "%s cannot be built: %s" % (name, error))
        return path

    def _build_some(self, names):
        """All at once: nvcc takes its time."""
        jobs = sources.sources(None if self.is_dry else self.machine.nvcc)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            built = {name: pool.submit(self._build, name, *jobs[name]) for name in names}
            self._programs.update({name: future.result() for name, future in built.items()})

    def _build(self, name, source, options):
        target = os.path.join(self.work, name)
        if self.is_dry:
            folders = [os.path.join(ROOT, "tests", "cuda", "double"), os.path.join(ROOT, "include")]
            command = [self.machine.cxx, "-x", "c++", "-O1", "-DRF_GPU_STANDIN",
                       *("-I" + folder for folder in folders), "-o", target, source,
                       "-L" + os.path.join(self.machine.dry_dir, "lib"), "-l:libcudart.so.12",
                       "-lpthread", "-ldl"]
        else:
            command = sources.command(self.machine.nvcc, self.machine.arch, source, options, target)
        done = self.run(command, timeout=120)
        if done.status != 0:
            self.log("%s\n%s%s" % (" ".join(command), done.out, done.err))
        return (target, None) if done.status == 0 else (None, (done.err or done.out).strip()[-200:])

    def step(self, *arguments):
        """The command of training steps."""
        return [sys.executable, os.path.join(HERE, "step.py"), *arguments]

    def recorded_step(self):
        """A recording of two training steps."""
        with self.once("step"):
            if "step" not in self._recorded:
                self._recorded["step"] = self.record(self.step("2", "--size", "tiny"), timeout=150)
        return self._recorded["step"]

    def step_libraries(self):
        """The libcupti that the recorder takes in PyTorch."""
        return self.recorded_step().done.libraries()

    def client(self, name):
        """The path of a CUPTI client, a library for CUDA_INJECTION64_PATH."""
        path = os.path.join(self.build, "lib", "gpu-%s.so" % name)
        if os.path.exists(path):
            return path
        path = os.path.join(self.work, "gpu-%s.so" % name)
        with self.once(path):
            if not os.path.exists(path):
                self._build_client(name, path)
        return path

    def _build_client(self, name, path):
        expect(self.machine.cc, self.machine.lacks("cc"))
        done = self.run([self.machine.cc, "-std=gnu11", "-O2", "-shared", "-fPIC",
                         "-I" + os.path.join(ROOT, "src"), "-I" + os.path.join(ROOT, "tests"),
                         "-o", path, os.path.join(HERE, name + ".c"), "-ldl", "-lpthread"])
        expect(done.status == 0, "%s cannot be built: %s" % (name, done.err.strip()[-200:]))

    # ---- Running ----

    def run(self, argv, env=None, timeout=90):
        """Runs a command to its end; one that takes longer is killed with what it started."""
        environment = dict(self.machine.env)
        environment.update(env or {})
        left = self.left_s()
        if left <= 0:
            raise Skipped("out of time")
        start = time.monotonic()
        process = subprocess.Popen(argv, env=environment, cwd=self.work, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=min(timeout, left))
        except subprocess.TimeoutExpired:
            out, err = self._end(process)
            self.log("%s\nhangs\n%s%s" % (" ".join(argv), out.decode(errors="replace"),
                                          err.decode(errors="replace")))
            if left < timeout:
                raise Skipped("out of time") from None
            raise Failed("'%s' did not end within %d s" % (" ".join(map(os.path.basename, argv[:9])),
                                                           timeout)) from None
        return Done(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"),
                    time.monotonic() - start)

    @staticmethod
    def _end(process):
        """What a process that is killed had said. One that cannot be killed is left behind."""
        kill_session(process.pid)
        try:
            return process.communicate(timeout=5)
        except subprocess.TimeoutExpired as error:
            return error.stdout or b"", error.stderr or b""

    def rangefinder(self, *arguments, timeout=90):
        done = self.run([self.machine.rangefinder, *arguments], timeout=timeout)
        expect(done.status == 0, "rangefinder %s: status %d: %s" % (
            arguments[0], done.status, done.err.strip()[-200:]))
        return done

    def record(self, argv, options=(), env=None, timeout=120, status=0, names=None):
        """Runs a program under the recorder. Returns a Recording, or one for each of names, which
        are what comes behind the output's name: [".1", ".2"]."""
        with self.lock:
            self._n_recordings += 1
            base = os.path.join(self.work, "r%d" % self._n_recordings)
        command = [self.machine.rangefinder, "profile", "-f", "true", "-t", "cuda,nvtx", "-o", base,
                   *options, *argv]
        done = self.run(command, env=env, timeout=timeout)
        self.log("%s\n  status %d, %.1f s\n%s" % (" ".join(command), done.status, done.seconds,
                                                  done.err))
        expect(status is None or done.status == status,
               "status %d of profile: %s" % (done.status, done.err.strip()[-300:]))
        recordings = [Recording(self, base + name, done) for name in (names or [""])]
        return recordings if names else recordings[0]

    def recorded(self, name, *arguments, options=(), **others):
        """The same, of a test program and kept: several checks look at one recording."""
        key = (name, arguments, tuple(options))
        with self.once(key):
            if key not in self._recorded:
                self._recorded[key] = self.record([self.program(name), *map(str, arguments)],
                                                  options, **others)
        return self._recorded[key]

    def keep(self, path, name):
        """Leaves a file in --out."""
        if self.out:
            with self.lock:
                shutil.copyfile(path, os.path.join(self.out, name))
