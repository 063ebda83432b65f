/* SPDX-License-Identifier: Apache-2.0 */
/* The values of payloads that have a path each: numbers and text, and arrays as JSON. Of structs
 * the members have one: "comm.id". A struct itself is a value, as JSON, only where it is asked for.
 */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_LEAVES_H
#define RF_MODEL_PAYLOAD_PAYLOAD_LEAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/payload/payload_json.h"
#include "model/payload/payload_sets.h"
#include "model/payload/schemas.h"
#include "model/strings.h"

#define RF_LEAVES_MAX_OPEN 64 /* more than rf_visit_payloads() nests */

/* Receives a value and its path, which is UTF-8 without a zero byte; the payload itself has the
 * empty path. What could not be decoded is left out. Both are valid during the call. Returns 0 to
 * go on. */
typedef int rf_payload_leaf_fn(void *context, const char *path, size_t size,
                               const struct rf_value *value);

/* A path to which names are added; memory that is used again. */
struct rf_payload_path {
    char *text;
    size_t size, room;
    unsigned n_names;
};

/* Adds a name. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_path_push(struct rf_payload_path *path, const char *name, size_t size);

/* Takes the last name away; size: of the path without it. */
static inline void rf_payload_path_pop(struct rf_payload_path *path, size_t size)
{
    path->size = size;
    path->n_names--;
}

/* All zero: nothing yet. */
struct rf_payload_leaves {
    struct rf_payload_path path;
    size_t mark[RF_LEAVES_MAX_OPEN]; /* the size of the path before each struct that is open */
    unsigned depth, n_captured;      /* n_captured: arrays and structs that become JSON */
    struct rf_json_text json;
    struct rf_json_writer writer;
    const struct rf_string_entry *whole; /* a struct with this path is one value; NULL: none is */
    rf_payload_leaf_fn *leaf;
    void *context;
};

/* Whether a struct whose path is that of `leaves` is one value, instead of its members. */
bool rf_payload_leaf_is_whole(const struct rf_payload_leaves *leaves);

/* The values of the payloads of one call, in order. Returns 0, what leaf() returned, or
 * RF_ERR_NO_MEMORY. */
int rf_payload_leaves_of_group(struct rf_payload_leaves *leaves, const rf_recording *rec,
                               uint32_t process, const struct rf_payload_group *group,
                               rf_payload_leaf_fn *leaf, void *context);

/* The value of one entry, with the empty path: see rf_payload_visit_entry(). */
int rf_payload_leaf_of_entry(struct rf_payload_leaves *leaves, const rf_recording *rec,
                             uint32_t process, const struct rf_payload_group *group,
                             const struct rf_payload_item *item,
                             const struct rf_payload_entry *entry, uint64_t at,
                             rf_payload_leaf_fn *leaf, void *context);

void rf_payload_leaves_release(struct rf_payload_leaves *leaves);

#endif
