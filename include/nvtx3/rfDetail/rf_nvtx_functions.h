/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every NVTX function, once: what the loader's slots and first-call functions, the types for
 * tools and the inline functions are made from. Private to include/nvtx3.
 *
 * A list takes two macros and, where a header that this one must not need defines them, the
 * types of the parameters: the real ones or the stand-ins of nvtxTypes.h.
 *
 *     V(module, id, name, parameters, arguments)               returns nothing
 *     R(module, id, name, type, none, parameters, arguments)   returns `none` without a tool
 *
 * Lists with events of domains take two more, EV and ER, which are V and R for an event of
 * `domain`.
 *
 * Invariant: the rows of a list stand in the order of their ids, without a gap, from 1. The
 * loader's initialisers are positional, because C++ and C89 have no others.
 */
#ifndef RF_NVTX_FUNCTIONS_H
#define RF_NVTX_FUNCTIONS_H

#define RF_NVTX_CORE(V, R)                                                                         \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_MarkEx, nvtxMarkEx,                                      \
      (const nvtxEventAttributes_t *event), (event))                                               \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_MarkA, nvtxMarkA, (const char *text), (text))            \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_MarkW, nvtxMarkW, (const wchar_t *text), (text))         \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeStartEx, nvtxRangeStartEx, nvtxRangeId_t, 0,        \
      (const nvtxEventAttributes_t *event), (event))                                               \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeStartA, nvtxRangeStartA, nvtxRangeId_t, 0,          \
      (const char *text), (text))                                                                  \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeStartW, nvtxRangeStartW, nvtxRangeId_t, 0,          \
      (const wchar_t *text), (text))                                                               \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeEnd, nvtxRangeEnd, (nvtxRangeId_t id), (id))        \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushEx, nvtxRangePushEx, int,                       \
      NVTX_NO_PUSH_POP_TRACKING, (const nvtxEventAttributes_t *event), (event))                    \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA, nvtxRangePushA, int,                         \
      NVTX_NO_PUSH_POP_TRACKING, (const char *text), (text))                                       \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushW, nvtxRangePushW, int,                         \
      NVTX_NO_PUSH_POP_TRACKING, (const wchar_t *text), (text))                                    \
    R(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePop, nvtxRangePop, int, NVTX_NO_PUSH_POP_TRACKING,  \
      (void), ())                                                                                  \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameCategoryA, nvtxNameCategoryA,                        \
      (uint32_t category, const char *text), (category, text))                                     \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameCategoryW, nvtxNameCategoryW,                        \
      (uint32_t category, const wchar_t *text), (category, text))                                  \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameOsThreadA, nvtxNameOsThreadA,                        \
      (uint32_t thread, const char *text), (thread, text))                                         \
    V(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameOsThreadW, nvtxNameOsThreadW,                        \
      (uint32_t thread, const wchar_t *text), (thread, text))

#define RF_NVTX_CORE2(V, R, EV, ER)                                                                \
    EV(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainMarkEx, nvtxDomainMarkEx,                       \
       (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), (domain, event))           \
    ER(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeStartEx, nvtxDomainRangeStartEx,           \
       nvtxRangeId_t, 0, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event),          \
       (domain, event))                                                                            \
    V(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd, nvtxDomainRangeEnd,                    \
      (nvtxDomainHandle_t domain, nvtxRangeId_t id), (domain, id))                                 \
    ER(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePushEx, nvtxDomainRangePushEx, int,        \
       NVTX_NO_PUSH_POP_TRACKING, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), \
       (domain, event))                                                                            \
    ER(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePop, nvtxDomainRangePop, int,              \
       NVTX_NO_PUSH_POP_TRACKING, (nvtxDomainHandle_t domain), (domain))                           \
    R(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceCreate, nvtxDomainResourceCreate,        \
      nvtxResourceHandle_t, NVTX_NULLPTR,                                                          \
      (nvtxDomainHandle_t domain, nvtxResourceAttributes_t * resource), (domain, resource))        \
    V(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceDestroy, nvtxDomainResourceDestroy,      \
      (nvtxResourceHandle_t resource), (resource))                                                 \
    V(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainNameCategoryA, nvtxDomainNameCategoryA,          \
      (nvtxDomainHandle_t domain, uint32_t category, const char *text), (domain, category, text))  \
    V(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainNameCategoryW, nvtxDomainNameCategoryW,          \
      (nvtxDomainHandle_t domain, uint32_t category, const wchar_t *text),                         \
      (domain, category, text))                                                                    \
    R(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRegisterStringA, nvtxDomainRegisterStringA,      \
      nvtxStringHandle_t, NVTX_NULLPTR, (nvtxDomainHandle_t domain, const char *text),             \
      (domain, text))                                                                              \
    R(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRegisterStringW, nvtxDomainRegisterStringW,      \
      nvtxStringHandle_t, NVTX_NULLPTR, (nvtxDomainHandle_t domain, const wchar_t *text),          \
      (domain, text))                                                                              \
    R(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA, nvtxDomainCreateA, nvtxDomainHandle_t,  \
      NVTX_NULLPTR, (const char *text), (text))                                                    \
    R(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateW, nvtxDomainCreateW, nvtxDomainHandle_t,  \
      NVTX_NULLPTR, (const wchar_t *text), (text))                                                 \
    V(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainDestroy, nvtxDomainDestroy,                      \
      (nvtxDomainHandle_t domain), (domain))                                                       \
    V(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_Initialize, nvtxInitialize, (const void *reserved),    \
      (reserved))

