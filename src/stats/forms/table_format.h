/* SPDX-License-Identifier: Apache-2.0 */
/* A form of output with its options, as "csv:nohdr:dur=us" names it. */
#ifndef RF_STATS_FORMS_TABLE_FORMAT_H
#define RF_STATS_FORMS_TABLE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/forms/table_units.h"
#include "stats/table.h"

/* The options that a form may have; all have units. */
enum rf_form_options {
    RF_FORM_NOHDR = 1,
    RF_FORM_NOLIMIT = 2,
    RF_FORM_NOFMT = 4,
    RF_FORM_ESC = 8,       /* accepted: it is always so */
    RF_FORM_WIDTHS = 16,   /* of columns, in their order */
    RF_FORM_DOCUMENT = 32, /* title=, css= */
};

#define RF_WIDTH_AUTO UINT32_MAX

struct rf_table_format {
    const char *name;                            /* "csv", of the registry */
    bool is_for_people;                          /* and not for programs, likewise */
    unsigned options;                            /* enum rf_form_options that are set */
    const struct rf_unit *unit[RF_N_UNIT_KINDS]; /* NULL: that of the report */
    uint32_t width[RF_TABLE_MAX_COLUMNS];        /* 0: the column is left out */
    size_t n_widths;
    const char *title; /* DOCUMENT: of title_size bytes; NULL: that of the report */
    size_t title_size;
    const char *css; /* address of a style sheet; NULL: a built-in style */
};

/* Reads what follows the name: "" or ":nohdr:dur=us". allowed: enum rf_form_options. Texts of the
 * format point into options. */
int rf_table_format_parse(struct rf_table_format *format, const char *name, const char *options,
                          unsigned allowed, struct rf_err *err);

#endif
