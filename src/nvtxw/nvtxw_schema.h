/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: where the times lie in events, as far as that is the same in all of them. */
#ifndef RF_NVTXW_NVTXW_SCHEMA_H
#define RF_NVTXW_NVTXW_SCHEMA_H

#include "nvtxw/nvtxw_state.h"

/* Without an id and a layout. given NULL: for an enum. What it is made of is registered in the
 * domain. NULL: out of memory. */
struct nvtxw_schema *nvtxw_schema_new(const struct nvtxw_domain *domain,
                                      const nvtxPayloadSchemaAttr_t *given);
void nvtxw_schema_free(struct nvtxw_schema *schema);

/* The time domain that a chain of semantics names; 0: none. */
uint64_t nvtxw_semantics_time(const nvtxSemanticsHeader_t *first);

#endif
