# SPDX-License-Identifier: Apache-2.0
"""Focused runs: what begins and ends captures, and what is recorded between them."""

import array
import bisect
import collections
import os
import random
import shutil
import signal
import subprocess
import time

import focused
from focused import COUNTER, END, MARK, POP, POP_DOMAIN, PUSH, START, VOID, Session
from harness import SLOW, Skip, expect_equal, fail_if

DROP = {"keeps_open": 0}


# ---- What triggers ----


def case_focus_push(test):
    for settings in ({}, DROP):
        s = Session(test, **settings)
        s.run("mark=a push=x mark=b pop push=step mark=in push=y pop pop mark=out push=z pop")
        s.is_whole()
        expect_equal(s.inside(), ["step", "in", "y"], "inside")
        expect_equal(s.all(), ["step", "in", "y"], "recorded at all")
        expect_equal(s.state()["n_hits"], 1, "hits")
        expect_equal(len(s.inside(types=(POP,))), 2, "pops")


def case_focus_start(test):
    for settings in ({}, DROP):
        s = Session(test, **settings)
        s.run("start=a end=0 start=step start=b end=2 mark=in end=1 start=c end=3")
        s.is_whole()
        expect_equal(s.inside(), ["step", "b", "in"], "inside")
        ids = {r["text"]: r["id"] for r in s.records() if r["type"] == START}
        ends = [r["value"] for r in s.records() if r["type"] == END]
        expect_equal(ends, [ids["b"], ids["step"]], "ids of what was ended")


def case_focus_nested(test):
    s = Session(test)
    s.run("push=step push=step mark=1 pop mark=2 pop mark=3 push=step push=x push=step pop pop pop")
    expect_equal(s.inside(0), ["step", "step", "1", "2"], "first capture")
    expect_equal(s.inside(1), ["step", "x", "step"], "second capture")
    expect_equal(s.state()["n_hits"], 2, "hits")


def case_focus_overlapping(test):
    s = Session(test)
    s.run("start=step mark=1 push=step mark=2 end=0 mark=3 pop mark=4 start=step start=step end=1 "
          "mark=5 end=2 mark=6")
    expect_equal(s.inside(0), ["step", "1", "step", "2", "3"], "first capture")
    expect_equal(s.inside(1), ["step", "step", "5"], "second capture")


def case_focus_domains(test):
    """Each message and domain against each: only the right one begins a capture."""
    wanted = {
        (focused.DEFAULT, ""): {"step"},
        (focused.NAMED, "D"): {"step@D"},
        (focused.ANY, ""): {"step", "step@D", "step@E"},
    }
    for (kind, domain), right in wanted.items():
        for name in ("step", "step@D", "step@E", "stop", "Step@D"):
            s = Session(test, domain_kind=kind, domain=domain)
            pop = "pop=@" + name.split("@")[1] if "@" in name else "pop"
            s.run(f"push=a push={name} mark=in {pop} pop start={name} mark=on end=0")
            expect_equal(len(s.windows()), 2 if name in right else 0, f"captures of {name}")


def case_focus_any_domain(test):
    """The outermost of each domain counts."""
    s = Session(test, domain_kind=focused.ANY)
    s.run("push=step@A push=step@B push=step@A pop=@A mark=1 pop=@A mark=2 pop=@B mark=3")
    expect_equal(s.inside(), ["step", "step", "step", "1", "2"], "inside")
    s = Session(test, domain_kind=focused.ANY)
    many = [f"push=step@D{i}" for i in range(20)]
    s.run([*many, "mark=in", *(f"pop=@D{i}" for i in range(20)), "mark=out"])
    state = s.state()
    expect_equal([state["n_hits"], state["n_lost_triggers"]], [14, 6], "hits and lost")
    fail_if("out" in s.inside() or "in" not in s.inside(), "the capture has another end")


def case_focus_destroyed_domain(test):
    """A domain that is made again has another handle; both count."""
    s = Session(test, domain="D")
    s.run("push=step@D pop=@D destroy=@D push=a@D push=step@D mark=in pop=@D pop=@D")
    expect_equal(len(s.windows()), 2, "captures")


