/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges with payloads: six with a struct, one with a number, one without. */
#include <nvtx3/nvToolsExtPayload.h>

#include <stddef.h>
#include <stdint.h>

struct operation {
    int32_t rank;
    int32_t kind;
    uint64_t size;
};

static nvtxDomainHandle_t domain;

static uint64_t register_kinds(void)
{
    static const nvtxPayloadEnum_t names[] = {{"sum", 0, 0}, {"max", 1, 0}};
    const nvtxPayloadEnumAttr_t kinds = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .entries = names,
        .numEntries = 2,
        .sizeOfEnum = sizeof(int32_t),
    };
    return nvtxPayloadEnumRegister(domain, &kinds);
}

static uint64_t register_operation(void)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "rank", NULL, 0, offsetof(struct operation, rank), NULL,
         NULL},
        {0, register_kinds(), "kind", NULL, 0, offsetof(struct operation, kind), NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "size", NULL, 0, offsetof(struct operation, size), NULL,
         NULL},
    };
    const nvtxPayloadSchemaAttr_t schema = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entries,
        .numEntries = sizeof(entries) / sizeof(entries[0]),
        .payloadStaticSize = sizeof(struct operation),
    };
    return nvtxPayloadSchemaRegister(domain, &schema);
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

int main(void)
{
    domain = nvtxDomainCreateA("work");
    const uint64_t schema = register_operation();
    nvtxEventAttributes_t a = attributes("operation");
    for (int i = 0; i < 6; i++) {
        const struct operation operation = {i % 3, i % 2, 100 * (uint64_t)i};
        NVTX_PAYLOAD_EVTATTR_SET(&a, schema, &operation, sizeof(operation))
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
