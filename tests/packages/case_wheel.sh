# SPDX-License-Identifier: Apache-2.0
# suite: bookworm
# include: python3-venv,gcc,libc6-dev
# also: aarch64
# package: rangefinder_profiler-*-cp311-cp311-manylinux*_@ARCH@.whl
. /test/lib.sh
timed "an environment" python3 -m venv /opt/env
PATH=/opt/env/bin:$PATH
sh -eu /test/use_wheel.sh /test "$(echo /test/*.whl)"
timed "pip uninstall" pip uninstall -y rangefinder-profiler
[ ! -e /opt/env/bin/rangefinder ] || fail "pip left the command"
[ ! -e /opt/env/lib/python3.11/site-packages/rangefinder ] || fail "pip left files"
