#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The longest that one push or pop takes, in bursts with a reader on another core; and the same
# without a tool, which is what this machine does to any program.
# usage: stalls.sh [SECONDS]
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

echo "stalls, without a tool"
"$programs/bench_stalls" "${1:-10}" | grep -v target
echo "stalls, recorded by rangefinder profile"
profiled "$programs/bench_stalls" "${1:-10}"