#define RF_NVTX_SYNC(V, R, LOCK, ATTRIBUTES)                                                       \
    R(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_DomainSyncUserCreate, nvtxDomainSyncUserCreate, LOCK,    \
      NVTX_NULLPTR, (nvtxDomainHandle_t domain, const ATTRIBUTES *attributes),                     \
      (domain, attributes))                                                                        \
    V(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_DomainSyncUserDestroy, nvtxDomainSyncUserDestroy,        \
      (LOCK lock), (lock))                                                                         \
    V(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireStart,                              \
      nvtxDomainSyncUserAcquireStart, (LOCK lock), (lock))                                         \
    V(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireFailed,                             \
      nvtxDomainSyncUserAcquireFailed, (LOCK lock), (lock))                                        \
    V(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireSuccess,                            \
      nvtxDomainSyncUserAcquireSuccess, (LOCK lock), (lock))                                       \
    V(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_DomainSyncUserReleasing, nvtxDomainSyncUserReleasing,    \
      (LOCK lock), (lock))

#define RF_NVTX_CUDA(V, DEVICE, CONTEXT, STREAM, EVENT)                                            \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuDeviceA, nvtxNameCuDeviceA,                        \
      (DEVICE device, const char *text), (device, text))                                           \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuDeviceW, nvtxNameCuDeviceW,                        \
      (DEVICE device, const wchar_t *text), (device, text))                                        \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuContextA, nvtxNameCuContextA,                      \
      (CONTEXT context, const char *text), (context, text))                                        \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuContextW, nvtxNameCuContextW,                      \
      (CONTEXT context, const wchar_t *text), (context, text))                                     \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuStreamA, nvtxNameCuStreamA,                        \
      (STREAM stream, const char *text), (stream, text))                                           \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuStreamW, nvtxNameCuStreamW,                        \
      (STREAM stream, const wchar_t *text), (stream, text))                                        \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuEventA, nvtxNameCuEventA,                          \
      (EVENT event, const char *text), (event, text))                                              \
    V(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuEventW, nvtxNameCuEventW,                          \
      (EVENT event, const wchar_t *text), (event, text))

#define RF_NVTX_CUDART(V, STREAM, EVENT)                                                           \
    V(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaDeviceA, nvtxNameCudaDeviceA,                \
      (int device, const char *text), (device, text))                                              \
    V(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaDeviceW, nvtxNameCudaDeviceW,                \
      (int device, const wchar_t *text), (device, text))                                           \
    V(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaStreamA, nvtxNameCudaStreamA,                \
      (STREAM stream, const char *text), (stream, text))                                           \
    V(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaStreamW, nvtxNameCudaStreamW,                \
      (STREAM stream, const wchar_t *text), (stream, text))                                        \
    V(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaEventA, nvtxNameCudaEventA,                  \
      (EVENT event, const char *text), (event, text))                                              \
    V(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_NameCudaEventW, nvtxNameCudaEventW,                  \
      (EVENT event, const wchar_t *text), (event, text))

