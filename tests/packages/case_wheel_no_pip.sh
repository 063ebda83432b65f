# SPDX-License-Identifier: Apache-2.0
# A Python that has no pip: the wheel unpacked by hand.
# suite: bookworm
# include: python3,unzip
# package: rangefinder_profiler-*-cp311-cp311-manylinux*_@ARCH@.whl
. /test/lib.sh
! python3 -m pip --version >/dev/null 2>&1 || fail "there is a pip"
mv train.built train
unzip -q -d /opt/rangefinder /test/*.whl
PYTHONPATH=/opt/rangefinder
export PYTHONPATH
expect ', nothing lost' python3 -m rangefinder profile -o run python3 train.py
expect step python3 -c 'import rangefinder; print(rangefinder.open("run.rf").ranges[0].name)'
PATH=/opt/rangefinder/rangefinder/bin:$PATH
. /test/thirty_seconds.sh
# an unpacker that forgets who may execute what
rm -r /opt/rangefinder
python3 -m zipfile -e /test/*.whl /opt/rangefinder
! python3 -m rangefinder --version >log 2>&1 || fail "it ran"
grep -q 'permission denied; chmod +x' log || fail "$(cat log)"
