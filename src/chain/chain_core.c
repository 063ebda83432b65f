/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of NVTX's core: each calls every tool that took it, and returns what the recorder
 * returns, but for ids of ranges. */
#include <string.h>

#include "chain/chain.h"

/* For each tool t that took the function: call, in which `function` is the tool's. */
#define EACH(module, name, type, call)                                                             \
    for (unsigned t = 0; t < chain_n_tools; t++) {                                                 \
        type function = (type)chain_slot[t][NVTX_CB_MODULE_##module][NVTX_CBID_##module##_##name]; \
        if (function != NULL) {                                                                    \
            call;                                                                                  \
        }                                                                                          \
    }

/* The same in a domain: `in` is the tool's, which is left out if it has none. */
#define EACH_IN(domain, module, name, type, call)                                                  \
    EACH(module, name, type, void *in = chain_handle_of(CHAIN_DOMAIN, domain, t);                  \
         if (in != NULL || (domain) == NULL) call)

/* The tool's own handle in the place of ours. copy: room for what has it. */
static const nvtxEventAttributes_t *event_of(const nvtxEventAttributes_t *event, unsigned t,
                                             nvtxEventAttributes_t *copy)
{
    if (event == NULL || event->size < sizeof(*event) ||
        event->messageType != NVTX_MESSAGE_TYPE_REGISTERED)
        return event;
    memcpy(copy, event, sizeof(*copy));
    copy->size = sizeof(*copy);
    copy->message.registered = chain_handle_of(CHAIN_STRING, event->message.registered, t);
    return copy;
}

/* ---- Marks and ranges ---- */

typedef void mark_fn(const nvtxEventAttributes_t *event);
typedef void domain_mark_fn(void *domain, const nvtxEventAttributes_t *event);
typedef nvtxRangeId_t start_fn(const nvtxEventAttributes_t *event);
typedef nvtxRangeId_t domain_start_fn(void *domain, const nvtxEventAttributes_t *event);
typedef nvtxRangeId_t start_text_fn(const void *text);
typedef void end_fn(nvtxRangeId_t id);
typedef void domain_end_fn(void *domain, nvtxRangeId_t id);
typedef int push_fn(const nvtxEventAttributes_t *event);
typedef int domain_push_fn(void *domain, const nvtxEventAttributes_t *event);
typedef int push_text_fn(const void *text);
typedef int pop_fn(void);
typedef int domain_pop_fn(void *domain);
typedef void text_fn(const void *text);
typedef void name_fn(uintptr_t what, const void *text);
typedef void domain_name_fn(void *domain, uint32_t what, const void *text);
typedef void *text_handle_fn(void *domain, const void *text);
typedef void *domain_create_fn(const void *name);
typedef void handle_fn(void *handle);

static void mark_ex(const nvtxEventAttributes_t *event)
{
    nvtxEventAttributes_t copy;
    EACH(CORE, MarkEx, mark_fn *, function(event_of(event, t, &copy)))
}

static void domain_mark_ex(void *domain, const nvtxEventAttributes_t *event)
{
    nvtxEventAttributes_t copy;
    EACH_IN(domain, CORE2, DomainMarkEx, domain_mark_fn *, function(in, event_of(event, t, &copy)))
}

static nvtxRangeId_t range_start_ex(const nvtxEventAttributes_t *event)
{
    nvtxEventAttributes_t copy;
    nvtxRangeId_t of[CHAIN_TOOLS] = CHAIN_NO_IDS;
    EACH(CORE, RangeStartEx, start_fn *, of[t] = function(event_of(event, t, &copy)))
    return chain_open_range(of);
}

static nvtxRangeId_t domain_range_start_ex(void *domain, const nvtxEventAttributes_t *event)
{
    nvtxEventAttributes_t copy;
    nvtxRangeId_t of[CHAIN_TOOLS] = CHAIN_NO_IDS;
    EACH_IN(domain, CORE2, DomainRangeStartEx, domain_start_fn *,
            of[t] = function(in, event_of(event, t, &copy)))
    return chain_open_range(of);
}

/* An id that is none of ours goes to the recorder, which counts ends without a range. */
static void ids_of(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS])
{
    static const nvtxRangeId_t none[CHAIN_TOOLS] = CHAIN_NO_IDS;
    if (!chain_close_range(id, of)) {
        memcpy(of, none, sizeof(none));
        of[0] = id;
    }
}

