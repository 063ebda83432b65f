/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_GPU_H
#define RF_READER_KINDS_GPU_H

#include "kind.h"

extern const struct column call_columns[], op_columns[];
extern const PyGetSetDef call_objects[], op_objects[];

int run_of_calls(const struct held *held, uint32_t i, struct run *run);
int run_of_ops(const struct held *held, uint32_t i, struct run *run);
int is_kernel_row(const void *at);

#endif
