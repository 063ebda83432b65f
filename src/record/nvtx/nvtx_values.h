/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a complete nvtxEventAttributes_t, except the message. */
#ifndef RF_RECORD_NVTX_NVTX_VALUES_H
#define RF_RECORD_NVTX_NVTX_VALUES_H

#include "record/nvtx/nvtx.h"
#include "record/stream/emit.h"

RF_INLINE uint8_t rf_payload_kind_of(int32_t type)
{
    /* the recording uses NVTX's numbers */
    _Static_assert((int)NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 == RF_PAYLOAD_UINT64, "");
    _Static_assert((int)NVTX_PAYLOAD_TYPE_INT64 == RF_PAYLOAD_INT64, "");
    _Static_assert((int)NVTX_PAYLOAD_TYPE_DOUBLE == RF_PAYLOAD_DOUBLE, "");
    _Static_assert((int)NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 == RF_PAYLOAD_UINT32, "");
    _Static_assert((int)NVTX_PAYLOAD_TYPE_INT32 == RF_PAYLOAD_INT32, "");
    _Static_assert((int)NVTX_PAYLOAD_TYPE_FLOAT == RF_PAYLOAD_FLOAT, "");
    if (RF_LIKELY((uint32_t)type <= RF_PAYLOAD_FLOAT))
        return (uint8_t)type;
    return type == NVTX_PAYLOAD_TYPE_EXT ? RF_PAYLOADS : RF_PAYLOAD_OTHER;
}

/* A payload of NVTX's extension, or of a type that is not known. */
RF_INLINE bool rf_payload_is_unusual(const nvtxEventAttributes_t *e)
{
    return (uint32_t)e->payloadType > RF_PAYLOAD_FLOAT;
}

/* a has the kind of the payload. */
RF_INLINE void rf_read_usual_values(const nvtxEventAttributes_t *e, struct rf_attributes *a)
{
    a->category = e->category;
    a->has_color = e->colorType == NVTX_COLOR_ARGB;
    a->color = e->color;
    bool is_half = a->payload_kind >= RF_PAYLOAD_UINT32 && a->payload_kind <= RF_PAYLOAD_FLOAT;
    a->payload = RF_UNLIKELY(is_half) ? e->payload.uiValue : e->payload.ullValue;
}

RF_INLINE void rf_read_values(const nvtxEventAttributes_t *e, struct rf_attributes *a)
{
    a->payload_kind = rf_payload_kind_of(e->payloadType);
    rf_read_usual_values(e, a);
    a->n_payloads = a->payload_kind == RF_PAYLOADS && e->reserved0 > 0 ? (uint32_t)e->reserved0 : 0;
}

#endif
