#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs cases of the command line's tests.
#
#   run.sh BUILD [CASE...]            compare with what is expected
#   run.sh --refresh BUILD [CASE...]  write what is expected anew; look at the difference in git
#
# A case is a folder with case.sh, which runs in an empty directory, and the files stdout, stderr
# and status: what it prints, normalised (normalise.sed), and its exit status. Without CASE all of
# them run. A case that ends with status 77 is skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
refresh=
if [ "${1-}" = --refresh ]; then
    refresh=yes
    shift
fi
build=$(cd "${1:?usage: run.sh [--refresh] BUILD [CASE...]}" && pwd) || exit 2
shift
if [ $# -eq 0 ]; then
    for folder in "$here"/*/case.sh; do
        set -- "$@" "$(basename "$(dirname "$folder")")"
    done
fi

unset NVTX_INJECTION64_PATH NVTX_INJECTION32_PATH RANGEFINDER_SESSION RANGEFINDER_CLOCK
PATH=$build/bin:$build/tests/cli/apps:$PATH
LC_ALL=C
TZ=UTC
export PATH LC_ALL TZ
SOURCE=$(cd "$here/../.." && pwd)
BUILD=$build
export SOURCE BUILD

normalise()
{
    sed -e "s|$work|WORK|g" -e "s|$base|BASE|g" -e "s|$build|BUILD|g" -e "s|$SOURCE|SOURCE|g" -f "$here/normalise.sed"
}

# Prints the difference between an expected file and a new one; refreshes it where asked for.
compare()
{
    if [ -n "$refresh" ]; then
        cp "$2" "$1"
        return 0
    fi
    diff -u "$1" "$2" | sed -e "1s|.*|--- expected $3|" -e "2s|.*|+++ got|"
    cmp -s "$1" "$2"
}

failed=0
skipped=0
for name in "$@"; do
    case=$here/$name
    base=$(mktemp -d) || exit 2
    # behind no symbolic link, so that paths in messages can be recognised
    base=$(cd "$base" && pwd -P)
    work=$base/work
    mkdir "$work"
    # sessions of this case only
    RANGEFINDER_RUNTIME_DIR=$base/runtime
    export RANGEFINDER_RUNTIME_DIR
    (cd "$work" && sh -c '. "$1/lib.sh"; . "$1/$2/case.sh"' sh "$here" "$name") \
        >"$base/stdout.raw" 2>"$base/stderr.raw" </dev/null
    status=$?
    if [ $status -eq 77 ]; then
        echo "SKIP: $name: $(tail -n 1 "$base/stdout.raw")"
        skipped=$((skipped + 1))
        rm -rf "$base"
        continue
    fi
    echo $status >"$base/status"
    normalise <"$base/stdout.raw" >"$base/stdout"
    normalise <"$base/stderr.raw" >"$base/stderr"
    bad=0
    for file in status stdout stderr; do
        compare "$case/$file" "$base/$file" "$name/$file" || bad=1
    done
    if [ $bad -ne 0 ]; then
        echo "FAIL: $name"
        failed=$((failed + 1))
    fi
    rm -rf "$base"
done
[ $failed -eq 0 ] || exit 1
[ $skipped -lt $# ] || exit 77
exit 0
