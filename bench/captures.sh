#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many captures of one run, each a file of its own: what one takes does not grow with what was
# recorded before it.
#
# usage: captures.sh [RANGES]       between two captures; 20,000 unless said otherwise
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

outside=${1:-20000}

# per_capture N: milliseconds of N captures, least and median of the rounds, divided by N.
per_capture()
{
    "$programs/spawn" "$rounds" "$rangefinder" profile -q -f true -c nvtx -p step \
        --nvtx-capture-unregistered=true --capture-range-end=repeat -o run \
        "$programs/captures" "$1" "$outside" 2000 |
        awk -v n="$1" '{ printf "%.2f %.2f", $1 / n, $2 / n }'
    rm -f run.*.rf
}

title "captures with $outside ranges between them" "ms per capture; ratio to those of few"
few=$(per_capture 25)
# shellcheck disable=SC2086
row "25 captures" $few - -
for n in 100 200; do
    many=$(per_capture $n)
    # shellcheck disable=SC2086
    row "$n captures" $many "$(calc "${many%% *} / ${few%% *}")" 1.5
done
