# SPDX-License-Identifier: Apache-2.0
# cudaProfilerStart and Stop, without CUDA: the preloaded library has them.
run rangefinder profile -c cudaProfilerApi -o a act mark:no cuda:start mark:yes cuda:stop mark:no
events a.rf
run rangefinder profile -q -c cudaProfilerApi --capture-range-end=repeat:2 -o b \
    act cuda:start mark:yes cuda:start cuda:stop mark:no cuda:stop repeat:3
events b.1.rf b.2.rf
run rangefinder profile -q -c cudaProfilerApi -o c act mark:no cuda:start mark:yes exit:6
events c.rf
run rangefinder profile -c cudaProfilerApi -o d act mark:no
# one that has the CUDA runtime linked in: said at the start and at the end
run rangefinder profile -c cudaProfilerApi -o e static_cudart touch:started
run rangefinder profile -t nvtx -c cudaProfilerApi -o e static_cudart touch:started
list
