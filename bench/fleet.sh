#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job of many ranks, hard links to a few recordings: the time of the processor and the memory that a rank
# takes, and the time that a scheduler of Dask takes per task.
#
# usage: fleet.sh [RANKS [STEPS]]     by default 1000, 310000: 100 MB a rank; the targets are those of the default
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

ranks=${1:-1000} steps=${2:-310000}
files=20
[ "$ranks" -ge "$files" ] || files=$ranks
python=$(sed -n 's/^_*Python3_EXECUTABLE:[A-Z]*=//p' "$RF_BUILD/CMakeCache.txt" | head -n 1)
[ -d "$RF_BUILD/python/rangefinder" ] || die "the build has no Python package: Python.h is missing"
export PYTHONPATH="$RF_BUILD/python"
for packages in "$RF_BUILD"/wheels/lib/python3*/site-packages; do
    [ ! -d "$packages" ] || PYTHONPATH=$PYTHONPATH:$packages
done

mkdir job
i=0
while [ $i -lt "$ranks" ]; do
    if [ $i -lt "$files" ]; then
        RANK=$i WORLD_SIZE=$ranks profiled --overflow=block "$programs/loop" "$steps"
        mv r.rf "job/rank$i.rf"
    else
        ln "job/rank$((i % files)).rf" "job/rank$i.rf"
    fi
    i=$((i + 1))
done
title "$ranks ranks of $(($(wc -c <job/rank0.rf) / 1000000)) MB" "s, MB"
"$python" "$root/bench/fleet.py" job | while read -r name value target; do
    row "$(echo "$name" | tr _ ' ')" "$value" - - "$target"
done
