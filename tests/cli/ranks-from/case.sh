# SPDX-License-Identifier: Apache-2.0
# Where the ranks of recordings come from: --rank-from that gives none, and the order of names.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID SLURM_LOCALID
mkdir plain job
for i in 2 10 1; do
    rangefinder profile -q -o plain/part$i act push:step pop push:step pop push:step pop
done
for i in 0 1; do
    RANK=$i LOCAL_RANK=$((7 - i)) rangefinder profile -q -o job/part$i act push:step pop push:step pop push:step pop
done
ranks() { run rangefinder stats "$@" | sed -n 's/^\([0-9]*\),.*/rank \1/p; s/^[^ ,]*part\([0-9]*\).rf,[^,]*,\([^,]*\),.*/part \1: rank \2/p; /names/p; /^=/p'; }
# nothing with the number
ranks -f csv -r nvtx_sum --rank-from=NO_SUCH job
ranks -f csv -r nvtx_sum --rank-from='none([0-9]+)' job
ranks -f csv -r nvtx_sum --rank-from='part([0-9]*)[.]x' job
run rangefinder stats -r nvtx_sum --rank-from='part[0-9]+' job
run rangefinder stats -r nvtx_sum --rank-from='part\(0' job
run rangefinder stats -r nvtx_sum --rank-from= job
cp job/part0.rf part99999999999999999999.rf
ranks -f csv -r nvtx_sum --rank-from='part([0-9]+)' part99999999999999999999.rf job/part1.rf
ranks -q -f csv -r nvtx_sum --rank-from='part([0-9]+)' part99999999999999999999.rf job/part1.rf
ranks -f csv -r nvtx_sum --rank-from=LOCAL_RANK job plain/part1.rf
run rangefinder summarize --rank-from=NO_SUCH job -o none
run rangefinder export -q --rank-from=NO_SUCH job/part0.rf job/part1.rf -o none.json
# one FILE alone
for from in order LOCAL_RANK 'part([0-9]+)' NO_SUCH; do
    ranks -q -f csv -r rank_summary --rank-from="$from" job/part1.rf
    ranks -q -f csv -r nvtx_sum --rank-from="$from" job/part1.rf
    run rangefinder export -q -f --flavor=kineto --rank-from="$from" -o one.json job/part1.rf
    grep -o '"rank": [0-9]*' one.json 2>/dev/null
    run rangefinder compare -q --rank-from="$from" job/part0.rf -- job/part1.rf | grep '^='
    rm -f one.json
done
run rangefinder export -q -f --filter-rank=6 --rank-from=LOCAL_RANK -o one.json job/part1.rf
run rangefinder export -q -f --filter-rank=1 --rank-from=LOCAL_RANK -o one.json job/part1.rf
run rangefinder export -q -f --flavor=kineto --rank=4 --rank-from=LOCAL_RANK -o one.json job/part1.rf
grep -o '"rank": [0-9]*' one.json
rm -f one.json
# summaries: variables that they have, and paths
rangefinder summarize -q job -o job
for from in order LOCAL_RANK 'part([0-9]+)' NO_SUCH 'none([0-9]+)'; do
    ranks -q -f csv -r nvtx_sum --rank-from="$from" job.rfsum
    run rangefinder summarize -q -f --rank-from="$from" job.rfsum -o given
done
ranks -q -f csv -r rank_summary --rank-from=LOCAL_RANK job.rfsum
ranks -q -f csv -r nvtx_sum --rank-from=LOCAL_RANK --filter-rank=6 job.rfsum
rangefinder summarize -q -f --rank-from=LOCAL_RANK job.rfsum -o given
ranks -q -f csv -r nvtx_sum given.rfsum
# the name of a summary of one recording, or that of the recording
rangefinder summarize -q job/part1.rf -o rank5
ranks -q -f csv -r nvtx_sum --rank-from='rank([0-9]+)' rank5.rfsum
ranks -q -f csv -r nvtx_sum --rank-from='part([0-9]+)' rank5.rfsum
ranks -q -f csv -r nvtx_sum --rank-from=order job/part0.rf rank5.rfsum
# what was added up has none
rangefinder summarize -q --merge job -o merged
for from in order LOCAL_RANK 'merged([0-9]*)'; do
    run rangefinder stats -q -r nvtx_sum --rank-from="$from" merged.rfsum
done
run rangefinder stats -r rank_summary --rank-from=order job.rfsum plain
# no ranks at all: the order of names
ranks -q -f csv -r rank_summary plain
run rangefinder stats -q -r rank_summary plain/part10.rf plain/part2.rf | grep names
rangefinder summarize -q plain -o plain
ranks -q -f csv -r rank_summary plain.rfsum
run rangefinder stats -q -r rank_summary --allow-empty plain/part1.rf
ranks -q -f csv -r nvtx_sum plain
rangefinder info plain/part1.rf | grep -c '^rank'
# some with: the others are left out
ranks -q -f csv -r rank_summary plain job
# what was added up has a rank, too
cp job/part0.rf copied.rf
RANK=0 rangefinder profile -q -o other act push:step pop
rangefinder summarize -q --merge job/part0.rf other.rf -o zeros
rangefinder summarize -q --filter-rank=0 job/part0.rf -o zero
rangefinder stats -q -r rank_summary zeros.rfsum zero.rfsum
list
