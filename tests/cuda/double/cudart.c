/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in for libcudart: loads libcuda at the first call, as the real one does. Each call is
 * one of the runtime API; the driver's inside it are not told of, but for those of the profiler. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cudart.h"

#define API DOUBLE_EXPORT int

API cudaGetDevice(int *device);
API cudaGetLastError(void);
API cudaMalloc(void **address, size_t bytes);
API cudaFree(void *address);
API cudaMemcpy(void *target, const void *source, size_t bytes, int kind);
API cudaMemcpyAsync(void *target, const void *source, size_t bytes, int kind, cudaStream_t stream);
API cudaMemcpyPeerAsync(void *target, int target_device, const void *source, int source_device,
                        size_t bytes, cudaStream_t stream);
API cudaMemsetAsync(void *target, int value, size_t bytes, cudaStream_t stream);
API cudaStreamCreate(cudaStream_t *stream);
API cudaStreamSynchronize(cudaStream_t stream);
API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
API cudaEventCreate(cudaEvent_t *event);
API cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
API cudaEventSynchronize(cudaEvent_t event);
API cudaDeviceSynchronize(void);
API cudaDeviceReset(void);
API cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, cudaStream_t stream);
API double_launch(const struct double_kernel *kernel, struct dim3 grid, struct dim3 block,
                  cudaStream_t stream);
API cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
API cudaProfilerStart(void);
API cudaProfilerStop(void);

struct runtime {
    const struct double_gpu *gpu;
    uint32_t result; /* of the initialisation; its error is every call's */
    uint32_t (*profiler_start)(void);
    uint32_t (*profiler_stop)(void);
};

static struct runtime runtime;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    double_gpu_function get = NULL;
    if (library)
        *(void **)&get = dlsym(library, "rf_double_gpu");
    if (!get) {
        fprintf(stderr, "cudart double: no libcuda double: %s\n", dlerror());
        abort();
    }
    *(void **)&runtime.profiler_start = dlsym(library, "cuProfilerStart");
    *(void **)&runtime.profiler_stop = dlsym(library, "cuProfilerStop");
    runtime.gpu = get();
    runtime.result = runtime.gpu->initialize();
}

/* Begins a call; false: CUDA cannot be used. */
static bool begin(struct double_call *call, uint32_t cbid)
{
    pthread_once(&once, load);
    if (runtime.result != 0)
        return false;
    runtime.gpu->begin(call, DOUBLE_RUNTIME, cbid);
    return true;
}

static int end(struct double_call *call, uint32_t result)
{
    return (int)runtime.gpu->end(call, result);
}

int cudaGetDevice(int *device)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaGetDevice))
        return (int)runtime.result;
    *device = 0;
    return end(&call, 0);
}

int cudaGetLastError(void)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaGetLastError))
        return (int)runtime.result;
    return end(&call, 0);
}

int cudaMalloc(void **address, size_t bytes)
{
    static uint64_t next = 0x7f0000000000;
    struct double_call call;
    if (!begin(&call, CBID_cudaMalloc))
        return (int)runtime.result;
    uint64_t at = __atomic_fetch_add(&next, (bytes + 511) & ~(size_t)511, __ATOMIC_RELAXED);
    *address = (void *)at;
    return end(&call, runtime.gpu->memory(&call, at, bytes, false));
}

int cudaFree(void *address)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaFree))
        return (int)runtime.result;
    if (!address)
        return end(&call, 0);
    return end(&call, runtime.gpu->memory(&call, (uint64_t)address, 0, true));
}

/* The runtime's numbers are CUPTI's but for device to device. */
static uint8_t copy_kind(int kind)
{
    return kind == cudaMemcpyDeviceToDevice ? 8 : (uint8_t)kind;
}

int cudaMemcpy(void *target, const void *source, size_t bytes, int kind)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaMemcpy))
        return (int)runtime.result;
    (void)target;
    (void)source;
    uint32_t result = runtime.gpu->copy(&call, bytes, copy_kind(kind), NULL);
    if (result == 0)
        result = runtime.gpu->synchronize(&call, NULL);
    return end(&call, result);
}

