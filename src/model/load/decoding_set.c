/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/decoding_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/load/payload_matters.h"
#include "model/load/payload_records.h"

int rf_decoding_set_make(struct rf_decoding_set *s, struct rf_decoder *d, uint64_t group,
                         uint32_t domain, uint32_t process)
{
    uint32_t n = 0, n_shown = 0;
    const struct rf_payload_item *from = rf_decoding_items(d, group, &n);
    if (s->payloads.set == NULL)
        s->payloads.set = calloc(1, sizeof(*s->payloads.set));
    while (s->item_room < n)
        if (rf_grow_array(&s->item, s->item_room, &s->item_room, sizeof(*s->item)) != RF_OK)
            return RF_ERR_NO_MEMORY;
    if (s->payloads.set == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        s->item[i] = from[i];
        s->item[i].bytes = rf_decoding_bytes(d->payloads, &from[i]);
        s->item[i].definition = from[i].kind == RF_DATA_PAYLOAD
                                    ? rf_decode_definition(d, domain, from[i].schema)
                                    : RF_NO_INDEX;
        n_shown += rf_payload_is_shown(&s->item[i]) != 0;
    }
    *s->payloads.set = (struct rf_payload_set){
        .begin = {s->item, n, n_shown}, .process = process, .scope = RF_NO_STRING};
    s->payloads.n = 1;
    return RF_OK;
}

void rf_decoding_set_release(struct rf_decoding_set *s)
{
    free(s->item);
    free(s->payloads.set);
    memset(s, 0, sizeof(*s));
}
