/* SPDX-License-Identifier: Apache-2.0 */
#include "export/fuchsia/fxt_args.h"

#include <assert.h>

/* ---- Which fields, under which keys ---- */

static void init_kind(struct fxt_fields *fields, struct fxt *fxt, const struct rf_fields *of,
                      unsigned kind)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct rf_field *field = &of->field[i];
        const char *word = rf_perfetto_word(field, true);
        if (word == NULL || !rf_field_is_of(field, kind))
            continue;
        assert(fields->n < FXT_MAX_FIELDS);
        fields->field[fields->n++] = (struct fxt_field){
            .shown = rf_show_field(field, true),
            .least = field->slices_from,
            .is_link = of == &rf_op_fields && strcmp(field->name, "correlation") == 0,
            .key = fxt_words(fxt, word)};
    }
}

void fxt_args_init(struct fxt_args *args, struct fxt *fxt)
{
    memset(args, 0, sizeof(*args));
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++) {
        init_kind(&args->call[kind], fxt, &rf_call_fields, kind);
        init_kind(&args->op[kind], fxt, &rf_op_fields, kind);
        init_kind(&args->event[kind], fxt, &rf_event_fields, kind);
        init_kind(&args->range[kind], fxt, &rf_range_fields, kind);
    }
}

/* ---- Values ---- */

/* A value that is shown as text. */
static void put_text(struct fxt *fxt, const struct fxt_field *field, const void *at,
                     uint64_t number)
{
    rf_sink_value(fxt_compose(fxt), fxt->rec, &field->shown, at, number, rf_sink_json_name);
    fxt_arg_text(fxt, field->key, fxt_composed(fxt));
}

static void put_payload(struct fxt *fxt, const struct fxt_field *field,
                        const struct rf_event *event)
{
    struct rf_value value;
    if (rf_payload_is_text(event))
        fxt_arg_text(fxt, field->key, fxt_string(fxt, rf_payload_string(event), ""));
    else if (!rf_payload_number(event, &value))
        put_text(fxt, field, event, 0);
    else if (value.kind == RF_VALUE_REAL)
        fxt_double(fxt, field->key, value.real);
    else if (value.kind == RF_VALUE_SIGNED)
        fxt_i64(fxt, field->key, value.integer);
    else
        fxt_u64(fxt, field->key, value.number);
}

static void put_field(struct fxt *fxt, const struct fxt_field *field, const void *at,
                      uint64_t number)
{
    switch (field->shown.field->type) {
    case RF_FIELD_NUMBER:
    case RF_FIELD_NODE:
        fxt_u64(fxt, field->key, number);
        break;
    case RF_FIELD_SIGNED:
        fxt_i64(fxt, field->key, (int64_t)number);
        break;
    case RF_FIELD_HEX:
        fxt_pointer(fxt, field->key, number);
        break;
    case RF_FIELD_TRUE:
        fxt_true(fxt, field->key);
        break;
    case RF_FIELD_STRING:
        fxt_arg_text(fxt, field->key, fxt_string(fxt, (uint32_t)number, ""));
        break;
    case RF_FIELD_PAYLOAD:
        put_payload(fxt, field, at);
        break;
    default:
        put_text(fxt, field, at, number);
        break;
    }
}

/* A text that is none, or the full name of a kernel that is the name of its range. */
static bool says_nothing(const struct fxt_field *field, const struct rf_row *row, uint64_t number)
{
    if (field->shown.field->type != RF_FIELD_STRING)
        return false;
    const struct rf_gpu_op *op =
        field->shown.part == RF_PART_DETAIL ? row->part[RF_PART_ROW] : NULL;
    return number == RF_NO_STRING || (op != NULL && number == op->name);
}

void fxt_put_fields(struct fxt *fxt, const struct fxt_fields *fields, const struct rf_row *row,
                    bool with_link)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct fxt_field *field = &fields->field[i];
        const char *at = rf_shown_at(&field->shown, row);
        uint64_t number = at != NULL ? rf_shown_number(&field->shown, at) : 0;
        if (at == NULL || rf_is_number_hidden(&field->shown, number) || number < field->least ||
            (field->is_link && !with_link) || says_nothing(field, row, number))
            continue;
        put_field(fxt, field, at, number);
    }
}
