/* SPDX-License-Identifier: Apache-2.0 */
/* What ranges add up to, by the names around them. */
#include <stdlib.h>
#include <string.h>

#include "summary/collect.h"

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

/* Finds the path of a range and of those around it. way: room for as many indices as events. */
static void find_path(struct rf_collecting *c, uint32_t thread, const struct rf_event *event,
                      uint32_t i, uint32_t *path, uint32_t *way)
{
    size_t n = 0;
    for (; i != RF_NO_INDEX && path[i] == RF_NO_INDEX;
         i = rf_range_parent(c->projections, thread, i))
        way[n++] = i;
    uint32_t parent = i != RF_NO_INDEX ? path[i] : RF_NO_INDEX;
    while (n > 0) {
        const struct rf_event *range = &event[way[--n]];
        uint32_t domain = rf_collect_domain(c, range->domain);
        uint32_t name = rf_collect_range_name(c, range->name);
        parent = rf_summary_path(c->summary, parent, domain, name);
        if (parent == RF_NO_INDEX) {
            (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
            return;
        }
        path[way[n]] = parent;
    }
}

static void add_ranges_of(struct rf_collecting *c, uint32_t thread, const struct rf_event *event,
                          size_t n)
{
    uint32_t *path = malloc((n + 1) * sizeof(*path)), *way = malloc((n + 1) * sizeof(*way));
    if (path == NULL || way == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    else
        memset(path, 0xff, (n + 1) * sizeof(*path)); /* RF_NO_INDEX */
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        if (!is_range(&event[i]))
            continue;
        const struct rf_summary_place place = rf_collect_place(
            c, thread, event[i].start_ns, (uint64_t)event[i].end_ns - (uint64_t)event[i].start_ns);
        find_path(c, thread, event, (uint32_t)i, path, way);
        (void)rf_collect_add(c, path[i],
                             event[i].kind == RF_EVENT_PUSH_POP ? RF_SUMMARY_PUSH_POP
                                                                : RF_SUMMARY_START_END,
                             &place);
    }
    free(path);
    free(way);
}

void rf_collect_ranges(struct rf_collecting *c)
{
    int status = rf_project(c->rec, NULL, &c->projections, NULL);
    if (status != RF_OK)
        (void)rf_collect_fail(c, status);
    for (uint32_t t = 0; t < rf_n_threads(c->rec) && c->status == RF_OK; t++) {
        size_t n = 0;
        const struct rf_event *event = rf_thread_events(c->rec, t, &n);
        add_ranges_of(c, t, event, n);
    }
}
