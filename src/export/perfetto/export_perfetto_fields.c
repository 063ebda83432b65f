/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_fields.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_payloads.h"

#include <assert.h>

/* The most that a field takes but for words: a head, a size, three numbers with " x " between. */
#define FIELD_ROOM ((size_t)48)

/* ---- Which fields, under which keys ---- */

/* A launch has its kernel, grid and block in fields of its own; put_kernel_name() in
 * export_perfetto_gpu.c says the full name. */
static bool is_elsewhere(const struct rf_field *field, enum pf_kind kind)
{
    if (strcmp(field->name, "full_name") == 0)
        return true;
    return kind != PF_ANNOTATION &&
           (strcmp(field->name, "grid") == 0 || strcmp(field->name, "block") == 0);
}

static const char *word_of(const struct rf_field *field, enum pf_kind kind)
{
    const char *word = rf_perfetto_word(field, kind == PF_ANNOTATION);
    return word != NULL && !is_elsewhere(field, kind) ? word : NULL;
}

static uint32_t tag_of(const struct rf_field *field, enum pf_kind kind)
{
    if (field->type == RF_FIELD_TRIPLE)
        return PF_VALUE_TEXT << 3 | RF_WIRE_BYTES;
    uint32_t tag = field->type == RF_FIELD_SIGNED ? pf_tag_of_i64(kind) : pf_tag_of_u64(kind);
    return tag << 3 | RF_WIRE_VARINT;
}

static struct pf_field make_field(const struct rf_field *field, enum pf_kind kind, enum pf_key key)
{
    return (struct pf_field){
        .shown = rf_show_field(field, true),
        .type = field->type,
        .least = kind == PF_ANNOTATION ? field->slices_from : 0,
        .key = (uint8_t)key,
        .head = {(uint8_t)(pf_tag_of_values(kind) << 3 | RF_WIRE_BYTES), 0,
                 PF_VALUE_NAME_IID << 3 | RF_WIRE_VARINT, (uint8_t)key,
                 (uint8_t)tag_of(field, kind)},
    };
}

static enum pf_part part_of(const struct rf_field *field, const struct rf_fields *of)
{
    if (of == &rf_op_fields && strcmp(field->name, "correlation") == 0)
        return PF_LINK;
    if (field->part == RF_PART_DETAIL)
        return pf_is_own(field) ? PF_OWN : PF_DETAIL;
    return field->part == RF_PART_TRACK ? PF_TRACK : PF_ROW;
}

/* Adds the fields of a part, or of all parts: PF_N_PARTS. */
static void add_fields(struct pf_fields *fields, struct pf_writer *to, const struct rf_fields *of,
                       unsigned row_kind, enum pf_part part)
{
    size_t *n = &fields->begin[PF_N_PARTS];
    for (size_t i = 0; i < of->n; i++) {
        const struct rf_field *field = &of->field[i];
        const char *word = word_of(field, fields->kind);
        if ((part != PF_N_PARTS && part_of(field, of) != part) ||
            !rf_field_is_of(field, row_kind) || word == NULL)
            continue;
        assert(*n < PF_MAX_FIELDS);
        fields->field[(*n)++] = make_field(field, fields->kind, pf_add_key(to, word));
    }
}

void pf_fields_init(struct pf_fields *fields, struct pf_writer *to, const struct rf_fields *of,
                    unsigned row_kind, enum pf_kind kind)
{
    fields->kind = kind;
    fields->begin[PF_N_PARTS] = 0;
    for (enum pf_part part = PF_ROW; part < PF_N_PARTS; part++) {
        fields->begin[part] = fields->begin[PF_N_PARTS];
        add_fields(fields, to, of, row_kind, part);
    }
}

void pf_row_fields_init(struct pf_fields *fields, struct pf_writer *to, const struct rf_fields *of,
                        unsigned row_kind)
{
    *fields = (struct pf_fields){.kind = PF_ANNOTATION};
    add_fields(fields, to, of, row_kind, PF_N_PARTS);
}

/* ---- Values ---- */

/* "132 x 1 x 1", with its size in front. */
static size_t put_triple(uint8_t *out, const void *at)
{
    char *text = (char *)out + 1;
    size_t size = (size_t)(rf_put_triple(text, at, " x ") - text);
    *out = (uint8_t)size;
    return size + 1;
}

