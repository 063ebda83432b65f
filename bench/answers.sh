#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Answers about one long recording, of steps of ten ranges: the time and the most memory of the tree, the
# steps, why, advise and the page.
#
# usage: answers.sh [STEPS]     by default 1000000; the targets are those of the default
# shellcheck source=bench/lib.sh
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-3}
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 measures time and memory"
steps=${1:-1000000}

# answer NAME TARGET COMMAND...
answer()
{
    name=$1 target=$2
    shift 2
    # shellcheck disable=SC2046
    set -- $("$root/bench/spent.py" "$rounds" "$rangefinder" "$@" || die "cannot answer: $*")
    row "$name" "$1" "$2" - "$target"
    row "  of the processor" "$3" "$4" - -
    row "  memory, MB" "$5" - - -
}

profiled --overflow=block "$programs/loop" "$steps"
title "$((10 * steps)) ranges in $steps steps of one thread" "s, MB"
answer "stats -r nvtx_sum" - stats -q -r nvtx_sum r.rf
answer "stats -r nvtx_tree" 1 stats -q -r nvtx_tree r.rf
answer "stats -r self_time" - stats -q -r self_time r.rf
answer "stats -r steps" 1.5 stats -q -r steps -f csv r.rf
answer "why step" 1.5 why step r.rf
answer "advise" - advise r.rf
answer "export -t html" 2 export -q -t html -f -o r.html r.rf
row "  size of the page, kB" "$(($(wc -c <r.html) / 1000))" - - 1000
