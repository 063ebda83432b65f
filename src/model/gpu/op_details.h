/* SPDX-License-Identifier: Apache-2.0 */
/* The structs that hold what only one kind of GPU work has (rf_row_kind.detail_size), while a
 * recording is read: many pieces of work share one, so that each stands once. */
#ifndef RF_MODEL_GPU_OP_DETAILS_H
#define RF_MODEL_GPU_OP_DETAILS_H

#include "model/arrays.h"
#include "model/fields/fields.h"

/* By rf_row_kind.detail_of. */
struct rf_op_details {
    struct rf_record_pool pool[RF_MAX_KINDS];
};

void rf_op_details_init(struct rf_op_details *details);
void rf_op_details_release(struct rf_op_details *details);

/* The index of a detail of work of this kind; RF_NO_INDEX: out of memory. */
uint32_t rf_op_details_add(struct rf_op_details *details, unsigned kind, const void *detail);

/* Gives them to the recording. */
void rf_op_details_move(struct rf_op_details *details, rf_recording *rec);

#endif
