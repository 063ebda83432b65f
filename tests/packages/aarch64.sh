#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tarball for aarch64, where this machine runs its programs: on aarch64, or through qemu-user. Runs
# the README's thirty seconds.
#
# usage: aarch64.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
packages=$source/build/packages
tarball=$(ls "$packages"/dist/rangefinder-*-linux-aarch64.tar.gz 2>/dev/null) ||
    { echo "SKIP: no tarball for aarch64 in build/packages/dist: ./dev packages aarch64 builds it"; exit 77; }
compiler=$packages/portable-aarch64/cc
[ -e "$compiler" ] || compiler=$packages/portable/cc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/lib.sh"
timed "tar" tar xzf "$tarball"
PATH=$(echo "$work"/rangefinder-*/bin):$PATH
rangefinder version >/dev/null 2>&1 ||
    { echo "SKIP: this machine does not run programs for aarch64 (qemu-user-binfmt)"; exit 77; }
"$here/readme.py" "$source/README.md" .
"$compiler" -I"$source/include" train.c -o train -ldl
. "$here/thirty_seconds.sh"
