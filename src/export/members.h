/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the tables in model/fields/fields.h as members of JSON objects. */
#ifndef RF_EXPORT_MEMBERS_H
#define RF_EXPORT_MEMBERS_H

#include "base/sink.h"
#include "export/shown_fields.h"

#define RF_MAX_MEMBERS     48
#define RF_MEMBER_TEXT_MAX 48

struct rf_member {
    struct rf_shown_field shown;
    uint8_t type;                      /* enum rf_field_type; a node that is not quoted: a number */
    uint8_t size;                      /* of text */
    char text[RF_MEMBER_TEXT_MAX + 1]; /* ,"registers": */
};

/* Whose words the members are. */
enum rf_member_form {
    RF_MEMBERS_PLAIN,  /* field->name */
    RF_MEMBERS_CHROME, /* for viewers: field->chrome; args is around them, and since their numbers
                        * are doubles, RF_FIELD_NODE is in quotes, and a payload that they would
                        * change */
};

/* What rows of one kind have. The kinds of a model are all below RF_MAX_KINDS. */
struct rf_members {
    const rf_recording *rec;
    enum rf_member_form form;
    size_t n;
    struct rf_member member[RF_MAX_MEMBERS];
};

/* By kind of row. */
void rf_members_init(struct rf_members of_kind[RF_MAX_KINDS], const rf_recording *rec,
                     const struct rf_fields *fields, enum rf_member_form form);

/* The members that a row has, each with a comma in front. has_any: false where the first one begins
 * Chrome's args. Returns whether there are any then. */
bool rf_sink_members(struct rf_sink *sink, const struct rf_members *members,
                     const struct rf_row *row, bool has_any);

#endif
