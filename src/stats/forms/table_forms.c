/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/table_forms.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "stats/forms/form_column.h"
#include "stats/forms/form_html.h"
#include "stats/forms/form_json.h"
#include "stats/forms/form_markdown.h"
#include "stats/forms/form_separated.h"

#define CONSOLE_OPTIONS (RF_FORM_NOHDR | RF_FORM_NOLIMIT | RF_FORM_NOFMT | RF_FORM_WIDTHS)

/* To add a form: a file with the function that writes it, and a line here. */
static const struct rf_table_form forms[] = {
    {"column", "txt", "column[:nohdr][:nolimit][:nofmt][:WIDTH]...", "columns, for people",
     CONSOLE_OPTIONS, true, rf_write_column},
    {"table", "txt", "table[:nohdr][:nolimit][:nofmt][:WIDTH]...",
     "columns with lines between them, for people", CONSOLE_OPTIONS, true, rf_write_boxed},
    {"csv", "csv", "csv[:nohdr]", "values between commas (RFC 4180)", RF_FORM_NOHDR, false,
     rf_write_csv},
    {"tsv", "tsv", "tsv[:nohdr][:esc]",
     "values between tabs; tabs and line ends in names stand as \\t and \\n",
     RF_FORM_NOHDR | RF_FORM_ESC, false, rf_write_tsv},
    {"json", "json", "json", "an array with an object per row", 0, false, rf_write_json},
    {"hdoc", "html", "hdoc[:nofmt][:title=TEXT][:css=ADDRESS]", "a page of HTML",
     RF_FORM_DOCUMENT | RF_FORM_NOFMT, true, rf_write_hdoc},
    {"htable", "html", "htable[:nofmt]", "a table of HTML, for a page of your own", RF_FORM_NOFMT,
     true, rf_write_htable},
    {"markdown", "md", "markdown[:nofmt]", "a table of Markdown, as GitHub shows it", RF_FORM_NOFMT,
     true, rf_write_markdown},
};

#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

int rf_table_form_find(const char *text, const struct rf_table_form **form,
                       struct rf_table_format *format, struct rf_err *err)
{
    const char *const wanted = text != NULL ? text : forms[0].name;
    const size_t size = strcspn(wanted, ":");
    const char *names[N_FORMS];
    char list[128] = "", name[32] = "";
    for (size_t i = 0; i < N_FORMS; i++) {
        names[i] = forms[i].name;
        if (strlen(names[i]) == size && memcmp(names[i], wanted, size) == 0) {
            int status =
                rf_table_format_parse(format, names[i], wanted + size, forms[i].options, err);
            *form = &forms[i];
            format->is_for_people = forms[i].is_for_people;
            return status;
        }
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, names[i], sizeof(list) - strlen(list) - 1);
    }
    memcpy(name, wanted, size < sizeof(name) ? size : sizeof(name) - 1);
    const char *nearest = rf_nearest_name(name, names, N_FORMS);
    return rf_fail(err, RF_ERR_USAGE, "unknown output format '%s': %s%s%sthere is %s", name,
                   nearest != NULL ? "did you mean '" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "'? " : "", list);
}

const char *rf_report_format_at(size_t i, const char **usage, const char **description)
{
    if (i >= N_FORMS)
        return NULL;
    if (usage != NULL)
        *usage = forms[i].usage;
    if (description != NULL)
        *description = forms[i].description;
    return forms[i].name;
}

int rf_report_format_is_for_people(const char *format)
{
    const struct rf_table_form *form;
    struct rf_table_format options;
    return rf_table_form_find(format, &form, &options, NULL) == RF_OK && form->is_for_people;
}

const char *rf_report_extension(const char *format, struct rf_err *err)
{
    const struct rf_table_form *form;
    struct rf_table_format options;
    return rf_table_form_find(format, &form, &options, err) == RF_OK ? form->extension : NULL;
}
