/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls every function once and checks what it returns: the values of count_tool.c, or, with
 * the argument "silent", those that are specified for a program without a tool. Valid C89 and
 * C++. What the tool has heard is compared with app_all.expected by run.sh.
 */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtOpenCL.h>

#include "check.h"
#include <string.h>

static int silent;

#define HANDLE(type, number) NVTX_REINTERPRET_CAST(type, NVTX_STATIC_CAST(uintptr_t, number))
/* `heard` if the tool was to answer, `otherwise` if not */
#define RETURNS(call, heard, otherwise) CHECK((call) == (silent ? (otherwise) : (heard)))

static void set_event(nvtxEventAttributes_t *e, const char *text)
{
    memset(e, 0, sizeof *e);
    e->version = NVTX_VERSION;
    e->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    e->messageType = NVTX_MESSAGE_TYPE_ASCII;
    e->message.ascii = text;
}

static void call_core(void)
{
    nvtxEventAttributes_t e;

    set_event(&e, "mark-ex");
    e.category = 7;
    e.colorType = NVTX_COLOR_ARGB;
    e.color = 0xff00aa11;
    e.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    e.payload.ullValue = NVTX_STATIC_CAST(uint64_t, 0xfedcba98) << 32;
    nvtxMarkEx(&e);
    nvtxMarkA("mark-a");
    nvtxMarkW(L"mark-w");
    set_event(&e, "");
    e.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    e.message.unicode = L"start-ex";
    RETURNS(nvtxRangeStartEx(&e), (NVTX_STATIC_CAST(nvtxRangeId_t, 0x12345678) << 32) + 0x101, 0);
    RETURNS(nvtxRangeStartA("start-a"), 0x102, 0);
    RETURNS(nvtxRangeStartW(L"start-w"), 0x103, 0);
    nvtxRangeEnd((NVTX_STATIC_CAST(nvtxRangeId_t, 0xabcdef01) << 32) + 2);
    set_event(&e, "push-ex");
    RETURNS(nvtxRangePushEx(&e), 11, -2);
    RETURNS(nvtxRangePushA("push-a"), 12, NVTX_NO_PUSH_POP_TRACKING);
    RETURNS(nvtxRangePushW(L"push-w"), 13, -2);
    RETURNS(nvtxRangePop(), 14, -2);
    nvtxNameCategoryA(1, "category-a");
    nvtxNameCategoryW(0xffffffff, L"category-w");
    nvtxNameOsThreadA(1001, "thread-a");
    nvtxNameOsThreadW(1002, L"thread-w");
}

static void call_core2(void)
{
    const nvtxDomainHandle_t domain = HANDLE(nvtxDomainHandle_t, 0xd1);
    nvtxEventAttributes_t e;
    nvtxResourceAttributes_t r;

    set_event(&e, "");
    e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    e.message.registered = HANDLE(nvtxStringHandle_t, 0x5f);
    nvtxDomainMarkEx(domain, &e);
    set_event(&e, "domain-start-ex");
    RETURNS(nvtxDomainRangeStartEx(NVTX_NULLPTR, &e), 0x104, 0);
    nvtxDomainRangeEnd(domain, 0x104);
    set_event(&e, "domain-push-ex");
    RETURNS(nvtxDomainRangePushEx(domain, &e), 15, -2);
    RETURNS(nvtxDomainRangePop(domain), 16, -2);
    memset(&r, 0, sizeof r);
    r.version = NVTX_VERSION;
    r.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    r.identifierType = NVTX_RESOURCE_TYPE_SYNC_PTHREAD_MUTEX;
    r.identifier.ullValue = 0xbeef;
    r.messageType = NVTX_MESSAGE_TYPE_ASCII;
    r.message.ascii = "resource";
    RETURNS(nvtxDomainResourceCreate(domain, &r), HANDLE(nvtxResourceHandle_t, 0x7e), NVTX_NULLPTR);
    nvtxDomainResourceDestroy(HANDLE(nvtxResourceHandle_t, 0x7e));
    nvtxDomainNameCategoryA(domain, 2, "domain-category-a");
    nvtxDomainNameCategoryW(domain, 3, L"domain-category-w");
    RETURNS(nvtxDomainRegisterStringA(domain, "string-a"), HANDLE(nvtxStringHandle_t, 0x5a),
            NVTX_NULLPTR);
    RETURNS(nvtxDomainRegisterStringW(domain, L"string-w"), HANDLE(nvtxStringHandle_t, 0x5b),
            NVTX_NULLPTR);
    RETURNS(nvtxDomainCreateA("domain-a"), HANDLE(nvtxDomainHandle_t, 0xda), NVTX_NULLPTR);
    RETURNS(nvtxDomainCreateW(L"domain-w"), HANDLE(nvtxDomainHandle_t, 0xdb), NVTX_NULLPTR);
    nvtxDomainDestroy(domain);
    nvtxInitialize(NVTX_NULLPTR);
}

