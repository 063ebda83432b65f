/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of events, as bytes. An event with payloads has the type RF_TYPE_EXTENDED, and in
 * `payload` the index of its set. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_SETS_H
#define RF_MODEL_PAYLOAD_PAYLOAD_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "log/nvtx_ext.h"
#include "rangefinder/rangefinder.h"

/* A kind of item beside enum rf_data_kind: bytes of a batch that its events point into. Offsets
 * from the base count from there; schema: how far before the first of the bytes. */
#define RF_PAYLOAD_FLEX 16u

/* A payload, or bytes that payloads point to. */
struct rf_payload_item {
    uint64_t schema;  /* id, as the program gave it */
    uint64_t size;    /* as the program gave it */
    uint64_t n_bytes; /* that were recorded */
    uint64_t address; /* that they had; 0: not known */
    const uint8_t *bytes;
    uint32_t definition; /* of the schema; RF_NO_INDEX: a predefined type, or unknown */
    uint32_t kind;       /* RF_DATA_PAYLOAD, RF_DATA_REFERENCE, RF_PAYLOAD_FLEX */
};

/* What one call was given. Pointers and payload indices are those of one call. */
struct rf_payload_group {
    const struct rf_payload_item *item;
    uint32_t n;
    uint32_t n_shown; /* payloads with a value of their own */
};

struct rf_payload_set {
    struct rf_payload_group begin, end; /* end: of a range, what its pop or end was given */
    uint32_t process;                   /* index, before any filter */
    uint32_t scope; /* string: where the program says that it was; RF_NO_STRING: nowhere */
    bool is_placed; /* a time that they say is not used: that of the call, or submission, is */
};

struct rf_payloads {
    struct rf_payload_set *set;
    uint32_t n;
    size_t room;
    struct rf_map string_of; /* (process, handle of a registered string) to string */
    void **memory;           /* what the items and their bytes lie in */
    uint32_t n_memory;
    size_t memory_room;
};

/* The payloads of an event; NULL: it has none. */
const struct rf_payload_set *rf_payload_set_of(const rf_recording *rec,
                                               const struct rf_event *event);

/* Whether a payload has a value of its own. */
int rf_payload_is_shown(const struct rf_payload_item *item);

/* Frees all; NULL is none. */
void rf_payloads_free(struct rf_payloads *payloads);

#endif