def case_focus_excluded_domain(test):
    """Triggers work where events are not wanted."""
    for name, settings in (
        ("step@D", {"domain": "D", "exclude": "D"}),
        ("step", {"exclude": ""}),
        ("step@D", {"domain_kind": focused.ANY, "exclude": "D"}),
    ):
        for more in ({}, DROP):
            s = Session(test, **settings, **more)
            pop = "pop=@" + name.split("@")[1] if "@" in name else "pop"
            push = name.replace("step", "x")
            s.run(f"push=other@K pop=@K push={name} push={push} start=a@K {pop} {pop} end=0 "
                  f"start={name} push=b@K end=1 pop=@K start=c@K end=2")
            inside = [s.inside(i) for i in range(len(s.windows()))]
            expect_equal(inside, [["a"], ["b"]], f"captures of {name} {settings}")
            ids = [r["id"] for r in s.records() if r["type"] == START]
            ends = [r["value"] for r in s.records() if r["type"] == END]
            fail_if(not set(ends) <= set(ids), f"ends {ends} of ranges that are not there: {ids}")


def case_focus_unregistered(test):
    s = Session(test)
    s.run("tpush=step mark=a pop wpush=step pop tstart=step end=0")
    expect_equal(s.windows(), [], "captures")
    expect_equal(s.state()["near"], [[focused.UNREGISTERED, ""]], "near misses")
    s = Session(test, takes_unregistered=1)
    s.run("tpush=step mark=a pop wpush=step mark=b pop tstart=step mark=c end=0 push=step mark=d pop")
    inside = [s.inside(i) for i in range(len(s.windows()))]
    expect_equal(inside, [["step", m] for m in "abcd"], "captures")


def case_focus_near_misses(test):
    s = Session(test, domain="D")
    s.run("push=step pop start=step@E end=0 push=step@E pop=@E push=STEP@D pop=@D tpush=step@D "
          "pop=@D push=Step@F pop=@F push=stepp@D pop=@D tpush=STEP@D pop=@D")
    expect_equal(s.windows(), [], "captures")
    expect_equal(
        s.state()["near"],
        [[focused.OTHER_DOMAIN, ""], [focused.OTHER_DOMAIN, "E"], [focused.CASE, "STEP"],
         [focused.UNREGISTERED, ""]],
        "near misses",
    )
    s = Session(test, domain="D", takes_unregistered=1)
    s.run("tpush=step pop tpush=sTeP@D pop=@D")
    expect_equal(
        s.state()["near"], [[focused.OTHER_DOMAIN, ""], [focused.CASE, "sTeP"]], "near misses"
    )
    s = Session(test)
    s.run("push=step pop tpush=step pop push=STEP pop push=step@D pop=@D")
    expect_equal(s.state()["near"], [], "near misses after a capture has begun")


# ---- Who opens and closes ----


def case_focus_threads(test):
    s = Session(test)
    s.run("start=step mark=1 thread ( mark=2 end=0 mark=3 ) mark=4 "
          "thread ( push=step mark=5 ) mark=6 thread ( start=step ) mark=7 end=1 mark=8")
    inside = [s.inside(i) for i in range(len(s.windows()))]
    expect_equal(inside, [["step", "1", "2"], ["step", "5"], ["step", "7"]], "inside")


def case_focus_thread_exit(test):
    """A thread that ends with its trigger open closes it, however it ends."""
    s = Session(test)
    s.run("thread ( push=step push=step mark=1 thread-exit ) mark=2 push=step mark=3 pop")
    inside = [s.inside(i) for i in range(len(s.windows()))]
    expect_equal(inside, [["step", "step", "1"], ["step", "3"]], "inside")


def case_focus_process_exit(test):
    for words, status in (
        ("push=step start=step thread ( start=step ) mark=in exit=5", 5),
        ("spawn ( push=step touch=ready sleep=60000 ) wait=ready mark=in", 0),
        ("push=step mark=in", 0),
    ):
        ready = test.path("ready")
        if os.path.exists(ready):
            os.unlink(ready)
        s = Session(test)
        s.run(words, expect_status=status)
        expect_equal(len(s.windows()), 1, f"captures of {words}")
        fail_if("in" not in s.inside(), f"not inside: {s.inside()}")


