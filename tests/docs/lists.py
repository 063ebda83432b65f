#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lists.py [--write] LIST_REGISTRIES SOURCE: the lists of reports and of export formats in the
documents are those of the program. A list stands between lines that hold "begin LIST" and
"end LIST", in comments of the document's own; --write makes it."""

import collections
import pathlib
import re
import subprocess
import sys

Report = collections.namedtuple("Report", "name description alias shown")
SHOWN = {"0": "", "1": "yes", "2": "csv, tsv, json", "3": "all other forms"}
Format = collections.namedtuple("Format", "name description extensions is_text")


def read_registries(program):
    reports, formats, columns, rules, refusals = [], [], {}, [], []
    text = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode()
    for line in text.splitlines():
        kind, name, description, third, flag = line.split("\t")
        if kind == "report":
            reports.append(Report(name, description, third, SHOWN[flag]))
        elif kind == "column":
            columns.setdefault(name, []).append((description, third))
        elif kind == "refusal":
            refusals.append((", ".join(f"`{word}`" for word in (name, third) if word), description))
        elif kind == "rule":
            rules.append((f"`{name}`", description))
        else:
            formats.append(Format(name, description, third, flag == "1"))
    if len(reports) < 10 or len(formats) < 5:
        raise SystemExit(f"{program} lists {len(reports)} reports and {len(formats)} formats")
    return reports, formats, columns, rules, refusals


def capital(text):
    return text[0].upper() + text[1:]


def man(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def man_formats(formats):
    lines = []
    for form in formats:
        endings = ", ".join(form.extensions.split())
        lines += [".TP", f"\\fB{form.name}\\fR", man(f"{capital(form.description)} ({endings}).")]
    return lines


def table(head, rows):
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head)] + [f"| {' | '.join(row)} |"
                                                                    for row in rows]


def page_reports(reports):
    return table(["report", "older name", "without `-r`", "holds"],
                 [[f"`{r.name}`", f"`{r.alias}`" if r.alias else "", r.shown, r.description] for r in reports])


def page_columns(columns):
    """A table for each set of columns, under the names of the reports that have it."""
    reports = {}
    for name, rows in columns.items():
        reports.setdefault(tuple(rows), []).append(f"`{name}`")
    lines = []
    for rows, names in reports.items():
        lines += ["", f"### {', '.join(names)}", "", *table(["column", "meaning"], rows)]
    return [*lines[1:], ""]


def page_formats(formats):
    return table(["format", "files", "holds"],
                 [[f"`{f.name}`", ", ".join(f"`{e}`" + (f", `{e}.gz`" if f.is_text else "")
                                            for e in f.extensions.split()), f.description]
                  for f in formats])


def replace(text, name, lines, path):
    """The text with these lines between the markers of a list."""
    pattern = re.compile(rf"^(?P<begin>.*\bbegin {name}\b.*)\n(?P<old>(?:.*\n)*?)"
                         rf"(?P<end>.*\bend {name}\b.*)$", re.M)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"{path}: the list '{name}' has no place of its own")
    return pattern.sub(lambda m: "\n".join([m["begin"], *lines, m["end"]]), text)


def main():
    is_writing = sys.argv[1] == "--write"
    program, source = sys.argv[-2:]
    reports, formats, columns, rules, refusals = read_registries(program)
    places = [("docs/stats.md", "reports", page_reports(reports)),
              ("docs/stats.md", "columns", page_columns(columns)),
              ("docs/nsys-users.md", "refusals", table(["report of nsys", "why it is not there"], refusals)),
              ("docs/analysis.md", "rules", table(["finding", "said where"], rules)),
              ("docs/exports.md", "formats", page_formats(formats)),
              ("docs/man/rangefinder-export.1", "formats", man_formats(formats))]
    failed = 0
    for name, what, lines in places:
        path = pathlib.Path(source, name)
        text = path.read_text(encoding="utf-8")
        wanted = replace(text, what, lines, name)
        if text != wanted and is_writing:
            path.write_text(wanted, encoding="utf-8")
        elif text != wanted:
            print(f"{name}: the list of {what} is not the program's: lists.py --write makes it")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
