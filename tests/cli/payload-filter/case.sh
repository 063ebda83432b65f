# SPDX-License-Identifier: Apache-2.0
# Parts of a recording by values in payloads, and of the database that nsys would have of it.
rangefinder profile -q -o run operations
rangefinder export -q -o run.sqlite run.rf
# The names and payloads that are left, and whether both have the same number of ranges.
left()
{
    echo "+ $*"
    rangefinder export -q -t jsonl -o - "$@" run.rf |
        sed -n 's/.*"name":"\([^"]*\)".*"payload":\({[^}]*}\|-*[0-9]*\).*/\1 \2/p'
    for file in run.rf run.sqlite; do
        rangefinder stats -q -r nvtx_sum -f csv "$@" $file >$file.csv
    done
    cmp run.rf.csv run.sqlite.csv
}
left --filter-payload=rank=2
left --filter-payload=kind=max --filter-payload=payload.size=..300
left --filter-payload=size=0x12c..
left --filter-payload kind
left --filter-payload=-7
left --filter-payload=payload=-10..0
run rangefinder stats --filter-payload=rnk=2 run.rf
run rangefinder stats --filter-payload=rnk=2 run.sqlite
run rangefinder export --filter-payload=rank=2..x run.rf
run rangefinder export --filter-payload==2 run.rf
set --
while [ $# -lt 33 ]; do
    set -- "$@" --filter-payload=1
done
rangefinder stats "$@" run.rf || echo "= $?"
