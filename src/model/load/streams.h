/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_STREAMS_H
#define RF_MODEL_LOAD_STREAMS_H

#include <stdint.h>

struct rf_load;

int rf_load_decode(struct rf_load *load);

#endif
