#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table_forms.py RANGEFINDER RECORDING... : every report in every form says the same as its JSON,
whatever the names; units, titles and outputs are what was asked for. A RECORDING may be gzipped."""
import csv
import gzip
import html.parser
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal

NAMES = ["plain", "a|b\\|c", "tab\there", "line\nend\r", 'quo"te\'s', "<script>alert(1)</script>", "&amp; &", "\x1b[31m\x07\x7f",
         "=1+1", "@x", "-minus", "+plus", "\\n is no line end", "`code` *bold* _x_ [a](b) ~~", "", "None", "nan", "  spaces  ",
         "\u202eturned", "日本語", "a,b", "| --- |", "1,000", "trailing\\"]
FORMS = ["column", "table", "csv", "tsv", "json", "hdoc", "htable", "markdown"]
SHORT = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "\\": "\\", "e": "\x1b"}


def run(*command, status=0, cwd=None):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd)
    assert result.returncode == status, (command, result)
    return result.stdout.decode()


def make(path, names):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, ?, ?, 281474976776193, 7)",
                       [(10**9 * i, 10**9 * i + 123456789 + i, 59 + i % 2, name)
                        for i, name in enumerate(names * 2)])


def plain(text):
    """What was written as a line without control characters."""
    def one(match):
        code = match[1]
        return chr(int(code[1:], 16)) if code[0] in "xu" else SHORT[code]
    return re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)", one, text)


class Table(html.parser.HTMLParser):
    """The cells of the tables of a page, and its tags."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.rows, self.tags, self.is_cell = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_cell = True

    def handle_endtag(self, tag):
        self.is_cell = self.is_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.is_cell:
            self.rows[-1][-1] += data


