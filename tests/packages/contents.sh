#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the packages of build/packages/dist hold, for this machine's processor or another one; of
# another one the command lines are started by qemu-user, without a root and without the kernel's help.
#
# usage: contents.sh [ARCH]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
dist=$source/build/packages/dist
machine=$(uname -m)
arch=${1:-$machine}
command -v readelf >/dev/null || { echo "SKIP: readelf is not installed (binutils)"; exit 77; }
python3 "$here/inspect.py" "$dist" "$arch" "$source" "${RF_GLIBC:-2.17}"
[ "$arch" != "$machine" ] || exit 0
if ! command -v "qemu-$arch" >/dev/null || ! [ -d "/usr/$arch-linux-gnu/lib" ]; then
    echo "without starting them: there is no qemu-$arch, or no C library in /usr/$arch-linux-gnu (libc6-dev-arm64-cross)"
    exit 0
fi
version=$(sed -n 's/^project(rangefinder VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
for package in "$dist"/*_"$arch".whl "$dist"/rangefinder-*-linux-"$arch".tar.gz; do
    [ -e "$package" ] || continue
    folder=$work/$n
    mkdir "$folder"
    case $package in
    *.whl) python3 -m zipfile -e "$package" "$folder" ;;
    *) tar xzf "$package" -C "$folder" ;;
    esac
    program=$(find "$folder" -path '*/bin/rangefinder')
    chmod +x "$program" # the module zipfile forgets it
    said=$("qemu-$arch" -L "/usr/$arch-linux-gnu" "$program" --version)
    [ "$said" = "rangefinder $version" ] || { echo "FAILED: $package says '$said', not 'rangefinder $version'"; exit 1; }
    n=$((n + 1))
done
echo "$n command lines for $arch say that they are rangefinder $version"
