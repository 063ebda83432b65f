# SPDX-License-Identifier: Apache-2.0
# Nothing was annotated: the likely reason is said.
run rangefinder profile -o a plain
run rangefinder profile -o b act print:nothing
run rangefinder profile -o c act domain:x
[ ! -x "$BUILD/tests/cli/apps/plain-static" ] || rangefinder profile -o d plain-static 2>static
[ ! -f static ] || grep -o 'statically linked' static
what a.rf
run rangefinder stats a.rf
