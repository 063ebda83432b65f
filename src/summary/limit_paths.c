/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/limit_paths.h"

#include <stdlib.h>

struct weight {
    uint64_t total;
    uint32_t path;
};

static int compare_weights(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path; /* the first that the recording has */
}

/* weight: room for all paths. */
static void weigh(const rf_summary *summary, const struct rf_paths_limit *limit,
                  struct weight *weight)
{
    for (size_t i = 0; i < summary->n_paths; i++)
        weight[i] = (struct weight){0, (uint32_t)i};
    for (size_t i = 0; i < summary->n_rows; i++)
        if (summary->row[i].kind != RF_SUMMARY_MEMORY_BYTES) /* totals are below 2^63 */
            weight[summary->row[i].path].total += summary->row[i].total;
    for (size_t i = 0; i < summary->n_step_children && limit->bytes != NULL; i++)
        weight[summary->step_child[i].path].total = UINT64_MAX - 1;
    for (size_t i = 0; i < summary->n_steps && limit->bytes != NULL; i++)
        weight[summary->step[i].path].total = UINT64_MAX;
    qsort(weight, summary->n_paths, sizeof(*weight), compare_weights);
}

/* is_kept: false for all. What an earlier limit made of others stays, and is not counted. */
static void choose(const rf_summary *summary, const struct rf_paths_limit *limit,
                   const struct weight *weight, bool *is_kept)
{
    size_t n = 0;
    uint64_t taken = 0;
    for (size_t i = 0; i < summary->n_paths; i++)
        is_kept[i] = summary->path[i].name == RF_REST_OF_NAMES;
    for (size_t i = 0; i < summary->n_paths && n < limit->most && taken < limit->room; i++)
        for (uint32_t p = weight[i].path; p != RF_NO_INDEX && !is_kept[p];
             p = summary->path[p].parent) {
            is_kept[p] = true;
            taken += limit->bytes != NULL ? limit->bytes[p] : 0;
            n++;
        }
}

int rf_summary_limit_paths(rf_summary *summary, const struct rf_paths_limit *limit,
                           struct rf_err *err)
{
    const size_t n = summary->n_paths;
    struct weight *weight = malloc((n + 1) * sizeof(*weight));
    bool *is_kept = calloc(n + 1, sizeof(*is_kept));
    rf_summary limited;
    int status = RF_ERR_NO_MEMORY;
    rf_summary_init(&limited);
    if (weight != NULL && is_kept != NULL) {
        weigh(summary, limit, weight);
        choose(summary, limit, weight, is_kept);
        for (size_t i = 0; i < n; i++)
            summary->input[0].n_paths_folded += !is_kept[i];
        status = rf_summary_absorb(&limited, summary,
                                   &(struct rf_absorb_choice){.is_kept = is_kept}, err);
    }
    free(weight);
    free(is_kept);
    rf_summary_release(status == RF_OK ? summary : &limited);
    if (status == RF_OK)
        *summary = limited;
    return status;
}
