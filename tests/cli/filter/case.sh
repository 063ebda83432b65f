# SPDX-License-Identifier: Apache-2.0
# Parts of a real recording: two processes on two GPUs.
gunzip -c "$SOURCE/tests/data/nsys_exports/c_real_h100_2gpu.sqlite.gz" >two.sqlite
count()
{
    rangefinder export -q -t csv -o - "$@" two.sqlite | sed 1d | cut -d, -f1 | sort | uniq -c |
        sed 's/^ *//' | tr '\n' ' '
    echo
}
count
count --filter-time=155.4/155400.5ms
count --filter-time=/1us
count --activity=kernel
count --activity=nvtx --filter-name='FSDP*'
count --activity=memcpy,memset --filter-gpu=1
count --filter-kernel='/xmma.*split_k/' --activity=kernel
count --filter-process=112 --activity=gpu
count --filter-thread=112
count --filter-thread=python3 --filter-process=111 --activity=gpu,nvtx
count --filter-nvtx='aten::linear, op_id = 314392' --filter-process=112 --activity=api,kernel
run rangefinder export --filter-process=1,nobody two.sqlite
run rangefinder export --filter-thread=nobody two.sqlite
run rangefinder stats --filter-rank=0 two.sqlite
run rangefinder stats --filter-rank=a two.sqlite
run rangefinder export --filter-time=1..2 two.sqlite
run rangefinder export --filter-nvtx=no_such_range@x/1 two.sqlite
run rangefinder export --activity=kernels two.sqlite
run rangefinder stats --filter-gpu=9 two.sqlite
run rangefinder export --filter-name='/(/' two.sqlite
run rangefinder stats --filter-kernel='/a{1,70000}/' two.sqlite
run rangefinder export -q -t csv -o x.csv --filter-name='/^(([a-zA-Z:_, 0-9=]+)*)*[!?]$/' two.sqlite
list
count --activity=nvtx --filter-name='/(?i)fsdp::(?:pre_|post_)forward(?!.*block)/'
count --activity=nvtx --filter-name='/^(?:FSDP|aten::)/'
rangefinder stats -q -f csv -r nvtx_sum --filter-name='FSDP::*forward (encoder.block.16*' two.sqlite | cut -d, -f3,10-
command -v python3 >/dev/null || exit 77
for options in --activity=nvtx,kernel --filter-time=155.5/ --filter-process=111; do
    rangefinder export -q -f -o part.json "$options" two.sqlite
    run python3 "$SOURCE/tests/export/check_trace.py" part.json
done
