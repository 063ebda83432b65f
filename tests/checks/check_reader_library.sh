#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# librangefinder exports the functions of its public headers, all of them and nothing else; and
# unit.test_null calls each of them with NULL.
set -eu
command -v readelf >/dev/null || {
    echo "SKIP: readelf is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -ohE 'RF_API .*\**rf_[a-z0-9_]+\(' "$1"/include/rangefinder/*.h |
    grep -oE 'rf_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
readelf --dyn-syms -W "$2/lib/librangefinder.so" |
    awk '($4 == "FUNC" || $4 == "OBJECT") && $7 ~ /^[0-9]+$/ { sub(/@.*/, "", $8); print $8 }' |
    grep -vE '^(__odr_asan|__asan|__sanitizer|__ubsan|__tsan)' | sort -u >"$work/exported"
if ! diff "$work/declared" "$work/exported"; then
    echo "'<': declared in a header and not exported; '>': exported and not declared"
    exit 1
fi
grep -oE 'rf_[a-z0-9_]+\(' "$1/tests/unit/test_null.c" | tr -d '(' | sort -u >"$work/called"
missing=$(comm -23 "$work/declared" "$work/called")
if [ -n "$missing" ]; then
    echo "tests/unit/test_null.c does not call: $missing"
    exit 1
fi
