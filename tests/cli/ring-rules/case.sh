# SPDX-License-Identifier: Apache-2.0
# Rules of a flight recorder: what is wrong with them is said before the program is started; what
# they find, and what they never saw.
try()
{
    run rangefinder profile --ring=1M "$@" -o x act touch:started
}
try --snapshot-on=slow
try --snapshot-on=slow:step
try --snapshot-on=slow:step:1x
try --snapshot-on=open:step:3x
try --snapshot-on=mark:
try --snapshot-on=crash:now
try --snapshot-on=hang:step:3s
try --after=soon
try --cool-down=-1s
try --snapshot-quota=64K
try --snapshot-quota=much
try -c nvtx -p step --snapshot-on=exit
run rangefinder profile --snapshot-on=exit -o x act touch:started
run rangefinder profile --after=1s -o x act touch:started
list

rangefinder profile --ring=1M --snapshot-on=mark:cause --snapshot-on=mark:Cause --snapshot-on=slow:nothing:3x \
    --snapshot-on=slow:cause:1s -o fired act mark:before mark:cause mark:cause 2>said
echo "= $?"
sed 's/thread [0-9]*/thread TID/' said >&2
# what was nearly there counts only where nothing else was
try_domain() { rangefinder profile --ring=1M "--snapshot-on=mark:c*@" -f -o near "$@" 2>&1 | grep 'no such' >&2; }
try_domain act domain:other mark:cause
try_domain act domain:other mark:cause domain: mark:cause
rm near*
run rangefinder profile -q --ring=1M --snapshot-on=exit -o quiet act mark:before exit:5
for file in fired quiet; do
    rangefinder info --json $file.snapshot1.rf | python3 -c '
import json, sys
ring = json.load(sys.stdin)["ring"]
print(ring["snapshot"], ring["rule"], "value_ns" in ring)'
done
rangefinder info fired.snapshot1.rf | sed -n '/^snapshot/s/thread [0-9]*/thread TID/p'
list
