/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_PAIR_H
#define RF_MODEL_LOAD_PAIR_H

struct rf_load;

int rf_load_pair(struct rf_load *load);

#endif
