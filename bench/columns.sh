#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the values in payloads cost as columns of Arrow, against opening their recording.
#
# RF_BENCH_EVENTS  payloads in the recording, by default 10000000
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
n=${RF_BENCH_EVENTS:-10000000}
python=$(sed -n 's/^_*Python3_EXECUTABLE:[A-Z]*=//p' "$RF_BUILD/CMakeCache.txt" | head -n 1)
[ -d "$RF_BUILD/python/rangefinder" ] || die "the build has no Python package: Python.h is missing"

profiled "$programs/payload_ranges" "$n"
PYTHONPATH=$RF_BUILD/python "$python" "$root/bench/payload_columns.py" r.rf "$rounds" >times.txt ||
    die "payload_columns.py failed"
[ "$(awk '$1 == "values" { print $2 }' times.txt)" -eq $((4 * n)) ] || die "values are missing"

# of WHAT: the least and the median of its rounds.
of()
{
    grep "^$1 " times.txt | tr ' ' '\n' | sed 1d | sort -n |
        awk '{ t[NR] = $1 } END { print t[1], t[int((NR + 1) / 2)] }'
}

# shellcheck disable=SC2046
set -- $(of open) $(of columns)
title "values in payloads as columns, of $n events" "ms; ratio to opening"
row "opening" "$1" "$2" - -
row "4 columns of Arrow: 3 of numbers, one of text" "$3" "$4" "$(calc "$3 / $1")" 8
