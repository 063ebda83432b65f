/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/filter/range_search.h"
#include "summary/call_waits.h"

/* What is known of a folded name on one thread. */
struct tally {
    uint32_t thread; /* that it was set for, and 1 more; 0: none */
    uint32_t n,
        n_outermost;       /* instances that none of the same name is around; of any that repeats */
    int64_t end_ns;        /* of all so far, the last */
    int64_t covered_ns;    /* of the outermost ones so far, the last end */
    uint64_t outermost_ns; /* that they cover */
};

struct finder {
    struct rf_steps *steps;
    const rf_recording *rec;
    const rf_projections *projections; /* NULL: no GPU work */
    rf_projections *own;               /* they were made here */
    struct tally *tally;               /* per key */
    bool folds_numbers;
    uint8_t *is_named;            /* per folded key: it was asked for; NULL: nothing was */
    uint32_t *last_child;         /* per key: 1 more than the index of the last child of its name */
    size_t n_keys;                /* for which there is room */
    const struct rf_event *event; /* of a thread, likewise below */
    size_t n_events;
    struct rf_call_waits waits;
};

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static uint64_t duration_of(const struct rf_event *range)
{
    return (uint64_t)range->end_ns - (uint64_t)range->start_ns;
}

/* ---- Which range is the step ---- */

static uint32_t folded_of(struct finder *finder, const struct rf_event *range)
{
    struct rf_range_keys *keys = &finder->steps->keys;
    return keys->key[rf_range_keys_find(keys, range)].folded;
}

/* Makes room for all keys that there are. */
static int reserve(struct finder *finder)
{
    if (finder->steps->keys.n <= finder->n_keys)
        return RF_OK;
    const size_t before = finder->n_keys, n = 2 * finder->steps->keys.n;
    struct tally *tally = realloc(finder->tally, n * sizeof(*tally));
    finder->tally = tally != NULL ? tally : finder->tally;
    uint32_t *last_child = realloc(finder->last_child, n * sizeof(*last_child));
    finder->last_child = last_child != NULL ? last_child : finder->last_child;
    if (tally == NULL || last_child == NULL)
        return RF_ERR_NO_MEMORY;
    memset(tally + before, 0, (n - before) * sizeof(*tally));
    memset(last_child + before, 0, (n - before) * sizeof(*last_child));
    finder->n_keys = n;
    return RF_OK;
}

static struct tally *tally_of(struct finder *finder, uint32_t key, uint32_t thread)
{
    struct tally *tally = &finder->tally[key];
    if (tally->thread != thread + 1)
        *tally = (struct tally){.thread = thread + 1, .end_ns = INT64_MIN, .covered_ns = INT64_MIN};
    return tally;
}

/* Whether no earlier instance of the same name is around it. Start/end ranges that overlap are
 * steps of their own. */
static bool is_own_instance(const struct tally *tally, const struct rf_event *range)
{
    return tally->n == 0 || range->kind == RF_EVENT_START_END || range->end_ns > tally->end_ns;
}

/* Gives every range a key as well. */
static int count_instances(struct finder *finder, uint32_t thread)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(finder->rec, thread, &n);
    for (size_t i = 0; i < n; i++) {
        if (!is_range(&event[i]))
            continue;
        const uint32_t key = rf_range_keys_find(&finder->steps->keys, &event[i]);
        if (key == RF_NO_INDEX || reserve(finder) != RF_OK)
            return RF_ERR_NO_MEMORY;
        struct tally *tally = tally_of(finder, finder->steps->keys.key[key].folded, thread);
        if (!is_own_instance(tally, &event[i]))
            continue;
        tally->n++;
        tally->end_ns = event[i].end_ns > tally->end_ns ? event[i].end_ns : tally->end_ns;
    }
    return RF_OK;
}

/* The time of a range that is behind a time. */
static uint64_t uncovered_ns(const struct rf_event *range, int64_t end_ns)
{
    if (range->end_ns <= end_ns)
        return 0;
    return range->start_ns >= end_ns ? duration_of(range)
                                     : (uint64_t)range->end_ns - (uint64_t)end_ns;
}

static void add_outermost(struct tally *tally, const struct rf_event *range)
{
    tally->n_outermost++;
    tally->outermost_ns += uncovered_ns(range, tally->covered_ns);
    if (range->end_ns > tally->covered_ns)
        tally->covered_ns = range->end_ns;
}