def case_focus_killed(test):
    """The share of a killed process stays in the session, and in its pool's header, for whoever
    watches over processes to take it back."""
    s = Session(test)
    s.run(f"push=step mark=in kill={int(signal.SIGKILL)}", expect_status=137)
    state = s.state()
    expect_equal([state["n_open"], state["is_on"]], [1, 1], "open, on")
    header = pool_header(s)
    expect_equal(header["n_open"], 1, "share of the process")
    fail_if(header["pid"] == 0 or header["start_time"] == 0 or header["pid_ns"] == 0, str(header))


def pool_header(session, process=0):
    with open(os.path.join(session.path, f"p{process:06}.pool"), "rb") as file:
        data = file.read(64)
    number = lambda at, size: int.from_bytes(data[at : at + size], "little")  # noqa: E731
    return {"pid": number(40, 4), "n_open": number(44, 4), "start_time": number(48, 8),
            "pid_ns": number(56, 8)}


def case_focus_fork(test):
    """A child has none of its parent's triggers open, and may end none."""
    for settings in ({}, DROP):
        s = Session(test, **settings)
        s.run("push=step start=step mark=1 fork ( end=0 pop mark=2 push=step mark=3 pop mark=4 ) "
              "mark=5 end=0 mark=6 pop mark=7")
        expect_equal(s.inside(), ["step", "step", "1", "2", "step", "3", "4", "5", "6"], "inside")
        expect_equal(s.state()["n_hits"], 3, "hits")
        expect_equal([pool_header(s, i)["n_open"] for i in (0, 1)], [0, 0], "open")


def case_focus_fork_exit(test):
    """The end of a child that has a trigger open."""
    s = Session(test)
    s.run("push=a fork ( push=step mark=1 ) mark=2 fork ( push=x fork ( start=step ) ) pop")
    inside = [s.inside(i) for i in range(len(s.windows()))]
    expect_equal(inside, [["step", "1"], ["step"]], "inside")


def case_focus_signals(test):
    s = Session(test)
    s.run("push=a signal ( push=step mark=1 ) mark=2 pop mark=3 pop "
          "signal ( start=step ) mark=4 signal ( end=0 ) mark=5")
    inside = [s.inside(i) for i in range(len(s.windows()))]
    expect_equal(inside, [["step", "1", "2"], ["step", "4"]], "inside")


def case_focus_handlers_storm(test):
    """Signal handlers open and close triggers while the thread does so too: all end closed, and
    what is in a capture is whole."""
    for settings in ({}, DROP):
        s = Session(test, max_windows=0, **settings)
        s.run(["storm", "300"], program="focus_stress")
        state = s.state()
        expect_equal([state["n_open"], state["is_on"]], [0, 0], "left open")
        expect_equal(state["n_lost_triggers"], 0, "lost")
        s.records()


def run_steps(session, *mode):
    """Runs tests/record/stepper.c, which lets a signal in at every instruction of annotations."""
    done = session.test.run(session.command(mode, "stepper"), env=session.env)
    if done.status == 77:
        raise Skip("this machine does not let a process trace its child, or is no x86-64")
    expect_equal(done.status, 0, "status")


def case_focus_signal_at_every_instruction(test):
    """Handlers that annotate between captures, and leave a range open now and then."""
    s = Session(test, takes_unregistered=1)
    run_steps(s, "armed")
    expect_equal(s.inside(), ["step", "in"], "inside")
    expect_equal(s.all(), [*(7 * ["left open"]), "step", "in"], "recorded at all")
    expect_equal(len(s.all((POP, END))), 1, "ends")


