/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_COUNTER_H
#define RF_READER_KINDS_COUNTER_H

#include "kind.h"

extern const struct column counter_columns[], sample_columns[];
extern const PyGetSetDef counter_objects[], sample_objects[];

int run_of_counters(const struct held *held, uint32_t i, struct run *run);
int run_of_samples(const struct held *held, uint32_t i, struct run *run);

#endif
