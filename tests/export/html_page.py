#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""html_page.py RANGEFINDER EXPORTS: `export -t html`. The page has what the tables have; no name becomes
markup; nothing is loaded; it stays small; and of several recordings it has the sums."""

import gzip
import html.parser
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", '"><b onclick=x>',
           "it's & <!-- ]]>", "\x1b[31mred\x07", "\u202egnitrats", "a\nb\tc", "back\\slash", "\u2028",
           "javascript:alert(3)", "ü" * 400, ""]


class Page(html.parser.HTMLParser):
    """Its elements, attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.scripts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        (self.scripts if self.tags[-1:] == ["script"] else self.texts).append(data)

    @property
    def paths(self):
        return json.loads(self.scripts[0])


def database(path, rows):
    """rows: (start, end, text) of one thread, as nsys exports them."""
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
    db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, 0)",
                   [(*row, 1 << 48 | 70 << 24 | 71) for row in rows])
    db.commit()
    db.close()
    return path


class Program:
    def __init__(self, rangefinder):
        self.rangefinder = rangefinder

    def run(self, *args, status=0):
        done = subprocess.run([self.rangefinder, *map(str, args)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        assert done.returncode == status, (args, done.stderr)
        return done.stdout.decode()

    def page(self, *inputs, out=None):
        text = self.run("export", "-q", "-t", "html", "-o", out or "-", *inputs)
        return text if out is None else pathlib.Path(out).read_text(encoding="utf-8")

    def tree(self, *inputs):
        """(Range, Instances, Total Time, Self) of each row."""
        rows = json.loads(self.run("stats", "-q", "-r", "nvtx_tree", "--fold-numbers", "-f", "json",
                                   *inputs))
        return [(row["Range"].lstrip(), row["Instances"], row["Total Time (ns)"], row["Self (ns)"],
                 row["Max (ns)"]) for row in rows]


def check_safe(text, n_scripts=2):
    page = Page(text)
    assert page.tags.count("script") == n_scripts, page.tags
    for tag in ("img", "b", "iframe", "object", "a"):
        assert tag == "b" or tag not in page.tags, tag
    names = [name for name, _ in page.attributes]
    assert not [name for name in names if name.startswith("on")], names
    for name, value in page.attributes:
        assert name not in ("src", "action", "srcdoc"), (name, value)
        assert name != "href" or value == "data:,", value
    assert "http://" not in text and "https://" not in text
    assert "default-src 'none'" in text
    for bad in ("\x1b", "\x07", "\u202e", "\u2028"):
        assert bad not in text, repr(bad)
    return page


def check_hostile(program, folder):
    rows = [(1000, 100000, "outer")]
    rows += [(2000 + 1000 * i, 2500 + 1000 * i, name) for i, name in enumerate(HOSTILE)]
    path = database(folder / "<b>hostile.sqlite", rows)
    page = check_safe(program.page(path))
    names = [row[1] for row in page.paths]
    assert "</script><script>alert(#)</script>" in names, names
    assert any("\\x1b[#mred\\x07" in name for name in names), names
    assert "<b>hostile.sqlite" in "".join(page.texts)
    assert len(names) == len(HOSTILE) + 1


def check_same_as_tables(program, folder, exports):
    for name in ("a_1proc_text", "c_real_h100_2gpu", "d_4proc_same_device"):
        path = folder / f"{name}.sqlite"
        path.write_bytes(gzip.decompress((exports / f"{name}.sqlite.gz").read_bytes()))
        page = check_safe(program.page(path))
        shown = [(row[1], row[2], row[3], row[4], row[5]) for row in page.paths]
        tree = program.tree(path)
        assert [row[1:] for row in shown] == [row[1:] for row in tree], name
        for mine, theirs in zip(shown, tree):
            assert theirs[0].endswith(mine[0][-20:]), (mine, theirs)
        for i, row in enumerate(page.paths):
            assert row[0] < i
    text = program.page(folder / "c_real_h100_2gpu.sqlite")
    for section in ("findings", "overview", "steps", "tree", "self_time", "breakdown",
                    "cuda_gpu_kern_sum", "cuda_api_sum"):
        assert f'<section id="{section}">' in text, section
    assert "GPU 1" in text and "exposed" in text


def check_several(program, folder):
    one = database(folder / "one.sqlite", [(10 * i, 10 * i + 7, f"step {i}") for i in range(100)])
    two = database(folder / "two.sqlite", [(20 * i, 20 * i + 9, f"step {i}") for i in range(50)])
    page = check_safe(program.page(one, two))
    assert [row[1:4] for row in page.paths] == [["step #", 150, 700 + 450]], page.paths
    texts = "".join(page.texts)
    assert str(one) in texts and str(two) in texts and "2 recordings" in texts


def rank(path, number, n_steps, work):
    """A rank that works, and then waits for the last one in MPI_Barrier. work: of each rank in each step."""
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
    db.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs)")
    db.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(?)", (1_700_000_000_000_000_000 + number,))
    thread, start, rows = 1 << 48 | (number + 1) << 24 | 71, 0, [(0, None, 75, "MPI", 1)]
    for of in work[:n_steps]:
        end = start + max(of) + 10
        rows += [(start, end, 59, "step", 0), (start + of[number], end, 59, "MPI_Barrier", 1)]
        start = end
    db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, ?, ?, ?, ?)", [(*row[:4], thread, row[4]) for row in rows])
    db.commit()
    db.close()
    return path


