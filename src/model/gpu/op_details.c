/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/op_details.h"

#include "model/recording.h"

void rf_op_details_init(struct rf_op_details *details)
{
    memset(details, 0, sizeof(*details));
    for (unsigned kind = 0; kind < rf_op_fields.n_kinds; kind++)
        details->pool[kind].size = rf_op_fields.kind[kind].detail_size;
}

void rf_op_details_release(struct rf_op_details *details)
{
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        rf_record_pool_release(&details->pool[kind]);
}

uint32_t rf_op_details_add(struct rf_op_details *details, unsigned kind, const void *detail)
{
    return rf_record_pool_add(&details->pool[rf_row_kind(&rf_op_fields, kind)->detail_of], detail);
}

void rf_op_details_move(struct rf_op_details *details, rf_recording *rec)
{
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++) {
        struct rf_record_pool *pool = &details->pool[kind];
        rec->detail[kind] = (struct rf_detail_array){pool->record, pool->n};
        pool->record = NULL;
    }
}
