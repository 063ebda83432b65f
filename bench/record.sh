#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a range or mark costs the thread that annotates: without a tool, in bursts, flat out, and
# with several threads; recorded by `rangefinder profile`, whose reader has another core if there is
# one.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

echo "without a tool, flat out:"
"$programs/bench_record" "$rounds" flat 1 | sed 1d
echo "recorded:"
profiled "$programs/bench_record" "$rounds" burst
profiled "$programs/bench_record" "$rounds" flat
profiled "$programs/bench_threads" "$rounds"
echo "NVTX's extensions, recorded:"
profiled --nvtx-domain-exclude=bench-excluded "$programs/bench_ext" "$rounds"
