# SPDX-License-Identifier: Apache-2.0
# Compressed recordings: made, read by every verb, compressed and expanded afterwards, and what is
# said where there is no libzstd, no room, or an end in the middle.
rangefinder doctor | grep -q 'libzstd [0-9]' || {
    echo 'libzstd is not installed'
    exit 77
}
# by how much it is compressed; on a busy machine parts are left as they are
sizes()
{
    rangefinder info --json "$1" | python3 -c '
import json, sys
info = json.load(sys.stdin)
print("compressed:", info["size_bytes"] < info["expanded_bytes"])'
}
# what a recording says, without its name and what depends on it
said()
{
    rangefinder export -t jsonl -o - "$1" | tail -n +2
    rangefinder stats -r nvtx_sum -f csv "$1"
    rangefinder stats -r nvtx_tree -f csv "$1"
}
run rangefinder profile --compress -o run act ranges:60000 mark:m push:open domain:d mark:n 2>&1 |
    sed 's/: [0-9.]* .B, compressed from [0-9.]* .B,/: SIZE, compressed from SIZE,/'
what run.rf
sizes run.rf
rangefinder info run.rf | sed -n 's/^recording.*(.*compressed from.*/info says it/p'
said run.rf >compressed
run rangefinder recover --compress=false -o expanded.rf run.rf 2>&1 | sed 's/: [0-9.]* .B,/: SIZE,/'
sizes expanded.rf
said expanded.rf | cmp - compressed
run rangefinder recover --compress -o again.rf expanded.rf 2>&1 |
    sed 's/: [0-9.]* .B, compressed from [0-9.]* .B,/: SIZE, compressed from SIZE,/'
sizes again.rf
echo "a tenth at most: $(($(wc -c <again.rf) * 10 < $(wc -c <expanded.rf)))"
said again.rf | cmp - compressed
rangefinder scrub -o scrubbed.rf run.rf 2>/dev/null
sizes scrubbed.rf
said scrubbed.rf | tail -n +2 | cmp - compressed >/dev/null || echo 'scrubbed: without its paths'
rangefinder summarize -o run.rfsum run.rf 2>/dev/null && rangefinder summarize -o expanded.rfsum expanded.rf 2>/dev/null
rangefinder stats -r nvtx_sum -f csv run.rfsum | sed 's/^run/expanded/' >a
rangefinder stats -r nvtx_sum -f csv expanded.rfsum | cmp - a
rangefinder profile -q -o other act ranges:1000
rangefinder export -t json -o merged.json run.rf other.rf 2>/dev/null
echo "ranges of both: $(grep -o '"ph":"X"' merged.json | wc -l)"
# where events are to be dropped rather than waited for, it is compressed at the end
rangefinder profile -q --compress --overflow=drop -o drop act ranges:900 sleep:2 repeat:20 2>/dev/null
sizes drop.rf 2>/dev/null
# a ring and its snapshot
rangefinder profile -q --compress --ring=8M --session-new=fly -o fly act ranges:60000 touch:made await:go &
wait_for test -f made
rangefinder snapshot fly >/dev/null
touch go
wait $!
for file in fly.snapshot1.rf fly.rf; do
    sizes $file
    rangefinder info --json $file | python3 -c 'import json, sys; print("all are there:", json.load(sys.stdin)["n_ranges"] == 60000)'
done
# captures
rangefinder profile -q --compress -c nvtx -p around --nvtx-capture-unregistered=true -o capture \
    act push:before pop push:around ranges:20000 pop
sizes capture.rf
what capture.rf
# an older reader is told by the version
od -A n -t u1 -j 8 -N 4 run.rf
od -A n -t u1 -j 8 -N 4 expanded.rf
# wrong bytes in the middle of a compressed part
python3 - <<'END'
import struct
data = bytearray(open("again.rf", "rb").read())
at, parts = 64, []
while at < len(data):
    kind, size = struct.unpack_from("<H", data, at + 4)[0], struct.unpack_from("<Q", data, at + 8)[0]
    if kind == 8 and struct.unpack_from("<H", data, at + 64)[0] == 1:
        parts.append(at)
    at += 64 + size
data[parts[len(parts) // 2] + 200] ^= 0x55
data[parts[len(parts) // 2] + 300] ^= 0x55
open("wrong.rf", "wb").write(data)
END
run rangefinder stats -r nvtx_sum wrong.rf 2>&1 | sed 's/at byte [0-9]*/at byte N/'
run rangefinder recover wrong.rf 2>&1 | grep -v next |
    sed 's/: [0-9.]* .B, compressed from [0-9.]* .B, [0-9,]*/: SIZE, compressed from SIZE, N/; s/about [0-9,]* events ([0-9.]* .B)/about N events (SIZE)/'
# no libzstd
export RANGEFINDER_ZSTD=/no/such/libzstd.so.1
run rangefinder info run.rf
run rangefinder info expanded.rf >/dev/null
run rangefinder profile --compress -o never act touch:never-made
run rangefinder recover --compress -o never expanded.rf
rangefinder doctor | grep -A 1 compression
unset RANGEFINDER_ZSTD
ls never* 2>/dev/null
# the command line is killed while it compresses
rangefinder profile -q --compress -o killed sh -c 'echo $$ >act.pid; exec act ranges:300000 touch:ready await:end' &
pid=$!
wait_for test -f act.pid
wait_for grep -qa RFCTRL killed.rfdir/p000000.log
kill -9 $pid
wait $pid 2>/dev/null
wait_for test -f ready
touch end
wait_for has_ended "$(cat act.pid)"
rangefinder recover killed.rfdir 2>/dev/null
what killed.rf
# a full disk
mkdir disk
if mount -t tmpfs -o size=3m tmpfs disk 2>/dev/null; then
    rangefinder profile --compress -o disk/run act ranges:6000000 exit:4 >/dev/null 2>&1
    echo "= $?"
    rangefinder recover -o saved disk/run.rfdir >/dev/null 2>&1
    rangefinder info --json saved.rf 2>/dev/null | python3 -c 'import json, sys; info = json.load(sys.stdin); print("read:", info["n_events"] > 1000, "damaged:", info["n_damaged_bytes"])'
    umount disk
fi
list | sed 's/ disk / /'
