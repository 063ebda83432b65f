/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, the side of the tool. A tool is a shared library that exports
 *
 *     int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);
 *
 * (C linkage; NvtxInitializeInjectionNvtxFunc_t). It is called once per annotated program or
 * shared library, on the thread that annotates first, and returns 1 when it has attached, or 0:
 * then annotations do nothing from there on and the library is closed. To attach it asks for
 * NVTX_ETID_CALLBACKS, then for the function table of each module, and stores its functions:
 *
 *     const NvtxExportTableCallbacks *callbacks =
 *         (const NvtxExportTableCallbacks *)get_export_table(NVTX_ETID_CALLBACKS);
 *     callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
 *     if (size > NVTX_CBID_CORE_MarkA)
 *         *table[NVTX_CBID_CORE_MarkA] = (NvtxFunctionPointer)my_mark_a;
 *
 * Functions that are not stored stay silent. A stored function can be called by other threads
 * at once, also before InitializeInjectionNvtx2 has returned: store them last. The tables stay
 * valid as long as the program's code is loaded; a tool may store again later.
 *
 * A tool defines NVTX_NO_IMPL before it includes this header or nvToolsExt.h.
 */
#include "../nvToolsExt.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

/* Another implementation's nvToolsExt.h, included first, has brought these types itself. */
#if defined(RF_NVTX_IMPLEMENTATION) && !defined(RF_NVTX_TYPES_H)
#define RF_NVTX_TYPES_H

#include "../rfDetail/rf_nvtx_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Stand-ins for types of other headers, alike in the binary interface ---- */

typedef int nvtx_CUdevice;
typedef void *nvtx_CUcontext;
typedef void *nvtx_CUstream;
typedef void *nvtx_CUevent;

typedef void *nvtx_cudaStream_t;
typedef void *nvtx_cudaEvent_t;

typedef void *nvtx_cl_platform_id;
typedef void *nvtx_cl_device_id;
typedef void *nvtx_cl_context;
typedef void *nvtx_cl_command_queue;
typedef void *nvtx_cl_mem;
typedef void *nvtx_cl_program;
typedef void *nvtx_cl_kernel;
typedef void *nvtx_cl_event;
typedef void *nvtx_cl_sampler;

typedef void *nvtx_nvtxSyncUser_t;
typedef void nvtx_nvtxSyncUserAttributes_t;

/* ---- Types of the functions that a tool provides ---- */

/* NAME_impl_fntype for the functions of nvToolsExt.h. Those of the other headers are there
 * with their real parameters, and here with stand-ins as NAME_fakeimpl_fntype. */
RF_NVTX_CORE(RF_NVTX_TYPE_V, RF_NVTX_TYPE_R)
RF_NVTX_CORE2(RF_NVTX_TYPE_V, RF_NVTX_TYPE_R, RF_NVTX_TYPE_V, RF_NVTX_TYPE_R)
RF_NVTX_SYNC_PLAIN(RF_NVTX_PLAIN_TYPE_V, RF_NVTX_PLAIN_TYPE_R)
RF_NVTX_CUDA_PLAIN(RF_NVTX_PLAIN_TYPE_V)
RF_NVTX_CUDART_PLAIN(RF_NVTX_PLAIN_TYPE_V)
RF_NVTX_OPENCL_PLAIN(RF_NVTX_PLAIN_TYPE_V)

/* ---- Attaching ---- */

/* Gives the export table of that NvtxExportTableID; NULL if there is none. */
typedef const void *(NVTX_API *NvtxGetExportTableFunc_t)(uint32_t exportTableId);

/* The tool's entry point, see above. */
typedef int(NVTX_API *NvtxInitializeInjectionNvtxFunc_t)(NvtxGetExportTableFunc_t exportTable);

/* Any function; to be cast to its own type before it is called. */
typedef void (*NvtxFunctionPointer)(void);

/* The CUDA driver's cuNvtxGetInjectionInitializer(): stores the entry point of that kind and
 * returns 0, if the driver knows a tool. */
typedef enum NvtxInjectionInitializerKind {
    NVTX_INJECTION_INITIALIZER_INVALID = 0,
    NVTX_INJECTION_INITIALIZER_CORE = 1,      /* NvtxInitializeInjectionNvtxFunc_t */
    NVTX_INJECTION_INITIALIZER_EXTENSION = 2, /* NvtxExtInitializeInjectionFunc_t */
    NVTX_INJECTION_INITIALIZER_SIZE,
    NVTX_INJECTION_INITIALIZER_FORCE_INT = 0x7fffffff
} NvtxInjectionInitializerKind;
typedef void(NVTX_API *NvtxInjectionGenericFunc_t)(void);
typedef int(NVTX_API *NvtxGetInjectionInitializerFunc_t)(NvtxInjectionInitializerKind kind,
                                                         NvtxInjectionGenericFunc_t *initializer);

