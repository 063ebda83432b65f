# SPDX-License-Identifier: Apache-2.0
# Only its owner may control a session: the folder is its own, and who gets to the socket in another
# way is told who it is.
[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || {
    echo 'this takes root and setpriv'
    exit 77
}
as_nobody()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
as_nobody rangefinder version >/dev/null 2>&1 || {
    echo 'another user cannot run what was built here'
    exit 77
}
folder=$RANGEFINDER_RUNTIME_DIR
rangefinder launch -q --session-new=run act touch:ready await:end &
pid=$!
wait_for test -f ready
stat -c '%a %F' "$folder"
# the folders above are open here as those of a runtime folder are
chmod o+rx .. .
run ask "$folder" "dance protocol=1"
run as_nobody rangefinder status
run as_nobody rangefinder start --session=run
run as_nobody rangefinder shutdown --session=run
# somebody has opened the folder, and every socket in it, to all
chmod 777 "$folder" "$folder"/*.sock
run as_nobody ask "$folder" "shutdown protocol=1 signal=9"
run rangefinder status
chmod 700 "$folder"
run rangefinder status
touch end
wait $pid
echo "= $?"

# a folder that another user made, or a link that leads elsewhere, is not used
rm -f ready end
mkdir -m 777 theirs
chown 65534 theirs
mkdir -m 700 ours
ln -s ours link
for name in theirs link; do
    export RANGEFINDER_RUNTIME_DIR="$PWD/$name"
    run rangefinder profile -q -o $name act mark:recorded
    run rangefinder launch -q act mark:not-run
done
find theirs ours
events theirs.rf link.rf
