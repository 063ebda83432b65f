/* SPDX-License-Identifier: Apache-2.0 */
/* A table as Markdown, with the tables of GitHub. */
#ifndef RF_STATS_FORMS_FORM_MARKDOWN_H
#define RF_STATS_FORMS_FORM_MARKDOWN_H

#include "stats/forms/table_view.h"

void rf_write_markdown(const struct rf_view *view, struct rf_sink *sink);

#endif
