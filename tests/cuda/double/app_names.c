/* SPDX-License-Identifier: Apache-2.0 */
/* Names that the program gives to what it uses. A file of its own: the headers of NVTX want CUDA's
 * types, as the stub has them. */
#include "app_names.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "nvtx3/nvToolsExtCuda.h"
#include "nvtx3/nvToolsExtCudaRt.h"

void app_name_stream(void *stream, const char *name)
{
    nvtxNameCudaStreamA(stream, name);
}

void app_name_event(void *event, const char *name)
{
    nvtxNameCudaEventA(event, name);
}

void app_name_device(int device, const char *name)
{
    nvtxNameCudaDeviceA(device, name);
}

void app_name_context(const char *name)
{
    uint32_t (*get_current)(void **);
    void *context = NULL, *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&get_current = driver ? dlsym(driver, "cuCtxGetCurrent") : NULL;
    if (get_current && get_current(&context) == 0)
        nvtxNameCuContextA(context, name);
}
