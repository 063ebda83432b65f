/* SPDX-License-Identifier: Apache-2.0 */
/* N push/pop ranges with a payload of 24 bytes: numbers and an enum, as fast as they go.
 *
 *     payload_ranges N */
#include <nvtx3/nvToolsExtPayload.h>

#include <stddef.h>
#include <stdlib.h>

struct operation {
    uint64_t communicator;
    int32_t rank;
    int32_t reduction;
    size_t bytes;
};

static nvtxDomainHandle_t domain;

static uint64_t register_reductions(void)
{
    static const nvtxPayloadEnum_t names[] = {{"sum", 0, 0}, {"product", 1, 0}, {"max", 2, 0}};
    const nvtxPayloadEnumAttr_t reductions = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .entries = names,
        .numEntries = 3,
        .sizeOfEnum = sizeof(int32_t),
    };
    return nvtxPayloadEnumRegister(domain, &reductions);
}

static uint64_t register_operation(void)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "communicator", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "rank", NULL, 0, offsetof(struct operation, rank), NULL,
         NULL},
        {0, register_reductions(), "reduction", NULL, 0, offsetof(struct operation, reduction),
         NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "bytes", NULL, 0, offsetof(struct operation, bytes), NULL,
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

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1000000;
    domain = nvtxDomainCreateA("payloads");
    const uint64_t schema = register_operation();
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "operation";
    for (long i = 0; i < n; i++) {
        const struct operation operation = {0x1122334455667788, 3, (int32_t)(i % 3), (size_t)i};
        NVTX_PAYLOAD_EVTATTR_SET(&attributes, schema, &operation, sizeof(operation))
        nvtxDomainRangePushEx(domain, &attributes);
        nvtxDomainRangePop(domain);
    }
    return 0;
}
