#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh [MINUTES [BUILD_FOLDER]]: fuzzes every harness for that long in all, one after the other,
# and adds to the corpora what reached new code. Findings stay in the build folder.
set -eu
minutes=${1:-10}
cd "$(dirname "$0")/../.."
build=${2:-build-fuzz}
command -v clang >/dev/null || {
    echo "fuzzing needs clang" >&2
    exit 1
}
CC=clang CXX=clang++ cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DRF_FUZZ=ON -DRF_SANITIZE=address,undefined,fuzzer-no-link >/dev/null
set -- tests/fuzz/fuzz_*.c
seconds=$((minutes * 60 / $#))
status=0
for source in "$@"; do
    name=$(basename "$source" .c)
    corpus=tests/fuzz/corpus_${name#fuzz_}
    cmake --build "$build" --target "$name" >/dev/null
    mkdir -p "$build/found-$name" "$build/work-$name"
    echo "$name: $seconds seconds"
    ASAN_OPTIONS=allocator_may_return_null=1 "$build/bin/$name" -max_total_time="$seconds" \
        -max_len=65536 -timeout=60 -report_slow_units=60 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/found-$name/" "$build/work-$name" "$corpus" 2>&1 |
        grep -E '^(stat::|SUMMARY|==|artifact)' || true
    [ -z "$(ls -A "$build/found-$name")" ] || status=1
    # only what the corpus does not reach, and only small inputs: it lives in the repository
    "$build/bin/$name" -set_cover_merge=1 -use_counters=0 -max_len=8192 "$corpus" \
        "$build/work-$name" >/dev/null 2>&1 || true
done
[ $status -eq 0 ] || echo "findings: $build/found-*" >&2
exit $status
