# SPDX-License-Identifier: Apache-2.0
# Where sessions are found when RANGEFINDER_RUNTIME_DIR says nothing. Other sessions of this user may
# run here: these are asked for by name.
unset RANGEFINDER_RUNTIME_DIR
name=folders-$$
shown()
{
    ls -A "$1" | sed "s/$name@.*\./NAME@BOOT./"
}
# a path that is longer than a socket's may be
long=$PWD/$(printf '%0120d' 0)
mkdir -p -m 700 "$long" tmp
export TMPDIR="$PWD/tmp"
XDG_RUNTIME_DIR=$long rangefinder launch -q -o a --session-new=$name act touch:ready1 await:end &
pid=$!
wait_for test -f ready1
shown "$long/rangefinder"
XDG_RUNTIME_DIR=$long rangefinder status --session=$name
echo "= $?"
touch end
wait $pid
shown "$long/rangefinder"
rm end

# no such folder: the next one; it is found from a shell whose variable is another
XDG_RUNTIME_DIR=/nowhere/at/all rangefinder launch -q -o b --session-new=$name act touch:ready2 await:end &
pid=$!
wait_for test -f ready2
for XDG_RUNTIME_DIR in /nowhere/at/all "$long" relative ''; do
    export XDG_RUNTIME_DIR
    rangefinder status --session=$name
    echo "= $?"
done
unset XDG_RUNTIME_DIR
rangefinder status --session=$name
echo "= $?"
rangefinder shutdown --session=$name 2>&1 | sed "s/$name/NAME/"
wait $pid
echo "= $?"
