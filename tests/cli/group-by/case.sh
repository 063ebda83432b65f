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
# a long recording is summed up as it is read, unless there are too many values
rangefinder profile -q --overflow=block -o long operations 300000
for value in rank kind size; do
    rangefinder stats -f csv --group-by $value long.rf 2>said | cut -d, -f3,9- | sort >rows
    echo "by $value: $(wc -l <rows) lines, from a histogram: $(grep -c histogram said)"
    head -3 rows
done
rangefinder stats -f csv --group-by rank --filter-payload=kind=max long.rf 2>said | cut -d, -f3,9- | sort
grep histogram said
