/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an event that are too rare to be inlined into each callback. */
#include "record/nvtx/nvtx_attributes.h"

#include "record/nvtx/wide_text.h"

/* Makes the kind of event a constant again. */
RF_INLINE uint64_t rf_emit_rare(enum rf_run run, uint32_t type, struct rf_attributes *a,
                                const nvtxEventAttributes_t *e)
{
    return type == RF_REC_MARK   ? rf_emit_any(run, RF_REC_MARK, a, e)
           : type == RF_REC_PUSH ? rf_emit_any(run, RF_REC_PUSH, a, e)
                                 : rf_emit_any(run, RF_REC_START, a, e);
}

RF_COLD uint64_t rf_emit_wide(uint32_t type, uint64_t domain, const wchar_t *wide,
                              const nvtxEventAttributes_t *e)
{
    struct rf_utf8_text utf8;
    struct rf_attributes a = {0};
    rf_utf8_text_init(&utf8, wide);
    a.domain = domain;
    a.message = utf8.text != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
    a.text = utf8.text;
    uint64_t id =
        rf_recorder.is_focused ? rf_emit_rare(true, type, &a, e) : rf_emit_rare(false, type, &a, e);
    rf_utf8_text_release(&utf8);
    return id;
}

RF_COLD uint64_t rf_emit_old_size(uint32_t type, uint64_t domain, const nvtxEventAttributes_t *e)
{
    nvtxEventAttributes_t whole;
    size_t size = e != NULL ? e->size : 0;
    memset(&whole, 0, sizeof(whole));
    if (e != NULL)
        memcpy(&whole, e, size);
    /* an incomplete field is absent: half a pointer must not be followed */
    whole.messageType = NVTX_MESSAGE_UNKNOWN; /* the message is the last field */
    if (size < offsetof(nvtxEventAttributes_t, payload) + sizeof(whole.payload))
        whole.payloadType = NVTX_PAYLOAD_UNKNOWN;
    if (size < offsetof(nvtxEventAttributes_t, color) + sizeof(whole.color))
        whole.colorType = NVTX_COLOR_UNKNOWN;
    if (size < offsetof(nvtxEventAttributes_t, category) + sizeof(whole.category))
        whole.category = 0;
    return rf_recorder.is_focused ? rf_emit_whole(RF_RUN_KEEPING, type, domain, &whole)
                                  : rf_emit_whole(RF_RUN_WHOLE, type, domain, &whole);
}
