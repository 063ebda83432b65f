/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_THREADS_H
#define RF_MODEL_LOAD_THREADS_H

struct rf_load;

int rf_load_threads(struct rf_load *load);

#endif
