# SPDX-License-Identifier: Apache-2.0
"""usage: ours_cases.py CASE: programs for what rangefinder.nvtx has beyond the package nvtx."""

import asyncio
import gc
import multiprocessing
import os
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
    ]
    wrong = [
        lambda: nvtx.mark(3),
        lambda: nvtx.mark("x", color="blurple"),
        lambda: nvtx.mark("x", payload="y"),
        lambda: nvtx.mark("x", unknown=1),
        lambda: nvtx.annotate("x", category=-1),
        lambda: nvtx.get_domain("d").push_range("x"),
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
    assert after[1:] == before[1:], (before, after)
    assert after[0] - before[0] < 500, (before, after)  # one a round would be 1000


if __name__ == "__main__":
    globals()[sys.argv[1]]()
