/* SPDX-License-Identifier: Apache-2.0 */
/* What all three stand-ins use. */
#include <stdlib.h>

#include "double.h"

uint64_t double_setting(const char *name, uint64_t other)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : other;
}

struct name {
    enum double_domain domain;
    uint32_t cbid;
    const char *text;
};

static const struct name names[] = {
    {DOUBLE_RUNTIME, CBID_cudaGetLastError, "cudaGetLastError_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaGetDevice, "cudaGetDevice_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaMalloc, "cudaMalloc_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaFree, "cudaFree_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaMemcpy, "cudaMemcpy_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaMemcpyAsync, "cudaMemcpyAsync_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaMemsetAsync, "cudaMemsetAsync_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaStreamCreate, "cudaStreamCreate_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaStreamSynchronize, "cudaStreamSynchronize_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaEventCreate, "cudaEventCreate_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaEventRecord, "cudaEventRecord_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaEventSynchronize, "cudaEventSynchronize_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaStreamWaitEvent, "cudaStreamWaitEvent_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaMemcpyPeerAsync, "cudaMemcpyPeerAsync_v4000"},
    {DOUBLE_RUNTIME, CBID_cudaDeviceReset, "cudaDeviceReset_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaDeviceSynchronize, "cudaDeviceSynchronize_v3020"},
    {DOUBLE_RUNTIME, CBID_cudaProfilerStart, "cudaProfilerStart_v4000"},
    {DOUBLE_RUNTIME, CBID_cudaProfilerStop, "cudaProfilerStop_v4000"},
    {DOUBLE_RUNTIME, CBID_cudaLaunchKernel, "cudaLaunchKernel_v7000"},
    {DOUBLE_RUNTIME, CBID_cudaGraphLaunch, "cudaGraphLaunch_v10000"},
    {DOUBLE_RUNTIME, CBID_cudaPushCallConfiguration, "__cudaPushCallConfiguration_v13000"},
    {DOUBLE_RUNTIME, CBID_cudaPopCallConfiguration, "__cudaPopCallConfiguration_v13000"},
    {DOUBLE_RUNTIME, CBID_cudaLaunchKernelByHandle, "__cudaLaunchKernel_v13000"},
    {DOUBLE_DRIVER, CBID_cuDriverGetVersion, "cuDriverGetVersion"},
    {DOUBLE_DRIVER, CBID_cuDeviceGetAttribute, "cuDeviceGetAttribute"},
    {DOUBLE_DRIVER, CBID_cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId"},
    {DOUBLE_DRIVER, CBID_cuCtxGetCurrent, "cuCtxGetCurrent"},
    {DOUBLE_DRIVER, CBID_cuLaunchKernel, "cuLaunchKernel"},
    {DOUBLE_DRIVER, CBID_cuProfilerStart, "cuProfilerStart"},
    {DOUBLE_DRIVER, CBID_cuProfilerStop, "cuProfilerStop"},
    {DOUBLE_DRIVER, CBID_cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2"},
    {DOUBLE_DRIVER, CBID_cuMemsetD32Async, "cuMemsetD32Async"},
    {DOUBLE_DRIVER, CBID_cuStreamSynchronize, "cuStreamSynchronize"},
};

const char *double_callback_name(enum double_domain domain, uint32_t cbid)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].domain == domain && names[i].cbid == cbid)
            return names[i].text;
    return NULL;
}
