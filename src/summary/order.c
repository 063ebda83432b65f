/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/order.h"

#include <stdlib.h>
#include <string.h>

#include "summary/summary_steps.h"

/* A path while they are sorted. */
struct ranked {
    uint32_t path, depth;
};

struct ordering {
    const rf_summary *summary;
    struct ranked *ranked;
    uint32_t *rank; /* by path: its place in ranked[]; RF_NO_INDEX: not yet there */
};

static int compare_paths(const void *a, const void *b, void *context)
{
    const struct ordering *o = context;
    const struct ranked *x = a, *y = b;
    const struct rf_summary_path *p = &o->summary->path[x->path], *q = &o->summary->path[y->path];
    if (p->parent != q->parent) /* both are one level higher, and have their places */
        return o->rank[p->parent] < o->rank[q->parent] ? -1 : 1;
    int order = rf_summary_compare_texts(o->summary, p->domain, q->domain);
    return order != 0 ? order : rf_summary_compare_texts(o->summary, p->name, q->name);
}

static int compare_depths(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

/* Level by level, the topmost first. */
static void rank_paths(struct ordering *o, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t parent = o->summary->path[i].parent;
        o->ranked[i].path = (uint32_t)i;
        o->ranked[i].depth = parent != RF_NO_INDEX ? o->ranked[parent].depth + 1 : 0;
    }
    qsort(o->ranked, n, sizeof(*o->ranked), compare_depths);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && o->ranked[end].depth == o->ranked[begin].depth;)
            end++;
        qsort_r(o->ranked + begin, end - begin, sizeof(*o->ranked), compare_paths, o);
        for (size_t i = begin; i < end; i++)
            o->rank[o->ranked[i].path] = (uint32_t)i;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct rf_summary_row *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static uint32_t copy_string(rf_summary *to, const rf_summary *from, uint32_t string, bool *is_done)
{
    size_t size;
    const char *text = rf_summary_text(from, string, &size);
    if (text == NULL)
        return string;
    uint32_t copy = rf_strings_add(&to->strings, text, size);
    *is_done &= copy != RF_NO_STRING;
    return copy;
}

/* The paths that rows need, as they stand in ranked[]. */
static bool copy_paths(const struct ordering *o, rf_summary *to, const bool *is_used,
                       uint32_t *path)
{
    bool is_done = true;
    for (size_t i = 0; i < o->summary->n_paths && is_done; i++) {
        uint32_t from = o->ranked[i].path;
        const struct rf_summary_path *of = &o->summary->path[from];
        if (!is_used[from])
            continue;
        uint32_t domain = copy_string(to, o->summary, of->domain, &is_done);
        uint32_t name = copy_string(to, o->summary, of->name, &is_done);
        path[from] = rf_summary_path(to, of->parent != RF_NO_INDEX ? path[of->parent] : RF_NO_INDEX,
                                     domain, name);
        is_done &= path[from] != RF_NO_INDEX;
    }
    return is_done;
}

static bool copy_rows(rf_summary *to, const rf_summary *from, const uint32_t *path)
{
    for (size_t i = 0; i < from->n_rows; i++) {
        const struct rf_summary_row *row = &from->row[i];
        struct rf_summary_row *copy = rf_summary_row(to, row->input, path[row->path], row->kind);
        if (copy == NULL || rf_summary_row_merge(copy, row) != RF_OK)
            return false;
    }
    if (to->n_rows > 0)
        qsort(to->row, to->n_rows, sizeof(*to->row), compare_rows);
    return true;
}

static bool copy_steps(rf_summary *to, const rf_summary *from, const uint32_t *path)
{
    bool is_done = true;
    for (size_t i = 0; i < from->n_steps && is_done; i++) {
        struct rf_summary_step step = from->step[i];
        step.path = path[step.path];
        step.host = copy_string(to, from, step.host, &is_done);
        is_done &= rf_summary_add_step(to, &step) == RF_OK;
        for (size_t k = 0; k < step.n_children && is_done; k++) {
            const struct rf_summary_step_child *child = &from->step_child[step.first_child + k];
            is_done =
                rf_summary_add_step_child(to, path[child->path], child->n, child->total) == RF_OK;
        }
        is_done = is_done && rf_summary_copy_step_gpus(to, from, &step) == RF_OK;
    }
    rf_summary_sort_steps(to);
    return is_done;
}

static bool copy_inputs(rf_summary *to, const rf_summary *from)
{
    for (size_t i = 0; i < from->n_inputs; i++)
        if (rf_summary_add_input(to, &from->input[i]) != RF_OK)
            return false;
    return true;
}

static void mark_path(const rf_summary *summary, uint32_t path, bool *is_used)
{
    for (; path != RF_NO_INDEX && !is_used[path]; path = summary->path[path].parent)
        is_used[path] = true;
}

static void mark_used(const rf_summary *summary, bool *is_used)
{
    for (size_t i = 0; i < summary->n_rows; i++)
        mark_path(summary, summary->row[i].path, is_used);
    for (size_t i = 0; i < summary->n_steps; i++)
        mark_path(summary, summary->step[i].path, is_used);
    for (size_t i = 0; i < summary->n_step_children; i++)
        mark_path(summary, summary->step_child[i].path, is_used);
}

int rf_summary_order(rf_summary *ordered, const rf_summary *summary)
{
    const size_t n = summary->n_paths;
    struct ordering o = {summary, calloc(n + 1, sizeof(*o.ranked)),
                         malloc((n + 1) * sizeof(*o.rank))};
    bool *is_used = calloc(n + 1, sizeof(*is_used));
    uint32_t *path = malloc((n + 1) * sizeof(*path));
    bool is_done = o.ranked != NULL && o.rank != NULL && is_used != NULL && path != NULL;
    if (is_done) {
        rank_paths(&o, n);
        mark_used(summary, is_used);
        is_done = copy_inputs(ordered, summary) && copy_paths(&o, ordered, is_used, path) &&
                  copy_rows(ordered, summary, path) && copy_steps(ordered, summary, path) &&
                  rf_summary_identities_absorb(ordered, summary, NULL) == RF_OK &&
                  rf_summary_collectives_absorb(ordered, summary, NULL) == RF_OK &&
                  rf_summary_counters_absorb(ordered, summary, NULL, false) == RF_OK &&
                  rf_counter_ranges_absorb(ordered, summary, NULL) == RF_OK &&
                  rf_summary_settings_absorb(ordered, summary, NULL, false) == RF_OK &&
                  rf_summary_tallies_absorb(ordered, summary, NULL, false) == RF_OK &&
                  rf_summary_counters_join(ordered) == RF_OK &&
                  rf_counter_ranges_join(ordered) == RF_OK;
        rf_summary_identities_sort(ordered);
        rf_summary_collectives_sort(ordered);
        rf_summary_settings_sort(ordered);
        rf_summary_tallies_sort(ordered);
    }
    free(o.ranked);
    free(o.rank);
    free(is_used);
    free(path);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
