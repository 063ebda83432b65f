# SPDX-License-Identifier: Apache-2.0
# The source distribution, built on Debian's newest CPython with nothing but Debian's packages.
# suite: forky
# include: python3-venv,python3-dev,gcc,g++,libc6-dev,cmake,ninja-build,pkg-config,libsqlite3-dev,zlib1g-dev,libpcre2-dev,python3-scikit-build-core,python3-pip
# package: rangefinder_profiler-*.tar.gz
. /test/lib.sh
python3 --version
python3 -m venv --system-site-packages /opt/env
PATH=/opt/env/bin:$PATH
timed "pip install of the source" pip install --no-index --no-build-isolation /test/*.tar.gz
cc -I"$(python3 -c 'import rangefinder; print(rangefinder.get_include())')" train.c -o train -ldl
. /test/thirty_seconds.sh
timed "a recording of Python" rangefinder profile -o run python3 train.py
expect step python3 -c 'import rangefinder; print(rangefinder.open("run.rf").ranges[0].name)'
expect 'recorded' python3 -c 'import rangefinder, rangefinder.nvtx as nvtx
with rangefinder.profile("itself.rf"):
    nvtx.mark("recorded")
print([mark.name for mark in rangefinder.open("itself.rf").marks])'
expect 'ok    package' python3 -m rangefinder.doctor
