#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file that names the version names the same one.
#
# usage: check_version.sh SOURCE BUILD
set -eu
cd "$1"
version=$(sed -n 's/^project(rangefinder VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
part()
{
    sed -n "s/^#define RF_VERSION_$1 \([0-9]*\)$/\1/p" include/rangefinder/rangefinder.h
}
failed=0
expect()
{
    [ "$2" = "$version" ] || {
        echo "$1 has version '$2', CMakeLists.txt '$version'"
        failed=1
    }
}
expect include/rangefinder/rangefinder.h "$(part MAJOR).$(part MINOR).$(part PATCH)"
expect CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
expect CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
for page in docs/man/*.1; do
    grep -q '^\.TH .*"rangefinder @PROJECT_VERSION@"' "$page" || {
        echo "$page does not have the version of CMakeLists.txt: \"rangefinder @PROJECT_VERSION@\""
        failed=1
    }
done
exit $failed
