# SPDX-License-Identifier: Apache-2.0
"""Runs a test program with and without the recorder, reads what was recorded, and compares it
with what the program says it did (truth.h). Only the standard library is used."""

import collections
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

MARK, CATEGORY, PUSH_POP, START_END = 3, 4, 1, 2
THREAD_NAME, DOMAIN_CREATE, DOMAIN_DESTROY, OBJECT_NAME = 5, 6, 7, 8
RESOURCE, RESOURCE_DESTROY, SYNC_CREATE, SYNC_DESTROY, SYNC = 9, 10, 11, 12, 13
RANGES = (PUSH_POP, START_END)

HAS_COLOR, HAS_CATEGORY, REGISTERED, BAD_HANDLE, FOREIGN_END, CLAMPED = 1, 2, 4, 8, 16, 32

CUT_THREAD, CUT_PROCESS, CUT_KILLED, CUT_EXEC = 1, 2, 3, 4
CUT_CAPTURE, CUT_DESTROYED, CUT_LIVE, CUT_LOST = 5, 6, 7, 8

TRUTH_SIZE = 1 << 28  # sparse: only what is written takes room
SLOW = int(os.environ.get("RF_TEST_SLOW", 1))  # how many times as long as usual a test may take


class Failure(Exception):
    """The test found what it looks for."""


class Skip(Exception):
    """The test cannot run here; says why."""


def fail_if(condition, message):
    if condition:
        raise Failure(message)


def expect_equal(got, expected, what):
    if got != expected:
        raise Failure(f"{what}: {shorten(got)}, expected {shorten(expected)}")


def shorten(value):
    text = repr(value)
    return text if len(text) < 300 else f"{text[:200]}...{text[-80:]}"


def machine_of(path):
    """The processor that an ELF file is for, by its number."""
    with open(path, "rb") as file:
        return int.from_bytes(file.read(20)[18:20], sys.byteorder)


# ---- The recording, as rf-dump prints it ----


def to_bytes(text):
    return None if text is None else text.encode("latin-1")


# What rf-dump leaves out.
EVENT = dict.fromkeys(("cut", "flags", "color", "category", "payload_type", "payload"), 0)
EVENT.update(name=None, category_name=None)


class Recording:
    def __init__(self, lines):
        self.info = None
        self.messages, self.processes, self.domains, self.threads = [], [], [], []
        for line in lines:
            self.add(json.loads(line))

    def add(self, item):
        what = item["what"]
        if what == "info":
            self.info = item
        elif what == "message":
            self.messages.append(item["text"])
        elif what == "process":
            self.processes.append(item)
        elif what == "domain":
            item["name"] = to_bytes(item["name"])
            self.domains.append(item)
        elif what == "thread":
            item["events"] = []
            item["pid"] = self.processes[item["process"]]["pid"]
            item["name"] = to_bytes(item["name"])
            self.threads.append(item)
        else:
            item = {**EVENT, **item}
            item["name"] = to_bytes(item["name"])
            item["category_name"] = to_bytes(item["category_name"])
            item["domain_name"] = self.domains[item["domain"]]["name"]
            item["thread"] = len(self.threads) - 1
            self.threads[-1]["events"].append(item)

    def events(self, *kinds):
        """Events of these kinds (all, if none is named), thread by thread."""
        found = [e for thread in self.threads for e in thread["events"]]
        return [e for e in found if not kinds or e["kind"] in kinds]

    def named(self, name, *kinds):
        name = name.encode() if isinstance(name, str) else name
        return [e for e in self.events(*kinds) if e["name"] == name]

    def one(self, name, *kinds):
        found = self.named(name, *kinds)
        fail_if(len(found) != 1, f"{len(found)} events named {name!r}, expected one")
        return found[0]

    def tid_of(self, event):
        return self.threads[event["thread"]]["tid"]

    def pid_of(self, event):
        return self.threads[event["thread"]]["pid"]


# ---- What the program did ----


class Note:
    def __init__(self, line):
        fields = line[1:].lstrip(b"\t").split(b"\t")
        self.is_done = line[:1] == b"+"
        self.pid, self.tid, self.lane = int(fields[0]), int(fields[1]), int(fields[2])
        self.op = fields[3].decode()
        self.domain = parse_hex(fields[4])
        self.message = parse_hex(fields[5])
        self.flags, self.color, self.category = (int(f) for f in fields[6:9])
        self.payload_type, self.payload, self.id = (int(f) for f in fields[9:12])

    def content(self):
        """What must be the same in the recording. The truth's flags: 1 color, 2 category,
        4 registered."""
        kind = {"mark": MARK, "push": PUSH_POP, "start": START_END}[self.op]
        return (
            kind,
            self.domain,
            self.message,
            self.color if self.flags & 1 else None,
            self.category if self.flags & 2 else None,
            bool(self.flags & 4),
            self.payload_type,
            self.payload,
        )


