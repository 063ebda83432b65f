# SPDX-License-Identifier: Apache-2.0
# Counters of NVTX in summaries: exact, added up in any order, beside recordings.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
mkdir job
RANK=0 rangefinder profile -q -o job/part0 counters i:queue=9223372036854775807 i:queue=-5 r:load=0.1 \
    r:load=inf r:load=-1e300 repeat:3 i:queue=7 none:queue
RANK=1 rangefinder profile -q -o job/part1 counters u:bytes=18446744073709551615 u:bytes=1 r:load=1e300 \
    r:load=nan r:load=0.2 repeat:3 i:queue=9223372036854775806
table() { run rangefinder stats -q -f csv "$@" | cut -d, -f1,3,5-; }
rangefinder summarize -q job -o job
table -r nvtx_counter_sum job.rfsum
# of recordings means are over time
run rangefinder stats -q -r nvtx_counter_sum -f csv job/part0.rf job/part1.rf | cut -d, -f1,3,5-9,11-
# all of them as one, in either order and by way of a file
rangefinder summarize -q --merge job/part0.rf job/part1.rf -o one
rangefinder summarize -q job/part0.rf
rangefinder summarize -q --merge job/part1.rf job/part0.rfsum -o two
cmp one.rfsum two.rfsum
table -r nvtx_counter_sum one.rfsum
table -r nvtx_counter_sum --sum-inputs job/part1.rf job/part0.rf
# the same as with all samples in memory: a filter that leaves out nothing
rangefinder summarize -q --filter-name='*' job/part0.rf -o filtered
table -r nvtx_counter_sum filtered.rfsum
# sums as SQL has them
python3 - one.rfsum <<'END'
import sqlite3, sys
from fractions import Fraction
sums = {}
for name, number, n, digit, value in sqlite3.connect(sys.argv[1]).execute(
        "SELECT name, number, n, digit, sum(value) FROM counters JOIN counter_digits USING (counter)"
        " GROUP BY name, number, digit"):
    sums[name, number] = sums.get((name, number), 0) + value * Fraction(2) ** (32 * digit)
for key, value in sorted(sums.items()):
    print(*key, value if value.denominator == 1 else float(value))
END
# limits
run rangefinder summarize -q -f --max-counters=1 job/part0.rf -o few
table -r nvtx_counter_sum few.rfsum
run rangefinder stats -q -r nvtx_counter_sum few.rfsum | tail -n 3
run rangefinder summarize --max-counters=0 job/part0.rf -o none
# GPU metrics
run rangefinder stats -q -r gpu_metrics_sum -f csv one.rfsum
# in ranges: of samples in memory alone, with the means of the recordings
RANK=0 rangefinder profile -q -o job/ranges0 counters push:step i:queue=5 r:load=1e300 push:inner r:load=1 pop: r:load=-1e300 \
    i:queue=7 pop: repeat:4
RANK=1 rangefinder profile -q -o job/ranges1 counters push:step r:load=-0.1 pop: push:step_2 r:load=0.7 i:queue=-3 pop: repeat:3
inputs='job/ranges0.rf job/ranges1.rf'
# shellcheck disable=SC2086
{
    run rangefinder summarize -q -f $inputs -o streamed
    run rangefinder stats -q -r nvtx_counter_ranges streamed.rfsum
    run rangefinder summarize -q -f --steps $inputs -o ranges
    rangefinder stats -q -r nvtx_counter_ranges -f csv $inputs >wanted
    rangefinder stats -q -r nvtx_counter_ranges -f csv ranges.rfsum >got
    cmp wanted got && cut -d, -f1,3-7,9- got
    # added up: as they are read, and from summaries, in either order
    rangefinder summarize -q --merge --steps $inputs -o ranges1
    rangefinder summarize -q -f --steps job/ranges0.rf -o first
    rangefinder summarize -q -f --steps job/ranges1.rf -o second
    rangefinder summarize -q --merge second.rfsum first.rfsum -o ranges2
    cmp ranges1.rfsum ranges2.rfsum
    rangefinder stats -q -r nvtx_counter_ranges -f csv ranges1.rfsum >wanted
    rangefinder stats -q -r nvtx_counter_ranges -f csv --sum-inputs $inputs >got
    cmp wanted got && cut -d, -f4-7,9- got
}
run rangefinder stats -q -r nvtx_counter_ranges -f csv --filter-rank=1 ranges.rfsum | cut -d, -f1,3-7,9-
# one without them
rangefinder summarize -q -f --merge first.rfsum job/part1.rf -o some
run rangefinder stats -q -r nvtx_counter_ranges some.rfsum | tail -n 2
# limits, and names without numbers
rangefinder summarize -q -f --steps --max-tallies=1 job/ranges0.rf -o few
run rangefinder stats -q -r nvtx_counter_ranges -f csv few.rfsum | cut -d, -f4-7,9-
run rangefinder stats -q -r nvtx_counter_ranges few.rfsum | tail -n 2
rangefinder summarize -q -f --steps --fold-numbers job/ranges1.rf -o few
run rangefinder stats -q -r nvtx_counter_ranges -f csv few.rfsum | cut -d, -f4-7,9-
# sums as SQL has them
python3 - ranges1.rfsum <<'END'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for row in database.execute("SELECT counter.value, style, weighed_by, count(*), sum(n), sum(n_samples) FROM counter_ranges"
                            " JOIN tally_texts counter ON counter.text = counter_name GROUP BY 1, 2, 3"):
    print(*row)
print(*database.execute("SELECT count(*) > 0, max(abs(value)) < 1 << 32 FROM counter_range_digits").fetchone())
END
