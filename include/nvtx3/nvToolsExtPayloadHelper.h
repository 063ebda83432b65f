/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: macros that write the tables of nvToolsExtPayload.h. For C99, C++11 and
 * later.
 *
 *     struct transfer { uint64_t bytes; int32_t peer; float weight[4]; };
 *     NVTX_DEFINE_SCHEMA_FOR_STRUCT(transfer, "transfer", static const,
 *         NVTX_PAYLOAD_ENTRIES(
 *             (bytes, TYPE_UINT64, "bytes"),
 *             (peer, TYPE_INT32, "peer", "rank of the other side"),
 *             (weight, TYPE_FLOAT, "weight", NULL, 4, ARRAY_FIXED_SIZE)))
 *     ...
 *     id = NVTX_PAYLOAD_SCHEMA_REGISTER(domain, transfer);
 *
 * (In C with `typedef struct transfer transfer`.) The first macro defines transferSchema[], the
 * entries, and transferAttr, an nvtxPayloadSchemaAttr_t. The others define
 *
 *   NVTX_DEFINE_STRUCT_WITH_SCHEMA   the struct, too
 *   NVTX_DEFINE_..._AND_REGISTER     and `const uint64_t transfer_schemaId`, the id
 *   NVTX_DEFINE_STRUCT               the struct alone
 *
 * Between the name of the struct and the entries stand, in this order and all up to the last that
 * is needed: the name of the schema; what both definitions begin with, or nothing; flags
 * NVTX_PAYLOAD_SCHEMA_FLAG_...; an id that the program chose. There are 1 to 16 entries:
 *
 *   (member, type, name, description, length, flag, semantics)
 *   (C type, member, type, name, description, length, flag)       if the struct is defined, too
 *
 * of which those behind `type` may be left out from the right. `type` and `flag` are written
 * without NVTX_PAYLOAD_ENTRY_ and NVTX_PAYLOAD_ENTRY_FLAG_; instead of a type,
 * NVTX_PAYLOAD_NESTED(id) stands for a schema or an enum. A member with a length is written
 * (member), or (member, n) for an array of n. `length` is the member arrayOrUnionDetail.
 */
#include "nvToolsExtPayload.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtPayloadHelper.h>
#elif !defined(NVTX_EXT_PAYLOAD_HELPER_INTERNAL_H)
/* NVIDIA's guard. Its header may follow: it then defines the names below alike, by those of ours
 * that begin with _NVTX. */
#define NVTX_EXT_PAYLOAD_HELPER_INTERNAL_H

#include "rfDetail/rf_nvtx_payload_helper.h"

#define NVTX_PAYLOAD_ENTRIES
#define NVTX_PAYLOAD_NESTED(schemaId) _NVTX_PAYLOAD_NESTED(schemaId)

#define NVTX_DEFINE_SCHEMA_FOR_STRUCT(struct_id, ...)                                              \
    _NVTX_DEFINE_SCHEMA_FOR_STRUCT(struct_id, __VA_ARGS__)
#define NVTX_DEFINE_STRUCT_WITH_SCHEMA(struct_id, ...)                                             \
    _NVTX_DEFINE_STRUCT_WITH_SCHEMA(struct_id, __VA_ARGS__)
#define NVTX_DEFINE_SCHEMA_FOR_STRUCT_AND_REGISTER(domain, struct_id, ...)                         \
    _NVTX_DEFINE_SCHEMA_FOR_STRUCT(struct_id, __VA_ARGS__)                                         \
    const uint64_t struct_id##_schemaId = nvtxPayloadSchemaRegister(domain, &struct_id##Attr);
#define NVTX_DEFINE_STRUCT_WITH_SCHEMA_AND_REGISTER(domain, struct_id, ...)                        \
    _NVTX_DEFINE_STRUCT_WITH_SCHEMA(struct_id, __VA_ARGS__)                                        \
    const uint64_t struct_id##_schemaId = nvtxPayloadSchemaRegister(domain, &struct_id##Attr);
#define NVTX_DEFINE_STRUCT(struct_id, ...) _NVTX_PAYLOAD_TYPEDEF_STRUCT(struct_id, __VA_ARGS__)

/* Registers the schema that was defined for the struct. Returns its id. */
#define NVTX_PAYLOAD_SCHEMA_REGISTER(domain, struct_id)                                            \
    nvtxPayloadSchemaRegister(domain, &struct_id##Attr)

#endif /* NVTX_EXT_PAYLOAD_HELPER_INTERNAL_H */
