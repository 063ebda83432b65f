/* SPDX-License-Identifier: Apache-2.0 */
/* Names and objects of domains, and sync objects. Handles are small numbers cast to pointers; a
 * handle that the program passes is recorded and never dereferenced. */
#include "record/nvtx/nvtx_domain.h"

#include <string.h>

#include "record/focus/trigger_names.h"
#include "record/names/defs.h"
#include "record/names/domain_handles.h"
#include "record/names/thread_names.h"
#include "record/nvtx/wide_text.h"
#include "record/process/process.h"

_Static_assert(RF_SILENT_DOMAIN == RF_NVTX_SILENT_DOMAIN &&
                   RF_N_EXCLUDED_DOMAINS == RF_NVTX_N_SILENT_DOMAINS,
               "the programs' copies know which domains are excluded");

static uint64_t number_of(const void *handle)
{
    return (uint64_t)(uintptr_t)handle;
}

static uint32_t low_of(uint64_t handle)
{
    return handle > UINT32_MAX ? UINT32_MAX : (uint32_t)handle;
}

static bool is_wanted(uint64_t domain)
{
    return !rf_domain_is_excluded(domain);
}

/* ---- Names and objects ---- */

static void define(uint32_t type, uint32_t index, uint64_t domain, const char *text)
{
    (void)rf_defs_add(type, index, low_of(domain), domain, 0, text,
                      text != NULL ? strlen(text) : 0);
}

static void name_category_a(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
    if (is_wanted(number_of(domain)) && rf_process_can_define())
        define(RF_REC_CATEGORY, category, number_of(domain), name);
}

static void name_category_w(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name)
{
    struct rf_utf8_text utf8;
    rf_utf8_text_init(&utf8, name);
    name_category_a(domain, category, utf8.text);
    rf_utf8_text_release(&utf8);
}

static nvtxStringHandle_t register_string_a(nvtxDomainHandle_t domain, const char *text)
{
    if (!rf_process_can_define())
        return NULL;
    uint32_t string = rf_string_handle(number_of(domain), text);
    rf_trigger_add_string(string, text);
    return (nvtxStringHandle_t)(uintptr_t)string;
}

static nvtxStringHandle_t register_string_w(nvtxDomainHandle_t domain, const wchar_t *text)
{
    struct rf_utf8_text utf8;
    rf_utf8_text_init(&utf8, text);
    nvtxStringHandle_t handle = register_string_a(domain, utf8.text);
    rf_utf8_text_release(&utf8);
    return handle;
}

static nvtxDomainHandle_t domain_create_a(const char *name)
{
    if (!rf_process_can_define())
        return NULL;
    uint64_t domain = rf_domain_handle(name);
    rf_trigger_add_domain(domain, name);
    return (nvtxDomainHandle_t)(uintptr_t)domain;
}

static nvtxDomainHandle_t domain_create_w(const wchar_t *name)
{
    struct rf_utf8_text utf8;
    rf_utf8_text_init(&utf8, name);
    nvtxDomainHandle_t handle = domain_create_a(utf8.text);
    rf_utf8_text_release(&utf8);
    return handle;
}

static void domain_destroy(nvtxDomainHandle_t domain)
{
    if (rf_process_can_define())
        rf_domain_destroy(number_of(domain));
}

static void initialize(const void *reserved)
{
    (void)reserved; /* being loaded is all that it asks for */
}

/* The message of a resource or sync object; *utf8 keeps a wide one. */
static const char *message_of(int32_t type, nvtxMessageValue_t message, struct rf_utf8_text *utf8)
{
    utf8->mapped = 0;
    if (type == NVTX_MESSAGE_TYPE_ASCII)
        return message.ascii;
    if (type == NVTX_MESSAGE_TYPE_UNICODE) {
        rf_utf8_text_init(utf8, message.unicode);
        return utf8->text;
    }
    return NULL;
}

/* Reads a structure that declares its size in its second 16 bits. */
static void read_sized(void *whole, size_t whole_size, const void *given)
{
    uint16_t size = 0;
    memset(whole, 0, whole_size);
    if (given == NULL)
        return;
    memcpy(&size, (const char *)given + 2, sizeof(size));
    memcpy(whole, given, size == 0 || size > whole_size ? whole_size : size);
}