/* A number or a triple. */
static inline uint8_t *put_value(uint8_t *out, const struct pf_field *field, uint64_t number,
                                 const void *at)
{
    memcpy(out, field->head, sizeof(field->head));
    size_t n = field->type == RF_FIELD_TRIPLE ? put_triple(out + PF_FIELD_HEAD, at)
                                              : rf_varint_put(out + PF_FIELD_HEAD, number);
    out[1] = (uint8_t)(PF_FIELD_HEAD - 2 + n);
    return out + PF_FIELD_HEAD + n;
}

/* Apart, so that the loop over numbers keeps its registers. */
static __attribute__((noinline)) void put_words(struct pf_writer *to, enum pf_kind kind,
                                                const struct pf_field *field, uint64_t number)
{
    enum pf_key key = (enum pf_key)field->key;
    if (field->type == RF_FIELD_STRING) {
        pf_put_string(to, kind, key, (uint32_t)number);
    } else if (field->type == RF_FIELD_HEX || field->type == RF_FIELD_COLOR) {
        if (field->type == RF_FIELD_HEX)
            rf_sink_hex(&to->words, number);
        else
            rf_sink_color(&to->words, (uint32_t)number);
        pf_put_sunk(to, kind, key);
    } else {
        pf_put_words(to, kind, key, field->shown.field->word((int)number));
    }
}

/* Room for fields in the packet; NULL where there is no memory. */
static uint8_t *make_room(struct pf_writer *to, size_t n_fields)
{
    return rf_proto_room(&to->packet, n_fields * FIELD_ROOM) ? to->packet.data + to->packet.used
                                                             : NULL;
}

/* What lies between two fields of words is written without a look at the packet. */
void pf_put_fields(struct pf_writer *to, const struct pf_fields *fields, enum pf_part part,
                   const void *at)
{
    const struct pf_field *field = &fields->field[fields->begin[part]];
    const struct pf_field *end = &fields->field[fields->begin[part + 1]];
    enum pf_set keys = fields->kind == PF_ARGUMENT ? PF_ARGS : PF_ANNOTATIONS;
    uint8_t *out = at != NULL ? make_room(to, (size_t)(end - field)) : NULL;
    for (; field < end && out != NULL; field++) {
        const char *value = (const char *)at + field->shown.offset;
        uint64_t number = rf_shown_number(&field->shown, value);
        if (rf_is_number_hidden(&field->shown, number) || number < field->least)
            continue;
        if (field->type == RF_FIELD_STRING || field->type == RF_FIELD_WORD ||
            field->type == RF_FIELD_HEX) {
            to->packet.used = (size_t)(out - to->packet.data);
            put_words(to, fields->kind, field, number);
            out = make_room(to, (size_t)(end - field));
            continue;
        }
        if (!pf_is_known(to, keys, field->key))
            pf_define_key(to, keys, (enum pf_key)field->key);
        out = put_value(out, field, number, value);
    }
    if (out != NULL)
        to->packet.used = (size_t)(out - to->packet.data);
}

/* A value as the type of the payload has it. */
static void put_payload(struct pf_writer *to, enum pf_key key, const struct rf_event *event)
{
    struct rf_value value;
    if (event->payload_type == RF_TYPE_EXTENDED) {
        pf_put_payloads(to, key, event);
    } else if (rf_payload_is_text(event)) {
        pf_put_string(to, PF_ANNOTATION, key, rf_payload_string(event));
    } else if (!rf_payload_number(event, &value)) {
        rf_sink_hex(&to->words, event->payload);
        pf_put_sunk(to, PF_ANNOTATION, key);
    } else if (value.kind == RF_VALUE_REAL) {
        pf_put_double(to, PF_ANNOTATION, key, value.real);
    } else if (value.kind == RF_VALUE_SIGNED) {
        pf_put_i64(to, PF_ANNOTATION, key, value.integer);
    } else {
        pf_put_u64(to, PF_ANNOTATION, key, value.number);
    }
}

void pf_put_row(struct pf_writer *to, const struct pf_fields *fields, const struct rf_row *row)
{
    const struct pf_field *end = &fields->field[fields->begin[PF_N_PARTS]];
    for (const struct pf_field *field = fields->field; field < end; field++) {
        const char *at = rf_shown_at(&field->shown, row);
        uint64_t number = at != NULL ? rf_shown_number(&field->shown, at) : 0;
        if (at == NULL || rf_is_number_hidden(&field->shown, number))
            continue;
        if (field->type == RF_FIELD_PAYLOAD)
            put_payload(to, (enum pf_key)field->key, (const struct rf_event *)(const void *)at);
        else if (field->type == RF_FIELD_NUMBER)
            pf_put_u64(to, PF_ANNOTATION, (enum pf_key)field->key, number);
        else
            put_words(to, PF_ANNOTATION, field, number);
    }
}
