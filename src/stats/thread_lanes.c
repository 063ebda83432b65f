/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/thread_lanes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"

static int add_piece(struct rf_lane *lane, int64_t start_ns, int64_t end_ns, size_t index)
{
    if (start_ns >= end_ns)
        return RF_OK;
    if (rf_grow_array(&lane->piece, lane->n, &lane->room, sizeof(*lane->piece)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    lane->piece[lane->n++] = (struct rf_lane_piece){start_ns, end_ns, (uint32_t)index};
    return RF_OK;
}

/* ---- Ranges ---- */

/* Ranges that are open at at_ns, by start. Those that have ended stay below others until these end
 * too. */
struct open_ranges {
    const struct rf_event *event; /* of the thread */
    uint32_t *index;
    size_t n, room;
    int64_t at_ns;
};

static bool is_of_thread(const rf_recording *rec, uint32_t thread, const struct rf_event *event)
{
    if (event->kind != RF_EVENT_START_END)
        return event->kind == RF_EVENT_PUSH_POP;
    const struct rf_start_end *link = rf_start_end_at(rec, event->link);
    return link != NULL && link->end_thread == thread;
}

/* Gives the time up to until_ns to the ranges that are open. */
static int settle(struct rf_lane *lane, struct open_ranges *open, int64_t until_ns)
{
    int status = RF_OK;
    while (open->n > 0 && open->at_ns < until_ns && status == RF_OK) {
        const uint32_t index = open->index[open->n - 1];
        const int64_t end_ns = open->event[index].end_ns;
        const int64_t to_ns = end_ns < until_ns ? end_ns : until_ns;
        if (to_ns > open->at_ns) {
            status = add_piece(lane, open->at_ns, to_ns, index);
            open->at_ns = to_ns;
        }
        if (end_ns <= until_ns)
            open->n--;
    }
    open->at_ns = until_ns;
    return status;
}

int rf_lane_list_ranges(struct rf_lane *lane, const rf_recording *rec, uint32_t thread)
{
    struct open_ranges open = {.at_ns = INT64_MIN};
    size_t n = 0;
    int status = RF_OK;
    open.event = rf_thread_events(rec, thread, &n);
    lane->n = 0;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        if (!is_of_thread(rec, thread, &open.event[i]))
            continue;
        status = settle(lane, &open, open.event[i].start_ns);
        if (status == RF_OK)
            status = rf_grow_array(&open.index, open.n, &open.room, sizeof(*open.index));
        if (status == RF_OK)
            open.index[open.n++] = (uint32_t)i;
    }
    if (status == RF_OK)
        status = settle(lane, &open, INT64_MAX);
    free(open.index);
    return status;
}

/* ---- Calls ---- */

int rf_lane_list_calls(struct rf_lane *lane, const rf_recording *rec, uint32_t thread)
{
    size_t n = 0;
    const struct rf_call *call = rf_thread_calls(rec, thread, &n);
    int64_t end_ns = INT64_MIN;
    int status = RF_OK;
    lane->n = 0;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        if (call[i].end_ns <= end_ns)
            continue;
        status = add_piece(lane, call[i].start_ns > end_ns ? call[i].start_ns : end_ns,
                           call[i].end_ns, i);
        end_ns = call[i].end_ns;
    }
    return status;
}

/* ---- Both ---- */

void rf_lane_release(struct rf_lane *lane)
{
    free(lane->piece);
}

size_t rf_lane_find(const struct rf_lane *lane, int64_t ns)
{
    size_t low = 0;
    for (size_t n = lane->n; n > 0;) {
        size_t half = n / 2;
        bool is_before = lane->piece[low + half].end_ns <= ns;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    return low;
}
