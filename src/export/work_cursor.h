/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work of all threads and streams in the order of time. */
#ifndef RF_EXPORT_WORK_CURSOR_H
#define RF_EXPORT_WORK_CURSOR_H

#include "rangefinder/rangefinder.h"

/* One of the two. */
struct rf_work_at {
    const struct rf_call *call;
    uint32_t thread; /* of the call: index */
    const struct rf_gpu_op *op;
};

static inline int64_t rf_work_start_ns(const struct rf_work_at *at)
{
    return at->call != NULL ? at->call->start_ns : at->op->start_ns;
}

struct rf_work_cursor;

/* Among equals calls by thread, then GPU work by stream. The caller frees it before closing the
 * recording. */
int rf_work_cursor_new(const rf_recording *rec, struct rf_work_cursor **out, struct rf_err *err);

/* Gives the next one; returns 0 at the end. */
int rf_work_cursor_next(struct rf_work_cursor *cursor, struct rf_work_at *at);

/* NULL is accepted. */
void rf_work_cursor_free(struct rf_work_cursor *cursor);

/* How many calls and pieces of GPU work there are. */
uint64_t rf_count_work(const rf_recording *rec);

#endif
