/* SPDX-License-Identifier: Apache-2.0 */
/* DATA records (docs/format.md, 11.2): the bytes that belong to the record before them. */
#ifndef RF_MODEL_LOAD_PAYLOAD_RECORDS_H
#define RF_MODEL_LOAD_PAYLOAD_RECORDS_H

#include "log/layout.h"
#include "model/load/decode.h"
#include "model/payload/payload_sets.h"

/* What one record was given. */
struct rf_load_group {
    uint32_t first, n; /* items */
    uint64_t end;      /* the group of the range's end; 0: none */
};

/* What one decoder found. While it decodes, `bytes` of an item is an offset in `bytes` here. */
struct rf_load_payloads {
    struct rf_payload_item *item;
    uint32_t n_items;
    size_t item_room;
    struct rf_load_group *group;
    uint32_t n_groups;
    size_t group_room;
    uint8_t *bytes;
    size_t used, room;
    uint64_t index;     /* in load->payloads, shifted to where groups have it */
    bool is_item_taken; /* the items are the recording's */
};

/* Whether DATA records may follow. */
static inline bool rf_data_may_follow(const struct rf_stream_cursor *cursor)
{
    if (cursor->at < cursor->end)
        return (*cursor->at & ((1u << RF_WORD_TYPE_BITS) - 1)) == RF_REC_DATA;
    return cursor->part != cursor->part_end;
}

/* Reads the DATA records that follow, in the next parts too, up to the first gap. Returns the group
 * that they make; 0: there are none. */
uint64_t rf_decode_data(struct rf_decoder *d, struct rf_stream_cursor *cursor);

/* The items of the last group of a decoder that still decodes; and leaves that group out. */
const struct rf_payload_item *rf_decoding_items(const struct rf_decoder *d, uint64_t group,
                                                uint32_t *n);
void rf_decode_forget(struct rf_decoder *d, uint64_t group);

/* Payloads that stand in the bytes of something else: keeps bytes, *at is where; makes a group of
 * items whose `bytes` are such places. Returns RF_OK or RF_ERR_NO_MEMORY; the group, or 0: out of
 * memory. */
int rf_decode_bytes(struct rf_decoder *d, const uint8_t *bytes, size_t size, uint64_t *at);
uint64_t rf_decode_items(struct rf_decoder *d, const struct rf_payload_item *item, uint32_t n);

/* The items of a group, for as long as nothing is decoded; *n: how many. */
const struct rf_payload_item *rf_decoded_items(const struct rf_load *load, uint64_t group,
                                               uint32_t *n);

/* The bytes of an item of a decoder that still decodes. */
static inline const uint8_t *rf_decoding_bytes(const struct rf_load_payloads *from,
                                               const struct rf_payload_item *item)
{
    return from->bytes != NULL ? from->bytes + (uintptr_t)item->bytes : NULL;
}

/* Gives an event the payloads of a group; 0: none. */
void rf_decode_payloads(struct rf_event *event, uint64_t group);

/* Gives a range the payloads of its end: while its thread is decoded, by the same decoder; when all
 * are. */
void rf_decode_end_payloads(struct rf_decoder *d, struct rf_event *event, uint64_t group);
int rf_load_end_payloads(struct rf_load *load, struct rf_event *event, uint64_t group);

/* When rf_load_payloads() is done: the payloads of a group, with their schemas; the payloads of a
 * range's end behind those of its begin; and the set of an event that has a group. */
struct rf_payload_group rf_load_group(struct rf_load *load, uint32_t domain, uint64_t group);
void rf_load_join_groups(struct rf_load *load, uint64_t begin, uint64_t end);
int rf_load_attach(struct rf_load *load, uint32_t process, struct rf_event *event);

/* The step that makes sets of all groups, and gives events the attributes that payloads have. */
int rf_load_payloads(struct rf_load *load);

/* Keeps what the handles of registered strings in payloads stand for; nothing where no recorder
 * has written payloads. Before the handles are forgotten. */
int rf_load_payload_strings(struct rf_load *load);

void rf_load_payloads_release(struct rf_load *load);

#endif
