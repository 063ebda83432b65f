/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_EXTRA_H
#define RF_READER_KINDS_EXTRA_H

#include "kind.h"

extern const struct column extra_columns[];
extern const PyGetSetDef extra_objects[];

int run_of_extras(const struct held *held, uint32_t i, struct run *run);

#endif