/* One module's slots: table[callback id] points to the slot, a function pointer. table[0] and
 * table[size] are NULL. */
typedef NvtxFunctionPointer **NvtxFunctionTable;

typedef enum NvtxExportTableID {
    NVTX_ETID_INVALID = 0,
    NVTX_ETID_CALLBACKS = 1, /* NvtxExportTableCallbacks */
    NVTX_ETID_RESERVED0 = 2,
    NVTX_ETID_VERSIONINFO = 3, /* NvtxExportTableVersionInfo */
    NVTX_ETID_SIZE,
    NVTX_ETID_FORCE_INT = 0x7fffffff
} NvtxExportTableID;

/* Groups of functions, each with a table and callback ids of its own. */
typedef enum NvtxCallbackModule {
    NVTX_CB_MODULE_INVALID = 0,
    NVTX_CB_MODULE_CORE = 1,   /* NvtxCallbackIdCore: the default domain */
    NVTX_CB_MODULE_CUDA = 2,   /* NvtxCallbackIdCuda */
    NVTX_CB_MODULE_OPENCL = 3, /* NvtxCallbackIdOpenCL */
    NVTX_CB_MODULE_CUDART = 4, /* NvtxCallbackIdCudaRt */
    NVTX_CB_MODULE_CORE2 = 5,  /* NvtxCallbackIdCore2: domains */
    NVTX_CB_MODULE_SYNC = 6,   /* NvtxCallbackIdSync */
    NVTX_CB_MODULE_SIZE,
    NVTX_CB_MODULE_FORCE_INT = 0x7fffffff
} NvtxCallbackModule;

typedef struct NvtxExportTableCallbacks {
    size_t struct_size; /* sizeof(NvtxExportTableCallbacks) of the program */

    /* Stores the module's table and the number of its entries, table[0] included; an older
     * program has fewer than the tool knows. NULL is allowed for either. Returns 1; 0, and
     * stores nothing, if the program does not know the module. */
    int(NVTX_API *GetModuleFunctionTable)(NvtxCallbackModule callback_module,
                                          NvtxFunctionTable *out_table, unsigned int *out_size);
} NvtxExportTableCallbacks;

typedef struct NvtxExportTableVersionInfo {
    size_t struct_size; /* sizeof(NvtxExportTableVersionInfo) of the program */
    uint32_t version;   /* NVTX_VERSION of the program */
    uint32_t reserved0; /* 0 */

    /* A tool says which version it speaks. The value is not used. */
    void(NVTX_API *SetInjectionNvtxVersion)(uint32_t version);
} NvtxExportTableVersionInfo;

/* ---- Callback ids ---- */

typedef enum NvtxCallbackIdCore {
    NVTX_CBID_CORE_INVALID = 0,
    NVTX_CBID_CORE_MarkEx = 1,
    NVTX_CBID_CORE_MarkA = 2,
    NVTX_CBID_CORE_MarkW = 3,
    NVTX_CBID_CORE_RangeStartEx = 4,
    NVTX_CBID_CORE_RangeStartA = 5,
    NVTX_CBID_CORE_RangeStartW = 6,
    NVTX_CBID_CORE_RangeEnd = 7,
    NVTX_CBID_CORE_RangePushEx = 8,
    NVTX_CBID_CORE_RangePushA = 9,
    NVTX_CBID_CORE_RangePushW = 10,
    NVTX_CBID_CORE_RangePop = 11,
    NVTX_CBID_CORE_NameCategoryA = 12,
    NVTX_CBID_CORE_NameCategoryW = 13,
    NVTX_CBID_CORE_NameOsThreadA = 14,
    NVTX_CBID_CORE_NameOsThreadW = 15,
    NVTX_CBID_CORE_SIZE,
    NVTX_CBID_CORE_FORCE_INT = 0x7fffffff
} NvtxCallbackIdCore;

