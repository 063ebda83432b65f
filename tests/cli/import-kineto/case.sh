# SPDX-License-Identifier: Apache-2.0
# Traces of torch.profiler as recordings: what is in them, tables, other formats, folders, and what
# is no trace or no whole one.
gunzip -c "$SOURCE/tests/data/kineto/plain.json.gz" >plain.json
cp "$SOURCE/tests/data/kineto/gloo-rank0.json.gz" gloo.json.gz
run rangefinder info plain.json gloo.json.gz
rangefinder info --json plain.json | grep -oE '"(is_import|import_reader|import_why|epoch_utc_ns|rank)":[^,]*'
run rangefinder stats -r nvtx_sum:rows=3 -f csv plain.json
run rangefinder export -q -t jsonl,text plain.json
head -n 3 plain.jsonl
mkdir ranks empty
cp gloo.json.gz ranks/r0.pt.trace.json.gz
cp "$SOURCE/tests/data/kineto/gloo-rank1.json.gz" ranks/r1.pt.trace.json.gz
echo '{"not": "a trace"}' | tee ranks/other.json >empty/other.json
run rangefinder stats -r nvtx_sum:rows=2 -f csv ranks
run rangefinder info empty
run rangefinder info ranks/other.json
head -c 5000 plain.json >cut.json
run rangefinder info cut.json
head -c 3000 gloo.json.gz >cut.json.gz
run rangefinder info cut.json.gz
rangefinder export -q -t perfetto -o plain.pftrace plain.json
run rangefinder info plain.pftrace
mv plain.pftrace plain.trace
run rangefinder info plain.trace
run rangefinder export -t json -o plain.json plain.json
printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","pid":1,"ts":"soon"}]' >odd.json
run rangefinder info odd.json
