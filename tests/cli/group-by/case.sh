# SPDX-License-Identifier: Apache-2.0
# Ranges by values in their payloads, of a recording and of the database that nsys would have of it.
rangefinder profile -q -o run operations
rangefinder export -q -o run.sqlite run.rf
groups()
{
    echo "+ $*"
    rangefinder stats -q -f csv "$@" run.rf | cut -d, -f3,9- | sort
    for file in run.rf run.sqlite; do
        rangefinder stats -q -f csv "$@" $file >$file.csv
    done
    cmp run.rf.csv run.sqlite.csv
}
groups --group-by payload.rank
groups --group-by=kind -r nvtx_sum
groups --group-by payload -r nvtx_pushpop_sum
groups --group-by payload.kind --filter-payload=rank=1..
rangefinder stats -q -f csv --group-by kind run.rf run.sqlite | cut -d, -f1,6,12- | sort
run rangefinder stats --group-by payload.rnk run.rf
run rangefinder stats --group-by '' run.rf
run rangefinder stats --group-by rank -r cuda_gpu_trace run.rf
run rangefinder stats --group-by rank -r nvtx_kern_sum run.rf run.sqlite
