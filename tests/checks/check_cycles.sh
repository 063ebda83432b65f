#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# At most three files of a folder need each other in a circle, by the symbols of their object files.
set -eu
command -v python3 >/dev/null && command -v nm >/dev/null || {
    echo "SKIP: python3 or nm is not installed"
    exit 77
}
python3 "$1/tests/checks/cycles.py" --strict "$2"

# Three files in a circle are found, and what is no circle is not.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/ring/deeper" "$work/build"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$work" >"$work/build/CMakeCache.txt"
{
    separator='['
    for file in a:b b:c deeper/c:d deeper/d:b alone:a; do
        from=${file%:*} to=${file#*:}
        name=$(basename "$from")
        printf 'int %s(void);\nint %s(void);\nint %s(void) { return %s(); }\n' \
            "$to" "$name" "$name" "$to" >"$work/src/ring/$from.c"
        ${CC:-cc} -c -o "$work/build/$name.o" "$work/src/ring/$from.c"
        printf '%s{"directory": "%s", "file": "%s", "command": "cc -c -o %s"}' \
            "$separator" "$work/build" "$work/src/ring/$from.c" "$name.o"
        separator=','
    done
    echo ']'
} >"$work/build/compile_commands.json"
found=$(python3 "$1/tests/checks/cycles.py" "$work/build")
expected='src/ring: 5 files, cycles of 3
  3: b.c deeper/c.c deeper/d.c'
[ "$found" = "$expected" ] || {
    echo "of a circle of three files is found: $found"
    exit 1
}
if python3 "$1/tests/checks/cycles.py" --strict --limit src/ring=2 "$work/build" >/dev/null 2>&1; then
    echo "a circle that is larger than the limit is not refused"
    exit 1
fi
