#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long "rangefinder open" takes from the end of the conversion until a client on this machine has
# the page, all files of the user interface, and the trace (bench/open.py).
#
# usage: open.sh [RANGES]
#
# RANGES: default: 2450000, whose trace has 100 MB
# RF_BENCH_ROUNDS  rounds, by default 9
# RF_PERFETTO_UI   the folder of a version of Perfetto's user interface, as for tests/perfetto
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 is the client"

profiled "$programs/pairs" "${1:-2450000}"
for _ in $(seq "$rounds"); do
    python3 "$root/bench/open.py" "$rangefinder" r.rf >line || {
        # 77: there is no user interface, as it said
        cat line
        exit 1
    }
    cat line >>runs
done

# the least and the median of a column
least_of() { sort -n -k "$1" runs | awk -v k="$1" 'NR == 1 { print $k }'; }
median_of() { sort -n -k "$1" runs | awk -v k="$1" '{ v[NR] = $k } END { print v[int((NR + 1) / 2)] }'; }

title "from the end of the conversion, for a trace of $(least_of 4) MB" s
row "to the link" "$(least_of 1)" "$(median_of 1)" - -
row "to the last byte of the page and its files, $(least_of 5) MB" "$(least_of 2)" "$(median_of 2)" - -
row "to the last byte of the trace" "$(least_of 3)" "$(median_of 3)" - 0.50
