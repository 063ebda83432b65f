# SPDX-License-Identifier: Apache-2.0
"""Plain use, threads, domains, handles: compared call by call with what the program noted."""

from harness import (
    BAD_HANDLE,
    CATEGORY,
    CUT_DESTROYED,
    CUT_PROCESS,
    CUT_THREAD,
    DOMAIN_CREATE,
    DOMAIN_DESTROY,
    MARK,
    PUSH_POP,
    RANGES,
    RESOURCE,
    RESOURCE_DESTROY,
    START_END,
    SYNC,
    SYNC_CREATE,
    SYNC_DESTROY,
    THREAD_NAME,
    Comparison,
    Failure,
    Skip,
    expect_equal,
    fail_if,
    read_truth,
    truth_values,
)


def case_basic(test):
    """Every kind of event with every attribute."""
    run = test.record("basic", "all").check_truth()
    process = run.recording.processes[0]
    expect_equal(process["name"], "basic", "process name")
    expect_equal(process["args"][1:], ["all"], "arguments")
    expect_equal(process["cwd"], test.folder, "working directory")
    expect_equal(run.recording.info["root_status"], 7, "the root's exit status")
    fail_if(not process["exited"], "the process returned from main, and that was not seen")


def case_identical_ranges(test):
    run = test.record("basic", "identical").check_truth()
    expect_equal(len(run.recording.named("same", PUSH_POP)), 2000, "pushed ranges")
    expect_equal(len(run.recording.named("same", START_END)), 2000, "started ranges")


def case_random_threads(test):
    """Eight threads that do at random what threads do, over four domains."""
    for seed in (1, 2):
        test.record("basic", "random", seed, compare=False).check_truth()


def case_cross_thread_end(test):
    run = test.record("basic", "cross-thread").check_truth()
    ranges = run.recording.named("handed over")
    numbers = sorted(e["number"] for e in ranges)
    expect_equal(numbers, list(range(1, 101)), "numbers of the started ranges")
    enders = {run.recording.threads[e["end_thread"]]["tid"] for e in ranges}
    expect_equal(len(enders), 1, "threads that ended them")
    fail_if(enders == {run.recording.tid_of(ranges[0])}, "ended by the thread that began them")


def case_threads_serial(test):
    """10,000 threads one after another: nothing lost, and no more than 16 MiB."""
    n = 10000
    run = test.record("threads", "serial", n, compare=False).check_nothing_lost()
    bare = test.new_truth()
    expect_equal(test.run([test.program("threads"), "serial", str(n)], bare).status, 0, "status")
    extra = run.values["resident KiB"] - truth_values(read_truth(bare))["resident KiB"]
    fail_if(extra > 16 * 1024, f"{n} threads cost {extra} KiB of memory, over 16 MiB")
    ranges = run.recording.events(PUSH_POP)
    expect_equal(
        sorted(e["name"] for e in ranges),
        sorted(f"thread {i}".encode() for i in range(n)),
        "ranges, one per thread",
    )
    expect_equal(sum(1 for e in ranges if e["cut"]), 0, "ranges that are cut")
    expect_equal(len(run.recording.named("alive", MARK)), n, "marks")
    for thread in run.recording.threads:
        names = [e["name"] for e in thread["events"] if e["kind"] in (MARK, PUSH_POP)]
        fail_if(len(names) > 2, f"two threads' events are in one: {names[:6]}")


def case_threads_parallel(test):
    n = 300
    run = test.record("threads", "parallel", n).check_nothing_lost()
    for i in range(n):
        found = run.recording.named(f"thread {i}", PUSH_POP)
        expect_equal(len(found), 2, f"ranges of thread {i}")
        expect_equal(len({run.recording.tid_of(e) for e in found}), 1, f"threads of 'thread {i}'")
        fail_if(any(e["cut"] for e in found), f"a range of thread {i} is cut")


