# SPDX-License-Identifier: Apache-2.0
"""Payloads and counters of NVTX's extensions: what payload.c gives them stands in the recording."""

import json
import os
import signal
import struct
import subprocess

from cases_processes import record_steps
from data_records import Rows, read_structs, signed, text_at
from harness import expect_equal, fail_if

TRANSFER = struct.pack("<Qi12s", 1000, -7, b"hello")
CSTRING, UTF8, RAW = 75, 76, 1023


def rows_of(run):
    run.check_nothing_lost()
    return Rows(run.output)


def check_definitions(rows, said):
    found = {(kind, ident): text for _, kind, _, ident, text in rows.definitions}
    schema = found["SCHEMA", int(said["schema"], 16)]
    (head,) = read_structs(schema, "rf_schema_def", 0)
    expect_equal((head["type"], head["flags"], head["static_size"], head["pack_align"]),
                 (1, 0, 24, 0), "schema: what the mask names, and nothing else")
    expect_equal(text_at(schema, head["name"]), b"a schema", "name of the schema")
    entries = [(e["type"], text_at(schema, e["name"]), text_at(schema, e["description"]),
                e["detail"], e["offset"])
               for e in read_structs(schema, "rf_schema_entry", 40, head["n_entries"])]
    expect_equal(entries, [(18, b"bytes", b"how many", 0, 0), (15, b"peer", None, 0, 8),
                           (75, b"name", None, 12, 12)], "entries")
    enum = found["ENUM", (1 << 24) + 5]
    (head,) = read_structs(enum, "rf_enum_def", 0)
    values = [(e["value"], text_at(enum, e["name"]), e["is_flag"])
              for e in read_structs(enum, "rf_enum_entry", 16, head["n_entries"])]
    expect_equal((head["size"], head["name"], values), (4, 0, [(1, b"one", 0), (2, None, 1)]), "enum")
    scope = found["SCOPE", (1 << 24) + 9]
    (head,) = read_structs(scope, "rf_scope_def", 0)
    expect_equal((head["parent"], text_at(scope, head["path"])), (1, b"GPU/engine"), "scope")
    counter = found["COUNTER", int(said["counter"], 16)]
    (head,) = read_structs(counter, "rf_counter_def", 0)
    expect_equal((head["schema"], head["scope"], text_at(counter, head["name"]),
                  text_at(counter, head["description"])), (17, 22, b"used", b"of memory"), "counter")
    (time,) = read_structs(counter, "rf_semantics", head["semantics"])
    (limits,) = read_structs(counter, "rf_semantics", time["next"])
    expect_equal((time["id"], time["value"], limits["id"], limits["version"], limits["next"]),
                 (2, 1, 5, 2, 0), "semantics")
    expect_equal((signed(limits["min"]), limits["max"], text_at(counter, limits["unit"]),
                  limits["scale_numerator"], limits["scale_denominator"], limits["limit_type"]),
                 (-5, 100, b"MB", 3, 4, 1), "semantics of the counter")
    sizes = found["TYPE_SIZES", 0]
    expect_equal(struct.unpack_from("<HH", sizes, 4 * 5), (4, 4), "int")
    expect_equal(struct.unpack_from("<HH", sizes, 4 * 8)[0], struct.calcsize("L"), "unsigned long")


def check_all(run):
    """What the mode `all` made."""
    rows = rows_of(run)
    out = run.outcome.stdout.decode().split()
    said = dict(zip(out[::2], out[1::2]))
    schema = int(said["schema"], 16)
    one = (schema, TRANSFER)
    three = [one, (UTF8, b"to its zero"), (RAW, b"")]
    got = [(r.type, r.message, r.payloads) for r in rows if r.type not in ("EXT", "THREAD", "THREAD_END")]
    expect_equal(got, [
        ("PUSH", b"core", [one]), ("POP_DOMAIN", None, three), ("PUSH", None, three),
        ("POP_DOMAIN", None, []), ("MARK", None, [one]), ("START", None, [one]),
        ("END", None, [one]), ("MARK", b"core", []), ("MARK", b"core", []), ("MARK", None, []),
    ], "records")
    counter = int(said["counter"], 16)
    ext = rows.of("EXT")
    expect_equal([(*r.words, r.payloads, r.arrays) for r in ext], [
        ("EVENT", [one], []),
        ("EVENTS", schema, 21, 6, 2, ext[1].words[5], [], [TRANSFER, b"flexible"]),
        ("INT64", counter, (1 << 64) - 9, [], []),
        ("FLOAT64", counter, struct.unpack("<Q", struct.pack("<d", 1.5))[0], [], []),
        ("NO_VALUE", counter, 2, [], []),
        ("SAMPLE", counter, [], [struct.pack("<q", 5)]),
        ("BATCH", counter, 2, [], [struct.pack("<3q", 5, 6, 7), struct.pack("<3q", 1, 2, 3)]),
    ], "samples and events")
    check_definitions(rows, said)
    text = run.test.command("info", run.output).stdout
    fail_if(b"shown where they were submitted (2 rows)" not in text, text.decode())
    expect_equal((said["refused"], said["enum"], said["time"]), ("0", "1000005", "1"), "what is returned")
    fail_if(b"enabled 11 errno 1234" not in run.outcome.stdout, run.outcome.stdout)


