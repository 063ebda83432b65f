/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_nvtx.h"

#include <string.h>

#include "model/fields/event_names.h"
#include "export/perfetto/export_perfetto_packets.h"

static void put_domain(struct pf_writer *to, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (!domain->is_valid) {
        rf_sink_hex(&to->words, domain->handle);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_DOMAIN);
    } else if (domain->id != 0) {
        pf_put_string(to, PF_ANNOTATION, PF_KEY_DOMAIN, domain->name);
    }
}

static void put_payload(struct pf_writer *to, const struct rf_event *event)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)event->payload;
    switch (event->payload_type) {
    case RF_TYPE_UINT64:
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, event->payload);
        break;
    case RF_TYPE_UINT32:
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, low);
        break;
    case RF_TYPE_INT64:
        pf_put_i64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, (int64_t)event->payload);
        break;
    case RF_TYPE_INT32:
        pf_put_i64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, (int32_t)low);
        break;
    case RF_TYPE_DOUBLE:
        memcpy(&wide, &event->payload, sizeof(wide));
        pf_put_double(to, PF_ANNOTATION, PF_KEY_PAYLOAD, wide);
        break;
    case RF_TYPE_FLOAT:
        memcpy(&narrow, &low, sizeof(narrow));
        pf_put_double(to, PF_ANNOTATION, PF_KEY_PAYLOAD, (double)narrow);
        break;
    case RF_TYPE_JSON:
    case RF_TYPE_BINARY:
        pf_put_string(to, PF_ANNOTATION, PF_KEY_PAYLOAD, rf_payload_string(event));
        break;
    default:
        rf_sink_hex(&to->words, event->payload);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_PAYLOAD);
        break;
    }
}

static void put_category(struct pf_writer *to, const struct rf_event *event)
{
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_CATEGORY, event->category);
    pf_put_string(to, PF_ANNOTATION, PF_KEY_CATEGORY_NAME,
                  rf_category_name(to->rec, event->domain, event->category));
}

static void put_start_end(struct pf_writer *to, uint32_t thread, const struct rf_event *event)
{
    const struct rf_start_end *start_end = rf_start_end_at(to->rec, event->link);
    if (start_end == NULL)
        return;
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_RANGE, start_end->number);
    if (start_end->parent_number != 0)
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_PARENT, start_end->parent_number);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_THREAD, rf_thread_at(to->rec, thread)->tid);
    const struct rf_thread *end_thread = rf_thread_at(to->rec, start_end->end_thread);
    if (end_thread != NULL && start_end->end_thread != thread)
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_END_THREAD, end_thread->tid);
}

void pf_put_nvtx_details(struct pf_writer *to, uint32_t thread, const struct rf_event *event)
{
    put_domain(to, event);
    if (event->name == RF_NO_STRING) /* tells it from a text that reads the same */
        pf_put_words(to, PF_ANNOTATION, PF_KEY_MESSAGE, "null");
    if ((event->flags & RF_EVENT_HAS_CATEGORY) != 0)
        put_category(to, event);
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0) {
        rf_sink_color(&to->words, event->color);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_COLOR);
    }
    if (event->payload_type != RF_TYPE_NONE)
        put_payload(to, event);
    if (event->kind == RF_EVENT_START_END)
        put_start_end(to, thread, event);
    if (event->cut != RF_CUT_NONE)
        pf_put_words(to, PF_ANNOTATION, PF_KEY_CUT, rf_cut_name(event->cut));
    if (rf_has_flags(to->rec, event)) {
        rf_sink_flags(&to->words, to->rec, event);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_FLAGS);
    }
}

int pf_put_annotation(struct pf_writer *to, enum pf_event_type type, uint64_t uuid, uint32_t thread,
                      const struct rf_event *event)
{
    size_t begin = pf_begin_event(to, event->start_ns, type, uuid, PF_CAT_NVTX);
    pf_put_name(to, event->name);
    pf_put_nvtx_details(to, thread, event);
    return pf_end_message(to, begin);
}
