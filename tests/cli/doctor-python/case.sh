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
# PyPI's distribution of this name in the same folder, and what is left when it is uninstalled
mkdir -p mixed/rangefinder mixed/rangefinder-0.3.0.dist-info
printf 'Metadata-Version: 2.1\nName: rangefinder\nVersion: 0.3.0\n' >mixed/rangefinder-0.3.0.dist-info/METADATA
cp "$SOURCE"/python/rangefinder/*.py mixed/rangefinder
check PYTHONPATH="$PWD/mixed"
rm -r mixed/rangefinder-0.3.0.dist-info mixed/rangefinder/__init__.py
check PYTHONPATH="$PWD/mixed"
check PATH="$BUILD/bin"
