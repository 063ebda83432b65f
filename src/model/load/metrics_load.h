/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_METRICS_LOAD_H
#define RF_MODEL_LOAD_METRICS_LOAD_H

struct rf_load;

int rf_load_metrics(struct rf_load *load);

#endif
