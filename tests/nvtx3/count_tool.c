/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool that takes every callback there is and appends one line per call, with its arguments,
 * to the file named by NVTX_TEST_LOG. Built as a shared library and, with COUNT_TOOL_STATIC,
 * into a program. NVTX_TEST_MODE makes it behave in special ways:
 *
 *   refuse    fill the slots, then return 0
 *   annotate  call the program's annotate_from_tool() while attaching
 *   slow      wait before the slots are filled
 *   fork      as slow, after telling the program's tool_has_started() so
 *   zero      ids of ranges are 0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtOpenCL.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvtxDetail/nvtxTypes.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One write per line, so that lines of several threads do not mix. */
static void line(const char *format, ...)
{
    char text[1024];
    const char *path = getenv("NVTX_TEST_LOG");
    va_list args;
    int fd, n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd < 0 || n < 0 || write(fd, text, (size_t)n) != n)
        _exit(99);
    close(fd);
}

static const char *message_text(int32_t type, nvtxMessageValue_t message)
{
    static __thread char text[128];

    switch (type) {
    case NVTX_MESSAGE_UNKNOWN:
        return "-";
    case NVTX_MESSAGE_TYPE_ASCII:
        return message.ascii;
    case NVTX_MESSAGE_TYPE_UNICODE:
        snprintf(text, sizeof text, "wide:%ls", message.unicode);
        return text;
    default:
        snprintf(text, sizeof text, "registered:%p", (void *)message.registered);
        return text;
    }
}

/* The payload's number; or what the payloads of the extension are. */
static const char *payload_text(const nvtxEventAttributes_t *e)
{
    static __thread char text[128];
    const nvtxPayloadData_t *data = (const nvtxPayloadData_t *)(uintptr_t)e->payload.ullValue;
    size_t n = 0;

    snprintf(text, sizeof text, "%llx", (unsigned long long)e->payload.ullValue);
    if (e->payloadType != NVTX_PAYLOAD_TYPE_EXT)
        return text;
    for (int i = 0; i < e->reserved0 && n < sizeof text - 40; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "[%llx ",
                              (unsigned long long)data[i].schemaId);
        for (size_t j = 0; j < data[i].size && n < sizeof text - 4; j++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%02x",
                                  ((const unsigned char *)data[i].payload)[j]);
        n += (size_t)snprintf(text + n, sizeof text - n, "]");
    }
    return text;
}

static const char *event_text(const nvtxEventAttributes_t *e)
{
    static __thread char text[512];

    snprintf(text, sizeof text, "v%d size=%d cat=%u color=%d:%08x payload=%d:%s text=%s",
             e->version, e->size, (unsigned)e->category, (int)e->colorType, (unsigned)e->color,
             (int)e->payloadType, payload_text(e), message_text(e->messageType, e->message));
    return text;
}

/* ---- CORE ---- */

static void on_MarkEx(const nvtxEventAttributes_t *e)
{
    line("MarkEx %s\n", event_text(e));
}

static void on_MarkA(const char *text)
{
    line("MarkA %s\n", text);
}

static void on_MarkW(const wchar_t *text)
{
    line("MarkW %ls\n", text);
}

static nvtxRangeId_t range_id(nvtxRangeId_t id)
{
    const char *mode = getenv("NVTX_TEST_MODE");
    return mode && strcmp(mode, "zero") == 0 ? 0 : id;
}

static nvtxRangeId_t on_RangeStartEx(const nvtxEventAttributes_t *e)
{
    line("RangeStartEx %s\n", event_text(e));
    return range_id(0x1234567800000101);
}

static nvtxRangeId_t on_RangeStartA(const char *text)
{
    line("RangeStartA %s\n", text);
    return range_id(0x102);
}

static nvtxRangeId_t on_RangeStartW(const wchar_t *text)
{
    line("RangeStartW %ls\n", text);
    return range_id(0x103);
}

static void on_RangeEnd(nvtxRangeId_t id)
{
    line("RangeEnd %llx\n", (unsigned long long)id);
}

static int on_RangePushEx(const nvtxEventAttributes_t *e)
{
    line("RangePushEx %s\n", event_text(e));
    return 11;
}

static int on_RangePushA(const char *text)
{
    line("RangePushA %s\n", text);
    return 12;
}

static int on_RangePushW(const wchar_t *text)
{
    line("RangePushW %ls\n", text);
    return 13;
}

static int on_RangePop(void)
{
    line("RangePop\n");
    return 14;
}

