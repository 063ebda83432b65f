/* SPDX-License-Identifier: Apache-2.0 */
/* A process that uses CUDA, for tests: a few lines each for what CUPTI tells of it. Times are those
 * of the recording; CUPTI's clock is CLOCK_REALTIME, see RFW_CUPTI(). */
#ifndef TESTS_SUPPORT_RF_CUDA_WRITER_H
#define TESTS_SUPPORT_RF_CUDA_WRITER_H

#include "rf_writer.h"

/* What rfw_cuda_names() defines. */
enum {
    RFW_LAUNCH = 211,                          /* cudaLaunchKernel_v7000 */
    RFW_MEMCPY = 41,                           /* cudaMemcpyAsync_v3020 */
    RFW_GRAPH_LAUNCH = 311,                    /* cudaGraphLaunch_v10000 */
    RFW_SYNCHRONIZE = 165,                     /* cudaDeviceSynchronize_v3020 */
    RFW_CU_LAUNCH = (int)(0x80000000u | 307u), /* cuLaunchKernel */
    RFW_KERNEL_ADD = 1,                        /* void ns::add<float>(float*, int) */
    RFW_KERNEL_PLAIN = 2,                      /* plain */
};

/* The functions and kernels above, a device 0, context 1 and streams 7, 13 of a process. */
void rfw_cuda_names(struct rfw *w, uint32_t process);

/* A call on thread tid. */
void rfw_cuda_call(struct rfw_stream *s, uint32_t tid, int64_t start_ns, int64_t end_ns,
                   uint32_t correlation, int function);

/* A kernel, 32 x 256 threads, on device 0, context 1. */
void rfw_cuda_kernel(struct rfw_stream *s, int64_t start_ns, int64_t end_ns, uint32_t correlation,
                     uint32_t stream, uint32_t name);

/* A copy from pinned memory to the device, likewise. */
void rfw_cuda_copy(struct rfw_stream *s, int64_t start_ns, int64_t end_ns, uint32_t correlation,
                   uint32_t stream, uint64_t bytes);

/* One of every kind, on device 0, context 1: calls of the threads tid and tid + 1 from from_ns on,
 * 1000 ns apart, with correlation ids from first_id, and all that they caused. Definitions:
 * rfw_cuda_names(). */
void rfw_cuda_everything(struct rfw_stream *s, uint32_t tid, int64_t from_ns, uint32_t first_id);

#endif
