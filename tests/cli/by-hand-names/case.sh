# SPDX-License-Identifier: Apache-2.0
# The names of sessions.
names()
{
    rangefinder sessions list --json |
        python3 -c 'import json, sys
print([s["name"] for s in json.load(sys.stdin)["sessions"]])' | sed "s/[0-9][0-9][0-9]*/N/g; s/$(uname -n)/HOST/g"
}
export JOB='a/b c'
rangefinder launch -q -o l act touch:ready1 await:end &
wait_for test -f ready1
rangefinder profile -q -o p act touch:ready2 await:end &
wait_for test -f ready2
rangefinder profile -q -o n --session-new='N%%-%h-%q{JOB}@%p' act touch:ready3 await:end &
wait_for test -f ready3
rangefinder profile -q -o x --session-new=same act touch:ready4 await:end &
wait_for test -f ready4
names
# the same expansion finds it, but for the pid
run rangefinder status --session='N%%-%h-%q{JOB}@0' 2>&1 | sed "s/@[0-9][0-9]*/@N/g; s/$(uname -n)/HOST/g"
run rangefinder status --session='same%q{NOTHING}'
# taken: nothing is started
run rangefinder profile -o y --session-new=same act touch:started await:end
run rangefinder launch -o y --session-new=same act touch:started await:end
test -e started && echo "it was started"
# not valid: nothing is started
run rangefinder profile --session-new=1st act touch:started
run rangefinder profile --session-new= act touch:started
run rangefinder profile --session-new="$(printf 'a\tb')" act touch:started
run rangefinder profile --session-new=%q{NOTHING} act touch:started
run rangefinder profile --session-new="a$(printf '%064d' 0)" act touch:started
test -e started && echo "it was started"
touch end
wait
list