def case_focus_signal_at_every_instruction_of_triggers(test):
    """Handlers that annotate, half of them with a trigger, where a trigger begins or ends."""
    n_steps = 160
    for first in range(0, 3 * n_steps, n_steps):
        s = Session(test, takes_unregistered=1, max_windows=0)
        run_steps(s, "triggers", first)
        windows = s.windows()
        marks = [(r["ticks"], r["text"]) for r in s.records() if r["type"] == MARK]
        inside = [t for ticks, t in marks if any(begin < ticks < end for begin, end in windows)]
        expect_equal(s.state()["n_lost_triggers"], 0, "lost")
        expect_equal(inside, n_steps * ["in"], "marks inside")


# ---- When ----


def case_focus_modes(test):
    s = Session(test, is_armed=0)
    s.run("push=a push=step mark=1 pop pop")
    expect_equal(s.windows(), [], "captures before triggers are armed")
    expect_equal(s.state()["n_hits"], 1, "hits before triggers are armed")

    s = Session(test, max_windows=2)
    s.run("loop=4 ( push=step mark=in pop push=x mark=out pop )")
    state = s.state()
    expect_equal([state["n_windows"], state["is_over"], state["n_hits"]], [2, 1, 4], "repeat:2")
    expect_equal(s.all((MARK,)), ["in", "in"], "marks")

    s = Session(test, ends_with_trigger=0)
    s.run("push=step mark=1 pop mark=2 push=step pop mark=3")
    state = s.state()
    expect_equal([state["n_windows"], state["is_on"], state["n_open"]], [1, 1, 0], "none")
    expect_equal(s.all(), ["step", "1", "2", "step", "3"], "recorded")


def case_focus_by_hand(test):
    """Captures that the command line begins and ends, of a process that knows nothing of it."""
    for settings in ({}, DROP):
        for name in ("on", "go", "off", "end"):
            path = test.path(name)
            if os.path.exists(path):
                os.unlink(path)
        s = Session(test, triggers=0, **settings)
        process = s.start("push=open push=x pop start=s mark=1 touch=on wait=go mark=2 push=in pop "
                          "end=0 pop touch=off wait=end mark=3 push=y pop")
        wait_for(test.path("on"))
        s.control("begin")
        touch(test.path("go"))
        wait_for(test.path("off"))
        s.control("end")
        touch(test.path("end"))
        s.wait(process)
        expect_equal(s.inside(), ["2", "in"], "inside")
        before = [] if settings else ["open", "s"]
        expect_equal(s.all(), [*before, "2", "in"], "all")


def touch(path):
    with open(path, "w", encoding="ascii"):
        pass


def wait_for(path):
    for _ in range(6000 * SLOW):
        if os.path.exists(path):
            return
        time.sleep(0.01)
    fail_if(True, f"{path} did not appear")


def case_focus_other_clock(test):
    s = Session(test, clock=3)
    s.run("push=a start=b pop mark=x push=step mark=in pop end=0")
    expect_equal(s.inside(), ["step", "in"], "inside")
    expect_equal(s.all(), ["b", "step", "in"], "all")


# ---- What is kept between captures ----


def case_focus_open_ranges(test):
    """The starts of ranges that are open when a capture begins are there, with ids that match."""
    s = Session(test)
    s.run("push=A start=B push=C pop start=D end=1 start=E push=F@K pop=@K end=0 start=G push=step "
          "mark=in end=3 pop end=2 pop start=H end=4")
    # start 0 is B, 1 D, 2 E, 3 G, 4 H
    expect_equal(s.all(), ["A", "E", "G", "step", "in"], "recorded")
    ids = {r["text"]: r["id"] for r in s.records() if r["type"] == START}
    expect_equal({t: i & 0xFFFF for t, i in ids.items()}, {"E": 3, "G": 4}, "counters")
    ends = [r["value"] for r in s.records() if r["type"] == END]
    expect_equal(ends, [ids["G"], ids["E"]], "ends")


def case_focus_counters(test):
    """Ids count on, whatever was taken back, and in a capture too."""
    s = Session(test)
    s.run("loop=5 ( start=x ) loop=1 ( end=4 end=3 end=1 ) push=step start=in end=5 start=on pop "
          "start=y end=7 end=0")
    ids = {}
    for r in s.records():
        if r["type"] == START:
            ids.setdefault(r["text"], []).append(r["id"] & 0xFFFF)
    expect_equal(ids, {"x": [1, 3], "in": [6], "on": [7]}, "counters")


