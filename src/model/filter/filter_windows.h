/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_WINDOWS_H
#define RF_MODEL_FILTER_FILTER_WINDOWS_H

#include <stdbool.h>

#include "model/filter/filter.h"

/* Narrows the filter to the interval START/END. */
int rf_filter_set_time(struct rf_filter *filter, const char *text, struct rf_err *err);

/* Adds a window; they are added in the order of their begins. */
int rf_filter_add_window(struct rf_filter *filter, int64_t begin_ns, int64_t end_ns,
                         struct rf_err *err);

/* Whether an interval overlaps a window. */
bool rf_filter_has_time(const struct rf_filter *filter, int64_t start_ns, int64_t end_ns);

/* Whether a window begins or ends at a time. */
bool rf_filter_touches(const struct rf_filter *filter, int64_t ns);

/* Whether a window ends at a time. */
bool rf_filter_ends_at(const struct rf_filter *filter, int64_t ns);

#endif
