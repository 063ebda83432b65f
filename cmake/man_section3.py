#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes section 3 of the manual from the comments of the public headers.

usage: man_section3.py VERSION OUTPUT_FOLDER HEADER...

A block of a header is a comment and the declarations that follow it without an empty line. A block
that declares functions becomes a page under the name of its first function; the other names refer to
it. The page shows the structs and enums that the functions take and return. A header's first comment
becomes an overview.
"""

import os
import re
import sys

OVERVIEWS = {
    "rangefinder.h": ("rangefinder", "read recordings of annotated programs"),
    "summary.h": ("rf_summaries", "sum up recordings"),
    "why.h": ("rf_whys", "find what made instances of a range slow"),
    "advise.h": ("rf_advices", "find what would make a program faster"),
    "clocks.h": ("rf_align", "put several recordings on one timeline"),
    "compare.h": ("rf_comparisons", "find whether a program became slower"),
    "pm_sampling.h": ("rf_pm_sampling", "sample a GPU's hardware counters"),
}
# gpu_work.h is a part of rangefinder.h, which includes it.
INCLUDED_BY = {"gpu_work.h": "rangefinder.h"}


class Block:
    def __init__(self, comment, code, section):
        self.comment, self.code, self.section = comment, code, section
        self.functions = re.findall(r"^RF_API [^;]*?\b(rf_\w+)\(", code, re.M)
        self.types = re.findall(r"^(?:typedef )?(?:struct|enum) (rf_\w+) \{", code, re.M)


def text_of(comment):
    """The text of a C comment, without its frame."""
    lines = comment.strip()[2:-2].split("\n")
    lines = [re.sub(r"^ ?\* ?", "", line) if i else line[1:] for i, line in enumerate(lines)]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def blocks_of(source):
    """Yields the blocks of a header; the first one is its first comment."""
    section = ""
    source = source.replace("/* SPDX-License-Identifier: Apache-2.0 */\n", "")
    for part in re.split(r"\n(?=\n)", source):
        part = part.strip("\n")
        found = re.match(r"(/\*.*?\*/)\n?(.*)", part, re.S)
        comment, code = (text_of(found[1]), found[2]) if found else ("", part)
        title = re.match(r"---- (.*?) ----\n?(.*)", comment, re.S)
        if title:
            section, comment = title[1], title[2].strip()
        if code.startswith("#ifndef RANGEFINDER"):
            code = ""
        yield Block(comment, code, section)


def paragraphs_with_examples(source):
    """The first comment of a header has empty lines: it is one block."""
    return text_of(re.search(r"(/\*(?! SPDX).*?\*/)", source, re.S)[1])


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def running_text(text, own):
    """Escaped, with the names of functions in bold and a reference to their pages."""

    def mark(found):
        name = found[1]
        if name in own:
            return f"\\fB{name}\\fR()"
        return f"\\fB{name}\\fR(3)"

    return re.sub(r"\b(rf_\w+)\(\)", mark, escape(text))


def prose(text, own=()):
    """Paragraphs and indented examples as roff."""
    out, is_code = [], False
    for line in text.split("\n"):
        if line.startswith("    ") or (is_code and not line):
            if not is_code:
                out += [".PP", ".nf", ".RS 4"]
            is_code = True
            out.append(escape(line[4:]))
            continue
        if is_code:
            while out[-1] == "":
                out.pop()
            out += [".RE", ".fi", ".PP"]
        is_code = False
        if not line:
            if out and out[-1] != ".PP":
                out.append(".PP")
            continue
        out.append(running_text(line, own))
    return "\n".join(out)


def code_lines(code):
    return ".PP\n.nf\n" + escape(code.replace("RF_API ", "")) + "\n.fi"


def summary_of(block):
    """One line for NAME: the comment's first sentence."""
    text = block.comment or block.section
    text = re.sub(r"\s+", " ", text).strip()
    text = re.split(r"(?<=[^.])[.;](?: |$)", text)[0]
    if len(text) > 90:
        text = re.split(r"[,:] ", text)[0]
    return text[:1].lower() + text[1:] if not text[:2].isupper() else text