static void range_end(nvtxRangeId_t id)
{
    nvtxRangeId_t of[CHAIN_TOOLS];
    ids_of(id, of);
    EACH(CORE, RangeEnd, end_fn *, if (t == 0 || of[t] != CHAIN_NOT_HEARD) function(of[t]))
}

static void domain_range_end(void *domain, nvtxRangeId_t id)
{
    nvtxRangeId_t of[CHAIN_TOOLS];
    ids_of(id, of);
    EACH_IN(domain, CORE2, DomainRangeEnd, domain_end_fn *, {
        if (t == 0 || of[t] != CHAIN_NOT_HEARD)
            function(in, of[t]);
    })
}

static int range_push_ex(const nvtxEventAttributes_t *event)
{
    nvtxEventAttributes_t copy;
    int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};
    EACH(CORE, RangePushEx, push_fn *, level[t] = function(event_of(event, t, &copy)))
    return level[0];
}

static int domain_range_push_ex(void *domain, const nvtxEventAttributes_t *event)
{
    nvtxEventAttributes_t copy;
    int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};
    EACH_IN(domain, CORE2, DomainRangePushEx, domain_push_fn *,
            level[t] = function(in, event_of(event, t, &copy)))
    return level[0];
}

static int range_pop(void)
{
    int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};
    EACH(CORE, RangePop, pop_fn *, level[t] = function())
    return level[0];
}

static int domain_range_pop(void *domain)
{
    int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};
    EACH_IN(domain, CORE2, DomainRangePop, domain_pop_fn *, level[t] = function(in))
    return level[0];
}

/* ---- With a text, in both forms ---- */