static void on_NameCategoryA(uint32_t category, const char *text)
{
    line("NameCategoryA %u %s\n", (unsigned)category, text);
}

static void on_NameCategoryW(uint32_t category, const wchar_t *text)
{
    line("NameCategoryW %u %ls\n", (unsigned)category, text);
}

static void on_NameOsThreadA(uint32_t thread, const char *text)
{
    line("NameOsThreadA %u %s\n", (unsigned)thread, text);
}

static void on_NameOsThreadW(uint32_t thread, const wchar_t *text)
{
    line("NameOsThreadW %u %ls\n", (unsigned)thread, text);
}

/* ---- CORE2 ---- */

static void on_DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    line("DomainMarkEx %p %s\n", (void *)domain, event_text(e));
}

static nvtxRangeId_t on_DomainRangeStartEx(nvtxDomainHandle_t domain,
                                           const nvtxEventAttributes_t *e)
{
    line("DomainRangeStartEx %p %s\n", (void *)domain, event_text(e));
    return range_id(0x104);
}

static void on_DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    line("DomainRangeEnd %p %llx\n", (void *)domain, (unsigned long long)id);
}

static int on_DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    line("DomainRangePushEx %p %s\n", (void *)domain, event_text(e));
    return 15;
}

static int on_DomainRangePop(nvtxDomainHandle_t domain)
{
    line("DomainRangePop %p\n", (void *)domain);
    return 16;
}

static nvtxResourceHandle_t on_DomainResourceCreate(nvtxDomainHandle_t domain,
                                                    nvtxResourceAttributes_t *r)
{
    line("DomainResourceCreate %p v%d size=%d type=%x id=%llx text=%s\n", (void *)domain,
         r->version, r->size, (unsigned)r->identifierType,
         (unsigned long long)r->identifier.ullValue, message_text(r->messageType, r->message));
    return (nvtxResourceHandle_t)0x7e;
}

static void on_DomainResourceDestroy(nvtxResourceHandle_t resource)
{
    line("DomainResourceDestroy %p\n", (void *)resource);
}

static void on_DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *text)
{
    line("DomainNameCategoryA %p %u %s\n", (void *)domain, (unsigned)category, text);
}

static void on_DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                                   const wchar_t *text)
{
    line("DomainNameCategoryW %p %u %ls\n", (void *)domain, (unsigned)category, text);
}

static nvtxStringHandle_t on_DomainRegisterStringA(nvtxDomainHandle_t domain, const char *text)
{
    line("DomainRegisterStringA %p %s\n", (void *)domain, text);
    return (nvtxStringHandle_t)0x5a;
}

static nvtxStringHandle_t on_DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *text)
{
    line("DomainRegisterStringW %p %ls\n", (void *)domain, text);
    return (nvtxStringHandle_t)0x5b;
}

static nvtxDomainHandle_t on_DomainCreateA(const char *text)
{
    line("DomainCreateA %s\n", text);
    return (nvtxDomainHandle_t)0xda;
}

static nvtxDomainHandle_t on_DomainCreateW(const wchar_t *text)
{
    line("DomainCreateW %ls\n", text);
    return (nvtxDomainHandle_t)0xdb;
}

static void on_DomainDestroy(nvtxDomainHandle_t domain)
{
    line("DomainDestroy %p\n", (void *)domain);
}

static void on_Initialize(const void *reserved)
{
    line("Initialize %p\n", reserved);
}

/* ---- SYNC ---- */

static nvtxSyncUser_t on_DomainSyncUserCreate(nvtxDomainHandle_t domain,
                                              const nvtxSyncUserAttributes_t *a)
{
    line("DomainSyncUserCreate %p v%d size=%d text=%s\n", (void *)domain, a->version, a->size,
         message_text(a->messageType, a->message));
    return (nvtxSyncUser_t)0x5c;
}

static void on_DomainSyncUserDestroy(nvtxSyncUser_t lock)
{
    line("DomainSyncUserDestroy %p\n", (void *)lock);
}

static void on_DomainSyncUserAcquireStart(nvtxSyncUser_t lock)
{
    line("DomainSyncUserAcquireStart %p\n", (void *)lock);
}

static void on_DomainSyncUserAcquireFailed(nvtxSyncUser_t lock)
{
    line("DomainSyncUserAcquireFailed %p\n", (void *)lock);
}

static void on_DomainSyncUserAcquireSuccess(nvtxSyncUser_t lock)
{
    line("DomainSyncUserAcquireSuccess %p\n", (void *)lock);
}

