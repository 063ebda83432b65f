/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations as a library for collective operations makes them: each range carries a structure
 * that says which communicator, which rank, how many bytes and which reduction; a counter says how
 * many bytes are under way. The argument is the number of operations (20). */
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum { SUM, PRODUCT, MAX };

struct all_reduce {
    uint64_t communicator;
    int32_t rank;
    int32_t reduction;
    size_t n_bytes;
};

static nvtxDomainHandle_t domain;

static uint64_t register_reductions(void)
{
    static const nvtxPayloadEnum_t names[] = {
        {.name = "sum", .value = SUM},
        {.name = "product", .value = PRODUCT},
        {.name = "max", .value = MAX},
    };
    const nvtxPayloadEnumAttr_t reductions = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .name = "reduction",
        .entries = names,
        .numEntries = sizeof(names) / sizeof(names[0]),
        .sizeOfEnum = sizeof(int32_t),
    };
    return nvtxPayloadEnumRegister(domain, &reductions);
}

static uint64_t register_all_reduce(void)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
         .name = "communicator",
         .offset = offsetof(struct all_reduce, communicator)},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32,
         .name = "rank",
         .offset = offsetof(struct all_reduce, rank)},
        {.type = register_reductions(),
         .name = "reduction",
         .offset = offsetof(struct all_reduce, reduction)},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_SIZE,
         .name = "bytes",
         .offset = offsetof(struct all_reduce, n_bytes)},
    };
    const nvtxPayloadSchemaAttr_t schema = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        .name = "all-reduce",
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entries,
        .numEntries = sizeof(entries) / sizeof(entries[0]),
        .payloadStaticSize = sizeof(struct all_reduce),
    };
    return nvtxPayloadSchemaRegister(domain, &schema);
}

static uint64_t register_under_way(void)
{
    const nvtxSemanticsCounter_t bytes = {
        .header = {.structSize = sizeof(bytes),
                   .semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1,
                   .version = NVTX_COUNTER_SEMANTIC_VERSION},
        .flags = NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE | NVTX_COUNTER_FLAG_INTERPOLATION_UNTIL_NEXT,
        .unit = "bytes",
        .unitScaleNumerator = 1,
        .unitScaleDenominator = 1,
    };
    const nvtxCounterAttr_t counter = {
        .structSize = sizeof(counter),
        .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
        .name = "under way",
        .description = "bytes of the operation that runs",
        .scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS,
        .semantics = &bytes.header,
    };
    return nvtxCounterRegister(domain, &counter);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    domain = nvtxDomainCreateA("collectives");
    const uint64_t schema = register_all_reduce();
    const uint64_t under_way = register_under_way();

    for (int i = 0; i < n; i++) {
        const struct all_reduce operation = {
            .communicator = 0x1122334455667788,
            .rank = 3,
            .reduction = i % 3,
            .n_bytes = (size_t)1024 << i % 11,
        };
        nvtxEventAttributes_t attributes = {0};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = "all-reduce";
        NVTX_PAYLOAD_EVTATTR_SET(&attributes, schema, &operation, sizeof(operation))
        nvtxDomainRangePushEx(domain, &attributes);
        nvtxCounterSampleInt64(domain, under_way, (int64_t)operation.n_bytes);
        usleep(200);
        nvtxCounterSampleInt64(domain, under_way, 0);
        nvtxDomainRangePop(domain);
    }
    return 0;
}
