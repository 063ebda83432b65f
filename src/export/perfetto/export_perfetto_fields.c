/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_fields.h"

#include <assert.h>

#include "base/escape.h"

enum shape { SHAPE_U32, SHAPE_U8, SHAPE_U64, SHAPE_I32, SHAPE_OTHER };

/* ---- Which fields, under which keys ---- */

/* A launch has its kernel, grid and block in fields of its own. */
static bool is_in_launch(const char *name)
{
    return strcmp(name, "full_name") == 0 || strcmp(name, "grid") == 0 ||
           strcmp(name, "block") == 0;
}

static const char *word_of(const struct rf_field *field, enum pf_kind kind)
{
    const char *word = field->perfetto != NULL ? field->perfetto : field->name;
    bool is_put = field->type != RF_FIELD_PROCESS && field->type != RF_FIELD_EMPTY &&
                  word[0] != '\0' && !(kind == PF_ARGUMENT && is_in_launch(field->name));
    return is_put ? word : NULL;
}

static uint8_t shape_of(const struct rf_field *field)
{
    if (field->type == RF_FIELD_SIGNED && field->size == 4)
        return SHAPE_I32;
    if (field->type != RF_FIELD_NUMBER && field->type != RF_FIELD_NODE &&
        field->type != RF_FIELD_SIGNED)
        return SHAPE_OTHER;
    return field->size == 1 ? SHAPE_U8 : field->size == 4 ? SHAPE_U32 : SHAPE_U64;
}

static struct pf_field make_field(const struct rf_field *field, enum pf_kind kind, enum pf_key key)
{
    uint32_t tag = field->type == RF_FIELD_SIGNED ? pf_tag_of_i64(kind) : pf_tag_of_u64(kind);
    return (struct pf_field){
        .field = field,
        .head = {(uint8_t)(pf_tag_of_values(kind) << 3 | RF_WIRE_BYTES), 0,
                 PF_VALUE_NAME_IID << 3 | RF_WIRE_VARINT, (uint8_t)key,
                 (uint8_t)(tag << 3 | RF_WIRE_VARINT)},
        .offset = field->offset,
        .shape = shape_of(field),
        .key = (uint8_t)key,
        .hidden = rf_field_is_hidden_in_viewers(field, UINT32_MAX) ? UINT32_MAX : 0,
        .can_hide = rf_field_is_hidden_in_viewers(field, UINT32_MAX) ||
                    rf_field_is_hidden_in_viewers(field, 0),
    };
}

static enum pf_part part_of(const struct rf_field *field)
{
    if (field->part == RF_PART_DETAIL)
        return pf_is_own(field) ? PF_OWN : PF_DETAIL;
    return field->part == RF_PART_TRACK ? PF_TRACK : PF_ROW;
}

void pf_fields_init(struct pf_fields *fields, struct pf_writer *to, const struct rf_fields *of,
                    unsigned row_kind, enum pf_kind kind)
{
    size_t n = 0;
    fields->kind = kind;
    for (enum pf_part part = PF_ROW; part < PF_N_PARTS; part++) {
        fields->begin[part] = n;
        for (size_t i = 0; i < of->n; i++) {
            const struct rf_field *field = &of->field[i];
            const char *word = word_of(field, kind);
            if (part_of(field) != part || !rf_field_is_of(field, row_kind) || word == NULL)
                continue;
            assert(n < PF_MAX_FIELDS);
            fields->field[n++] = make_field(field, kind, pf_add_key(to, word));
        }
    }
    fields->begin[PF_N_PARTS] = n;
}

/* ---- Values ---- */

/* "132 x 1 x 1" */
static void put_triple(struct pf_writer *to, enum pf_kind kind, const struct pf_field *field,
                       const void *at)
{
    uint32_t triple[3];
    char text[3 * RF_SINK_U64 + 8];
    rf_field_triple(at, triple);
    if (field->can_hide && (triple[0] | triple[1] | triple[2]) == 0)
        return;
    char *end = rf_put_u64(text, triple[0]);
    for (int i = 1; i < 3; i++)
        end = rf_put_u64(rf_put_text(end, " x "), triple[i]);
    pf_put_text(to, kind, (enum pf_key)field->key, text, (size_t)(end - text));
}

/* What is no plain number. Apart, so that the loop over numbers keeps its registers. */
static __attribute__((noinline)) void put_other(struct pf_writer *to, enum pf_kind kind,
                                                const struct pf_field *field, const void *at)
{
    enum pf_key key = (enum pf_key)field->key;
    if (field->field->type == RF_FIELD_TRIPLE) {
        put_triple(to, kind, field, at);
        return;
    }
    uint64_t number = rf_field_number(field->field, at);
    if (rf_field_is_hidden_in_viewers(field->field, number))
        return;
    if (field->field->type == RF_FIELD_STRING)
        pf_put_string(to, kind, key, (uint32_t)number);
    else
        pf_put_words(to, kind, key, field->field->word((int)number));
}

/* Room for fields in the packet; NULL where there is no memory. */
static uint8_t *make_room(struct pf_writer *to, size_t n_fields)
{
    return rf_proto_room(&to->packet, n_fields * RF_PROTO_MAX_FIELD)
               ? to->packet.data + to->packet.used
               : NULL;
}

static inline uint64_t number_at(const struct pf_field *field, const char *at)
{
    uint32_t u32;
    uint64_t u64;
    if (field->shape == SHAPE_U32) {
        memcpy(&u32, at, sizeof(u32));
        return u32;
    }
    if (field->shape == SHAPE_U8)
        return *(const uint8_t *)at;
    if (field->shape == SHAPE_I32)
        return rf_field_number(field->field, at);
    memcpy(&u64, at, sizeof(u64));
    return u64;
}

static inline uint8_t *put_number(uint8_t *out, const struct pf_field *field, uint64_t number)
{
    memcpy(out, field->head, sizeof(field->head));
    size_t n = rf_varint_put(out + PF_FIELD_HEAD, number);
    out[1] = (uint8_t)(PF_FIELD_HEAD - 2 + n);
    return out + PF_FIELD_HEAD + n;
}

/* The numbers between two other fields are written without a look at the packet. */
void pf_put_fields(struct pf_writer *to, const struct pf_fields *fields, enum pf_part part,
                   const void *at)
{
    const struct pf_field *field = &fields->field[fields->begin[part]];
    const struct pf_field *end = &fields->field[fields->begin[part + 1]];
    enum pf_set keys = fields->kind == PF_ARGUMENT ? PF_ARGS : PF_ANNOTATIONS;
    uint8_t *out = at != NULL ? make_room(to, (size_t)(end - field)) : NULL;
    if (out == NULL)
        return;
    for (; field < end; field++) {
        const char *value = (const char *)at + field->offset;
        if (field->shape == SHAPE_OTHER) {
            to->packet.used = (size_t)(out - to->packet.data);
            put_other(to, fields->kind, field, value);
            if ((out = make_room(to, (size_t)(end - field))) == NULL)
                return;
            continue;
        }
        uint64_t number = number_at(field, value);
        if (number == field->hidden && field->can_hide)
            continue;
        if (!pf_is_known(to, keys, field->key))
            pf_define_key(to, keys, (enum pf_key)field->key);
        out = put_number(out, field, number);
    }
    to->packet.used = (size_t)(out - to->packet.data);
}
