/* SPDX-License-Identifier: Apache-2.0 */
/* What ranges add up to, by the names around them. */
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "model/sums/path_sums.h"
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

/* Of each range the time that no range inside it covers, as rf_range_self_ns() has it: events stand
 * in the order of their starts, so that one look at each is enough. */
static bool find_self(const struct rf_collecting *c, uint32_t thread, const struct rf_event *event,
                      size_t n, uint64_t *self_ns)
{
    int64_t *covered_to = malloc((n + 1) * sizeof(*covered_to));
    if (covered_to == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        self_ns[i] = (uint64_t)event[i].end_ns - (uint64_t)event[i].start_ns;
        covered_to[i] = event[i].start_ns;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = rf_range_parent(c->projections, thread, i);
        if (parent == RF_NO_INDEX)
            continue;
        int64_t from =
            event[i].start_ns > covered_to[parent] ? event[i].start_ns : covered_to[parent];
        if (event[i].end_ns <= from)
            continue;
        self_ns[parent] -= (uint64_t)event[i].end_ns - (uint64_t)from;
        covered_to[parent] = event[i].end_ns;
    }
    free(covered_to);
    return true;
}

static uint32_t kind_of(const struct rf_event *range)
{
    return range->kind == RF_EVENT_PUSH_POP ? RF_SUMMARY_PUSH_POP : RF_SUMMARY_START_END;
}

static void add_ranges_of(struct rf_collecting *c, uint32_t thread, const struct rf_event *event,
                          size_t n, const uint64_t *self_ns, uint32_t *way)
{
    uint32_t *path = c->path[thread];
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        if (!is_range(&event[i]))
            continue;
        const struct rf_summary_place place = rf_collect_place(
            c, thread, event[i].start_ns, (uint64_t)event[i].end_ns - (uint64_t)event[i].start_ns);
        find_path(c, thread, event, (uint32_t)i, path, way);
        if (!rf_goes_on(c->rec, &event[i]) &&
            rf_collect_add(c, path[i], kind_of(&event[i]), &place))
            (void)rf_collect_add_self(c, path[i], kind_of(&event[i]), self_ns[i]);
    }
}

static void add_thread(struct rf_collecting *c, uint32_t thread)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(c->rec, thread, &n);
    uint32_t *path = malloc((n + 1) * sizeof(*path)), *way = malloc((n + 1) * sizeof(*way));
    uint64_t *self_ns = malloc((n + 1) * sizeof(*self_ns));
    c->path[thread] = path;
    if (path == NULL || way == NULL || self_ns == NULL ||
        !find_self(c, thread, event, n, self_ns)) {
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    } else {
        memset(path, 0xff, (n + 1) * sizeof(*path)); /* RF_NO_INDEX */
        add_ranges_of(c, thread, event, n, self_ns, way);
    }
    free(way);
    free(self_ns);
}

/* Range by range, where work lies in ranges. */
static void add_each(struct rf_collecting *c)
{
    int status = rf_project(c->rec, NULL, &c->projections, NULL);
    c->path = calloc(rf_n_threads(c->rec) + (size_t)1, sizeof(*c->path));
    if (status != RF_OK || c->path == NULL)
        (void)rf_collect_fail(c, status != RF_OK ? status : RF_ERR_NO_MEMORY);
    for (uint32_t t = 0; t < rf_n_threads(c->rec) && c->status == RF_OK; t++)
        add_thread(c, t);
}

static void add_sums(struct rf_collecting *c, const struct rf_sums *sums, uint32_t **path_of)
{
    uint32_t *path = malloc((sums->n + 1) * sizeof(*path));
    if (path == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    else
        rf_collect_paths(c, sums, path);
    for (uint32_t t = 0; path_of != NULL && c->status == RF_OK && t < rf_n_threads(c->rec); t++) {
        size_t n = 0;
        const struct rf_event *event = rf_thread_events(c->rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (is_range(&event[i]))
                path_of[t][i] = path[path_of[t][i]];
    }
    free(path);
}

void rf_collect_ranges(struct rf_collecting *c)
{
    struct rf_path_sums all;
    size_t n_ops = 0;
    (void)rf_gpu_ops(c->rec, &n_ops);
    if (rf_recording_paths(c->rec) != NULL) {
        add_sums(c, rf_recording_paths(c->rec), NULL);
        return;
    }
    int status =
        n_ops > 0 ? RF_ERR_UNSUPPORTED : rf_path_sums_init(&all, c->rec, !c->options.without_steps);
    if (status == RF_OK) {
        add_sums(c, &all.sums, all.path);
        c->path = all.path;
        all.path = NULL;
    } else if (status == RF_ERR_UNSUPPORTED) {
        add_each(c);
    } else {
        (void)rf_collect_fail(c, status);
    }
    if (n_ops == 0)
        rf_path_sums_release(&all);
}

void rf_collect_work_of_range(struct rf_collecting *c, const struct rf_gpu_op *op, uint32_t i)
{
    uint32_t owner = rf_projection_owner(c->projections, i);
    if (op->kind == RF_OP_SYNC || owner == RF_NO_INDEX || op->thread >= rf_n_threads(c->rec))
        return;
    const struct rf_event *range = rf_thread_event_at(c->rec, op->thread, owner);
    (void)rf_collect_add_gpu(c, c->path[op->thread][owner], kind_of(range),
                             (uint64_t)op->end_ns - (uint64_t)op->start_ns);
}
