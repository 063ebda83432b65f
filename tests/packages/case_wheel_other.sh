# SPDX-License-Identifier: Apache-2.0
# PyPI's distribution rangefinder in the environment of ours: both have a folder of one name.
# suite: bookworm
# include: python3-venv
# package: rangefinder_profiler-*-cp311-cp311-manylinux*_@ARCH@.whl
# pypi: rangefinder
. /test/lib.sh
python3 -m venv /opt/env
PATH=/opt/env/bin:$PATH
ours=$(echo /test/rangefinder_profiler-*.whl)
site=/opt/env/lib/python3.11/site-packages
its_own="import os, rangefinder; print(hasattr(rangefinder, 'profile'))"
mv train.built train

pip install -q --no-index "$ours"
expect True python -c "$its_own"
expect "ok    python         python3 imports '$site/rangefinder'" rangefinder doctor

# the other over ours: import finds it (its own dependencies are not here), the command goes on and says so
timed "pip install, the other" pip install --no-deps --no-index --find-links /test/pypi rangefinder
! python -c "$its_own" 2>/dev/null | grep True || fail "the other package was not installed over ours"
expect "warn  python         python3 imports '$site/rangefinder', which has files of two projects" rangefinder doctor
expect ', nothing lost' rangefinder profile -o over ./train
expect ' :step' rangefinder stats over.rf

# uninstalled, it takes our __init__.py with it
pip uninstall -q -y rangefinder
expect "warn  python         python3 imports '$site/rangefinder', whose __init__.py went" rangefinder doctor
expect "warn  package        '$site/rangefinder' has no __init__.py any more" python -m rangefinder.doctor
pip install -q --no-index --force-reinstall "$ours"
expect True python -c "$its_own"
expect "ok    package        $site/rangefinder" python -m rangefinder.doctor

# ours over the other
pip uninstall -q -y rangefinder-profiler
pip install -q --no-deps --no-index --find-links /test/pypi rangefinder
python3 -m venv /opt/second
expect "warn  python         python3 imports '$site/rangefinder', which is another project's package" \
    env PATH=/opt/env/bin:/opt/second/bin:$PATH sh -c "/opt/second/bin/pip install -q --no-index '$ours'; rangefinder doctor"
pip install -q --no-index "$ours"
expect True python -c "$its_own"
expect 'belongs to another project, the distribution rangefinder' python -m rangefinder.doctor
expect 'has files of two projects' rangefinder doctor
