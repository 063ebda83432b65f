/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA runtime's interface for the test programs where there is none: on top of the stand-in
 * for libcudart (tests/cuda/double), what that lacks made up here. C++ only. */
#ifndef STANDIN_H
#define STANDIN_H

extern "C" {
#include "cudart.h"
}

#include <map>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <utility>

#define __global__

typedef int cudaError_t;
typedef struct double_graph *cudaGraph_t;
enum { cudaSuccess = 0 };
enum { cudaStreamNonBlocking = 1, cudaStreamCaptureModeThreadLocal = 1 };
enum { cudaEventDefault = 0, cudaEventDisableTiming = 2 };

/* ---- Launches: a "kernel" is its name and how long it takes ---- */

/* How many nodes the graph has that is being captured; -1: none is. */
static int n_captured = -1;

static inline const struct double_kernel *standin_kernel(const char *name, long long n_cycles)
{
    static std::map<std::pair<std::string, long long>, struct double_kernel *> kernels;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct double_kernel *&slot = kernels[std::make_pair(std::string(name), n_cycles)];
    struct double_kernel *kernel = slot;
    if (kernel == NULL) {
        kernel = slot = new double_kernel();
        kernel->name = n_cycles < 0 ? "_Z5emptyv" : "_Z4spinx";
        kernel->duration_ns = n_cycles < 0 ? 1000 : (uint64_t)n_cycles / 2 + 500;
        kernel->registers = 16;
    }
    pthread_mutex_unlock(&lock);
    return kernel;
}

static inline int standin_launch(const char *name, int grid, int block, cudaStream_t stream,
                                 long long n_cycles = -1)
{
    if (n_captured >= 0) {
        n_captured++;
        return 0;
    }
    struct dim3 grids = {(uint32_t)grid, 1, 1}, blocks = {(uint32_t)block, 1, 1};
    return double_launch(standin_kernel(name, n_cycles), grids, blocks, stream);
}

#define LAUNCH(kernel, grid, block, stream, ...)                                                   \
    CHECK(standin_launch(#kernel, grid, block, stream, ##__VA_ARGS__))

/* ---- What libcudart's stand-in has not ---- */

static inline const char *cudaGetErrorString(cudaError_t error)
{
    static char text[32];
    snprintf(text, sizeof(text), "error %d", error);
    return text;
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    return cudaStreamCreate(stream);
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t first, cudaEvent_t last)
{
    *ms = (float)((double)(last->ready - first->ready) / 1e6);
    return cudaSuccess;
}

static inline cudaError_t cudaMallocHost(void **address, size_t bytes)
{
    *address = malloc(bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaFreeHost(void *address)
{
    free(address);
    return cudaSuccess;
}

static inline cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t)
{
    return cudaMalloc(address, bytes);
}

static inline cudaError_t cudaFreeAsync(void *address, cudaStream_t)
{
    return cudaFree(address);
}

/* ---- Graphs: kernels alone ---- */

static inline cudaError_t cudaStreamBeginCapture(cudaStream_t, int)
{
    n_captured = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *graph)
{
    *graph = new double_graph();
    (*graph)->id = 1;
    (*graph)->n_nodes = (uint32_t)n_captured;
    (*graph)->kernel = standin_kernel("spin", 2000);
    n_captured = -1;
    return cudaSuccess;
}

static inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                        unsigned long long)
{
    *exec = graph;
    return cudaSuccess;
}

static inline cudaError_t cudaGraphDestroy(cudaGraph_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t)
{
    return cudaSuccess;
}

/* While a graph is captured, copies and memsets are left out. */
#define cudaMemcpyAsync(...) (n_captured >= 0 ? 0 : cudaMemcpyAsync(__VA_ARGS__))
#define cudaMemsetAsync(...) (n_captured >= 0 ? 0 : cudaMemsetAsync(__VA_ARGS__))

#endif
