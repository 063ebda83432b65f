/* SPDX-License-Identifier: Apache-2.0 */
#include "export/shown_begin.h"

#include "model/fields/event_names.h"

static void take_first(int64_t *first_ns, int64_t start_ns)
{
    if (start_ns < *first_ns)
        *first_ns = start_ns;
}

/* Events come by start, and so do calls. */
static void take_thread(int64_t *first_ns, const rf_recording *rec, uint32_t thread)
{
    size_t n;
    const struct rf_event *events = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++) {
        if (events[i].kind <= RF_EVENT_MARK || rf_event_is_instant(&events[i])) {
            take_first(first_ns, events[i].start_ns);
            break;
        }
    }
    const struct rf_call *calls = rf_thread_calls(rec, thread, &n);
    if (n > 0)
        take_first(first_ns, calls[0].start_ns);
}

int64_t rf_shown_begin_ns(const rf_recording *rec)
{
    int64_t first_ns = INT64_MAX;
    size_t n_ops;
    const struct rf_gpu_op *ops = rf_gpu_ops(rec, &n_ops);
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        take_thread(&first_ns, rec, i);
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, i);
        if (track->n_ops > 0 && track->first_op < n_ops)
            take_first(&first_ns, ops[track->first_op].start_ns);
    }
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_counter_at(rec, i)->n_samples > 0)
            take_first(&first_ns, rf_counter_at(rec, i)->ns[0]);
    for (uint32_t i = 0; i < rf_n_captures(rec); i++)
        take_first(&first_ns, rf_capture_at(rec, i)->begin_ns);
    return first_ns != INT64_MAX ? first_ns : 0;
}
