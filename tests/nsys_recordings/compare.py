#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py list: the names of the cases. compare.py --build DIR [--programs DIR] CASE: runs one.

Records a program whose recording by nsys we have (tests/data/nsys_recordings), exports it as SQLite, and
compares NVTX_EVENTS with nsys's, times and thread ids aside. Where we are meant to differ the case
names the reason: a function that changes what is expected, and says why. Exit status: 0 passed, 1
failed, 77 skipped."""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "nsys_recordings")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "record"))

import harness  # noqa: E402
import nsys_rows  # noqa: E402

CATEGORY, MARK, THREAD, PUSH_POP, START_END, CREATE, DESTROY = 33, 34, 39, 59, 60, 75, 76


# ---- Where we differ, and why ----


def one_row_per_domain(rows):
    """nsys writes a row for each call of nvtxDomainCreate; its own reports then count every range
    of the domain that many times. We write one per process and domain."""
    seen, result = set(), []
    for row in rows:
        key = (row["eventType"], row["domainId"], row.get("text"))
        if row["eventType"] != CREATE or key not in seen:
            result.append(row)
        seen.add(key)
    return result


def empty_text_is_text(rows):
    """nsys stores an empty message as NULL, as if there were none."""
    for row in rows:
        if row["eventType"] in nsys_rows.EVENTS and "text" not in row and "registered" not in row:
            row["text"] = ""
    return rows


def last_has_no_message(rows):
    """The mark without any message has none: it is not an empty one (see empty_text_is_text)."""
    found = [r for r in rows if r.get("text") == "" and r["eventType"] == MARK]
    del found[-1]["text"]
    return rows


def long_texts_are_kept(rows):
    """nsys drops a message of 65,400 bytes and more, and shows a registered one under another
    string's name. The program's own texts stand in for what nsys lost."""
    sizes = [255, 1023, 4095, 8191, 65535, 1 << 20]
    texts = [chr(ord("a") + i) * size for i, size in enumerate(sizes)]
    others = [r for r in rows if r.get("text", "").startswith("tab")]
    result = []
    for text in texts:
        result.append({"eventType": MARK, "domainId": 0, "thread": 0, "text": text})
        result.append({"eventType": MARK, "domainId": 0, "thread": 0, "registered": text})
    return result + others


def destroy_closes_ranges(rows):
    """nsys keeps the ranges of a destroyed domain open, to the end of the session if nobody ends
    them. We close them with the domain, as NVTX's documentation has it."""
    order = [r for r in rows if r["eventType"] in nsys_rows.EVENTS and r["thread"] == 0]
    for row in order:
        if row.get("text") == "E-open-se":
            row["endsAfter"] = order.index(row) + 1
        if row.get("text") == "E-open-push":  # the range above is inside it
            row["endsAfter"] = order.index(row) + 2
        if row.get("text") == "dom-open-at-destroy-se":
            row["endsAfter"] = order.index(row) + 1
    return rows


def a_domain_created_again_is_another(rows):
    """nsys takes a domain that is created after it was destroyed for the one of that name. To us
    it is another one, with names of its own."""
    creations = [i for i, r in enumerate(rows) if r["eventType"] == CREATE and r.get("text") == "D"]
    old, new = rows[creations[0]]["domainId"], 1 + max(r["domainId"] for r in rows)
    for row in rows[creations[-1]:]:
        row["domainId"] = new if row["domainId"] == old else row["domainId"]
    return rows


def forked_children_are_recorded(rows):
    """nsys records no child that was forked without exec, unless told to. We always do."""
    child = [
        {"eventType": MARK, "domainId": 0, "thread": 1, "text": "child-mark-before-exec"},
        {"eventType": PUSH_POP, "domainId": 0, "thread": 1, "text": "child-range", "endsAfter": 2},
    ]
    at = next(i for i, r in enumerate(rows) if r.get("text") == "parent-after-wait")
    before = [r for r in rows[:at] if r["thread"] == 0]
    executed = [dict(r, thread=2) for r in rows[:at] if r["thread"] == 1]
    return before + child + executed + rows[at:]


# ---- Captures ----


