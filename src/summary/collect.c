/* SPDX-License-Identifier: Apache-2.0 */
/* Summing up a recording. To sum up something more: a function that adds rows, and its place in
 * collectors[]. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "model/private_access.h"
#include "summary/collect.h"
#include "summary/limit_paths.h"

#define DEFAULT_MAX_PATHS       1000
#define DEFAULT_MAX_STEPS       10000
#define DEFAULT_MAX_COLLECTIVES 10000
#define DEFAULT_MAX_COUNTERS    10000
#define DEFAULT_MAX_TALLIES     100

static void (*const collectors[])(struct rf_collecting *c) = {
    rf_collect_ranges,      rf_collect_calls,    rf_collect_work,    rf_collect_steps,
    rf_collect_collectives, rf_collect_counters, rf_collect_settings};

/* What is beyond the limit goes before tallies come: it may be most of the memory. */
static void limit_paths(struct rf_collecting *c)
{
    const size_t n_strings = rf_n_strings(c->rec) + (size_t)1;
    const struct rf_paths_limit limit = {.most = c->options.max_paths, .room = UINT64_MAX};
    if (c->summary->n_paths <= limit.most)
        return;
    (void)rf_collect_fail(c, rf_summary_limit_paths(c->summary, &limit, c->err));
    memset(c->name, 0xff, n_strings * sizeof(*c->name)); /* RF_NO_STRING: its strings are new */
    memset(c->folded, 0xff, n_strings * sizeof(*c->folded));
    memset(c->recent, 0, sizeof(c->recent));
}

static void free_paths(struct rf_collecting *c)
{
    for (uint32_t t = 0; c->path != NULL && t < rf_n_threads(c->rec); t++)
        free(c->path[t]);
    free(c->path);
    c->path = NULL;
}

/* ---- A recording ---- */

static int describe(struct rf_collecting *c)
{
    const struct rf_info *info = rf_get_info(c->rec);
    struct rf_recording_origin origin;
    struct rf_summary_input input = {
        .path = c->options.path != NULL ? c->options.path
                : info->path != NULL    ? info->path
                                        : "",
        .host = info->host != NULL ? info->host : "",
        .filter = c->options.filter != NULL ? c->options.filter : "",
        .rank = c->options.rank != RF_NO_TIME ? c->options.rank : info->rank,
        .local_rank = info->local_rank,
        .world_size = info->world_size,
        .start_utc_ns = info->epoch_utc_ns,
        .duration_ns = info->end_ns > 0 ? (uint64_t)info->end_ns : 0,
        .n_inputs = 1,
        .n_events = info->n_events,
        .n_lost = info->n_lost_records,
        .n_cut = info->n_cut,
    };
    rf_recording_origin(c->rec, &origin);
    memcpy(input.boot_id, origin.boot_id, sizeof(input.boot_id));
    int status = rf_summary_add_input(c->summary, &input);
    return status == RF_OK ? rf_summary_identify(c->summary, 0, info->root_pid, info->rank)
                           : status;
}

static uint32_t *no_strings(const rf_recording *rec)
{
    size_t n = rf_n_strings(rec) + (size_t)1;
    uint32_t *string = malloc(n * sizeof(*string));
    if (string != NULL)
        memset(string, 0xff, n * sizeof(*string)); /* RF_NO_STRING */
    return string;
}

static void collect(struct rf_collecting *c, void (*add_tallies)(struct rf_collecting *c))
{
    c->name = no_strings(c->rec);
    c->folded = no_strings(c->rec);
    if (c->name == NULL || c->folded == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    else
        c->status = describe(c);
    for (size_t i = 0; i < sizeof(collectors) / sizeof(collectors[0]) && c->status == RF_OK; i++)
        collectors[i](c);
    free_paths(c);
    if (c->status == RF_OK)
        limit_paths(c);
    if (c->status == RF_OK && add_tallies != NULL)
        add_tallies(c);
    free(c->step_place);
    rf_steps_release(&c->steps);
    rf_projections_free(c->projections);
    free(c->name);
    free(c->folded);
}

static void set_default(uint32_t *option, uint32_t value)
{
    if (*option == 0)
        *option = value;
}

static void set_defaults(struct rf_summary_options *options)
{
    set_default(&options->max_paths, DEFAULT_MAX_PATHS);
    set_default(&options->max_steps, DEFAULT_MAX_STEPS);
    set_default(&options->max_collectives, DEFAULT_MAX_COLLECTIVES);
    set_default(&options->max_counters, DEFAULT_MAX_COUNTERS);
    set_default(&options->max_tallies, DEFAULT_MAX_TALLIES);
}

int rf_summary_collect(rf_summary *summary, const rf_recording *rec,
                       const struct rf_summary_options *options,
                       void (*add_tallies)(struct rf_collecting *c), struct rf_err *err)
{
    static const struct rf_summary_options defaults = RF_SUMMARY_OPTIONS_INIT;
    rf_summary own;
    struct rf_collecting c = {.rec = rec, .summary = &own, .err = err};
    if (summary == NULL || rec == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_add: summary or rec is NULL");
    const bool is_projected =
        rf_recording_projected_sums(rec) != NULL && rf_recording_paths(rec) == NULL;
    if (rf_recording_sums(rec) != NULL || rf_recording_work_sums(rec) != NULL ||
        rf_recording_launch_sums(rec) != NULL || is_projected)
        return rf_fail(err, RF_ERR_USAGE,
                       "rf_summary_add: the recording was opened for sums alone");
    int status = rf_sized_options(&c.options, sizeof(c.options),
                                  options != NULL ? options : &defaults, "rf_summary_options", err);
    if (status != RF_OK)
        return status;
    set_defaults(&c.options);
    rf_summary_init(&own);
    collect(&c, add_tallies);
    if (c.status == RF_OK)
        status = rf_summary_absorb(summary, &own, NULL, err);
    else
        status = rf_summary_fail(c.status, rf_get_info(rec)->path, err);
    rf_summary_release(&own);
    return status;
}
