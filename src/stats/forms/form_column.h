/* SPDX-License-Identifier: Apache-2.0 */
/* A table for people, in columns as wide as their texts. */
#ifndef RF_STATS_FORMS_FORM_COLUMN_H
#define RF_STATS_FORMS_FORM_COLUMN_H

#include "stats/forms/table_view.h"

void rf_write_column(const struct rf_view *view, struct rf_sink *sink);

/* With lines between the columns. */
void rf_write_boxed(const struct rf_view *view, struct rf_sink *sink);

#endif
