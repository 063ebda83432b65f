# SPDX-License-Identifier: Apache-2.0
# What stats says of summaries that lack something, and of reports that they cannot give.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
rangefinder profile -q -o marks act mark:a
rangefinder profile -q -o ranges act push:a pop
rangefinder summarize -q marks.rf
rangefinder summarize -q ranges.rf
rangefinder summarize -q --merge marks.rf -o merged
# nothing for a report: as a recording says it
for report in nvtx_sum nvtx_tree,cuda_api_sum cuda_gpu_kern_sum cuda_gpu_mem_size_sum osrt_sum steps pace nvtx_counter_sum; do
    run_quiet rangefinder stats -q -r $report marks.rf
    run rangefinder stats -q -r $report marks.rfsum
done
run_quiet rangefinder stats -q -r nvtx_sum --sum-inputs marks.rf
run_quiet rangefinder stats -q -r nvtx_sum merged.rfsum
run_quiet rangefinder stats -q -r nvtx_sum --allow-empty marks.rfsum
run_quiet rangefinder stats -r nvtx_sum --allow-empty marks.rfsum
run_quiet rangefinder stats -q -r nvtx_sum marks.rfsum ranges.rfsum
run_quiet rangefinder stats -q marks.rfsum
# a filter left it out
rangefinder summarize -q --filter-name=none ranges.rf -o filtered
run_quiet rangefinder stats -q -r nvtx_sum filtered.rfsum
# reports that no summary has: once, and no table
rangefinder summarize -q marks.rf ranges.rf -o both
run rangefinder stats -q -r nvtx_pushpop_trace:rows=2 both.rfsum marks.rfsum
run rangefinder stats -q -r gpu_gaps:gap=0 both.rfsum
run rangefinder stats -q -r cuda_gpu_kern_sum:base:rows=2 both.rfsum
run rangefinder stats -q -f csv -r nvtx_pushpop_trace,nvtx_sum both.rfsum | cut -d, -f1,6,12-
run rangefinder stats -q -f csv -r nvtx_pushpop_trace both.rfsum ranges.rf | cut -d, -f1
# options that summaries cannot follow
for option in --group-by=payload --by-process --collective=a --fold-numbers --step=a --cut-ranges=mark --filter-name=a; do
    run rangefinder stats -q -r nvtx_sum $option ranges.rf ranges.rfsum
done
run rangefinder stats -q -r nvtx_sum --fold-numbers --sum-inputs ranges.rfsum
run_quiet rangefinder stats -q -r nvtx_sum --fold-numbers=false ranges.rfsum
# medians that come from a histogram: below a table, or on standard error, once; and in JSON
for format in column table markdown hdoc htable csv tsv json; do
    echo "$format:"
    rangefinder stats -r nvtx_sum,nvtx_tree -f $format ranges.rfsum 2>&1 >/dev/null | grep -c histogram
    rangefinder stats -r nvtx_sum,nvtx_tree -f $format ranges.rfsum 2>/dev/null | grep -c 'histogram\|Approximate'
done
rangefinder stats -q -r nvtx_sum -f csv ranges.rfsum 2>&1 >/dev/null
for input in ranges.rf ranges.rfsum 'ranges.rf ranges.rfsum'; do
    # shellcheck disable=SC2086
    rangefinder stats -r nvtx_sum -f json $input 2>/dev/null | grep -o 'Range.*'
done
rangefinder stats -q -r nvtx_tree -f json ranges.rf | grep -o 'Approximate.*'
rangefinder stats -r nvtx_tree -f json ranges.rf 2>&1 >/dev/null | grep histogram
# the sums of calls and GPU work together
gunzip -c "$SOURCE/tests/data/nsys_exports/c_real_h100_2gpu.sqlite.gz" >gpu.sqlite
rangefinder summarize -q --max-paths=100000 gpu.sqlite
for report in cuda_gpu_sum cuda_api_gpu_sum cuda_api_sum cuda_gpu_kern_sum; do
    for input in gpu.sqlite gpu.rfsum; do
        # but for the median
        rangefinder stats -q -f csv -r $report $input | sed '/^Input/s/.*//; s/^gpu.sqlite,[^,]*,[^,]*,//' | sed 1d |
            cut -d, -f1-4,6-9,10- >$input.csv
    done
    wc -l <gpu.sqlite.csv
    cmp gpu.sqlite.csv gpu.rfsum.csv
    run rangefinder stats -q --sum-inputs -f csv -r $report:rows=1 gpu.sqlite gpu.rfsum | wc -l
done
# what an older rangefinder left out, and what is not known of a part
old()
{
    cp "$1" "$2"
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("DROP TABLE tally_histograms; DROP TABLE tallies; DROP TABLE tally_texts; DROP TABLE tally_inputs")' "$2"
}
old gpu.rfsum old.rfsum
run_quiet rangefinder stats -q -r nvtx_gpu_proj_sum old.rfsum
run_quiet rangefinder stats -q -r mpi_event_sum,nvtx_kern_sum gpu.rfsum
run_quiet rangefinder stats -q -r nvtx_gpu_proj_sum ranges.rfsum
rangefinder summarize -q ranges.rf -o ranges2
old ranges2.rfsum old-ranges.rfsum
run_quiet rangefinder stats -q -r nvtx_gpu_proj_sum old-ranges.rfsum
cp gpu.sqlite second.sqlite
python3 -c 'import sqlite3
db = sqlite3.connect("second.sqlite")
db.execute("DELETE FROM NVTX_EVENTS WHERE rowid % 9 = 0")
db.commit()'
rangefinder summarize -q second.sqlite
rangefinder summarize -q --merge old.rfsum second.rfsum -o partly
rangefinder stats -q -r nvtx_gpu_proj_sum:rows=1 partly.rfsum | tail -4
rangefinder summarize -q --max-tallies=2 second.sqlite -o few
for report in nvtx_gpu_proj_sum cuda_gpu_kern_gb_sum nvtx_kern_sum; do
    rangefinder stats -q -f csv -r $report few.rfsum | sed 1d | cut -d, -f3- | cut -c1-100
    rangefinder stats -q -r $report few.rfsum | grep 'rows with'
done
