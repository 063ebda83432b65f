#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A build for a machine where none can be made: on one without a GPU, with the libraries' headers,
# of the same processor and with a C library that is no newer. It holds what run.sh uses: the
# command line, which needs the C library alone, the recorder, and the CUPTI clients; where nvcc is,
# the CUDA programs too, for every kind of GPU that it knows.
#
# usage: tests/gpu/make_carry.sh [DIR]    by default build-gpu, where run.sh looks for it
#
# RF_CARRY_PYTHON=PYTHON  the Python package as well, for the Python of the other machine: PYTHON is
#                         one of the same version here
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${1:-$root/build-gpu}
build=$target/cmake # goes when all is made

die()
{
    echo "make_carry.sh: $*" >&2
    exit 1
}

# The static form of a library, where the compiler finds it.
archive()
{
    path=$("${CC:-cc}" -print-file-name="$1")
    [ "$path" != "$1" ] || die "there is no $1; Debian has it in libsqlite3-dev, zlib1g-dev and libpcre2-dev"
    realpath "$path"
}

sqlite=$(archive libsqlite3.a)
zlib=$(archive libz.a)
pcre2=$(archive libpcre2-8.a)
# RF_WHEEL: the command line contains the reader library
mkdir -p "$target"
targets="rangefinder-cli rangefinder-inject rangefinder-profiler gpu-clients"
python=${RF_CARRY_PYTHON:+$("$RF_CARRY_PYTHON" -c 'import sys; print(sys.executable)')}
[ -z "$python" ] || targets="$targets py_nvtx py_reader py_session py_pm_sampling"
# shellcheck disable=SC2086
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DRF_WHEEL=ON -DRF_ISAL=OFF \
    ${python:+-DPython3_EXECUTABLE="$python"} \
    -DSQLite3_LIBRARY="$sqlite" -DZLIB_LIBRARY="$zlib" -DPCRE2_LIBRARY="$pcre2" >"$target/log.txt" 2>&1 ||
    die "cmake fails: $target/log.txt"
for name in $targets; do
    cmake --build "$build" -j "$(nproc)" --target $name >>"$target/log.txt" 2>&1 ||
        die "$name is not built: $target/log.txt"
done

needed=$(readelf -d "$build/bin/rangefinder" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for library in $needed; do
    case $library in
    libc.so.* | libm.so.* | ld-linux*) ;;
    *) die "rangefinder needs $library" ;;
    esac
done
strip --strip-debug "$build/bin/rangefinder"
strip --strip-debug "$build"/lib/*.so
rm -rf "$target/bin" "$target/lib" "$target/python" "$target/programs"
rm -f "$build"/lib/*.a
mv "$build/bin" "$build/lib" "$target"
if [ -n "$python" ]; then
    mv "$build/python" "$target"
    ln -sfn ../../bin "$target/python/rangefinder/bin"
    ln -sfn ../../lib "$target/python/rangefinder/lib"
fi
rm -rf "$build" "$target/log.txt"

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    mkdir "$target/programs"
    python3 "$root/tests/gpu/sources.py" "$nvcc" "$target/programs" || die "no programs"
fi
du -sh "$target"
echo "carry it and this repository; there: tests/gpu/run.sh --build DIR --out DIR"
