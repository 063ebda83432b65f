/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_nvtx.h"

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

void pf_annotations_init(struct pf_annotations *annotations, struct pf_writer *to)
{
    for (unsigned kind = 1; kind <= RF_EVENT_MARK; kind++)
        pf_row_fields_init(&annotations->attributes[kind], to, &rf_event_fields, kind);
    for (unsigned kind = 1; kind <= RF_EVENT_START_END; kind++)
        pf_row_fields_init(&annotations->range[kind], to, &rf_range_fields, kind);
}

static void put_fields(struct pf_writer *to, const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    struct rf_row row;
    if (rf_event_is_plain(event))
        return;
    rf_row_of_event(to->rec, at, &row);
    pf_put_row(to, &to->annotations->attributes[event->kind], &row);
    if (event->kind != RF_EVENT_MARK)
        pf_put_row(to, &to->annotations->range[event->kind], &row);
}

void pf_put_nvtx_details(struct pf_writer *to, uint32_t thread, const struct rf_event *event)
{
    put_domain(to, event);
    if (event->name == RF_NO_STRING) /* tells it from a text that reads the same */
        pf_put_words(to, PF_ANNOTATION, PF_KEY_MESSAGE, "null");
    put_fields(to, &(struct rf_event_at){event, thread});
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
