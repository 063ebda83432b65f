/* SPDX-License-Identifier: Apache-2.0 */
#include "export/scoped_events.h"

#include <stdlib.h>

#include "base/grow.h"

static int64_t end_of(const struct rf_event *event)
{
    return event->kind != RF_EVENT_MARK ? event->end_ns : event->start_ns;
}

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_tracks(const struct rf_scoped_event *a, const struct rf_scoped_event *b)
{
    if (a->process != b->process)
        return order_of(a->process, b->process);
    if (a->scope != b->scope)
        return order_of(a->scope, b->scope);
    if (a->has_category != b->has_category || !a->has_category)
        return order_of(a->has_category, b->has_category);
    if (a->event->domain != b->event->domain)
        return order_of(a->event->domain, b->event->domain);
    return order_of(a->event->category, b->event->category);
}

static int compare_events(const void *left, const void *right)
{
    const struct rf_scoped_event *a = left, *b = right;
    const struct rf_event *x = a->event, *y = b->event;
    int order = compare_tracks(a, b);
    if (order != 0)
        return order;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (end_of(x) != end_of(y))
        return end_of(x) > end_of(y) ? -1 : 1;
    if (a->thread != b->thread)
        return order_of(a->thread, b->thread);
    return x < y ? -1 : x > y; /* of one array */
}

static int add_thread(const rf_recording *rec, uint32_t thread, bool by_category,
                      struct rf_scoped_events *out)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t scope = rf_event_scope(rec, &event[i]);
        if (scope == RF_NO_STRING)
            continue;
        if (rf_grow_array(&out->event, out->n, &out->room, sizeof(*out->event)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        out->event[out->n++] = (struct rf_scoped_event){
            .event = &event[i],
            .process = rf_thread_at(rec, thread)->process,
            .thread = thread,
            .scope = scope,
            .has_category = by_category && (event[i].flags & RF_EVENT_HAS_CATEGORY) != 0};
    }
    return RF_OK;
}

int rf_find_scoped_events(const rf_recording *rec, bool by_category, struct rf_scoped_events *out)
{
    int status = RF_OK;
    *out = (struct rf_scoped_events){.n = 0};
    for (uint32_t i = 0; i < rf_n_threads(rec) && status == RF_OK; i++)
        status = add_thread(rec, i, by_category, out);
    if (status == RF_OK && out->n > 0)
        qsort(out->event, out->n, sizeof(*out->event), compare_events);
    return status;
}

size_t rf_scoped_track_end(const struct rf_scoped_events *scoped, size_t i)
{
    const struct rf_scoped_event *first = &scoped->event[i];
    while (i < scoped->n && compare_tracks(first, &scoped->event[i]) == 0)
        i++;
    return i;
}
