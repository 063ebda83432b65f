# SPDX-License-Identifier: Apache-2.0
"""usage: ours_cases.py CASE: programs for what rangefinder.nvtx has beyond the package nvtx."""

import asyncio
import decimal
import fractions
import gc
import json
import multiprocessing
import os
import subprocess
import sys
import threading

import rangefinder.nvtx as nvtx


def generators():
    @nvtx.annotate(color="green")
    def count(n):
        received = []
        for i in range(n):
            received.append((yield i))
        return received

    assert list(count(3)) == [0, 1, 2]
    one, two = count(5), count(5)
    assert [next(one), next(two), one.send("x")] == [0, 0, 1]
    one.close()
    try:
        two.throw(KeyError("thrown"))
    except KeyError:
        pass


def coroutines():
    @nvtx.annotate("coroutine")
    async def work(i):
        async with nvtx.annotate("block", payload=i):
            await asyncio.sleep(0.001 * (3 - i))
        return i

    @nvtx.annotate("generator")
    async def stream(n):
        for i in range(n):
            await asyncio.sleep(0)
            sent = yield i
            assert sent is None

    async def main():
        assert await asyncio.gather(*(work(i) for i in range(3))) == [0, 1, 2]
        assert [i async for i in stream(3)] == [0, 1, 2]
        partial = stream(3)
        assert await partial.__anext__() == 0
        await partial.aclose()
        failing = stream(3)
        assert await failing.__anext__() == 0
        try:
            await failing.athrow(KeyError("thrown"))
        except KeyError:
            pass

    asyncio.run(main())


def nested_tasks():
    """What is part of what: the payload of a range names its parent's message."""
    def mark(name):
        with nvtx.annotate(f"{name} pushed"):
            pass

    async def step(name, parent):
        async with nvtx.annotate(name, payload=int(parent)):
            await asyncio.sleep(0.002)
            async with nvtx.annotate(name + "1", payload=int(name)):
                await asyncio.sleep(0.002)
            await decorated(name)
            await asyncio.to_thread(asyncio.run, thread(name))

    async def thread(name):
        async with nvtx.annotate(name + "3", payload=int(name)):
            await asyncio.sleep(0)

    @nvtx.annotate("4", payload=4)
    async def decorated(name):
        async with nvtx.annotate(name + "2", payload=4):
            await asyncio.sleep(0.002)

    async def late(eight_ended):
        await eight_ended.wait()
        async with nvtx.annotate("90", payload=9):
            pass

    async def main():
        async with nvtx.annotate("9", payload=0):
            async with nvtx.annotate("8", payload=9):
                eight_ended = asyncio.Event()
                task = asyncio.create_task(late(eight_ended))
                await asyncio.gather(*(step(str(i), "8") for i in (1, 2, 3)))
            eight_ended.set()
            await task
        async with nvtx.annotate("7", payload=0):
            pass

    with nvtx.annotate("outside"):
        asyncio.run(main())
    outer = nvtx.start_range("started")
    with nvtx.annotate("pushed"):
        pass
    nvtx.end_range(outer)


def shared_annotation():
    shared = nvtx.annotate("shared")

    async def work(i):
        async with shared:
            await asyncio.sleep(0.001 * i)
            async with shared:
                await asyncio.sleep(0)

    async def main():
        async with shared:
            await asyncio.gather(*(work(i) for i in range(4)))

    asyncio.run(main())


def ends_of_others():
    other = int(sys.argv[2], 0) if len(sys.argv) > 2 else 0x7777000000000001
    range_id = nvtx.start_range("mine")
    for wrong in ((other, 0), (0, 0), (-1, 0), (1, 0x1234), (2**70, 0), range_id, range_id, None):
        nvtx.end_range(wrong)
    nvtx.mark("alive")


def odd_ids():
    """Nothing of it ends a range, or raises; a list does, as JSON makes one of a tuple."""
    nvtx.start_range("left")
    domain = nvtx.get_domain("d")
    for wrong in (5, "ab", b"ab", ("a", "b"), (), [], {}, (1,), (1, 2, 3), 1.5, object(), (None, None),
                  (float("nan"), 0), (Raising(), Raising())):
        nvtx.end_range(wrong)
        domain.end_range(wrong)
    nvtx.end_range(json.loads(json.dumps(nvtx.start_range("through JSON", domain="d"))))
    number, handle = nvtx.start_range("numbers of another type") or (0, 0)
    nvtx.end_range((Index(number), Index(handle)))
    domain.end_range(Index(domain.start_range(message="of a Domain")))


