/* SPDX-License-Identifier: Apache-2.0 */
/* How a form reads the fields that it shows (model/fields/fields.h). It is worked out once per
 * export, since there may be millions of rows with thirty fields each. */
#ifndef RF_EXPORT_SHOWN_FIELDS_H
#define RF_EXPORT_SHOWN_FIELDS_H

#include "base/sink.h"
#include "model/fields/event_names.h"
#include "model/fields/fields_counter.h"
#include "model/fields/fields.h"
#include "model/payload/payload_json.h"

/* How a value lies in memory. */
enum rf_shape { RF_SHAPE_U32, RF_SHAPE_U64, RF_SHAPE_U8, RF_SHAPE_I32, RF_SHAPE_TRIPLE };

struct rf_shown_field {
    const struct rf_field *field;
    uint64_t hidden; /* the value that is left out, */
    bool can_hide;   /* if there is one */
    uint8_t shape;   /* enum rf_shape */
    uint8_t part;    /* enum rf_field_part */
    uint16_t offset;
};

/* in_viewers: whether viewers show it, which leave out more than texts do. */
struct rf_shown_field rf_show_field(const struct rf_field *field, bool in_viewers);

/* What a field is called in Perfetto; NULL: it is not shown. on_track: on a track that says where
 * the work ran. */
const char *rf_perfetto_word(const struct rf_field *field, bool on_track);

/* The three numbers at a place, with text of at most three bytes between. */
#define RF_TRIPLE_ROOM ((size_t)3 * RF_SINK_U64)
static inline char *rf_put_triple(char *out, const void *at, const char *between)
{
    uint32_t triple[3];
    rf_field_triple(at, triple);
    out = rf_put_u64(out, triple[0]);
    for (int i = 1; i < 3; i++)
        out = rf_put_u64(rf_put_text(out, between), triple[i]);
    return out;
}

/* "132x1x1" */
void rf_sink_triple(struct rf_sink *sink, const void *at);

/* Where a field lies in a row; NULL: the row does not have that part. */
static inline const char *rf_shown_at(const struct rf_shown_field *shown, const struct rf_row *row)
{
    const char *part = row->part[shown->part];
    return part != NULL ? part + shown->offset : NULL;
}

/* The number at a place. Of a triple: 0 where all of it is 0. */
static inline uint64_t rf_shown_number(const struct rf_shown_field *shown, const void *at)
{
    uint32_t u32[3];
    uint64_t u64;
    if (shown->shape == RF_SHAPE_U32) { /* nearly all */
        memcpy(u32, at, sizeof(u32[0]));
        return u32[0];
    }
    switch (shown->shape) {
    case RF_SHAPE_I32:
        memcpy(u32, at, sizeof(u32[0]));
        return (uint64_t)(int64_t)(int32_t)u32[0];
    case RF_SHAPE_U8:
        return *(const uint8_t *)at;
    case RF_SHAPE_TRIPLE:
        rf_field_triple(at, u32);
        return u32[0] | u32[1] | u32[2];
    default:
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
}

static inline bool rf_is_number_hidden(const struct rf_shown_field *shown, uint64_t number)
{
    return number == shown->hidden && shown->can_hide;
}

/* Writes a string of the model in the way of a form. */
typedef int rf_sink_string_fn(struct rf_sink *sink, const rf_recording *rec, uint32_t string);

/* A value as text, without quotes. Inlined, with put_string known, it costs no more than a switch
 * of the form's own. */
static inline void rf_sink_value(struct rf_sink *sink, const rf_recording *rec,
                                 const struct rf_shown_field *shown, const void *at,
                                 uint64_t number, rf_sink_string_fn *put_string)
{
    switch (shown->field->type) {
    case RF_FIELD_STRING:
        (void)put_string(sink, rec, (uint32_t)number);
        break;
    case RF_FIELD_TRIPLE:
        rf_sink_triple(sink, at);
        break;
    case RF_FIELD_SIGNED:
        rf_sink_i64(sink, (int64_t)number);
        break;
    case RF_FIELD_WORD:
        rf_sink_text(sink, shown->field->word((int)number));
        break;
    case RF_FIELD_HEX:
        rf_sink_hex(sink, number);
        break;
    case RF_FIELD_COLOR:
        rf_sink_color(sink, (uint32_t)number);
        break;
    case RF_FIELD_LIMIT:
        rf_sink_limit(sink, at);
        break;
    case RF_FIELD_SAMPLE:
        rf_sink_sample(sink, at);
        break;
    case RF_FIELD_PAYLOAD:
        if (((const struct rf_event *)at)->payload_type == RF_TYPE_EXTENDED)
            rf_sink_payloads(sink, rec, at, RF_JSON_SHOWN);
        else if (rf_payload_string(at) != RF_NO_STRING)
            (void)put_string(sink, rec, rf_payload_string(at));
        else
            rf_sink_payload(sink, at);
        break;
    default:
        rf_sink_u64(sink, number);
    }
}

#endif
