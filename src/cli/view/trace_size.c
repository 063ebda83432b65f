/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/trace_size.h"

#include <stddef.h>

/* A packet of Perfetto's has at least a tag and a size for itself, its time, its event, and the
 * event's kind. A slice is two of them. A record of Fuchsia's is larger than both. */
#define PACKET 8
#define SLICE  (2 * PACKET)

static uint64_t size_of_events(const struct rf_event *event, size_t n)
{
    uint64_t size = 0;
    for (size_t i = 0; i < n; i++)
        if (event[i].kind == RF_EVENT_PUSH_POP || event[i].kind == RF_EVENT_START_END)
            size += SLICE;
        else if (event[i].kind == RF_EVENT_MARK)
            size += PACKET;
    return size;
}

uint64_t trace_size_at_least(const rf_recording *rec)
{
    uint64_t size = 0;
    size_t n;
    for (uint32_t thread = 0; thread < rf_n_threads(rec); thread++) {
        const struct rf_event *event = rf_thread_events(rec, thread, &n);
        size += size_of_events(event, n);
        (void)rf_thread_calls(rec, thread, &n);
        size += (uint64_t)n * SLICE;
    }
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (op[i].kind != RF_OP_SYNC) /* a wait may be one of a call */
            size += SLICE;
    return size;
}
