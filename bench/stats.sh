#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Summing up a long recording: the time and the most memory of `stats -r nvtx_sum`, and of a
# recording of three times as many ranges.
#
# usage: stats.sh [RANGES]
#
# RANGES: by default 100000000; four times as many ranges take 12 GB of disk. The targets are those
#     of the default.
# shellcheck source=bench/lib.sh
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-3}
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 measures time and memory"
ranges=${1:-100000000}

# sum_up FILE: what spent.py prints.
sum_up()
{
    "$root/bench/spent.py" "$rounds" "$rangefinder" stats -q -r nvtx_sum "$1" || die "cannot sum up $1"
}

title "nvtx_sum of push/pop ranges of two threads" "s, MB"
for factor in 1 3; do
    n=$((ranges * factor))
    profiled --overflow=block "$programs/pairs" $n 2
    # shellcheck disable=SC2046
    set -- $(sum_up r.rf)
    row "$n ranges, s" "$1" "$2" - $([ $factor = 1 ] && echo 4 || echo -)
    row "  of the processor, s" "$3" - - -
    row "  memory, MB" "$5" - - 500
    [ $factor = 3 ] || first=$3
done
row "three times as many, processor" "$3" - "$(calc "$3 / $first")" 3.3