int cudaMemcpyAsync(void *target, const void *source, size_t bytes, int kind, cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaMemcpyAsync))
        return (int)runtime.result;
    (void)target;
    (void)source;
    return end(&call, runtime.gpu->copy(&call, bytes, copy_kind(kind), stream));
}

int cudaMemcpyPeerAsync(void *target, int target_device, const void *source, int source_device,
                        size_t bytes, cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaMemcpyPeerAsync))
        return (int)runtime.result;
    (void)target;
    (void)source;
    return end(&call, runtime.gpu->copy_peer(&call, bytes, (uint32_t)source_device,
                                             (uint32_t)target_device, stream));
}

int cudaMemsetAsync(void *target, int value, size_t bytes, cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaMemsetAsync))
        return (int)runtime.result;
    (void)target;
    return end(&call, runtime.gpu->set(&call, bytes, (uint32_t)value, stream));
}

int cudaStreamCreate(cudaStream_t *stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaStreamCreate))
        return (int)runtime.result;
    *stream = runtime.gpu->new_stream(&call);
    return end(&call, 0);
}

int cudaStreamSynchronize(cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaStreamSynchronize))
        return (int)runtime.result;
    return end(&call, runtime.gpu->synchronize(&call, stream));
}

int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaStreamWaitEvent))
        return (int)runtime.result;
    (void)flags;
    return end(&call, runtime.gpu->wait_event(&call, stream, event));
}

int cudaEventCreate(cudaEvent_t *event)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaEventCreate))
        return (int)runtime.result;
    *event = runtime.gpu->new_event();
    return end(&call, 0);
}

int cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaEventRecord))
        return (int)runtime.result;
    return end(&call, runtime.gpu->record_event(&call, event, stream));
}

int cudaEventSynchronize(cudaEvent_t event)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaEventSynchronize))
        return (int)runtime.result;
    return end(&call, runtime.gpu->synchronize_event(&call, event));
}

int cudaDeviceSynchronize(void)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaDeviceSynchronize))
        return (int)runtime.result;
    return end(&call, runtime.gpu->synchronize_all(&call));
}

static int launch(uint32_t cbid, const struct double_kernel *kernel, struct dim3 grid,
                  struct dim3 block, size_t shared, cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, cbid))
        return (int)runtime.result;
    const uint32_t grids[3] = {grid.x, grid.y, grid.z}, blocks[3] = {block.x, block.y, block.z};
    return end(&call, runtime.gpu->launch(&call, kernel, grids, blocks, (uint32_t)shared, stream));
}

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, cudaStream_t stream)
{
    (void)arguments;
    return launch(CBID_cudaLaunchKernel, function, grid, block, shared, stream);
}

static int call_nothing(uint32_t cbid)
{
    struct double_call call;
    return begin(&call, cbid) ? end(&call, 0) : (int)runtime.result;
}

/* What is left of the context here is that libcupti forgets its records. */
int cudaDeviceReset(void)
{
    return call_nothing(CBID_cudaDeviceReset);
}

int double_launch(const struct double_kernel *kernel, struct dim3 grid, struct dim3 block,
                  cudaStream_t stream)
{
    if (double_setting("RF_DOUBLE_CUPTI_VERSION", 130000) < 130000)
        return launch(CBID_cudaLaunchKernel, kernel, grid, block, 0, stream);
    int result = call_nothing(CBID_cudaPushCallConfiguration);
    if (result == 0)
        result = call_nothing(CBID_cudaPopCallConfiguration);
    return result == 0 ? launch(CBID_cudaLaunchKernelByHandle, kernel, grid, block, 0, stream)
                       : result;
}

int cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaGraphLaunch))
        return (int)runtime.result;
    return end(&call, runtime.gpu->launch_graph(&call, graph, stream));
}

int cudaProfilerStart(void)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaProfilerStart))
        return (int)runtime.result;
    return end(&call, runtime.profiler_start());
}

int cudaProfilerStop(void)
{
    struct double_call call;
    if (!begin(&call, CBID_cudaProfilerStop))
        return (int)runtime.result;
    return end(&call, runtime.profiler_stop());
}
