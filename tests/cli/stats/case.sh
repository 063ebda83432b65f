# SPDX-License-Identifier: Apache-2.0
# The report in its forms, and where it goes.
rangefinder profile -q -o run act ranges:3 mark:m
run rangefinder stats -f csv run.rf | cut -d, -f3,9-
run_quiet rangefinder stats run.rf
run_quiet rangefinder stats -r nvtxsum --format column run.rf
run rangefinder stats -o . run.rf
run rangefinder stats -o . run.rf
run rangefinder stats -o . --force-overwrite run.rf
run rangefinder stats -o other -f json run.rf
run rangefinder stats -o table.txt run.rf
run rangefinder stats -q -r nvtx_sum -f json -o "@grep -c Instances" run.rf
run rangefinder stats -q -r nvtx_sum -o "@exit 3" run.rf
python3 -m json.tool other_nvtx_sum.json >/dev/null && echo json
run rangefinder stats -r mpi_event_sum run.rf
run rangefinder stats -q --allow-empty -f csv -r mpi_event_sum run.rf
run rangefinder stats -r nvtx_sum -f csv --filter-time=3600/ run.rf
run rangefinder stats -r nvtx_sum:base run.rf
run rangefinder stats -r cuda_gpu_kern_sum:bases run.rf
run rangefinder stats -r nvtx_sum:rows=0 run.rf
run rangefinder stats -r vulkanapisum run.rf
run rangefinder stats -r umsums run.rf
run rangefinder stats -q -r nvtx_sum:rows=2 -o first run.rf
run rangefinder stats -q -r steps -f csv --step='twenty-four bytes, text.@' run.rf | cut -d, -f1,7,12
run rangefinder stats -q -r steps --step=ranges run.rf
# people see self_time, programs nvtx_sum, and only as many rows as they ask for
rangefinder profile -q -o nested act push:outer push:op_1 pop push:op_2 pop push:op_3 pop pop
for form in column table markdown csv json; do rangefinder stats -q -f $form nested.rf | head -1 | cut -c1-40; done
rangefinder stats -q -f csv -r self_time nested.rf | cut -d, -f6,9,10 | sort
rangefinder stats -q -f csv -r self_time --fold-numbers nested.rf | cut -d, -f6,9,10 | sort
rangefinder stats -q -r self_time --fold-numbers --rows=1 nested.rf | grep -e Names -e more
rangefinder stats -q -r self_time nested.rf | grep -c Names
run rangefinder stats --rows=none nested.rf
rangefinder stats -q -f csv -r nvtx_sum,nvtx_pushpop_sum --fold-numbers nested.rf | cut -d, -f3,9-
run rangefinder stats --help-reports=openmp_sum
# each report that is listed is explained
n_explained=$(rangefinder stats --help-reports=ALL | grep -c '^  :rows=N')
[ "$n_explained" -gt 30 ] && [ "$n_explained" = "$(rangefinder stats --help-reports | grep -c .)" ] && echo all
list
