/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a struct rf_extra as words. */
#ifndef RF_EXPORT_EXTRA_WORDS_H
#define RF_EXPORT_EXTRA_WORDS_H

#include "base/sink.h"
#include "rangefinder/rangefinder.h"

static inline int64_t rf_extra_duration_ns(const struct rf_extra *extra)
{
    return (int64_t)((uint64_t)extra->end_ns - (uint64_t)extra->start_ns);
}

/* "mem_kind" of "memKind". The result is valid until buffer is used again. */
#define RF_SNAKE_CASE_SIZE 64
const char *rf_snake_case(const char *name, char buffer[RF_SNAKE_CASE_SIZE]);

/* What a value is called beside the others of its row: "mem_kind" of "memKind";
 * "payload_entry_type" of "type" of a row of kind payload_entry, since rows have a type, a name, a
 * thread and more of their own. name: of rf_extra_value_name(). The result is valid until buffer is
 * used again. */
#define RF_EXTRA_WORD_SIZE 96
const char *rf_extra_word(int kind, const char *name, char buffer[RF_EXTRA_WORD_SIZE]);

/* "address=4096 bytes=512". is_quoted: inside of a field of CSV, where quotes are doubled. */
void rf_sink_extra_words(struct rf_sink *sink, const rf_recording *rec,
                         const struct rf_extra *extra, bool is_quoted);

/* Members, each with a comma in front: ,"address":4096,"bytes":512. */
void rf_sink_extra_members(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_extra *extra);

/* The value of that name; false: it has none. */
bool rf_find_extra_value(const rf_recording *rec, const struct rf_extra *extra, const char *name,
                         int64_t *value);

#endif
