/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_EVENT_H
#define RF_READER_KINDS_EVENT_H

#include "kind.h"

extern const struct column event_columns[];
extern const PyGetSetDef range_objects[], mark_objects[];

int run_of_events(const struct held *held, uint32_t i, struct run *run);
int is_range_row(const void *at);
int is_mark_row(const void *at);

#endif