/* As nvtxNameOsThread(), which resources of threads replace. text: as it was recorded. */
static void name_thread(const nvtxResourceAttributes_t *r, const char *text, size_t size)
{
    if (text == NULL)
        return;
    if (r->identifierType == NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE)
        (void)rf_defs_add(RF_REC_THREAD_NAME, low_of(r->identifier.ullValue), 0, 0, 0, text, size);
    if (r->identifierType == NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX)
        rf_thread_name_add(r->identifier.ullValue, text, size);
}

static nvtxResourceHandle_t resource_create(nvtxDomainHandle_t domain,
                                            nvtxResourceAttributes_t *given)
{
    nvtxResourceAttributes_t r;
    struct rf_utf8_text utf8;
    if (given == NULL || !is_wanted(number_of(domain)) || !rf_process_can_define())
        return NULL;
    read_sized(&r, sizeof(r), given);
    uint32_t index = __atomic_add_fetch(&rf_recorder.n_resources, 1, __ATOMIC_RELAXED);
    const char *text = message_of(r.messageType, r.message, &utf8);
    size_t size = text != NULL ? strlen(text) : 0;
    const char *copy = rf_defs_add(RF_REC_RESOURCE, index, low_of(number_of(domain)),
                                   r.identifier.ullValue, (uint32_t)r.identifierType, text, size);
    name_thread(&r, text != NULL ? copy : NULL, size);
    rf_utf8_text_release(&utf8);
    return (nvtxResourceHandle_t)(uintptr_t)index;
}

static void resource_destroy(nvtxResourceHandle_t resource)
{
    if (resource != NULL && rf_process_can_define())
        (void)rf_defs_add(RF_REC_RESOURCE_DESTROY, low_of(number_of(resource)), 0,
                          number_of(resource), 0, NULL, 0);
}

struct rf_callbacks rf_nvtx_domain_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_CORE2_DomainResourceCreate] = RF_CALLBACK(resource_create),
        [NVTX_CBID_CORE2_DomainResourceDestroy] = RF_CALLBACK(resource_destroy),
        [NVTX_CBID_CORE2_DomainNameCategoryA] = RF_CALLBACK(name_category_a),
        [NVTX_CBID_CORE2_DomainNameCategoryW] = RF_CALLBACK(name_category_w),
        [NVTX_CBID_CORE2_DomainRegisterStringA] = RF_CALLBACK(register_string_a),
        [NVTX_CBID_CORE2_DomainRegisterStringW] = RF_CALLBACK(register_string_w),
        [NVTX_CBID_CORE2_DomainCreateA] = RF_CALLBACK(domain_create_a),
        [NVTX_CBID_CORE2_DomainCreateW] = RF_CALLBACK(domain_create_w),
        [NVTX_CBID_CORE2_DomainDestroy] = RF_CALLBACK(domain_destroy),
        [NVTX_CBID_CORE2_Initialize] = RF_CALLBACK(initialize),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

/* ---- NVTX_CB_MODULE_SYNC ---- */

static nvtxSyncUser_t sync_create(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t *given)
{
    nvtxSyncUserAttributes_t s;
    struct rf_utf8_text utf8;
    if (!is_wanted(number_of(domain)) || !rf_process_can_define())
        return NULL;
    read_sized(&s, sizeof(s), given);
    uint32_t index = __atomic_add_fetch(&rf_recorder.n_syncs, 1, __ATOMIC_RELAXED);
    define(RF_REC_SYNC_CREATE, index, number_of(domain),
           message_of(s.messageType, s.message, &utf8));
    rf_utf8_text_release(&utf8);
    return (nvtxSyncUser_t)(uintptr_t)index;
}

static void sync_destroy(nvtxSyncUser_t sync)
{
    if (sync != NULL && rf_process_can_define())
        (void)rf_defs_add(RF_REC_SYNC_DESTROY, low_of(number_of(sync)), 0, number_of(sync), 0, NULL,
                          0);
}

struct rf_callbacks rf_nvtx_sync_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_SYNC_DomainSyncUserCreate] = RF_CALLBACK(sync_create),
        [NVTX_CBID_SYNC_DomainSyncUserDestroy] = RF_CALLBACK(sync_destroy),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
