/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, GPU work, what else was recorded, and samples of counters, in the order of time. */
#ifndef RF_EXPORT_WORK_CURSOR_H
#define RF_EXPORT_WORK_CURSOR_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

/* One of them; the others are NULL. */
struct rf_work_at {
    const struct rf_call *call;
    uint32_t thread; /* of the call: index */
    const struct rf_gpu_op *op;
    const struct rf_extra *extra;
    const int64_t *sample_ns; /* of a sample of a counter */
    const double *sample;
    uint32_t counter; /* index */
};

static inline int64_t rf_work_start_ns(const struct rf_work_at *at)
{
    if (at->call != NULL)
        return at->call->start_ns;
    if (at->op != NULL)
        return at->op->start_ns;
    return at->extra != NULL ? at->extra->start_ns : *at->sample_ns;
}

/* Whether an event of a thread goes before a call of it: what encloses goes first. */
static inline bool rf_is_before_call(const struct rf_event *event, const struct rf_call *call)
{
    if (event->start_ns != call->start_ns)
        return event->start_ns < call->start_ns;
    return event->kind != RF_EVENT_PUSH_POP || event->end_ns >= call->end_ns;
}

struct rf_work_cursor;

/* Among equals calls by thread, then GPU work by stream, other rows, samples by counter. The caller
 * frees it before closing the recording. */
int rf_work_cursor_new(const rf_recording *rec, struct rf_work_cursor **out, struct rf_err *err);

/* Gives the next one; returns false at the end. */
bool rf_work_cursor_next(struct rf_work_cursor *cursor, struct rf_work_at *at);

/* NULL is accepted. */
void rf_work_cursor_free(struct rf_work_cursor *cursor);

/* How many it gives. */
uint64_t rf_count_work(const rf_recording *rec);

#endif
