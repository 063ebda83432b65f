#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of docs/format.md with the C headers, as the compiler has them: every
structure with every field's offset, size and type, every enumerator, every constant, and nothing
that only one of the two has. usage: layout.py FORMAT.md SRC CC..."""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from page import Page  # noqa: E402

HEADERS = ("log/layout.h", "log/cuda.h", "log/metrics.h", "log/nvtx_ext.h")
TYPES = {"uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64"}
TYPES.update({"int16_t": "i16", "int32_t": "i32", "int64_t": "i64", "double": "f64", "char": "char"})


def declared(text):
    """What a header declares: ({struct: {field: type}}, {enum: [names]}, [macros])."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    macros = re.findall(r"^#define (RF_\w+)[ \t]+\S", text, flags=re.M)
    text = re.sub(r"^#.*(?:\\\n.*)*$", "", text, flags=re.M)
    structs, enums = {}, {}
    for name, body in re.findall(r"\bstruct (\w+) \{(.*?)\n\};", text, flags=re.S):
        fields = structs[name] = {}
        for line in body.split(";"):
            words = re.fullmatch(r"\s*((?:struct )?\w+)\s+(.*)", line, flags=re.S)
            for declarator in words[2].split(",") if words else ():
                fields[re.match(r"\s*(\w+)", declarator)[1]] = TYPES.get(words[1], words[1])
    for name, body in re.findall(r"\benum (\w+) \{(.*?)\}", text, flags=re.S):
        enums[name] = re.findall(r"\b(RF_\w+)\s*(?:=[^,]*)?(?:,|$)", body.strip())
    return structs, enums, macros


def program(structs, enums, macros):
    lines = [f'#include "{header}"' for header in HEADERS]
    lines += ["#include <stdio.h>", "static void text(const char *name, const char *value) {"]
    lines += ['printf("%s t", name); for (; *value; value++)']
    lines += ['printf("%02x", (unsigned char)*value); puts(""); }']
    lines += ["static void number(const char *name, unsigned long long value) {"]
    lines += ['printf("%s n%llu\\n", name, value); }', "int main(void) {"]
    for name, fields in structs.items():
        lines.append(f'printf("{name} s%zu\\n", sizeof(struct {name}));')
        for field in fields:
            where = f"offsetof(struct {name}, {field}), sizeof(((struct {name} *)0)->{field})"
            lines.append(f'printf("{name}.{field} f%zu,%zu\\n", {where});')
    for name in [name for names in enums.values() for name in names]:
        lines.append(f'number("{name}", (unsigned long long){name});')
    for name in macros:
        chosen = f'_Generic(({name}), char *: 1, default: 0) ? "t" : "n"'
        lines.append(f'if ((*({chosen})) == \'t\') text("{name}", (const char *)(size_t)({name}));')
        lines.append(f'else number("{name}", (unsigned long long)(size_t)({name}));')
    return "\n".join(lines + ["return 0; }", ""])


def compiled(source, src, compiler):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layout.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        binary = os.path.join(folder, "layout")
        subprocess.run(compiler + ["-w", "-I", src, "-o", binary, path], check=True)
        out = subprocess.run([binary], check=True, stdout=subprocess.PIPE).stdout.decode()
    return dict(line.split(" ", 1) for line in out.splitlines())


def short_names(names):
    """Enumerators without the prefix that they share, up to an underscore."""
    prefix = os.path.commonprefix(names)
    return {name: name[prefix.rindex("_") + 1 :] for name in names}


class Comparison:
    def __init__(self):
        self.n, self.wrong = 0, []

    def expect(self, what, page, code):
        self.n += 1
        if page != code:
            self.wrong.append(f"{what}: the page has {page}, the headers have {code}")


def compare(page, structs, enums, macros, facts):
    c = Comparison()
    c.expect("structures", sorted(page.structs), sorted(structs))
    c.expect("enumerations", sorted(page.enums), sorted(enums))
    c.expect("constants", sorted(page.constants), sorted(macros))
    for name in set(page.structs) & set(structs):
        ours = page.structs[name]
        c.expect(f"struct {name}", f"s{ours.size}", facts[name])
        c.expect(f"fields of struct {name}", list(ours.fields), list(structs[name]))
        for field in set(ours.fields) & set(structs[name]):
            at, kind, _ = ours.fields[field]
            c.expect(f"type of {name}.{field}", kind, structs[name][field])
            size = f"f{at},{ours.field_size(field)}"
            c.expect(f"offset, size of {name}.{field}", size, facts[f"{name}.{field}"])
    for name in set(page.enums) & set(enums):
        code = {short: int(facts[full][1:]) for full, short in short_names(enums[name]).items()}
        c.expect(f"enum {name}", page.enums[name], code)
    for name in set(page.constants) & set(macros):
        value = page.constants[name]
        value = f"t{value.hex()}" if isinstance(value, bytes) else f"n{value}"
        c.expect(name, value, facts[name])
    return c


def main():
    page_path, src, *compiler = sys.argv[1:]
    text = "".join(open(os.path.join(src, h), encoding="utf-8").read() for h in HEADERS)
    structs, enums, macros = declared(text)
    facts = compiled(program(structs, enums, macros), src, compiler)
    result = compare(Page(page_path), structs, enums, macros, facts)
    for line in result.wrong:
        print(f"docs/format.md: {line}")
    print(f"{result.n} comparisons, {len(result.wrong)} differences")
    return 1 if result.wrong or result.n < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
