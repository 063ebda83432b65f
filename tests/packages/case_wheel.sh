# SPDX-License-Identifier: Apache-2.0
# suite: bookworm
# include: python3-venv,gcc,libc6-dev
# package: rangefinder_profiler-*-cp311-cp311-manylinux*.whl
. /work/lib.sh
timed "an environment" python3 -m venv /opt/env
PATH=/opt/env/bin:$PATH
timed "pip install" pip install --no-index /work/*.whl
expect "Name: rangefinder-profiler" pip show rangefinder-profiler
cc -I"$(python -c 'import rangefinder; print(rangefinder.get_include())')" train.c -o train -ldl
. /work/thirty_seconds.sh
timed "a recording of Python" rangefinder profile -o run python3 train.py
expect 'step' python3 -c 'import rangefinder
run = rangefinder.open("run.rf")
slowest = max(run.ranges.filter(name="step"), key=lambda step: step.duration_ns)
print(slowest.payload, slowest.duration_ns, slowest.name, [child.name for child in slowest.children])'
expect 'ok    package' python3 -m rangefinder.doctor
expect 'usage: nsys2json' nsys2json --help
timed "pip uninstall" pip uninstall -y rangefinder-profiler
[ ! -e /opt/env/bin/rangefinder ] || fail "pip left the command"
[ ! -e /opt/env/lib/python3.11/site-packages/rangefinder ] || fail "pip left files"
