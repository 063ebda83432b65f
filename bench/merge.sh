#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Eight recordings of a million ranges each in one trace, against eight traces; the output is
# discarded, since the disk would be measured otherwise.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

for rank in 0 1 2 3 4 5 6 7; do
    RANK=$rank profiled "$programs/pairs" 1000000
    mv r.rf "rank$rank.rf"
done

apart()
{
    for rank in 0 1 2 3 4 5 6 7; do
        "$rangefinder" export -q -t "$1" -o - "rank$rank.rf" >/dev/null
    done
}

merged()
{
    "$rangefinder" export -q -t "$1" -o - rank?.rf >/dev/null
}

# seconds COMMAND...
seconds()
{
    begin=$(date +%s%N)
    "$@"
    calc "($(date +%s%N) - $begin) / 1e9"
    echo
}

# smallest FILE, median FILE
smallest()
{
    sort -n "$1" | sed -n 1p
}
median()
{
    sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"
}

title "eight recordings of a million ranges" s
for format in ${RF_BENCH_FORMATS:-perfetto json}; do
    : >apart.s
    : >merged.s
    for _ in $(seq "$rounds"); do
        seconds apart "$format" >>apart.s
        seconds merged "$format" >>merged.s
    done
    ratio=$(calc "$(smallest merged.s) / $(smallest apart.s)")
    row "$format: eight traces" "$(smallest apart.s)" "$(median apart.s)" - -
    row "$format: one trace of all" "$(smallest merged.s)" "$(median merged.s)" "$ratio" 1.00
done
