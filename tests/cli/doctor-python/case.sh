# SPDX-License-Identifier: Apache-2.0
# Whose package python3 imports under this project's name.
command -v python3 >/dev/null || {
    echo 'no python3'
    exit 77
}
check()
{
    env "$@" rangefinder doctor | grep -A 1 '^[a-zA-Z]* *python' | grep -v self-test
}
mkdir -p another/rangefinder ours bin
echo 'raise SystemExit("imported")' >another/rangefinder/__init__.py
ln -s "$SOURCE/python/rangefinder" ours/rangefinder
check PYTHONPATH="$PWD/another"
check PYTHONPATH="$PWD/ours"
check PATH="$BUILD/bin"
