#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs each wheel of build/packages/dist whose interpreter is on this machine in an environment of
# its own, without the network, and runs the README's thirty seconds there. case_wheel.sh does it in a
# clean root, with Debian's interpreter.
#
# usage: wheels.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
packages=$source/build/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$source/packaging/interpreters.sh" >"$work/interpreters"
n_used=0
for wheel in "$packages"/dist/rangefinder_profiler-*"_$(uname -m).whl"; do
    tag=$(echo "${wheel##*/}" | cut -d- -f4)
    python=$(sed -n "s/^$tag //p" "$work/interpreters")
    [ -n "$python" ] || continue
    echo "$tag: $("$python" -c 'import sys; print(sys.version.split()[0], sys.executable)')"
    mkdir "$work/$tag"
    "$here/readme.py" "$source/README.md" "$work/$tag"
    "$python" -m venv "$work/$tag/env"
    (
        PATH=$work/$tag/env/bin:$PATH
        export PATH
        unset PYTHONPATH
        cd "$work/$tag"
        sh -eu "$here/use_wheel.sh" "$here" "$wheel"
    ) || { echo "FAILED: $tag"; exit 1; }
    n_used=$((n_used + 1))
done
[ $n_used -gt 0 ] || { echo "SKIP: no wheel in build/packages/dist for an interpreter of this machine: ./dev packages builds them"; exit 77; }
