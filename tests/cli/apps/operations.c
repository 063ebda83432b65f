/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges with payloads: six with a struct, or as many as are asked for; one with a number, one
 * without. */
#include <nvtx3/nvToolsExtPayloadHelper.h>

#include <stdlib.h>

#include "nvtx_enum.h"

typedef struct operation {
    int32_t rank;
    int32_t kind;
    uint64_t size;
} operation;

static nvtxDomainHandle_t domain;

static uint64_t register_operation(void)
{
    static const nvtxPayloadEnum_t kinds[] = {{"sum", 0, 0}, {"max", 1, 0}};
    NVTX_DEFINE_SCHEMA_FOR_STRUCT(
        operation, NULL, const,
        NVTX_PAYLOAD_ENTRIES((rank, TYPE_INT32, "rank"),
                             (kind, NVTX_PAYLOAD_NESTED(register_enum(domain, kinds, 2)), "kind"),
                             (size, TYPE_UINT64, "size")))
    return NVTX_PAYLOAD_SCHEMA_REGISTER(domain, operation);
}

static nvtxEventAttributes_t attributes(const char *text)
{
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    return a;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 6;
    domain = nvtxDomainCreateA("work");
    const uint64_t schema = register_operation();
    nvtxEventAttributes_t a = attributes("operation");
    for (int i = 0; i < n; i++) {
        const operation one = {i % 3, i % 2, 100 * (uint64_t)i};
        NVTX_PAYLOAD_EVTATTR_SET(&a, schema, &one, sizeof(one))
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainRangePop(domain);
    }
    a = attributes("number");
    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    a.payload.llValue = -7;
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
    a = attributes("nothing");
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
    return 0;
}
