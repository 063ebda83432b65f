/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/payload_matters.h"

#include "model/load/payload_records.h"
#include "model/payload/schemas.h"

static bool is_needed(const struct rf_load *load, uint32_t domain, uint64_t id)
{
    const struct rf_payload_schema *schema =
        rf_payload_schema_at(load->rec, rf_nvtx_find(load->rec, RF_NVTX_DEF_SCHEMA, domain, id));
    return schema != NULL && (schema->has_attributes || schema->has_dates || schema->has_counters);
}

static bool is_needed_anywhere(const struct rf_load *load, uint32_t process, uint64_t id)
{
    bool is_found = false;
    for (uint32_t i = 0; i < load->rec->n_domains && !is_found; i++)
        is_found = load->rec->domain[i].process == process && is_needed(load, i, id);
    return is_found;
}

/* Other workers may add domains. */
static bool look_up(struct rf_decoder *d, uint32_t domain, uint64_t id)
{
    (void)pthread_mutex_lock(&d->load->mutex);
    const bool is_found = domain != RF_NO_INDEX ? is_needed(d->load, domain, id)
                                                : is_needed_anywhere(d->load, d->process, id);
    (void)pthread_mutex_unlock(&d->load->mutex);
    return is_found;
}

static bool needs_schema(struct rf_decoder *d, uint32_t domain, uint64_t id)
{
    struct rf_decoder_schema *known = &d->schema[(id ^ domain) % RF_DECODER_SCHEMAS];
    if (id < RF_NVTX_STATIC_IDS)
        return false; /* a number or a text */
    if (!known->is_known || known->id != id || known->domain != domain ||
        known->process != d->process)
        *known = (struct rf_decoder_schema){id, domain, d->process, true, look_up(d, domain, id)};
    return known->is_needed;
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
    if ((domain < d->n_with_payloads && d->with_payloads[domain] != 0) ||
        rf_decode_group_matters(d, domain, group))
        return group;
    rf_decode_forget(d, group);
    return 0;
}