static void on_DomainSyncUserReleasing(nvtxSyncUser_t lock)
{
    line("DomainSyncUserReleasing %p\n", (void *)lock);
}

/* ---- CUDA, CUDART, OPENCL: each names an object, in two forms ---- */

#define ON_NAME(name, type, format)                                                                \
    static void on_##name##A(type object, const char *text)                                        \
    {                                                                                              \
        line(#name "A " format " %s\n", object, text);                                             \
    }                                                                                              \
    static void on_##name##W(type object, const wchar_t *text)                                     \
    {                                                                                              \
        line(#name "W " format " %ls\n", object, text);                                            \
    }
ON_NAME(NameCuDevice, CUdevice, "%d")
ON_NAME(NameCuContext, CUcontext, "%p")
ON_NAME(NameCuStream, CUstream, "%p")
ON_NAME(NameCuEvent, CUevent, "%p")
ON_NAME(NameCudaDevice, int, "%d")
ON_NAME(NameCudaStream, cudaStream_t, "%p")
ON_NAME(NameCudaEvent, cudaEvent_t, "%p")
ON_NAME(NameClDevice, cl_device_id, "%p")
ON_NAME(NameClContext, cl_context, "%p")
ON_NAME(NameClCommandQueue, cl_command_queue, "%p")
ON_NAME(NameClMemObject, cl_mem, "%p")
ON_NAME(NameClSampler, cl_sampler, "%p")
ON_NAME(NameClProgram, cl_program, "%p")
ON_NAME(NameClEvent, cl_event, "%p")

/* ---- Attaching ---- */

static const NvtxExportTableCallbacks *callbacks;

static void take(NvtxCallbackModule module, unsigned id, NvtxFunctionPointer function)
{
    NvtxFunctionTable table;
    unsigned size;

    if (!callbacks->GetModuleFunctionTable(module, &table, &size) || id >= size || !table[id] ||
        table[0] || table[size])
        line("BAD TABLE module=%d id=%u\n", (int)module, id);
    else
        *table[id] = function;
}

/* The typed variable makes the compiler check the function against the header's type. */
#define TAKE(module, name)                                                                         \
    do {                                                                                           \
        const nvtx##name##_impl_fntype typed = on_##name;                                          \
        take(NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name, (NvtxFunctionPointer)typed);    \
    } while (0)

static void take_core(void)
{
    TAKE(CORE, MarkEx);
    TAKE(CORE, MarkA);
    TAKE(CORE, MarkW);
    TAKE(CORE, RangeStartEx);
    TAKE(CORE, RangeStartA);
    TAKE(CORE, RangeStartW);
    TAKE(CORE, RangeEnd);
    TAKE(CORE, RangePushEx);
    TAKE(CORE, RangePushA);
    TAKE(CORE, RangePushW);
    TAKE(CORE, RangePop);
    TAKE(CORE, NameCategoryA);
    TAKE(CORE, NameCategoryW);
    TAKE(CORE, NameOsThreadA);
    TAKE(CORE, NameOsThreadW);
    TAKE(CORE2, DomainMarkEx);
    TAKE(CORE2, DomainRangeStartEx);
    TAKE(CORE2, DomainRangeEnd);
    TAKE(CORE2, DomainRangePushEx);
    TAKE(CORE2, DomainRangePop);
    TAKE(CORE2, DomainResourceCreate);
    TAKE(CORE2, DomainResourceDestroy);
    TAKE(CORE2, DomainNameCategoryA);
    TAKE(CORE2, DomainNameCategoryW);
    TAKE(CORE2, DomainRegisterStringA);
    TAKE(CORE2, DomainRegisterStringW);
    TAKE(CORE2, DomainCreateA);
    TAKE(CORE2, DomainCreateW);
    TAKE(CORE2, DomainDestroy);
    TAKE(CORE2, Initialize);
}

static void take_others(void)
{
    TAKE(SYNC, DomainSyncUserCreate);
    TAKE(SYNC, DomainSyncUserDestroy);
    TAKE(SYNC, DomainSyncUserAcquireStart);
    TAKE(SYNC, DomainSyncUserAcquireFailed);
    TAKE(SYNC, DomainSyncUserAcquireSuccess);
    TAKE(SYNC, DomainSyncUserReleasing);
    TAKE(CUDA, NameCuDeviceA);
    TAKE(CUDA, NameCuDeviceW);
    TAKE(CUDA, NameCuContextA);
    TAKE(CUDA, NameCuContextW);
    TAKE(CUDA, NameCuStreamA);
    TAKE(CUDA, NameCuStreamW);
    TAKE(CUDA, NameCuEventA);
    TAKE(CUDA, NameCuEventW);
    TAKE(CUDART, NameCudaDeviceA);
    TAKE(CUDART, NameCudaDeviceW);
    TAKE(CUDART, NameCudaStreamA);
    TAKE(CUDART, NameCudaStreamW);
    TAKE(CUDART, NameCudaEventA);
    TAKE(CUDART, NameCudaEventW);
    TAKE(OPENCL, NameClDeviceA);
    TAKE(OPENCL, NameClDeviceW);
    TAKE(OPENCL, NameClContextA);
    TAKE(OPENCL, NameClContextW);
    TAKE(OPENCL, NameClCommandQueueA);
    TAKE(OPENCL, NameClCommandQueueW);
    TAKE(OPENCL, NameClMemObjectA);
    TAKE(OPENCL, NameClMemObjectW);
    TAKE(OPENCL, NameClSamplerA);
    TAKE(OPENCL, NameClSamplerW);
    TAKE(OPENCL, NameClProgramA);
    TAKE(OPENCL, NameClProgramW);
    TAKE(OPENCL, NameClEventA);
    TAKE(OPENCL, NameClEventW);
}

static unsigned module_size(NvtxCallbackModule module)
{
    unsigned size = 0;

    if (!callbacks->GetModuleFunctionTable(module, NULL, &size))
        line("BAD MODULE %d\n", (int)module);
    return size;
}

static void report(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableVersionInfo *version =
        (const NvtxExportTableVersionInfo *)get_table(NVTX_ETID_VERSIONINFO);
    unsigned size = 4711;
    NvtxFunctionTable table = NULL;
    int unknown = get_table(NVTX_ETID_INVALID) || get_table(NVTX_ETID_RESERVED0) ||
                  get_table(NVTX_ETID_SIZE) ||
                  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_INVALID, &table, &size) ||
                  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_SIZE, &table, &size) ||
                  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_FORCE_INT, &table, &size) ||
                  size != 4711 || table;

    version->SetInjectionNvtxVersion(3);
    line("attach core=%u cuda=%u opencl=%u cudart=%u core2=%u sync=%u version=%u sizes=%d,%d "
         "unknown=%d\n",
         module_size(NVTX_CB_MODULE_CORE), module_size(NVTX_CB_MODULE_CUDA),
         module_size(NVTX_CB_MODULE_OPENCL), module_size(NVTX_CB_MODULE_CUDART),
         module_size(NVTX_CB_MODULE_CORE2), module_size(NVTX_CB_MODULE_SYNC),
         (unsigned)version->version, callbacks->struct_size == sizeof *callbacks,
         version->struct_size == sizeof *version, unknown);
}

