#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# First events: of a thread, and of a process (which loads the recorder).
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

echo "recorded by rangefinder profile:"
profiled "$programs/bench_first" threads 1000
echo "recorder alone:"
by_hand "$programs/bench_first" threads 1000

i=0
: >first.txt
while [ $i -lt 31 ]; do
    by_hand "$programs/bench_first" process >>first.txt
    i=$((i + 1))
done
sort -n first.txt -o first.txt
title "a process's first NVTX call, recorder alone" us
row "dlopen of the recorder, the session, the files, one mark" "$(sed -n 1p first.txt)" \
    "$(sed -n 16p first.txt)" - -
