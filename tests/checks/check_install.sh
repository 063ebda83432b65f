#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What cmake --install leaves can be moved: the command finds its libraries, pkg-config and CMake
# find the headers, programs link and run.
#
# usage: check_install.sh SOURCE BUILD
set -eu
build=$2
if grep -q '^RF_SANITIZE:STRING=..*' "$build/CMakeCache.txt"; then
    echo "SKIP: a sanitized library does not link into a plain program"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/tree"
lib=$(dirname "$(find "$work/tree" -name librangefinder-inject.so)")
cd "$work"

cat >app.c <<'END'
#include <nvtx3/nvToolsExt.h>
int main(void)
{
    nvtxRangePushA("installed");
    nvtxRangePop();
    return 0;
}
END
cat >count.c <<'END'
#include <rangefinder/rangefinder.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct rf_err err;
    rf_recording *rec;
    if (argc < 2 || rf_open(argv[1], 0, &rec, &err) < 0)
        return 1;
    printf("%d range of %s\n", (int)rf_get_info(rec)->n_ranges, rf_version());
    rf_close(rec);
    return 0;
}
END
expect()
{
    [ "$1" = "1 range of $(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")" ] || {
        echo "expected one range, got: $1"
        exit 1
    }
}

cc -I"$work/tree/include" app.c -o app -ldl
"$work/tree/bin/rangefinder" profile -q -o run ./app

if command -v pkg-config >/dev/null; then
    # the words are options: they must be split
    # shellcheck disable=SC2046
    cc count.c -o by-pkg-config \
        $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs rangefinder)
    expect "$(LD_LIBRARY_PATH=$lib ./by-pkg-config run.rf)"
fi

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(client C)
find_package(rangefinder REQUIRED)
add_executable(by-cmake count.c)
target_link_libraries(by-cmake rangefinder::rangefinder rangefinder::nvtx3)
END
cmake -S . -B out -DCMAKE_PREFIX_PATH="$work/tree" >/dev/null
cmake --build out >/dev/null
expect "$(out/by-cmake run.rf)"
"$work/tree/bin/nsys2json" -f run.rf -t nvtx -o - | grep -q '"name": "installed"' || {
    echo "nsys2json does not work where it was installed"
    exit 1
}
if command -v python3 >/dev/null; then
    echo '[{"module": "colorsys", "functions": ["rgb_to_hsv"]}]' >functions.json
    "$work/tree/bin/rangefinder" profile -q -f -o run --python-functions-trace=functions.json \
        python3 -c 'import colorsys; colorsys.rgb_to_hsv(0, 0, 0)'
    expect "$(out/by-cmake run.rf)"
fi
[ -f "$work/tree/share/man/man1/rangefinder.1" ] || { echo "no man page was installed"; exit 1; }
