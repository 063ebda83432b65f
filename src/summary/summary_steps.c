/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/summary_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

int rf_summary_add_step(rf_summary *summary, const struct rf_summary_step *step)
{
    if (rf_grow_array(&summary->step, summary->n_steps, &summary->step_room,
                      sizeof(*summary->step)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    struct rf_summary_step *added = &summary->step[summary->n_steps++];
    *added = *step;
    added->first_child = summary->n_step_children;
    added->n_children = 0;
    added->n_gpus = 0;
    return RF_OK;
}

/* Makes room for the last child of each path. */
static int grow_last_child(rf_summary *summary)
{
    if (summary->last_child_room >= summary->n_paths)
        return RF_OK;
    size_t room = 2 * summary->n_paths;
    size_t *last_child = realloc(summary->last_child, room * sizeof(*last_child));
    if (last_child == NULL)
        return RF_ERR_NO_MEMORY;
    memset(last_child + summary->last_child_room, 0,
           (room - summary->last_child_room) * sizeof(*last_child));
    summary->last_child = last_child;
    summary->last_child_room = room;
    return RF_OK;
}

static int add_to(uint64_t *sum, uint64_t value)
{
    return __builtin_add_overflow(*sum, value, sum) || *sum > INT64_MAX ? RF_ERR_UNSUPPORTED
                                                                        : RF_OK;
}

int rf_summary_add_child_of(rf_summary *summary, struct rf_summary_step *step, uint32_t path,
                            uint64_t n, uint64_t total)
{
    if (grow_last_child(summary) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (summary->last_child[path] <= step->first_child) {
        if (rf_grow_array(&summary->step_child, summary->n_step_children, &summary->step_child_room,
                          sizeof(*summary->step_child)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        summary->step_child[summary->n_step_children++] =
            (struct rf_summary_step_child){.path = path};
        summary->last_child[path] = summary->n_step_children;
        step->n_children++;
    }
    struct rf_summary_step_child *child = &summary->step_child[summary->last_child[path] - 1];
    int status = add_to(&child->n, n);
    return status == RF_OK ? add_to(&child->total, total) : status;
}

int rf_summary_add_step_child(rf_summary *summary, uint32_t path, uint64_t n, uint64_t total)
{
    return rf_summary_add_child_of(summary, &summary->step[summary->n_steps - 1], path, n, total);
}

int rf_summary_add_step_gpu(rf_summary *summary, struct rf_summary_step *step,
                            const struct rf_summary_step_gpu *gpu)
{
    if (rf_grow_array(&summary->step_gpu, summary->n_step_gpus, &summary->step_gpu_room,
                      sizeof(*summary->step_gpu)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (step->n_gpus++ == 0)
        step->first_gpu = summary->n_step_gpus;
    summary->step_gpu[summary->n_step_gpus++] = *gpu;
    return RF_OK;
}

int rf_summary_copy_step_gpus(rf_summary *to, const rf_summary *from,
                              const struct rf_summary_step *step)
{
    int status = RF_OK;
    for (size_t i = 0; i < step->n_gpus && status == RF_OK; i++)
        status = rf_summary_add_step_gpu(to, &to->step[to->n_steps - 1],
                                         &from->step_gpu[step->first_gpu + i]);
    return status;
}

/* ---- Order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_signed(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_threads(const rf_summary *summary, const struct rf_summary_step *a,
                           const struct rf_summary_step *b)
{
    int order = compare_numbers(a->input, b->input);
    order = order != 0 ? order : compare_signed(a->rank, b->rank);
    if (order == 0 && a->host != b->host)
        order = rf_summary_compare_texts(summary, a->host, b->host);
    order = order != 0 ? order : compare_numbers(a->pid, b->pid);
    return order != 0 ? order : compare_numbers(a->tid, b->tid);
}

static int compare_children(const rf_summary *summary, const struct rf_summary_step *a,
                            const struct rf_summary_step *b)
{
    int order = compare_numbers(a->n_children, b->n_children);
    for (size_t i = 0; i < a->n_children && order == 0; i++) {
        const struct rf_summary_step_child *x = &summary->step_child[a->first_child + i];
        const struct rf_summary_step_child *y = &summary->step_child[b->first_child + i];
        order = compare_numbers(x->path, y->path);
        order = order != 0 ? order : compare_numbers(x->n, y->n);
        order = order != 0 ? order : compare_numbers(x->total, y->total);
    }
    return order;
}

static int compare_gpus(const rf_summary *summary, const struct rf_summary_step *a,
                        const struct rf_summary_step *b)
{
    int order = compare_numbers(a->n_gpus, b->n_gpus);
    for (size_t i = 0; i < a->n_gpus && order == 0; i++) {
        const struct rf_summary_step_gpu *x = &summary->step_gpu[a->first_gpu + i];
        const struct rf_summary_step_gpu *y = &summary->step_gpu[b->first_gpu + i];
        order = compare_numbers(x->gpu, y->gpu);
        for (int m = 0; m < RF_SUMMARY_MOMENTS && order == 0; m++)
            order = compare_numbers(x->ns[m], y->ns[m]);
    }
    return order;
}

int rf_summary_compare_steps(const rf_summary *summary, const struct rf_summary_step *a,
                             const struct rf_summary_step *b)
{
    const uint64_t values[][2] = {
        {a->duration, b->duration}, {a->number, b->number},
        {a->path, b->path},         {a->self, b->self},
        {a->busy, b->busy},         {a->wait, b->wait},
        {a->cut, b->cut},           {a->has_children, b->has_children},
    };
    int order = compare_threads(summary, a, b);
    order = order != 0 ? order : compare_signed(a->start_utc_ns, b->start_utc_ns);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && order == 0; i++)
        order = compare_numbers(values[i][0], values[i][1]);
    order = order != 0 ? order : compare_children(summary, a, b);
    return order != 0 ? order : compare_gpus(summary, a, b);
}

bool rf_summary_is_same_thread(const struct rf_summary_step *a, const struct rf_summary_step *b)
{
    return a->input == b->input && a->rank == b->rank && a->host == b->host && a->pid == b->pid &&
           a->tid == b->tid;
}

static int compare(const void *a, const void *b, void *context)
{
    return rf_summary_compare_steps(context, a, b);
}

void rf_summary_sort_steps(rf_summary *summary)
{
    if (summary->n_steps > 0)
        qsort_r(summary->step, summary->n_steps, sizeof(*summary->step), compare, summary);
}

void rf_summary_release_steps(rf_summary *summary)
{
    free(summary->step);
    free(summary->step_child);
    free(summary->step_gpu);
    free(summary->last_child);
}
