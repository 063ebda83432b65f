/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads that a decoder read last, as those of an event of a recording: what they say can be
 * looked at before all is decoded. */
#ifndef RF_MODEL_LOAD_DECODING_SET_H
#define RF_MODEL_LOAD_DECODING_SET_H

#include <stdbool.h>

#include "model/load/decode.h"
#include "model/payload/payload_sets.h"

/* All zero: nothing yet. */
struct rf_decoding_set {
    struct rf_payloads
        payloads; /* one set: that of an event of RF_TYPE_EXTENDED whose payload is 0 */
    struct rf_payload_item *item;
    size_t item_room;
};

/* process: index. Valid until the decoder reads on. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_decoding_set_make(struct rf_decoding_set *s, struct rf_decoder *d, uint64_t group,
                         uint32_t domain, uint32_t process);

/* Whether it has a value. */
static inline bool rf_decoding_set_is_shown(const struct rf_decoding_set *s)
{
    return s->payloads.n > 0 && s->payloads.set->begin.n_shown > 0;
}

void rf_decoding_set_release(struct rf_decoding_set *s);

#endif
