#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a filter of values in payloads costs, against --filter-nvtx: rangefinder stats, with opening
# the recording, where one range is left and where all are.
#
# RF_BENCH_EVENTS  payloads in the recording, by default 10000000
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
n=${RF_BENCH_EVENTS:-10000000}
profiled "$programs/payload_ranges" "$n"

# ms FILTER: how long the table takes.
ms()
{
    begin=$(date +%s%N)
    "$rangefinder" stats -q -r nvtx_sum -f csv "$1" r.rf >table.csv || die "stats $1 failed"
    end=$(date +%s%N)
    echo "$1 $(((end - begin) / 1000))" >>times.txt
}

# of FILTER: the least and the median, in milliseconds.
of()
{
    grep -F -e "$1 " times.txt | cut -d' ' -f2 | sort -n |
        awk '{ t[NR] = $1 / 1000 } END { printf "%.1f %.1f\n", t[1], t[int((NR + 1) / 2)] }'
}

# compare WHAT FILTER BASE
compare()
{
    base=$(of "$3")
    # shellcheck disable=SC2046
    set -- "$1" $(of "$2") "${base% *}"
    row "$1" "$2" "$3" "$(calc "$2 / $4")" 2
}

one=--filter-nvtx=operation/5 all=--filter-nvtx=operation
number=--filter-payload=bytes=5 every=--filter-payload=rank=3 word=--filter-payload=reduction=sum
for _ in $(seq "$rounds"); do
    for filter in $one $all $number $every $word; do
        ms "$filter"
    done
done
title "filters of $n ranges with payloads" "ms; ratio to --filter-nvtx"
compare "a number, one range is left" $number $one
compare "a number, all ranges are left" $every $all
compare "the name of an enum, a third is left" $word $all
for filter in $number $every $word; do
    # shellcheck disable=SC2046
    set -- $("$root/bench/spent.py" 1 "$rangefinder" stats -q -r nvtx_sum -f csv "$filter" r.rf)
    row "$filter: memory, MB" "$5" - - 64
done
