# SPDX-License-Identifier: Apache-2.0
# A release with an older glibc than the one that the Debian packages were built on: apt refuses them, and
# a command line that was unpacked by force says what it needs.
# suite: bullseye
# package: rangefinder_*_@DEBIAN_ARCH@.deb
. /test/lib.sh
apt-get update >/dev/null
! apt-get install -y --no-install-recommends ./rangefinder_*.deb >log 2>&1 || fail "apt installed them"
grep -q 'Depends: libc6 (>= 2\.' log || fail "$(cat log)"
! dpkg -l rangefinder 2>/dev/null | grep -q '^ii' || fail "it is installed"
dpkg -x rangefinder_*.deb /opt/forced
! /opt/forced/usr/bin/rangefinder --version >log 2>&1 || fail "it ran"
grep -qE "GLIBC_2\.[0-9]+' not found|cannot open shared object file" log || fail "$(cat log)"
# the recorder needs no more than 2.17: an old program runs on with it
mv train.built train
./train >without
NVTX_INJECTION64_PATH=$(echo /opt/forced/usr/lib/*/rangefinder/librangefinder-inject.so) ./train >with
cmp without with || fail "the program was disturbed"
