/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_GPUS_H
#define RF_MODEL_FILTER_FILTER_GPUS_H

#include "model/filter/filter.h"

int rf_filter_copy_gpus(const struct rf_filter *filter, const rf_recording *from, rf_recording *to,
                        const uint32_t *process);

#endif
