/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/open_selected.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "base/sorting.h"
#include "model/filter/filter_parse.h"
#include "model/filter/filter_windows.h"
#include "model/filter/range_search.h"
#include "model/filter/selected.h"
#include "model/load/load_recording.h"
#include "model/load/selecting.h"
#include "model/recording.h"

struct opening {
    const char *path;
    unsigned flags;
    double drift;
    const struct rf_filter_options *options;
    struct rf_map threads;   /* those of options->threads */
    struct rf_map cut;       /* see struct rf_selecting */
    struct rf_filter ranges; /* the windows of options->nvtx */
    rf_recording *whole;     /* all of it was read: nothing else is needed */
    bool is_missing; /* there is no such thread or range, or it cannot be read: another reading of
                      * all says why */
};

/* ---- What sums can be filtered ---- */

/* The thread of GPU work is that of its call, which is not known while sums are made. */
static unsigned flags_of_sums(unsigned flags, const struct rf_filter_options *options)
{
    const unsigned range_work = flags & RF_OPEN_ANY_RANGE_WORK;
    const unsigned always = flags & (RF_OPEN_SUMS_ALWAYS | RF_OPEN_PATHS_ALWAYS);
    const unsigned sums = always | (flags & (RF_OPEN_SUMS | RF_OPEN_PATHS));
    const bool has_work = (flags & RF_OPEN_SUMS) != 0 && (flags & RF_OPEN_NO_WORK) == 0;
    const bool has_paths = (sums & (RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS)) != 0;
    if (range_work != 0 && !has_paths)
        return always | range_work;
    const bool has_no_work = !has_work && (sums & (RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS)) == 0;
    if ((has_no_work && options->gpus != NULL) || (has_work && options->threads != NULL))
        return 0;
    return has_paths ? sums | range_work : sums;
}

/* ---- The first reading ---- */

static int fail_first(struct opening *o, int status)
{
    o->is_missing = true;
    return status == RF_ERR_NO_MEMORY ? status : RF_OK;
}

/* Those that stand in the options of a filter, by what they are in any reading. */
static int find_threads(struct opening *o)
{
    const unsigned of_work = RF_OPEN_ANY_RANGE_WORK | RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS;
    const unsigned no_work = o->flags & of_work ? RF_OPEN_WORK_COUNTS /* callers are threads, too */
                                                : RF_OPEN_SUMS | RF_OPEN_NO_WORK;
    const unsigned flags = RF_OPEN_COUNTS | no_work | RF_OPEN_NO_SAMPLES | RF_OPEN_NO_DETAILS;
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    struct rf_filter filter;
    rf_recording *rec;
    struct rf_err err;
    options.threads = o->options->threads;
    int status = rf_recording_open(o->path, (o->flags & RF_OPEN_SALVAGE) | flags, o->drift, NULL,
                                   &rec, &err);
    if (status != RF_OK)
        return fail_first(o, status);
    status = rf_filter_init(&filter, rec, &options, &err);
    if (status != RF_OK)
        status = fail_first(o, status);
    for (uint32_t i = 0; i < rf_n_threads(rec) && status == RF_OK && !o->is_missing; i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        if (filter.keeps_thread[i])
            status = rf_map_set(&o->threads, (uint64_t)thread->process << 32 | thread->serial,
                                thread->tid, 1);
    }
    rf_filter_release(&filter);
    rf_close(rec);
    return status;
}

