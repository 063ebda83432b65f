/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_PROJECTION_H
#define RF_READER_KINDS_PROJECTION_H

#include "kind.h"

extern const struct column projection_columns[];
extern const PyGetSetDef projection_objects[];

int run_of_projections(const struct held *held, uint32_t i, struct run *run);

#endif
