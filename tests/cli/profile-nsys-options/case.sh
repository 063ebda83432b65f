# SPDX-License-Identifier: Apache-2.0
# Lines for nsys work with the first word changed; a line says what is not recorded.
run rangefinder profile -o a -t cuda,nvtx,osrt,cudnn,cublas -s cpu --cudabacktrace=true \
    --gpu-metrics-device=none --cuda-memory-usage=true -w true -x true --kill=none act mark:a
run rangefinder profile -o b --trace=nvtx --sample=none --cpuctxsw=none --backtrace none \
    --sampling-period=125000 --session-new=x --trace-fork-before-exec=true \
    --gpu-metrics-frequency=10000 --wait=primary --capture-range=none -y 0 act mark:a
run rangefinder profile -o c --trace none act print:c
run rangefinder profile -o d -t cuda,nvtxx act touch:started
run rangefinder profile -o d --stop-on-exit=false act touch:started
run rangefinder profile -o d --run-as=nobody act touch:started
run rangefinder profile -o d --wait=never act touch:started
run rangefinder profile -o d --overflow=spill act touch:started
run rangefinder profile -o d --export=sqlite,arow act touch:started
run rangefinder profile -o e --export=arrow,none act mark:a
list
