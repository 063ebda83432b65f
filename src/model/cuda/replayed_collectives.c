/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/replayed_collectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/collectives/collectives.h"
#include "model/load/payload_matters.h"
#include "model/load/payload_records.h"
#include "model/payload/schemas.h"

int rf_replayed_collectives_begin(struct rf_replayed_collectives *c, struct rf_load *load)
{
    const uint32_t n = load->n_defined_domains;
    *c = (struct rf_replayed_collectives){.load = load, .of_domain = calloc(n + (size_t)1, 1)};
    if (c->of_domain == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const int kind = rf_collective_kind_of_domain(load->rec, i);
        c->of_domain[i] = (uint8_t)(kind >= 0 ? kind + 1 : 0);
    }
    c->n_domains = n;
    return RF_OK;
}

void rf_replayed_collectives_release(struct rf_replayed_collectives *c)
{
    rf_collective_payload_release(&c->payload);
    free(c->open);
    rf_decoding_set_release(&c->one);
    free(c->of_domain);
    memset(c, 0, sizeof(*c));
}

/* What payloads say, which stand where a recording has its own. */
static int read_payloads(struct rf_replayed_collectives *c, struct rf_decoder *d, uint64_t group,
                         uint32_t domain, struct rf_streamed_collective *item)
{
    rf_recording *rec = c->load->rec;
    struct rf_payloads *own = rec->payloads;
    const struct rf_event range = {.payload_type = RF_TYPE_EXTENDED, .payload = 0};
    int status = rf_decoding_set_make(&c->one, d, group, domain, item->process);
    if (own != NULL)
        c->one.payloads.string_of = own->string_of;
    rec->payloads = &c->one.payloads;
    if (status == RF_OK)
        status = rf_collective_read_payload(&c->payload, rec, &range, item);
    rec->payloads = own;
    return status;
}

/* A place in the list. */
static int keep(struct rf_replayed_collectives *c, const struct rf_streamed_collective *item,
                uint32_t *number)
{
    *number = c->first_free;
    if (*number != 0) {
        c->first_free = c->open[*number - 1].process;
    } else {
        if (c->n == RF_NO_INDEX - 1 ||
            rf_grow_array(&c->open, c->n, &c->room, sizeof(*c->open)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        *number = (uint32_t)++c->n;
    }
    c->open[*number - 1] = *item;
    return RF_OK;
}

int rf_replayed_collectives_push(struct rf_replayed_collectives *c, struct rf_decoder *d,
                                 struct rf_event *range, uint32_t thread, uint32_t *number)
{
    const struct rf_load_thread *of = c->load->thread[thread];
    const uint8_t kind = (uint8_t)(c->of_domain[range->domain] - 1);
    struct rf_streamed_collective item = {.start_ns = range->start_ns,
                                          .rank = -1,
                                          .name = range->name,
                                          .process = of->process,
                                          .thread = of->place,
                                          .track = RF_NO_INDEX,
                                          .kind = kind};
    const bool is_one = rf_collective_is(c->load->rec, kind, range->name);
    int status = RF_OK;
    *number = 0;
    if (range->payload_type == RF_TYPE_EXTENDED) {
        const uint64_t group = range->payload;
        if (rf_decode_group_matters(d, range->domain, group))
            return RF_OK; /* the range has them still */
        if (is_one)
            status = read_payloads(c, d, group, range->domain, &item);
        rf_decode_forget(d, group);
        range->payload_type = RF_TYPE_NONE;
        range->payload = 0;
    }
    return status == RF_OK && is_one ? keep(c, &item, number) : status;
}

void rf_replayed_collectives_drop(struct rf_replayed_collectives *c, uint32_t number)
{
    if (number == 0)
        return;
    c->open[number - 1].process = c->first_free;
    c->first_free = number;
}

int rf_replayed_collectives_end(struct rf_replayed_collectives *c, uint32_t number, int64_t end_ns)
{
    if (number == 0)
        return RF_OK;
    struct rf_streamed_collective item = c->open[number - 1];
    item.end_ns = end_ns;
    rf_replayed_collectives_drop(c, number);
    return rf_streamed_collectives_add(c->load->rec->collectives, &item);
}