def events_of(rows):
    return [r for r in rows if r["eventType"] in nsys_rows.EVENTS]


def open_ranges_are_kept(*kept):
    """nsys forgets a range that was open when the capture began; we keep it, with its true start.
    kept: (row, how many events of the capture began before it ended; None: it was cut)."""

    def reason(rows):
        at = next(i for i, r in enumerate(rows) if r["eventType"] in nsys_rows.EVENTS)
        n_before, n = len(kept), len(events_of(rows))
        for row in events_of(rows):
            if "endsAfter" in row:
                row["endsAfter"] += n_before
        added = [
            dict(row, domainId=0, thread=0, endsAfter=n_before + (n if ends is None else ends))
            for row, ends in kept
        ]
        return rows[:at] + added + rows[at:]

    return reason


def open_before(closed_inside, ends=None):
    """What cap1 opens before its first trigger."""
    return open_ranges_are_kept(
        ({"eventType": PUSH_POP, "text": "open-before"}, ends),
        ({"eventType": START_END, "text": "se-open-before", "rangeId": 1}, ends),
        (
            {"eventType": START_END, "text": "se-open-before-closed-inside", "rangeId": 2},
            closed_inside,
        ),
    )


def open_across_captures(rows):
    """The second capture: what the first one left open, and what cap1 opened before it."""
    return open_ranges_are_kept(
        ({"eventType": PUSH_POP, "text": "open-before"}, None),
        ({"eventType": START_END, "text": "se-open-before", "rangeId": 1}, None),
        ({"eventType": START_END, "text": "opened-inside-closed-after", "rangeId": 2}, None),
    )(rows)


def the_last_process_ends_it(rows):
    """nsys ends the capture with the first process that closes its range; we with the last: what
    the first one does until then is in it."""
    rows += [
        {"eventType": MARK, "domainId": 0, "thread": 0, "text": "A-after"},
        {"eventType": MARK, "domainId": 0, "thread": 0, "text": "A-late"},
    ]
    return rows


CAPTURE = ["-c", "nvtx", "-p", "TRIG"]

CAPTURES = {
    # name: (program, arguments, options, {file: (rows, reasons)}, exit status)
    "capture-unregistered": (
        "cap1", "u p d 1", [*CAPTURE, "-e", "NSYS_NVTX_PROFILER_REGISTER_ONLY=0"],
        {"out.rf": ("cap_unreg", [open_before(3)])}, 4,
    ),
    "capture-push": ("cap1", "r p d 1", CAPTURE, {"out.rf": ("cap_reg_pp", [open_before(3)])}, 4),
    "capture-start-domain": (
        "cap1", "r s D 1", ["-c", "nvtx", "-p", "TRIG@Dom"],
        {"out.rf": ("cap_reg_se_dom", [open_before(3)])}, 4,
    ),
    "capture-end-none": (
        "cap1", "r p d 3", [*CAPTURE, "--capture-range-end=none"],
        {"out.rf": ("cap_end_none", [open_before(3, 15)])}, 4,
    ),
    "capture-repeat": (
        "cap1", "r p d 3", [*CAPTURE, "--capture-range-end=repeat"],
        {
            "out.1.rf": ("cap_end_repeat.1", [open_before(3)]),
            "out.2.rf": ("cap_end_repeat.2", [open_across_captures]),
        }, 4,
    ),
    "capture-nested-push": ("cap2", "0", CAPTURE, {"out.rf": ("cap2_0", [])}, 0),
    "capture-nested-start": ("cap2", "1", CAPTURE, {"out.rf": ("cap2_1", [])}, 0),
    "capture-two-threads": ("cap2", "2", CAPTURE, {"out.rf": ("cap2_2", [])}, 0),
    "capture-until-exit": ("cap2", "4", CAPTURE, {"out.rf": ("cap2_4", [])}, 0),
    "capture-child": ("cap2", "6", CAPTURE, {"out.rf": ("cap2_6", [])}, 0),
    "capture-processes": (
        "multi_proc_trig", "", CAPTURE,
        {"out.rf": ("multi_proc_trig", [the_last_process_ends_it])}, 0,
    ),
}


