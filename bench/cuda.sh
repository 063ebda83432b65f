#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording CUDA costs, on a machine with an NVIDIA GPU: per launch of an empty kernel, next to
# a CUPTI client that throws its buffers away and to nsys where it is, and per training step in
# PyTorch. The parts "overhead" and "training" of tests/gpu measure it.
#
# usage: bench/cuda.sh [--quick]
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || die "there is no python3"
# shellcheck disable=SC2154 # of lib.sh
"$root/tests/gpu/run.sh" --build "$RF_BUILD" --out "$work/out" "$@" overhead training >log.txt || true
sed 's/^machine: //;q' log.txt
[ -s out/results.json ] || die "nothing was measured: $(tail -n 1 log.txt)"

# rows PYTHON: the lines that it prints are the arguments of row, separated by tabs.
rows()
{
    python3 -c "import json
numbers = json.load(open('out/results.json'))['numbers']
def say(*words): print(*words, sep='\t')
def ratio(a, b): return '%.3f' % (a / b) if b > 0 else '-'
$1" >rows.txt
    while IFS=$(printf '\t') read -r what min median ratio target; do
        row "$what" "$min" "$median" "$ratio" "$target"
    done <rows.txt
}

title "launch of an empty kernel, and what is added to it" ns
rows "
launch = numbers.get('launch_ns', {})
def added(name, what): return launch[name]['added_' + what]
if launch:
    say('nothing attached', '%.0f' % launch['bare']['min'], '%.0f' % launch['bare']['median'], '-', '-')
for name, what, target in (('floor', 'the floor: a client that throws its buffers away', '-'),
                           ('nsys', 'nsys', '-'),
                           ('ours', 'rangefinder -t cuda,nvtx, ratio to the floor', '1.3'),
                           ('armed', 'rangefinder, armed and not capturing', '-')):
    if name in launch:
        say(what, '%.0f' % added(name, 'min'), '%.0f' % added(name, 'median'),
            ratio(added(name, 'min'), added('floor', 'min')), target)
"
title "training step, a transformer in PyTorch" ms
rows "
step = numbers.get('step_ms', {})
for name, what, target in (('bare', 'nothing attached', '-'),
                           ('floor', 'a client that throws its buffers away', '-'),
                           ('ours', 'rangefinder -t cuda,nvtx', '1.02'),
                           ('armed', 'rangefinder, armed and not capturing', '1.01')):
    if name in step:
        say(what, '%.2f' % step[name][0], '%.2f' % step[name][1],
            ratio(step[name][0], step['bare'][0]), target)
"
