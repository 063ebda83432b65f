/* SPDX-License-Identifier: Apache-2.0 */
/* N push/pop ranges with a payload of 24 bytes: numbers and an enum, as fast as they go.
 *
 *     payload_ranges N */
#include <nvtx3/nvToolsExtPayloadHelper.h>

#include <stdlib.h>

#include "nvtx_enum.h"

typedef struct operation {
    uint64_t communicator;
    int32_t rank;
    int32_t reduction;
    size_t bytes;
} operation;

static nvtxDomainHandle_t domain;

static uint64_t register_operation(void)
{
    static const nvtxPayloadEnum_t names[] = {{"sum", 0, 0}, {"product", 1, 0}, {"max", 2, 0}};
    const uint64_t reductions = register_enum(domain, names, 3);
    NVTX_DEFINE_SCHEMA_FOR_STRUCT(
        operation, NULL, const,
        NVTX_PAYLOAD_ENTRIES(
            (communicator, TYPE_UINT64, "communicator"), (rank, TYPE_INT32, "rank"),
            (reduction, NVTX_PAYLOAD_NESTED(reductions), "reduction"), (bytes, TYPE_SIZE, "bytes")))
    return NVTX_PAYLOAD_SCHEMA_REGISTER(domain, operation);
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
        const operation one = {0x1122334455667788, 3, (int32_t)(i % 3), (size_t)i};
        NVTX_PAYLOAD_EVTATTR_SET(&attributes, schema, &one, sizeof(one))
        nvtxDomainRangePushEx(domain, &attributes);
        nvtxDomainRangePop(domain);
    }
    return 0;
}
