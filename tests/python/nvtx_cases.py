# SPDX-License-Identifier: Apache-2.0
"""usage: nvtx_cases.py MODULE CASE: programs that any module with the interface of nvtx can run."""

import asyncio
import concurrent.futures
import importlib
import sys
import threading

nvtx = None


def marks():
    nvtx.mark("plain")
    nvtx.mark(message="named", color="green", domain="d", category="c", payload=7)
    nvtx.mark("number", "red", "d", 5, 2.5)
    nvtx.mark("bits", color=0x123456)
    nvtx.mark()


def push_pop():
    nvtx.push_range("outer")
    nvtx.push_range("inner", "purple", "d", "c", -1)
    nvtx.push_range("other domain", domain="e")
    nvtx.pop_range("d")
    nvtx.pop_range(domain="e")
    nvtx.pop_range()


def process_ranges():
    first = nvtx.start_range("first", color="orange")
    second = nvtx.start_range("second", color="orange", domain="d", category="c", payload=1)
    nvtx.end_range(first)
    nvtx.end_range(second)
    nvtx.start_range("left", color="orange")
    nvtx.end_range(None)


def begin():
    return nvtx.start_range("across functions", color="white")


def across_functions():
    def end(range_id):
        nvtx.end_range(range_id)

    end(begin())


def across_threads():
    ranges = []
    first = threading.Thread(
        target=lambda: ranges.append(nvtx.start_range("across threads", color="white"))
    )
    first.start()
    first.join()
    second = threading.Thread(target=lambda: nvtx.end_range(ranges[0]))
    second.start()
    second.join()


def overlapping():
    ids = [nvtx.start_range(f"range {i}", color="cyan", payload=i) for i in range(4)]
    for i in (2, 0, 3, 1):
        nvtx.end_range(ids[i])


def context():
    with nvtx.annotate("block", color="green"):
        with nvtx.annotate("inside", color="rapids", domain="d", category="c", payload=3):
            pass
    reused = nvtx.annotate("reused", color="red")
    for _ in range(2):
        with reused:
            with reused:
                pass


def decorators():
    @nvtx.annotate(color="yellow")
    def by_name(x):
        """Its text."""
        return x + 1

    @nvtx.annotate("by message", color="yellow", domain="d")
    def other(*args, **kwargs):
        return args, kwargs

    class Model:
        @nvtx.annotate("method", color="yellow")
        def method(self, x, *, y=0):
            return x + y

        @classmethod
        @nvtx.annotate("class method", color="yellow")
        def of_class(cls):
            return cls

        @staticmethod
        @nvtx.annotate("static method", color="yellow")
        def static():
            return 5

    assert by_name(1) == 2 and by_name.__name__ == "by_name" and by_name.__doc__ == "Its text."
    assert other(1, a=2) == ((1,), {"a": 2})
    assert Model().method(1, y=2) == 3 and Model.method(Model(), 1) == 1
    assert Model.of_class() is Model and Model().static() == 5


def exceptions():
    @nvtx.annotate("raises", color="red")
    def fail():
        raise KeyError("x")

    for attempt in range(2):
        try:
            if attempt == 0:
                fail()
            with nvtx.annotate("block raises", color="red"):
                raise KeyError("y")
        except KeyError:
            pass
    nvtx.mark("after")


def domains():
    domain = nvtx.get_domain("d")
    assert nvtx.get_domain("d") is domain
    attributes = domain.get_event_attributes("prepared", "green", "c", 1)
    domain.push_range(attributes)
    domain.pop_range()
    attributes.payload = 2
    domain.mark(attributes)
    range_id = domain.start_range(message="started", color="green", payload=2.5)
    assert isinstance(range_id, int)
    domain.end_range(range_id)
    domain.mark(message="by name", color=0xFF00FF, category=domain.get_category_id("c"))
    string = domain.get_registered_string("registered")
    domain.mark(domain.get_event_attributes(string.string, "green"))


def messages():
    for text in ("", "é", "漢字", "🙂", "x" * 5000, "tab\tnew\nline"):
        nvtx.mark(text)


def tasks():
    async def work(i):
        range_id = nvtx.start_range(f"task {i}", color="green")
        await asyncio.sleep(0.001 * (3 - i))
        nvtx.end_range(range_id)

    async def all_of_them():
        await asyncio.gather(*(work(i) for i in range(3)))

    asyncio.run(all_of_them())


def pool():
    def work(i):
        with nvtx.annotate("work", color="green", payload=i):
            return i

    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        assert sorted(executor.map(work, range(40))) == list(range(40))


if __name__ == "__main__":
    nvtx = importlib.import_module(sys.argv[1])
    globals()[sys.argv[2]]()
