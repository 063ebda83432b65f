/* SPDX-License-Identifier: Apache-2.0 */
#include "export/shown_fields.h"

static bool is_left_out(const struct rf_field *field, uint64_t number, bool in_viewers)
{
    return in_viewers ? rf_field_is_hidden_in_viewers(field, number)
                      : rf_field_is_hidden(field, number);
}

static enum rf_shape shape_of(const struct rf_field *field)
{
    if (field->type == RF_FIELD_TRIPLE)
        return RF_SHAPE_TRIPLE;
    if (field->size == 4)
        return field->type == RF_FIELD_SIGNED ? RF_SHAPE_I32 : RF_SHAPE_U32;
    return field->size == 1 ? RF_SHAPE_U8 : RF_SHAPE_U64;
}

struct rf_shown_field rf_show_field(const struct rf_field *field, bool in_viewers)
{
    bool hides_max = is_left_out(field, UINT32_MAX, in_viewers);
    return (struct rf_shown_field){
        .field = field,
        .hidden = hides_max ? UINT32_MAX : 0,
        .can_hide = hides_max || is_left_out(field, 0, in_viewers),
        .shape = (uint8_t)shape_of(field),
        .part = field->part,
        .offset = field->offset,
    };
}

const char *rf_perfetto_word(const struct rf_field *field, bool on_track)
{
    const char *word = field->perfetto != NULL ? field->perfetto : field->name;
    bool is_put = field->type != RF_FIELD_PROCESS && field->type != RF_FIELD_EMPTY &&
                  word[0] != '\0' && !(on_track && field->part == RF_PART_TRACK);
    return is_put ? word : NULL;
}

void rf_sink_triple(struct rf_sink *sink, const void *at)
{
    char *out = rf_sink_reserve(sink, RF_TRIPLE_ROOM);
    sink->used = (size_t)(rf_put_triple(out, at, "x") - sink->buffer);
}
