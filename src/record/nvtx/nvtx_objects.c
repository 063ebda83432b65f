/* SPDX-License-Identifier: Apache-2.0 */
/* Names of CUDA and OpenCL objects. The callbacks differ in the kind of object and in the width of
 * its handle (devices of CUDA are 32-bit numbers, the rest pointers). */
#include "record/nvtx/nvtx_objects.h"

#include <string.h>

#include "record/hooks.h"
#include "record/names/defs.h"
#include "record/nvtx/wide_text.h"
#include "record/process/process.h"

static void name_object(enum rf_object kind, uint64_t handle, const char *name)
{
    if (!rf_process_can_define())
        return;
    (void)rf_defs_add(RF_REC_OBJECT_NAME, (uint32_t)kind, 0, handle, 0, name,
                      name != NULL ? strlen(name) : 0);
    const struct rf_hooks *hooks = __atomic_load_n(&rf_hooks, __ATOMIC_ACQUIRE);
    if (hooks != NULL && kind <= RF_OBJECT_CUDA_EVENT)
        hooks->object_named(kind, handle);
}

static void name_object_wide(enum rf_object kind, uint64_t handle, const wchar_t *wide)
{
    struct rf_utf8_text utf8;
    rf_utf8_text_init(&utf8, wide);
    name_object(kind, handle, utf8.text);
    rf_utf8_text_release(&utf8);
}

/* name, type of the handle, kind */
#define RF_OBJECTS(X)                                                                              \
    X(cu_device, int, RF_OBJECT_CU_DEVICE)                                                         \
    X(cu_context, void *, RF_OBJECT_CU_CONTEXT)                                                    \
    X(cu_stream, void *, RF_OBJECT_CU_STREAM)                                                      \
    X(cu_event, void *, RF_OBJECT_CU_EVENT)                                                        \
    X(cuda_device, int, RF_OBJECT_CUDA_DEVICE)                                                     \
    X(cuda_stream, void *, RF_OBJECT_CUDA_STREAM)                                                  \
    X(cuda_event, void *, RF_OBJECT_CUDA_EVENT)                                                    \
    X(cl_device, void *, RF_OBJECT_CL_DEVICE)                                                      \
    X(cl_context, void *, RF_OBJECT_CL_CONTEXT)                                                    \
    X(cl_queue, void *, RF_OBJECT_CL_QUEUE)                                                        \
    X(cl_mem, void *, RF_OBJECT_CL_MEM)                                                            \
    X(cl_sampler, void *, RF_OBJECT_CL_SAMPLER)                                                    \
    X(cl_program, void *, RF_OBJECT_CL_PROGRAM)                                                    \
    X(cl_event, void *, RF_OBJECT_CL_EVENT)

#define RF_DEFINE(id, type, kind)                                                                  \
    static void name_##id##_a(type handle, const char *name)                                       \
    {                                                                                              \
        name_object(kind, (uint64_t)(uintptr_t)handle, name);                                      \
    }                                                                                              \
    static void name_##id##_w(type handle, const wchar_t *name)                                    \
    {                                                                                              \
        name_object_wide(kind, (uint64_t)(uintptr_t)handle, name);                                 \
    }
RF_OBJECTS(RF_DEFINE)
#undef RF_DEFINE

#define RF_ENTRY(cbid, id)                                                                         \
    [cbid##A] = RF_CALLBACK(name_##id##_a), [cbid##W] = RF_CALLBACK(name_##id##_w)

struct rf_callbacks rf_nvtx_cuda_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        RF_ENTRY(NVTX_CBID_CUDA_NameCuDevice, cu_device),
        RF_ENTRY(NVTX_CBID_CUDA_NameCuContext, cu_context),
        RF_ENTRY(NVTX_CBID_CUDA_NameCuStream, cu_stream),
        RF_ENTRY(NVTX_CBID_CUDA_NameCuEvent, cu_event),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

struct rf_callbacks rf_nvtx_cudart_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        RF_ENTRY(NVTX_CBID_CUDART_NameCudaDevice, cuda_device),
        RF_ENTRY(NVTX_CBID_CUDART_NameCudaStream, cuda_stream),
        RF_ENTRY(NVTX_CBID_CUDART_NameCudaEvent, cuda_event),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

struct rf_callbacks rf_nvtx_opencl_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        RF_ENTRY(NVTX_CBID_OPENCL_NameClDevice, cl_device),
        RF_ENTRY(NVTX_CBID_OPENCL_NameClContext, cl_context),
        RF_ENTRY(NVTX_CBID_OPENCL_NameClCommandQueue, cl_queue),
        RF_ENTRY(NVTX_CBID_OPENCL_NameClMemObject, cl_mem),
        RF_ENTRY(NVTX_CBID_OPENCL_NameClSampler, cl_sampler),
        RF_ENTRY(NVTX_CBID_OPENCL_NameClProgram, cl_program),
        RF_ENTRY(NVTX_CBID_OPENCL_NameClEvent, cl_event),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
