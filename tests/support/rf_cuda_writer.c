/* SPDX-License-Identifier: Apache-2.0 */
#include "rf_cuda_writer.h"

void rfw_cuda_names(struct rfw *w, uint32_t p)
{
    static const struct {
        int index;
        const char *name;
    } functions[] = {{RFW_LAUNCH, "cudaLaunchKernel_v7000"},
                     {RFW_MEMCPY, "cudaMemcpyAsync_v3020"},
                     {RFW_GRAPH_LAUNCH, "cudaGraphLaunch_v10000"},
                     {RFW_SYNCHRONIZE, "cudaDeviceSynchronize_v3020"},
                     {RFW_CU_LAUNCH, "cuLaunchKernel"}};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        rfw_cuda_def(w, p, 1, RF_CUDA_DEF_FUNCTION, (uint32_t)functions[i].index, 0, 0,
                     functions[i].name);
    rfw_cuda_def(w, p, 1, RF_CUDA_DEF_KERNEL, RFW_KERNEL_ADD, 0, 0, "_ZN2ns3addIfEEvPT_i");
    rfw_cuda_def(w, p, 1, RF_CUDA_DEF_KERNEL, RFW_KERNEL_PLAIN, 0, 0, "plain");
    rfw_cuda_def(w, p, 1, RF_CUDA_DEF_DEVICE, 0, 0, 0,
                 "name=NVIDIA H200\npci=0000:3b:00.0\n"
                 "uuid=GPU-00112233-4455-6677-8899-aabbccddeeff\nmemory=150000000000\n"
                 "multiprocessors=132\ncapability=9.0\nclockRate=1980000000\n");
    rfw_cuda_def(w, p, 1, RF_CUDA_DEF_CONTEXT, 1, 0, 7, "api=1\nprocess=1\n");
    rfw_cuda_def(w, p, 1, RF_CUDA_DEF_STREAM, 7, 1, 0, "priority=0\nflag=3\n");
    rfw_cuda_def(w, p, 1, RF_CUDA_DEF_STREAM, 13, 1, 0, "priority=-1\nflag=2\n");
}

void rfw_cuda_call(struct rfw_stream *s, uint32_t tid, int64_t start_ns, int64_t end_ns,
                   uint32_t correlation, int function)
{
    const struct rf_cuda_api api = {.head = {.kind = RF_CUDA_API, .correlation = correlation},
                                    .start = RFW_CUPTI(start_ns),
                                    .end = RFW_CUPTI(end_ns),
                                    .tid = tid,
                                    .function = (uint32_t)function};
    rfw_cuda(s, end_ns, &api, sizeof(api));
}

void rfw_cuda_kernel(struct rfw_stream *s, int64_t start_ns, int64_t end_ns, uint32_t correlation,
                     uint32_t stream, uint32_t name)
{
    const struct rf_cuda_kernel kernel = {
        .head = {.kind = RF_CUDA_KERNEL, .correlation = correlation},
        .start = RFW_CUPTI(start_ns),
        .end = RFW_CUPTI(end_ns),
        .context = 1,
        .stream = stream,
        .name = name,
        .grid = {32, 1, 1},
        .block = {256, 1, 1},
        .registers = 24,
        .shared_executed = 16384};
    rfw_cuda(s, end_ns, &kernel, sizeof(kernel));
}

void rfw_cuda_copy(struct rfw_stream *s, int64_t start_ns, int64_t end_ns, uint32_t correlation,
                   uint32_t stream, uint64_t bytes)
{
    const struct rf_cuda_memcpy copy = {
        .head = {.kind = RF_CUDA_MEMCPY, .correlation = correlation},
        .start = RFW_CUPTI(start_ns),
        .end = RFW_CUPTI(end_ns),
        .bytes = bytes,
        .context = 1,
        .stream = stream,
        .copy_kind = 1,
        .source_memory = 2,
        .target_memory = 3};
    rfw_cuda(s, end_ns, &copy, sizeof(copy));
}
