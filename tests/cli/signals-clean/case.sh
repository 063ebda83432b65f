# SPDX-License-Identifier: Apache-2.0
# A signal that ends a verb leaves nothing of what it had begun.
rangefinder profile -q -o run act ranges:600000
mkdir folder
TMPDIR=$PWD/folder
export TMPDIR
begun()
{
    test -n "$(find . -name '*.tmp-*')"
}
begun_or_over()
{
    begun || grep -q http said || ! grep -qs ') [^Z]' /proc/$pid/stat
}
# Starts a verb, and stops it where it has begun to write; a verb that was done before is started again.
start_until_begun()
{
    while :; do
        : >said
        python3 -c '
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXCPU, signal.SIGQUIT, signal.SIGUSR1):
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' rangefinder "$@" run.rf >said 2>&1 &
        pid=$!
        wait_for begun_or_over
        kill -STOP $pid 2>/dev/null && begun && return
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        rm -rf run.jsonl run.sqlite folder/* ./*.tmp-*
    done
}
for signal in HUP INT TERM PIPE XCPU QUIT USR1; do
    for verb in 'export -q -t jsonl -o run.jsonl' 'export -q -t sqlite -o run.sqlite' 'open --no-browser'; do
        start_until_begun $verb
        kill -$signal $pid
        kill -CONT $pid
        wait $pid 2>/dev/null
        echo "$signal, $verb: $?"
    done
done
# nobody reads what is said of an input while others are merged
kept=$PWD/run.rf
head -c 20000000 "$kept" >cut.rf
rangefinder recover -o lost.rf cut.rf 2>said || true
{
    wait_for test -e closed
    rangefinder export -o merged.json lost.rf run.rf 2>&1
    echo "merge: $?" >status
} | {
    exec 0<&-
    : >closed
}
cat status
rm -f said cut.rf lost.rf closed status
list
