# SPDX-License-Identifier: Apache-2.0
# The disk is full: the program runs on and its status counts; what was recorded can be read.
mkdir disk
mount -t tmpfs -o size=4m tmpfs disk 2>/dev/null || {
    echo 'a small file system cannot be mounted here'
    exit 77
}
trap 'umount "$PWD/disk"' EXIT
rangefinder profile -o disk/run act ranges:200000 print:done exit:4 2>said
echo "= $?"
grep -c 'No space left on device; the program runs on' said
run rangefinder profile -q -o disk/second act touch:started
ls
rangefinder info --json disk/run.rfdir 2>/dev/null | python3 -c '
import json, sys
info = json.load(sys.stdin)
print("all are there or counted:", info["n_ranges"] > 1000 and info["n_lost_records"] > 1000)
print(info["n_ranges"] + info["n_lost_records"] / 2 >= 200000)'
run rangefinder recover -o saved.rf disk/run.rfdir >/dev/null 2>&1
rangefinder info saved.rf >/dev/null 2>&1
echo "= $?"
