# SPDX-License-Identifier: Apache-2.0
# The oldest Debian that is served, whose glibc is Ubuntu 20.04's: no compiler, no Python, no libzstd
# but the one that the tarball carries.
# suite: bullseye
# package: rangefinder-[0-9]*-linux-@ARCH@.tar.gz
. /test/lib.sh
mkdir "/opt/any where"
timed "tar" tar xzf /test/rangefinder-*.tar.gz -C "/opt/any where"
PATH=$(echo "/opt/any where"/rangefinder-*/bin):$PATH
mv train.built train
. /test/thirty_seconds.sh
expect 'usage: nsys2json' nsys2json --help
mv "/opt/any where" /opt/moved
PATH=$(echo /opt/moved/rangefinder-*/bin):$PATH
expect ', nothing lost' rangefinder profile -o moved ./train
[ -e "$(echo /opt/moved/rangefinder-*/share/man/man1/rangefinder.1)" ] || fail "no manual"
