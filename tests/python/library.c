/* SPDX-License-Identifier: Apache-2.0 */
/* A library that annotates, for programs that load it with ctypes. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

__attribute__((visibility("default"))) void annotate_by_library(const char *message);

void annotate_by_library(const char *message)
{
    nvtxMarkA(message);
}

__attribute__((visibility("default"))) void annotate_categories(void);

/* A mark of category 1, which has no name, with a payload, and one of category 2, which has one. */
void annotate_categories(void)
{
    static const uint64_t value = 5;
    nvtxEventAttributes_t a = {.version = NVTX_VERSION,
                               .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                               .category = 1,
                               .messageType = NVTX_MESSAGE_TYPE_ASCII,
                               .message = {.ascii = "with a payload"}};
    nvtxDomainHandle_t domain = nvtxDomainCreateA("categories");
    NVTX_PAYLOAD_EVTATTR_SET(&a, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, &value, sizeof value)
    nvtxDomainNameCategoryA(domain, 2, "named");
    nvtxDomainMarkEx(domain, &a);
    a.category = 2;
    a.payloadType = NVTX_PAYLOAD_UNKNOWN;
    a.reserved0 = 0;
    a.message.ascii = "of a category with a name";
    nvtxDomainMarkEx(domain, &a);
}
