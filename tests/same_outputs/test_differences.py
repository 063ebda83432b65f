# SPDX-License-Identifier: Apache-2.0
"""test_differences.py BUILD: what is said of outputs that differ in a known way; and that the
golden recordings have the same outputs twice, and others when the exports are changed."""

import gzip
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import differences  # noqa: E402

# Ending, before, after, what is found, whether these are additions.
TEXTS = [
    ("csv", "a,b\n1,\n", "a,b\n1,\n", None, True),
    ("csv", "a,b\n1,\n", "a,c,b\n1,9,\n", {("added field", "[].c")}, True),
    ("csv", "a,b\n1,\n", "a,b\n1,2\n", {("filled", "[].b")}, True),
    ("csv", "a,b\n1,\n", "a,b\n2,\n", {("changed", "[].a")}, False),
    ("csv", "a,b\n1,\n", "b,a\n,1\n", {("order", "of the fields of []")}, False),
    ("csv", "Name,b\nx,1\ny,2\n", "Name,b\nx,1\nz,3\ny,2\n", {("added row", "[]")}, True),
    ("csv", "Name,b\nx,1\ny,2\n", "Name,b\ny,2\n", {("removed row", "[]")}, False),
    ("csv", "Name,b\nx,1\ny,2\n", "Name,b\ny,2\nx,1\nz,1\n",
     {("order", "of the rows of []"), ("added row", "[]")}, False),
    ("jsonl", '{"type":"k","x":null}\n', '{"type":"k","x":3,"y":[1]}\n',
     {("filled", "[k].x"), ("added field", "[k].y")}, True),
    ("jsonl", '{"type":"k","x":1}\n', '{"type":"k"}\n', {("removed field", "[k].x")}, False),
    ("json", '{"e":[{"cat":"c","args":{"a":1}}]}', '{"e":[{"cat":"c","args":{"a":1,"b":2}}]}',
     {("added field", ".e[c].args.b")}, True),
    ("json", '{"a":1}', '{"a":true}', {("changed", ".a")}, False),
    ("json", '{"a":1}', '{"a": 1}', {("bytes", "of the file, from byte 5")}, False),
    ("json", '{"a":1}', '{"a":', None, False),
    ("txt", "a  b\n", "a b c\n", {("added words", " line")}, True),
    ("txt", "a b\n", "a c\n", {("changed", " line")}, False),
    ("txt", "a\nb\n", "a\n", {("removed row", " line")}, False),
    ("txt", "of 1.2.3", "of 1.2.4", {("changed", " line")}, False),
    ("json", '{"clock_hz":999999999.9999999}', '{"clock_hz":1000000000}', None, True),
    ("json", '{"clock_hz":999990000}', '{"clock_hz":1000000000}', {("changed", ".clock_hz")}, False),
    ("rf", "abc", "abd", {("bytes", "of the file, from byte 2")}, False),
]
STRINGS = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
BEFORE = STRINGS + """INSERT INTO StringIds VALUES(1, 'x'), (2, 'y');
    CREATE TABLE T(start INTEGER, nameId INTEGER, gridId INTEGER);
    INSERT INTO T VALUES(10, 1, NULL), (20, 2, NULL);"""
DATABASES = [
    (BEFORE.replace("gridId INTEGER", "gridId INTEGER, more INTEGER").replace("NULL)", "NULL, 5)"),
     {("added field", "T.more")}, True),
    (BEFORE.replace("NULL)", "7)"), {("filled", "T[].gridId")}, True),
    (BEFORE.replace("(2, 'y')", "(2, 'new'), (3, 'y')").replace("(20, 2", "(20, 3"),
     {("added row", "StringIds line"), ("renumbered", "StringIds")}, True),
    (BEFORE.replace("(20, 2", "(20, 1"), {("changed", "T[].nameId")}, False),
    (BEFORE.replace(", (20, 2, NULL)", ""), {("removed row", "T[]")}, False),
    (BEFORE.replace("start INTEGER", "start REAL"), None, False),
    (BEFORE + "CREATE TABLE U(a);", {("added table", "U")}, True),
    (STRINGS, None, False),
]


def check(old, new, found, is_addition):
    difference = differences.compare(old, new)
    about = f"{old.read_bytes()[:60]} and {new.read_bytes()[:60]}"
    if difference is None:
        assert found is None and is_addition, f"no difference between {about}"
        return
    if found is not None:
        assert set(difference.found) == found, f"{about}: {dict(difference.found)}"
    assert difference.is_addition() == is_addition, f"{about}: {dict(difference.found)}"
    assert (difference.first_change is None) == is_addition and difference.first, about


