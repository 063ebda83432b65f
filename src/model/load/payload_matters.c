/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/payload_matters.h"

#include "model/load/handles.h"
#include "model/load/payload_records.h"
#include "model/load/payload_tests.h"
#include "model/load/selecting.h"
#include "model/payload/schemas.h"

#define REGISTERED_STRING 80u /* NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE */

/* Where payloads are looked at, what they refer to has to be known. */
static bool is_needed(const struct rf_load *load, uint32_t definition)
{
    const struct rf_payload_schema *schema = rf_payload_schema_at(load->rec, definition);
    return schema != NULL && (schema->has_attributes || schema->has_dates || schema->has_counters ||
                              (schema->has_handles && rf_load_reads_payloads(load)));
}

static bool is_needed_anywhere(const struct rf_load *load, uint32_t process, uint64_t id)
{
    bool is_found = false;
    for (uint32_t i = 0; i < load->rec->n_domains && !is_found; i++)
        is_found = load->rec->domain[i].process == process &&
                   is_needed(load, rf_nvtx_find(load->rec, RF_NVTX_DEF_SCHEMA, i, id));
    return is_found;
}

/* Other workers may add domains. */
static void look_up(struct rf_decoder *d, struct rf_decoder_schema *known)
{
    const struct rf_load *load = d->load;
    (void)pthread_mutex_lock(&d->load->mutex);
    const uint32_t domain = rf_load_final_domain(load, known->domain);
    known->definition = rf_nvtx_find(load->rec, RF_NVTX_DEF_SCHEMA, domain, known->id);
    known->is_needed = known->domain != RF_NO_INDEX
                           ? is_needed(load, known->definition)
                           : is_needed_anywhere(load, d->process, known->id);
    (void)pthread_mutex_unlock(&d->load->mutex);
}

static const struct rf_decoder_schema *schema_of(struct rf_decoder *d, uint32_t domain, uint64_t id)
{
    struct rf_decoder_schema *known = &d->schema[(id ^ domain) % RF_DECODER_SCHEMAS];
    if (!known->is_known || known->id != id || known->domain != domain ||
        known->process != d->process) {
        *known = (struct rf_decoder_schema){id, domain, d->process, .is_known = true};
        look_up(d, known);
    }
    return known;
}

static bool needs_schema(struct rf_decoder *d, uint32_t domain, uint64_t id)
{
    if (id < RF_NVTX_STATIC_IDS) /* a number or a text */
        return id == REGISTERED_STRING && rf_load_reads_payloads(d->load);
    return schema_of(d, domain, id)->is_needed;
}

uint32_t rf_decode_definition(struct rf_decoder *d, uint32_t domain, uint64_t id)
{
    return id < RF_NVTX_STATIC_IDS ? RF_NO_INDEX : schema_of(d, domain, id)->definition;
}

bool rf_decode_group_matters(struct rf_decoder *d, uint32_t domain, uint64_t group)
{
    uint32_t n;
    const struct rf_payload_item *item = rf_decoding_items(d, group, &n);
    bool matters = false;
    for (uint32_t i = 0; i < n && !matters; i++)
        matters = item[i].kind == RF_DATA_PAYLOAD && needs_schema(d, domain, item[i].schema);
    return matters;
}

uint64_t rf_decode_needed_data(struct rf_decoder *d, struct rf_stream_cursor *cursor,
                               uint32_t domain)
{
    const uint64_t group = rf_decode_data(d, cursor);
    if (group == 0 || !d->load->sums_ranges || d->load->keeps_events)
        return group;
    if (d->selector.tests != NULL) /* of an end: those of the begin are not kept beside them */
        rf_select_fail(&d->load->selection);
    if ((domain < d->n_with_payloads && d->with_payloads[domain] != 0) ||
        rf_decode_group_matters(d, domain, group))
        return group;
    rf_decode_forget(d, group);
    return 0;
}
