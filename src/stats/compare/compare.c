/* SPDX-License-Identifier: Apache-2.0 */
#include "rangefinder/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/sized.h"
#include "stats/add_up.h"
#include "stats/compare/compare_carrier.h"
#include "stats/compare/compare_counts.h"
#include "stats/compare/compare_items.h"
#include "stats/compare/compare_object.h"
#include "stats/compare/compare_rows.h"
#include "stats/compare/compare_runs.h"
#include "stats/compare/compare_step.h"

#define DEFAULT_EFFECT 0.03
#define MAX_EFFECT     1000

static int no_memory(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

/* ---- The object ---- */

/* Copies a text of the options; false: out of memory. */
static bool own_text(const char **text)
{
    if (*text != NULL)
        *text = strdup(*text);
    return *text != NULL;
}

static bool own_texts(struct rf_compare_options *options)
{
    const bool has_step = options->step != NULL, has_ignored = options->ignored != NULL;
    const bool is_step = own_text(&options->step), is_ignored = own_text(&options->ignored);
    return is_step == has_step && is_ignored == has_ignored;
}

int rf_compare_new(const struct rf_compare_options *options, rf_compare **out, struct rf_err *err)
{
    static const struct rf_compare_options defaults = RF_COMPARE_OPTIONS_INIT;
    struct rf_compare_options own;
    if (out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_new: out is NULL");
    *out = NULL;
    int status = rf_sized_options(&own, sizeof(own), options != NULL ? options : &defaults,
                                  "rf_compare_options", err);
    if (status != RF_OK)
        return status;
    if (own.effect == 0)
        own.effect = DEFAULT_EFFECT;
    if (!(own.effect > 0 && own.effect <= MAX_EFFECT))
        return rf_fail(err, RF_ERR_USAGE, "an effect is above 0, and at most %d times", MAX_EFFECT);
    rf_compare *compare = calloc(1, sizeof(*compare));
    if (compare == NULL)
        return no_memory(err);
    rf_summary_init(&compare->summary);
    compare->options = own;
    if (own_texts(&compare->options)) {
        *out = compare;
        return RF_OK;
    }
    rf_compare_free(compare);
    return no_memory(err);
}

void rf_compare_free(rf_compare *compare)
{
    if (compare == NULL)
        return;
    rf_compare_judgement_release(&compare->judgement);
    rf_compare_settings_release(&compare->settings);
    rf_compare_rows_release(&compare->rows);
    rf_compare_runs_release(&compare->runs);
    rf_compare_items_release(&compare->items);
    rf_summary_release(&compare->summary);
    free((char *)compare->options.step);
    free((char *)compare->options.ignored);
    free(compare->side);
    free(compare->step_name);
    free(compare);
}

/* ---- Adding ---- */

/* Two inputs that have a recording in common: an input that comes again on its side is left out. */
static int check_pair(const rf_compare *compare, const struct rf_summary_identity *there,
                      bool is_other_side, const rf_summary *summary,
                      const struct rf_summary_identity *item, struct rf_err *err)
{
    const struct rf_summary_input *old = &compare->summary.input[there->input],
                                  *input = &summary->input[item->input];
    char first[320], second[320];
    const bool are_whole = old->n_inputs == 1 && input->n_inputs == 1;
    if (are_whole && !is_other_side)
        return RF_OK;
    if (are_whole)
        return rf_fail(err, RF_ERR_USAGE, "'%s' is on both sides: it is the recording '%s'",
                       input->path, old->path);
    (void)rf_summary_identity_name(&compare->summary, there, first, sizeof(first));
    (void)rf_summary_identity_name(summary, item, second, sizeof(second));
    return rf_fail(err, RF_ERR_USAGE,
                   is_other_side ? "%s and %s have a recording in common, which is on both sides"
                                 : "%s and %s have a recording in common, which would count twice: "
                                   "leave one of them out",
                   first, second);
}

static int check_new(const rf_compare *compare, int side, const rf_summary *summary,
                     struct rf_err *err)
{
    int status = RF_OK;
    for (size_t i = 0; i < summary->identities.n && status == RF_OK; i++) {
        const struct rf_summary_identity *item = &summary->identities.item[i];
        const struct rf_summary_identity *there =
            rf_summary_find_part(&compare->summary, summary, item);
        if (there != NULL)
            status =
                check_pair(compare, there, compare->side[there->input] != side, summary, item, err);
    }
    return status;
}

int rf_compare_add(rf_compare *compare, enum rf_compare_side side, const rf_summary *summary,
                   struct rf_err *err)
{
    if (compare == NULL || summary == NULL || (side != RF_COMPARE_A && side != RF_COMPARE_B))
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_add: compare or summary is NULL");
    if (compare->has_tried)
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_add: the answer was found before");
    int status = check_new(compare, (int)side, summary, err);
    if (status != RF_OK)
        return status;
    for (size_t i = 0; i < summary->n_inputs; i++) {
        const size_t n = compare->summary.n_inputs + i;
        if (rf_grow_array(&compare->side, n, &compare->side_room, sizeof(*compare->side)) != RF_OK)
            return no_memory(err);
        compare->side[n] = (uint8_t)side;
    }
    return rf_summary_append(&compare->summary, summary, err);
}

/* ---- The answer ---- */

static int name_step(rf_compare *compare)
{
    const struct rf_compare_step *step = &compare->step;
    size_t domain_size = 0, name_size = 0;
    const char *domain = rf_summary_text(&compare->summary, step->domain, &domain_size);
    const char *name = rf_summary_text(&compare->summary, step->name, &name_size);
    const bool has_domain = domain_size > 0 && !step->is_any_domain;
    compare->step_name = calloc(1, domain_size + name_size + 8);
    if (compare->step_name == NULL)
        return RF_ERR_NO_MEMORY;
    if (!compare->rows.has_steps)
        return RF_OK;
    if (has_domain)
        memcpy(compare->step_name, domain, domain_size);
    char *to = compare->step_name + strlen(compare->step_name);
    if (has_domain)
        *to++ = ':';
    memcpy(to, name != NULL ? name : "(null)", name != NULL ? name_size : 6);
    return RF_OK;
}

#define MANY_NAMES 100

/* Makes the items. Where nothing is said of numbers in names, and most of many names differ only by
 * them, these are numbers of operations and the like, which differ from run to run. */
static int make_items(rf_compare *compare)
{
    struct rf_compare_items *items = &compare->items;
    const int wish = compare->options.fold_numbers;
    int status = rf_compare_items_make(items, &compare->summary, &compare->step, wish > 0);
    const size_t n_apart = items->n;
    if (status != RF_OK || wish != 0 || n_apart <= MANY_NAMES)
        return status;
    rf_compare_items_release(items);
    status = rf_compare_items_make(items, &compare->summary, &compare->step, true);
    compare->judgement.result.folds_numbers = items->n <= n_apart / 2;
    if (status != RF_OK || items->n <= n_apart / 2)
        return status;
    rf_compare_items_release(items);
    return rf_compare_items_make(items, &compare->summary, &compare->step, false);
}

static int find(rf_compare *compare, struct rf_err *err)
{
    rf_summary *summary = &compare->summary;
    struct rf_compare_judging judging = {.summary = summary,
                                         .items = &compare->items,
                                         .runs = &compare->runs,
                                         .rows = &compare->rows,
                                         .effect = compare->options.effect};
    int status = rf_compare_settings_make(&compare->settings, summary, compare->side,
                                          compare->options.ignored);
    judging.has_settings = compare->settings.n > 0;
    if (status == RF_OK)
        status = rf_compare_find_step(&compare->step, summary, &compare->options, err);
    if (status == RF_OK)
        status = make_items(compare);
    if (status == RF_OK)
        status = rf_compare_rows_make(&compare->rows, summary, &compare->items, &compare->runs);
    if (status == RF_OK)
        status = name_step(compare);
    if (status == RF_OK)
        status = rf_compare_judge_times(&compare->judgement, &judging);
    if (status == RF_OK)
        status = rf_compare_find_carriers(&compare->judgement, &judging);
    if (status == RF_OK)
        status = rf_compare_judge_counts(&compare->judgement, &judging);
    return status;
}

static int find_once(rf_compare *compare, struct rf_err *err)
{
    struct rf_compare_result *result = &compare->judgement.result;
    const uint64_t *n_of = compare->runs.n_of;
    int status = rf_compare_runs_make(&compare->runs, &compare->summary, compare->side);
    if (status == RF_OK && (n_of[0] == 0 || n_of[1] == 0))
        return rf_fail(err, RF_ERR_USAGE, "side %s has no run", n_of[0] == 0 ? "A" : "B");
    if (status == RF_OK)
        status = find(compare, err);
    if (status == RF_ERR_NOT_FOUND || status == RF_ERR_USAGE)
        return status;
    if (status != RF_OK)
        return rf_summary_fail(status, "all runs", err);
    compare->is_found = true;
    result->size = sizeof(*result);
    result->step = compare->step_name;
    result->n_runs_a = n_of[0];
    result->n_runs_b = n_of[1];
    result->n_settings = compare->settings.n;
    result->folds_numbers |= compare->options.fold_numbers > 0;
    for (size_t i = 0; i < compare->summary.n_inputs; i++)
        result->n_paths_folded =
            rf_add_up(result->n_paths_folded, compare->summary.input[i].n_paths_folded);
    return RF_OK;
}

int rf_compare_find(rf_compare *compare, struct rf_compare_result *result, struct rf_err *err)
{
    if (compare == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_find: compare is NULL");
    if (!compare->has_tried) {
        compare->has_tried = true;
        int status = find_once(compare, err);
        if (status != RF_OK)
            return status;
    }
    if (!compare->is_found)
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_find: it failed before");
    if (result != NULL &&
        rf_sized_write(result, sizeof(*result), &compare->judgement.result) != RF_SIZED_OK)
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_find: result->size is not set");
    return RF_OK;
}

/* ---- Its parts ---- */

/* Makes the name of an item when it is asked for first. */
static const char *name_of(const rf_compare *compare, const char **name, int kind, uint32_t item)
{
    if (*name != NULL)
        return *name;
    if (item != RF_NO_INDEX)
        *name = rf_compare_item_name(&compare->items, &compare->summary, item);
    else
        *name = strdup(kind == RF_COMPARE_RUN ? "(whole run)" : compare->step_name);
    return *name != NULL ? *name : "";
}

static const char *time_name(const rf_compare *compare, size_t i)
{
    struct rf_compare_judged *judged = &compare->judgement.time[i];
    return name_of(compare, &judged->time.name, judged->time.kind, judged->item);
}

static const char *count_name(const rf_compare *compare, size_t i)
{
    struct rf_compare_counted *counted = &compare->judgement.count[i];
    return name_of(compare, &counted->count.name, counted->count.kind, counted->item);
}

/* As options name it; "": it is none that they know. */
static const char *range_of(const rf_compare *compare, struct rf_compare_judged *judged)
{
    const struct rf_compare_step *step = &compare->step;
    const int kind = judged->time.kind;
    const bool is_step = kind == RF_COMPARE_STEP || kind == RF_COMPARE_MEAN;
    uint32_t domain = step->is_any_domain ? RF_NO_INDEX : step->domain, name = step->name;
    if (kind == RF_COMPARE_RANGE) {
        domain = compare->items.item[judged->item].domain;
        name = compare->items.item[judged->item].name;
    } else if (!is_step) {
        return "";
    }
    if (judged->time.range == NULL)
        judged->time.range = rf_compare_item_range(&compare->summary, domain, name);
    return judged->time.range != NULL ? judged->time.range : "";
}

int rf_compare_time_at(const rf_compare *compare, size_t i, struct rf_compare_time *out)
{
    if (compare == NULL || !compare->is_found || i >= compare->judgement.n_times)
        return RF_ERR_USAGE;
    struct rf_compare_time time = compare->judgement.time[i].time;
    const struct rf_compare_judged *carrier = compare->judgement.time[i].carrier;
    time.name = time_name(compare, i);
    time.range = range_of(compare, &compare->judgement.time[i]);
    time.carrier =
        carrier != NULL ? time_name(compare, (size_t)(carrier - compare->judgement.time)) : "";
    return rf_sized_write(out, sizeof(time), &time) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}

int rf_compare_count_at(const rf_compare *compare, size_t i, struct rf_compare_count *out)
{
    if (compare == NULL || !compare->is_found || i >= compare->judgement.n_counts)
        return RF_ERR_USAGE;
    struct rf_compare_count count = compare->judgement.count[i].count;
    count.name = count_name(compare, i);
    return rf_sized_write(out, sizeof(count), &count) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}

int rf_compare_setting_at(const rf_compare *compare, size_t i, struct rf_compare_setting *out)
{
    if (compare == NULL || !compare->is_found || i >= compare->settings.n)
        return RF_ERR_USAGE;
    return rf_sized_write(out, sizeof(*out), &compare->settings.item[i]) == RF_SIZED_OK
               ? RF_OK
               : RF_ERR_USAGE;
}

/* ---- Words ---- */

const char *rf_compare_verdict_name(int verdict)
{
    static const char *const names[] = {
        [RF_COMPARE_SLOWER] = "slower", [RF_COMPARE_FASTER] = "faster",
        [RF_COMPARE_SAME] = "same",     [RF_COMPARE_CANNOT_TELL] = "cannot tell",
        [RF_COMPARE_MORE] = "more",     [RF_COMPARE_FEWER] = "fewer",
        [RF_COMPARE_NEW] = "new",       [RF_COMPARE_GONE] = "gone",
    };
    return verdict >= 0 && verdict <= RF_COMPARE_GONE ? names[verdict] : "";
}

const char *rf_compare_kind_name(int kind)
{
    static const char *const names[] = {
        [RF_COMPARE_STEP] = "step",     [RF_COMPARE_RUN] = "run",
        [RF_COMPARE_RANGE] = "range",   [RF_COMPARE_KERNEL] = "kernel",
        [RF_COMPARE_MEMORY] = "memory", [RF_COMPARE_BYTES] = "bytes",
        [RF_COMPARE_WAIT] = "wait",     [RF_COMPARE_MEAN] = "mean",
        [RF_COMPARE_WORK] = "work",
    };
    return kind >= 0 && kind <= RF_COMPARE_WORK ? names[kind] : "";
}

const char *rf_compare_reason_name(int reason)
{
    static const char *const names[] = {
        [RF_COMPARE_CLEAR] = "",
        [RF_COMPARE_ONE_RUN] = "one run",
        [RF_COMPARE_SETTINGS] = "settings",
        [RF_COMPARE_WIDE] = "wide",
        [RF_COMPARE_CHANCE] = "chance",
        [RF_COMPARE_VARIES] = "varies",
        [RF_COMPARE_STEPS] = "steps",
    };
    return reason >= 0 && reason <= RF_COMPARE_STEPS ? names[reason] : "";
}
