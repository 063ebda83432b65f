# SPDX-License-Identifier: Apache-2.0
# Several recordings in one file: what is refused, and that nothing is left then.
for rank in 0 1; do
    RANK=$rank rangefinder profile -q -o "rank$rank" act ranges:3 mark:m
done
mkdir job
cp rank0.rf rank1.rf job
run rangefinder export -o both.pftrace rank0.rf rank1.rf
run rangefinder export -q -t json,perfetto -o folder job
run rangefinder export -q -o both.sqlite rank0.rf rank1.rf
run rangefinder stats -q -f csv -r nvtx_sum -o - both.sqlite | cut -d, -f3,9,10
run rangefinder export -t perfetto rank0.rf rank1.rf
run rangefinder export -t csv -o both.csv rank0.rf rank1.rf
run rangefinder export --gpu-events -o events.pftrace rank0.rf rank1.rf
run rangefinder export --flavor=kineto -o kineto.json rank0.rf rank1.rf
run rangefinder export -o twice.pftrace rank0.rf rank0.rf
run rangefinder export -o twice.pftrace rank0.rf rank1.rf job/rank0.rf
run rangefinder export -o both.pftrace rank0.rf rank1.rf
run rangefinder export --filter-rank=7 -o none.pftrace rank0.rf rank1.rf
run rangefinder export --rank-from=order -q -o order.json rank1.rf rank0.rf
grep -o '"name":"rank [01] @ ' order.json
head -c 300 rank1.rf >damaged.rf
run rangefinder export -o damaged.pftrace rank0.rf damaged.rf
run rangefinder export -o damaged.sqlite rank0.rf damaged.rf
run rangefinder export -o damaged.html rank0.rf damaged.rf rank1.rf
run rangefinder export -o twice.sqlite rank0.rf rank0.rf
run rangefinder export -o missing.pftrace rank0.rf missing.rf
# files of one run that was split, snapshots of one flight recorder, and traces without a date
rangefinder profile -q --split=100ms -o pieces act push:a sleep:250 pop
rangefinder export -q -o pieces.json pieces.*.rf
echo "= $?"
run rangefinder export -q -o twice.json pieces.1.rf pieces.1.rf
cp pieces.1.rf copy.rf
run rangefinder export -q -o twice.json pieces.1.rf pieces.2.rf copy.rf
for i in 0 1; do
    echo '[{"ph": "X", "name": "a'$i'", "pid": 1, "tid": 1, "ts": 5, "dur": 5}]' >undated$i.json
done
run rangefinder export -q -o undated.html undated0.json undated1.json
run rangefinder export -q -o undated.pftrace undated0.json undated1.json
rm -f pieces.* copy.rf undated*
list