def of_html(text):
    table = Table(text)
    allowed = {"html", "head", "meta", "title", "style", "body", "h1", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(table.tags) <= allowed, table.tags
    assert table.tags.count("table") == 1
    return [[plain(cell) for cell in row] for row in table.rows]


def of_markdown(text):
    lines = [line for line in text.split("\n") if line.startswith("|")]
    rows = []
    for line in lines:
        cells = re.findall(r"\| ((?:\\.|[^\\|])*) (?=\|)", line) if not line.startswith("|---") else []
        rows.append([plain(re.sub(r"\\(.)", r"\1", cell)) for cell in cells])
    assert not rows[1] and re.fullmatch(r"\|(---:?\|)+", lines[1]), lines[1]
    return rows[:1] + rows[2:]


def of_tsv(text):
    assert not re.search(r"[^\t\n -~\x80-\U0010ffff]", text)
    rows = [line.split("\t") for line in text.split("\n")[:-1]]
    return [[plain(cell) for cell in row] for row in rows]


def of_csv(text):
    return list(csv.reader(io.StringIO(text, newline="")))


READERS = {"csv": (of_csv, "csv", "--raw"), "tsv": (of_tsv, "tsv", "--raw"), "hdoc": (of_html, "hdoc:nofmt"),
           "htable": (of_html, "htable:nofmt"), "markdown": (of_markdown, "markdown:nofmt")}


def expected(rows):
    """Rows of JSON, numbers as they were written."""
    return [["None" if value is None else value for value in row.values()] for row in rows]


def check_console(text, n_rows, n_columns):
    assert not re.search(r"[^\n -~\x80-\U0010ffff]", text)
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    if lines:
        assert len(lines) == n_rows + 1, text
        assert all(line.endswith(" |") and line.count(" | ") >= n_columns - 1 for line in lines)


def meanings(program):
    found, report, title = {}, None, None
    for line in run(program, "stats", "--explain", "ALL").split("\n"):
        if line and line[0] != " ":
            report = line.split(":")[0]
        elif line.startswith("  ") and line[2] != " ":
            title = line[2:26].rstrip() if line[25:26] in ("", " ") else line[2:]
            found[report, title] = line[2:].removeprefix(title).strip()
        elif line:
            found[report, title] += " " + line.strip()
    return found


def check_report(program, recording, report, explained):
    stats = [program, "stats", "-q", "--allow-empty", "-r", report]
    text = run(*stats, "-f", "json", recording)
    rows = json.loads(text, parse_float=str, parse_int=str, parse_constant=lambda name: 1 / 0)
    header = of_csv(run(*stats, "-f", "csv", recording))[0]
    if report == "pace":  # a column for each thread
        explained = {**explained, **{(report, title): "None: " for title in header[header.index("Name") + 1:]}}
    for row in rows:
        row.pop("Approximate", None)  # what is no column: medians of histograms
        assert list(row) == header
        for title, value in row.items():
            assert value is not None or "None: " in explained[report, title], (report, title)
    for title in header:
        assert (report, title) in explained, (report, title)
    for name, (reader, form, *more) in READERS.items():
        got = reader(run(*stats, "-f", form, *more, recording))
        trimmed = [[cell.strip(" ") for cell in row] for row in [header, *expected(rows)]]
        assert [[c.strip(" ") for c in row] for row in got] == trimmed, (report, name, got, trimmed)
        if name in ("csv", "tsv"):
            assert reader(run(*stats, "-f", form + ":nohdr", *more, recording)) == got[1:]
    for form in ("column", "table"):
        check_console(run(*stats, "-f", form, recording), len(rows), len(header) - ("Names" in header))
    return len(rows)


def check_units(program, recording, report):
    stats = [program, "stats", "-q", "--allow-empty", "-r", report, "-f"]
    base = of_csv(run(*stats, "csv", recording))
    for unit, name, digits in (("us", "usec", 3), ("ms", "mil", 6), ("s", "se", 9)):
        got = of_csv(run(*stats, "csv", "--timeunit", name, recording))
        assert got[0] == [title.replace("(ns)", f"({unit})") for title in base[0]]
        for row, old in zip(got[1:], base[1:], strict=True):
            for title, value, before in zip(base[0], row, old, strict=True):
                if "(ns)" in title and before != "None":
                    assert Decimal(value) == Decimal(before).scaleb(-digits), (title, value, before)
                else:
                    assert value == before
        assert json.loads(run(*stats, f"json:time={unit}", recording), parse_float=str) is not None
    own = of_csv(run(*stats, "csv:dur=us", "--timeunit=ms", recording))[0]
    assert not any("(ns)" in title for title in own)
    if report == "nvtx_pushpop_trace":
        assert own[:3] == ["Start (ms)", "End (ms)", "Duration (us)"]


QUANTILES = ["0", "33.3", "50", "90", "99.9", "100"]


def check_quantiles(program, recording, report):
    """Beside each median; of the durations that a trace lists they are those of the definition."""
    def read(*more):
        text = run(program, "stats", "-q", "--allow-empty", "-r", report, "-f", "json", *more, recording)
        return json.loads(text, parse_float=Decimal)
    rows, old = read("--quantiles", ",".join(QUANTILES)), read()
    assert [{k: v for k, v in row.items() if k in old[i]} for i, row in enumerate(rows)] == old
    medians = [title for title in (old or [{}])[0] if re.search(r"(^|[A-Z ])Med\b", title)]
    for median in medians:
        names = [median.replace("Med", "p" + q) for q in QUANTILES]
        for row in rows:
            titles = list(row)
            assert titles.index(names[0]) > titles.index(median)
            values = [row[name] for name in names]
            if row[median] is None:
                assert values == [None] * len(values)
                continue
            low, high = row.get(median.replace("Med", "Min"), values[0]), row[median.replace("Med", "Max")]
            assert values == sorted(values) and values[0] == low and values[-1] == high, row
            assert values[2] <= row[median] + Decimal("0.1") and row[median] <= values[3] + Decimal("0.1"), row
    assert all(len(row) == len(old[0]) + len(medians) * len(QUANTILES) for row in rows)
    return len(medians)


def check_exact_quantiles(program, recording):
    stats = [program, "stats", "-q", "--allow-empty", "-f", "json", recording, "-r"]
    durations = {}
    for row in json.loads(run(*stats, "nvtx_pushpop_trace")):
        durations.setdefault(row["Name"], []).append(row["Duration (ns)"])
    rows = json.loads(run(*stats, "nvtx_pushpop_sum", "--quantiles=" + ",".join(QUANTILES)))
    assert len(rows) == len(durations)
    for row in rows:
        values = sorted(durations[row["Range"]])
        for q in QUANTILES:
            exceeding = [v for v in values if sum(w <= v for w in values) * 1000 >= Decimal(q) * 10 * len(values)]
            assert row[f"p{q} (ns)"] == exceeding[0], (row, q)
    joined = run(*stats, "nvtx_sum", "--quantiles=99.90,5", recording.parent / "empty.sqlite")
    assert {"p99.9 (ns)", "p5 (ns)", "Input"} <= set(json.loads(joined)[0])
    for wrong in ("x", "", "101", "-1", "50,50.0", "1e1", "50,", ",".join(map(str, range(17)))):
        run(*stats, "nvtx_sum", "--quantiles", wrong, status=2)


def check_safety(program, recording):
    """What a spreadsheet would run has an apostrophe before it, unless --raw."""
    for form in ("csv", "tsv"):
        stats = [program, "stats", "-q", "--allow-empty", "-r", "nvtx_sum", "-f", form]
        seen = {row[-1] for row in {"csv": of_csv, "tsv": of_tsv}[form](run(*stats, recording))}
        assert {"'=1+1", "'@x", "'-minus", "'+plus"} <= seen, seen
        assert not {"=1+1", "@x", "-minus", "+plus"} & seen


def check_columns(program, recording):
    """Widths, and columns that are left out."""
    text = run(program, "stats", "-q", "--allow-empty", "-r", "nvtx_sum", "-f", "column:nohdr:0:0:.:0:0:0:0:0:.:3", recording)
    lines = text.split("\n")
    assert " 2  PushPop   pl\u2026" in lines and " 2  StartEnd  a|\u2026" in lines, text
    grouped = run(program, "stats", "-q", "--allow-empty", "-r", "nvtx_pushpop_trace", recording)
    assert "2,000,000,000" in grouped and "2000000000" not in grouped
    first = run(program, "stats", "-q", "--allow-empty", "-r", "nvtx_sum", "-f", "column:nofmt", recording)
    assert "," not in first.split("\n")[4].split("Push")[0].split("Start")[0]


def check_outputs(program, recording, folder):
    def files():
        return sorted(path.name for path in folder.iterdir())
    before = files()
    reports = "nvtx_sum,nvtx_pushpop_sum,nvtx_startend_sum"
    stats = [program, "stats", "-q", "--allow-empty", "-r", reports, recording.name]
    text = run(*stats, "--format", "csv,column", "--output", ".,-", cwd=folder)
    name = next(n for n in files() if n.endswith("nvtx_sum.csv"))
    assert files() == sorted([*before, name])
    assert text.count(" ** ") == 2 and "(nvtx_startend_sum)" in text and "(nvtx_sum)" not in text
    run(*stats, "--format", "csv,column", "--output", ".,-", cwd=folder, status=1)
    run(*stats, "-f", "tsv", "-f", "json", "-o", "other", "-o", "last", cwd=folder)
    made = ["last_nvtx_pushpop_sum.json", "last_nvtx_startend_sum.json", name, "other_nvtx_sum.tsv"]
    assert files() == sorted([*before, *made]), files()
    text = run(*stats, "-f", "csv:nohdr", "-o", "@wc -l,@head -c 1 >/dev/null,@cat", cwd=folder)
    lines = text.split("\n")
    n_rows = len(of_csv(run(program, "stats", "-q", "--allow-empty", "-r", "nvtx_sum", "-f", "csv:nohdr", recording)))
    assert int(lines[0]) >= n_rows and len(lines) > 10
    run(*stats, "-o", "@cat >/dev/null; exit 3", cwd=folder, status=1)
    run(*stats, "-o", "@kill -9 $$", cwd=folder, status=1)
    assert run(program, "stats", "-q", "--allow-empty", "-r", "nvtx_sum", "-f", "csv", "-o", r"@tr \, +", recording) != ""
    run(*stats, "-o", "one.csv", cwd=folder, status=2)
    run(*stats, "-f", "csv,", cwd=folder, status=2)
    run(*stats, "-f", "csv:esc", cwd=folder, status=2)
    run(*stats, "--timeunit", "m", cwd=folder, status=2)
    run(*stats, "--timeunit", "hours", cwd=folder, status=2)
    run(*stats, "--sqlite", "x.sqlite", cwd=folder, status=2)
    run(*stats, "--report-dir", ".", cwd=folder, status=2)
    run(*stats, "-r", "nvtx_kern_sum", "--group-by", "payload.none", "-o", "failed", cwd=folder, status=1)
    assert files() == sorted([*before, *made]), files()
    assert all(f"  {form}" in run(program, "stats", "--help-formats") for form in FORMS)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    reports = [line[2:].split()[0] for line in
               run(program, "stats", "-h").split("\nreports:\n")[1].split("\n") if line]
    explained = meanings(program)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recordings = [folder / "hostile.sqlite", folder / "empty.sqlite"]
        make(recordings[0], NAMES)
        make(recordings[1], [])
        for i, path in enumerate(map(pathlib.Path, sys.argv[2:])):
            recordings.append(path)
            if path.suffix == ".gz":
                recordings[-1] = folder / f"{i}.sqlite"
                recordings[-1].write_bytes(gzip.decompress(path.read_bytes()))
        n_rows = dict.fromkeys(reports, 0)
        for recording in recordings:
            for report in reports:
                n = check_report(program, recording, report, explained)
                n_rows[report] += n
                assert n == 0 or recording != recordings[1]
        for report in reports:
            check_units(program, recordings[2], report)
            n_medians = sum(check_quantiles(program, recording, report) for recording in recordings[2:])
            has_median = any(r == report and re.search(r"(^|[A-Z ])Med\b", title) for r, title in explained)
            assert (n_medians > 0) == has_median or n_rows[report] == 0, report
        check_units(program, recordings[0], "nvtx_pushpop_trace")
        check_exact_quantiles(program, recordings[0])
        check_safety(program, recordings[0])
        check_columns(program, recordings[0])
        check_outputs(program, recordings[0], folder)
    print(f"{len(reports)} reports in {len(FORMS)} forms;",
          "without rows here:", ", ".join(r for r, n in n_rows.items() if n == 0) or "none")


if __name__ == "__main__":
    main()