def case_domain_from_threads(test):
    """A domain that is created from many threads at once is one domain."""
    run = test.record("threads", "domains").check_truth()
    names = [d["name"] for d in run.recording.domains if d["id"] != 0]
    expect_equal(sorted(names), [f"shared {i}".encode() for i in range(5)], "domains")
    used = {(e["domain"], e["domain_name"]) for e in run.recording.events(PUSH_POP)}
    expect_equal(len(used), 5, "domains that have ranges")


def case_open_ranges(test):
    """What is not ended is cut, at the right moment and with the reason."""
    run = test.record("threads", "open").check_nothing_lost()
    rec = run.recording
    thread_open = rec.one("open at thread end")
    expect_equal(thread_open["cut"], CUT_THREAD, "reason of the thread's open push")
    later = rec.one("later")
    fail_if(thread_open["end"] > later["start"], "the thread's range outlives the thread")
    started = rec.one("started, never ended")
    expect_equal(started["cut"], CUT_PROCESS, "reason of the started range")
    fail_if(started["end"] < later["start"], "a started range ended with its thread")
    expect_equal(rec.one("open at process end")["cut"], CUT_PROCESS, "reason of main's push")
    expect_equal(rec.info["n_cut"], 3, "cut ranges")


def case_unmatched_ends(test):
    run = test.record("bogus", "ends").check_truth()
    # pops: 1 at first, 1 by another thread, 1 in the domain; ends: 6 bogus ids, 0, a second end
    expect_equal(run.recording.info["n_unmatched_ends"], 3 + 6 + 1 + 1, "ends without beginning")


def case_bogus_handles(test):
    run = test.record("bogus", "handles").check_nothing_lost()
    rec = run.recording
    for name in ("before", "after", "after destroying"):
        rec.one(name, MARK)
    numbers = [0x1234, 1000000, 0xFFFFFF, 0xFFFFFFFE, 0x7FFFDEADBEEF, 2**64 - 1]
    in_bogus = rec.named("bogus domain")
    expect_equal(len(in_bogus), 3 * len(numbers), "events in bogus domains")
    seen = sorted({rec.domains[e["domain"]]["handle"] for e in in_bogus})
    expect_equal(seen, sorted(numbers), "handles of bogus domains, as they were passed")
    fail_if(
        any(rec.domains[e["domain"]]["is_valid"] for e in in_bogus), "a bogus domain is valid"
    )
    bad = [e for e in rec.events(MARK) if e["flags"] & BAD_HANDLE]
    names = sorted(e["name"] for e in bad)
    expect_equal(
        [n for n in names if n], sorted(f"0x{n:x}".encode() for n in numbers + [0]),
        "messages with a bogus string handle",
    )
    expect_equal(len(rec.named("registered there", MARK)), len(numbers), "strings registered there")


def case_bogus_types(test):
    run = test.record("bogus", "types").check_nothing_lost()
    rec = run.recording
    n = len(range(4, 100, 19))
    expect_equal(len(rec.events(MARK)), 3 * n + 1, "marks")
    expect_equal(len([e for e in rec.events(MARK) if e["name"] is None]), n, "without message")
    fail_if(any(e["flags"] & 1 for e in rec.named("odd color")), "a color of no known type")
    for event in rec.named("odd payload"):
        expect_equal((event["payload_type"], event["payload"]), (7, 99), "odd payload")
    rec.one("after")


