#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How fast the library reads a recording: of one thread, and of several, which it decodes in
# parallel.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

profiled "$programs/pairs" 5000000
"$programs/bench_reader" r.rf "$rounds"
profiled "$programs/pairs" 5000000 8
"$programs/bench_reader" r.rf "$rounds"