/* The folded name of the thread's steps, or RF_NO_INDEX. Instances have been counted. */
static uint32_t choose_name(struct finder *finder, uint32_t thread)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(finder->rec, thread, &n);
    int64_t covered_ns = INT64_MIN; /* the push/pop range that repeats around what follows */
    uint32_t best = RF_NO_INDEX;
    for (size_t i = 0; i < n; i++) {
        if (!is_range(&event[i]) || event[i].end_ns <= covered_ns)
            continue;
        uint32_t key = folded_of(finder, &event[i]);
        struct tally *tally = &finder->tally[key];
        if (tally->n < RF_MIN_STEPS)
            continue;
        add_outermost(tally, &event[i]);
        if (event[i].kind == RF_EVENT_PUSH_POP)
            covered_ns = event[i].end_ns;
        if (tally->n_outermost >= RF_MIN_STEPS &&
            (best == RF_NO_INDEX || tally->outermost_ns > finder->tally[best].outermost_ns))
            best = key;
    }
    return best;
}

/* Marks the names that were asked for, now that all have keys. */
static int mark_named(struct finder *finder, const char *range, struct rf_err *err)
{
    struct rf_found_ranges found;
    int status = rf_find_ranges(finder->rec, range, NULL, &found, err);
    for (uint32_t t = 0; t < rf_n_threads(finder->rec) && status == RF_OK; t++)
        status = count_instances(finder, t);
    finder->is_named = calloc(finder->steps->keys.n + 1, sizeof(*finder->is_named));
    if (status == RF_OK && finder->is_named == NULL)
        status = RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < found.n && status == RF_OK; i++) {
        const struct rf_event *event =
            rf_thread_event_at(finder->rec, found.range[i].thread, found.range[i].event);
        finder->is_named[folded_of(finder, event)] = 1;
    }
    rf_found_ranges_release(&found);
    return status;
}

/* ---- What is in a step ---- */

static uint32_t key_of(struct finder *finder, const struct rf_event *range)
{
    uint32_t key = rf_range_keys_find(&finder->steps->keys, range);
    return finder->folds_numbers ? finder->steps->keys.key[key].folded : key;
}

