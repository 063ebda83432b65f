#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recording without pause to disk, 2 GB, against writing the same bytes: with one core for the
# program and the reader of its events together, and without a reader (the program's threads append
# what they record).
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v taskset >/dev/null || die "taskset is not installed"
core=$(taskset -cp $$ | sed 's/.*[^0-9]//')

echo "rangefinder profile, everything on core $core:"
profiled taskset -c "$core" true # the library is in the page cache
taskset -c "$core" "$rangefinder" profile -f true -o r "$programs/bench_flat" . 10 2>profile.log ||
    { cat profile.log >&2; die "rangefinder profile failed"; }
echo "recorder alone, core $core:"
by_hand taskset -c "$core" "$programs/bench_flat" . 10
