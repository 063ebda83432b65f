/* SPDX-License-Identifier: Apache-2.0 */
/* The list of forms. The public header declares rf_report_format_at() and rf_report_extension(). */
#ifndef RF_STATS_FORMS_TABLE_FORMS_H
#define RF_STATS_FORMS_TABLE_FORMS_H

#include "stats/forms/table_format.h"
#include "stats/forms/table_view.h"

/* One form of output. */
struct rf_table_form {
    const char *name;
    const char *extension;   /* of its files */
    const char *usage;       /* "csv[:nohdr]" */
    const char *description; /* one line */
    unsigned options;        /* enum rf_form_options that it may have */
    bool is_for_people;
    void (*write)(const struct rf_view *view, struct rf_sink *sink);
};

/* Finds the form that a text such as "csv:nohdr" names, and reads its options. NULL: "column". */
int rf_table_form_find(const char *text, const struct rf_table_form **form,
                       struct rf_table_format *format, struct rf_err *err);

#endif
