/* SPDX-License-Identifier: Apache-2.0 */
/* What a program registers with NVTX's payload and counters extensions: docs/format.md, section
 * 11.1. */
#ifndef RF_RECORD_NVTX_EXT_DEFS_H
#define RF_RECORD_NVTX_EXT_DEFS_H

#include "record/nvtx/nvtx.h"

/* Callbacks that define something or only answer; those of events are in nvtx_ext_events.h. */
struct rf_callbacks rf_ext_payload_callbacks(void);
struct rf_callbacks rf_ext_counters_callbacks(void);

/* The sizes of C's types in the module that attaches; NULL: it does not say. */
void rf_ext_define_type_sizes(const nvtxPayloadEntryTypeInfo_t *info);

#endif
