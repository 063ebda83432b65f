/* SPDX-License-Identifier: Apache-2.0 */
/* The words that every text format uses for what an event holds. */
#ifndef RF_MODEL_FIELDS_EVENT_NAMES_H
#define RF_MODEL_FIELDS_EVENT_NAMES_H

#include <stdbool.h>
#include <string.h>

#include "base/sink.h"
#include "model/fields/fields.h"
#include "rangefinder/rangefinder.h"

/* How long a range is. Times of a damaged recording may be anything: no signed overflow. */
static inline int64_t rf_duration_ns(const struct rf_event *event)
{
    return (int64_t)((uint64_t)event->end_ns - (uint64_t)event->start_ns);
}

/* "push_pop", "mark", ...; "unknown" for a kind that this version does not have. */
const char *rf_event_kind_name(int kind);

/* What a moment of a thread is called before its name: the operation, or the kind. */
const char *rf_instant_label(const struct rf_event *event);

static inline bool rf_event_is_instant(const struct rf_event *event)
{
    return rf_row_kind(&rf_event_fields, event->kind)->is_instant;
}

/* "uint64", ..., "unknown"; NULL for none. */
const char *rf_payload_type_name(int type);

/* "cuda_stream", ... */
const char *rf_object_kind_name(int kind);

/* "acquire_start", ... */
const char *rf_sync_operation_name(int operation);

/* Whether an extended payload is a string; what string, or RF_NO_STRING. */
static inline bool rf_payload_is_text(const struct rf_event *event)
{
    return event->payload_type == RF_TYPE_JSON || event->payload_type == RF_TYPE_BINARY;
}

static inline uint32_t rf_payload_string(const struct rf_event *event)
{
    return rf_payload_is_text(event) ? (uint32_t)event->payload : RF_NO_STRING;
}

/* The number that a payload of NVTX's core is: UNSIGNED, SIGNED or REAL, of float with
 * RF_VALUE_FLOAT. False: it is no number. */
static inline bool rf_payload_number(const struct rf_event *event, struct rf_value *value)
{
    const uint32_t low = (uint32_t)event->payload;
    float narrow;
    *value = (struct rf_value){.kind = RF_VALUE_UNSIGNED, .number = event->payload};
    switch (event->payload_type) {
    case RF_TYPE_UINT64:
        return true;
    case RF_TYPE_UINT32:
        value->number = low;
        return true;
    case RF_TYPE_INT64:
        value->kind = RF_VALUE_SIGNED;
        return true;
    case RF_TYPE_INT32:
        value->kind = RF_VALUE_SIGNED;
        value->integer = (int32_t)low;
        return true;
    case RF_TYPE_DOUBLE:
        value->kind = RF_VALUE_REAL;
        memcpy(&value->real, &event->payload, sizeof(value->real));
        return true;
    case RF_TYPE_FLOAT:
        value->kind = RF_VALUE_REAL;
        value->flags = RF_VALUE_FLOAT;
        memcpy(&narrow, &low, sizeof(narrow));
        value->real = (double)narrow;
        return true;
    default:
        return false;
    }
}

/* The payload as a decimal number; an unknown type in hexadecimal; floats may be nan or inf. */
void rf_sink_payload(struct rf_sink *sink, const struct rf_event *event);

/* 1 where rf_sink_payload() writes what JSON accepts as a number. */
int rf_is_payload_number(const struct rf_event *event);

/* A string of the model as JSON; null for RF_NO_STRING. Returns 1 where it was not UTF-8. */
int rf_sink_json_name(struct rf_sink *sink, const rf_recording *rec, uint32_t string);

/* A string of the model as a CSV field; nothing for RF_NO_STRING. */
int rf_sink_csv_name(struct rf_sink *sink, const rf_recording *rec, uint32_t string);

/* What was odd about an event, as words with '+' between them: "bad_string", "bad_domain",
 * "foreign_end", "clamped", "cut_at_start", "bad_payload", "placed". Nothing for most. */
void rf_sink_flags(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event);
int rf_has_flags(const rf_recording *rec, const struct rf_event *event);

/* What databases call a flag of enum rf_event_flags; NULL past the last one of them. */
const char *rf_event_flag_note(size_t i, uint8_t *flag);

/* The flag of a note, or 0. */
uint8_t rf_event_flag_of_note(const char *note, size_t size);

/* Whether an event stands where it was called or submitted, for a time of its own is not known, or
 * far outside of the recording. Databases say it by the note. */
#define RF_PLACED_NOTE "a time of its own is not known, or far: placed"
bool rf_is_placed(const rf_recording *rec, const struct rf_event *event);

/* "2026-11-21T04:16:54.123456789Z". */
void rf_sink_utc(struct rf_sink *sink, int64_t epoch_ns);

/* "#rrggbb" or, where it is not opaque, "#aarrggbb". */
void rf_sink_color(struct rf_sink *sink, uint32_t argb);

#endif
