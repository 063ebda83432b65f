/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_PLACE_H
#define RF_READER_KINDS_PLACE_H

#include "kind.h"

extern const struct column gpu_columns[], stream_columns[];
extern const PyGetSetDef gpu_objects[];

int run_of_gpus(const struct held *held, uint32_t i, struct run *run);
int run_of_streams(const struct held *held, uint32_t i, struct run *run);

#endif