typedef enum NvtxCallbackIdCore2 {
    NVTX_CBID_CORE2_INVALID = 0,
    NVTX_CBID_CORE2_DomainMarkEx = 1,
    NVTX_CBID_CORE2_DomainRangeStartEx = 2,
    NVTX_CBID_CORE2_DomainRangeEnd = 3,
    NVTX_CBID_CORE2_DomainRangePushEx = 4,
    NVTX_CBID_CORE2_DomainRangePop = 5,
    NVTX_CBID_CORE2_DomainResourceCreate = 6,
    NVTX_CBID_CORE2_DomainResourceDestroy = 7,
    NVTX_CBID_CORE2_DomainNameCategoryA = 8,
    NVTX_CBID_CORE2_DomainNameCategoryW = 9,
    NVTX_CBID_CORE2_DomainRegisterStringA = 10,
    NVTX_CBID_CORE2_DomainRegisterStringW = 11,
    NVTX_CBID_CORE2_DomainCreateA = 12,
    NVTX_CBID_CORE2_DomainCreateW = 13,
    NVTX_CBID_CORE2_DomainDestroy = 14,
    NVTX_CBID_CORE2_Initialize = 15,
    NVTX_CBID_CORE2_SIZE,
    NVTX_CBID_CORE2_FORCE_INT = 0x7fffffff
} NvtxCallbackIdCore2;

typedef enum NvtxCallbackIdCuda {
    NVTX_CBID_CUDA_INVALID = 0,
    NVTX_CBID_CUDA_NameCuDeviceA = 1,
    NVTX_CBID_CUDA_NameCuDeviceW = 2,
    NVTX_CBID_CUDA_NameCuContextA = 3,
    NVTX_CBID_CUDA_NameCuContextW = 4,
    NVTX_CBID_CUDA_NameCuStreamA = 5,
    NVTX_CBID_CUDA_NameCuStreamW = 6,
    NVTX_CBID_CUDA_NameCuEventA = 7,
    NVTX_CBID_CUDA_NameCuEventW = 8,
    NVTX_CBID_CUDA_SIZE,
    NVTX_CBID_CUDA_FORCE_INT = 0x7fffffff
} NvtxCallbackIdCuda;

typedef enum NvtxCallbackIdCudaRt {
    NVTX_CBID_CUDART_INVALID = 0,
    NVTX_CBID_CUDART_NameCudaDeviceA = 1,
    NVTX_CBID_CUDART_NameCudaDeviceW = 2,
    NVTX_CBID_CUDART_NameCudaStreamA = 3,
    NVTX_CBID_CUDART_NameCudaStreamW = 4,
    NVTX_CBID_CUDART_NameCudaEventA = 5,
    NVTX_CBID_CUDART_NameCudaEventW = 6,
    NVTX_CBID_CUDART_SIZE,
    NVTX_CBID_CUDART_FORCE_INT = 0x7fffffff
} NvtxCallbackIdCudaRt;

typedef enum NvtxCallbackIdOpenCL {
    NVTX_CBID_OPENCL_INVALID = 0,
    NVTX_CBID_OPENCL_NameClDeviceA = 1,
    NVTX_CBID_OPENCL_NameClDeviceW = 2,
    NVTX_CBID_OPENCL_NameClContextA = 3,
    NVTX_CBID_OPENCL_NameClContextW = 4,
    NVTX_CBID_OPENCL_NameClCommandQueueA = 5,
    NVTX_CBID_OPENCL_NameClCommandQueueW = 6,
    NVTX_CBID_OPENCL_NameClMemObjectA = 7,
    NVTX_CBID_OPENCL_NameClMemObjectW = 8,
    NVTX_CBID_OPENCL_NameClSamplerA = 9,
    NVTX_CBID_OPENCL_NameClSamplerW = 10,
    NVTX_CBID_OPENCL_NameClProgramA = 11,
    NVTX_CBID_OPENCL_NameClProgramW = 12,
    NVTX_CBID_OPENCL_NameClEventA = 13,
    NVTX_CBID_OPENCL_NameClEventW = 14,
    NVTX_CBID_OPENCL_SIZE,
    NVTX_CBID_OPENCL_FORCE_INT = 0x7fffffff
} NvtxCallbackIdOpenCL;

typedef enum NvtxCallbackIdSync {
    NVTX_CBID_SYNC_INVALID = 0,
    NVTX_CBID_SYNC_DomainSyncUserCreate = 1,
    NVTX_CBID_SYNC_DomainSyncUserDestroy = 2,
    NVTX_CBID_SYNC_DomainSyncUserAcquireStart = 3,
    NVTX_CBID_SYNC_DomainSyncUserAcquireFailed = 4,
    NVTX_CBID_SYNC_DomainSyncUserAcquireSuccess = 5,
    NVTX_CBID_SYNC_DomainSyncUserReleasing = 6,
    NVTX_CBID_SYNC_SIZE,
    NVTX_CBID_SYNC_FORCE_INT = 0x7fffffff
} NvtxCallbackIdSync;

/* The extensions (payload, counters, memory) are no modules: a tool exports a second entry point
 * for them, InitializeInjectionNvtxExtension. See nvtxExtTypes.h beside this header. */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* RF_NVTX_TYPES_H */
