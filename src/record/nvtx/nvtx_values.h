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
    return (uint32_t)type <= RF_PAYLOAD_FLOAT ? (uint8_t)type : RF_PAYLOAD_OTHER;
}

RF_INLINE void rf_read_values(const nvtxEventAttributes_t *e, struct rf_attributes *a)
{
    a->category = e->category;
    a->has_color = e->colorType == NVTX_COLOR_ARGB;
    a->color = e->color;
    a->payload_kind = rf_payload_kind_of(e->payloadType);
    a->payload = e->payloadType >= NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 &&
                         e->payloadType <= NVTX_PAYLOAD_TYPE_FLOAT
                     ? e->payload.uiValue
                     : e->payload.ullValue;
}

#endif
