#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A header declares what the .c file of its name defines, so that an include shows who owns what.
# Folders join this list when they keep to it.
set -eu
command -v python3 >/dev/null && command -v nm >/dev/null || {
    echo "SKIP: python3 or nm is not installed"
    exit 77
}
folders="src/base src/cli src/cuda src/export src/import src/log src/record src/session src/stats"
[ ! -d "$2/python/rangefinder" ] || folders="$folders python/pm_sampling python/reader"
python3 "$1/tests/checks/headers.py" "$2" $folders

# A declaration in another file's header is found, and no other.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/two/deeper" "$work/build"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$work" >"$work/build/CMakeCache.txt"
printf '/* other(): see below */\nint own(int other);\nint other(void);\n' >"$work/src/two/deeper/own.h"
{
    separator='['
    for file in deeper/own other; do
        name=$(basename "$file")
        printf 'int %s(int x);\nint %s(int x) { return x; }\n' "$name" "$name" >"$work/src/two/$file.c"
        ${CC:-cc} -c -o "$work/build/$name.o" "$work/src/two/$file.c"
        printf '%s{"directory": "%s", "file": "%s", "command": "cc -c -o %s"}' \
            "$separator" "$work/build" "$work/src/two/$file.c" "$name.o"
        separator=','
    done
    echo ']'
} >"$work/build/compile_commands.json"
found=$(python3 "$1/tests/checks/headers.py" "$work/build" src/two) && {
    echo "a header that declares what another file defines is not found"
    exit 1
}
[ "$found" = "src/two/deeper/own.h declares other, which other.c defines" ] || {
    echo "of one wrong declaration is found: $found"
    exit 1
}
