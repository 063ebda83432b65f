/* SPDX-License-Identifier: Apache-2.0 */
#include "export/members.h"

#include <assert.h>
#include <stdio.h>

#include "model/fields/event_names.h"

const char *rf_member_plain_name(const struct rf_field *field)
{
    return field->name;
}

static void add_member(struct rf_members *members, const struct rf_field *field, const char *name)
{
    assert(members->n < RF_MAX_MEMBERS);
    struct rf_member *member = &members->member[members->n++];
    member->field = field;
    int size = snprintf(member->text, sizeof(member->text), ",\"%s\":", name);
    assert(size > 0 && (size_t)size < sizeof(member->text));
    member->size = (uint8_t)size;
}

void rf_members_init(struct rf_members *members, const rf_recording *rec,
                     const struct rf_fields *fields, unsigned kind, rf_member_name_fn *name)
{
    members->rec = rec;
    members->are_nodes_text = false;
    members->n = 0;
    for (size_t i = 0; i < fields->n; i++) {
        const struct rf_field *field = &fields->field[i];
        bool is_shown = rf_field_is_of(field, kind) && field->type != RF_FIELD_EMPTY &&
                        field->type != RF_FIELD_PROCESS;
        const char *called = is_shown ? name(field) : NULL;
        if (called != NULL)
            add_member(members, field, called);
    }
}

static void put_triple(struct rf_sink *sink, const struct rf_member *member, const void *at)
{
    uint32_t triple[3];
    rf_field_triple(at, triple);
    if (member->field->absent != RF_ABSENT_NEVER && (triple[0] | triple[1] | triple[2]) == 0)
        return;
    char *begin = rf_sink_reserve(sink, RF_MEMBER_TEXT_MAX + 3 * RF_SINK_U64 + 4), *out = begin;
    memcpy(out, member->text, member->size);
    out += member->size;
    for (int i = 0; i < 3; i++) {
        *out++ = i == 0 ? '[' : ',';
        out = rf_put_u64(out, triple[i]);
    }
    *out++ = ']';
    sink->used += (size_t)(out - begin);
}

static void put_u64(struct rf_sink *sink, uint64_t number, bool is_text)
{
    if (is_text)
        rf_sink_char(sink, '"');
    rf_sink_u64(sink, number);
    if (is_text)
        rf_sink_char(sink, '"');
}

static void put_value(struct rf_sink *sink, const struct rf_members *members,
                      const struct rf_field *field, uint64_t number)
{
    switch (field->type) {
    case RF_FIELD_STRING:
        (void)rf_sink_json_name(sink, members->rec, (uint32_t)number);
        break;
    case RF_FIELD_WORD:
        rf_sink_char(sink, '"');
        rf_sink_text(sink, field->word((int)number));
        rf_sink_char(sink, '"');
        break;
    case RF_FIELD_HEX:
        rf_sink_char(sink, '"');
        rf_sink_hex(sink, number);
        rf_sink_char(sink, '"');
        break;
    case RF_FIELD_SIGNED:
        rf_sink_i64(sink, (int64_t)number);
        break;
    default:
        put_u64(sink, number, field->type == RF_FIELD_NODE && members->are_nodes_text);
    }
}

void rf_sink_members(struct rf_sink *sink, const struct rf_members *members,
                     const struct rf_row *row)
{
    for (size_t i = 0; i < members->n; i++) {
        const struct rf_member *member = &members->member[i];
        const void *at = rf_field_at(member->field, row);
        if (at == NULL)
            continue;
        if (member->field->type == RF_FIELD_TRIPLE) {
            put_triple(sink, member, at);
            continue;
        }
        uint64_t number = rf_field_number(member->field, at);
        if (rf_field_is_hidden(member->field, number))
            continue;
        rf_sink_bytes(sink, member->text, member->size);
        put_value(sink, members, member->field, number);
    }
}
