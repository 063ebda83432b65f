/* SPDX-License-Identifier: Apache-2.0 */
/* A table as JSON: an array with an object per row. */
#ifndef RF_STATS_FORMS_FORM_JSON_H
#define RF_STATS_FORMS_FORM_JSON_H

#include "stats/forms/table_view.h"

void rf_write_json(const struct rf_view *view, struct rf_sink *sink);

#endif
