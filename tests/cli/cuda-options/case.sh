# SPDX-License-Identifier: Apache-2.0
# What -t and the options of CUDA put into the program's environment and on the control page.
cat >see <<'END'
#!/bin/sh
env | grep -E '^(NVTX|CUDA)_INJECTION64_PATH=' | sort
# cuda and cuda_flush_ms of struct rf_control; the rule for domains
echo cuda $(od -An -tu4 -j 308 -N 8 "$RANGEFINDER_SESSION/session")
echo domains $(od -An -tu4 -j 156 -N 8 "$RANGEFINDER_SESSION/session")
END
chmod +x see
run rangefinder profile -q -o a ./see
run rangefinder profile -q -o b -t cuda ./see
run rangefinder profile -q -o c -t nvtx ./see
run rangefinder profile -q -o d -t cuda -c nvtx -p x ./see
run rangefinder profile -q -o e --cuda-graph-trace=node --cuda-memory-usage=true \
    --cuda-event-trace=true --cuda-trace-all-apis=true --cuda-flush-interval=50 ./see
run rangefinder profile -o f --cuda-graph-trace node:host-and-device --cuda-graph-trace=graph \
    --cuda-memory-usage --cuda-memory-usage=false --cuda-event-trace auto -t cuda-hw,nvtx ./see
run rangefinder profile -o q --cuda-graph-trace=graph -c nvtx -p x true
run rangefinder profile -o g -t nvtx --cuda-memory-usage=true --cuda-graph-trace=node ./see
run rangefinder profile -o p -t cuda --pytorch=autograd-nvtx true
run rangefinder profile -q -o h -t none -t cuda-sw ./see
run rangefinder profile -o i -t osrt,mpi true
run rangefinder profile -o j -t osrt -c nvtx -p x true
for wrong in graph-trace=nodes graph-trace=graph:device graph-trace= flush-interval=-1 \
    flush-interval=1.5 flush-interval=9999999999 event-trace=yes memory-usage=1; do
    run rangefinder profile -o k "--cuda-$wrong" act touch:started
done
# ranges begin captures where they are not recorded
run rangefinder profile -o l -t cuda -c nvtx -p x act trigger:x mark:inside pop
run rangefinder profile -o m -t cuda -c nvtx -p x@y --nvtx-domain-include=y act domain:y trigger:x pop
run rangefinder profile -o n -t cuda -c cudaProfilerApi act cuda:start mark:inside cuda:stop
run rangefinder profile -o o -t cuda act mark:a
list
