/* SPDX-License-Identifier: Apache-2.0 */
/* Reading nvtxEventAttributes_t by the size that the caller declared. */
#ifndef RF_RECORD_NVTX_NVTX_ATTRIBUTES_H
#define RF_RECORD_NVTX_NVTX_ATTRIBUTES_H

#include <wchar.h>

#include "record/focus/emit_focused.h"
#include "record/nvtx/nvtx.h"
#include "record/nvtx/nvtx_values.h"

/* What a tool returns from push and pop that does not count levels (NVTX_NO_PUSH_POP_TRACKING). */
#define RF_NO_LEVEL (-2)

/* Records an event whose wide message must be converted. e: its values, or NULL. */
uint64_t rf_emit_wide(uint32_t type, uint64_t domain, const wchar_t *wide,
                      const nvtxEventAttributes_t *e);

/* Records an event whose structure is smaller than ours: missing fields are absent. */
uint64_t rf_emit_old_size(uint32_t type, uint64_t domain, const nvtxEventAttributes_t *e);

/* Size 0: the program forgot to set it; every version has at least today's fields. */
RF_INLINE bool rf_has_old_size(const nvtxEventAttributes_t *e)
{
    return e == NULL || (e->size < sizeof(*e) && e->size != 0);
}

RF_INLINE bool rf_is_unusual(const nvtxEventAttributes_t *e)
{
    return rf_has_old_size(e) || rf_payload_is_unusual(e);
}

/* rf_emit_ex() in a whole run, for what rf_is_unusual(). */
void rf_mark_unusual(uint64_t domain, const nvtxEventAttributes_t *e);
int rf_push_unusual(uint64_t domain, const nvtxEventAttributes_t *e);
uint64_t rf_start_unusual(uint64_t domain, const nvtxEventAttributes_t *e);

/* An event of a whole run that is not the usual one. */
RF_INLINE uint64_t rf_emit_copy(uint32_t type, const struct rf_attributes *a,
                                const nvtxEventAttributes_t *e)
{
    struct rf_attributes copy = *a; /* so that *a need not be in memory */
    if (e != NULL)
        rf_read_values(e, &copy);
    return rf_emit_slow(type, &copy);
}

/* An event of a whole run. */
RF_INLINE uint64_t rf_emit_event(uint32_t type, struct rf_attributes *a,
                                 const nvtxEventAttributes_t *e)
{
    uint8_t *end;
    if (e != NULL && RF_UNLIKELY(rf_payload_is_unusual(e)))
        return rf_emit_copy(type, a, e);
    if (e != NULL)
        a->payload_kind = (uint8_t)e->payloadType;
    if (rf_domain_is_excluded(a->domain))
        return 0;
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL))
        return rf_emit_copy(type, a, e);
    uint64_t ticks = rf_ticks_counter();
    if (e != NULL)
        rf_read_usual_values(e, a);
    return rf_write_event(writer, end, ticks, type, a, true);
}

/* Which callbacks: of a whole run, of a focused run that keeps the starts of open ranges between
 * captures, and of one that does not. */
enum rf_run { RF_RUN_WHOLE, RF_RUN_KEEPING, RF_RUN_DROPPING };

/* Records an event with the message in *a and the values of e, if there are any. run and type are
 * constants in each place. */
RF_INLINE uint64_t rf_emit_any(enum rf_run run, uint32_t type, struct rf_attributes *a,
                               const nvtxEventAttributes_t *e)
{
    if (run == RF_RUN_KEEPING)
        return rf_emit_focused(type, a, e);
    if (run == RF_RUN_DROPPING)
        return rf_emit_dropping(type, a, e);
    return rf_emit_event(type, a, e);
}

RF_INLINE uint64_t rf_emit_whole(enum rf_run run, uint32_t type, uint64_t domain,
                                 const nvtxEventAttributes_t *e)
{
    struct rf_attributes a = {0};
    a.domain = domain;
    switch (e->messageType) {
    case NVTX_MESSAGE_TYPE_REGISTERED:
        a.message = RF_MESSAGE_REGISTERED;
        a.string = (uint64_t)(uintptr_t)e->message.registered;
        return rf_emit_any(run, type, &a, e);
    case NVTX_MESSAGE_TYPE_ASCII:
        a.message = e->message.ascii != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
        a.text = e->message.ascii;
        return rf_emit_any(run, type, &a, e);
    case NVTX_MESSAGE_TYPE_UNICODE:
        return rf_emit_wide(type, domain, e->message.unicode, e);
    default:
        return rf_emit_any(run, type, &a, e);
    }
}

RF_INLINE uint64_t rf_emit_ex(enum rf_run run, uint32_t type, uint64_t domain,
                              const nvtxEventAttributes_t *e)
{
    if (RF_UNLIKELY(rf_has_old_size(e)))
        return rf_emit_old_size(type, domain, e);
    return rf_emit_whole(run, type, domain, e);
}

RF_INLINE uint64_t rf_emit_text(enum rf_run run, uint32_t type, const char *text)
{
    struct rf_attributes a = {0};
    a.message = text != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
    a.text = text;
    return rf_emit_any(run, type, &a, NULL);
}

#endif
