# SPDX-License-Identifier: Apache-2.0
# suite: bookworm
# include: gcc,libc6-dev,pkg-config
# also: aarch64
# package: *_@DEBIAN_ARCH@.deb
. /test/lib.sh
timed "apt-get update" apt-get update
timed "apt-get install" apt-get install -y --no-install-recommends ./rangefinder_*.deb ./librangefinder0_*.deb \
    ./librangefinder-dev_*.deb
# shellcheck disable=SC2046
cc $(pkg-config --cflags rangefinder-nvtx) train.c -o train -ldl
. /test/thirty_seconds.sh
cat >count.c <<'END'
#include <rangefinder/rangefinder.h>
int main(void)
{
    rf_recording *rec;
    return rf_open("report1.rf", 0, &rec, NULL) == 0 && rf_get_info(rec)->n_ranges == 20 ? 0 : 1;
}
END
# shellcheck disable=SC2046
cc count.c -o count $(pkg-config --cflags --libs rangefinder)
./count || fail "the reader library does not read the recording"
timed "apt-get install, Python" apt-get install -y --no-install-recommends ./python3-rangefinder_*.deb
timed "a recording of Python" rangefinder profile -o run python3 train.py
expect step python3 -c 'import rangefinder; print(rangefinder.open("run.rf").ranges[0].name)'
expect 'recorded' python3 -c 'import rangefinder, rangefinder.nvtx as nvtx
with rangefinder.profile("itself.rf"):
    nvtx.mark("recorded")
print([mark.name for mark in rangefinder.open("itself.rf").marks])'
expect 'lib/librangefinder-nvtxw.so' python3 -c 'import rangefinder; print(rangefinder.nvtxw_backend())'
timed "apt-get purge" apt-get purge -y rangefinder librangefinder0 librangefinder-dev python3-rangefinder
find / -xdev -name '*rangefinder*' -not -path '/test/*' -not -path '/proc/*' -not -path '/var/*' -not -path '/tmp/*' >left
[ ! -s left ] || { cat left; fail "files were left"; }
