# SPDX-License-Identifier: Apache-2.0
# usage: use_wheel.sh TESTS WHEEL: with the environment's bin first in PATH, and train.c and train.py in
# this folder
. "$1/lib.sh"
timed "pip install" pip install --no-index "$2"
expect "Name: rangefinder-profiler" pip show rangefinder-profiler
cc -I"$(python -c 'import rangefinder; print(rangefinder.get_include())')" train.c -o train -ldl
. "$1/thirty_seconds.sh"
timed "a recording of Python" rangefinder profile -o run python train.py
expect 'step' python -c 'import rangefinder
run = rangefinder.open("run.rf")
slowest = max(run.ranges.filter(name="step"), key=lambda step: step.duration_ns)
print(slowest.payload, slowest.duration_ns, slowest.name, [child.name for child in slowest.children])'
expect 'recorded' python -c 'import rangefinder, rangefinder.nvtx as nvtx
with rangefinder.profile("itself.rf"):
    nvtx.mark("recorded")
print([mark.name for mark in rangefinder.open("itself.rf").marks])'
expect 'Collector' python -c 'import rangefinder.pm_sampling as sampling; print(dir(sampling))'
expect 'the GIL is as it was' env -u PYTHON_GIL python -W error::RuntimeWarning -c 'import sys
is_on = getattr(sys, "_is_gil_enabled", bool)()
import rangefinder, rangefinder.fleet, rangefinder.nvtx, rangefinder.pm_sampling, rangefinder._session
rangefinder.open("run.rf")
print("the GIL is as it was" if getattr(sys, "_is_gil_enabled", bool)() == is_on else "the GIL was switched on")'
expect 'lib/librangefinder-nvtxw.so' python -c 'import rangefinder; print(rangefinder.nvtxw_backend())'
expect 'ok    package' python -m rangefinder.doctor
expect 'usage: nsys2json' nsys2json --help
