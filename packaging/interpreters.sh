#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the interpreters of this machine that a wheel can be built for, one of each version of CPython
# from 3.9 on, free-threaded ones too, that has Python.h and venv: "cp313 /usr/bin/python3.13". They are
# looked for in PATH, among pyenv's, and in RF_PYTHONS, which names more.
set -eu

candidates()
{
    echo "$PATH" | tr : '\n' | while read -r folder; do
        ls "$folder"/python3 "$folder"/python3.[0-9] "$folder"/python3.[0-9][0-9] \
            "$folder"/python3.[0-9][0-9]t 2>/dev/null || true
    done
    for python in ${RF_PYTHONS-}; do
        echo "$python"
    done
    ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 2>/dev/null || true
}

candidates | while read -r python; do
    "$python" -c 'import ensurepip, os, sys, sysconfig
has_header = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
if has_header and sys.version_info >= (3, 9) and sys.implementation.name == "cpython":
    print("cp%d%d%s" % (*sys.version_info[:2], sys.abiflags), sys.executable)' 2>/dev/null || true
done | sort -u -k 1,1
