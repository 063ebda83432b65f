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

# NVIDIA's headers, and a link to them, as distributions have it: nothing is written there.
mkdir -p "$work/cuda/nvtx3" "$work/first/include"
echo "theirs" >"$work/cuda/nvtx3/nvToolsExt.h"
ln -s "$work/cuda/nvtx3" "$work/first/include/nvtx3"
mkdir -p "$work/linked/include/rangefinder-nvtx"
ln -s "$work/cuda/nvtx3" "$work/linked/include/rangefinder-nvtx/nvtx3"
if cmake --install "$build" --prefix "$work/linked" >"$work/refused" 2>&1; then
    echo "installed through a link"
    exit 1
fi
grep -q "linked/include/rangefinder-nvtx/nvtx3' is a link" "$work/refused"
cmake --install "$build" --prefix "$work/first" >/dev/null
[ "$(cat "$work"/cuda/nvtx3/*)" = theirs ] || { echo "NVIDIA's headers were replaced"; exit 1; }
rm "$work/first/include/nvtx3"
mv "$work/first" "$work/tree"
lib=$(dirname "$(find "$work/tree" -name librangefinder-inject.so)")
cd "$work"

cat >app.c <<'END'
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayloadHelper.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
NVTX_DEFINE_STRUCT_WITH_SCHEMA(pair, NVTX_PAYLOAD_ENTRIES((int, a, TYPE_INT), (int, b, TYPE_INT)))
int main(void)
{
    nvtxCounterSampleInt64(NULL, NVTX_PAYLOAD_SCHEMA_REGISTER(NULL, pair), 1);
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

cc -I"$work/tree/include/rangefinder-nvtx" app.c -o app -ldl
"$work/tree/bin/rangefinder" profile -q -o run ./app

if command -v pkg-config >/dev/null; then
    # the words are options: they must be split
    # shellcheck disable=SC2046
    cc count.c -o by-pkg-config \
        $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs rangefinder)
    expect "$(LD_LIBRARY_PATH=$lib ./by-pkg-config run.rf)"
    # shellcheck disable=SC2046
    cc -c app.c $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags rangefinder-nvtx)
fi

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(client C)
find_package(rangefinder REQUIRED)
add_executable(by-cmake count.c)
target_link_libraries(by-cmake rangefinder::rangefinder)
add_executable(annotated app.c)
target_link_libraries(annotated rangefinder::nvtx3)
if(RF_HAS_CXX)
  enable_language(CXX)
  add_executable(by-cmake-cxx count.cc)
  target_link_libraries(by-cmake-cxx rangefinder::rangefinder)
endif()
END
sed 's/struct rf_err err/rf_err err/' count.c >count.cc
has_cxx=$(command -v c++ || true)
cmake -S . -B out -DCMAKE_PREFIX_PATH="$work/tree" -DRF_HAS_CXX="$has_cxx" >/dev/null
cmake --build out >/dev/null
expect "$(out/by-cmake run.rf)"
[ -z "$has_cxx" ] || expect "$(out/by-cmake-cxx run.rf)"
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
for page in "$1"/docs/man/*.1; do
    [ -f "$work/tree/share/man/man1/${page##*/}" ] || { echo "no ${page##*/} was installed"; exit 1; }
done
for file in bash-completion/completions/rangefinder bash-completion/completions/nsys2json zsh/site-functions/_rangefinder \
    fish/vendor_completions.d/rangefinder.fish fish/vendor_completions.d/nsys2json.fish; do
    grep -q nsys2json "$work/tree/share/$file" || { echo "share/$file was not installed, or does not complete nsys2json"; exit 1; }
done

# uninstall removes what was installed and nothing else
mkdir -p "$work/third/bin"
echo mine >"$work/third/bin/mine"
cmake --install "$build" --prefix "$work/third" >/dev/null
cmake -DBUILD="$build" -P "$1/cmake/uninstall.cmake" >/dev/null 2>&1
[ "$(find "$work/third" -mindepth 1 | sort | tr '\n' ' ')" = "$work/third/bin $work/third/bin/mine " ] || {
    find "$work/third" | head
    echo "uninstall left something, or removed too much"
    exit 1
}

# Every function has its page in section 3, where python3 made them; the documents that the manual
# names are there.
for name in $(sed -n 's/^    \(rf_[a-z0-9_]*\);$/\1/p' "$1/src/model/exports.map") rangefinder; do
    grep -q '^Python3_EXECUTABLE\|^_Python3_EXECUTABLE' "$build/CMakeCache.txt" || break
    [ -f "$work/tree/share/man/man3/$name.3" ] || { echo "no man page of $name"; exit 1; }
done
if command -v groff >/dev/null; then
    for page in "$work"/tree/share/man/man3/*.3; do
        grep -q '^\.so' "$page" || groff -man -ww -Tutf8 "$page" >/dev/null 2>>man-warnings
    done
    [ ! -s man-warnings ] || { head man-warnings; exit 1; }
fi
for page in $(grep -oh 'docs/[a-z\\-]*\.md' "$work"/tree/share/man/man*/* | tr -d '\\' | sort -u); do
    [ -f "$work/tree/share/doc/rangefinder/$page" ] || { echo "$page was not installed"; exit 1; }
done