def case_focus_list_overflow(test):
    """More open ranges than the list has places: none is lost, and all end."""
    s = Session(test)
    n = 200
    s.run([*["push=deep"] * n, *["push=a", "pop"] * 3, *["pop"] * (n - 150), "push=step", "mark=in",
           "pop", *["pop"] * 150])
    records = [r for r in s.records() if r["type"] in (PUSH, POP)]
    begin, end = s.windows()[0]
    depth = 0
    for r in records:
        if begin <= r["ticks"] <= end:
            break
        depth += 1 if r["type"] == PUSH else -1
    expect_equal(depth, 150, "ranges open when the capture begins")


def case_focus_interleaved(test):
    """Ranges that end in the order in which they began are VOID until they are taken back, and
    their room is used again: the log does not grow."""
    s = Session(test)
    s.run("start=a " + " ".join(f"start=b end={i}" for i in range(900)) + " push=step pop")
    records = s.records()
    fail_if(len(records) > 300, f"{len(records)} records stayed")
    begin, _ = s.windows()[0]
    opened = [r["id"] & 0xFFFF for r in records if r["type"] == START and r["ticks"] < begin]
    expect_equal(opened[-1], 901, "the range that is open")
    fail_if(any(r["type"] == END and r["ticks"] < begin for r in records), "an END stayed")
    fail_if(not any(r["type"] in (VOID, COUNTER) for r in records), "nothing was void")


def case_focus_no_growth(test):
    """A million ranges between captures leave nothing."""
    for settings in ({}, DROP):
        s = Session(test, **settings)
        s.run("push=outer loop=100000 ( push=a tpush=text start=q pop pop mark=m ) push=step pop pop")
        log = os.path.getsize(os.path.join(s.path, "p000000.log"))
        # what start leaves open is never ended: its records stay
        fail_if(log > (100000 * 48 if not settings else 65536), f"a log of {log} bytes")
        s = Session(test, **settings)
        s.run("push=outer loop=100000 ( push=a tpush=text push=b@K pop=@K pop pop mark=m ) "
              "push=step pop pop")
        expect_equal(os.path.getsize(os.path.join(s.path, "p000000.log")), 64, "log")
        expect_equal(s.all(), ["step"] if settings else ["outer", "step"], "recorded")


class Script:
    """A random program for one thread, and what it has open when: the words of focus.c, and what
    must be known at the begin of each capture, and inside it."""

    DOMAINS = ("", "@A", "@B")

    def __init__(self, seed, n):
        self.random = random.Random(seed)
        self.words, self.captures = [], []
        self.stacks = {d: [] for d in self.DOMAINS}
        self.started = {}  # number of the start -> text
        self.n_texts = self.n_starts = 0
        self.inside = None
        for _ in range(n):
            self.step()
        if self.inside is not None:
            self.end_capture()

    def text(self):
        self.n_texts += 1
        return f"{self.n_texts}" + "x" * self.random.choice((0, 0, 3, 30))

    def opened(self, text):
        if self.inside is not None:
            self.inside.append(text)

    def step(self):
        action = self.random.choices(
            (self.push, self.pop, self.start, self.end, self.mark, self.capture),
            self.random.choice(((30, 28, 10, 10, 5, 1), (5, 10, 30, 30, 5, 1), (9, 9, 9, 9, 9, 1))),
        )[0]
        action()

    def push(self):
        domain = self.random.choice(self.DOMAINS)
        text = self.text()
        self.stacks[domain].append(text)
        self.words.append(f"tpush={text}{domain}")
        self.opened(text)

    def pop(self):
        domain = self.random.choice(self.DOMAINS)
        if self.stacks[domain]:
            self.stacks[domain].pop()
            self.words.append(f"pop={domain}" if domain else "pop")

    def start(self):
        if self.n_starts < 1000:
            text = self.text()
            self.started[self.n_starts] = text
            self.n_starts += 1
            self.words.append(f"tstart={text}{self.random.choice(self.DOMAINS)}")
            self.opened(text)

    def end(self):
        if self.started:
            newest = max(self.started)
            number = self.random.choice([newest, newest, min(self.started), *self.started])
            del self.started[number]
            self.words.append(f"end={number}")

    def mark(self):
        text = self.text()
        self.words.append(f"mark={text}")
        self.opened(text)

    def capture(self):
        if self.inside is not None:
            self.end_capture()
            return
        self.words.append("push=step@T")
        self.captures.append(
            ({d: list(s) for d, s in self.stacks.items()}, set(self.started.values()), [])
        )
        self.inside = self.captures[-1][2]

    def end_capture(self):
        self.words.append("pop=@T")
        self.inside = None