def case_payload_all(test):
    """Each function, and mistakes of the program."""
    check_all(test.record("payload", "all", compare=False))


def case_payload_all_with_nvidia_headers(test):
    check_all(test.record(test.build_with_nvidia_headers("payload"), "all", compare=False))


def case_payload_other_clock(test):
    """Without the processor's counter each event takes the slow path."""
    check_all(test.record("payload", "all", compare=False, env={"RANGEFINDER_CLOCK": "monotonic"}))


def case_payload_sizes(test):
    """Payloads of any size, also of more than a part, at any place in it."""
    sizes = [0, 1, 7, 8, 9, 63, 64, 431, 432, 433, 480, 481, 503, 504, 505, 2000, 65000, 65280,
             65536, 70000, 200000, 1000000] + [4000 + 41 * i for i in range(200)]
    run = test.record("payload", "sizes", *sizes, compare=False)
    rows = rows_of(run)
    pushes = rows.of("PUSH")
    expect_equal([r.message for r in pushes], [str(n).encode() for n in sizes], "ranges")
    for n, row in zip(sizes, pushes):
        bytes_made = bytes((k * 7 + n) & 255 for k in range(n))
        fail_if(row.payloads != [(RAW, bytes_made), (CSTRING, b"end")], f"payload of {n} bytes")
    expect_equal(len(rows.of("POP_DOMAIN")), len(sizes), "ends")


def case_payload_small(test):
    """Each size of one small payload, and some above, in each form of an event."""
    forms = [("MARK", "text", 0), ("START", "text", 5), ("PUSH", "registered", 5),
             ("MARK", "registered", 5), ("PUSH", "", 0), ("START", "", 0), ("MARK", "", 0)]
    for env in {}, {"RANGEFINDER_CLOCK": "monotonic"}:
        run = test.record("payload", "small", 300, compare=False, env=env)
        rows = [r for r in rows_of(run).of("MARK", "START", "PUSH")]
        for size in range(300):
            payload = (RAW, bytes((k * 7 + size) & 255 for k in range(size)))
            expect_equal([(r.type, r.payloads) for r in rows[7 * size:7 * size + 7]],
                         [(form[0], [payload]) for form in forms], f"events with {size} bytes")
        expect_equal(len(rows), 7 * 300, "events")
        if not env:  # a counter of 100 MHz gives neighbours one time, and then these have another order
            continue
        out = test.command("export", "-t", "jsonl", "-o", "-", run.output).stdout.splitlines()
        events = [json.loads(line) for line in out]
        events = [e for e in events if e["type"] in ("mark", "push_pop", "start_end")]
        expect_equal([(e["name"] or "", e.get("category", 0)) for e in events],
                     [form[1:] for form in forms] * 300, "what the events say")


