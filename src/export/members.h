/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the tables in model/fields/fields.h as members of JSON objects. */
#ifndef RF_EXPORT_MEMBERS_H
#define RF_EXPORT_MEMBERS_H

#include "base/sink.h"
#include "model/fields/fields.h"

#define RF_MAX_MEMBERS     48
#define RF_MEMBER_TEXT_MAX 48

struct rf_member {
    const struct rf_field *field;
    uint8_t size;
    char text[RF_MEMBER_TEXT_MAX]; /* ,"registers": */
};

/* What rows of one kind have. */
struct rf_members {
    const rf_recording *rec;
    bool are_nodes_text; /* for viewers, whose numbers are doubles: RF_FIELD_NODE in quotes */
    size_t n;
    struct rf_member member[RF_MAX_MEMBERS];
};

/* What a field is called in a form; NULL: it is left out, or written by hand. The result is used
 * before the next call. */
typedef const char *rf_member_name_fn(const struct rf_field *field);

/* field->name. */
const char *rf_member_plain_name(const struct rf_field *field);

void rf_members_init(struct rf_members *members, const rf_recording *rec,
                     const struct rf_fields *fields, unsigned kind, rf_member_name_fn *name);

/* The members that a row has, each with a comma in front. */
void rf_sink_members(struct rf_sink *sink, const struct rf_members *members,
                     const struct rf_row *row);

#endif