def parse_hex(field):
    return None if field == b"-" else bytes.fromhex(field[1:].decode())


def event_content(event):
    flags = event["flags"]
    return (
        event["kind"],
        event["domain_name"],
        event["name"],
        event["color"] if flags & HAS_COLOR else None,
        event["category"] if flags & HAS_CATEGORY else None,
        bool(flags & REGISTERED),
        event["payload_type"],
        event["payload"],
    )


def read_truth(path):
    """All notes, in the order in which they were begun."""
    with open(path, "rb") as file:
        file.seek(0)
        tail = int.from_bytes(file.read(8), sys.byteorder)
        file.seek(64)
        data = file.read(tail)
    return [Note(line) for line in data.replace(b"\0", b"").split(b"\n") if line]


def truth_counter(path, number):
    with open(path, "rb") as file:
        file.seek(8 * number)
        return int.from_bytes(file.read(8), sys.byteorder)


def truth_values(notes):
    return {n.domain.decode(): n.payload for n in notes if n.op == "value" and n.domain}


class Comparison:
    """Compares the annotations of a program with its recording, thread by thread: content and
    order of the beginnings, and that the times of beginnings and ends never run backwards."""

    def __init__(self, recording, notes):
        self.recording = recording
        self.notes = notes
        self.times = []  # (pid, tid), index of the note, recorded time
        self.ends = {}  # (pid, id) -> index of the note that ends it
        self.n_compared = 0

    def check(self):
        for index, note in enumerate(self.notes):
            if note.op == "end":
                self.ends.setdefault((note.pid, note.id), index)
        recorded = {}
        for thread in self.recording.threads:
            key = (thread["pid"], thread["tid"])
            events = [e for e in thread["events"] if e["kind"] in (MARK, PUSH_POP, START_END)]
            recorded.setdefault(key, []).extend(events)
        annotating = [
            (i, n) for i, n in enumerate(self.notes) if n.op in ("mark", "push", "start", "pop")
        ]
        keys = {(n.pid, n.tid) for _, n in annotating}
        for key in sorted(keys):
            notes = [(i, n) for i, n in annotating if (n.pid, n.tid) == key]
            self.check_thread(key, notes, recorded.get(key, []))
        strangers = [k for k in recorded if k not in keys and recorded[k]]
        fail_if(strangers, f"events of threads that made none: {shorten(strangers)}")
        self.check_times()
        fail_if(self.n_compared == 0, "the program noted no event: nothing was compared")

    def check_thread(self, key, notes, events):
        lanes = sorted({n.lane for _, n in notes})
        if lanes == [0]:
            self.check_lane(key, notes, events)
            return
        # Handlers' events stand between those of what they interrupted; they differ in text.
        upper = [n.content() for _, n in notes if n.lane > 0 and n.op != "pop"]
        texts = {content[2] for content in upper}
        lower_events = [e for e in events if e["name"] not in texts]
        upper_events = [event_content(e) for e in events if e["name"] in texts]
        self.check_lane(key, [(i, n) for i, n in notes if n.lane == 0], lower_events)
        made, got = collections.Counter(upper), collections.Counter(upper_events)
        fail_if(
            made != got,
            f"handlers' events of {key}: missing {dict(made - got)}, too many {dict(got - made)}",
        )
        self.n_compared += len(upper_events)
        n_cut = sum(1 for e in events if e["kind"] in RANGES and e["cut"] and e["name"] in texts)
        fail_if(n_cut, f"{n_cut} ranges of handlers are cut")

    def check_lane(self, key, notes, events):
        begun = [(i, n) for i, n in notes if n.op != "pop"]
        matched = self.match(key, begun, events)
        stacks = {}
        for index, note in notes:
            if note.op == "push":
                stacks.setdefault(note.domain, []).append(index)
            elif note.op == "pop" and stacks.get(note.domain):
                self.check_end(matched.get(stacks[note.domain].pop()), index)
        for index, note in begun:
            event = matched.get(index)
            if event is None:
                continue
            self.n_compared += 1
            self.times.append((key, index, event["start"]))
            if note.op == "start":
                end = self.ends.get((note.pid, event["id"]))
                if end is not None:
                    self.check_end(event, end)
        open_pushes = [matched.get(i) for stack in stacks.values() for i in stack]
        for event in open_pushes:
            if event:
                fail_if(not event["cut"], f"{event['name']!r} was never popped but is not cut")

    def match(self, key, begun, events):
        """note index -> event. A note that was not finished may lack its event."""
        matched, at = {}, 0
        for index, note in begun:
            if at < len(events) and event_content(events[at]) == note.content():
                matched[index] = events[at]
                at += 1
            elif note.is_done:
                got = event_content(events[at]) if at < len(events) else "nothing"
                raise Failure(
                    f"process {key[0]}, thread {key[1]}, event {at}: "
                    f"{shorten(got)}, expected {shorten(note.content())}"
                )
        fail_if(at < len(events), f"{len(events) - at} events more than were made by {key}")
        return matched

    def check_end(self, event, index):
        note = self.notes[index]
        if event is None or not note.is_done:
            return
        fail_if(event["cut"], f"{event['name']!r} was ended but is cut ({event['cut']})")
        if event["flags"] & CLAMPED:
            return
        self.times.append(((note.pid, note.tid), index, event["end"]))
        if event["kind"] == START_END:
            ender = self.recording.threads[event["end_thread"]]
            expect_equal(ender["tid"], note.tid, f"thread that ended {event['name']!r}")

    def check_times(self):
        last = {}
        for key, index, time in sorted(self.times, key=lambda t: (t[0], t[1])):
            fail_if(
                time < last.get(key, time),
                f"thread {key}: the time runs backwards at note {index}",
            )
            last[key] = time