static int compare_starts(const void *left, const void *right)
{
    const struct rf_found_event *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* The windows of what was found in one way of reading the text, by start. */
static int choose(struct opening *o, const rf_recording *rec, const struct rf_selecting *found,
                  int way, bool *is_found)
{
    const struct rf_wanted_range *wanted = &found->wanted[way];
    struct rf_err err;
    uint64_t n = 0;
    int status = RF_OK;
    for (size_t i = 0; i < found->n_found && status == RF_OK; i++) {
        const struct rf_found_event *event = &found->found[i];
        if (event->way != (uint32_t)way || !rf_wants_domain(wanted, rec, event->domain))
            continue;
        if (!wanted->has_index || n == wanted->index)
            status = rf_filter_add_window(&o->ranges, event->start_ns, event->end_ns, &err);
        n++;
    }
    *is_found = n > 0;
    o->is_missing = wanted->has_index && n > 0 && n <= wanted->index;
    o->ranges.has_windows = n > 0;
    return status;
}

static int search(struct opening *o, struct rf_selecting *selecting)
{
    const unsigned paths =
        RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS | RF_OPEN_NO_STEPS | RF_OPEN_ANY_RANGE_WORK;
    const unsigned always = o->flags & RF_OPEN_PATHS_ALWAYS ? RF_OPEN_SUMS_ALWAYS : 0;
    rf_recording *rec;
    struct rf_err err;
    bool is_found = false;
    int status =
        rf_recording_open(o->path, (o->flags & ~paths) | RF_OPEN_SUMS | RF_OPEN_NO_WORK | always,
                          o->drift, selecting, &rec, &err);
    if (status != RF_OK)
        return fail_first(o, status);
    if (rec->selected == NULL) {
        o->whole = rec;
        return RF_OK;
    }
    rf_sort_unordered(selecting->found, selecting->n_found, sizeof(*selecting->found),
                      compare_starts);
    for (int way = 0; way < RF_WAYS_TO_READ && status == RF_OK && !is_found; way++)
        if (selecting->wanted[way].message != NULL)
            status = choose(o, rec, selecting, way, &is_found);
    o->is_missing |= !is_found && !selecting->is_wrong;
    rf_close(rec);
    return status;
}

static int find_ranges(struct opening *o)
{
    struct rf_wanted_range wanted[RF_WAYS_TO_READ] = {{.message = NULL}};
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    struct rf_selecting selecting = {.options = &options, .wanted = wanted};
    int status = RF_OK;
    options.processes = o->options->processes;
    options.ranks = o->options->ranks;
    for (int way = 0; way < RF_WAYS_TO_READ && status == RF_OK; way++)
        status = rf_wanted_range_init(&wanted[way], o->options->nvtx, way);
    if (status == RF_OK)
        status = search(o, &selecting);
    for (int way = 0; way < RF_WAYS_TO_READ; way++)
        free(wanted[way].message);
    free(selecting.found);
    return status;
}

/* The ranges that were cut, which other ranges and calls may lie in. */
static int find_cut(struct opening *o)
{
    const unsigned any = RF_OPEN_PATHS_ALWAYS | RF_OPEN_SUMS_ALWAYS;
    const unsigned always = o->flags & any ? RF_OPEN_SUMS_ALWAYS : 0;
    const unsigned flags = always | RF_OPEN_SUMS | RF_OPEN_NO_WORK | RF_OPEN_NO_SAMPLES;
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    struct rf_selecting selecting = {.options = &options, .cut = &o->cut, .finds_cut = true};
    rf_recording *rec;
    struct rf_err err;
    int status = rf_recording_open(o->path, (o->flags & RF_OPEN_SALVAGE) | flags, o->drift,
                                   &selecting, &rec, &err);
    if (status != RF_OK)
        return fail_first(o, status);
    rf_close(rec);
    return RF_OK;
}

/* ---- All ---- */

/* Whether it matters where a range begins if it was cut. */
static bool needs_cut(const struct opening *o)
{
    const unsigned around = RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS | RF_OPEN_ANY_RANGE_WORK;
    return o->options->without_cut && (o->flags & around) != 0 && o->whole == NULL;
}

static int look_up(struct opening *o)
{
    int status = RF_OK;
    if (o->options->threads != NULL)
        status = find_threads(o);
    if (status == RF_OK && o->options->nvtx != NULL && !o->is_missing)
        status = find_ranges(o);
    if (status == RF_OK && needs_cut(o) && !o->is_missing)
        status = find_cut(o);
    return status;
}

static int open_looked_up(struct opening *o, rf_recording **out, struct rf_err *err)
{
    struct rf_selecting selecting = {
        .options = o->options,
        .threads = o->options->threads != NULL ? &o->threads : NULL,
        .window = o->ranges.window,
        .n_windows = o->ranges.n_windows,
        .cut = needs_cut(o) ? &o->cut : NULL,
    };
    if (o->is_missing)
        return rf_recording_open(o->path, o->flags & ~(unsigned)RF_OPEN_ANY_SUMS, o->drift, NULL,
                                 out, err);
    return rf_recording_open(o->path, o->flags, o->drift, &selecting, out, err);
}

int rf_recording_open_selected(const char *path, unsigned flags, double drift,
                               const struct rf_filter_options *options, rf_recording **out,
                               struct rf_err *err)
{
    const unsigned sums = flags_of_sums(flags, options);
    struct opening o = {.path = path,
                        .flags = (flags & ~(unsigned)RF_OPEN_ANY_SUMS) | sums,
                        .drift = drift,
                        .options = options};
    if (sums == 0)
        return rf_recording_open(path, o.flags, drift, NULL, out, err);
    int status = look_up(&o);
    *out = o.whole;
    if (status != RF_OK)
        (void)rf_fail(err, status, "cannot read '%s': out of memory", path);
    else if (o.whole == NULL)
        status = open_looked_up(&o, out, err);
    free(o.ranges.window);
    rf_map_release(&o.threads);
    rf_map_release(&o.cut);
    return status;
}