def check_texts(folder):
    for ending, before, after, found, is_addition in TEXTS:
        old, new = folder / f"old.{ending}", folder / f"new.{ending}"
        old.write_text(before)
        new.write_text(after)
        check(old, new, found, is_addition)
        packed = [path.with_name(f"{path.name}.gz") for path in (old, new)]
        for path, text in zip(packed, (before, after)):
            path.write_bytes(gzip.compress(text.encode()))
        check(*packed, found, is_addition)
    assert differences.compare(folder / "old.txt", folder / "old.txt") is None
    (folder / "old.txt").write_text("of 1.2.3")
    (folder / "new.txt").write_text("of 1.2.4")
    versions = ("1.2.3", "1.2.4")
    assert differences.compare(folder / "old.txt", folder / "new.txt", versions) is None


def check_databases(folder):
    for after, found, is_addition in DATABASES:
        for name, sql in (("old", BEFORE), ("new", after)):
            path = folder / f"{name}.sqlite"
            path.unlink(missing_ok=True)
            database = sqlite3.connect(path)
            database.executescript(sql)
            database.close()
        check(folder / "old.sqlite", folder / "new.sqlite", found, is_addition)
    for name, hertz in (("old", 999999999.9999999), ("new", 1e9)):
        (folder / f"{name}.sqlite").unlink()
        database = sqlite3.connect(folder / f"{name}.sqlite")
        database.executescript("CREATE TABLE RANGEFINDER_INFO(name TEXT, value);"
                               f"INSERT INTO RANGEFINDER_INFO VALUES('clockHz', {hertz!r})")
        database.close()
    check(folder / "old.sqlite", folder / "new.sqlite", None, True)


def check_traces(build, folder):
    """A trace of some ranges against one of all of them; and one with all kinds of GPU work."""
    golden = HERE.parent / "golden" / "v1.6.rf"
    work = folder / "work.rf"
    shutil.copy(HERE.parent / "fuzz" / "corpus_rf" / "seed-everything", work)
    for name, source, options in (("less", golden, ["--filter-name=outer"]), ("more", golden, []),
                                  ("work", work, ["--gpu-events"])):
        subprocess.run([build / "bin" / "rangefinder", "export", "-q", "-t", "perfetto", *options,
                        "-o", folder / f"{name}.pftrace", source], check=True, capture_output=True)
    there = differences.compare(folder / "less.pftrace", folder / "more.pftrace")
    back = differences.compare(folder / "more.pftrace", folder / "less.pftrace")
    assert there.found["added row", "[nvtx]"] > 5, dict(there.found)
    assert back.found["removed row", "[nvtx]"] > 5 and not back.is_addition(), dict(back.found)
    packets = differences.packets((folder / "work.pftrace").read_bytes())
    launches = [packet["launch"]["args"] for packet in packets if "launch" in packet]
    assert launches and all(isinstance(key, str) for args in launches for key in args), launches


def run(build, other, keep, status):
    done = subprocess.run([sys.executable, HERE / "run.py", build, other, "--only", "kept-v1.3",
                           "--keep", keep, "--left", keep / "left"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout.splitlines()[-1]


def check_runs(build, folder):
    """Of one golden recording, put where a run would have made more."""
    keep = folder / "keep"
    for name in ("whole", "short"):
        (keep / "recordings" / name).mkdir(parents=True)
    shutil.copy(sorted((HERE.parent / "golden").glob("*.rf"))[-1],
                keep / "recordings" / "whole" / "kept-v1.3.rf")
    last = run(build, build, keep, 0)
    assert last.startswith("1 recordings, ") and " 0 with additions only, 0 different" in last, last
    output = keep / "old" / "kept-v1.3.rf" / "jsonl.jsonl"
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    del rows[-1][list(rows[-1])[-1]]
    (keep / "old.complete").write_text(f"{build} {(build / 'bin/rangefinder').stat().st_mtime_ns}\n")
    output.write_text("".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n"
                              for row in rows))
    last = run(build, build, keep, 0)
    assert last.endswith(" 1 with additions only, 0 different"), last
    output.write_text(output.read_text().replace('"type"', '"kind"', 1))
    assert run(build, build, keep, 1).endswith(" 1 different")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_texts(folder)
        check_databases(folder)
        check_traces(build, folder)
        check_runs(build, folder)


if __name__ == "__main__":
    main()