class Manual:
    def __init__(self, version, folder):
        self.version, self.folder = version, folder
        self.types, self.pages = {}, []

    def add_types(self, blocks):
        for block in blocks:
            for name in block.types:
                code = re.search(
                    rf"^(?:typedef )?(?:struct|enum) {name} \{{.*?\}};$", block.code, re.S | re.M
                )[0]
                text = f"/* {block.comment} */\n" if block.comment else ""
                self.types[name] = "\n".join(
                    " * " + line if i and text else line
                    for i, line in enumerate(text.rstrip("\n").split("\n"))
                )
                self.types[name] = (self.types[name] + "\n" if text else "") + code

    def types_used_by(self, block):
        found = []
        for name in re.findall(r"\b(?:struct|enum) (rf_\w+)", block.code + " " + block.comment):
            if name in self.types and name not in found and name not in ("rf_err", "rf_pm_error"):
                found.append(name)
        for name in list(found):
            for inner in re.findall(r"\benum (rf_\w+)", self.types[name]):
                if inner in self.types and inner not in found:
                    found.append(inner)
        return found

    def write(self, name, title, body):
        text = (
            '.\\" SPDX-License-Identifier: Apache-2.0\n'
            '.\\" Made from the headers by cmake/man_section3.py.\n'
            f'.TH "{name.upper()}" 3 "" "rangefinder {self.version}" "Rangefinder"\n'
            f".SH NAME\n{escape(title)}\n{body}\n"
        )
        path = os.path.join(self.folder, f"{name}.3")
        with open(path, "w", encoding="utf-8") as page:
            page.write(text)
        self.pages.append(name)

    def refer(self, name, to):
        with open(os.path.join(self.folder, f"{name}.3"), "w", encoding="utf-8") as page:
            page.write(f".so man3/{to}.3\n")
        self.pages.append(name)

    def add_functions(self, block, header, others):
        name = block.functions[0]
        names = ", ".join(block.functions)
        functions = re.findall(r"^RF_API [^;]*;", block.code, re.M)
        overview = OVERVIEWS[header][0]
        body = [
            ".SH LIBRARY\nlibrangefinder (\\fIpkg\\-config \\-\\-cflags \\-\\-libs rangefinder\\fR)",
            ".SH SYNOPSIS",
            code_lines(f"#include <rangefinder/{header}>\n\n" + "\n".join(functions)),
            ".SH DESCRIPTION",
            prose(block.comment or block.section, block.functions),
        ]
        types = self.types_used_by(block)
        if types:
            body.append(".SH TYPES")
            body += [code_lines(self.types[used]) for used in types]
        if re.search(r"^RF_API int .*struct rf_(pm_)?err", block.code, re.M | re.S):
            status = "rf_pm_status" if overview == "rf_pm_sampling" else "rf_error"
            body.append(
                f'.SH "RETURN VALUE"\n0 or more on success, otherwise a negative enum {status}, with '
                f"the details in \\fI*err\\fR: see \\fB{overview}\\fR(3)."
            )
        related = [f"\\fB{other}\\fR(3)" for other in others if other not in block.functions]
        body.append(".SH \"SEE ALSO\"\n" + ",\n".join([f"\\fB{overview}\\fR(3)"] + related[:12]))
        self.write(name, f"{names} - {summary_of(block)}", "\n".join(body))
        for other in block.functions[1:]:
            self.refer(other, name)

    def add_overview(self, header, source, blocks):
        name, title = OVERVIEWS[header]
        body = [f".SH SYNOPSIS\n.nf\n#include <rangefinder/{header}>\n.fi\n.SH DESCRIPTION"]
        body.append(prose(paragraphs_with_examples(source)))
        body.append(".SH TYPES")
        errors = ("rf_pm_status", "rf_pm_error") if "pm" in name else ("rf_error", "rf_err", "rf_event")
        body += [code_lines(self.types[used]) for used in errors]
        body.append(".SH FUNCTIONS")
        for section in dict.fromkeys(block.section for block in blocks if block.functions):
            names = [n for b in blocks if b.section == section for n in b.functions]
            listed = ", ".join(f"\\fB{n}\\fR(3)" for n in names)
            body.append(f".TP\n{escape(section)}\n{listed}")
        body.append('.SH "SEE ALSO"\n\\fBrangefinder\\fR(1), docs/c\\-guide.md, docs/compatibility.md')
        self.write(name, f"{name} - {title}", "\n".join(body))


def main(version, folder, *paths):
    manual = Manual(version, folder)
    os.makedirs(folder, exist_ok=True)
    by_header, sources = {}, {}
    for path in paths:
        header = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            source = file.read()
        header_of_pages = INCLUDED_BY.get(header, header)
        sources.setdefault(header_of_pages, source)
        blocks = list(blocks_of(source))
        manual.add_types(blocks)
        by_header.setdefault(header_of_pages, []).extend(blocks)
    for header, blocks in by_header.items():
        manual.add_overview(header, sources[header], blocks)
        for block in blocks:
            others = [n for b in blocks if b.section == block.section for n in b.functions]
            if block.functions:
                manual.add_functions(block, header, others)
    for name in os.listdir(folder): # of functions that a header had earlier
        if name.endswith(".3") and name[:-2] not in manual.pages:
            os.remove(os.path.join(folder, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
