/* SPDX-License-Identifier: Apache-2.0 */
/* Summing up a recording. To sum up something more: a function that adds rows, and its place in
 * collectors[]. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "model/private_access.h"
#include "summary/collect.h"
#include "summary/size_limit.h"

#define DEFAULT_MAX_PATHS       1000
#define DEFAULT_MAX_STEPS       10000
#define DEFAULT_MAX_COLLECTIVES 10000
#define DEFAULT_MAX_COUNTERS    10000
#define DEFAULT_MAX_TALLIES     100

static void (*const collectors[])(struct rf_collecting *c) = {
    rf_collect_ranges,      rf_collect_calls,    rf_collect_work,    rf_collect_steps,
    rf_collect_collectives, rf_collect_counters, rf_collect_settings};

/* ---- The limit of paths ---- */

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

/* Keeps the paths with most time, and those around them, while there is room. bytes: by path. */
static void choose(const rf_summary *summary, const struct weight *weight, size_t most,
                   const uint64_t *bytes, uint64_t room, bool *is_kept)
{
    size_t n = 0;
    uint64_t taken = 0;
    for (size_t i = 0; i < summary->n_paths && n < most && taken < room; i++)
        for (uint32_t p = weight[i].path; p != RF_NO_INDEX && !is_kept[p];
             p = summary->path[p].parent) {
            is_kept[p] = true;
            taken += bytes != NULL ? bytes[p] : 0;
            n++;
        }
}

/* What each path takes in a file; NULL: they have that room, or out of memory. */
static uint64_t *find_bytes(struct rf_collecting *c, uint64_t room)
{
    uint64_t sum = 0, *bytes = rf_summary_path_bytes(c->summary);
    for (size_t i = 0; i < c->summary->n_paths && bytes != NULL; i++)
        sum += bytes[i];
    if (bytes == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    else if (sum > room)
        return bytes;
    free(bytes);
    return NULL;
}

/* What stays; NULL: all, or out of memory. */
static bool *choose_paths(struct rf_collecting *c)
{
    rf_summary *summary = c->summary;
    const size_t n = summary->n_paths;
    const uint64_t room =
        c->options.max_kb > 0 ? rf_summary_room_of_paths(c->options.max_kb) : UINT64_MAX;
    uint64_t *bytes = c->options.max_kb > 0 ? find_bytes(c, room) : NULL;
    if (n <= c->options.max_paths && bytes == NULL)
        return NULL;
    struct weight *weight = malloc(n * sizeof(*weight));
    bool *is_kept = calloc(n, sizeof(*is_kept));
    if (weight == NULL || is_kept == NULL) {
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
        free(weight);
        free(is_kept);
        free(bytes);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        weight[i] = (struct weight){0, (uint32_t)i};
    for (size_t i = 0; i < summary->n_rows; i++)
        if (summary->row[i].kind != RF_SUMMARY_MEMORY_BYTES) /* totals are below 2^63 */
            weight[summary->row[i].path].total += summary->row[i].total;
    qsort(weight, n, sizeof(*weight), compare_weights);
    choose(summary, weight, c->options.max_paths, bytes, room, is_kept);
    free(weight);
    free(bytes);
    for (size_t i = 0; i < n; i++)
        summary->input[0].n_paths_folded += !is_kept[i];
    return is_kept;
}

/* What is beyond the limit goes before tallies come: it may be most of the memory. */
static void limit_paths(struct rf_collecting *c)
{
    const size_t n_strings = rf_n_strings(c->rec) + (size_t)1;
    bool *is_kept = choose_paths(c);
    if (is_kept == NULL)
        return;
    rf_summary limited;
    rf_summary_init(&limited);
    (void)rf_collect_fail(c, rf_summary_absorb(&limited, c->summary,
                                               &(struct rf_absorb_choice){.is_kept = is_kept},
                                               c->err));
    free(is_kept);
    rf_summary_release(c->summary);
    *c->summary = limited;
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
