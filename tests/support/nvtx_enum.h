/* SPDX-License-Identifier: Apache-2.0 */
/* What programs that annotate share: an enum of NVTX's payloads. */
#ifndef TESTS_SUPPORT_NVTX_ENUM_H
#define TESTS_SUPPORT_NVTX_ENUM_H

#include <nvtx3/nvToolsExtPayload.h>

#include <stdint.h>

/* Registers an enum of 32 bits with n values. Returns its id. */
static inline uint64_t register_enum(nvtxDomainHandle_t domain, const nvtxPayloadEnum_t *values,
                                     size_t n)
{
    const nvtxPayloadEnumAttr_t attributes = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .entries = values,
        .numEntries = n,
        .sizeOfEnum = sizeof(int32_t),
    };
    return nvtxPayloadEnumRegister(domain, &attributes);
}

#endif