#define TEXT_FORMS(letter)                                                                         \
    static void mark_##letter(const void *text)                                                    \
    {                                                                                              \
        EACH(CORE, Mark##letter, text_fn *, function(text))                                        \
    }                                                                                              \
    static nvtxRangeId_t range_start_##letter(const void *text)                                    \
    {                                                                                              \
        nvtxRangeId_t of[CHAIN_TOOLS] = CHAIN_NO_IDS;                                              \
        EACH(CORE, RangeStart##letter, start_text_fn *, of[t] = function(text))                    \
        return chain_open_range(of);                                                               \
    }                                                                                              \
    static int range_push_##letter(const void *text)                                               \
    {                                                                                              \
        int level[CHAIN_TOOLS] = {NVTX_NO_PUSH_POP_TRACKING};                                      \
        EACH(CORE, RangePush##letter, push_text_fn *, level[t] = function(text))                   \
        return level[0];                                                                           \
    }                                                                                              \
    static void domain_category_##letter(void *domain, uint32_t category, const void *text)        \
    {                                                                                              \
        EACH_IN(domain, CORE2, DomainNameCategory##letter, domain_name_fn *,                       \
                function(in, category, text))                                                      \
    }                                                                                              \
    static void *register_string_##letter(void *domain, const void *text)                          \
    {                                                                                              \
        void *of[CHAIN_TOOLS] = {NULL};                                                            \
        EACH_IN(domain, CORE2, DomainRegisterString##letter, text_handle_fn *,                     \
                of[t] = function(in, text))                                                        \
        return chain_add_handle(CHAIN_STRING, of);                                                 \
    }                                                                                              \
    static void *domain_create_##letter(const void *name)                                          \
    {                                                                                              \
        void *of[CHAIN_TOOLS] = {NULL};                                                            \
        EACH(CORE2, DomainCreate##letter, domain_create_fn *, of[t] = function(name))              \
        return chain_add_handle(CHAIN_DOMAIN, of);                                                 \
    }

TEXT_FORMS(A)
TEXT_FORMS(W)

/* ---- Handles ---- */

/* Both have attributes with a message. */
#define CREATE(function_name, kind, module, name, type)                                            \
    static void *function_name(void *domain, const type *attributes)                               \
    {                                                                                              \
        typedef void *create_fn(void *domain, const type *attributes);                             \
        const bool is_registered = attributes != NULL && attributes->size >= sizeof(type) &&       \
                                   attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED;        \
        void *of[CHAIN_TOOLS] = {NULL};                                                            \
        EACH_IN(domain, module, name, create_fn *, {                                               \
            type copy;                                                                             \
            if (is_registered) {                                                                   \
                memcpy(&copy, attributes, sizeof(copy));                                           \
                copy.size = sizeof(copy);                                                          \
                copy.message.registered =                                                          \
                    chain_handle_of(CHAIN_STRING, attributes->message.registered, t);              \
            }                                                                                      \
            of[t] = function(in, is_registered ? &copy : attributes);                              \
        })                                                                                         \
        return chain_add_handle(kind, of);                                                         \
    }

CREATE(resource_create, CHAIN_RESOURCE, CORE2, DomainResourceCreate, nvtxResourceAttributes_t)
CREATE(sync_create, CHAIN_LOCK, SYNC, DomainSyncUserCreate, nvtxSyncUserAttributes_t)

#define OF_HANDLE(function_name, kind, module, name)                                               \
    static void function_name(void *handle)                                                        \
    {                                                                                              \
        EACH(module, name, handle_fn *, void *its = chain_handle_of(kind, handle, t);              \
             if (its != NULL || t == 0) function(its))                                             \
    }

OF_HANDLE(sync_start, CHAIN_LOCK, SYNC, DomainSyncUserAcquireStart)
OF_HANDLE(sync_failed, CHAIN_LOCK, SYNC, DomainSyncUserAcquireFailed)
OF_HANDLE(sync_success, CHAIN_LOCK, SYNC, DomainSyncUserAcquireSuccess)
OF_HANDLE(sync_releasing, CHAIN_LOCK, SYNC, DomainSyncUserReleasing)

/* Its place is given back first: from then on the recorder may give its handle to another one. */
#define DESTROY(function_name, kind, module, name)                                                 \
    static void function_name(void *handle)                                                        \
    {                                                                                              \
        void *of[CHAIN_TOOLS];                                                                     \
        chain_take_handle(kind, handle, of);                                                       \
        EACH(module, name, handle_fn *, if (of[t] != NULL || t == 0) function(of[t]))              \
    }

DESTROY(domain_destroy, CHAIN_DOMAIN, CORE2, DomainDestroy)
DESTROY(resource_destroy, CHAIN_RESOURCE, CORE2, DomainResourceDestroy)
DESTROY(sync_destroy, CHAIN_LOCK, SYNC, DomainSyncUserDestroy)

static void initialize(const void *reserved)
{
    EACH(CORE2, Initialize, text_fn *, function(reserved))
}

/* ---- Names of what is no handle of a tool: a thread, a category, an object of CUDA or OpenCL ----
 */

#define NAMES(X)                                                                                   \
    X(CORE, NameCategoryA)                                                                         \
    X(CORE, NameCategoryW)                                                                         \
    X(CORE, NameOsThreadA)                                                                         \
    X(CORE, NameOsThreadW)                                                                         \
    X(CUDA, NameCuDeviceA)                                                                         \
    X(CUDA, NameCuDeviceW)                                                                         \
    X(CUDA, NameCuContextA)                                                                        \
    X(CUDA, NameCuContextW)                                                                        \
    X(CUDA, NameCuStreamA)                                                                         \
    X(CUDA, NameCuStreamW)                                                                         \
    X(CUDA, NameCuEventA)                                                                          \
    X(CUDA, NameCuEventW)                                                                          \
    X(CUDART, NameCudaDeviceA)                                                                     \
    X(CUDART, NameCudaDeviceW)                                                                     \
    X(CUDART, NameCudaStreamA)                                                                     \
    X(CUDART, NameCudaStreamW)                                                                     \
    X(CUDART, NameCudaEventA)                                                                      \
    X(CUDART, NameCudaEventW)                                                                      \
    X(OPENCL, NameClDeviceA)                                                                       \
    X(OPENCL, NameClDeviceW)                                                                       \
    X(OPENCL, NameClContextA)                                                                      \
    X(OPENCL, NameClContextW)                                                                      \
    X(OPENCL, NameClCommandQueueA)                                                                 \
    X(OPENCL, NameClCommandQueueW)                                                                 \
    X(OPENCL, NameClMemObjectA)                                                                    \
    X(OPENCL, NameClMemObjectW)                                                                    \
    X(OPENCL, NameClSamplerA)                                                                      \
    X(OPENCL, NameClSamplerW)                                                                      \
    X(OPENCL, NameClProgramA)                                                                      \
    X(OPENCL, NameClProgramW)                                                                      \
    X(OPENCL, NameClEventA)                                                                        \
    X(OPENCL, NameClEventW)

/* A number or a pointer comes in one register, whatever its size. */
#define NAME(module, name)                                                                         \
    static void module##_##name(uintptr_t what, const void *text)                                  \
    {                                                                                              \
        EACH(module, name, name_fn *, function(what, text))                                        \
    }

NAMES(NAME)

/* ---- The table ---- */

#define AT(module, name, f)                                                                        \
    [NVTX_CB_MODULE_##module][NVTX_CBID_##module##_##name] = CHAIN_FUNCTION(f),
#define AT_NAME(module, name) AT(module, name, module##_##name)

static const chain_function entries[NVTX_CB_MODULE_SIZE][CHAIN_SLOTS] = {
    AT(CORE, MarkEx, mark_ex) AT(CORE, MarkA, mark_A) AT(CORE, MarkW, mark_W)
        AT(CORE, RangeStartEx, range_start_ex) AT(CORE, RangeStartA, range_start_A) AT(
            CORE, RangeStartW, range_start_W) AT(CORE, RangeEnd, range_end)
            AT(CORE, RangePushEx, range_push_ex) AT(CORE, RangePushA,
                                                    range_push_A) AT(CORE, RangePushW, range_push_W)
                AT(CORE, RangePop, range_pop) AT(CORE2, DomainMarkEx, domain_mark_ex) AT(
                    CORE2, DomainRangeStartEx,
                    domain_range_start_ex) AT(CORE2, DomainRangeEnd, domain_range_end)
                    AT(CORE2, DomainRangePushEx, domain_range_push_ex) AT(CORE2, DomainRangePop,
                                                                          domain_range_pop)
                        AT(CORE2, DomainResourceCreate,
                           resource_create) AT(CORE2, DomainResourceDestroy, resource_destroy)
                            AT(CORE2, DomainNameCategoryA,
                               domain_category_A) AT(CORE2, DomainNameCategoryW, domain_category_W)
                                AT(CORE2, DomainRegisterStringA, register_string_A)
                                    AT(CORE2, DomainRegisterStringW,
                                       register_string_W) AT(CORE2, DomainCreateA, domain_create_A)
                                        AT(CORE2, DomainCreateW,
                                           domain_create_W) AT(CORE2, DomainDestroy, domain_destroy)
                                            AT(CORE2, Initialize, initialize)
                                                AT(SYNC, DomainSyncUserCreate, sync_create) AT(
                                                    SYNC, DomainSyncUserDestroy, sync_destroy)
                                                    AT(SYNC, DomainSyncUserAcquireStart, sync_start)
                                                        AT(SYNC, DomainSyncUserAcquireFailed,
                                                           sync_failed)
                                                            AT(SYNC, DomainSyncUserAcquireSuccess,
                                                               sync_success)
                                                                AT(SYNC, DomainSyncUserReleasing,
                                                                   sync_releasing) NAMES(AT_NAME)};

chain_function chain_entry(NvtxCallbackModule module, unsigned id)
{
    return entries[module][id];
}