class Index:
    """An integer of another type, as numpy.int64."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Real(Index):
    """A number of another type that is no integer, as numpy.float32 or a tensor of one."""

    def __index__(self):
        raise TypeError("only integers")

    def __float__(self):
        return self.value


class Raising:
    """All that an annotation may ask of a value raises."""

    def __index__(self):
        raise RuntimeError("index")

    def __float__(self):
        raise RuntimeError("float")

    def __str__(self):
        raise RuntimeError("str")

    __repr__ = __hash__ = __str__


class Text(str):
    """A str with methods of its own, which no annotation calls."""

    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("eq")


def numbers():
    numbers = [7, True, 2.5, Index(8), Index(2**64 - 1), Real(1.25), decimal.Decimal("0.5"),
               fractions.Fraction(1, 4)]
    try:
        import numpy
    except ImportError:
        numbers += [Index(5), Real(5.0), Real(1.0), Index(6)]
    else:
        numbers += [numpy.int64(5), numpy.float32(5.0), numpy.bool_(True), numpy.array(6)]
    for number in numbers:
        nvtx.mark("number", payload=number)


def odd_values():
    """One warning for each line, whatever the value; all events are there."""
    for wrong in ("1", [Raising(), 1], (1j,), {1}, None.__class__, 1j, object(), 2**64, -(2**63) - 1, Raising()):
        for _ in range(3):
            nvtx.mark("payload", payload=wrong)
    for wrong in (3, 1.5, None.__class__, [1], Raising()):
        for _ in range(3):
            nvtx.mark(wrong)
    for wrong in (1.5, "bleu", "", "#12345g", 2**32, -1, (1, 2), (0, 0, 256), ("a", 0, 0), {}, Raising(),
                  (Raising(), 0, 0)):
        for _ in range(3):
            nvtx.mark("color", color=wrong)
    for wrong in (1.5, -1, 2**32, (), Raising()):
        for _ in range(3):
            nvtx.mark("category", category=wrong)
    for wrong in (3, (), Raising()):
        for _ in range(3):
            nvtx.push_range("domain", domain=wrong)
            nvtx.pop_range(wrong)
            with nvtx.annotate("domain", domain=wrong):
                nvtx.get_domain(wrong).mark(message="domain")


def odd_attributes():
    domain = nvtx.get_domain("d")
    domain.push_range("text")
    domain.pop_range()
    domain.mark(5)
    attributes = domain.get_event_attributes("attributes", [], {}, {})
    domain.mark(attributes)
    attributes.payload = Raising()
    domain.mark(attributes, category=Raising())
    domain.set_event_attributes(5)
    domain.mark(domain.get_event_attributes(domain.get_registered_string(5)))
    assert domain.get_category_id(Raising()) == 0
    with nvtx.annotate("wrong", payload="x") as annotate:
        annotate(lambda: nvtx.mark("inside"))()


def like_text():
    for _ in range(2):
        nvtx.mark(Text("message"), Text("red"), Text("d"), Text("c"))
        nvtx.mark(b"bytes")
    nvtx.get_domain(Text("d")).get_category_id(Text("c"))
    nvtx.mark("list", color=[255, 0, 0], category=Index(9))
    nvtx.mark("mixed", color=(1.0, 0, Real(0.0)))


def bare_decorator():
    @nvtx.annotate
    def function(x):
        return x

    class Model:
        @nvtx.annotate
        def method(self):
            return self

        @nvtx.annotate
        @staticmethod
        def static():
            return 5

    assert function(3) == 3 and function.__name__ == "function"
    assert Model().method().static() == 5


def default_domain():
    nvtx.mark("none")
    nvtx.mark("named", domain="NVTX")
    nvtx.get_domain("NVTX").mark(message="object")
    nvtx.mark("other", domain="nvtx")


def odd_messages():
    nvtx.mark("before\0after")
    nvtx.mark("lone \ud800 surrogate")
    nvtx.mark("domain", domain="d\0e")


def many_messages():
    # as many as are registered, and some more; the last one is a trigger's when there is one
    for i in range(65536 + 10):
        nvtx.mark(f"message {i}")
    with nvtx.annotate("trigger"):
        nvtx.mark("inside")


def fork():
    with nvtx.annotate("before"):
        pid = os.fork()
        if pid == 0:
            nvtx.mark("child")
            os._exit(0)
        os.waitpid(pid, 0)
    nvtx.mark("parent")


def annotated_in_process(i):
    with nvtx.annotate("work", payload=i):
        return i


decorated_in_process = nvtx.annotate("decorated")(annotated_in_process)
decorated_in_process.__qualname__ = "decorated_in_process"


def processes():
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            assert pool.map(annotated_in_process, range(4)) == list(range(4))
            assert pool.map(decorated_in_process, range(4)) == list(range(4))
            pool.close()
            pool.join()


def ends_elsewhere():
    """Ranges that end in a forked child, and in a program that is given what start_range() returned."""
    domain = nvtx.get_domain("of the parent")
    forked = nvtx.start_range("forked", domain="of the parent")
    given = nvtx.start_range("given", domain="of the parent")
    assert domain is not None
    pid = os.fork()
    if pid == 0:
        nvtx.end_range(forked)
        nvtx.mark("forked end")
        os._exit(0)
    os.waitpid(pid, 0)
    subprocess.run([sys.executable, __file__, "end_given", json.dumps(given)], check=True)


def end_given():
    nvtx.end_range(json.loads(sys.argv[2]))
    nvtx.mark("given end")


def shutdown():
    class Late:
        def __del__(self):
            nvtx.mark("late")
            with nvtx.annotate("late block"):
                pass

    globals()["late"] = Late()
    thread = threading.Thread(target=lambda: [nvtx.mark("busy") for _ in range(10**6)], daemon=True)
    thread.start()


def counts():
    """References that every kind of call leaves behind; none may."""
    message, category = "m" * 3, "c" * 3
    function = lambda: None
    calls = [
        lambda: nvtx.mark(message, "red", "d", category, 3),
        lambda: (nvtx.push_range(message), nvtx.pop_range()),
        lambda: nvtx.end_range(nvtx.start_range(message, domain="d")),
        lambda: nvtx.annotate(message, "red", "d", category, 2.5).__reduce__(),
        lambda: nvtx.annotate(message)(function)(),
        lambda: nvtx.annotate()(classmethod(function)),
        lambda: nvtx.get_domain("d").get_event_attributes(message, "red", category, 1),
        lambda: setattr(nvtx.get_domain("d").get_event_attributes(message), "payload", 5),
        lambda: nvtx.get_domain("d").mark(message=message, category=category),
        lambda: nvtx.get_domain("d").get_registered_string(message).string,
        lambda: repr(nvtx.get_domain("d").get_event_attributes(message)),
        lambda: nvtx.mark("x", payload=Real(1.5)),
        lambda: nvtx.mark("x", payload=Index(5)),
        lambda: nvtx.mark(Raising(), color="blurple", domain=5, category=Raising(), payload=Raising()),
        lambda: nvtx.mark(b"bytes", color=Text("red"), domain=Text("d"), category=Text("c")),
        lambda: nvtx.annotate(1.5, category=-1, payload=2**64),
        lambda: nvtx.get_domain("d").mark("x"),
        lambda: nvtx.get_domain("d").get_registered_string(b"x"),
        lambda: nvtx.end_range(list(nvtx.start_range("x"))),
        lambda: nvtx.end_range(("x", "y")),
        lambda: nvtx.annotate(function),
    ]
    wrong = [
        lambda: nvtx.mark("x", unknown=1),
        lambda: nvtx.annotate(unknown=1),
        lambda: nvtx.annotate("x")(5),
    ]

    def all_of_them():
        for call in calls:
            call()
        for call in wrong:
            try:
                call()
            except (TypeError, ValueError):
                continue
            raise AssertionError(call)

    def blocks():
        gc.collect()
        return sys.getallocatedblocks(), sys.getrefcount(message), sys.getrefcount(category)

    for _ in range(200):
        all_of_them()
    before = blocks()
    for _ in range(1000):
        all_of_them()
    after = blocks()
    # caches give a place up now and then; one a round would be 1000
    assert all(abs(now - then) < 5 for now, then in zip(after[1:], before[1:])), (before, after)
    assert after[0] - before[0] < 500, (before, after)  # one a round would be 1000


if __name__ == "__main__":
    globals()[sys.argv[1]]()
