#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a package of build/packages/dist in a clean root and runs case_NAME.sh there. A root is made
# once by debootstrap, in build/packages/roots, and every case gets a copy of it. A root for another processor (the
# cases that say "also: aarch64") is run by qemu-user.
#
# usage: run.sh NAME [ARCH]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
packages=$source/build/packages
case=$here/case_$1.sh
machine=$(uname -m)
arch=${2:-$machine}
case $arch in x86_64) debian_arch=amd64 ;; aarch64) debian_arch=arm64 ;; *) debian_arch=$arch ;; esac
: "${RF_DEBIAN:=http://deb.debian.org/debian}"

skip()
{
    echo "SKIP: $*"
    exit 77
}

# the values that the case has in its first lines: "# suite: bookworm", with names of the processor in them
value()
{
    sed -n "s/^# $1: *//p" "$case" | sed "s/@ARCH@/$arch/; s/@DEBIAN_ARCH@/$debian_arch/"
}

suite=$(value suite)
include=$(value include)
pattern=$(value package)
# shellcheck disable=SC2086
for file in $packages/dist/$pattern; do
    [ -e "$file" ] || skip "no '$pattern' in build/packages/dist: ./dev packages builds it"
done
portable=$packages/portable
if [ "$arch" != "$machine" ]; then
    portable=$portable-$arch
    grep -qs '^enabled' "/proc/sys/fs/binfmt_misc/qemu-$arch" ||
        skip "the kernel does not run programs for $arch (Debian's qemu-user-static)"
fi
[ "$(id -u)" -eq 0 ] || skip "a root can be made and entered only by root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

# ---- The root ----

mkdir -p "$packages/roots"
exec 9>"$packages/roots/lock" # one at a time: debootstrap mounts /proc in what it makes
flock 9
clean=$packages/roots/$suite-$debian_arch-$(printf %s "$include" | cksum | cut -d' ' -f1)
if [ ! -e "$clean/.complete" ]; then
    ! mountpoint -q "$clean/proc" || umount "$clean/proc"
    rm -rf --one-file-system "$clean"
    mkdir -p "$clean"
    began=$(date +%s)
    script=/usr/share/debootstrap/scripts/$suite # of releases that it does not know yet, sid's
    [ -e "$script" ] || script=${script%/*}/sid
    debootstrap --arch="$debian_arch" --variant=minbase ${include:+"--include=$include"} "$suite" "$clean" "$RF_DEBIAN" "$script" \
        >"$clean.log" 2>&1 ||
        skip "debootstrap cannot make a root of $suite for $debian_arch: $(tail -n 1 "$clean.log")"
    rm -f "$clean"/var/cache/apt/archives/*.deb
    : >"$clean/.complete"
    echo "a root of $suite for $debian_arch was made in $(($(date +%s) - began)) s"
fi
root=$(mktemp -d "$packages/roots/run-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a --reflink=auto "$clean/." "$root"
mkdir "$root/test"
# shellcheck disable=SC2086
cp $packages/dist/$pattern "$root/test"
cp "$case" "$here/lib.sh" "$here/thirty_seconds.sh" "$here/use_wheel.sh" "$root/test"
"$here/readme.py" "$source/README.md" "$root/test"
# wheels of PyPI, which the case installs without the network
pypi=$(value pypi)
[ -z "$pypi" ] || python3 -m pip download -q --no-deps -d "$root/test/pypi" "$pypi" ||
    skip "'$pypi' cannot be had from PyPI"
# for roots without a compiler; the portable one is there if what it compiles is
compiler=$portable/cc
[ -x "$compiler" ] || compiler=cc
"$compiler" -I"$source/include" "$root/test/train.c" -o "$root/test/train.built" -ldl
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"

# ---- The case ----

# A name space of mounts and processes of its own: nothing is left mounted. There is no /dev/shm.
rm -rf "$root/dev/shm"
unshare --mount --pid --fork sh -c '
    mount -t proc proc "$1/proc"
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" chroot "$1" sh -euc "cd /test; . ./case_$2.sh"' \
    sh "$root" "$1"
