#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What can only be tested with an NVIDIA GPU, in one call of some minutes and without a network.
#
# usage: tests/gpu/run.sh [--build DIR] [--out DIR] [--quick] [PART]...
#
# --build DIR   a build of Rangefinder: by default build-gpu, made here where it is not there. Where
#               SQLite's headers are missing, make it elsewhere with tests/gpu/make_carry.sh and
#               carry it.
# --out DIR     leave there what was printed (results.txt), what was measured (results.json), a log, and
#               packed in files.tar raw buffers of CUPTI and a recording: four files
# --quick       fewer rounds
# --limit S     end after so many seconds, 560 unless told
# --jobs N      parts that run at the same time, half as many as there are processors unless told; those
#               that measure run alone
# PART          only these files of tests/gpu/parts
#
# Needed: python3; nvcc for what runs CUDA programs, PyTorch for training steps. What is missing is
# skipped with the reason, without a GPU everything. The last line is "N passed, N failed, N
# skipped"; the status is 1 where something failed, 3 where everything was skipped.
#
# RF_GPU_SAMPLING_S=300  samples hardware counters so long to look for gaps, in place of a minute
# RF_GPU_TEN_MINUTES=begin, then =end, with the part ten_minutes: in two commands, where one may not
#                 take ten minutes
# RF_GPU_WORK=DIR  an empty folder, in which all recordings remain
# RF_GPU_DRY=DIR  no GPU: stand-ins for NVIDIA's libraries are in DIR (tests/cuda/double). It tests
#                 these scripts.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=
out=
options=
parts=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 && shift ;;
    --build=*) build=${1#*=} ;;
    --out) out=$2 && shift ;;
    --out=*) out=${1#*=} ;;
    --quick) options="$options --quick" ;;
    --limit | --jobs) options="$options $1 $2" && shift ;;
    -h | --help) sed -n '3,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//p;}' "$0" && exit 0 ;;
    -*) echo "run.sh: unknown option '$1'; --help lists them" >&2 && exit 2 ;;
    *) parts="$parts $1" ;;
    esac
    shift
done
build=${build:-$root/build-gpu}
began=$(date +%s) # what is built here takes its time, too

skip_all()
{
    echo "everything is skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 3
}

command -v python3 >/dev/null || skip_all "there is no python3"
if [ ! -x "$build/bin/rangefinder" ] && [ -z "${RF_GPU_DRY:-}" ] && command -v cmake >/dev/null; then
    echo "building in $build"
    log=$(mktemp)
    targets="rangefinder-cli rangefinder-inject rangefinder-profiler gpu-clients"
    # shellcheck disable=SC2086
    { cmake -S "$root" -B "$build" && cmake --build "$build" -j --target $targets; } >"$log" 2>&1 || {
        tail -n 3 "$log"
        echo "no build can be made here; tests/gpu/make_carry.sh makes one that can be carried"
    }
    # for those questions about sampling that are asked in Python; it needs Python's headers
    cmake --build "$build" -j --target py_pm_sampling >"$log" 2>&1 || true
    rm -f "$log"
fi
# shellcheck disable=SC2086
exec python3 "$root/tests/gpu/run.py" --build "$build" --spent $(($(date +%s) - began)) \
    ${out:+--out "$out"} $options $parts
