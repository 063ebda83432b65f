# SPDX-License-Identifier: Apache-2.0
# What reports over ranks say of what a summary lacks, and of clocks that cannot be right.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
steps='push:step push:meet pop pop push:step push:meet pop pop push:step push:meet pop pop push:step push:meet pop pop'
for i in 0 1; do
    # shellcheck disable=SC2086
    RANK=$i rangefinder profile -q -o r$i act $steps
done
# The lines below a table, but for those with figures of this run
notes() { run rangefinder stats -q "$@" | awk '/^$/ { n++ } n > 1 && NF' | grep -v '% of the time\|slowest in\|thread [0-9]'; }
# steps behind the first ones
rangefinder summarize -q --max-steps=2 --collective=meet r0.rf r1.rf -o first
notes -r pace first.rfsum
notes -r steps first.rfsum | tail -2
# steps and collectives that were not looked for, as in long recordings
cp first.rfsum long.rfsum
python3 - <<'EOF'
import sqlite3
db = sqlite3.connect("long.rfsum")
for table in "step_gpus", "step_children", "steps", "step_threads", "step_inputs", "collective_times", "collective_series", \
        "collective_inputs":
    db.execute(f"DELETE FROM {table}")
db.commit()
EOF
notes -r pace long.rfsum
notes -r collectives long.rfsum
rangefinder summarize -q --merge long.rfsum -o merged
notes -r pace merged.rfsum
notes -r collectives merged.rfsum
# one recording ended before the other began
notes -r stragglers --collective=meet r0.rf r1.rf
run rangefinder stats -q -r collectives -f csv --collective=meet r0.rf r1.rf | cut -d, -f14-17,20-
notes -r collectives --collective=meet r0.rf r1.rf
# set NAME MEETINGS: the collectives of both ranks begin and end where they are said to
set_times()
{
    cp first.rfsum "$1.rfsum"
    python3 - "$@" <<'EOF'
import ast, sqlite3, sys
db = sqlite3.connect(sys.argv[1] + ".rfsum")
db.execute("DELETE FROM collective_times WHERE number > 2")
db.execute("UPDATE boots SET boot_id = (SELECT boot_id FROM boots LIMIT 1)")
for (rank, number), (start, end) in ast.literal_eval(sys.argv[2]).items():
    db.execute("UPDATE collective_series SET start_utc_ns = 0")
    db.execute("UPDATE collective_times SET start = ?, duration = ? WHERE number = ? AND series IN"
               " (SELECT series FROM collective_series WHERE rank = ?)", (start, end - start, number, rank))
db.commit()
EOF
}
# ranges that are never there at one time, though the recordings overlap; and some that are
set_times disorder '{(0, 1): (100, 200), (1, 1): (300, 400), (0, 2): (700, 800), (1, 2): (500, 600)}'
notes -r stragglers disorder.rfsum
set_times order '{(0, 1): (100, 400), (1, 1): (300, 400), (0, 2): (700, 800), (1, 2): (500, 800)}'
run rangefinder stats -q -r stragglers order.rfsum | grep 'ranks come by' | sed 's/clock of .*/clock of HOST/'
