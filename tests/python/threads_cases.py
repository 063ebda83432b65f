# SPDX-License-Identifier: Apache-2.0
"""Programs whose threads annotate at the same time: each range says what it is to be in its payload, so that
test_threads.py can tell what another thread has put into it.

usage: threads_cases.py CASE [FILE.rf]"""

import sys
import threading

import rangefinder
import rangefinder.nvtx as nvtx

N_THREADS = 8
N_NAMES = 600
N_ROUNDS = 25
COLORS = ("red", "green", "blue", "orange", "purple", "teal", "gold", "navy")


def on_threads(work):
    """Calls work(number) on all threads, which begin together; what one raises is raised here."""
    start = threading.Barrier(N_THREADS)
    raised = []

    def run(number):
        start.wait()
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


# Some names are the same objects for all threads, others are made anew each time.
DOMAINS = [f"domain {k}" for k in range(7)]
CATEGORIES = [f"category {k}" for k in range(31)]
MESSAGES = [f"message {k}" for k in range(N_NAMES)]


def push(k, is_new):
    message = f"message {k}" if is_new else MESSAGES[k]
    category = f"category {k % 31}" if is_new else CATEGORIES[k % 31]
    nvtx.push_range(message, color=COLORS[k % 8], domain=DOMAINS[k % 7], category=category, payload=k)
    nvtx.pop_range(domain=DOMAINS[k % 7])


def names():
    """Threads meet new names of all kinds, in other orders."""

    def work(number):
        step = (1, 7, 11, 13, 17, 19, 23, 29)[number]
        for i in range(N_ROUNDS * N_NAMES):
            push(i * step % N_NAMES, i % 2 == 0)

    on_threads(work)


def prepared():
    """One EventAttributes, whose payload and message each thread replaces with its own."""
    domain = nvtx.get_domain("prepared")
    event = domain.get_event_attributes("step", color="red")

    def work(number):
        for _ in range(15000):
            domain.push_range(event, message=f"of {number}", payload=number)
            domain.pop_range()

    on_threads(work)


def annotations():
    """One annotate, entered and read by all threads; its payload is a list that they change."""
    values = [1.0] * 100
    shared = nvtx.annotate("shared", color="green", payload=values)

    @nvtx.annotate()
    def function(number):
        return number

    def work(number):
        for i in range(5000):
            with shared:
                if i % 3:
                    values.append(1.0)
                else:
                    del values[50:]
            assert function(i) == i
            assert shared.attributes.message == "shared"
            assert repr(shared.attributes).startswith("EventAttributes(message='shared'")

    on_threads(work)


def again():
    """One annotate of a subclass, which threads begin anew while others enter it."""

    class Annotation(nvtx.annotate):
        pass

    shared = Annotation("first", payload=-1)

    def work(number):
        for i in range(5000):
            if number % 2:
                shared.__init__(f"name {i % 200}", payload=i % 200)
            else:
                with shared:
                    pass

    on_threads(work)


def counters():
    """Each thread asks for the same ones, in one moment."""
    domain = nvtx.get_domain("counters")

    def work(number):
        for k in range(N_NAMES):
            counter = domain.get_counter(f"counter {k}", int)
            assert counter is domain.get_counter(f"counter {k}", int)
            counter.sample(number)

    on_threads(work)


def payloads():
    """Lists of all kinds, whose schemas are new to the domain; one of them is changed meanwhile."""
    shared = [[1, 2], [3, 4]]

    def work(number):
        for i in range(300):
            nvtx.mark("texts", domain="payloads", payload=["x" * (i % 40 + 1)] * 3)
            nvtx.mark("numbers", domain="payloads", payload=[i, number])
            nvtx.mark("changing", domain="payloads", payload=shared)
            shared.append([i, number])
            if len(shared) > 20:
                shared[:] = [[1, 2], [3, 4]]

    on_threads(work)


def functions():
    """Profile, which ends while other threads are in functions."""

    def leaf(k):
        return k

    def work(number):
        if number == 0:
            for _ in range(50):
                with nvtx.Profile(linenos=False, annotate_cfuncs=False):
                    leaf(1)
        else:
            for i in range(3000):
                leaf(i)
                if i % 100 == 0:  # code that no thread has run yet
                    exec(compile(f"def made(k): return k\nmade({i})", "made.py", "exec"))

    on_threads(work)


def ends():
    """One Profile, which all threads end in one moment."""
    profile = nvtx.Profile()

    def work(number):
        profile.disable()

    before = sys.getrefcount(profile)
    for _ in range(200):
        profile.enable()
        on_threads(work)
        # without the GIL it stays: another thread may be about to use it
        assert sys.getrefcount(profile) == before or not getattr(sys, "_is_gil_enabled", lambda: True)()


def sessions(path):
    """Recordings begin and end while threads annotate."""
    is_over = threading.Event()
    shared = nvtx.annotate("shared", payload=5)

    def work(number):
        if number == 0:
            try:
                for i in range(5):
                    with rangefinder.profile(path.replace(".rf", f"-{i}.rf")):
                        nvtx.mark("in it", domain=f"domain {i}", category="c", payload=i)
            finally:
                is_over.set()
        i = 0
        while not is_over.is_set():
            i += 1
            push(i % N_NAMES, i % 3 == 0)
            with shared:
                pass

    on_threads(work)


if __name__ == "__main__":
    sys.setswitchinterval(1e-6)  # with the GIL, threads take turns wherever they can
    globals()[sys.argv[1]](*sys.argv[2:])
    print("gil", getattr(sys, "_is_gil_enabled", lambda: True)())