def case_domain_destroy(test):
    rec = test.record("bogus", "destroy").check_nothing_lost().recording
    started = rec.one("started")
    destroyed = rec.events(DOMAIN_DESTROY)[0]
    expect_equal(started["cut"], CUT_DESTROYED, "reason of the started range")
    fail_if(
        abs(started["end"] - destroyed["start"]) > 1000000,
        "the started range does not end where its domain was destroyed",
    )
    pushed = rec.one("pushed")
    expect_equal(pushed["cut"], CUT_DESTROYED, "reason of the pushed range")
    expect_equal(pushed["end"], started["end"], "end of the pushed range")
    expect_equal(rec.info["n_unmatched_ends"], 0, "the late pop and end say nothing")
    expect_equal(started["category_name"], b"old name", "category in the first life")
    second = rec.one("in the second life", MARK)
    expect_equal(second["domain_name"], b"short-lived", "domain of the second life")
    expect_equal(second["category_name"], None, "the category has lost its name")
    expect_equal(rec.one("in the second life", PUSH_POP)["cut"], 0, "a push of the second life")
    renamed = rec.one("with a name of its own")
    expect_equal(renamed["category_name"], b"its own name", "a category that was named again")
    domains = [d for d in rec.domains if d["name"] == b"short-lived" and d["process"] == 0]
    expect_equal(len(domains), 2, "domains of one name, one after the other")
    expect_equal(len(rec.events(DOMAIN_CREATE)), 4, "creations: one per process and life")
    expect_equal(rec.named("string"), [], "the string was destroyed with its domain")
    stale = [e for e in rec.events(MARK) if e["flags"] & BAD_HANDLE]
    expect_equal([e["domain_name"] for e in stale], 2 * [b"short-lived"], "stale strings")
    inherited = rec.named("inherited")
    categories = [e["category_name"] for e in inherited]
    expect_equal(categories, 2 * [b"its own name"], "of the parent, and of its child before")
    expect_equal(rec.one("the child's")["category_name"], None, "a name that the child destroyed")


def case_objects(test):
    """Resources, sync objects, names given twice."""
    rec = test.record("bogus", "objects").check_nothing_lost().recording
    resource = rec.one("a resource", RESOURCE)
    expect_equal(resource["payload"], 0xABC0, "identifier")
    expect_equal(resource["domain_name"], b"objects", "domain of the resource")
    expect_equal(len(rec.events(RESOURCE_DESTROY)), 2, "destructions of resources")
    lock = rec.one("a lock", SYNC_CREATE)
    operations = [e["category"] for e in rec.events(SYNC)]
    expect_equal(operations[:5], [1, 2, 1, 3, 4], "operations on the lock")
    expect_equal({e["color"] for e in rec.events(SYNC)[:5]}, {lock["color"]}, "whose they are")
    expect_equal(len(rec.events(SYNC_DESTROY)), 1, "destructions of sync objects")
    names = [(e["category"], e["name"], e["domain_name"]) for e in rec.events(CATEGORY)]
    expect_equal(
        names,
        [
            (3, b"first name", None),
            (3, b"last name", None),
            (3, b"name in the domain", b"objects"),
        ],
        "category names: every call",
    )
    given = {e["domain_name"]: e["category_name"] for e in rec.named("with a category")}
    expect_equal(
        given, {None: b"last name", b"objects": b"name in the domain"}, "the names that count"
    )
    expect_equal(len(rec.events(THREAD_NAME)), 3, "thread names: every call")
    main = next(t for t in rec.threads if t["events"] and t["is_named"])
    expect_equal(main["name"], b"last thread name", "the thread's last name")


def case_threads_named_by_resources(test):
    """Resource objects of threads name them, as nvtxNameOsThread does."""
    rec = test.record("bogus", "thread-names").check_nothing_lost().recording
    names = {e["name"]: rec.threads[e["thread"]]["name"] for e in rec.events(MARK)}
    expected = (b"main's", b"by its number", b"by its handle", b"before its first event")
    expect_equal(names, {name: name for name in expected}, "thread of each mark")
    fail_if(not rec.named("nobody's", RESOURCE), "the objects themselves are missing")


def case_domain_filter(test):
    """--nvtx-domain-include and -exclude keep and drop by name."""
    everything = test.record("basic", "all", compare=False).recording
    only = test.record("basic", "all", options=["--nvtx-domain-include=dom.one"], compare=False)
    without = test.record(
        "basic", "all", options=["--nvtx-domain-exclude=dom.one,default"], compare=False
    )
    kinds = (MARK, *RANGES)

    def count(rec):
        names = [e["domain_name"] for e in rec.events(*kinds)]
        return {name: names.count(name) for name in set(names)}

    all_counts = count(everything)
    one, two = b"dom.one", "dom.two.é".encode()
    expect_equal(set(all_counts), {None, one, two}, "domains without a filter")
    expect_equal(count(only.recording), {one: all_counts[one]}, "events of the included domain")
    expect_equal(count(without.recording), {two: all_counts[two]}, "events that are not excluded")
    for run in (only, without):
        fail_if(any(e["cut"] for e in run.recording.events(*RANGES)), "the filter cut a range")
        expect_equal(run.recording.info["n_unmatched_ends"], 0, "ends without beginning")


