#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads recordings with the reader of this folder and compares them with `rangefinder export`: the
golden ones, and some of each kind that are made here. usage: recordings.py BUILD SOURCE [CASE...]"""

import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import compare  # noqa: E402
import compressed  # noqa: E402
from nvtx_counters import Deferred  # noqa: E402


class Skip(Exception):
    """The case cannot run here; says why."""


class Maker:
    """Makes recordings in a folder of its own and compares them."""

    def __init__(self, build, source, folder):
        self.build, self.source = os.path.abspath(build), os.path.abspath(source)
        self.folder = folder
        self.page = os.path.join(self.source, "docs", "format.md")
        self.rangefinder = os.path.join(self.build, "bin", "rangefinder")
        self.n_lines, self.groups = 0, []  # groups of processes that may be left at the end
        names = ("RANGEFINDER", "NVTX_INJECTION", "CUDA_INJECTION")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(names)}
        self.environment["TRUTH"] = os.path.join(folder, "truth")
        with open(self.environment["TRUTH"], "wb") as file:
            file.truncate(1 << 28)  # sparse: where the programs note what they did

    def program(self, *path):
        return os.path.join(self.build, "tests", *path)

    def check_live(self, directory):
        """Compares what is being written to. Open ranges end at the time when it is read."""
        self.n_lines += compare.check(self.page, self.rangefinder, directory, self.folder, True)

    def start(self, *command, **environment):
        return subprocess.Popen(
            command,
            start_new_session=True,
            cwd=self.folder,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def close(self):
        """Nothing stays, whatever happened."""
        for group in self.groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        remove_pools(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def profile(self, name, options, program, **environment):
        """Records a program; returns what it made."""
        command = [self.rangefinder, "profile", "-q", "-o", name, *options, *program]
        process = self.start(*command, **environment)
        output = process.communicate()[0].decode(errors="replace")
        made = sorted(glob.glob(os.path.join(self.folder, f"{name}*.rf")))
        if not made:
            raise compare.Difference(f"{' '.join(command)} made nothing: {output}")
        return made

    def check(self, path, least=10):
        n = compare.check(self.page, self.rangefinder, path, self.folder)
        if n < least:
            raise compare.Difference(f"{path} has {n} lines: nothing was compared")
        self.n_lines += n

    def record(self, name, options, program, least=10, **environment):
        for path in self.profile(name, options, program, **environment):
            self.check(path, least)

    def wait_for(self, process, condition):
        """Waits for an event, as long as the program is there."""
        while not condition():
            if process.poll() is not None:
                raise compare.Difference(f"it ended: {process.communicate()[0].decode()}")
            time.sleep(0.01)


def remove_pools(folder):
    """Sessions that nobody packed leave their pools where there is shared memory."""
    for link in glob.glob(os.path.join(folder, "*.rfdir", "*.pool")):
        target = os.path.realpath(link)
        if os.path.islink(link) and os.path.exists(target):
            os.unlink(target)


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


def case_golden(m):
    """Golden recordings; where NAME.jsonl stands beside one, that is what its export has said ever
    since (`rangefinder export -t jsonl`, to be written anew only if docs/exports.md changes)."""
    for path in sorted(glob.glob(os.path.join(m.source, "tests", "golden", "*.rf"))):
        try:
            m.check(path)
        except Deferred:  # all that NVTXW writes is: golden.recordings alone has it
            print(f"golden: {os.path.basename(path)} has events of another time (11.3) and was not compared")
        if os.path.exists(path[:-2] + "jsonl"):
            theirs = compare.exported(m.rangefinder, path, os.path.join(m.folder, "golden.jsonl"))
            compare.expect_same(theirs, compare.read_lines(path[:-2] + "jsonl"), path)


def case_programs(m):
    """Whole runs: attributes, threads, processes, handlers, odd text, every way to end."""
    runs = (
        "basic all,basic cross-thread,forks fork,forks fork-exec,forks exec-self,"
        "forks parents-id,forks open,forks spawn,threads serial 300,threads domains,threads open,"
        "signals storm 30,signals nested 30,signals births,text null,"
        "text invalid-utf8,text wide,text sizes,exits normal,exits exit-now,exits segv,"
        "exits pthread-exit,memory lies,memory twice,memory threads 3,memory many 200,memory fork"
    ).split(",")
    for i, run in enumerate(runs):
        name, *words = run.split()
        m.record(f"program{i}", [], [m.program("record", name), *words], least=5)
    long = "mark:" + 100000 * "x"  # goes on in the next part, and in one more
    m.record("long", [], [m.program("cli", "apps", "act"), "mark:a", long, long, "mark:b"], least=5)


def case_clocks(m):
    """Pairs of clocks over some time, and the clock that is CLOCK_MONOTONIC."""
    act = m.program("cli", "apps", "act")
    steps = ["push:a", "sleep:30", "mark:m", "repeat:12", "pop", "start:never"]
    m.record("counter", [], [act, *steps])
    m.record("monotonic", [], [act, *steps], RANGEFINDER_CLOCK="monotonic")


def case_compressed(m):
    """What is compressed as it is recorded, of all kinds of records, and afterwards."""
    try:
        compressed.library()
    except OSError as why:
        raise Skip("libzstd is not installed") from why
    act = m.program("cli", "apps", "act")
    steps = ["push:a", "ranges:9000", "mark:m", "repeat:12", "pop", "start:never", "sleep:30"]
    m.record("ranges", ["--compress"], [act, *steps], RANGEFINDER_CLOCK="monotonic")
    runs = "basic all,threads serial 300,forks fork,payload all,deferred events,signals storm 30,memory twice"
    for i, run in enumerate(runs.split(",")):
        name, *words = run.split()
        (path,) = m.profile(f"program{i}", ["--compress"], [m.program("record", name), *words])
        if name not in ("payload", "deferred"):  # events of another time (11.3) are not read here
            m.check(path, least=5)
        expanded = os.path.join(m.folder, f"expanded{i}.rf")
        command = [m.rangefinder, "recover", "--compress=false", "-o", expanded, path]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        outputs = [compare.exported(m.rangefinder, one, os.path.join(m.folder, "one.jsonl"))
                   for one in (path, expanded)]
        for output in outputs:
            output[0]["path"] = ""
        compare.expect_same(*outputs, path)


def case_captures(m):
    act = m.program("cli", "apps", "act")
    steps = ["push:around", "mark:before", "push:work", "mark:in", "start:s", "pop", "mark:out"]
    steps += ["domain:d", "push:other", "domain:", "repeat:3", "end", "mark:late"]
    trigger = ["-c", "nvtx", "-p", "work", "--nvtx-capture-unregistered=true"]
    for keeps in ("true", "false"):
        options = trigger + [f"--keep-open-ranges={keeps}"]
        m.record(f"one-{keeps}", options, [act, *steps], least=5)
        m.record(f"all-{keeps}", options + ["--capture-range-end=repeat"], [act, *steps], least=5)
    forks = [m.program("record", "forks"), "fork"]
    options = ["-c", "nvtx", "-p", "shared string@shared domain", "--capture-range-end=repeat"]
    m.record("forks", options, forks, 1)
    options = ["-c", "nvtx", "-p", "work@allocator", "--nvtx-capture-unregistered=true"]
    m.record("memory", options, [m.program("record", "memory"), "capture"], 5)


def case_cuda(m):
    double = m.program("cuda", "double")
    if not os.path.exists(os.path.join(double, "lib", "libcuda.so.1")):
        raise Skip("the stand-ins of CUDA were not built")
    environment = {
        "LD_LIBRARY_PATH": os.path.join(double, "lib"),
        "RANGEFINDER_CUPTI": os.path.join(double, "cupti"),
    }
    app = os.path.join(double, "app")
    steps = "push=step launch=50 copy=1000 set=5 graph=3 alloc=8 event name-event=done event"
    steps += " sync pop launch=3 sync"
    everything = ["-t", "cuda,nvtx", "--cuda-memory-usage=true", "--cuda-event-trace=true"]
    everything += ["--cuda-trace-all-apis=true"]
    trigger = ["-c", "nvtx", "-p", "step", "--nvtx-capture-unregistered=true"]
    odd = {"RF_DOUBLE_ZERO_TIMES": "2", "RF_DOUBLE_REVERSED_TIMES": "3"}
    m.record("cuda", everything, [app, *steps.split()], **environment)
    nodes = everything + ["--cuda-graph-trace=node"]
    m.record("cuda-nodes", nodes, [app, *steps.split()], **environment)
    m.record("cuda-capture", everything + trigger, [app, *steps.split()], **environment)
    m.record("cuda-odd", everything, [app, *steps.split()], **environment, **odd)


def case_metrics(m):
    double = m.program("pmsampling", "double")
    if not os.path.exists(os.path.join(double, "libcupti.so.13")):
        raise Skip("the stand-ins for GPU metrics were not built")
    environment = {
        "RANGEFINDER_CUPTI": os.path.join(double, "libcupti.so.13"),
        "LD_LIBRARY_PATH": double,
        "RF_DOUBLE_CUPTI_VERSION": "130500",
        "RF_PM_DOUBLE": "realtime=1,chip=GH100",
    }
    act = m.program("cli", "apps", "act")
    options = ["--gpu-metrics-devices=0", "--gpu-metrics-frequency=1000"]
    steps = ["push:work", "sleep:100", "pop", "sleep:20", "repeat:2"]
    trigger = ["-c", "nvtx", "-p", "work", "--nvtx-capture-unregistered=true"]
    m.record("metrics", options, [act, *steps], **environment)
    trigger += ["--capture-range-end=repeat"]
    m.record("metrics-captures", options + trigger, [act, *steps], least=5, **environment)


def case_directories(m):
    """A session directory while it is written to, and what two kills leave behind."""
    act = m.program("cli", "apps", "act")
    steps = ["domain:d", "push:open", "domain:", "ranges:3000", "start:s", "touch:there"]
    for name, options in (("whole", []), ("focused", ["-c", "nvtx", "-p", "open@d", "--nvtx-capture-unregistered=true"]),
                          ("split", ["--split=100ms"])):
        steps = steps if name != "split" else [*steps[:-1], "sleep:500", "ranges:3000", *steps[-1:]]
        run = [m.rangefinder, "profile", "-o", name, *options, act, *steps, "await:never"]
        process = m.start(*run, RANGEFINDER_CLOCK="monotonic")
        m.groups.append(process.pid)
        directory = os.path.join(m.folder, f"{name}.rfdir")
        there = os.path.join(m.folder, "there")
        m.wait_for(process, lambda: os.path.exists(there))
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        (child,) = open(children, encoding="ascii").read().split()
        os.unlink(there)
        m.wait_for(process, lambda: name != "split" or os.path.exists(os.path.join(m.folder, "split.1.rf")))
        if name != "split":  # what was read first may be in a piece by now
            m.check_live(directory)
        process.send_signal(signal.SIGKILL)
        process.wait()
        m.check_live(directory)
        os.kill(int(child), signal.SIGKILL)
        while os.path.exists(f"/proc/{child}") and state_of(child) != "Z":
            time.sleep(0.01)
        pieces = sorted(glob.glob(os.path.join(m.folder, f"{name}.*.rf"))) if name == "split" else []
        n_before = m.n_lines
        for path in [*pieces, directory]:  # the last piece may have little
            m.check(path, least=1 if pieces else 10)
        if m.n_lines - n_before < len([s for s in steps if s == "ranges:3000"]) * 3000:
            raise compare.Difference(f"{name} has {m.n_lines - n_before} lines")


def damage(data, rng):
    """What a full disk, a kill or a bad disk leaves of a log: its beginning, wrong bits, zeros."""
    kind, at = rng.randrange(3), rng.randrange(64, len(data))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data[: at & ~4095] + bytes(4096) + data[(at & ~4095) + 4096 :]


def case_damaged(m):
    """What is recovered of a directory whose log is damaged somewhere. (What makes sense of damaged
    bytes is not of the format: only what is written in their place.)"""
    library = os.path.join(m.build, "lib", "librangefinder-inject.so")
    act = [m.program("cli", "apps", "act"), "push:a", "ranges:2800", "start:b", "exit:0"]
    environment = {"NVTX_INJECTION64_PATH": library, "RANGEFINDER_CLOCK": "monotonic"}
    m.start(*act, **environment).communicate()
    (directory,) = glob.glob(os.path.join(m.folder, "rangefinder-*.rfdir"))
    copy, output = os.path.join(m.folder, "copy.rfdir"), os.path.join(m.folder, "copy.rf")
    for seed in range(10):
        subprocess.run(["cp", "-RL", "--sparse=always", directory, copy], check=True)
        (log,) = glob.glob(os.path.join(copy, "*.log"))
        with open(log, "rb") as file:
            whole = file.read()
        with open(log, "wb") as file:
            file.write(damage(whole, random.Random(seed)))
        m.start(m.rangefinder, "recover", "-f", "-o", output, copy).communicate()
        shutil.rmtree(copy, ignore_errors=True)
        try:
            m.check(output, least=5)
        except compare.Difference as error:
            raise compare.Difference(f"seed {seed}: {error}") from error
        os.unlink(output)


def case_corpus(m):
    """What is recovered of the files that the fuzzer found."""
    n = n_deferred = 0
    for path in sorted(glob.glob(os.path.join(m.source, "tests", "fuzz", "corpus_rf", "*"))):
        output = os.path.join(m.folder, "recovered.rf")
        if m.start(m.rangefinder, "recover", "-f", "-o", output, path).wait() != 0:
            continue
        try:
            m.check(output, least=1)
            n += 1
        except Deferred:
            n_deferred += 1
        os.unlink(output)
    print(f"corpus: {n_deferred} files have events of another time (11.3) and were not compared")
    if n < 10:
        raise compare.Difference(f"only {n} files of the corpus could be recovered")


def case_by_hand(m):
    """A program with the variables set by hand: nobody packs what it writes."""
    library = os.path.join(m.build, "lib", "librangefinder-inject.so")
    forks = [m.program("record", "forks"), "fork"]
    process = m.start(*forks, NVTX_INJECTION64_PATH=library, RANGEFINDER_CLOCK="monotonic")
    process.communicate()
    (directory,) = glob.glob(os.path.join(m.folder, "rangefinder-*.rfdir"))
    m.check(directory)
    m.start(m.rangefinder, "recover", directory).communicate()
    (packed,) = glob.glob(os.path.join(m.folder, "rangefinder-*.rf"))
    m.check(packed)


def main():
    build, source, *wanted = sys.argv[1:]
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    n_wrong = n_skipped = 0
    for name in wanted or cases:
        folder = tempfile.mkdtemp(prefix="rf-formats-")
        maker, begin = Maker(build, source, folder), time.monotonic()
        try:
            cases[name](maker)
            print(f"{name}: {maker.n_lines} lines, {time.monotonic() - begin:.1f} s", flush=True)
        except Skip as why:
            print(f"SKIP: {name}: {why}")
            n_skipped += 1
        except compare.Difference as error:
            print(f"{name}: {error}")
            n_wrong += 1
        finally:
            maker.close()
    return 1 if n_wrong else 77 if n_skipped else 0


if __name__ == "__main__":
    sys.exit(main())
