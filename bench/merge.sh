#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Eight recordings of a million ranges each in one trace, against eight traces: how long it takes,
# what the processor does, and the most memory. The output is discarded, since the disk would be
# measured otherwise.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

for rank in 0 1 2 3 4 5 6 7; do
    RANK=$rank profiled "$programs/pairs" 1000000
    mv r.rf "rank$rank.rf"
done

# shellcheck disable=SC2016 # the words of another shell
each='for file in rank?.rf; do "$0" export -q -t "$1" -o - "$file" || exit 1; done'

apart()
{
    "$root/bench/spent.py" 1 sh -c "$each" "$rangefinder" "$1" || die "cannot export"
}

merged()
{
    "$root/bench/spent.py" 1 "$rangefinder" export -q -t "$1" -o - rank?.rf || die "cannot merge"
}

# smallest FILE COLUMN, median FILE COLUMN: of what spent.py printed
smallest()
{
    cut -d' ' -f"$2" "$1" | sort -n | sed -n 1p
}
median()
{
    cut -d' ' -f"$2" "$1" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

# compared WHAT COLUMN TARGET
compared()
{
    ratio=$(calc "$(smallest merged.txt "$2") / $(smallest apart.txt "$2")")
    row "$1: eight traces" "$(smallest apart.txt "$2")" "$(median apart.txt "$2")" - -
    row "$1: one trace of all" "$(smallest merged.txt "$2")" "$(median merged.txt "$2")" "$ratio" "$3"
}

title "eight recordings of a million ranges" "s; MB"
for format in ${RF_BENCH_FORMATS:-perfetto json}; do
    : >apart.txt
    : >merged.txt
    for _ in $(seq "$rounds"); do
        apart "$format" >>apart.txt
        merged "$format" >>merged.txt
    done
    compared "$format" 1 1.00
    compared "$format, of the processor" 3 -
    row "$format, memory: one of eight traces" "$(smallest apart.txt 5)" "$(median apart.txt 5)" - -
    row "$format, memory: one trace of all" "$(smallest merged.txt 5)" "$(median merged.txt 5)" - -
done