def case_small_stacks(test):
    """Threads with the smallest stack there is annotate, for the first time too."""
    for where in ((), ("first",)):
        run = test.record("threads", "small-stacks", *where).check_nothing_lost()
        expect_equal(len(run.recording.named("on a small stack", PUSH_POP)), 20, "ranges")


def case_stack_of_attaching(test):
    """Our frames take less than 4 KiB of the program's stack, whatever it does first."""
    with open(test.inject, "rb") as file:
        if b"__asan_init" in file.read():
            raise Skip("the sanitizer's frames are larger")
    sessions = test.path("sessions")
    runs = {
        "joining": test.record("stack", compare=False),
        "a forked child": test.record("stack", "child", compare=False),
        "by hand": test.by_hand("stack"),
    }
    outcomes = {what: run.outcome for what, run in runs.items()}
    outcomes["standby"] = test.run([test.program("stack"), "standby", sessions],
                                   env={"NVTX_INJECTION64_PATH": test.inject})
    for what, outcome in outcomes.items():
        expect_equal(outcome.status, 0, f"exit status, {what}")
        loading, attaching, first = map(int, outcome.stdout.split())
        print(f"{what}: loading {loading} bytes (libc's), attaching {attaching}, then {first}")
        fail_if(max(attaching, first) >= 4096, f"{what}: {attaching} and {first} bytes of stack")


def case_old_library(test):
    """libnvToolsExt.so.1, with which programs were linked before NVTX was headers."""
    run = test.record("oldlib")
    if run.outcome.status == 77:
        raise Skip("libnvToolsExt.so.1 is not installed")
    expect_equal(run.outcome.status, 0, "exit status")
    rec = run.check_nothing_lost().recording
    expect_equal(
        [e["name"] for e in rec.events(MARK, *RANGES)],
        [b"old mark", b"old push", b"old start", b"new push"],
        "events",
    )
    fail_if(any(e["cut"] for e in rec.events(*RANGES)), "a range is cut")


def expect_complaint(run, change, what):
    """The comparison must notice a recording or notes that were changed."""
    recording, notes = test_copy(run)
    change(recording, notes)
    try:
        Comparison(recording, notes).check()
    except Failure:
        return
    raise Failure(f"the comparison did not notice {what}")


def test_copy(run):
    import copy

    return copy.deepcopy(run.recording), copy.deepcopy(run.notes)


def case_harness_notices(test):
    """The harness can fail: it sees what was lost, changed, doubled, reordered or mistimed."""
    run = test.record("basic", "cross-thread", compare=False).check_truth()

    def events_of(recording):
        return max((t["events"] for t in recording.threads), key=len)

    def set_event(key, value):
        return lambda recording, _: events_of(recording)[5].update({key: value})

    def swap(recording, _):
        events = events_of(recording)
        events[3]["start"], events[4]["start"] = events[4]["start"], events[3]["start"]

    expect_complaint(run, lambda r, _: events_of(r).pop(5), "a lost event")
    expect_complaint(run, lambda r, _: events_of(r).append(events_of(r)[5]), "a doubled event")
    expect_complaint(run, set_event("name", b"other"), "another message")
    expect_complaint(run, set_event("payload_type", 1), "a payload")
    expect_complaint(run, set_event("flags", 1), "a color")
    expect_complaint(run, set_event("cut", 1), "a cut range")
    expect_complaint(run, set_event("end", 0), "an end before the beginning")
    expect_complaint(run, set_event("end_thread", events_of(run.recording)[0]["thread"]),
                     "the wrong ending thread")
    expect_complaint(run, swap, "times out of order")
    expect_complaint(run, lambda r, n: n.pop(), "a note less than there are events")
