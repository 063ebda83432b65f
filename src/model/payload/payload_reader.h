/* SPDX-License-Identifier: Apache-2.0 */
/* What payload_visit.c (structs and arrays) and payload_values.c (one value) share. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_READER_H
#define RF_MODEL_PAYLOAD_PAYLOAD_READER_H

#include <stdbool.h>

#include "model/payload/payload_sets.h"
#include "model/payload/schemas.h"

struct rf_payload_reader {
    const rf_recording *rec;
    uint32_t process;
    unsigned flags; /* enum rf_visit_flags */
    rf_value_visitor *visitor;
    void *context;
    const struct rf_payload_group *group;
    const struct rf_payload_item *flex;    /* of the group, or NULL */
    const struct rf_payload_item *item;    /* being decoded */
    const struct rf_payload_entry **entry; /* where the visitor finds its value's; NULL: nowhere */
    bool is_measuring;                     /* what entries point to is not decoded */
    uint64_t n_left;                       /* values that may still come */
    unsigned depth, n_muted;               /* n_muted > 0: in an entry that is hidden */
    unsigned n_open;                       /* objects and arrays */
    int status;                            /* what the visitor returned */
    bool is_bad;                           /* something could not be decoded */
    bool has_ended;                        /* no further values: see status, n_left */
    char small[128];
    char *large; /* for longer text; freed at the end */
    size_t large_size;
};

/* What is known of a value before it is read. */
struct rf_payload_label {
    const char *name;
    const struct rf_payload_entry *entry; /* NULL: a payload of its own */
    uint64_t flags;                       /* of the entry; 0: an element of an array */
};

/* Hands a value over; fills in what the label has. */
void rf_payload_give(struct rf_payload_reader *r, const struct rf_payload_label *label,
                     struct rf_value *value);

/* Bytes that could not be decoded, or that are bytes. */
void rf_payload_give_bytes(struct rf_payload_reader *r, const struct rf_payload_label *label,
                           const uint8_t *bytes, size_t size, bool is_bad);

/* Some work costs as much as further values. */
static inline void rf_payload_charge(struct rf_payload_reader *r, uint64_t n_values)
{
    r->n_left -= n_values < r->n_left ? n_values : r->n_left;
}

/* One element of any form but struct and string; the bytes are there. */
void rf_payload_give_element(struct rf_payload_reader *r, const struct rf_payload_label *label,
                             const struct rf_payload_entry *entry, const uint8_t *bytes);

/* Text of n code units of unit bytes: up to the first that is zero. */
void rf_payload_give_text(struct rf_payload_reader *r, const struct rf_payload_label *label,
                          const uint8_t *bytes, uint64_t n, uint32_t unit);

/* An integer of 1, 2, 4 or 8 bytes. */
uint64_t rf_payload_integer(const uint8_t *bytes, uint32_t size, bool is_signed);

#endif