def check_numbers(rows, what):
    """The records of the mode `full` that are there: each is whole, or was cut behind lost events; those
    of a thread are in its order (a thread that begins after the other's end may take its stream)."""
    n_cut, numbers = 0, {}
    for row in rows.of("MARK", "EXT"):
        if row.type == "EXT" and row.words[0] == "INT64":
            numbers.setdefault(("INT64", row.words[2] // 1000000), []).append(row.words[2])
            continue
        kind, data = ((row.type, row.payloads) if row.type == "MARK"
                      else (row.words[0], [(1, struct.pack("<Q", row.words[1])), *enumerate(row.arrays)]))
        if not data:
            n_cut += 1
            continue
        (number,) = struct.unpack("<Q", data[0][1])
        numbers.setdefault((kind, number // 1000000), []).append(number)
        whole = data[0][1] * (1000 if number % 100 == 7 else number % 50)
        fail_if(len(data) > 2 or not whole.startswith(data[-1][1]), f"{what}: {kind} {number}: {data}")
        n_cut += len(data) < 2 or data[1][1] != whole
    for key, found in numbers.items():
        fail_if(found != sorted(set(found)), f"{what}: {key}: doubled or out of order")
    return n_cut


def case_payload_full(test):
    """Nobody empties the buffers: events are lost with their payloads, and counted; or threads append
    the parts themselves, and nothing is lost."""
    run = test.record("payload", "full", options=["--overflow=drop"], compare=False)
    rows = Rows(run.output)
    n_lost = run.recording.info["n_lost_records"]
    fail_if(n_lost < 10000, f"only {n_lost} lost")
    expect_equal(len(rows.of("MARK", "EXT")) + n_lost, 30000, "recorded and lost")
    n_cut = check_numbers(rows, "drop")
    fail_if(n_cut > 2, f"{n_cut} events of two threads are cut")
    run = test.record("payload", "full", compare=False)
    run.check_nothing_lost()
    rows = Rows(run.output)
    expect_equal([len(rows.of("MARK")), len(rows.of("EXT"))], [10000, 20000], "records")
    expect_equal(check_numbers(rows, "block"), 0, "events that are cut")


def case_payload_domains(test):
    """Excluded domains: nothing is recorded of them, and they are told."""
    for options, kept in ((("--nvtx-domain-exclude", "other"), (0, 2)),
                          (("--nvtx-domain-include", "other"), (1,))):
        run = test.record("payload", "domains", options=options, compare=False)
        rows = rows_of(run)
        expected = b"".join(b"%d %d\n" % (i in kept, i in kept) for i in range(3))
        expect_equal(run.outcome.stdout, expected, "what the program is told")
        expect_equal([r.words[2] for r in rows.of("EXT") if r.words[0] == "INT64"], list(kept), "samples")
        for kind in ("MARK", "PUSH", "START", "END"):
            expect_equal([r.n_behind for r in rows.of(kind)], [1] * len(kept), kind)
        expect_equal(sum(r.n_behind for r in rows.of("POP", "POP_DOMAIN")), len(kept), "ends")


def case_payload_fork(test):
    """A child has payloads and samples of its own."""
    rows = rows_of(test.record("payload", "fork", compare=False))
    payload = b"a payload of 24 bytes !\0"
    expect_equal([(r.process, r.payloads[0][1]) for r in rows.of("MARK")],
                 [(0, payload), (1, payload)], "marks")
    expect_equal([(r.process, r.words) for r in rows.of("EXT")],
                 [(0, ("INT64", 1, 3)), (1, ("INT64", 1, 2))], "samples")


def case_payload_ignored(test):
    """What is no time domain gets no id; modules that are not known are left alone."""
    run = test.record("payload", "ignored", compare=False)
    expect_equal((run.outcome.status, run.outcome.stdout), (0, b"0\n0 0 0\n17\n"), "what is returned")
    control = Rows(run.output).container.control
    expect_equal((control["n_time_calls"], control["n_memory_calls"]), (0, 0), "calls")


def case_payload_pointers(test):
    """What pointers of payloads point to, as their schemas say; within bounds."""
    run = test.record("payload", "pointers", compare=False)
    rows = Rows(run.output).of("MARK")
    three = struct.pack("<3i", 1, 2, 3)
    copied = [[data for _, data in row.references] for row in rows]
    texts = [[data for data in row if len(data) not in (32, 65536)] for row in copied]
    expect_equal(texts[0], [b"first\0", struct.pack("<i", 2), b"second\0", three], "a list")
    first, second = (row.payloads[0][1] for row in rows[:2])
    expect_equal(rows[0].references[0][0], struct.unpack_from("<Q", first)[0], "address of a text")
    nodes = [(a, d) for a, d in rows[0].references if len(d) == 32]
    expect_equal(nodes[0][0], struct.unpack_from("<Q", first, 24)[0], "address of the second")
    expect_equal(nodes[1], (struct.unpack_from("<Q", nodes[0][1], 24)[0], bytes(32)), "the third")
    expect_equal(len(rows[0].addresses), 1, "the payload's own address")
    expect_equal(copied[1], [b"a\0", rows[1].references[1][1], b"b\0"], "two that point to each other")
    expect_equal(struct.unpack_from("<Q", rows[1].references[1][1], 24)[0], rows[1].addresses[0],
                 "the other one points back")
    expect_equal(copied[2], [b"a\0"], "one that points to itself")
    expect_equal(copied[3], [b"large\0", bytes(65536)], "a large array is cut")
    expect_equal(copied[4], [b"large\0"], "an entry behind the payload's end")
    blob, outside = map(int, run.outcome.stdout.split())
    expect_equal(rows[5].addresses[1], blob, "address of the payload that is pointed to")
    expect_equal(rows[5].references, [(outside, struct.pack("<6h", *range(1, 7)))],
                 "what is no payload is copied, its length is a product")
    expect_equal(run.recording.info["n_lost_records"], 1, "lost: the rest of the large array")


def case_payload_unions(test):
    """Of a union the valid member is followed, and what offsets lead to; nothing is read behind what
    was declared: each payload, and what it points to, ends where memory ends."""
    run = test.record("payload", "unions", compare=False)
    expect_equal(run.outcome.status, 0, "exit status")
    copied = [[data for _, data in row.references] for row in rows_of(run).of("MARK")]
    last = b"last5"
    expect_equal(copied[:6], [
        [last], [b"text\0", last], [copied[2][0], b"abc", last], [last], [last],
        [struct.pack("<3i", 7, 8, 0), last]], "unions")
    expect_equal(len(copied[2][0]), 16, "a struct")
    expect_equal(copied[6:], [[b"xy", b"xy"], [], [], [], []], "offsets")


def rows_of_capture(path):
    """The pushes that are open when the capture begins, and what is in it."""
    rows, stack = Rows(path), []
    window = rows.container.control["window"][0]
    for row in rows:
        if row.ticks < window["begin_ticks"] and row.type == "PUSH":
            stack.append(row)
        elif row.ticks < window["begin_ticks"] and row.type == "POP_DOMAIN":
            stack.pop()
    rows[:] = stack + [r for r in rows if window["begin_ticks"] <= r.ticks <= window["end_ticks"]]
    return rows


def check_capture(path, i):
    """The i-th capture of the mode `focus`."""
    rows = rows_of_capture(path)
    small = (RAW + 1, struct.pack("<Qi12s", i, i, b"t"))
    payloads = [(schema if schema < RAW else min(schema, RAW + 1), data)
                for row in rows.of("PUSH") for schema, data in row.payloads]
    large = [(RAW, bytes(100000)), small, small]
    expect_equal(payloads, large if i == 1 else 3 * [small], f"capture {i}: pushes")
    expect_equal([r.words for r in rows.of("EXT")], [("INT64", 77, i)], f"capture {i}: samples")
    expect_equal([len(r.payloads) for r in rows.of("MARK")], [1], f"capture {i}: marks")
    behind = rows[rows.index(rows.of("MARK")[0]):]
    pop = next(r for r in behind if r.type == "POP_DOMAIN")
    expect_equal(pop.payloads[0][1], small[1], f"capture {i}: payload of the trigger's end")


def case_payload_focus(test):
    """Captures have the payloads of their events, of ranges that are open, and no others."""
    command = ("-c", "nvtx", "-p", "trigger@payloads")
    run = test.record("payload", "focus", compare=False, options=command)
    run.check_nothing_lost()
    check_capture(run.output, 0)
    run = test.record("payload", "focus", compare=False,
                      options=(*command, "--capture-range-end=repeat:3"))
    for i in range(3):
        check_capture(run.output.replace(".rf", f".{i + 1}.rf"), i)


def case_payload_signal_at_every_instruction(test):
    """A signal whose handler writes payloads and samples, at each of the first instructions of a mark
    with payloads and of a sample."""
    n_steps = 350
    rows = rows_of(record_steps(test, "payloads"))
    by_step = {1: [], 2: []}
    for row in sorted(rows.of("MARK"), key=lambda row: row.ticks):
        number = struct.unpack("<q", row.payloads[0][1])[0]
        fail_if(row.payloads[1][1].strip(b"\0") or len(row.payloads) != 2, f"payloads of {number}")
        by_step[number // 1000].append((number % 1000, len(row.payloads[1][1])))
    main = [(k, 70000 if k % 16 == 1 else 40) for k in range(n_steps)]
    expect_equal(by_step[1], [(0, 0)] + main, "marks between signals")
    handled = [(k, 400 * i) for k in range(n_steps) for i in range(4)]
    expect_equal(by_step[2], handled, "marks of the handler")
    samples = [[signed(r.words[2]) for r in sorted(rows.of("EXT"), key=lambda row: row.ticks)
                if r.words[1] == who] for who in (1, 2)]
    expect_equal(samples, [list(range(-1, n_steps)), list(range(n_steps))], "samples")


def case_payload_killed(test):
    """A process that is killed while it writes payloads leaves none that is half there."""
    for k in range(5):
        command = [test.rangefinder, "profile", "--quiet", "-o", f"killed{k}.rf", "-f", "true",
                   test.program("payload"), "killed"]
        process = subprocess.Popen(command, env=test.environment(), cwd=test.folder,
                                   stdout=subprocess.PIPE)
        process.stdout.readline()
        fail_if(not killed(process.pid), "the program was not found")
        process.wait()
        values = [r.payloads for r in Rows(test.path(f"killed{k}.rf")).of("MARK")]
        expected = [[(18, struct.pack("<Q", i) * 40)] for i in range(len(values))]
        fail_if(values != expected, f"payloads of {len(values)} marks")
        fail_if(len(values) < 1000, f"only {len(values)} marks")


def killed(parent):
    """Kills the child of a process."""
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        children = file.read().split()
    for pid in children:
        os.kill(int(pid), signal.SIGKILL)
    return bool(children)