static void call_sync(void)
{
    const nvtxDomainHandle_t domain = HANDLE(nvtxDomainHandle_t, 0xd1);
    const nvtxSyncUser_t lock = HANDLE(nvtxSyncUser_t, 0x10c);
    nvtxSyncUserAttributes_t a;

    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "lock";
    RETURNS(nvtxDomainSyncUserCreate(domain, &a), HANDLE(nvtxSyncUser_t, 0x5c), NVTX_NULLPTR);
    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireFailed(lock);
    nvtxDomainSyncUserAcquireSuccess(lock);
    nvtxDomainSyncUserReleasing(lock);
    nvtxDomainSyncUserDestroy(lock);
}

static void call_cuda(void)
{
    nvtxNameCuDeviceA(1, "cu-device-a");
    nvtxNameCuDeviceW(-1, L"cu-device-w");
    nvtxNameCuContextA(HANDLE(CUcontext, 0xc1), "cu-context-a");
    nvtxNameCuContextW(HANDLE(CUcontext, 0xc2), L"cu-context-w");
    nvtxNameCuStreamA(HANDLE(CUstream, 0xc3), "cu-stream-a");
    nvtxNameCuStreamW(HANDLE(CUstream, 0xc4), L"cu-stream-w");
    nvtxNameCuEventA(HANDLE(CUevent, 0xc5), "cu-event-a");
    nvtxNameCuEventW(HANDLE(CUevent, 0xc6), L"cu-event-w");
    nvtxNameCudaDeviceA(3, "cuda-device-a");
    nvtxNameCudaDeviceW(4, L"cuda-device-w");
    nvtxNameCudaStreamA(HANDLE(cudaStream_t, 0xc7), "cuda-stream-a");
    nvtxNameCudaStreamW(HANDLE(cudaStream_t, 0xc8), L"cuda-stream-w");
    nvtxNameCudaEventA(HANDLE(cudaEvent_t, 0xc9), "cuda-event-a");
    nvtxNameCudaEventW(HANDLE(cudaEvent_t, 0xca), L"cuda-event-w");
}

static void call_opencl(void)
{
    nvtxNameClDeviceA(HANDLE(cl_device_id, 0xe1), "cl-device-a");
    nvtxNameClDeviceW(HANDLE(cl_device_id, 0xe2), L"cl-device-w");
    nvtxNameClContextA(HANDLE(cl_context, 0xe3), "cl-context-a");
    nvtxNameClContextW(HANDLE(cl_context, 0xe4), L"cl-context-w");
    nvtxNameClCommandQueueA(HANDLE(cl_command_queue, 0xe5), "cl-queue-a");
    nvtxNameClCommandQueueW(HANDLE(cl_command_queue, 0xe6), L"cl-queue-w");
    nvtxNameClMemObjectA(HANDLE(cl_mem, 0xe7), "cl-mem-a");
    nvtxNameClMemObjectW(HANDLE(cl_mem, 0xe8), L"cl-mem-w");
    nvtxNameClSamplerA(HANDLE(cl_sampler, 0xe9), "cl-sampler-a");
    nvtxNameClSamplerW(HANDLE(cl_sampler, 0xea), L"cl-sampler-w");
    nvtxNameClProgramA(HANDLE(cl_program, 0xeb), "cl-program-a");
    nvtxNameClProgramW(HANDLE(cl_program, 0xec), L"cl-program-w");
    nvtxNameClEventA(HANDLE(cl_event, 0xed), "cl-event-a");
    nvtxNameClEventW(HANDLE(cl_event, 0xee), L"cl-event-w");
}

int main(int argc, char **argv)
{
    silent = argc > 1 && !strcmp(argv[1], "silent");
    call_core();
    call_core2();
    call_sync();
    call_cuda();
    call_opencl();
    return 0;
}