def check_ranks(program, folder, n_ranks=100, most_bytes=600_000):
    """A job has maps of its ranks, and names the slow one."""
    rng, slow = random.Random(1), n_ranks // 2
    work = [[rng.randrange(9_000, 10_000) + 2_000 * (i == slow) for i in range(n_ranks)] for _ in range(60)]
    job = folder / "job"
    job.mkdir()
    paths = [rank(job / f"rank{i:04}.sqlite", i, 60, work) for i in range(n_ranks)]
    text = program.page("--rank-from=order", job)
    check_safe(text)
    assert len(text.encode()) < most_bytes, len(text)
    assert f"the other ranks wait for rank {slow}" in text and text.count('<svg class="heat"') == 2
    for section in ("ranks", "stragglers", "balance", "rank_summary"):
        assert f'<section id="{section}">' in text, section
    assert f"from rank 0 at the top to rank {n_ranks - 1}" in text
    one = program.page("--rank-from=order", paths[0])
    assert '<section id="ranks">' not in one


def check_small(program, folder):
    rows = []
    for i in range(100000):  # as many names, with letters, so that numbers do not fold them
        name = "".join(chr(ord("a") + int(digit)) for digit in str(i))
        rows.append((100 * i, 100 * i + 50, name))
    path = database(folder / "names.sqlite", rows)
    text = program.page(path)
    assert len(text.encode()) < 1_000_000, len(text)
    assert len(check_safe(text).paths) <= 1001


def check_long_names(program, folder):
    path = database(folder / "long.sqlite", [(100 * i, 100 * i + 50, f"{'x' * 50000} {'ü' * i} a")
                                             for i in range(1, 60)])
    text = program.page(path)
    assert len(text.encode()) < 1_000_000, len(text)
    check_safe(text)


def check_edges(program, folder):
    empty = database(folder / "empty.sqlite", [])
    assert "there are no annotations" in "".join(check_safe(program.page(empty), 1).texts)
    single = database(folder / "single.sqlite", [(5, 5, "nothing")])
    for text in (program.page(empty), program.page(single)):
        assert "nan" not in text.lower().replace("nano", "").replace("name", ""), "a NaN"
        assert "inf" not in Page(text).texts
    out = folder / "run.html"
    program.page(single, out=out)
    program.run("export", "-q", "-t", "html", "-o", out, single, status=1)
    program.run("export", "-q", "-f", "-o", folder / "run.html.gz", single)
    assert gzip.decompress((folder / "run.html.gz").read_bytes()).decode() == program.page(single)


def main():
    program, exports = Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_hostile(program, folder)
        check_same_as_tables(program, folder, exports)
        check_several(program, folder)
        check_ranks(program, folder)
        check_small(program, folder)
        check_edges(program, folder)
        check_long_names(program, folder)


if __name__ == "__main__":
    main()
