# SPDX-License-Identifier: Apache-2.0
# A command line that was killed leaves its socket behind: it is no session, and its name is free.
folder=$RANGEFINDER_RUNTIME_DIR
rangefinder launch -q --session-new=run act touch:ready await:end &
pid=$!
wait_for test -f ready
ls "$folder" | sed 's/@.*\./@BOOT./'
kill -9 $pid
{ wait $pid; } 2>gone.err
ls "$folder" | wc -l
run rangefinder status --session=run
ls "$folder" | wc -l

rangefinder launch -q -o again --session-new=run act touch:ready2 await:end &
pid=$!
wait_for test -f ready2
kill -9 $pid
{ wait $pid; } 2>gone.err
rangefinder launch -q -o third --session-new=run act touch:ready3 await:end &
pid=$!
wait_for test -f ready3
run rangefinder status
# what is no socket of ours is left alone
touch "$folder/other" "$folder/x@00000000.sock"
run rangefinder status
rm "$folder"/*@*.sock
# a socket that was taken away: the name can be used again, and its end takes nothing else away
rangefinder launch -q -o fourth --session-new=run act touch:ready4 await:end &
pid4=$!
wait_for test -f ready4
touch end
wait $pid
echo "= $?"
wait $pid4
echo "= $?"
ls "$folder"
rm -rf ./*.rfdir
