#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recording of 1,000,000 ranges with 24-byte texts: its size, and how long it takes to read and
# to convert.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

profiled "$programs/pairs" 1000000
bytes=$(wc -c <r.rf)
title "a recording of 1,000,000 ranges" "as each line says"
row "bytes per range in the .rf file" "$(calc "$bytes / 1000000")" - - 64

# timed WHAT TARGET COMMAND...
timed()
{
    what=$1
    target=$2
    shift 2
    times=$("$programs/spawn" "$rounds" "$@")
    # shellcheck disable=SC2086
    row "$what, ms" $times - "$target"
}
timed "info" - "$rangefinder" info r.rf
timed "stats nvtx_sum" - "$rangefinder" stats r.rf
timed "export -t sqlite" 1500 "$rangefinder" export -t sqlite -f true -o r.sqlite r.rf
timed "export -t json" - "$rangefinder" export -t json -f true -o r.json r.rf
timed "export -t csv" - "$rangefinder" export -t csv -f true -o r.csv r.rf
