#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the scripts of this folder where there is no GPU.
#
# usage: scripts_test.sh no-gpu|stand-ins|bench BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$2
log=$(mktemp)
out=$(mktemp -d)
trap 'rm -rf "$log" "$out"' EXIT
unset RF_GPU_DRY

skip()
{
    echo "SKIP: $*"
    exit 77
}

fail()
{
    cat "$log"
    echo "$*"
    exit 1
}

command -v python3 >/dev/null || skip "python3 is not installed"
[ "$1" = no-gpu ] || command -v c++ >/dev/null || command -v g++ >/dev/null ||
    skip "there is no C++ compiler"
case $1 in
no-gpu)
    # also where there is a GPU: the driver hides it
    status=0
    CUDA_VISIBLE_DEVICES=-1 "$here/run.sh" --build "$build" >"$log" 2>&1 || status=$?
    [ $status -eq 3 ] || fail "without a GPU its status is $status: nothing was checked"
    grep -q '^0 passed, 0 failed, [1-9][0-9]* skipped$' "$log" || fail "not everything is skipped"
    ! grep '^ *[0-9]* SKIP' "$log" | grep -qv 'no NVIDIA GPU here' || fail "other reasons"
    ;;
stand-ins)
    RF_GPU_DRY=$build/tests/cuda/double "$here/run.sh" --build "$build" --out "$out" --quick \
        >"$log" 2>&1 || fail "checks fail with stand-ins"
    [ "$(find "$out" -type f | wc -l)" -le 4 ] || fail "files in --out: $(ls "$out")"
    tar tf "$out/files.tar" | grep -q '^raw-calls.cupti$' || fail "no raw buffers in files.tar"
    # what was spent on a build counts
    status=0
    RF_GPU_DRY=$build/tests/cuda/double python3 "$here/run.py" --build "$build" --spent 481 calls \
        >"$out/late" 2>&1 || status=$?
    [ $status -eq 3 ] && grep -q 'SKIP .* out of time$' "$out/late" ||
        fail "a build that took eight minutes leaves time: $(cat "$out/late")"
    passed=$(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' "$log")
    [ "${passed:-0}" -ge 25 ] || fail "only ${passed:-0} checks passed"
    # checks that cannot fail are none
    ! RF_DOUBLE_DROPPED=2 RF_GPU_DRY=$build/tests/cuda/double "$here/run.sh" --build "$build" \
        calls captures volume >"$log" 2>&1 || fail "kernels are missing, and all checks pass"
    for title in "every launch has its kernel" "nothing is lost over" "an NVTX range cuts"; do
        grep -q "FAIL  $title" "$log" || fail "kernels are missing, and '$title' passes"
    done
    ! RF_DOUBLE_ZERO_TIMES=9 RF_GPU_DRY=$build/tests/cuda/double "$here/run.sh" --build "$build" \
        volume >"$log" 2>&1 || fail "kernels have no times, and nobody sees it"
    ! RF_PM_DOUBLE=capacity=300 RF_GPU_DRY=$build/tests/cuda/double "$here/run.sh" --build "$build" \
        sampling >"$log" 2>&1 || fail "samples are lost, and nobody sees it"
    grep -q "FAIL  10 kHz, and no gap" "$log" || fail "samples are lost, and there is no gap"
    echo "$passed checks pass, and fail where they must" >"$log"
    ;;
bench)
    RF_GPU_DRY=$build/tests/cuda/double RF_BUILD=$build "$here/../../bench/cuda.sh" --quick \
        >"$log" 2>&1 || fail "bench/cuda.sh fails"
    [ "$(grep -c '^  .* -\?[0-9]' "$log")" -ge 4 ] || fail "numbers are missing"
    ;;
esac
tail -n 1 "$log"
