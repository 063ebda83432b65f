/* SPDX-License-Identifier: Apache-2.0 */
#include "export/members.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "model/fields/event_names.h"
#include "model/payload/payload_json.h"

/* JavaScript's numbers are exact to 2^53. */
#define MAX_EXACT_NUMBER ((uint64_t)1 << 53)

static void add_member(struct rf_members *members, const struct rf_field *field, const char *name,
                       bool are_blanks)
{
    assert(members->n < RF_MAX_MEMBERS);
    bool in_viewers = members->form == RF_MEMBERS_CHROME;
    struct rf_member *member = &members->member[members->n++];
    member->shown = rf_show_field(field, in_viewers);
    member->type =
        field->type == RF_FIELD_NODE && !in_viewers ? (uint8_t)RF_FIELD_NUMBER : field->type;
    int size = snprintf(member->text, sizeof(member->text), ",\"%s\":", name);
    assert(size > 0 && size <= RF_MEMBER_TEXT_MAX);
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

static void put_triple(struct rf_sink *sink, const void *at)
{
    char *out = rf_sink_reserve(sink, RF_TRIPLE_ROOM + 2);
    *out = '[';
    out = rf_put_triple(out + 1, at, ",");
    *out++ = ']';
    sink->used = (size_t)(out - sink->buffer);
}

/* Whether a double holds it. */
static bool is_payload_exact(const struct rf_event *event)
{
    uint64_t size = event->payload;
    if (event->payload_type == RF_TYPE_INT64 && (int64_t)size < 0)
        size = 0 - size;
    return size <= MAX_EXACT_NUMBER ||
           (event->payload_type != RF_TYPE_UINT64 && event->payload_type != RF_TYPE_INT64);
}

static void put_payload(struct rf_sink *sink, const struct rf_members *members,
                        const struct rf_event *event)
{
    if (rf_payload_string(event) != RF_NO_STRING) {
        (void)rf_sink_json_name(sink, members->rec, rf_payload_string(event));
        return;
    }
    if (event->payload_type == RF_TYPE_EXTENDED) {
        rf_sink_payloads(sink, members->rec, event,
                         members->form == RF_MEMBERS_CHROME ? RF_JSON_SHOWN | RF_JSON_EXACT : 0);
        return;
    }
    bool is_quoted = !rf_is_payload_number(event) ||
                     (members->form == RF_MEMBERS_CHROME && !is_payload_exact(event));
    if (is_quoted)
        rf_sink_char(sink, '"');
    rf_sink_payload(sink, event);
    if (is_quoted)
        rf_sink_char(sink, '"');
}

/* JSON has no numbers that are not finite. */
static void put_limit(struct rf_sink *sink, const struct rf_counter_limit *limit)
{
    bool is_quoted = limit->number == RF_COUNTER_REAL && !isfinite(limit->value);
    if (is_quoted)
        rf_sink_char(sink, '"');
    rf_sink_limit(sink, limit);
    if (is_quoted)
        rf_sink_char(sink, '"');
}

/* What is not a plain number. */
static void put_value(struct rf_sink *sink, const struct rf_members *members,
                      const struct rf_member *member, const void *at, uint64_t number)
{
    const rf_recording *rec = members->rec;
    switch (member->type) {
    case RF_FIELD_STRING:
        (void)rf_sink_json_name(sink, rec, (uint32_t)number);
        break;
    case RF_FIELD_TRIPLE:
        put_triple(sink, at);
        break;
    case RF_FIELD_SIGNED:
        rf_sink_i64(sink, (int64_t)number);
        break;
    case RF_FIELD_TRUE:
        rf_sink_text(sink, "true");
        break;
    case RF_FIELD_PAYLOAD:
        put_payload(sink, members, at);
        break;
    case RF_FIELD_LIMIT:
        put_limit(sink, at);
        break;
    default:
        rf_sink_char(sink, '"');
        rf_sink_value(sink, rec, &member->shown, at, number, rf_sink_json_name);
        rf_sink_char(sink, '"');
    }
}

/* Room for the texts and numbers of a row. */
#define ROW_ROOM ((size_t)RF_MAX_MEMBERS * (RF_MEMBER_TEXT_MAX + RF_SINK_U64))
_Static_assert(ROW_ROOM <= RF_SINK_MAX_RESERVE, "room for a row");

/* The text of a member is copied as a whole, since a size that the compiler knows takes a few
 * instructions. Nothing asks the sink for room between two values that are not plain numbers. */
bool rf_sink_members(struct rf_sink *sink, const struct rf_members *members,
                     const struct rf_row *row, bool has_any)
{
    size_t skip = has_any ? 0 : 1;
    char *out = rf_sink_reserve(sink, ROW_ROOM);
    for (size_t i = 0; i < members->n; i++) {
        const struct rf_member *member = &members->member[i];
        const char *at = rf_shown_at(&member->shown, row);
        uint64_t number = at != NULL ? rf_shown_number(&member->shown, at) : 0;
        if (at == NULL || rf_is_number_hidden(&member->shown, number))
            continue;
        if (skip != 0)
            out = rf_put_text(out, ",\"args\":{");
        memcpy(out, member->text + skip, RF_MEMBER_TEXT_MAX);
        out += member->size - skip;
        skip = 0;
        has_any = true;
        if (member->type == RF_FIELD_NUMBER) {
            out = rf_put_u64(out, number);
            continue;
        }
        sink->used = (size_t)(out - sink->buffer);
        put_value(sink, members, member, at, number);
        out = rf_sink_reserve(sink, ROW_ROOM);
    }
    sink->used = (size_t)(out - sink->buffer);
    return has_any;
}
