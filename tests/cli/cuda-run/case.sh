# SPDX-License-Identifier: Apache-2.0
# What is said of runs that use CUDA, as the stand-ins have it.
double=$BUILD/tests/cuda/double
[ -f "$double/lib/libcuda.so.1" ] || {
    echo 'the stand-ins of CUDA were not built'
    exit 77
}
LD_LIBRARY_PATH=$double/lib
RANGEFINDER_CUPTI=$double/cupti
export LD_LIBRARY_PATH RANGEFINDER_CUPTI
PATH=$double:$PATH
run rangefinder profile -o a app push=step launch=5 copy=1000 set=5 graph=3 sync pop
rangefinder info a.rf | grep -E '^(GPU|lost|marked)'
rangefinder info --json a.rf | grep -oE '"n_calls":[0-9]*,"n_os_calls":[0-9]*,"gpu_work":[^}]*}|"n_(bad|cuda)[a-z_]*":[0-9]*'
run rangefinder profile -o b -t cuda,nvtx --cuda-graph-trace=node --cuda-memory-usage=true \
    --cuda-event-trace=true --cuda-trace-all-apis=true app launch=1 graph=3 alloc=8 event noise=5 sync
# CUDA alone
run rangefinder profile -o c -t cuda app push=step launch=5 sync pop
run rangefinder profile -o d -t cuda app push=step pop init
# captures
run rangefinder profile -o e -c nvtx -p step --nvtx-capture-unregistered \
    app launch=7 sync push=step launch=5 sync pop launch=9 sync
# the calls at its edges are those that began the capture and end it: in it, partly or not
edges()
{
    echo "+ $*"
    "$@" 2>&1 | sed 's/[0-9]* calls*/some calls/'
}
edges rangefinder profile -o f -t cuda -c cudaProfilerApi --capture-range-end=repeat:2 \
    app launch=7 start launch=5 sync stop launch=9 start launch=4 sync stop sleep=10
edges rangefinder profile -o g -t cuda -c nvtx -p step --nvtx-capture-unregistered \
    app init push=step pop launch=3 sync
# losses
run rangefinder profile -q -o h --cuda-flush-interval=100 app launch=5 sync sleep=300 exit=kill
run rangefinder profile -q -o i -c nvtx -p step --nvtx-capture-unregistered \
    app init push=step launch=5 sync exit=kill
RF_DOUBLE_DROPPED=5 run rangefinder profile -o j app launch=50 sync
rangefinder info j.rf | grep -E '^lost'
# times that cannot be
RF_DOUBLE_ZERO_TIMES=2 run rangefinder profile -o z app launch=9 sync
rangefinder info z.rf | grep -E -A 1 '^(GPU|lost|marked)'
RF_DOUBLE_REVERSED_TIMES=2 run rangefinder profile -o y -c nvtx -p step \
    --nvtx-capture-unregistered app init push=step launch=9 sync pop
# CUDA cannot be recorded: the program runs, and is told why
run rangefinder profile -q -o k -t cuda,nvtx env RANGEFINDER_CUPTI=/no/such/file app mark=a launch=5 sync
run rangefinder profile -o l -t cuda env RF_DOUBLE_SUBSCRIBE=39 app mark=a launch=5 sync print=done
