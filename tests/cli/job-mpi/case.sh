# SPDX-License-Identifier: Apache-2.0
# A job of four MPI ranks, summed up: what docs/summaries.md shows.
command -v mpicc >/dev/null && command -v mpirun >/dev/null || {
    echo 'no MPI: mpicc and mpirun (openmpi-bin, libopenmpi-dev)'
    exit 77
}
command -v python3 >/dev/null || {
    echo 'no python3'
    exit 77
}
unset RANK LOCAL_RANK WORLD_SIZE PMI_RANK PMIX_RANK SLURM_PROCID
mpicc -O2 -I "$SOURCE/include" -o heat "$SOURCE/examples/mpi/heat.c" -ldl || exit 1
mkdir job
# root, and more ranks than cores, by the names of Open MPI; other MPIs allow both
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
mpirun -n 4 true 2>messages || {
    echo "mpirun fails here: $(grep -m 1 '[a-z]' messages)"
    exit 77
}
mpirun -n 4 rangefinder profile -q -o job/rank%r ./heat 20 >printed 2>messages ||
    cat printed messages
list
run rangefinder summarize job -o ranks.rfsum
run rangefinder summarize --merge job -o total.rfsum
columns() { run rangefinder stats -q -r nvtx_sum -f csv "$@" | cut -d, -f3,6,13 | sort; }
columns job
columns total.rfsum
run rangefinder info job | grep '^rank'
# exact figures are the same by every way
python3 - <<'END'
import json, subprocess

def rows(*arguments):
    out = subprocess.run(["rangefinder", "stats", "-q", "-r", "nvtx_sum", "-f", "json", *arguments],
                         capture_output=True, check=True).stdout
    return {(row["Rank"], row["Range"]): row for row in json.loads(out)}

apart, ranks, total = rows("job"), rows("ranks.rfsum"), rows("total.rfsum")
exact = "Instances", "Total Time (ns)", "Min (ns)", "Max (ns)"
print("by summaries:", all(apart[key][c] == ranks[key][c] for key in apart for c in exact))
print("in all:", all(row["Total Time (ns)"] == sum(apart[r, name]["Total Time (ns)"] for r in range(4))
                     for (_, name), row in total.items()))
END