CASES = {
    # name: (program, arguments, rows, exit status, reasons to differ)
    "map1": ("map1", [], "map1", 0, [one_row_per_domain, empty_text_is_text, last_has_no_message]),
    "err1": ("err1", [], "err1", 0, [a_domain_created_again_is_another, one_row_per_domain,
                                destroy_closes_ranges]),
    "clock1": ("clock1", [], "clock1", 0, []),
    "dom1": ("dom1", [], "dom1", 0, []),
    "dupdom": ("dupdom", [], "dupdom", 0, [one_row_per_domain]),
    "long": ("long", [], "long", 0, [long_texts_are_kept]),
    "t1": ("t1", [], "t1", 7, []),
    "fork1-0": ("fork1", ["0"], "fork1_0_false", 3, [forked_children_are_recorded]),
    "fork1-1": ("fork1", ["1"], "fork1_1_true", 3, []),
    "payload-ext": ("payload_ext", [], "payload_ext", 0, []),
}


def export_rows(test, recording):
    database = test.path("out.sqlite")
    test.command("export", "-t", "sqlite", "-o", database, recording)
    return nsys_rows.read_rows(database), database


def record(test, programs, program, arguments, status, options=()):
    path = os.path.join(programs, program)
    if not os.path.exists(path):
        raise harness.Skip(f"{program} was not built: it needs headers that are not there")
    output = test.path("out.rf")
    done = test.run(
        [test.rangefinder, "profile", "--quiet", "-o", output, *options, path, *arguments],
        env={"RANGEFINDER_CLOCK": "monotonic"},  # reading it takes longer than its step: no two events at one time
    )
    harness.expect_equal(done.status, status, "exit status")
    return output, done


def compare(got, expected):
    for i, (ours, theirs) in enumerate(zip(got, expected)):
        if ours != theirs:
            raise harness.Failure(
                f"row {i}: {harness.shorten(ours)}\n     nsys: {harness.shorten(theirs)}"
            )
    if len(got) != len(expected):
        rest = (got if len(got) > len(expected) else expected)[min(len(got), len(expected)) :]
        raise harness.Failure(
            f"{len(got)} rows, expected {len(expected)}: {harness.shorten(rest)}"
        )


def run_rows(test, programs, name):
    program, arguments, rows_name, status, reasons = CASES[name]
    expected = nsys_rows.load_rows(os.path.join(DATA, rows_name + ".rows"))
    for reason in reasons:
        expected = reason(expected)
    output, done = record(test, programs, program, arguments, status)
    got, database = export_rows(test, output)
    compare(got, expected)
    return done, database


def run_capture(test, programs, name):
    program, arguments, options, files, status = CAPTURES[name]
    record(test, programs, program, arguments.split(), status, options)
    for file, (rows_name, reasons) in files.items():
        expected = nsys_rows.load_rows(os.path.join(DATA, rows_name + ".rows"))
        for reason in reasons:
            expected = reason(expected)
        got, database = export_rows(test, test.path(file))
        os.unlink(database)
        compare(got, expected)


# ---- Programs that nsys crashes on, or loses ----


def run_probe(test, programs, program, n_cases):
    """Each case annotates between the marks "before" and "after"."""
    for i in range(n_cases):
        output, _ = record(test, programs, program, [str(i)], 0, ["-f", "true"])
        got, _ = export_rows(test, output)
        os.unlink(test.path("out.sqlite"))
        texts = [r.get("text") for r in got if r["eventType"] == MARK]
        harness.fail_if(
            texts[:1] != ["before"] or texts[-1:] != ["after"], f"{program} {i}: marks {texts}"
        )


def run_null_probe(test, programs):
    run_probe(test, programs, "null_probe", 24)


def run_import_probe(test, programs):
    run_probe(test, programs, "import_probe", 17)


CRASH_STATUS = {0: 134, 1: 137, 2: 5, 3: 6, 4: 143, 5: 139, 7: 137, 8: 130, 9: 9, 10: 0, 11: 0}


