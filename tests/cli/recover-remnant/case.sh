# SPDX-License-Identifier: Apache-2.0
# What is left of a session whose recording is complete never takes the recording's place.
rangefinder profile -o run act ranges:60000 touch:ready await:go touch:done >/dev/null 2>&1 &
pid=$!
wait_for test -f ready
wait_for grep -qa RFCTRL run.rfdir/p000000.log
kill -9 $pid
wait $pid 2>/dev/null
touch go
# the program's own process holds its pool as long as it runs
wait_for test -f done
wait_for sh -c 'rangefinder recover --keep -o try.rf run.rfdir >/dev/null && rangefinder info try.rf | grep -q "has ended" || { rm -f try.rf; false; }'
rm -f try.rf
pool=$(readlink run.rfdir/p000000.pool)
test -e "$pool" && echo 'a pool in shared memory'
run rangefinder recover --keep run.rfdir
# packed, and killed before the removal
cp -a run.rfdir left.rfdir
run rangefinder recover run.rfdir
what run.rf
test -e "$pool" || echo 'no pool'
# killed in the middle of it, as older versions removed: some files are gone; the log has a copy of
# the control page
cp -a left.rfdir run.rfdir
rm run.rfdir/session
run rangefinder recover run.rfdir
# and has none
mv left.rfdir run.rfdir
rm run.rfdir/session
truncate -s 64 run.rfdir/p000000.log
run rangefinder recover run.rfdir
run rangefinder recover -f run.rfdir 2>&1 | sed 's/([0-9,]* records, and [0-9,]*)/(COUNTS)/'
rm run.rfdir/*.log
run rangefinder recover -f run.rfdir 2>&1 | sed 's/([0-9,]* records, and [0-9,]*)/(COUNTS)/'
what run.rf
# and as this one does
mv run.rfdir run.rfdir.remnant
: >/dev/shm/rangefinder-test-$$
ln -sf /dev/shm/rangefinder-test-$$ run.rfdir.remnant/p000000.pool
run rangefinder recover run.rfdir.remnant
test -e /dev/shm/rangefinder-test-$$ || echo 'no pool'
list
