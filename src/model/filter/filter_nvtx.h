/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_NVTX_H
#define RF_MODEL_FILTER_FILTER_NVTX_H

#include "model/filter/filter.h"

/* Adds the windows that the ranges of --filter-nvtx make. */
int rf_filter_add_ranges(struct rf_filter *filter, const rf_recording *rec, const char *text,
                         struct rf_err *err);

#endif
