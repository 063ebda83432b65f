# SPDX-License-Identifier: Apache-2.0
# Nothing was annotated: the likely reason is said.
run rangefinder profile -o a plain
run rangefinder profile -o b act print:nothing
run rangefinder profile -o c act domain:x
[ ! -x "$BUILD/tests/cli/apps/plain-static" ] || rangefinder profile -o d plain-static 2>static
[ ! -f static ] || grep -o 'statically linked' static
# what would annotate a script, or a program that runs one
printf '#!/usr/bin/env python3\nimport sys\n' >'my tool'
printf 'try:\n    import torch\nexcept ImportError:\n    pass\n' >train.py
chmod +x 'my tool'
run rangefinder profile -f -o e './my tool' "it's"
run rangefinder profile -f -o e python3 -u -W ignore train.py --steps=3
run rangefinder profile -f -o e python3 -c 'import sys'
run rangefinder profile -q -f -o e python3 -c 'import sys'
for report in cuda_api_gpu_sum collectives stragglers rank_step_heatmap; do
    run rangefinder stats -q -r $report -f csv a.rf
done
run rangefinder stats -q -r collectives -f csv --allow-empty a.rf
run rangefinder stats -q -r stragglers,collectives,collectives_trace --rank-from=order -f csv a.rf b.rf
run rangefinder summarize -q a.rf -o a
run rangefinder stats -r nvtx_sum -f csv a.rfsum
what a.rf
run rangefinder stats a.rf
