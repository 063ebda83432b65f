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
for signal in HUP INT TERM; do
    for verb in 'export -q -t jsonl -o run.jsonl' 'export -q -t sqlite -o run.sqlite' 'open --no-browser'; do
        python3 -c '
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' rangefinder $verb run.rf >/dev/null 2>&1 &
        pid=$!
        wait_for begun
        kill -$signal $pid
        wait $pid 2>/dev/null
        echo "$signal, $verb: $?"
    done
done
list
