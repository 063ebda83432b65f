# SPDX-License-Identifier: Apache-2.0
# Summaries: written, shown by stats beside recordings, added up, refused.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
mkdir job
for i in 0 1; do
    RANK=$i WORLD_SIZE=2 rangefinder profile -q -o job/part$i act push:outer ranges:$((i + 2)) pop mark:m
done
counts() { run rangefinder stats -q -r nvtx_sum -f csv "$@" | cut -d, -f1,3,6,12,13; }
run rangefinder summarize job/part0.rf
run rangefinder summarize job/part0.rf
run rangefinder summarize -q -f job/part0.rf
run rangefinder summarize job -o job
run rangefinder summarize job
counts job.rfsum
counts job/part0.rfsum job/part1.rf
# what the recording says, but for the median
rangefinder stats -q -r nvtx_pushpop_sum -f csv job.rfsum | cut -d, -f2-7,9-12 >of_summary
rangefinder stats -q -r nvtx_pushpop_sum -f csv job/part0.rf job/part1.rf | cut -d, -f2-7,9-12 >of_recordings
cmp of_summary of_recordings
rm of_summary of_recordings
# one input twice; all as one, in either order
mv job.rfsum all.rfsum
run rangefinder summarize all.rfsum job/part0.rfsum -o again
run rangefinder summarize -q --merge all.rfsum -o one
counts one.rfsum
run rangefinder summarize -q job/part1.rf job/part0.rfsum -o reversed
run rangefinder summarize -q --merge reversed.rfsum -o two
cmp one.rfsum two.rfsum
# names
run rangefinder profile -q -o names act push:op_17 pop push:op_18 pop push:x9y10 pop
run rangefinder summarize -q --fold-numbers names.rf
counts names.rfsum
run rangefinder summarize -f --max-paths=1 names.rf
counts names.rfsum
# a part
run rangefinder summarize -q -f --filter-name='op_*' names.rf
counts names.rfsum
run rangefinder stats -q --filter-name=x names.rfsum
run rangefinder summarize --filter-name=x names.rfsum -o x
run rangefinder stats -q --group-by payload names.rfsum
run rangefinder stats -q -r nvtx_pushpop_trace names.rfsum
# options that say how a recording is summed up are not for a summary, which keeps what it has
for option in --fold-numbers --max-paths=1 --step=op --max-steps=1 --collective=op --max-collectives=1 --max-counters=1 --max-tallies=1; do
    run rangefinder summarize -q $option job/part0.rf names.rfsum -o x
    test -e x.rfsum && echo 'written all the same'
done
run rangefinder summarize -q --fold-numbers=false --steps names.rfsum -o permitted
# an output that is there: nothing is read
run rangefinder summarize nothing.rf -o names
# outputs that have no name
mkdir folder
for output in '' folder/ . .. -; do
    run rangefinder summarize -q names.rf -o "$output"
done
find . -name '.?*'
# the same tables without a file
sums=nvtx_sum,nvtx_pushpop_sum,nvtx_startend_sum,nvtx_tree
rangefinder summarize -q --merge job/part1.rf job/part0.rf names.rf -o three
rangefinder stats -q -r $sums -f csv --quantiles 10,90 three.rfsum >of_file
rangefinder summarize -q names.rf -o apart
for inputs in "job/part0.rf job/part1.rf names.rf" "apart.rfsum job/part1.rf job/part0.rfsum"; do
    # shellcheck disable=SC2086
    rangefinder stats -q -r $sums -f csv --quantiles 10,90 --sum-inputs $inputs >added_up
    cmp of_file added_up
done
rangefinder summarize -q -f --fold-numbers --merge job/part1.rf job/part0.rf names.rf -o three
rangefinder stats -q -r nvtx_sum:rows=2 -f csv three.rfsum >of_file
rangefinder stats -q -r nvtx_sum:rows=2 -f csv --fold-numbers --sum-inputs job/part0.rf job/part1.rf names.rf >added_up
cmp of_file added_up
gunzip -c "$SOURCE/tests/data/nsys_exports/c_real_h100_2gpu.sqlite.gz" >gpu.sqlite
rangefinder summarize -q -f --max-kb=0 --merge gpu.sqlite job/part1.rf -o three
rangefinder stats -q -f csv three.rfsum >of_file
rangefinder stats -q -f csv --sum-inputs job/part1.rf gpu.sqlite >added_up
cmp of_file added_up
grep -c "cudaLaunchKernel$" of_file
rm of_file added_up three.rfsum apart.rfsum gpu.sqlite
counts --sum-inputs job/part0.rf job/part0.rfsum
counts --sum-inputs --filter-rank=1 job/part0.rf job/part1.rf
counts --sum-inputs job/part0.rf nothing.rf
run rangefinder stats -q -r nvtx_sum,nvtx_pushpop_trace --sum-inputs job/part0.rf
run rangefinder stats -q -r cuda_gpu_kern_sum:base --sum-inputs job/part0.rf
run rangefinder stats -q -r cuda_gpu_kern_sum:base all.rfsum
run rangefinder stats -q --group-by payload --sum-inputs job/part0.rf
run rangefinder stats -q --by-process --sum-inputs job/part0.rf
# ranks
counts --filter-rank=1 all.rfsum
counts --filter-rank=0,7-9 job/part0.rf all.rfsum
counts --filter-rank=3-5 job/part0.rf all.rfsum
counts --filter-rank=1 --rank-from=order names.rf job/part0.rf
counts --filter-rank=1-0 all.rfsum
run rangefinder summarize -q -f --filter-rank=1 job/part0.rf job/part1.rf -o ranks
run rangefinder summarize -q -f job/part1.rf
cmp ranks.rfsum job/part1.rfsum
run rangefinder summarize -q -f --filter-rank=1 all.rfsum -o ranks
cmp ranks.rfsum job/part1.rfsum
run rangefinder summarize -q -f --filter-rank=2 all.rfsum job/part0.rf -o nothing
# what is in it
masked() { sed 's/ on [^ ,]*/ on HOST/; s/"host":"[^"]*"/"host":"HOST"/g; s/\(_ns":\)[0-9]*/\1N/g'; }
run rangefinder info all.rfsum names.rfsum one.rfsum | masked
run rangefinder info --json all.rfsum | masked
run rangefinder info --filter-name=x names.rfsum
run rangefinder info --filter-rank=1 job/part0.rf all.rfsum | masked
run rangefinder info --filter-rank=5 job/part0.rf all.rfsum
run rangefinder export names.rfsum -o names.json
# what is none
head -c 100 one.rfsum >short.rfsum
run rangefinder summarize short.rfsum nothing.rf -o x
run rangefinder stats -q -r nvtx_sum short.rfsum
run rangefinder summarize --max-paths=0 names.rf
run rangefinder summarize names.rf -o -
list
# several at a time: the same summary, the same messages in the same order
for jobs in 1 3 64; do
    rangefinder summarize -f --jobs=$jobs job gone.rf names.rf nothing.rf -o apart >messages.$jobs 2>&1
    echo $? >>messages.$jobs
    mv apart.rfsum apart.$jobs
    cmp apart.1 apart.$jobs && cmp messages.1 messages.$jobs && wc -l <messages.$jobs
done
run rangefinder summarize --jobs=0 job -o none
