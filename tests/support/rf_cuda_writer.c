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

static void add_set(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    const struct rf_cuda_memset set = {.head = {.kind = RF_CUDA_MEMSET, .correlation = id},
                                       .start = RFW_CUPTI(ns),
                                       .end = RFW_CUPTI(ns + 50),
                                       .bytes = 512,
                                       .context = 1,
                                       .stream = 7,
                                       .value = 1,
                                       .memory = 3};
    rfw_cuda(s, ns + 900, &set, sizeof(set));
}

static void add_peer_copy(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    const struct rf_cuda_memcpy copy = {
        .head = {.kind = RF_CUDA_MEMCPY, .flags = RF_CUDA_IS_PEER, .correlation = id},
        .start = RFW_CUPTI(ns),
        .end = RFW_CUPTI(ns + 70),
        .bytes = 1 << 20,
        .context = 1,
        .stream = 13,
        .copy_kind = 10,
        .source_memory = 3,
        .target_memory = 3,
        .source_context = 1,
        .target_device = 1,
        .target_context = 2};
    rfw_cuda(s, ns + 900, &copy, sizeof(copy));
}

/* A graph as one, and another one by its nodes. */
static void add_graphs(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    const struct rf_cuda_graph graph = {.head = {.kind = RF_CUDA_GRAPH, .correlation = id},
                                        .start = RFW_CUPTI(ns + 100),
                                        .end = RFW_CUPTI(ns + 400),
                                        .context = 1,
                                        .stream = 13,
                                        .graph = 4};
    rfw_cuda(s, ns + 900, &graph, sizeof(graph));
    for (uint32_t i = 0; i < 3; i++) {
        const struct rf_cuda_kernel kernel = {
            .head = {.kind = RF_CUDA_KERNEL, .correlation = id + 1},
            .start = RFW_CUPTI(ns + 1100 + 100 * i),
            .end = RFW_CUPTI(ns + 1150 + 100 * i),
            .context = 1,
            .stream = 13,
            .name = RFW_KERNEL_ADD,
            .grid = {4, 2, 1},
            .block = {128, 1, 1},
            .registers = 32,
            .launch_type = 1,
            .dynamic_shared = 1024,
            .graph_node = 0x400000001 + i,
            .graph = 4,
            .cluster = {2, 1, 1},
            .max_potential_cluster = 8,
            .max_active_clusters = 66};
        rfw_cuda(s, ns + 1900, &kernel, sizeof(kernel));
    }
}

static void add_wait(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    const struct rf_cuda_sync sync = {.head = {.kind = RF_CUDA_SYNC, .correlation = id},
                                      .start = RFW_CUPTI(ns),
                                      .end = RFW_CUPTI(ns + 100),
                                      .type = 3,
                                      .context = 1,
                                      .stream = 7,
                                      .event = UINT32_MAX};
    rfw_cuda(s, ns + 900, &sync, sizeof(sync));
}

static void add_extras(struct rfw_stream *s, int64_t ns, uint32_t id, uint32_t tid)
{
    const struct rf_cuda_memory memory = {.head = {.kind = RF_CUDA_MEMORY, .correlation = id},
                                          .time = RFW_CUPTI(ns),
                                          .address = 0x7f0000000000,
                                          .bytes = 4096,
                                          .context = 1,
                                          .stream = UINT32_MAX,
                                          .operation = 1,
                                          .memory = 3};
    const struct rf_cuda_event event = {.head = {.kind = RF_CUDA_EVENT, .correlation = id},
                                        .event = 11,
                                        .context = 1,
                                        .stream = 13,
                                        .event_sync = 12};
    const struct rf_cuda_overhead overhead = {.head = {.kind = RF_CUDA_OVERHEAD},
                                              .start = RFW_CUPTI(ns + 600),
                                              .end = RFW_CUPTI(ns + 650),
                                              .overhead_kind = 6u << 16,
                                              .object_kind = 2,
                                              .object = {0, tid}};
    rfw_cuda(s, ns + 900, &memory, sizeof(memory));
    rfw_cuda(s, ns + 900, &event, sizeof(event));
    rfw_cuda(s, ns + 900, &overhead, sizeof(overhead));
}

void rfw_cuda_everything(struct rfw_stream *s, uint32_t tid, int64_t from_ns, uint32_t first_id)
{
    static const int function[] = {RFW_MEMCPY,       RFW_LAUNCH,      RFW_LAUNCH,
                                   RFW_MEMCPY,       RFW_MEMCPY,      RFW_GRAPH_LAUNCH,
                                   RFW_GRAPH_LAUNCH, RFW_SYNCHRONIZE, RFW_CU_LAUNCH};
    for (uint32_t i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
        int64_t ns = from_ns + 1000 * (int64_t)i, work_ns = ns + 200;
        uint32_t id = first_id + i;
        rfw_cuda_call(s, i % 4 == 3 ? tid + 1 : tid, ns, ns + 150, id, function[i]);
        if (i == 0)
            rfw_cuda_copy(s, work_ns, work_ns + 300, id, 7, 65536);
        else if (i == 1 || i == 2 || i == 8)
            rfw_cuda_kernel(s, work_ns, work_ns + 500, id, i == 1 ? 7 : 13,
                            i == 2 ? RFW_KERNEL_PLAIN : RFW_KERNEL_ADD);
        else if (i == 3)
            add_set(s, work_ns, id);
        else if (i == 4)
            add_peer_copy(s, work_ns, id);
        else if (i == 5)
            add_graphs(s, work_ns, id);
        else if (i == 7)
            add_wait(s, ns + 10, id);
    }
    add_extras(s, from_ns, first_id, tid);
}
