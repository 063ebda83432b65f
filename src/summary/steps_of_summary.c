/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/steps_of_summary.h"

#include <stdlib.h>

#include "base/grow.h"
#include "summary/summary_steps.h"

static int compare(const void *a, const void *b, void *context)
{
    const rf_summary *summary = context;
    return rf_summary_compare_steps(summary, &summary->step[*(const uint32_t *)a],
                                    &summary->step[*(const uint32_t *)b]);
}

/* The places of the input's steps, in order. */
static uint32_t *order_steps(const rf_summary *summary, uint32_t input, size_t *n)
{
    uint32_t *order = malloc((summary->n_steps + 1) * sizeof(*order));
    *n = 0;
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < summary->n_steps; i++)
        if (summary->step[i].input == input)
            order[(*n)++] = (uint32_t)i;
    if (*n > 0)
        qsort_r(order, *n, sizeof(*order), compare, (void *)summary);
    return order;
}

/* The key of a name, whatever is around it; RF_NO_INDEX: out of memory. */
static uint32_t find_key(struct rf_range_keys *keys, const struct rf_summary_path *path)
{
    uint32_t key = rf_map_find(&keys->of_name, path->name, path->domain);
    if (key != RF_MAP_NONE)
        return key;
    key = (uint32_t)keys->n;
    if (rf_grow_array(&keys->key, keys->n, &keys->room, sizeof(*keys->key)) != RF_OK ||
        rf_map_set(&keys->of_name, path->name, path->domain, key) != RF_OK)
        return RF_NO_INDEX;
    keys->key[keys->n++] = (struct rf_range_key){path->domain, path->name, key};
    return key;
}

static int add_child(struct rf_steps *steps, struct rf_step *step, struct rf_step_child child,
                     size_t *last)
{
    if (last[child.key] > step->first_child) { /* of the same name, below another path */
        struct rf_step_child *sum = &steps->child[last[child.key] - 1];
        return __builtin_add_overflow(sum->count, child.count, &sum->count) ||
                       __builtin_add_overflow(sum->total_ns, child.total_ns, &sum->total_ns) ||
                       sum->total_ns > INT64_MAX
                   ? RF_ERR_UNSUPPORTED
                   : RF_OK;
    }
    if (rf_grow_array(&steps->child, steps->n_children, &steps->children_room,
                      sizeof(*steps->child)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    steps->child[steps->n_children++] = child;
    last[child.key] = steps->n_children;
    step->n_children++;
    return RF_OK;
}

static int add_step(struct rf_steps *steps, const rf_summary *summary, uint32_t i, size_t *last)
{
    const struct rf_summary_step *from = &summary->step[i];
    const struct rf_step *before = steps->n > 0 ? &steps->step[steps->n - 1] : NULL;
    bool is_same = before == NULL || rf_summary_is_same_thread(&summary->step[before->event], from);
    struct rf_step step = {
        .thread = before != NULL ? before->thread + !is_same : 0,
        .event = i,
        .key = find_key(&steps->keys, &summary->path[from->path]),
        .number = (uint32_t)from->number,
        .first_child = (uint32_t)steps->n_children,
        .cut = (uint8_t)from->cut,
        .has_children = from->has_children,
        .duration_ns = from->duration,
        .self_ns = from->self,
        .busy_ns = from->busy,
        .wait_ns = from->wait,
    };
    for (size_t k = 0; k < from->n_children; k++) {
        const struct rf_summary_step_child *child = &summary->step_child[from->first_child + k];
        uint32_t key = find_key(&steps->keys, &summary->path[child->path]);
        const struct rf_step_child added = {key, 0, (uint32_t)child->n, child->total};
        int status = add_child(steps, &step, added, last);
        if (status != RF_OK)
            return status;
    }
    if (rf_grow_array(&steps->step, steps->n, &steps->room, sizeof(*steps->step)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    steps->n_without_children += !step.has_children;
    steps->step[steps->n++] = step;
    return RF_OK;
}

/* Gives the names of a step and its children a key. */
static int find_keys(struct rf_range_keys *keys, const rf_summary *summary,
                     const struct rf_summary_step *step)
{
    if (find_key(keys, &summary->path[step->path]) == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    for (size_t i = step->first_child; i < step->first_child + step->n_children; i++)
        if (find_key(keys, &summary->path[summary->step_child[i].path]) == RF_NO_INDEX)
            return RF_ERR_NO_MEMORY;
    return RF_OK;
}

int rf_steps_of_summary(struct rf_steps *steps, const rf_summary *summary, uint32_t input)
{
    size_t n = 0;
    *steps = (struct rf_steps){.n = 0};
    uint32_t *order = order_steps(summary, input, &n);
    int status = order != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n && status == RF_OK; i++)
        status = find_keys(&steps->keys, summary, &summary->step[order[i]]);
    size_t *last = calloc(steps->keys.n + 1, sizeof(*last));
    if (last == NULL)
        status = RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n && status == RF_OK; i++)
        status = add_step(steps, summary, order[i], last);
    free(order);
    free(last);
    return status;
}
