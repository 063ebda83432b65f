/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks for recordings that know none. */
#include <stdlib.h>
#include <string.h>

#include "summary/summary_data.h"

static int by_path(const void *a, const void *b, void *context)
{
    const rf_summary *summary = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = strverscmp(summary->input[x].path, summary->input[y].path);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Whether each input is one recording, of which nothing has a rank. */
static bool knows_none(const rf_summary *summary)
{
    for (size_t i = 0; i < summary->n_inputs; i++)
        if (summary->input[i].rank >= 0 || summary->input[i].n_inputs != 1)
            return false;
    for (size_t i = 0; i < summary->n_steps; i++)
        if (summary->step[i].rank >= 0)
            return false;
    for (size_t i = 0; i < summary->collectives.n; i++)
        if (summary->collectives.item[i].rank >= 0)
            return false;
    return true;
}

uint32_t rf_summary_rank_by_path(rf_summary *summary)
{
    const uint32_t n = rf_summary_n_inputs(summary);
    uint32_t *order = n > 1 && knows_none(summary) ? malloc(n * sizeof(*order)) : NULL;
    if (order == NULL)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof(*order), by_path, summary);
    for (uint32_t i = 0; i < n; i++)
        summary->input[order[i]].rank = i;
    for (size_t i = 0; i < summary->n_steps; i++)
        summary->step[i].rank = summary->input[summary->step[i].input].rank;
    for (size_t i = 0; i < summary->collectives.n; i++) {
        struct rf_summary_collective *item = &summary->collectives.item[i];
        item->rank = summary->input[item->input].rank;
    }
    summary->are_ranked_by_path = true;
    free(order);
    return n;
}
