/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_PARSE_H
#define RF_MODEL_FILTER_FILTER_PARSE_H

#include <stdbool.h>

#include "model/filter/filter.h"

/* Parses the options. The filter is to be released even if this fails. */
int rf_filter_init(struct rf_filter *filter, const rf_recording *rec,
                   const struct rf_filter_options *options, struct rf_err *err);
void rf_filter_release(struct rf_filter *filter);

/* Reads rf_filter_options.gpus. rec: NULL: any GPU is taken for one of it. */
int rf_filter_set_gpus(struct rf_filter *filter, const rf_recording *rec, const char *text,
                       struct rf_err *err);

/* The first error of matching names: to be called after all of them were matched. */
int rf_filter_check(const struct rf_filter *filter, struct rf_err *err);

bool rf_filter_has_gpu(const struct rf_filter *filter, uint32_t device);

/* thread: its index, or RF_NO_INDEX for what belongs to none. */
bool rf_filter_has_thread(const struct rf_filter *filter, uint32_t thread);

#endif
