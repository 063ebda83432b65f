/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions that programs and the recorder call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#define API DOUBLE_EXPORT uint32_t

API cuDeviceGetCount(int *count);
API cuDeviceGet(int *device, int ordinal);
API cuDeviceGetName(char *name, int length, int device);
API cuDeviceGetUuid(unsigned char uuid[16], int device);
API cuDeviceGetUuid_v2(unsigned char uuid[16], int device);
API cuDeviceTotalMem_v2(size_t *bytes, int device);
API cuDeviceGetPCIBusId(char *text, int length, int device);
API cuDeviceGetAttribute(int *value, int attribute, int device);
API cuCtxGetCurrent(void **context);
API cuCtxGetDevice(int *device);
API cuLaunchKernel(const struct double_kernel *kernel, uint32_t grid_x, uint32_t grid_y,
                   uint32_t grid_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                   uint32_t shared, struct double_stream *stream, void **parameters, void **extra);
API cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes,
                         struct double_stream *stream);
API cuMemsetD32Async(uint64_t target, uint32_t value, size_t n, struct double_stream *stream);
API cuStreamSynchronize(struct double_stream *stream);
API cuProfilerStart(void);
API cuProfilerStop(void);

static bool is_device(int device)
{
    return driver_is_initialized() && device >= 0 && (uint32_t)device < driver_n_devices();
}

uint32_t cuDeviceGetCount(int *count)
{
    *count = (int)driver_n_devices();
    return driver_is_initialized() ? 0 : CUDA_NOT_INITIALIZED;
}

uint32_t cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return is_device(ordinal) ? 0 : CUDA_INVALID_VALUE;
}

uint32_t cuDeviceGetName(char *name, int length, int device)
{
    snprintf(name, (size_t)length, "Double %d", device);
    return is_device(device) ? 0 : CUDA_INVALID_VALUE;
}

uint32_t cuDeviceGetUuid(unsigned char uuid[16], int device)
{
    memset(uuid, device + 1, 16);
    return is_device(device) ? 0 : CUDA_INVALID_VALUE;
}

uint32_t cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
    return cuDeviceGetUuid(uuid, device);
}

uint32_t cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)80 << 30;
    return is_device(device) ? 0 : CUDA_INVALID_VALUE;
}

uint32_t cuDeviceGetPCIBusId(char *text, int length, int device)
{
    struct double_call call;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuDeviceGetPCIBusId);
    snprintf(text, (size_t)length, "0000:%02X:00.0", 0x10 + device);
    return driver_gpu.end(&call, is_device(device) ? 0 : CUDA_INVALID_VALUE);
}

/* CU_DEVICE_ATTRIBUTE_ */
static int attribute_value(int attribute, int device)
{
    switch (attribute) {
    case 16:
        return 132; /* multiprocessors */
    case 33:
        return 0x10 + device; /* PCI bus */
    case 34:
        return 0; /* PCI device */
    case 50:
        return 0; /* PCI domain */
    case 75:
        return 9; /* compute capability */
    case 76:
        return 0;
    default:
        return 1;
    }
}

uint32_t cuDeviceGetAttribute(int *value, int attribute, int device)
{
    struct double_call call;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuDeviceGetAttribute);
    *value = attribute_value(attribute, device);
    return driver_gpu.end(&call, is_device(device) ? 0 : CUDA_INVALID_VALUE);
}

uint32_t cuCtxGetCurrent(void **context)
{
    struct double_call call;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuCtxGetCurrent);
    *context = driver_context(0);
    return driver_gpu.end(&call, driver_is_initialized() ? 0 : CUDA_NOT_INITIALIZED);
}

uint32_t cuCtxGetDevice(int *device)
{
    *device = 0;
    return driver_context(0) ? 0 : CUDA_NOT_INITIALIZED;
}

uint32_t cuLaunchKernel(const struct double_kernel *kernel, uint32_t grid_x, uint32_t grid_y,
                        uint32_t grid_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                        uint32_t shared, struct double_stream *stream, void **parameters,
                        void **extra)
{
    const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    struct double_call call;
    (void)parameters;
    (void)extra;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuLaunchKernel);
    return driver_gpu.end(&call, driver_gpu.launch(&call, kernel, grid, block, shared, stream));
}

uint32_t cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes,
                              struct double_stream *stream)
{
    struct double_call call;
    (void)target;
    (void)source;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuMemcpyHtoDAsync);
    return driver_gpu.end(&call, driver_gpu.copy(&call, bytes, 1, stream));
}

uint32_t cuMemsetD32Async(uint64_t target, uint32_t value, size_t n, struct double_stream *stream)
{
    struct double_call call;
    (void)target;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuMemsetD32Async);
    return driver_gpu.end(&call, driver_gpu.set(&call, 4 * n, value, stream));
}

uint32_t cuStreamSynchronize(struct double_stream *stream)
{
    struct double_call call;
    driver_gpu.begin(&call, DOUBLE_DRIVER, CBID_cuStreamSynchronize);
    return driver_gpu.end(&call, driver_gpu.synchronize(&call, stream));
}

/* Succeed without a context, too; fail after a cuInit() that failed. */
static uint32_t profiler(uint32_t cbid)
{
    struct double_call call;
    driver_gpu.begin(&call, DOUBLE_DRIVER, cbid);
    return driver_gpu.end(&call, driver_is_initialized() ? 0 : CUDA_NOT_INITIALIZED);
}

uint32_t cuProfilerStart(void)
{
    return profiler(CBID_cuProfilerStart);
}

uint32_t cuProfilerStop(void)
{
    return profiler(CBID_cuProfilerStop);
}
