#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A focused run that waits for its capture: what annotations cost meanwhile, and what it costs the
# program to begin and end a capture.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

for mode in keep drop; do
    "$programs/bench_armed" $mode "$inject" "$programs/armed_nothing.so" "$rounds"
    forget_sessions
done
