/* SPDX-License-Identifier: Apache-2.0 */
/* Reading nvtxEventAttributes_t by the size that the caller declared. */
#ifndef RF_RECORD_NVTX_ATTRIBUTES_H
#define RF_RECORD_NVTX_ATTRIBUTES_H

#include <string.h>

#include "record/focus.h"
#include "record/nvtx.h"

/* What a tool returns from push and pop that does not count levels (NVTX_NO_PUSH_POP_TRACKING). */
#define RF_NO_LEVEL (-2)

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

/* Fills *a from a whole structure, but for the message. */
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

/* Records an event whose wide message must be converted. */
uint64_t rf_emit_wide(uint32_t type, struct rf_attributes *a, const wchar_t *wide);

/* Records an event whose structure is smaller than ours: what it does not have is absent. */
uint64_t rf_emit_old_size(uint32_t type, uint64_t domain, const nvtxEventAttributes_t *e);

/* is_focused is a constant in each place, as type is. */
RF_INLINE uint64_t rf_emit_any(bool is_focused, uint32_t type, const struct rf_attributes *a)
{
    return is_focused ? rf_focus_event(type, a) : rf_emit(type, a);
}

RF_INLINE uint64_t rf_emit_whole(bool is_focused, uint32_t type, uint64_t domain,
                                 const nvtxEventAttributes_t *e)
{
    struct rf_attributes a = {0};
    a.domain = domain;
    rf_read_values(e, &a);
    switch (e->messageType) {
    case NVTX_MESSAGE_TYPE_REGISTERED:
        a.message = RF_MESSAGE_REGISTERED;
        a.string = (uint64_t)(uintptr_t)e->message.registered;
        return rf_emit_any(is_focused, type, &a);
    case NVTX_MESSAGE_TYPE_ASCII:
        a.message = e->message.ascii != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
        a.text = e->message.ascii;
        return rf_emit_any(is_focused, type, &a);
    case NVTX_MESSAGE_TYPE_UNICODE:
        return rf_emit_wide(type, &a, e->message.unicode);
    default:
        return rf_emit_any(is_focused, type, &a);
    }
}

/* Size 0 is a program that forgot to set it: every version has at least today's fields. */
RF_INLINE uint64_t rf_emit_ex(bool is_focused, uint32_t type, uint64_t domain,
                              const nvtxEventAttributes_t *e)
{
    if (RF_UNLIKELY(e == NULL || (e->size < sizeof(*e) && e->size != 0)))
        return rf_emit_old_size(type, domain, e);
    return rf_emit_whole(is_focused, type, domain, e);
}

RF_INLINE uint64_t rf_emit_text(bool is_focused, uint32_t type, const char *text)
{
    struct rf_attributes a = {0};
    a.message = text != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
    a.text = text;
    return rf_emit_any(is_focused, type, &a);
}

#endif
