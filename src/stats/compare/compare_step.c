/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that summaries have are those that rf_steps_init() found. Of
 * recordings that were summed up as they were read, names and numbers of ranges have to do. */
#include "stats/compare/compare_step.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/add_up.h"
#include "stats/compare/compare_items.h"
#include "summary/steps.h"

static bool is_range(uint32_t kind)
{
    return kind == RF_SUMMARY_PUSH_POP || kind == RF_SUMMARY_START_END;
}

/* ---- The one that was asked for ---- */

/* Whether there is a range of the name of the step. */
static bool has_step(const rf_summary *summary, const struct rf_compare_items *items,
                     const struct rf_compare_step *step)
{
    for (size_t i = 0; i < summary->n_rows; i++) {
        const struct rf_compare_item *item =
            &items->item[items->of_path[summary->row[i].path]]; /* folded */
        if (is_range(summary->row[i].kind) && item->name == step->name &&
            (step->is_any_domain || item->domain == step->domain))
            return true;
    }
    return false;
}

/* The whole text is tried as a message first, as a message may contain @. */
static int find_named(struct rf_compare_step *step, rf_summary *summary,
                      const struct rf_compare_items *items, const char *text, struct rf_err *err)
{
    const char *at = strrchr(text, '@');
    *step = (struct rf_compare_step){.is_any_domain = true, .is_there = true};
    step->name = rf_summary_add_folded(summary, text, strlen(text));
    if (step->name == RF_NO_STRING)
        return RF_ERR_NO_MEMORY;
    if (has_step(summary, items, step))
        return RF_OK;
    if (at != NULL) {
        step->is_any_domain = false;
        step->name = rf_summary_add_folded(summary, text, (size_t)(at - text));
        step->domain = rf_strings_add(&summary->strings, at + 1, strlen(at + 1));
        if (step->name == RF_NO_STRING || step->domain == RF_NO_STRING)
            return RF_ERR_NO_MEMORY;
        if (has_step(summary, items, step))
            return RF_OK;
    }
    return rf_fail(err, RF_ERR_NOT_FOUND, "there is no range '%s'", text);
}

/* ---- The one with most time ---- */

/* Adds up times by domain and name. */
struct totals {
    struct rf_map of; /* domain, name -> place */
    struct rf_compare_step *step;
    double *total;
    size_t n;
};

static bool add_total(struct totals *totals, uint32_t domain, uint32_t name, uint64_t ns)
{
    uint32_t place = rf_map_find(&totals->of, domain, name);
    if (place == RF_MAP_NONE) {
        place = (uint32_t)totals->n++;
        totals->step[place] =
            (struct rf_compare_step){.domain = domain, .name = name, .is_there = true};
        totals->total[place] = 0;
        if (rf_map_set(&totals->of, domain, name, place) != RF_OK)
            return false;
    }
    totals->total[place] += (double)ns;
    return true;
}

/* Of equals the first that inputs have. */
static void take_longest(const struct totals *totals, struct rf_compare_step *step)
{
    size_t longest = 0;
    for (size_t i = 1; i < totals->n; i++)
        if (totals->total[i] > totals->total[longest])
            longest = i;
    if (totals->n > 0)
        *step = totals->step[longest];
}

static bool add_steps(struct totals *totals, const rf_summary *summary,
                      const struct rf_compare_items *items)
{
    for (size_t i = 0; i < summary->n_steps; i++) {
        const struct rf_summary_step *step = &summary->step[i];
        const struct rf_compare_item *item = &items->item[items->of_path[step->path]];
        if (!add_total(totals, item->domain, item->name, step->duration))
            return false;
    }
    return true;
}

/* By item: how many there are in the run that has fewest of them, if it has any. */
static uint64_t *count_least(const rf_summary *summary, const struct rf_compare_items *items)
{
    uint64_t *least = calloc(items->n + 1, sizeof(*least));
    struct rf_map of = {.n = 0}; /* item, input -> place in sum[] */
    uint64_t *sum = calloc(summary->n_rows + 1, sizeof(*sum));
    uint32_t *item_of = calloc(summary->n_rows + 1, sizeof(*item_of));
    uint32_t n = 0;
    bool is_done = least != NULL && sum != NULL && item_of != NULL;
    for (size_t i = 0; i < summary->n_rows && is_done; i++) {
        const struct rf_summary_row *row = &summary->row[i];
        const uint32_t item = items->of_path[row->path];
        if (!is_range(row->kind) || items->item[item].name == RF_REST_OF_NAMES)
            continue;
        uint32_t place = rf_map_find(&of, item, row->input);
        if (place == RF_MAP_NONE) {
            place = n++;
            item_of[place] = item;
            is_done = rf_map_set(&of, item, row->input, place) == RF_OK;
        }
        sum[place] = rf_add_up(sum[place], row->n);
    }
    for (uint32_t i = 0; i < n; i++)
        if (least[item_of[i]] == 0 || sum[i] < least[item_of[i]])
            least[item_of[i]] = sum[i];
    rf_map_release(&of);
    free(sum);
    free(item_of);
    if (!is_done) {
        free(least);
        return NULL;
    }
    return least;
}

/* The outermost ranges that every run repeats. */
static bool add_repeated(struct totals *totals, const rf_summary *summary,
                         const struct rf_compare_items *items)
{
    uint64_t *least = count_least(summary, items);
    bool *is_inside = calloc(items->n + 1, sizeof(*is_inside)), is_done = false;
    if (least != NULL && is_inside != NULL) {
        is_done = true;
        for (size_t i = 0; i < items->n; i++) { /* parents come first */
            const uint32_t parent = items->item[i].parent;
            is_inside[i] =
                parent != RF_NO_INDEX && (is_inside[parent] || least[parent] >= RF_MIN_STEPS);
        }
        for (size_t i = 0; i < summary->n_rows && is_done; i++) {
            const struct rf_summary_row *row = &summary->row[i];
            const uint32_t item = items->of_path[row->path];
            if (is_range(row->kind) && !is_inside[item] && least[item] >= RF_MIN_STEPS)
                is_done =
                    add_total(totals, items->item[item].domain, items->item[item].name, row->total);
        }
    }
    free(least);
    free(is_inside);
    return is_done;
}

static int find_longest(struct rf_compare_step *step, const rf_summary *summary,
                        const struct rf_compare_items *items)
{
    struct totals totals = {.n = 0};
    totals.step = malloc((items->n + 1) * sizeof(*totals.step));
    totals.total = malloc((items->n + 1) * sizeof(*totals.total));
    bool is_done =
        totals.step != NULL && totals.total != NULL && add_steps(&totals, summary, items);
    if (is_done && totals.n == 0)
        is_done = add_repeated(&totals, summary, items);
    if (is_done)
        take_longest(&totals, step);
    free(totals.step);
    free(totals.total);
    rf_map_release(&totals.of);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_compare_find_step(struct rf_compare_step *step, rf_summary *summary,
                         const struct rf_compare_options *options, struct rf_err *err)
{
    struct rf_compare_items items = {.n = 0};
    *step = (struct rf_compare_step){.is_there = false};
    int status = rf_compare_items_make(&items, summary, step, true);
    if (status == RF_OK)
        status = options->step != NULL ? find_named(step, summary, &items, options->step, err)
                                       : find_longest(step, summary, &items);
    rf_compare_items_release(&items);
    return status;
}
