/* SPDX-License-Identifier: Apache-2.0 */
/* A table as HTML. */
#ifndef RF_STATS_FORMS_FORM_HTML_H
#define RF_STATS_FORMS_FORM_HTML_H

#include "stats/forms/table_view.h"

/* A page of its own. */
void rf_write_hdoc(const struct rf_view *view, struct rf_sink *sink);

/* The table alone. */
void rf_write_htable(const struct rf_view *view, struct rf_sink *sink);

#endif
