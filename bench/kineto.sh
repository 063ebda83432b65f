#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Opening a trace as torch.profiler writes it, against Python's json.load.
#
# usage: bench/kineto.sh [MEGABYTES]    default: 1000
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
megabytes=${1:-1000}
rounds=${RF_BENCH_ROUNDS:-5}
spent="python3 $root/bench/spent.py"

# compare WHAT FILE MEGABYTES_ALLOWED
compare()
{
    # shellcheck disable=SC2086
    set -- "$1" "$2" "$3" $($spent "$rounds" "$rangefinder" info "$2")
    row "$1: s" "$4" "$5" "$(calc "$python_min / $4")" ">=5"
    row "$1: s of the processor" "$6" "$7" "$(calc "$python_processor / $6")" -
    row "$1: MB of memory" "$8" - - "$3"
}

python3 "$root/bench/make_kineto.py" trace.json "$megabytes"
gzip -1 -k trace.json
# shellcheck disable=SC2046
set -- $($spent 3 python3 -c 'import json; json.load(open("trace.json", encoding="utf-8"))')
python_min=$1
python_processor=$3
title "a trace of $megabytes MB; ratio: json.load to ours" "s, MB"
row "json.load of the .json: s" "$1" "$2" - -
row "json.load of the .json: s of the processor" "$3" "$4" - -
row "json.load of the .json: MB of memory" "$5" - - -
allowed=$(awk -v n="$megabytes" 'BEGIN { print 1.5 * n + 50 }')
compare "info of the .json" trace.json "$allowed"
compare "info of the .json.gz" trace.json.gz "$allowed"
core=$(taskset -cp $$ | sed 's/.*[^0-9]//')
# shellcheck disable=SC2046
set -- $($spent "$rounds" taskset -c "$core" "$rangefinder" info trace.json)
row "info of the .json, one core: s" "$1" "$2" "$(calc "$python_min / $1")" ">=5"