#define RF_NVTX_OPENCL(V, DEVICE, CONTEXT, QUEUE, MEMORY, SAMPLER, PROGRAM, EVENT)                 \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClDeviceA, nvtxNameClDeviceA,                    \
      (DEVICE device, const char *text), (device, text))                                           \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClDeviceW, nvtxNameClDeviceW,                    \
      (DEVICE device, const wchar_t *text), (device, text))                                        \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClContextA, nvtxNameClContextA,                  \
      (CONTEXT context, const char *text), (context, text))                                        \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClContextW, nvtxNameClContextW,                  \
      (CONTEXT context, const wchar_t *text), (context, text))                                     \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClCommandQueueA, nvtxNameClCommandQueueA,        \
      (QUEUE queue, const char *text), (queue, text))                                              \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClCommandQueueW, nvtxNameClCommandQueueW,        \
      (QUEUE queue, const wchar_t *text), (queue, text))                                           \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClMemObjectA, nvtxNameClMemObjectA,              \
      (MEMORY memory, const char *text), (memory, text))                                           \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClMemObjectW, nvtxNameClMemObjectW,              \
      (MEMORY memory, const wchar_t *text), (memory, text))                                        \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClSamplerA, nvtxNameClSamplerA,                  \
      (SAMPLER sampler, const char *text), (sampler, text))                                        \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClSamplerW, nvtxNameClSamplerW,                  \
      (SAMPLER sampler, const wchar_t *text), (sampler, text))                                     \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClProgramA, nvtxNameClProgramA,                  \
      (PROGRAM program, const char *text), (program, text))                                        \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClProgramW, nvtxNameClProgramW,                  \
      (PROGRAM program, const wchar_t *text), (program, text))                                     \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClEventA, nvtxNameClEventA,                      \
      (EVENT event, const char *text), (event, text))                                              \
    V(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_NameClEventW, nvtxNameClEventW,                      \
      (EVENT event, const wchar_t *text), (event, text))

/* The modules with the stand-in types, for whoever has no CUDA or OpenCL header. */
#define RF_NVTX_SYNC_PLAIN(V, R)                                                                   \
    RF_NVTX_SYNC(V, R, nvtx_nvtxSyncUser_t, nvtx_nvtxSyncUserAttributes_t)
#define RF_NVTX_CUDA_PLAIN(V)                                                                      \
    RF_NVTX_CUDA(V, nvtx_CUdevice, nvtx_CUcontext, nvtx_CUstream, nvtx_CUevent)
#define RF_NVTX_CUDART_PLAIN(V) RF_NVTX_CUDART(V, nvtx_cudaStream_t, nvtx_cudaEvent_t)
#define RF_NVTX_OPENCL_PLAIN(V)                                                                    \
    RF_NVTX_OPENCL(V, nvtx_cl_device_id, nvtx_cl_context, nvtx_cl_command_queue, nvtx_cl_mem,      \
                   nvtx_cl_sampler, nvtx_cl_program, nvtx_cl_event)
#define RF_NVTX_ALL_PLAIN(V, R)                                                                    \
    RF_NVTX_CORE(V, R)                                                                             \
    RF_NVTX_CORE2(V, R, V, R)                                                                      \
    RF_NVTX_SYNC_PLAIN(V, R)                                                                       \
    RF_NVTX_CUDA_PLAIN(V)                                                                          \
    RF_NVTX_CUDART_PLAIN(V)                                                                        \
    RF_NVTX_OPENCL_PLAIN(V)

/* The function's type: nvtxMarkA_impl_fntype; with stand-ins: nvtxNameCuStreamA_fakeimpl_fntype. */
#define RF_NVTX_TYPE_V(module, id, name, params, args)                                             \
    typedef void(NVTX_API * name##_impl_fntype) params;
#define RF_NVTX_TYPE_R(module, id, name, type, none, params, args)                                 \
    typedef type(NVTX_API *name##_impl_fntype) params;
#define RF_NVTX_PLAIN_TYPE_V(module, id, name, params, args)                                       \
    typedef void(NVTX_API * name##_fakeimpl_fntype) params;
#define RF_NVTX_PLAIN_TYPE_R(module, id, name, type, none, params, args)                           \
    typedef type(NVTX_API *name##_fakeimpl_fntype) params;

#endif /* RF_NVTX_FUNCTIONS_H */
