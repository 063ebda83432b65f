/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3: names for objects of OpenCL. Needs CL/cl.h. nvToolsExt.h says what holds for all
 * functions.
 */
#include "nvToolsExt.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#include <CL/cl.h>

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtOpenCL.h>
#elif !defined(NVTOOLSEXT_OPENCL_V3)
#define NVTOOLSEXT_OPENCL_V3

#ifdef __cplusplus
extern "C" {
#endif

/* Resource class and types, for nvtxDomainResourceCreate; the identifier is the handle. */
#define NVTX_RESOURCE_CLASS_OPENCL 6

typedef enum nvtxResourceOpenCLType_t {
    NVTX_RESOURCE_TYPE_OPENCL_DEVICE = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 1),
    NVTX_RESOURCE_TYPE_OPENCL_CONTEXT = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 2),
    NVTX_RESOURCE_TYPE_OPENCL_COMMANDQUEUE = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 3),
    NVTX_RESOURCE_TYPE_OPENCL_MEMOBJECT = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 4),
    NVTX_RESOURCE_TYPE_OPENCL_SAMPLER = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 5),
    NVTX_RESOURCE_TYPE_OPENCL_PROGRAM = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 6),
    NVTX_RESOURCE_TYPE_OPENCL_EVENT = NVTX_RESOURCE_MAKE_TYPE(OPENCL, 7)
} nvtxResourceOpenCLType_t;

/* Each names one object, in the default domain. The object must exist at the call; a later
 * name replaces the earlier one. */
NVTX_DECLSPEC void NVTX_API nvtxNameClDeviceA(cl_device_id device, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClDeviceW(cl_device_id device, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClContextA(cl_context context, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClContextW(cl_context context, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClCommandQueueA(cl_command_queue command_queue,
                                                    const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClCommandQueueW(cl_command_queue command_queue,
                                                    const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClMemObjectA(cl_mem memobj, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClMemObjectW(cl_mem memobj, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClSamplerA(cl_sampler sampler, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClSamplerW(cl_sampler sampler, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClProgramA(cl_program program, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClProgramW(cl_program program, const wchar_t *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClEventA(cl_event evnt, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameClEventW(cl_event evnt, const wchar_t *name);

/* Names without A or W, chosen by UNICODE. */
#ifdef UNICODE
#define nvtxNameClDevice       nvtxNameClDeviceW
#define nvtxNameClContext      nvtxNameClContextW
#define nvtxNameClCommandQueue nvtxNameClCommandQueueW
#define nvtxNameClMemObject    nvtxNameClMemObjectW
#define nvtxNameClSampler      nvtxNameClSamplerW
#define nvtxNameClProgram      nvtxNameClProgramW
#define nvtxNameClEvent        nvtxNameClEventW
#else
#define nvtxNameClDevice       nvtxNameClDeviceA
#define nvtxNameClContext      nvtxNameClContextA
#define nvtxNameClCommandQueue nvtxNameClCommandQueueA
#define nvtxNameClMemObject    nvtxNameClMemObjectA
#define nvtxNameClSampler      nvtxNameClSamplerA
#define nvtxNameClProgram      nvtxNameClProgramA
#define nvtxNameClEvent        nvtxNameClEventA
#endif

/* The functions' types with their real parameters, for tools. */
RF_NVTX_OPENCL(RF_NVTX_TYPE_V, cl_device_id, cl_context, cl_command_queue, cl_mem, cl_sampler,
               cl_program, cl_event)

#ifndef NVTX_NO_IMPL
RF_NVTX_OPENCL(RF_NVTX_CALL_V, cl_device_id, cl_context, cl_command_queue, cl_mem, cl_sampler,
               cl_program, cl_event)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTOOLSEXT_OPENCL_V3 */
