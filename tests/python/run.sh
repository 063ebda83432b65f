#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILD PYTHON TEST.py
build=$1 python=$2 file=$3
[ -d "$build/python/rangefinder" ] && [ -n "$python" ] || {
    echo "SKIP: the Python package was not built: no Python.h of a Python 3.9 or later"
    exit 77
}
"$python" -c 'import pytest' 2>/dev/null || {
    echo "SKIP: $python has no pytest"
    exit 77
}
# programs that are recorded say where they come from
cd "$(dirname "$file")" || exit
output=$(RF_BUILD=$build PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH} \
    PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -rs -p no:cacheprovider "$file" 2>&1)
status=$?
printf '%s\n' "$output"
# nothing but skipped tests; 5: the file itself is skipped
if { [ $status -eq 0 ] || [ $status -eq 5 ]; } && printf '%s\n' "$output" | tail -n 1 | grep -q '^=* *[0-9]* skipped in'; then
    printf '%s\n' "$output" | sed -n 's/^SKIPPED [^:]*:[0-9]*: /SKIP: /p' | head -n 1
    exit 77
fi
exit $status
