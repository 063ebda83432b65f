/* SPDX-License-Identifier: Apache-2.0 */
#include "export/members.h"

#include <assert.h>
#include <stdio.h>

#include "model/fields/event_names.h"

static void add_member(struct rf_members *members, const struct rf_field *field, const char *name,
                       bool are_blanks)
{
    assert(members->n < RF_MAX_MEMBERS);
    struct rf_member *member = &members->member[members->n++];
    member->field = field;
    int size = snprintf(member->text, sizeof(member->text), ",\"%s\":", name);
    assert(size > 0 && (size_t)size < sizeof(member->text));
    member->size = (uint8_t)size;
    for (char *p = member->text; are_blanks && *p != '\0'; p++)
        if (*p == '_')
            *p = ' ';
}

static void init_kind(struct rf_members *members, const rf_recording *rec,
                      const struct rf_fields *fields, unsigned kind, enum rf_member_form form)
{
    members->rec = rec;
    members->form = form;
    members->n = 0;
    for (size_t i = 0; i < fields->n; i++) {
        const struct rf_field *field = &fields->field[i];
        bool is_shown = rf_field_is_of(field, kind) && field->type != RF_FIELD_EMPTY &&
                        field->type != RF_FIELD_PROCESS;
        bool has_own = form == RF_MEMBERS_CHROME && field->chrome != NULL;
        const char *name = has_own ? field->chrome : field->name;
        if (is_shown && name[0] != '\0')
            add_member(members, field, name, form == RF_MEMBERS_CHROME && !has_own);
    }
}

void rf_members_init(struct rf_members of_kind[RF_MAX_KINDS], const rf_recording *rec,
                     const struct rf_fields *fields, enum rf_member_form form)
{
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        init_kind(&of_kind[kind], rec, fields, kind, form);
}

static bool is_hidden(const struct rf_members *members, const struct rf_field *field,
                      uint64_t number)
{
    return members->form == RF_MEMBERS_CHROME ? rf_field_is_hidden_in_viewers(field, number)
                                              : rf_field_is_hidden(field, number);
}

static void put_triple(struct rf_sink *sink, const void *at)
{
    uint32_t triple[3];
    char *begin = rf_sink_reserve(sink, 3 * RF_SINK_U64 + 4), *out = begin;
    rf_field_triple(at, triple);
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
        put_u64(sink, number, field->type == RF_FIELD_NODE && members->form == RF_MEMBERS_CHROME);
    }
}

/* What tells whether a value is left out: of a triple 0 where all of it is 0. */
static uint64_t number_of(const struct rf_field *field, const void *at)
{
    uint32_t triple[3];
    if (field->type != RF_FIELD_TRIPLE)
        return rf_field_number(field, at);
    rf_field_triple(at, triple);
    return triple[0] | triple[1] | triple[2];
}

size_t rf_sink_members(struct rf_sink *sink, const struct rf_members *members,
                       const struct rf_row *row, const char *opening)
{
    size_t n = 0;
    for (size_t i = 0; i < members->n; i++) {
        const struct rf_member *member = &members->member[i];
        const void *at = rf_field_at(member->field, row);
        uint64_t number = at != NULL ? number_of(member->field, at) : 0;
        if (at == NULL || is_hidden(members, member->field, number))
            continue;
        size_t skip = n == 0 && opening != NULL;
        if (skip != 0)
            rf_sink_text(sink, opening);
        rf_sink_bytes(sink, member->text + skip, member->size - skip);
        if (member->field->type == RF_FIELD_TRIPLE)
            put_triple(sink, at);
        else
            put_value(sink, members, member->field, number);
        n++;
    }
    return n;
}
