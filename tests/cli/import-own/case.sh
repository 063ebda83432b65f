# SPDX-License-Identifier: Apache-2.0
# Databases of our own are opened as what they were made of: their end, and the ranks of processes.
command -v python3 >/dev/null || exit 77
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID SLURM_LOCALID
mkdir job
for i in 0 1 2; do
    RANK=$i LOCAL_RANK=$i WORLD_SIZE=3 rangefinder profile -q -o job/part$i counters push:step i:queue=$((i + 5)) pop: push:wait i:queue=2 pop:
    rangefinder export -q -o one$i.sqlite job/part$i.rf
done
rangefinder export -q -o job.sqlite job
# the same answer of both, whatever the times are
same()
{
    of_rf=$1 of_sqlite=$2
    shift 2
    rangefinder "$@" "$of_rf" >rf.out 2>/dev/null
    rangefinder "$@" "$of_sqlite" >sqlite.out 2>/dev/null
    if [ -s rf.out ] && cmp -s rf.out sqlite.out; then
        echo "the same: $*"
    else
        echo "not the same: $*"
        diff rf.out sqlite.out
    fi
}
facts()
{
    rangefinder info --json "$1" | python3 -c '
import json, sys
info = json.load(sys.stdin)
print(info["rank"], info["world_size"], sys.argv[1:] and info["end_ns"],
      [(p["rank"], p["local_rank"], p["world_size"], sys.argv[1:] and p["exit_ns"]) for p in info["processes"]])' $2
}
for i in 0 2; do
    [ "$(facts job/part$i.rf times)" = "$(facts one$i.sqlite times)" ] && facts one$i.sqlite
done
facts job.sqlite
same job/part2.rf one2.sqlite stats -q -f csv -r nvtx_counter_sum
same job/part2.rf one2.sqlite stats -q -f csv -r nvtx_counter_ranges
same job/part1.rf one1.sqlite stats -q -f csv -r nvtx_sum --filter-rank=1
run rangefinder stats -q -f csv -r nvtx_sum --filter-rank=1 one2.sqlite
# ranks in one database are those of the files
same job job.sqlite stats -q -f csv -r stragglers --collective=step
same job job.sqlite stats -q -f csv -r balance --collective=step
rangefinder info --job job.sqlite 2>/dev/null
# the end of a recording is behind its last event
for name in v1.4 v1.8 v3.0; do
    rangefinder export -q -o $name.sqlite "$SOURCE/tests/golden/$name.rf" 2>/dev/null
    [ "$(rangefinder info "$SOURCE/tests/golden/$name.rf" 2>/dev/null | grep ^duration)" = \
        "$(rangefinder info $name.sqlite 2>/dev/null | grep ^duration)" ] && echo "$name ends where it did"
done
ranks() { rangefinder stats -q -f csv -r rank_summary "$@" | sed -n 's/^\([0-9]*\),.*/rank \1/p'; }
ranks one0.sqlite one1.sqlite one2.sqlite
ranks --rank-from=LOCAL_RANK one2.sqlite
run rangefinder stats -q -f csv -r rank_summary job.sqlite
# once more
rangefinder export -q -o again.sqlite one2.sqlite
facts again.sqlite
# a rank that was given when they were put together
rangefinder export -q --rank-from=order -o given.sqlite job/part2.rf job/part0.rf
facts given.sqlite
sqlite3() { python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2])' "$@"; }
# what stands wrong in them
wrong()
{
    cp job.sqlite wrong.sqlite
    sqlite3 wrong.sqlite "$1"
    echo "$1"
    facts wrong.sqlite
    rangefinder info wrong.sqlite 2>/dev/null | sed -n '/^not read/,/^$/p'
}
wrong "UPDATE RANGEFINDER_INPUTS SET firstMachine = -9e18, lastMachine = 9223372036854775807, rank = inputId + 6"
wrong "UPDATE RANGEFINDER_INPUTS SET rank = 5000000000"
wrong "UPDATE RANGEFINDER_INPUTS SET rank = 'first', firstMachine = 'first'"
wrong "UPDATE RANGEFINDER_PROCESSES SET exit = 9223372036854775807; UPDATE RANGEFINDER_INFO SET value = 9223372036854775807 WHERE name = 'endNs'"
wrong "UPDATE RANGEFINDER_PROCESSES SET globalPid = 17, exit = -5"
wrong "UPDATE RANGEFINDER_ENVIRONMENT SET value = NULL, processId = processId + 1"
wrong "DROP TABLE RANGEFINDER_PROCESSES; DROP TABLE RANGEFINDER_INPUTS"
wrong "UPDATE RANGEFINDER_ENVIRONMENT SET value = 'RANK=' || (7 - processId) WHERE value LIKE 'RANK=%'"
