# SPDX-License-Identifier: Apache-2.0
# Summaries whose numbers were changed: sums that do not fit are an error, and no number wraps.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
for i in 0 1; do
    RANK=$i rangefinder profile -q -o r$i act push:outer push:a pop pop push:step push:a pop pop push:step push:a pop pop push:step push:a pop pop
done
rangefinder summarize -q r0.rf r1.rf -o both
# forge SQL: a copy with changed numbers
forge()
{
    cp both.rfsum forged.rfsum
    python3 -c 'import sqlite3, sys
db = sqlite3.connect("forged.rfsum")
db.execute(sys.argv[1])
db.commit()' "$1"
    echo "# $1"
}
shown() { run rangefinder stats -q -f csv "$@" forged.rfsum | cut -d, -f12-; }
forge 'UPDATE sums SET gpu = 9223372036854775807, n_gpu = 1'
shown -r nvtx_tree
forge 'UPDATE steps SET duration = 9223372036854775807'
shown -r steps
forge 'UPDATE step_children SET n = 4294967296'
shown -r steps
forge 'UPDATE inputs SET n_inputs = 9223372036854775807'
shown -r nvtx_sum --sum-inputs
forge 'UPDATE inputs SET n_events = 9223372036854775807, n_lost = 9223372036854775807, n_cut = 9223372036854775807'
shown -r nvtx_sum --sum-inputs
run rangefinder summarize --merge forged.rfsum -o merged