def run_crash1(test, programs):
    """Ways to end at which nsys loses what it had: all is there."""
    for mode, status in CRASH_STATUS.items():
        output, _ = record(test, programs, "crash1", [str(mode)], status, ["-f", "true"])
        rec = test.dump(output)
        harness.fail_if(not rec.one("open-outer")["cut"], f"crash1 {mode}: the range is not cut")
        harness.fail_if(rec.one("closed")["cut"], f"crash1 {mode}: the closed range is cut")
        rec.one("m", harness.MARK)
        if mode == 7:
            harness.expect_equal(len(rec.named("burst")), 200000, "ranges of the burst")


def run_flush1(test, programs):
    """SIGKILL right after the last of 120 marks."""
    output, _ = record(test, programs, "flush1", [], 137)
    marks = [e["name"] for e in test.dump(output).events(harness.MARK)]
    harness.expect_equal(marks, [f"k{i}".encode() for i in range(120)], "marks")


def run_clock(test, programs):
    """Start plus utcEpochNs is CLOCK_REALTIME, as the program read it around its marks."""
    import sqlite3

    done, database = run_rows(test, programs, "clock1")
    connection = sqlite3.connect(database)
    (epoch,) = connection.execute(
        "select utcEpochNs from TARGET_INFO_SESSION_START_TIME"
    ).fetchone()
    starts = [
        r[0] for r in connection.execute("select start from NVTX_EVENTS where text = 'clk'")
    ]
    connection.close()
    lines = [dict(w.split("=") for w in line.split()[1:]) for line in done.stdout.decode().splitlines()]
    for start, line in zip(starts, lines):
        late = start + epoch - int(line["rt"])
        harness.fail_if(
            not -200000 <= late <= int(line["d"]) + 200000,
            f"a mark is {late} ns after the program's own clock, which took {line['d']} ns",
        )


EXTRA = {
    "null-probe": run_null_probe,
    "import-probe": run_import_probe,
    "crash1": run_crash1,
    "flush1": run_flush1,
    "clock": run_clock,
}


def report_rows(rows):
    """Total, instances, style and range. Older nsys names a range of the default domain without
    the colon of newer ones."""
    return sorted(
        (row[1], row[2], row[-2], row[-1].removeprefix(":")) for row in rows[1:] if len(row) > 3
    )


def run_nsys_stats(test, programs):
    """nsys's own report on our export says what ours says."""
    import csv
    import io
    import shutil

    if not shutil.which("nsys"):
        raise harness.Skip("nsys is not installed")
    output, _ = record(test, programs, "map1", [], 0)
    _, database = export_rows(test, output)
    for report in ("nvtx_sum", "nvtxsum"):
        done = test.run(["nsys", "stats", "-r", report, "-f", "csv", "-o", "-", database])
        text = done.stdout.decode()
        if "Total Time" in text:
            break
    harness.fail_if("Total Time" not in text, f"nsys stats prints no report: {text}")
    theirs = list(csv.reader(io.StringIO(text[text.index("Time (%)") :])))
    ours_text = test.command("stats", "-r", "nvtx_sum", "-f", "csv", output).stdout.decode()
    ours = list(csv.reader(io.StringIO(ours_text)))
    harness.expect_equal(report_rows(ours), report_rows(theirs), "rows of nvtx_sum")


EXTRA["nsys-stats"] = run_nsys_stats


def run(test, programs, name):
    if name in EXTRA:
        EXTRA[name](test, programs)
    elif name in CAPTURES:
        run_capture(test, programs, name)
    else:
        run_rows(test, programs, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--programs", help="folder of the programs, if they are not the build's")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("case")
    arguments = parser.parse_args()
    if arguments.case == "list":
        print("\n".join([*CASES, *CAPTURES, *EXTRA]))
        return 0
    programs = arguments.programs or os.path.join(arguments.build, "tests", "nsys_recordings")
    test = harness.Test(arguments.build)
    try:
        run(test, os.path.abspath(programs), arguments.case)
    except harness.Skip as skip:
        print(f"SKIP: {skip}")
        return 77
    except harness.Failure as failure:
        print(f"FAILED: {failure}")
        if arguments.keep:
            print(f"kept: {test.folder}")
        return 1
    finally:
        if not arguments.keep:
            test.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
