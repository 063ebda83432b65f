/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges for the Python hook, which calls this by ctypes: one argument per call, because arguments
 * are what such calls cost. It is given the tool's entry point instead of looking for it, so that
 * it needs nothing newer than the oldest libc that the recorder itself runs with. */
#include <dlfcn.h>
#define NVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY 0
#define dlclose(library)                       ((void)(library), 0) /* never opened here */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtxDetail/nvtxTypes.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RF_EXPORT __attribute__((visibility("default")))

/* What ranges of one name share; lives as long as the process. */
struct hook_range {
    nvtxDomainHandle_t domain;
    nvtxEventAttributes_t attributes; /* with the registered name */
};

RF_EXPORT void rf_hook_attach(NvtxInitializeInjectionNvtxFunc_t entry);
RF_EXPORT struct hook_range *rf_hook_range(const char *domain, const char *name, int has_color,
                                           uint32_t argb);
RF_EXPORT void rf_hook_push(const struct hook_range *range);
RF_EXPORT void rf_hook_push_text(const struct hook_range *range, const char *text);
RF_EXPORT void rf_hook_pop(const struct hook_range *range);
RF_EXPORT uint64_t rf_hook_start(const struct hook_range *range);
RF_EXPORT void rf_hook_end(const struct hook_range *range, uint64_t id);

/* Call this once, before the other functions. */
void rf_hook_attach(NvtxInitializeInjectionNvtxFunc_t entry)
{
    InitializeInjectionNvtx2_fnptr = entry;
}

/* domain NULL: the default one. Returns NULL without memory. Creating a domain again gives the same
 * one. */
struct hook_range *rf_hook_range(const char *domain, const char *name, int has_color, uint32_t argb)
{
    struct hook_range *range = calloc(1, sizeof(*range));
    if (range == NULL)
        return NULL;
    range->domain = domain == NULL ? NULL : nvtxDomainCreateA(domain);
    range->attributes.version = NVTX_VERSION;
    range->attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    if (has_color) {
        range->attributes.colorType = NVTX_COLOR_ARGB;
        range->attributes.color = argb;
    }
    range->attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    range->attributes.message.registered = nvtxDomainRegisterStringA(range->domain, name);
    return range;
}

void rf_hook_push(const struct hook_range *range)
{
    (void)nvtxDomainRangePushEx(range->domain, &range->attributes);
}

/* With another text, which is not registered: texts with sizes in them are too many for that. */
void rf_hook_push_text(const struct hook_range *range, const char *text)
{
    nvtxEventAttributes_t attributes = range->attributes;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    (void)nvtxDomainRangePushEx(range->domain, &attributes);
}

void rf_hook_pop(const struct hook_range *range)
{
    (void)nvtxDomainRangePop(range->domain);
}

uint64_t rf_hook_start(const struct hook_range *range)
{
    return nvtxDomainRangeStartEx(range->domain, &range->attributes);
}

void rf_hook_end(const struct hook_range *range, uint64_t id)
{
    nvtxDomainRangeEnd(range->domain, id);
}