def open_at(records, ticks, domains):
    """What a reader finds open at a time."""
    stacks, started = {d: [] for d in Script.DOMAINS}, {}
    for r in records:
        if r["ticks"] >= ticks:
            break
        if r["type"] == PUSH and r["text"] != "step":
            stacks[domains[r["domain"]]].append(r["text"])
        elif r["type"] == POP:
            stacks[""].pop()
        elif r["type"] == POP_DOMAIN and r["value"] in domains:
            stacks[domains[r["value"]]].pop()
        elif r["type"] == START:
            started[r["id"]] = r["text"]
        elif r["type"] == END:
            del started[r["value"]]
    return stacks, set(started.values())


def case_focus_random(test):
    """Random programs: what was open when a capture began is known, each range once, whatever was
    taken back before; and in the capture nothing is missing."""
    for seed in range(25):
        script = Script(seed, 4000)
        s = Session(test, domain="T")
        # the domains get their handles in this order
        s.run(["tpush=a@A", "pop=@A", "tpush=b@B", "pop=@B", *script.words])
        windows, records = s.windows(), s.records()
        expect_equal(len(windows), len(script.captures), f"captures of seed {seed}")
        for (begin, end), (stacks, started, inside) in zip(windows, script.captures):
            got = open_at(records, begin, {0: "", 1: "@A", 2: "@B"})
            expect_equal(got[0], stacks, f"pushes open, seed {seed}")
            expect_equal(got[1], started, f"started ranges open, seed {seed}")
            texts = [r["text"] for r in records
                     if "text" in r and begin <= r["ticks"] <= end and r["text"] != "step"]
            expect_equal(texts, inside, f"inside, seed {seed}")


def case_focus_killed_idle(test):
    """A process that is killed, or read, while it takes back what it wrote: what stood there before
    is whole, and nothing is read that was written over."""
    for i in range(25):
        s = Session(test)
        process = s.start(["idle"], program="focus_stress")
        time.sleep(0.03 + i * 0.004)
        for _ in range(3):
            check_idle(s)
        process.kill()
        process.wait()
        check_idle(s)


def check_idle(s):
    records = s.records()
    for slot in {r["slot"] for r in records}:
        texts = [r["text"] for r in records if r["slot"] == slot and r["type"] == PUSH]
        expect_equal(texts[:1], ["outer"], "first push")
        fail_if("outer" in texts[1:], "'outer' twice")
        others = {t for t in texts[1:] if t != "." * len(t)}
        fail_if(others, f"texts that nobody wrote: {others}")
    fail_if(len(records) > 300, f"{len(records)} records stayed")


def case_focus_processes(test):
    """Several processes open and close triggers at once: none is left open."""
    for settings in ({}, DROP):
        s = Session(test, **settings)
        running = [
            subprocess.Popen(s.command(["triggers", "2", "2", "100"], "focus_stress"),
                             env=test.environment(env=s.env), cwd=make(test.path(f"{i}{settings}")))
            for i in range(4)
        ]
        for process in running:
            s.wait(process)
        state = s.state()
        expect_equal([state["n_open"], state["is_on"], state["n_hits"]], [0, 0, 800], "state")
        fail_if(state["n_windows"] < 5, f"only {state['n_windows']} captures")
        expect_equal([pool_header(s, i)["n_open"] for i in range(4)], [0] * 4, "open")
        s.records()


