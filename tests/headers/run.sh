#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The public headers compile as C and C++, and the examples in their comments run and leak nothing.
#
# usage: run.sh CASE SOURCE BUILD       CC and CXX are honoured
set -eu
source=$2
build=$3
CC=${CC:-cc}
case ${CXX:-} in *NOTFOUND) CXX= ;; esac # as CMake says it
[ -n "${CXX:-}" ] || CXX=$(command -v c++ || true)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

skip()
{
    echo "SKIP: $1"
    exit 77
}

# A program that is compiled without sanitizers does not link with a library that has them.
sanitizers=$(sed -n 's/^RF_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
link="-L$build/lib -lrangefinder -Wl,-rpath,$build/lib"
[ -z "$sanitizers" ] || link="$link -fsanitize=$sanitizers"

headers()
{
    cat "$source"/include/rangefinder/*.h
}

# Both languages: every struct with its INIT macro.
case_c()
{
    {
        echo '#include <rangefinder/rangefinder.h>'
        echo '#include <rangefinder/pm_sampling.h>'
        echo '#include <rangefinder/summary.h>'
        echo '#include <rangefinder/why.h>'
        echo '#include <rangefinder/advise.h>'
        echo '#include <rangefinder/clocks.h>'
        echo '#include <rangefinder/compare.h>'
        echo '#include <rangefinder/snapshot.h>'
        echo 'int main(void) {'
        headers | sed -n 's/^struct \(rf_[a-z0-9_]*\) {$/\1/p' | sort -u |
            while read -r name; do
                init=$(echo "${name}_init" | tr a-z A-Z)
                headers | grep -q "^#define $init " || continue
                echo "struct $name $name = $init;"
                echo "if ($name.size != sizeof($name)) return 1;"
            done
        echo 'rangefinder_snapshot("nobody listens");'
        echo 'return rf_open(NULL, 0, NULL, NULL) == RF_ERR_USAGE ? 0 : 1; }'
    } >"$work/all.c"
    grep -c '_INIT;' "$work/all.c"
    for standard in c11 c17; do
        # shellcheck disable=SC2086
        $CC -std=$standard $warnings -I"$source/include" "$work/all.c" -o "$work/all" $link
        "$work/all"
    done
}

# Every struct by its plain name, which no function hides; every function by its address.
case_cxx()
{
    [ -n "$CXX" ] || skip "no C++ compiler"
    [ -s "$work/all.c" ] || case_c
    {
        cat "$work/all.c"
        echo 'template <typename T> static bool is_there(T volatile f) { return f != nullptr; }'
        echo 'bool all();'
        echo 'bool all() { bool is_all = true;'
        headers | sed -n 's/^struct \(rf_[a-z0-9_]*\) {$/\1/p' | sort -u |
            while read -r name; do
                echo "$name value_of_$name = $name(); $name *pointer_to_$name = &value_of_$name;"
                echo "is_all = is_all && pointer_to_$name != nullptr;"
            done
        sed -n 's/^    \(rf_[a-z0-9_]*\);$/\1/p' "$source/src/model/exports.map" |
            while read -r name; do
                echo "is_all = is_all && is_there(&$name);"
            done
        echo 'return is_all; }'
    } >"$work/all.cc"
    for standard in c++11 c++17; do
        # shellcheck disable=SC2086
        $CXX -std=$standard $warnings -Wold-style-cast -Wzero-as-null-pointer-constant \
            -I"$source/include" "$work/all.cc" -o "$work/all" $link
        "$work/all"
    done
}

# The lines of a header's first comment that are indented by four spaces.
example_of()
{
    awk '/^\/\*/ { n++ }
         n == 2 && /^ \*     / { print substr($0, 8); is_code = 1; next }
         n == 2 && is_code && /^ \*$/ { print ""; next }
         n == 2 && is_code { exit }' "$source/include/rangefinder/$1"
}

# Compiles an example, as C and as C++, and makes it tell what it leaks.
build_example()
{
    example_of "$1" >"$work/example.c"
    grep -q 'int main(' "$work/example.c" || { echo "$1 has no example"; exit 1; }
    if [ -n "$CXX" ]; then
        # shellcheck disable=SC2086
        $CXX -x c++ -std=c++11 $warnings -I"$source/include" -c "$work/example.c" -o /dev/null
    fi
    leaks=
    if [ -z "$sanitizers" ]; then
        echo 'int main(void) { return 0; }' >"$work/probe.c"
        if $CC -fsanitize=address "$work/probe.c" -o "$work/probe" 2>/dev/null && "$work/probe"; then
            leaks=-fsanitize=address
        fi
    fi
    # shellcheck disable=SC2086
    $CC -std=c11 $warnings $leaks -I"$source/include" "$work/example.c" -o "$work/example" $link
}

case_example_reader()
{
    build_example rangefinder.h
    "$work/example" "$source/tests/golden/v1.3.rf" >"$work/events"
    [ "$(wc -l <"$work/events")" -gt 10 ] || { echo "few events:"; cat "$work/events"; exit 1; }
    LC_ALL=C sort -c -s -n -k1,1 "$work/events"
    for wrong in "" "$work/none.rf"; do
        if "$work/example" $wrong >"$work/out" 2>"$work/err"; then
            echo "an error is not seen"
            exit 1
        fi
        [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] || { cat "$work/err"; exit 1; }
    done
}

# With the stand-ins for NVIDIA's libraries it samples; without, it says why it does not.
case_example_sampling()
{
    build_example pm_sampling.h
    if RANGEFINDER_CUPTI="$work/none" "$work/example" >"$work/out" 2>"$work/err"; then
        echo "it samples without libcupti"
        exit 1
    fi
    [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] || { cat "$work/err"; exit 1; }
    double=$build/tests/pmsampling/double
    [ -e "$double/libcupti.so.13" ] || return 0
    mkdir "$work/driver"
    ln -s "$(find "$double" -name 'libcuda.so*' | head -n 1)" "$work/driver/libcuda.so.1"
    RANGEFINDER_CUPTI=$double/libcupti.so.13 LD_LIBRARY_PATH=$work/driver "$work/example" \
        >"$work/out" 2>"$work/err" || { cat "$work/err"; exit 1; }
    cat "$work/out"
}

"case_$1"
