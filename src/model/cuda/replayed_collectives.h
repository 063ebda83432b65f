/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives among the ranges that are read again (range_replay.h): those that are open, and what
 * their payloads say. */
#ifndef RF_MODEL_CUDA_REPLAYED_COLLECTIVES_H
#define RF_MODEL_CUDA_REPLAYED_COLLECTIVES_H

#include <stdbool.h>

#include "model/collectives/collective_payload.h"
#include "model/collectives/streamed_collectives.h"
#include "model/load/decode.h"
#include "model/load/decoding_set.h"
#include "model/payload/payload_sets.h"

/* All zero: there are none. */
struct rf_replayed_collectives {
    struct rf_load *load;
    struct rf_streamed_collective *open; /* of one that is free process is the next one */
    size_t n, room;
    uint32_t first_free; /* 1 + its place; 0: none */
    struct rf_collective_payload payload;
    struct rf_decoding_set one; /* the payloads of the range that is looked at */
    uint8_t *of_domain;         /* 1 + enum rf_collective_kind; 0: none of its ranges is one */
    uint32_t n_domains;
};

/* Where the recording has domains of collectives. Returns RF_OK or RF_ERR_NO_MEMORY, likewise
 * below; to be released either way. */
int rf_replayed_collectives_begin(struct rf_replayed_collectives *c, struct rf_load *load);
void rf_replayed_collectives_release(struct rf_replayed_collectives *c);

/* Whether ranges of a domain may be collectives. */
static inline bool rf_replayed_collectives_have(const struct rf_replayed_collectives *c,
                                                uint32_t domain)
{
    return domain < c->n_domains && c->of_domain[domain] != 0;
}

/* A range of such a domain begins, whose payloads the decoder has just read; it has none any more
 * if they say nothing else of it. *number: of the collective; 0: it is none. thread: index in
 * load->thread. */
int rf_replayed_collectives_push(struct rf_replayed_collectives *c, struct rf_decoder *d,
                                 struct rf_event *range, uint32_t thread, uint32_t *number);

/* It belongs to no capture; number 0 is none. */
void rf_replayed_collectives_drop(struct rf_replayed_collectives *c, uint32_t number);

/* It ends, likewise. */
int rf_replayed_collectives_end(struct rf_replayed_collectives *c, uint32_t number, int64_t end_ns);

#endif
