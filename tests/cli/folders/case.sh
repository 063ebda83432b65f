# SPDX-License-Identifier: Apache-2.0
# Folders in folders, in the order of their names, once each; and the programs of a sum.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
rangefinder profile -q -o run act push:a pop
mkdir -p dir/node2 dir/node10/deep dir/.hidden dir/node2/session.rfdir
for name in dir/one dir/node2/x dir/node10/a dir/node10/deep/b dir/.hidden/c; do
    rangefinder profile -q -o $name act push:a pop
done
ln -s .. dir/node2/loop
ln -s ../node2 dir/node10/link
ln -s ../../run.rf dir/node2/linked.rf
paths() { rangefinder stats -q -r nvtx_sum -f csv "$@" | sed -n '2,$s/,.*//p'; }
paths dir
paths dir/
run rangefinder stats -q -r nvtx_sum dir >/dev/null
rmdir dir/node2/session.rfdir
run rangefinder stats -q -r rank_summary -f csv --rank-from=order dir | cut -d, -f1,17-
mkdir -p deep/1/2/3/4/5/6/7/8/9 none/sub
cp run.rf deep/1/2/3/4/5/6/7/8/in.rf
cp run.rf deep/1/2/3/4/5/6/7/8/9/out.rf
paths deep
run rangefinder stats none
# a sum of several programs says so, once
rangefinder profile -q -o act act push:a pop
rangefinder profile -q -o other operations
rangefinder profile -q -o plain plain
run_quiet rangefinder stats -r nvtx_sum --sum-inputs act.rf other.rf
run_quiet rangefinder stats -q -r nvtx_sum --sum-inputs act.rf other.rf
run_quiet rangefinder stats -r nvtx_sum,nvtx_tree --sum-inputs act.rf run.rf
run rangefinder summarize --merge act.rf other.rf plain.rf -o three
run rangefinder summarize -q --merge act.rf other.rf -o two
run rangefinder summarize act.rf other.rf -o apart
run_quiet rangefinder stats -r nvtx_sum --sum-inputs two.rfsum plain.rf
# options and arguments that are none
run rangefinder stats -r '' run.rf
run rangefinder stats -r nvtx_sum, run.rf
run rangefinder stats -r ,nvtx_sum run.rf
run rangefinder stats -r nvtx_sum:rows=1:rows=2 run.rf
run rangefinder stats -r gpu_gaps:gap=1us:gap=2us run.rf
run_quiet rangefinder info run.rf
run_quiet rangefinder info -q run.rf
