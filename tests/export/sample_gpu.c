/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

static struct rf_call *call(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                            const char *name, uint32_t correlation)
{
    struct rf_call *made = fake_call(rec, thread, RF_CALL_CUDA_RUNTIME, start_ns, end_ns, name);
    made->correlation = correlation;
    return made;
}

static void push(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                 uint32_t domain, const char *name)
{
    (void)fake_event(rec, thread, RF_EVENT_PUSH_POP, start_ns, end_ns, domain, name);
}

/* The work of call i of a thread. */
static struct rf_gpu_op *op(rf_recording *rec, int kind, int64_t start_ns, int64_t end_ns,
                            const char *name, uint32_t thread, uint32_t i)
{
    struct rf_gpu_op *made = fake_op(rec, kind, start_ns, end_ns, name);
    fake_cause(rec, thread, i, made);
    return made;
}

static struct rf_gpu_op *kernel(rf_recording *rec, int64_t start_ns, int64_t end_ns,
                                const char *name, uint32_t thread, uint32_t i)
{
    struct rf_gpu_op *made = op(rec, RF_OP_KERNEL, start_ns, end_ns, name, thread, i);
    struct rf_kernel *parameters = fake_kernel(rec, made, "void gemm<float, 128>(float *)");
    parameters->grid[0] = 132;
    parameters->grid[1] = parameters->grid[2] = 1;
    parameters->block[0] = 256;
    parameters->block[1] = 2;
    parameters->block[2] = 1;
    parameters->registers = 96;
    parameters->static_shared_bytes = 1024;
    parameters->dynamic_shared_bytes = 65536;
    return made;
}

/* Thread 0 of process 0. Time 0 of its ranges is 1 ms. */
static void add_first_thread(rf_recording *rec, uint32_t library)
{
    push(rec, 0, 1000000, 2000000, 0, "step");
    push(rec, 0, 1100000, 1400000, 0, "forward \"1\"");
    push(rec, 0, 1300000, 1500000, library, "lib"); /* crosses forward */
    push(rec, 0, 1600000, 1600000, 0, "nothing");
    (void)fake_start_end(rec, 0, 1700000, 1900000, 0, "copying");
    call(rec, 0, 900000, 1050000, "cudaMalloc", 1)->result = 2;       /* crosses step */
    (void)call(rec, 0, 1110000, 1120000, "cudaMemcpyAsync_v3020", 2); /* 1 */
    (void)call(rec, 0, 1200000, 1210001, "cudaLaunchKernel_v7000", 3);
    (void)call(rec, 0, 1310000, 1320000, "cudaGraphLaunch_v10000", 4); /* 3 */
    (void)call(rec, 0, 1710000, 1720000, "cudaMemsetAsync_v3020", 5);
    (void)call(rec, 0, 1800000, 1950000, "cudaStreamSynchronize_v3020", 6); /* 5 */
    (void)fake_call(rec, 0, RF_CALL_OS, 1810000, 1940000, "poll");
    struct rf_call *driver =
        fake_call(rec, 0, RF_CALL_CUDA_DRIVER, 2100000, 2110000, "cuLaunchKernelEx");
    driver->correlation = 7;
}

static void add_first_streams(rf_recording *rec)
{
    (void)fake_track(rec, 0, 0, 1, 7);
    struct rf_gpu_op *copy = op(rec, RF_OP_MEMCPY, 1150000, 1180000, NULL, 0, 1);
    struct rf_transfer *transfer = fake_transfer(rec, copy, 3000000);
    transfer->copy_kind = 1;
    transfer->source_memory = 1;
    transfer->target_memory = 2;
    (void)kernel(rec, 1250000, 1350000, "gemm", 0, 2);
    kernel(rec, 1400000, 1500000, "node_a", 0, 3)->graph = 9; /* the two overlap */
    kernel(rec, 1450000, 1550000, "node_b", 0, 3)->graph = 9;
    struct rf_gpu_op *set = op(rec, RF_OP_MEMSET, 1730000, 1730000, NULL, 0, 4);
    transfer = fake_transfer(rec, set, 4096);
    transfer->source_memory = transfer->target_memory = 2;
    (void)kernel(rec, 2200000, 2300000, "last", 0, 7);
    (void)fake_track(rec, 0, 0, 1, 13);
    op(rec, RF_OP_SYNC, 1800000, 1940000, NULL, 0, 5)->sync_type = 3;
    (void)fake_track(rec, 0, 0, 2, 7); /* of another context */
    (void)fake_op(rec, RF_OP_KERNEL, 100000, 200000, "from_elsewhere");
}

static void add_second_process(rf_recording *rec)
{
    uint32_t process = fake_process(rec, 200, "rank1");
    uint32_t thread = fake_thread(rec, process, 200, "rank1");
    uint32_t loader = fake_thread(rec, process, 201, "loader");
    push(rec, thread, 1000000, 2000000, rf_n_domains(rec) - 1, "step");
    push(rec, loader, 1000000, 2000000, rf_n_domains(rec) - 1, "load");
    (void)call(rec, thread, 1200000, 1210000, "cudaGraphLaunch_v10000", 3);
    (void)fake_track(rec, process, 1, 1, 7);
    op(rec, RF_OP_GRAPH, 1250000, 1350001, NULL, thread, 0)->graph = 4;
}

rf_recording *sample_gpu_new(void)
{
    rf_recording *rec = fake_new();
    fake_info(rec)->end_ns = 2500000;
    (void)fake_gpu(rec, 0, "Example GPU");
    (void)fake_gpu(rec, 1, "Example GPU");
    add_first_thread(rec, fake_domain(rec, 0, 1, "cu\"DNN"));
    add_first_streams(rec);
    add_second_process(rec);
    return rec;
}
