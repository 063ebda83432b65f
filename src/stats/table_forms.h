/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_STATS_TABLE_FORMS_H
#define RF_STATS_TABLE_FORMS_H

#include "base/sink.h"
#include "stats/table.h"

/* One form of output. */
struct rf_table_form {
    const char *name;
    void (*write)(const struct rf_table *table, struct rf_sink *sink);
};

/* The i-th form; NULL past the last. */
const struct rf_table_form *rf_table_form_at(size_t i);

#endif
