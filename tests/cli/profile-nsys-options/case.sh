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
# options in a file; those of the command line go before them
printf '%s\n' '# of this project' '-t nvtx --wait=primary' "-o 'from a' --mpi-impl=openmpi" '-q false' >options
run rangefinder profile --command-file=options --osrt-threshold 80000 act mark:a
run rangefinder profile --command-file options -o g -q act mark:a
printf '%s' '-o "never closed' >bad
run rangefinder profile --command-file=bad act touch:started
echo '--command-file=options' >bad
run rangefinder profile --command-file=bad act touch:started
echo 'act touch:started' >bad
run rangefinder profile --command-file=bad act touch:started
run rangefinder profile --command-file=absent act touch:started
# an option is never the value of the one before it
run rangefinder profile --python-backtrace --bogus act touch:started
run rangefinder profile --sample -o x act touch:started
run rangefinder profile -y
# what an option can be given
for option in --os-events --mpi-impl -t --export --wait -c --gpu-metrics-set --kill; do
    run rangefinder profile $option=help act touch:started
done
run rangefinder profile --gpu-metrics-set=0 --gpu-metrics-devices=none -q -o h act mark:a
list
