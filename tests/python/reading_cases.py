# SPDX-License-Identifier: Apache-2.0
"""Programs whose threads read one recording at the same time, and find in it what one thread alone finds.

usage: reading_cases.py CASE FILE"""

import itertools
import sys

import rangefinder
from threads_cases import N_THREADS, on_threads

N_ROUNDS = 12


# What can be asked, each with an answer that compares.
QUESTIONS = {
    "length": lambda r: [len(rows) for rows in (r.ranges, r.events, r.marks, r.calls, r.kernels, r.samples)],
    "names": lambda r: r.table("ranges", "name")["name"].tolist(),
    "categories": lambda r: r.table("events", "name")["name"].categories,
    "codes": lambda r: memoryview(r.table("events", "name")["name"].codes).tolist(),
    "starts": lambda r: memoryview(r.table("events", "start_ns")["start_ns"]).tolist(),
    "nulls": lambda r: r.table("events", "end_ns")["end_ns"].nulls,
    "of threads": lambda r: [[event.start_ns for event in thread.events] for thread in r.threads],
    "parents": lambda r: [range_.parent and range_.parent.index for range_ in r.ranges[:300]],
    "children": lambda r: [len(range_.children) for range_ in r.ranges[:300]],
    "projections": lambda r: r.table("projections", "busy_ns")["busy_ns"].tolist() if len(r.projections()) else [],
    "by process": lambda r: [row.busy_ns for row in r.projections(by_process=True)],
    "payloads": lambda r: [row.as_dict().get("payload") for row in r.ranges[:300]],
    "columns": lambda r: {name: column_values(r.ranges.columns(), name) for name in r.ranges.columns()},
    "filter of rows": lambda r: [row.index for row in r.ranges.filter(duration_ns__gt=1000)],
    "filter": lambda r: r.filter(activity="nvtx").info.n_ranges,
    "report": lambda r: [row.as_dict() for row in r.stats("nvtx_sum")],
    "about it": lambda r: [r.messages, r.skipped, r.clocks, r.ring],
    "rows as text": lambda r: [repr(r.ranges), repr(r.threads[0]), r.ranges.columns().keys()],
}


def answers(path):
    """What one thread finds."""
    with rangefinder.open(path) as recording:
        return {name: ask(recording) for name, ask in QUESTIONS.items()}


def column_values(table, name):
    return [repr(value) for value in table[name]]  # NaN is not NaN


def first_time(path):
    """Threads ask a recording for all that is looked for when it is first needed, in other orders."""
    expected = answers(path)
    for turn in range(N_ROUNDS):
        with rangefinder.open(path) as recording:

            def work(number):
                names = list(QUESTIONS)
                first = (turn if number % 2 else number) % len(names)  # half of them ask for the same
                for name in names[first:] + names[:first]:
                    assert QUESTIONS[name](recording) == expected[name], name

            on_threads(work)


def one_column(path):
    """Threads fill in the same Rows and Columns, and hold buffers of them in both forms."""
    recording = rangefinder.open(path)
    expected = {name: column_values(recording.events.columns(), name) for name in recording.events.columns()}
    for _ in range(N_ROUNDS * 5):
        rows = recording.events
        table = rows.columns()
        columns = {name: table[name] for name in table}

        def work(number):
            names = list(columns)
            for name in names[number:] + names[:number]:
                column = columns[name]
                if column.type != "text":
                    contiguous = bytes(memoryview(column)) if number % 2 else memoryview(column).tobytes()
                    assert memoryview(column).nbytes == len(contiguous) == len(rows) * memoryview(column).itemsize
                if column.categories is not None:
                    codes = memoryview(column.codes)
                    assert [column.categories[code] if code >= 0 else None for code in codes] == column.tolist()
                assert [repr(value) for value in column] == expected[name], name

        on_threads(work)


def iterators(path):
    """One iterator for all threads: each item goes to one of them."""
    recording = rangefinder.open(path)
    events = recording.events
    column = events.columns("start_ns")["start_ns"]
    starts = sorted(column.tolist())
    for _ in range(N_ROUNDS * 5):
        rows, values = iter(recording.events), iter(column)
        taken = [([], []) for _ in range(N_THREADS)]

        def work(number):
            mine = taken[number]
            mine[0].extend((event.thread.index, event.index) for event in rows)
            mine[1].extend(values)
            assert next(rows, None) is None and next(values, None) is None

        on_threads(work)
        places = sorted(itertools.chain.from_iterable(mine[0] for mine in taken))
        assert places == sorted(set(places)) and len(places) == len(events)
        assert sorted(itertools.chain.from_iterable(mine[1] for mine in taken)) == starts


def closing(path):
    """A recording is closed while threads read it: what they have stays as it is, and what they ask for is answered
    or refused."""
    expected = answers(path)
    n_refused = n_answered = 0
    for turn in range(N_ROUNDS * 10):
        recording = rangefinder.open(path)
        rows = recording.events
        counts = [[0, 0] for _ in range(N_THREADS)]

        def work(number):
            names = itertools.cycle(list(QUESTIONS)[number:] + list(QUESTIONS)[:number])
            if number == 0:
                for name in itertools.islice(names, turn % len(QUESTIONS)):
                    QUESTIONS[name](recording)
                recording.close()
            while number > 0:
                name = next(names)
                try:
                    assert QUESTIONS[name](recording) == expected[name], name
                    counts[number][0] += 1
                except ValueError as error:
                    assert str(error) == "the recording is closed" and recording.closed
                    counts[number][1] += 1
                    break
            assert [event.start_ns for event in rows] == expected["starts"]

        on_threads(work)
        assert recording.closed
        n_answered += sum(count[0] for count in counts)
        n_refused += sum(count[1] for count in counts)
    assert n_refused == N_ROUNDS * 10 * (N_THREADS - 1)
    assert n_answered > 0


def exports(path):
    """Threads write one recording, and recordings together, to files of their own."""
    recording = rangefinder.open(path)
    wanted = f"{path}.wanted.json"
    recording.export(wanted)
    with open(wanted, "rb") as file:
        content = file.read()

    def work(number):
        calls = []
        for turn in range(3):
            output = f"{path}.{number}.{turn}.json"
            recording.export(output, progress=calls.append)
            with open(output, "rb") as file:
                assert file.read() == content
            rangefinder.export([recording], f"{path}.{number}.{turn}.sqlite")
            assert rangefinder.align([recording])[0]["offset_ns"] == 0
        assert calls and max(calls) <= 1

    on_threads(work)


def importing(path):
    """Modules are imported by all threads at the same time."""

    def work(number):
        import rangefinder.fleet
        import rangefinder.pm_sampling

        assert len(rangefinder.open(path).events) > 0
        assert rangefinder.pm_sampling.list_metric_sets() and rangefinder.fleet

    on_threads(work)


if __name__ == "__main__":
    sys.setswitchinterval(1e-6)  # with the GIL, threads take turns wherever they can
    globals()[sys.argv[1]](*sys.argv[2:])
    print("gil", getattr(sys, "_is_gil_enabled", lambda: True)())