# ---- Running ----


class Outcome:
    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr


def shell_status(returncode):
    return 128 - returncode if returncode < 0 else returncode


class Test:
    """One case: a folder of its own, and the build under test."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.folder = tempfile.mkdtemp(prefix="rf-test-")
        self.rangefinder = os.path.join(self.build, "bin", "rangefinder")
        self.inject = os.path.join(self.build, "lib", "librangefinder-inject.so")
        self.n_runs = 0
        self.timeout_s = 120 * SLOW
        self.truth_size = TRUTH_SIZE

    def close(self):
        remove_shared_memory(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def program(self, name):
        """The path of a test program; one that is not of the build is named by its path."""
        path = os.path.join(self.build, "tests", "record", name)
        if not os.path.exists(path):
            raise Skip(f"{name} was not built")
        return path

    def nvidia_headers(self):
        """The include folders with NVIDIA's headers."""
        here = os.path.dirname(os.path.abspath(__file__))
        found = self.run([os.path.join(here, "..", "nvtx3", "nvidia_headers.sh")])
        if found.status != 0:
            raise Skip(found.stdout.decode().strip())
        return found.stdout.decode().splitlines()

    def build_with_headers(self, name, include):
        """The path of a program of this folder that was compiled with the headers of a folder."""
        here = os.path.dirname(os.path.abspath(__file__))
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise Skip("no C compiler")
        self.n_runs += 1
        path = self.path(f"{name}-{self.n_runs}")
        source = os.path.join(here, f"{name}.c")
        stub = os.path.join(here, "..", "nvtx3", "stub", "cuda")  # where there is no CUDA
        done = self.run([compiler, "-O2", "-D_GNU_SOURCE", f"-I{include}", f"-idirafter{stub}", source,
                         "-o", path, "-ldl", "-lpthread"])
        fail_if(done.status != 0, f"cannot compile {name}: {done.stderr.decode()}")
        return path

    def build_with_nvidia_headers(self, name):
        return self.build_with_headers(name, self.nvidia_headers()[0])

    def plugins(self):
        return [self.program(f"plugin-{n}.so") for n in ("one", "two", "three")]

    def new_truth(self):
        self.n_runs += 1
        path = self.path(f"truth{self.n_runs}")
        with open(path, "wb") as file:
            file.truncate(self.truth_size)
        return path

    def environment(self, truth=None, env=None):
        result = {k: v for k, v in os.environ.items() if "_INJECTION" not in k}
        result.pop("RANGEFINDER_CLOCK", None)
        if truth:
            result["TRUTH"] = truth
        result.update(env or {})
        return result

    def run(self, command, truth=None, env=None, cwd=None, timeout=None, **options):
        done = subprocess.run(
            command,
            env=self.environment(truth, env),
            cwd=cwd or self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=timeout or self.timeout_s,
            check=False,
            **options,
        )
        return Outcome(shell_status(done.returncode), done.stdout, done.stderr)

    def record(self, program, *args, options=(), env=None, compare=True, under=(), output=None):
        """Records program and, unless told not to, compares with a run without the recorder.
        Returns a Run. under: a command that the program is run by. output: relative to the
        folder of the test, in which everything runs."""
        command = [*under, self.program(program), *map(str, args)]
        bare = None
        if compare:
            bare = self.run(command, self.new_truth(), env)
        truth = self.new_truth()
        output = output or f"run{self.n_runs}.rf"
        run = Run(self, truth, self.path(output))
        run.bare = bare
        run.outcome = self.run(
            [self.rangefinder, "profile", "--quiet", "-o", output, *options, *command],
            run.truth,
            env,
        )
        if bare:
            expect_equal(run.outcome.status, bare.status, "exit status when recorded")
            expect_equal(run.outcome.stdout, bare.stdout, "standard output when recorded")
            expect_equal(run.outcome.stderr, bare.stderr, "standard error when recorded")
        return run

    def by_hand(self, program, *args, env=None, cwd=None, under=(), expect_status=0):
        """Runs program with only the injection variable set. Returns a Run whose output is the
        session directory."""
        folder = cwd or self.path(f"hand{self.n_runs}")
        os.makedirs(folder, exist_ok=True)
        run = Run(self, self.new_truth(), None)
        run.outcome = self.run(
            [*under, self.program(program), *map(str, args)],
            run.truth,
            {"NVTX_INJECTION64_PATH": self.inject, **(env or {})},
            cwd=folder,
        )
        expect_equal(run.outcome.status, expect_status, "exit status")
        sessions = glob.glob(os.path.join(folder, "rangefinder-*.rfdir"))
        fail_if(len(sessions) != 1, f"{len(sessions)} session directories in {folder}")
        run.output = sessions[0]
        return run

    def dump(self, path):
        done = self.run([self.program("rf-dump"), path])
        fail_if(done.status != 0, f"cannot read {path}: {done.stderr.decode(errors='replace')}")
        return Recording(done.stdout.decode("ascii").splitlines())

    def count(self, path):
        """(pid, tid) -> marks, ranges that were ended, ranges that were cut; nothing is lost."""
        done = self.run([self.program("rf-verify"), path, "counts"])
        counts = collections.defaultdict(lambda: (0, 0, 0))
        for line in done.stdout.decode().splitlines():
            pid, tid, *numbers = map(int, line.split())
            counts[pid, tid] = tuple(map(sum, zip(counts[pid, tid], numbers)))
        fail_if(done.status != 0, f"{done.stderr.decode()}{len(counts)} threads: {counts}")
        return counts

    def command(self, *args, expect_status=0):
        """Runs a verb of the command line."""
        done = self.run([self.rangefinder, *args])
        if expect_status is not None:
            fail_if(
                done.status != expect_status,
                f"rangefinder {' '.join(args)}: exit status {done.status}: "
                f"{done.stderr.decode(errors='replace')}",
            )
        return done

    def start(self, command, truth=None, env=None, **options):
        """Starts a command in a session of its own and returns the Popen object."""
        return subprocess.Popen(
            command,
            env=self.environment(truth, env),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=open(self.path("stderr"), "ab"),
            start_new_session=True,
            **options,
        )

    def describe(self, process):
        """What became of a process of start(): its status or processes, and what they said."""
        with open(self.path("stderr"), encoding="utf-8", errors="replace") as file:
            said = file.read()
        tree = subprocess.run(
            ["ps", "-o", "pid,ppid,stat,wchan:32,args", "-s", str(process.pid)],
            stdout=subprocess.PIPE, text=True, check=False,
        ).stdout
        return f"status {process.poll()}, said {said!r}\n{tree}"

    def session_directories(self):
        return glob.glob(self.path("*.rfdir"))


