/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding payloads, value by value: rf_visit_payloads() of the public interface, and the same for
 * bytes that belong to no event. Whatever the bytes and the schema are: nothing outside of the
 * bytes is read, structs are nested 32 deep at most, objects and arrays 61, and the number of
 * values is bounded by that of the bytes. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_VISIT_H
#define RF_MODEL_PAYLOAD_PAYLOAD_VISIT_H

#include <stdbool.h>

#include "model/payload/payload_sets.h"
#include "model/payload/schemas.h"

/* Visits the payloads of one call. *is_bad: something could not be decoded. process: before any
 * filter. Returns 0, what the visitor returned, or RF_ERR_NO_MEMORY. */
int rf_payload_visit_group(const rf_recording *rec, uint32_t process,
                           const struct rf_payload_group *group, unsigned flags,
                           rf_value_visitor *visitor, void *context, bool *is_bad);

/* The same; *entry is that of the value that is visited, or NULL. */
int rf_payload_visit_entries(const rf_recording *rec, uint32_t process,
                             const struct rf_payload_group *group, rf_value_visitor *visitor,
                             void *context, const struct rf_payload_entry **entry);

/* How many of the bytes of an item its schema takes; 0: that is not known. *n_left: values that may
 * be decoded for it; they become fewer. */
uint64_t rf_payload_measure(const rf_recording *rec, uint32_t process,
                            const struct rf_payload_item *item, uint64_t *n_left);

/* Visits the value of an entry that is no struct, no pointer, and no array whose length is another
 * entry's, at an offset in the bytes of an item of a group. Returns as above. */
int rf_payload_visit_entry(const rf_recording *rec, uint32_t process,
                           const struct rf_payload_group *group, const struct rf_payload_item *item,
                           const struct rf_payload_entry *entry, uint64_t at,
                           rf_value_visitor *visitor, void *context);

/* Whether payloads can be decoded without a fault, as far as that is known without decoding. */
bool rf_payload_is_sound(const rf_recording *rec, const struct rf_payload_item *item);

#endif
