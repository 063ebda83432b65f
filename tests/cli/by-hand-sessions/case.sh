# SPDX-License-Identifier: Apache-2.0
# Several sessions: they are listed, and found by name, by the pid of the program, of rangefinder
# and of any process of the session.
table()
{
    rangefinder sessions list "$@" | sed 's/  */ /g; s/[0-9][0-9][0-9]*/N/g; s|/[^ ]*/|DIR/|g'
}
run rangefinder sessions list
run rangefinder sessions list --json
rangefinder launch -q -o first --session-new='first one' act touch:ready1 await:end1 &
pid1=$!
wait_for test -f ready1
rangefinder profile -q -o second --session-new=second \
    sh -c 'echo $$ >program; act touch:ready2 await:end2 & echo $! >child; wait' &
pid2=$!
wait_for test -f ready2
table
table -p false
rangefinder sessions list --json | python3 -c '
import json, sys
for s in json.load(sys.stdin)["sessions"]:
    print(sorted(s), s["name"], s["verb"], s["state"], s["age_ms"] >= 0)'
run rangefinder status
run rangefinder status --session='first one'
run rangefinder status --session=second
echo "by pid:"
rangefinder status --session=$pid1
rangefinder status --session=$pid2
rangefinder status --session="$(cat program)"
rangefinder status --session="$(cat child)"
run rangefinder status --session=$$ 2>&1 | sed 's/[0-9][0-9][0-9]*/N/g'
run rangefinder status --session=12three
run rangefinder status --session=secnod
run rangefinder status --session=something-else
run rangefinder start --session=second
run rangefinder stop --session=second
run rangefinder cancel --session=second
run rangefinder start --session='first one'
table
run_quiet rangefinder stop --session='first one'
touch end1
wait $pid1
run rangefinder status
touch end2
wait $pid2
echo "= $?"
run rangefinder status
list
