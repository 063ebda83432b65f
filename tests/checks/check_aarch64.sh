#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recorder and the annotation headers compile for aarch64 without a warning, and, where
# qemu-user is there, a program records itself under it.
set -eu
source=$1
build=$2
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null || {
    echo "SKIP: aarch64-linux-gnu-gcc is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes -Wconversion -Wno-sign-conversion -Werror'
flags="-std=gnu11 -O2 -D_GNU_SOURCE -DRF_PRODUCT_VERSION=\"cross\" -I$source/src -I$source/include"
recorder=$(find "$source/src/record" "$source/src/cuda" -name '*.c')
# shellcheck disable=SC2086
$cc $flags $warnings -fPIC -shared -fvisibility=hidden -ftls-model=initial-exec \
    -fno-stack-protector -U_FORTIFY_SOURCE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined \
    "-Wl,--version-script=$source/src/record/exports.map" \
    -o "$work/librangefinder-inject.so" $recorder "$source"/src/base/cupti_*.c -ldl -lpthread
# shellcheck disable=SC2086
$cc $flags $warnings -fPIC -shared -fvisibility=hidden -fno-stack-protector -U_FORTIFY_SOURCE \
    -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined \
    "-Wl,--version-script=$source/src/interpose/exports.map" \
    -o "$work/librangefinder-profiler.so" "$source"/src/interpose/*.c -ldl
for program in basic focus; do
    # shellcheck disable=SC2086
    $cc $flags -o "$work/$program" "$source/tests/record/$program.c" -pthread -ldl
done

qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || {
    echo "SKIP: it compiles; qemu-aarch64 is not installed, so it was not run"
    exit 77
}
# Where the machine has arm64's own libraries, ld.so finds these: the cross compiler's would be mixed
# with them, and hang.
sysroot=/
[ -e /lib/ld-linux-aarch64.so.1 ] || sysroot=/usr/aarch64-linux-gnu
[ -d $sysroot/lib ] || {
    echo "SKIP: it compiles; there is no $sysroot to run it with"
    exit 77
}
python3 "$source/tests/record/foreign.py" --build "$build" --inject "$work/librangefinder-inject.so" \
    --focus "$work/focus" -- "$qemu" -L $sysroot "$work/basic"