def make(path):
    os.mkdir(path)
    return path


def case_focus_long_texts(test):
    s = Session(test)
    s.run(["long"], program="focus_stress")
    expect_equal(len(s.windows()), 1, "captures")
    texts = s.all()
    fail_if(texts.count("before") != 1 or texts.count("inside") != 1, f"texts {texts}")


def case_focus_cross_thread(test):
    """Ranges begun by one thread and ended by another between captures are ended in the recording,
    too."""
    s = Session(test)
    s.run("start=a start=b thread ( end=0 push=x pop ) push=step thread ( end=1 ) pop")
    ids = {r["text"]: r["id"] for r in s.records() if r["type"] == START}
    ends = [r["value"] for r in s.records() if r["type"] == END]
    expect_equal(sorted(ends), sorted([ids["a"], ids["b"]]), "ends")
    expect_equal(s.all(), ["a", "b", "step"], "all")


def case_focus_valgrind(test):
    """memcheck finds nothing, and the captures are the same."""
    if not shutil.which("valgrind"):
        raise Skip("valgrind is not installed")
    for settings in ({}, DROP, {"takes_unregistered": 1}):
        s = Session(test, **settings)
        s.run("push=a start=b tpush=text pop end=0 loop=100 ( start=c push=d@D pop=@D ) push=step "
              "mark=in wpush=step pop pop pop thread ( push=step ) fork ( push=step mark=on )",
              under=["valgrind", "-q", "--error-exitcode=99", "--child-silent-after-fork=yes"])
        expect_equal(len(s.windows()), 3, "captures")
        fail_if("in" not in s.inside(0) or "on" not in s.inside(2), "marks are missing")


def case_focus_stress(test):
    """8 threads open and close triggers while 8 others annotate: nothing of a capture is missing."""
    for settings in ({}, DROP):
        s = Session(test, **settings)
        s.run(["triggers", "8", "8", "400"], program="focus_stress")
        state = s.state()
        expect_equal([state["n_open"], state["is_on"], state["n_lost_triggers"]], [0, 0, 0], "end")
        check_stress(s, state)


