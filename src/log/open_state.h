/* SPDX-License-Identifier: Apache-2.0 */
/* What records change of what is open; open_ranges.c walks over them. Where memory ends,
 * is_out_of_memory is set. Stacks can be another stream's (stack_owner) than the one that a record
 * stands in: those of a thread that writes to several. */
#ifndef RF_LOG_OPEN_STATE_H
#define RF_LOG_OPEN_STATE_H

#include "log/open_ranges.h"

/* A part begins. last_ticks: of the record before, likewise below. */
void rf_open_enter_part(struct rf_open_ranges *o, struct rf_open_stream *s,
                        const struct rf_stream_part *part, uint64_t last_ticks);

/* The next record of a stream. */
void rf_open_take_record(struct rf_open_ranges *o, struct rf_open_stream *s,
                         const struct rf_record *r, uint64_t last_ticks);

/* ENDs that waited for what was just read of their range's stream. */
void rf_open_settle(struct rf_open_ranges *o, struct rf_open_stream *s);

/* Copies what is kept of the part that was read: it may be let go of. */
void rf_open_copy_fresh(struct rf_open_ranges *o);

/* Whether a thread's end was met. */
bool rf_open_has_ended(const struct rf_open_ranges *o, uint32_t process, uint32_t serial);

/* ---- Single steps ---- */

void rf_open_push(struct rf_open_ranges *o, struct rf_open_stream *stack_owner,
                  struct rf_open_stream *s, const struct rf_record *r);
void rf_open_pop(struct rf_open_ranges *o, struct rf_open_stream *stack_owner,
                 struct rf_open_stream *s, const struct rf_record *r);
void rf_open_clear_stacks(struct rf_open_ranges *o, struct rf_open_stream *s);

/* Whether it belongs to the record before it: TEXT or DATA. */
bool rf_open_is_more(const struct rf_record *r);

/* Keeps it with the record that was kept last. */
void rf_open_keep_more(struct rf_open_ranges *o, struct rf_open_stream *s,
                       const struct rf_record *r);

/* Frees what a record's words take. */
void rf_open_free_words(struct rf_open_record *record);

#endif