static uint8_t cut_of(const rf_recording *rec, const struct rf_event *range)
{
    if (range->cut != RF_CUT_NONE)
        return range->cut;
    for (uint32_t i = 0; i < rf_n_captures(rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(rec, i);
        if (capture->begin_ns > range->start_ns && capture->begin_ns <= range->end_ns)
            return RF_STEP_BEGAN_BEFORE;
    }
    return RF_CUT_NONE;
}

static int add_child(struct finder *finder, struct rf_step *step, const struct rf_event *range)
{
    struct rf_steps *steps = finder->steps;
    uint32_t key = key_of(finder, range);
    uint32_t i = finder->last_child[key];
    if (i <= step->first_child) {
        if (rf_grow_array(&steps->child, steps->n_children, &steps->children_room,
                          sizeof(*steps->child)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        steps->child[steps->n_children++] =
            (struct rf_step_child){.key = key, .first = (uint32_t)(range - finder->event)};
        i = finder->last_child[key] = (uint32_t)steps->n_children;
        step->n_children++;
    }
    steps->child[i - 1].count++;
    steps->child[i - 1].total_ns += duration_of(range);
    return RF_OK;
}

/* The push/pop ranges directly inside a step. *n_visits is how many events may still be looked at:
 * steps that overlap would otherwise make it quadratic. */
static int find_children(struct finder *finder, struct rf_step *step, uint64_t *n_visits)
{
    const struct rf_event *event = finder->event;
    const size_t n = finder->n_events;
    const struct rf_event *range = &event[step->event];
    int64_t covered_ns = INT64_MIN;
    for (size_t i = (size_t)step->event + 1; i < n && event[i].start_ns <= range->end_ns; i++) {
        if (*n_visits == 0) {
            step->n_children = 0;
            return RF_OK;
        }
        --*n_visits;
        if (event[i].kind != RF_EVENT_PUSH_POP || event[i].end_ns > range->end_ns ||
            event[i].end_ns <= covered_ns)
            continue;
        if (add_child(finder, step, &event[i]) != RF_OK)
            return RF_ERR_NO_MEMORY;
        step->self_ns -= uncovered_ns(&event[i], covered_ns);
        covered_ns = event[i].end_ns;
    }
    step->has_children = true;
    return RF_OK;
}

static int add_step(struct finder *finder, struct rf_step step, uint64_t *n_visits)
{
    struct rf_steps *steps = finder->steps;
    const struct rf_event *range = &finder->event[step.event];
    const struct rf_projection *work = NULL;
    if (finder->projections != NULL)
        work = rf_projection_of(finder->projections, step.thread, step.event);
    step.key = key_of(finder, range);
    step.cut = cut_of(finder->rec, range);
    step.first_child = (uint32_t)steps->n_children;
    step.duration_ns = step.self_ns = duration_of(range);
    step.busy_ns = work != NULL ? work->busy_ns : 0;
    if (finder->waits.n > 0)
        step.wait_ns = rf_call_waits_between(&finder->waits, range->start_ns, range->end_ns);
    if (find_children(finder, &step, n_visits) != RF_OK ||
        rf_grow_array(&steps->step, steps->n, &steps->room, sizeof(*steps->step)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    steps->n_without_children += !step.has_children;
    steps->step[steps->n++] = step;
    return RF_OK;
}

static bool is_step(struct finder *finder, const struct rf_event *range, uint32_t name)
{
    uint32_t key = folded_of(finder, range);
    return finder->is_named != NULL ? finder->is_named[key] != 0 : key == name;
}

static int find_steps(struct finder *finder, uint32_t thread)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(finder->rec, thread, &n);
    uint32_t name = RF_NO_INDEX;
    uint64_t n_visits = 16 * (uint64_t)n;
    finder->event = event;
    finder->n_events = n;
    uint32_t number = 0;
    struct tally last = {.end_ns = INT64_MIN};
    int status = finder->is_named == NULL ? count_instances(finder, thread) : RF_OK;
    if (status == RF_OK && finder->is_named == NULL)
        name = choose_name(finder, thread);
    if (status != RF_OK || (finder->is_named == NULL && name == RF_NO_INDEX))
        return status;
    status = rf_call_waits_list(&finder->waits, finder->rec, thread);
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        if (!is_range(&event[i]) || !is_step(finder, &event[i], name) ||
            !is_own_instance(&last, &event[i]))
            continue;
        last.n++;
        last.end_ns = event[i].end_ns > last.end_ns ? event[i].end_ns : last.end_ns;
        status = add_step(
            finder, (struct rf_step){.thread = thread, .event = i, .number = ++number}, &n_visits);
    }
    return status;
}

/* ---- All ---- */

static int prepare(struct finder *finder, const char *range, struct rf_err *err)
{
    struct rf_steps *steps = finder->steps;
    size_t n_ops = 0;
    int status = rf_range_keys_init(&steps->keys, finder->rec);
    if (status == RF_OK && range != NULL)
        status = mark_named(finder, range, err);
    (void)rf_gpu_ops(finder->rec, &n_ops);
    if (status == RF_OK && n_ops > 0 && finder->projections == NULL)
        status = rf_project(finder->rec, NULL, &finder->own, err);
    if (finder->own != NULL)
        finder->projections = finder->own;
    return status;
}

int rf_steps_init(struct rf_steps *steps, const rf_recording *rec,
                  const struct rf_steps_options *options, struct rf_err *err)
{
    static const struct rf_steps_options defaults = {.range = NULL};
    options = options != NULL ? options : &defaults;
    struct finder finder = {.steps = steps,
                            .rec = rec,
                            .projections = options->projections,
                            .folds_numbers = options->folds_numbers};
    *steps = (struct rf_steps){.n = 0};
    int status = prepare(&finder, options->range, err);
    for (uint32_t t = 0; t < rf_n_threads(rec) && status == RF_OK; t++)
        status = find_steps(&finder, t);
    rf_projections_free(finder.own);
    rf_call_waits_release(&finder.waits);
    free(finder.tally);
    free(finder.last_child);
    free(finder.is_named);
    return status;
}

const char *rf_step_cut_name(uint32_t cut)
{
    return cut == RF_STEP_BEGAN_BEFORE ? "capture began" : rf_cut_name((int)cut);
}

void rf_steps_release(struct rf_steps *steps)
{
    rf_range_keys_release(&steps->keys);
    free(steps->step);
    free(steps->child);
}
