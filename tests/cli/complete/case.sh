# SPDX-License-Identifier: Apache-2.0
# What can follow on a command line; shells ask for it.
run rangefinder complete -- re
run rangefinder complete -- recover --c
run rangefinder complete -- recover --compress=
run rangefinder complete -- profile --overflow=
run rangefinder complete -- profile -t cuda,n
run rangefinder complete -- profile -o ''
run rangefinder complete -- profile ''
run rangefinder complete -- profile ./program --help
run rangefinder complete -- profile --delay ''
run rangefinder complete -- help sho
run rangefinder complete -- status nobody
run rangefinder complete -- nothing ''
run rangefinder complete --
run rangefinder complete -- --
run rangefinder complete -- compare --fail-on=slower,
run rangefinder complete -- stats -r self_time,self
run rangefinder complete -- stats -r self_time,nvtx_kern
run rangefinder complete -- export -t fxt,fx
run rangefinder complete -- export -t fx
run rangefinder complete -- info ''
run rangefinder complete -- why ''
run rangefinder complete -- why step rec
run rangefinder complete -- recover one.rf ''
run rangefinder complete -- recipe nvtx_kern
run rangefinder complete -- recipe --input=
run rangefinder complete -- sessions ''
run rangefinder complete -- sessions list ''
run rangefinder complete -- gpu-metrics ''
run rangefinder complete -- gpu-metrics record --gpu-metrics-set=gh
run rangefinder complete -- gpu-metrics record --chip
run rangefinder complete -- gpu-metrics --set g
run rangefinder complete -- gpu-metrics --chip=GH
run rangefinder complete -- completions ''
for verb in start stop cancel status shutdown doctor version; do
    run rangefinder complete -- $verb ''
done
