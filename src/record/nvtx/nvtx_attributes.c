/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an event that are too rare to be inlined into each callback. */
#include "record/nvtx/nvtx_attributes.h"

#include "record/nvtx/wide_text.h"
#include "record/payload/small_payload.h"

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

/* An event with a text and a small payload. False: the text is too long, or there is no room. */
RF_INLINE bool emit_with_text(uint32_t type, uint64_t domain, const nvtxEventAttributes_t *e,
                              const struct rf_payload *p, uint64_t *id)
{
    uint8_t *end;
    struct rf_attributes a = {
        .domain = domain, .message = RF_MESSAGE_TEXT, .text = e->message.ascii};
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL))
        return false;
    if (RF_LIKELY(rf_small_event_fits(writer, end))) {
        uint64_t ticks = rf_ticks_counter();
        rf_read_usual_values(e, &a);
        uint64_t *at = rf_fill_attributes((uint64_t *)(void *)writer->cursor, &a);
        size_t length = rf_copy_text((uint8_t *)at, a.text, true);
        if (RF_LIKELY(length != RF_TEXT_TOO_LONG)) {
            *id = rf_publish_small(writer, end, ticks, type, at + (length + 7) / 8, p);
            return true;
        }
    }
    rf_writer_end(writer, end);
    return false;
}

/* An event with any payload of the extension. */
static RF_COLD uint64_t emit_any_payload(uint32_t type, uint64_t domain,
                                         const nvtxEventAttributes_t *e)
{
    struct rf_attributes a = {.domain = domain};
    switch (e->messageType) {
    case NVTX_MESSAGE_TYPE_REGISTERED:
        a.message = RF_MESSAGE_REGISTERED;
        a.string = (uint64_t)(uintptr_t)e->message.registered;
        break;
    case NVTX_MESSAGE_TYPE_ASCII:
        a.message = e->message.ascii != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
        a.text = e->message.ascii;
        break;
    case NVTX_MESSAGE_TYPE_UNICODE:
        return rf_emit_wide(type, domain, e->message.unicode, e);
    default:
        break;
    }
    return rf_emit_copy(type, &a, e);
}

/* What emit() leaves. */
static __attribute__((noinline)) uint64_t emit_unusual(uint32_t type, uint64_t domain,
                                                       const nvtxEventAttributes_t *e)
{
    uint64_t id;
    if (rf_has_old_size(e))
        return rf_emit_old_size(type, domain, e);
    const struct rf_payload *p = (const void *)(uintptr_t)e->payload.ullValue;
    if (e->payloadType == NVTX_PAYLOAD_TYPE_EXT && e->reserved0 == 1 &&
        e->messageType == NVTX_MESSAGE_TYPE_ASCII && e->message.ascii != NULL &&
        rf_payload_is_small(p) && !rf_domain_is_excluded(domain) &&
        emit_with_text(type, domain, e, p, &id))
        return id;
    return emit_any_payload(type, domain, e);
}

/* The usual one has one small payload of the extension, and a registered string. */
RF_INLINE uint64_t emit(uint32_t type, uint64_t domain, const nvtxEventAttributes_t *e)
{
    uint8_t *end;
    struct rf_attributes a = {.domain = domain, .message = RF_MESSAGE_REGISTERED};
    if (rf_has_old_size(e) || e->payloadType != NVTX_PAYLOAD_TYPE_EXT || e->reserved0 != 1 ||
        e->messageType != NVTX_MESSAGE_TYPE_REGISTERED)
        return emit_unusual(type, domain, e);
    const struct rf_payload *p = (const void *)(uintptr_t)e->payload.ullValue;
    if (!rf_payload_is_small(p))
        return emit_unusual(type, domain, e);
    if (rf_domain_is_excluded(domain))
        return 0;
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL))
        return emit_unusual(type, domain, e);
    uint64_t ticks = rf_ticks_counter();
    a.string = (uint64_t)(uintptr_t)e->message.registered;
    rf_read_usual_values(e, &a);
    return rf_write_small(writer, end, ticks, type, &a, p);
}

void rf_mark_unusual(uint64_t domain, const nvtxEventAttributes_t *e)
{
    (void)emit(RF_REC_MARK, domain, e);
}

int rf_push_unusual(uint64_t domain, const nvtxEventAttributes_t *e)
{
    (void)emit(RF_REC_PUSH, domain, e);
    return RF_NO_LEVEL;
}

uint64_t rf_start_unusual(uint64_t domain, const nvtxEventAttributes_t *e)
{
    return emit(RF_REC_START, domain, e);
}
