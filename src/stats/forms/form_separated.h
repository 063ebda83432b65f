/* SPDX-License-Identifier: Apache-2.0 */
/* A table as lines of values: CSV and TSV. */
#ifndef RF_STATS_FORMS_FORM_SEPARATED_H
#define RF_STATS_FORMS_FORM_SEPARATED_H

#include "stats/forms/table_view.h"

void rf_write_csv(const struct rf_view *view, struct rf_sink *sink);

/* Control characters and backslashes in texts are escaped, as in rf_sink_printable(), also where
 * sink->is_raw. */
void rf_write_tsv(const struct rf_view *view, struct rf_sink *sink);

#endif