class Run:
    """A program that was run under the recorder."""

    def __init__(self, test, truth, output):
        self.test, self.truth, self.output = test, truth, output
        self.bare = self.outcome = None
        self._recording = self._notes = None

    @property
    def recording(self):
        if self._recording is None:
            fail_if(
                not os.path.exists(self.output),
                f"no recording; the command line said: "
                f"{self.outcome.stderr.decode(errors='replace') if self.outcome else ''}",
            )
            self._recording = self.test.dump(self.output)
        return self._recording

    @property
    def notes(self):
        if self._notes is None:
            self._notes = read_truth(self.truth)
        return self._notes

    @property
    def values(self):
        return truth_values(self.notes)

    def check_truth(self):
        """The recording holds exactly what the program noted."""
        Comparison(self.recording, self.notes).check()
        self.check_nothing_lost()
        return self

    def check_nothing_lost(self):
        info = self.recording.info
        expect_equal(info["n_lost_records"], 0, "lost records")
        expect_equal(info["n_lost_defs"], 0, "lost definitions")
        expect_equal(info["n_failed_processes"], 0, "processes that could not be recorded")
        expect_equal(info["n_damaged_bytes"], 0, "damaged bytes")
        return self


def remove_shared_memory(folder):
    """A session that nobody packed leaves its pools where there is shared memory."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            target = os.path.realpath(path)
            if name.endswith((".pool", ".log")) and os.path.islink(path) and os.path.exists(target):
                os.unlink(target)


def remove_live_folder(folder):
    """Removes a folder in which the recorder or the command line may still make files."""
    while os.path.exists(folder):
        shutil.rmtree(folder, ignore_errors=True)


def kill_group(process):
    """Ends a process of Test.start() and everything that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
