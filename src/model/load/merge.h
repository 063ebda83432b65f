/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_MERGE_H
#define RF_MODEL_LOAD_MERGE_H

struct rf_load;

int rf_load_merge(struct rf_load *load);

#endif
