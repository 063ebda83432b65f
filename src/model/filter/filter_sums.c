/* SPDX-License-Identifier: Apache-2.0 */
#include "model/filter/filter_sums.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/filter/selected.h"
#include "model/sums/projected_sums.h"
#include "model/sums/range_sums.h"

/* process: NULL: it is not said; likewise RF_NO_INDEX. */
static void set_process(uint32_t *of, const uint32_t *process)
{
    if (process != NULL && *of != RF_NO_INDEX)
        *of = process[*of];
}

/* Ranges of one place among those around them stay at one: of_index has the new indices. Values are
 * strings, which stay. */
static bool copy(struct rf_sums *to, const struct rf_sums *from, const uint32_t *process,
                 const uint32_t *domain, bool has_values, uint32_t *of_index)
{
    for (size_t i = 0; i < from->n; i++) {
        struct rf_sum_key key = from->sum[i].key;
        if (key.domain != RF_NO_INDEX)
            key.domain = domain[key.domain];
        if (key.around != 0 && !has_values)
            key.around = of_index[key.around - 1] + 1;
        if (!rf_sums_merge(to, &key, &from->sum[i]) ||
            (of_index[i] = rf_sums_index(to, &key)) == RF_NO_INDEX)
            return false;
    }
    for (size_t i = 0; i < to->n; i++) {
        struct rf_sum *sum = &to->sum[i];
        set_process(&sum->min.owner.process, sum->n > 0 ? process : NULL);
        set_process(&sum->max.owner.process, sum->n > 0 ? process : NULL);
        if (sum->first.number != 0)
            sum->first.process = process[sum->first.process];
    }
    return true;
}

static int copy_sums(struct rf_sums **out, const struct rf_sums *from, const uint32_t *process,
                     const uint32_t *domain, bool has_values)
{
    *out = NULL;
    if (from == NULL)
        return RF_OK;
    uint32_t *of_index = malloc((from->n + 1) * sizeof(*of_index));
    *out = calloc(1, sizeof(**out));
    const bool is_done =
        of_index != NULL && *out != NULL && copy(*out, from, process, domain, has_values, of_index);
    free(of_index);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* By the indices that threads and domains have in the result; the figures are the source's. */
int rf_filter_copy_projected(const rf_recording *from, rf_recording *to, const uint32_t *thread,
                             const uint32_t *domain)
{
    const struct rf_projected_sums *sums = from->projected_sums;
    if (from->selected == NULL || sums == NULL)
        return RF_OK;
    struct rf_projected_ranges *ranges = malloc(((size_t)sums->n_ranges + 1) * sizeof(*ranges));
    to->projected_sums = malloc(sizeof(*to->projected_sums));
    if (ranges == NULL || to->projected_sums == NULL) {
        free(ranges);
        free(to->projected_sums);
        to->projected_sums = NULL;
        return RF_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < sums->n_ranges; i++) {
        ranges[i] = sums->ranges[i];
        if (ranges[i].thread < from->n_threads)
            ranges[i].thread = thread[ranges[i].thread];
        if (ranges[i].domain < from->n_domains)
            ranges[i].domain = domain[ranges[i].domain];
    }
    *to->projected_sums = *sums;
    to->projected_sums->ranges = ranges;
    return RF_OK;
}

int rf_filter_copy_sums(const rf_recording *from, rf_recording *to, const uint32_t *process,
                        const uint32_t *domain)
{
    int status = RF_OK;
    if (from->selected == NULL)
        return RF_OK;
    to->sums = to->paths = to->named_work = NULL;
    status = copy_sums(&to->sums, from->sums, process, domain, from->group_by != 0);
    if (status == RF_OK)
        status = copy_sums(&to->paths, from->paths, process, domain, false);
    return status == RF_OK ? copy_sums(&to->named_work, from->named_work, process, process, false)
                           : status;
}

void rf_filter_add_counts(const rf_recording *from, rf_recording *to, const uint32_t *domain)
{
    const struct rf_selected *selected = from->selected;
    struct rf_info *info = &to->info;
    if (selected == NULL)
        return;
    for (uint32_t i = 0; i < to->n_threads; i++)
        info->n_events += to->thread[i].n_events;
    info->n_ranges += selected->n_ranges;
    info->n_marks += selected->n_marks;
    info->n_cut += selected->n_cut;
    info->n_cut_at_start += selected->n_cut_at_start;
    for (int i = 0; i < RF_CUT_REASONS; i++)
        info->n_cut_by[i] += selected->n_cut_by[i];
    for (uint32_t i = 0; i < from->n_domains; i++) {
        if (domain[i] == RF_NO_INDEX)
            continue;
        to->domain[domain[i]].n_annotations += selected->of_domain[i];
        to->process[to->domain[domain[i]].process].n_annotations += selected->of_domain[i];
    }
}
