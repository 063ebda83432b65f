/* SPDX-License-Identifier: Apache-2.0 */
/* What the stand-in for libcudart has; a "function" is a struct double_kernel. */
#ifndef RF_TESTS_DOUBLE_CUDART_H
#define RF_TESTS_DOUBLE_CUDART_H

#include "double.h"

typedef struct double_stream *cudaStream_t;
typedef struct double_event *cudaEvent_t;
typedef struct double_graph *cudaGraphExec_t;

struct dim3 {
    uint32_t x, y, z;
};

enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };

int cudaGetDevice(int *device);
int cudaGetLastError(void);
int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpy(void *target, const void *source, size_t bytes, int kind);
int cudaMemcpyAsync(void *target, const void *source, size_t bytes, int kind, cudaStream_t stream);
int cudaMemcpyPeerAsync(void *target, int target_device, const void *source, int source_device,
                        size_t bytes, cudaStream_t stream);
int cudaMemsetAsync(void *target, int value, size_t bytes, cudaStream_t stream);
int cudaStreamCreate(cudaStream_t *stream);
int cudaStreamSynchronize(cudaStream_t stream);
int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
int cudaEventCreate(cudaEvent_t *event);
int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
int cudaEventSynchronize(cudaEvent_t event);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, cudaStream_t stream);
/* What nvcc makes of kernel<<<grid, block, 0, stream>>>(): since CUDA 13 calls that have names of
 * their own. */
int double_launch(const struct double_kernel *kernel, struct dim3 grid, struct dim3 block,
                  cudaStream_t stream);
int cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
int cudaProfilerStart(void);
int cudaProfilerStop(void);

#endif
