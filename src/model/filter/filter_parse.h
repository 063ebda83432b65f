/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_PARSE_H
#define RF_MODEL_FILTER_FILTER_PARSE_H

#include <stdbool.h>

#include "model/filter/filter.h"

/* Fills *filter, which is to be released even where this fails. */
int rf_filter_init(struct rf_filter *filter, const rf_recording *rec,
                   const struct rf_filter_options *options, struct rf_err *err);
void rf_filter_release(struct rf_filter *filter);

/* To be asked when all names are looked at: the first error that came up. */
int rf_filter_check(const struct rf_filter *filter, struct rf_err *err);

bool rf_filter_has_gpu(const struct rf_filter *filter, uint32_t device);

#endif