static void call_program(const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    void (*function)(void);

    if (!symbol) {
        line("BAD PROGRAM no %s\n", name);
        return;
    }
    memcpy(&function, &symbol, sizeof symbol);
    (*function)();
}

static NvtxFunctionPointer saved[NVTX_CBID_CORE_SIZE];

static void save_core(void)
{
    NvtxFunctionTable table;
    unsigned size, id;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    for (id = 1; id < size; id++)
        saved[id] = *table[id];
}

static int attach(NvtxGetExportTableFunc_t get_table, const char *mode)
{
    errno = E2BIG; /* must not be seen by the program */
    callbacks = (const NvtxExportTableCallbacks *)get_table(NVTX_ETID_CALLBACKS);
    report(get_table);
    if (!strcmp(mode, "annotate"))
        call_program("annotate_from_tool");
    if (!strcmp(mode, "fork"))
        call_program("tool_has_started");
    if (!strcmp(mode, "slow") || !strcmp(mode, "fork"))
        usleep(300000);
    save_core();
    take_core();
    take_others();
    return strcmp(mode, "refuse") != 0;
}

#ifdef COUNT_TOOL_STATIC
static int attach_static(NvtxGetExportTableFunc_t get_table)
{
    line("static\n");
    return attach(get_table, "");
}

extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach_static;
#else
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const char *mode = getenv("NVTX_TEST_MODE");

    return attach(get_table, mode ? mode : "");
}

/* Puts back what was in the slots of module CORE before, as a tool that leaves may do. */
NVTX_DYNAMIC_EXPORT void count_tool_leave(void);
NVTX_DYNAMIC_EXPORT void count_tool_leave(void)
{
    NvtxFunctionTable table;
    unsigned size, id;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    for (id = 1; id < size; id++)
        *table[id] = saved[id];
}
#endif
