/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_sets.h"

#include <stdlib.h>

#include "model/payload/schemas.h"
#include "model/recording.h"

const struct rf_payload_set *rf_payload_set_of(const rf_recording *rec,
                                               const struct rf_event *event)
{
    const struct rf_payloads *all = rec->payloads;
    return event->payload_type == RF_TYPE_EXTENDED && event->kind <= RF_EVENT_MARK && all != NULL &&
                   event->payload < all->n
               ? &all->set[event->payload]
               : NULL;
}

int rf_payload_is_shown(const struct rf_payload_item *item)
{
    return item->kind == RF_DATA_PAYLOAD && item->size != 0 && item->schema != RF_NVTX_REFERENCED;
}

void rf_payloads_free(struct rf_payloads *all)
{
    if (all == NULL)
        return;
    for (uint32_t i = 0; i < all->n_memory; i++)
        free(all->memory[i]);
    free(all->memory);
    rf_map_release(&all->string_of);
    free(all->set);
    free(all);
}
