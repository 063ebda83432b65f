/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_DEFINITIONS_H
#define RF_MODEL_LOAD_DEFINITIONS_H

struct rf_load;

int rf_load_definitions(struct rf_load *load);

#endif