def check_stress(s, state):
    windows = state["windows"]
    fail_if(state["n_windows"] < 5, f"only {state['n_windows']} captures: nothing was tested")
    expect_equal(state["phase"], 2 * state["n_windows"], "phase")
    expect_equal(state["n_hits"], 8 * 400, "triggers")
    edges = [edge for window in windows for edge in window]
    expect_equal(edges, sorted(set(edges)), "beginnings and ends in turn")
    recorded = {}
    for r in s.records():
        if r["type"] == MARK:
            thread, number = r["text"].split(":")
            fail_if(int(number) in recorded.setdefault(int(thread), {}), f"{r['text']} twice")
            recorded[int(thread)][int(number)] = r["ticks"]
    n_inside = 0
    for thread in range(8, 16):
        ticks = array.array("Q")
        with open(s.test.path(f"ticks.{thread}"), "rb") as file:
            ticks.frombytes(file.read())
        marks = recorded.get(thread, {})
        for number in range(len(ticks) // 2):
            before, after = ticks[2 * number], ticks[2 * number + 1]
            i = bisect.bisect_right(windows, [before, 1 << 64]) - 1
            is_inside = i >= 0 and after <= windows[i][1]
            n_inside += is_inside
            fail_if(is_inside and number not in marks, f"{thread}:{number} is missing")
            fail_if(
                number in marks and not before <= marks[number] <= after,
                f"{thread}:{number} has another time",
            )
    fail_if(n_inside < 100, f"only {n_inside} marks inside: nothing was tested")


# ---- Some ranges of the name, by number ----


def case_focus_steps(test):
    steps = {"first_step": 1, "n_steps": 2, "max_windows": 1}
    run = "push=step mark=0 pop mark=a push=step mark=1 pop mark=b start=step mark=2 end=0 mark=c push=step mark=3 pop"
    for settings in ({}, DROP):
        s = Session(test, **steps, **settings)
        s.run(run)
        expect_equal(s.inside(), ["step", "1", "b", "step", "2"], "inside")
        expect_equal(len(s.windows()), 1, "captures")
        expect_equal(s.state()["most_steps"], 4, "steps")


def case_focus_steps_that_overlap(test):
    # the hold spans the gap between the first and the last; the capture ends with the one that ends last
    s = Session(test, first_step=1, n_steps=2, max_windows=1)
    s.run("start=step start=step mark=in start=step end=2 mark=still end=1 mark=out end=0")
    expect_equal(s.inside(), ["step", "in", "step", "still"], "inside")
    # one within another of its name ends within it
    s = Session(test, first_step=0, n_steps=2, max_windows=1)
    s.run("push=step push=step mark=1 pop mark=2 pop mark=out push=step mark=3 pop")
    expect_equal(s.inside(), ["step", "step", "1", "2"], "nested")
    s = Session(test, first_step=1, n_steps=1, max_windows=1)
    s.run("push=step mark=0 push=step mark=1 pop mark=out pop")
    expect_equal(s.inside(), ["step", "1"], "nested in one that does not count")


def case_focus_steps_left_open(test):
    # the program ends first; exit closes what is open, the hold too
    s = Session(test, first_step=1, n_steps=5, max_windows=1)
    s.run("push=step pop mark=0 push=step mark=1 pop mark=2")
    expect_equal(s.inside(), ["step", "1", "2"], "inside")
    s = Session(test, first_step=1, n_steps=5, max_windows=1)
    s.run("push=step pop mark=0 push=step mark=1")
    expect_equal(s.inside(), ["step", "1"], "inside an open one")
    s = Session(test, first_step=7, n_steps=1, max_windows=1)
    s.run("push=step pop mark=0 push=step mark=1")
    expect_equal(s.windows(), [], "not reached")
    expect_equal(s.state()["most_steps"], 2, "steps")


def case_focus_steps_of_processes(test):
    # a forked child counts from 0, and its exit closes no trigger of its parent
    s = Session(test, first_step=1, n_steps=2, max_windows=1)
    s.run("push=step pop push=step mark=1 pop fork ( push=step mark=no-0 pop exit=0 ) push=step mark=2 pop mark=out")
    expect_equal(s.inside(), ["step", "1", "step", "no-0", "step", "2"], "inside")
    # all threads of a process count together
    s = Session(test, first_step=2, n_steps=2, max_windows=1)
    s.run("push=step mark=0 pop thread ( push=step mark=1 pop push=step mark=2 pop ) mark=between push=step mark=3 pop mark=out")
    expect_equal(s.inside(), ["step", "2", "between", "step", "3"], "of two threads")


def case_focus_steps_from_threads(test):
    # whoever comes first: the steps are counted once each, one capture begins and ends, no trigger stays open
    n_starts = 200
    starts = " ".join(f"start=step end={i}" for i in range(n_starts))
    run = f"{'spawn ( loop=300 ( push=step mark=p pop ) ) ' * 3} {starts} join"
    for i in range(10):
        s = Session(test, first_step=200 * i % 800, n_steps=250, max_windows=1)
        s.run(run)
        expect_equal(len(s.windows()), 1, "captures")
        expect_equal(s.state()["most_steps"], 900 + n_starts, "steps")
        # those that began while another thread set the window lie before it, and are recorded
        fail_if(s.all().count("step") < 250, "steps are missing")


def case_focus_signal_at_every_instruction_of_steps(test):
    """The same handlers where the steps are counted: one capture, and no trigger stays open."""
    n_steps = 160
    for first in range(0, 3 * n_steps, n_steps):
        s = Session(test, takes_unregistered=1, first_step=20, n_steps=100, max_windows=1)
        run_steps(s, "triggers", first)
        expect_equal(len(s.windows()), 1, "captures")
        fail_if(s.state()["most_steps"] < n_steps, "steps were not counted")
        fail_if(s.inside().count("in") < 40, "marks are missing")
