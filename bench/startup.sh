#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What comes before and after the program: `rangefinder profile true` against `true`, recorded and in
# a rank that --ranks leaves out, and the time from the end of a program of 1,000,000 ranges to the end of the command.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

RANK=1 "$programs/spawn" 31 true -- "$rangefinder" profile -f true -o r true -- \
    "$rangefinder" profile --ranks 0 -f true -o r true >times.txt
bare=$(sed -n 1p times.txt)
ours=$(sed -n 2p times.txt)
left_out=$(sed -n 3p times.txt)
title "start and end" ms
row "true" ${bare} - -
row "rangefinder profile true" ${ours} - -
# shellcheck disable=SC2086
set -- $bare $ours
row "the difference" "$(calc "$3 - $1")" "$(calc "$4 - $2")" - 30
row "rangefinder profile --ranks 0 true, in rank 1" ${left_out} - -
# shellcheck disable=SC2086
set -- $bare $left_out
row "the difference" "$(calc "$3 - $1")" "$(calc "$4 - $2")" - 5
# shellcheck disable=SC2046
row "rangefinder --version" $("$programs/spawn" 31 "$rangefinder" --version) - 5
# shellcheck disable=SC2046
row "what Tab asks: rangefinder complete" $("$programs/spawn" 31 "$rangefinder" complete stats -r nvtx_) - 30
RF_BENCH_END=$work/end "$programs/spawn" --end "$work/end" "$rounds" \
    "$rangefinder" profile -f true -o r "$programs/pairs" 1000000 >times.txt
# shellcheck disable=SC2046
row "end of a program of 1,000,000 ranges to end of profile" $(cat times.txt) - 100
