# SPDX-License-Identifier: Apache-2.0
"""The right answer for each file of tests/data/nsys_exports/defects: options (all activities where none
are given) and the events as "category | pid | tid | name | ts dur | args"."""

DEFECTS = {
    # a registered string
    "d01_textid": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "step" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "step" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["step"]}',
    ]),
    # the color of a registered string
    "d01b_textid_color": (['--nvtx-color-scheme', '{"step":"good"}'], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "step" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "step" | 1.0 8.0 | {} | good',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["step"]}',
    ]),
    # the prefix of a registered string
    "d01c_textid_prefix": (['--nvtx-event-prefix', 'step'], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "step" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "step2" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "step" | 1.0 8.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "step2" | 1.1 6.9 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["step", "step2"]}',
    ]),
    # a process without kernels that has ranges
    "d02_cpu_pid": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
        'nvtx | Process 20 | NVTX Thread 20 | "cpu only proc" | 1.0 1.0 | {}',
    ]),
    # a process without kernels that has calls
    "d02b_cpu_pid_api": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
        'cuda_api | Process 20 | CUDA API Thread 20 | "cudaGetDeviceCount" | 1.0 1.0 | {"correlationId": 9}',
    ]),
    # a process on two GPUs: its threads are shown under the lower one
    "d03_two_gpus": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 3.1 0.4 | {"correlationId": 2}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
        'cuda | Device 1 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
    ]),
    # a range that was open at the end
    "d04_null_end": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "open" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "open" | 1.0 4.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["open"]}',
    ]),
    # a range of no length
    "d05_zero_len": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "zero" | 1.5 0.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
    ]),
    # a range of another thread covers nothing
    "d06_cross_thread": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "main thread range" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "main thread range" | 1.0 8.0 | {}',
        'nvtx | Device 0 | NVTX Thread 11 | "dataloader thread" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["main thread range"]}',
    ]),
    # two ranges that are equal in all columns
    "d07_identical": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "same" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "same" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "same" | 1.0 8.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "same" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["same", "same"]}',
    ]),
    # two processes on one GPU, with the same correlation ids
    "d08_same_dev_two_pids": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'cuda_api | Device 0 | CUDA API Thread 20 | "cudaLaunchKernel_v7000" | 2.5 0.6 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "pid10" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 20 | "pid20" | 6.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "pid10" | 1.0 8.0 | {}',
        'nvtx | Device 0 | NVTX Thread 20 | "pid20" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "k10" | 4.0 1.0 | {"NVTXRegions": ["pid10"]}',
        'cuda | Device 0 | Stream 7 | "k20" | 6.0 1.0 | {"NVTXRegions": ["pid20"]}',
    ]),
    # start/end ranges and marks take no part
    "d09_start_end": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {}',
    ]),
    # a table is missing
    "d10_no_kernel_table": (['-t', 'nvtx'], [
        'nvtx | Process 10 | NVTX Thread 10 | "cpu" | 1.0 8.0 | {}',
    ]),
    # a table is missing
    "d11_no_nvtx_table": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {}',
    ]),
    # all kernels of the launch of a graph
    "d12_graph": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaGraphLaunch_v10000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "graph replay" | 4.0 3.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "graph replay" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "g0" | 4.0 1.0 | {"NVTXRegions": ["graph replay"]}',
        'cuda | Device 0 | Stream 7 | "g1" | 5.0 1.0 | {"NVTXRegions": ["graph replay"]}',
        'cuda | Device 0 | Stream 7 | "g2" | 6.0 1.0 | {"NVTXRegions": ["graph replay"]}',
    ]),
    # a quote in a prefix
    "d13_injection": (['--nvtx-event-prefix', "it's"], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "it\'s" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "it\'s" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["it\'s"]}',
    ]),
    # a prefix is a pattern of LIKE
    "d13b_like": (['--nvtx-event-prefix', 'a_b'], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a_b" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "axb" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "A_B" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a_b" | 1.0 8.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "axb" | 1.1 6.9 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "A_B" | 1.2 5.8 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a_b", "axb", "A_B"]}',
    ]),
    # a prefix is no SQL
    "d13c_inject2": (['--nvtx-event-prefix', "%' OR 1=1 OR text LIKE '"], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {}',
    ]),
    # a range that starts with the call
    "d14_tie": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "starts with api" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "starts with api" | 2.0 7.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["starts with api"]}',
    ]),
    # a range must enclose the whole call
    "d15_straddle": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx | Device 0 | NVTX Thread 10 | "ends mid api" | 1.0 1.5 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "starts mid api" | 2.6 6.4 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {}',
    ]),
    # as near as a double comes to a time since 1970
    "d16_precision": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 1761870000000002.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "epoch" | 1761870000000004.0 1.003 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "epoch" | 1761870000000000.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 1761870000000004.0 1.003 | {"NVTXRegions": ["epoch"]}',
    ]),
    # a range without a name
    "d17_null_text_child_color": (['--nvtx-color-scheme', '{"a":"good"}'], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {} | good',
        'nvtx | Device 0 | NVTX Thread 10 | null | 1.1 6.9 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a", null]}',
    ]),
    # the name of a call is missing
    "d18_missing_stringid": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "0x1" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
    ]),
    # no correlation id is no correlation
    "d19_null_corr": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaFoo" | 3.0 0.1 | {"correlationId": null}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
        'cuda | Device 0 | Stream 7 | "nocorr" | 5.0 1.0 | {}',
    ]),
    # ranges that cross both cover the call
    "d20_overlap": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.5 0.1 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "A" | 4.0 1.0 | {}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "B overlaps (two domains)" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "A" | 1.0 2.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "B overlaps (two domains)" | 2.0 2.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["A", "B overlaps (two domains)"]}',
    ]),
    # bytes that are not UTF-8
    "d21_invalid_utf8": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "\\ufffda" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "\\ufffda" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["\\ufffda"]}',
    ]),
    # a pid of more than 24 bits
    "d22_pid_gt_24bit": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
    ]),
    # kernels that do not name their process
    "d23_old_schema_null_globalPid": ([], [
        'cuda_api | Device 0 | CUDA API Thread 10 | "cudaLaunchKernel_v7000" | 2.0 1.0 | {"correlationId": 1}',
        'nvtx-kernel | Device 0 | NVTX Kernel Thread 10 | "a" | 4.0 1.0 | {}',
        'nvtx | Device 0 | NVTX Thread 10 | "a" | 1.0 8.0 | {}',
        'cuda | Device 0 | Stream 7 | "kern" | 4.0 1.0 | {"NVTXRegions": ["a"]}',
    ]),
}
