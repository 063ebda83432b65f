#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What annotations cost in Python, the loop around them included: with no tool attached, recorded, and
# disabled, next to the package nvtx where an interpreter has it.
#
# usage: python.sh [PYTHON [NVTX_PYTHON]]
#
# PYTHON: of the version that the package in the build was made for; default: what the build used
# NVTX_PYTHON: one of the same version that has the package nvtx; default: what RF_NVTX_PYTHON names,
#   or PYTHON
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
python=${1:-$(sed -n 's/^_*Python3_EXECUTABLE:[A-Z]*=//p' "$RF_BUILD/CMakeCache.txt" | head -n 1)}
nvtx_python=${2:-${RF_NVTX_PYTHON:-$python}}
[ -d "$RF_BUILD/python/rangefinder" ] || die "the build has no Python package: Python.h is missing"
ours="$root/bench/python_calls.py rangefinder.nvtx $rounds"
noop=$programs/libnoop_profile.so

# calls NAME COMMAND...: the times of all rows into NAME.txt.
calls()
{
    name=$1
    shift
    PYTHONPATH=$RF_BUILD/python "$@" >"$name.txt" || die "$1 failed"
}

# of NAME ROW: the least and the median of its rounds.
of()
{
    awk -v row="$2" '$1 == row { n = NF - 1; for (i = 2; i <= NF; i++) t[i - 1] = $i }
        END { for (i = 2; i <= n; i++) for (k = i; k > 1 && t[k] < t[k - 1]; k--) {
                  x = t[k]; t[k] = t[k - 1]; t[k - 1] = x }
              print t[1], t[int((n + 1) / 2)] }' "$1.txt"
}

# The least time of a row.
least()
{
    of "$1" "$2" | cut -d' ' -f1
}

# line NAME WHAT ROW TARGET [ABOVE]: a row in ns; ABOVE: what it is above another row.
line()
{
    # shellcheck disable=SC2046
    set -- "$1" "$2" "$3" "$4" "${5:--}" $(of "$1" "$3")
    if [ "$5" = - ]; then
        row "$2" "$6" "$7" - "$4"
    else
        row "$2" "$(calc "$6 - $(least "$1" "$5")")" "$(calc "$7 - $(least "$1" "$5")")" - "$4"
    fi
}

# against NAME WHAT ROW TARGET [ABOVE]: how many times as fast as the package; ABOVE: both above another
# row.
against()
{
    grep -q "^$3 " "nvtx-$1.txt" || return 0
    theirs=$(least "nvtx-$1" "$3") ours=$(least "$1" "$3")
    if [ -n "${5:-}" ]; then
        theirs="($theirs - $(least "nvtx-$1" "$5"))" ours="($ours - $(least "$1" "$5"))"
    fi
    # shellcheck disable=SC2046
    row "$2" $(of "nvtx-$1" "$3") "$(calc "$theirs / $ours")" "$4"
}

# shellcheck disable=SC2086
{
    calls alone "$python" $ours "$noop"
    calls disabled env NVTX_DISABLE=1 "$python" $ours
    calls recorded "$rangefinder" profile -q -f true -o r -- "$python" $ours "$noop"
}
title "no tool attached" ns
line alone "call of an empty function" call -
line alone 'decorated, above that' decorator 25 call
line alone 'with annotate("x")' constructed 130
line alone 'with, of one object' entered 80
line alone 'push_range("x"), pop_range()' push_pop 60
line alone 'the same with color, domain, category, payload' push_pop_all 150
line alone 'the same prepared, of a Domain' push_pop_prepared -
line alone 'mark("x")' mark -
line alone 'start_range("x"), end_range()' start_end -
line alone 'call of a method in C that does nothing' method -
line alone 'counter.sample(7)' sample_int -
line alone 'counter.sample(0.5)' sample_float -
line alone 'push_range, pop_range of a Domain, payload=[1, 2, 3, 4]' list_payload -
title "recorded" ns
line recorded 'decorated, above the bare call' decorator 45 call
line recorded 'with annotate("x")' constructed 160
line recorded 'with, of one object' entered -
line recorded 'push_range("x"), pop_range()' push_pop 90
line recorded 'the same with color, domain, category, payload' push_pop_all -
line recorded 'the same prepared, of a Domain' push_pop_prepared -
line recorded 'mark("x")' mark -
line recorded 'start_range("x"), end_range()' start_end -
line recorded 'counter.sample(7)' sample_int -
line recorded 'counter.sample(0.5)' sample_float -
line recorded 'push_range, pop_range of a Domain, payload=[1, 2, 3, 4]' list_payload -
line recorded 'with annotate("x", payload=[1, 2, 3, 4])' list_annotate -
title "NVTX_DISABLE" ns
line disabled 'decorated, above the bare call' decorator 2 call
line disabled 'with annotate("x"): what Python itself takes' constructed -
line disabled 'push_range("x"), pop_range()' push_pop 80
line disabled 'mark("x")' mark 40
title "automatic annotation; ratio: of a no-op profile function and the recorder" ns
line recorded "call of an empty function with a no-op in C" noop_profile -
recorder=$(calc "$(least recorded push_pop_prepared) - $(least alone push_pop_prepared)")
# shellcheck disable=SC2046
row "the same with Profile" $(of recorded automatic) \
    "$(calc "$(least recorded automatic) / ($(least recorded noop_profile) + $recorder)")" 1.5

"$nvtx_python" -c 'import nvtx' 2>/dev/null || {
    echo "not compared with the package nvtx: $nvtx_python does not have it"
    exit 0
}
theirs="$root/bench/python_calls.py nvtx $rounds"
# shellcheck disable=SC2086
{
    calls nvtx-alone "$nvtx_python" $theirs
    calls nvtx-recorded "$rangefinder" profile -q -f true -o r -- "$nvtx_python" $theirs
}
for how in alone recorded; do
    # it builds messages only for a tool
    [ $how = recorded ] && target='>=8' || target=-
    title "the package nvtx, $how; ratio: times as fast as it" ns
    against $how 'with annotate("x")' constructed $target
    against $how 'push_range("x"), pop_range()' push_pop $target
    against $how 'the same with color, domain, category, payload' push_pop_all $target
    against $how 'the same prepared, of a Domain' push_pop_prepared '>=1'
    against $how 'mark("x")' mark $target
    against $how 'start_range("x"), end_range()' start_end $target
    against $how 'decorated' decorator -
    against $how 'with, of one object' entered -
    against $how 'counter.sample(7)' sample_int -
    against $how 'counter.sample(0.5)' sample_float -
    if [ $how = recorded ]; then
        against $how 'counter.sample(7): the ratio is above the bare call' sample_int '>=2' method
        against $how 'counter.sample(0.5): likewise' sample_float '>=2' method
        target='>=3'
    fi
    against $how 'push_range, pop_range of a Domain, payload=[1, 2, 3, 4]' list_payload $target
    against $how 'with annotate("x", payload=[1, 2, 3, 4])' list_annotate $target
    against $how 'automatic annotation' automatic -
done
