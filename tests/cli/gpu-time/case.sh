# SPDX-License-Identifier: Apache-2.0
# What a GPU does with its time, of a job that is made here and of one that nsys recorded.
command -v python3 >/dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/tests/projection python3 - <<'MAKE'
from gpu_data import Data

us = 1000
with Data("job.sqlite") as data:  # four steps; the second loads for long, the third copies late, the fourth synchronizes in the middle
    for i in range(4):
        at = 1000 * us * i
        data.range(f"step {i}", at, at + 900 * us)
        load = 310 if i == 1 else 10
        data.range("load", at, at + load * us)
        data.os_call("read", at + 2 * us, at + (load - 2) * us)
        begin = at + load * us
        data.launch("gemm", begin, begin + 5 * us, begin + 8 * us, begin + 200 * us)
        if i == 2:
            data.copy(begin + 320 * us, begin + 360 * us, data.call("cudaMemcpyAsync", begin + 300 * us, begin + 305 * us), kind=1)
            begin += 150 * us
        if i == 3:
            correlation = data.call("cudaStreamSynchronize", begin + 6 * us, begin + 215 * us)
            data.sync(3, begin + 6 * us, begin + 214 * us, correlation, stream=7)
            begin += 30 * us
        data.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin + 220 * us, begin + 225 * us, begin + 230 * us, begin + 300 * us, stream=8)
        data.launch("relu", begin + 226 * us, begin + 230 * us, begin + 250 * us, begin + 350 * us)
        data.sync(4, begin + 231 * us, begin + 355 * us, data.call("cudaDeviceSynchronize", begin + 231 * us, begin + 356 * us))
with Data("ranges.sqlite") as data:
    data.range("step", 0, 10)
MAKE
gzip -dc "$SOURCE/tests/data/nsys_exports/c_real_h100_2gpu.sqlite.gz" >h100.sqlite
for report in breakdown breakdown_steps gpu_gaps launch_latency critical; do
    run rangefinder stats -q -r $report job.sqlite
    run rangefinder stats -q -r $report:rows=5 -f csv h100.sqlite
    run rangefinder stats -q -r $report ranges.sqlite
done
run rangefinder stats -q -r breakdown_steps --step=load -f csv job.sqlite
run rangefinder stats -q -r breakdown_steps --step=none job.sqlite
run rangefinder stats -q -r breakdown --step=load job.sqlite
run rangefinder stats -q -r breakdown_steps -f csv --step='step 1' --filter-time=1ms/2ms job.sqlite
run rangefinder stats -q -r gpu_gaps:gap=50us:nvtx-name -f csv job.sqlite
run rangefinder stats -q -r gpu_gaps:gap=50x job.sqlite
run rangefinder stats -q -r launch_latency:nvtx-name --quantiles=90 -f csv job.sqlite
run rangefinder stats -q -r critical:nvtx-name --fold-numbers -f csv job.sqlite
# tables of two recordings
run rangefinder stats -q -r breakdown -f csv job.sqlite h100.sqlite
