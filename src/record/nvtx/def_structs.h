/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX's structures as definitions: docs/format.md, section 11.1. */
#ifndef RF_RECORD_NVTX_DEF_STRUCTS_H
#define RF_RECORD_NVTX_DEF_STRUCTS_H

#include "record/nvtx/def_text.h"

/* Copies what a program gave, without the fields that it did not set. False: it is not complete. */
bool rf_read_schema(nvtxPayloadSchemaAttr_t *to, const nvtxPayloadSchemaAttr_t *given);
bool rf_read_enum(nvtxPayloadEnumAttr_t *to, const nvtxPayloadEnumAttr_t *given);

/* Two time domains: points at which both clocks were read, or one such point and a slope. */
struct rf_time_relation {
    uint64_t from, to;
    double slope; /* of `to` by `from`; 0: points alone */
    uint32_t n_points;
    const nvtxSyncPoint_t *point;
};

#define RF_MOST_SYNC_POINTS 65536u /* of one definition */

typedef void rf_put_function(struct rf_def_text *text, const void *attributes);

/* The text of a definition from a copy of the program's structure. */
void rf_put_schema(struct rf_def_text *text, const void *attributes);
void rf_put_enum(struct rf_def_text *text, const void *attributes);
void rf_put_scope(struct rf_def_text *text, const void *attributes);
void rf_put_counter(struct rf_def_text *text, const void *attributes);
void rf_put_time_domain(struct rf_def_text *text, const void *attributes);
void rf_put_time_relation(struct rf_def_text *text, const void *attributes); /* rf_time_relation */

#endif
