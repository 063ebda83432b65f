# SPDX-License-Identifier: Apache-2.0
# Several recordings, and folders of them: whose rows are whose.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
mkdir job
for i in 0 2 10; do
    RANK=$i WORLD_SIZE=11 SLURM_LOCALID=$((i + 1)) rangefinder profile -q -o job/part$i act ranges:$((i + 1)) mark:m
done
rangefinder profile -q -o plain act ranges:2 mark:m
touch job/notes.txt
show() { run rangefinder stats -q -r nvtx_sum -f csv "$@" | cut -d, -f1,3,6,12,13; }
show job
show plain.rf job/part2.rf
show --rank-from='part([0-9]+)' plain.rf job
show --rank-from=SLURM_LOCALID plain.rf job
show --rank-from=order plain.rf job
run rangefinder stats --rank-from='part([0-9]+' job
run rangefinder info job | grep -E '^(recording|rank|$)' | cut -d'(' -f1
run rangefinder info --json plain.rf job/part10.rf | grep -oE '"rank":[0-9a-z]*,"local_rank":[0-9a-z]*' | sed -n 1p
# one file twice, folders without recordings, what cannot be read
ln -s job/part2.rf again.rf
show job/part2.rf again.rf ./job/part2.rf plain.rf
mkdir empty
run rangefinder stats empty
run rangefinder stats plain.rf nothing.rf -r nvtx_sum -f json -q | grep -oE '"(Input|Rank|Instances|Range)": [^,}]*'
run rangefinder info nothing.rf plain.rf | grep -c '^recording'
# where they go
run rangefinder stats -o . job
run rangefinder stats -o all.csv job
run rangefinder stats -q -o all -r nvtx_sum job
run rangefinder stats -q -o all -r nvtx_sum job
run rangefinder stats --filter-name=nothing job
run_quiet rangefinder stats job plain.rf
list
# several at a time: the same tables, the same messages in the same order
for jobs in 1 3 64; do
    rangefinder stats --jobs=$jobs -f csv job nothing.rf plain.rf gone.rf >table.$jobs 2>messages.$jobs
    echo $? >>table.$jobs
    cmp table.1 table.$jobs && cmp messages.1 messages.$jobs && wc -l <messages.$jobs
done
run rangefinder stats --jobs=0 job
# info of what a filter leaves
run rangefinder info --filter-name=m plain.rf | grep '^events'
run rangefinder info --filter-time=x job
