/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a recording. A recording that was summed up as it was read has none: its events are
 * not in memory. */
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "summary/collect.h"
#include "summary/steps.h"
#include "summary/summary_steps.h"

/* ---- The first of them ---- */

static int compare_starts(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t start_of(const struct rf_collecting *c, const struct rf_step *step)
{
    return rf_thread_event_at(c->rec, step->thread, step->event)->start_ns;
}

/* The first start that is too late, and how many steps at that time are still kept. */
struct limit {
    int64_t start_ns;
    size_t n_at_start;
};

static struct limit find_limit(struct rf_collecting *c, const struct rf_steps *steps, size_t most)
{
    struct limit limit = {INT64_MAX, SIZE_MAX};
    if (steps->n <= most)
        return limit;
    int64_t *start_ns = malloc(steps->n * sizeof(*start_ns));
    if (start_ns == NULL) {
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
        return limit;
    }
    for (size_t i = 0; i < steps->n; i++)
        start_ns[i] = start_of(c, &steps->step[i]);
    qsort(start_ns, steps->n, sizeof(*start_ns), compare_starts);
    limit = (struct limit){start_ns[most], 0};
    while (limit.n_at_start < most && start_ns[most - 1 - limit.n_at_start] == limit.start_ns)
        limit.n_at_start++;
    free(start_ns);
    return limit;
}

static bool is_kept(struct limit *limit, int64_t start_ns)
{
    if (start_ns != limit->start_ns)
        return start_ns < limit->start_ns;
    return limit->n_at_start > 0 && limit->n_at_start-- > 0;
}

/* ---- Adding ---- */

static int add_children(struct rf_collecting *c, const struct rf_steps *steps,
                        const struct rf_step *step)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < step->n_children && status == RF_OK; i++) {
        const struct rf_step_child *child = &steps->child[step->first_child + i];
        status = rf_summary_add_step_child(c->summary, c->path[step->thread][child->first],
                                           child->count, child->total_ns);
    }
    return status;
}

static int add_step(struct rf_collecting *c, const struct rf_steps *steps,
                    const struct rf_step *step, uint32_t host)
{
    const struct rf_event *range = rf_thread_event_at(c->rec, step->thread, step->event);
    const struct rf_summary_place place =
        rf_collect_place(c, step->thread, range->start_ns, step->duration_ns);
    const struct rf_summary_step added = {
        .path = c->path[step->thread][step->event],
        .host = host,
        .pid = place.pid,
        .tid = place.tid,
        .rank = rf_collect_rank(c, place.rank),
        .number = step->number,
        .start_utc_ns = place.start_utc_ns,
        .duration = step->duration_ns,
        .busy = step->busy_ns,
        .wait = step->wait_ns,
        .self = step->has_children ? step->self_ns : 0,
        .has_children = step->has_children,
        .cut = step->cut,
    };
    if (step->duration_ns > INT64_MAX || step->busy_ns > INT64_MAX || step->wait_ns > INT64_MAX)
        return RF_ERR_UNSUPPORTED;
    struct rf_summary_input *input = &c->summary->input[0];
    int status = rf_summary_add_step(c->summary, &added);
    input->n_steps++;
    if (step->duration_ns > input->duration_ns) /* it ends behind what is left of the session */
        input->duration_ns = step->duration_ns;
    return status == RF_OK ? add_children(c, steps, step) : status;
}

static void add_steps(struct rf_collecting *c)
{
    const struct rf_steps *steps = &c->steps;
    const size_t most = c->options.max_steps;
    struct limit limit = find_limit(c, steps, most);
    const char *host = c->summary->input[0].host;
    uint32_t host_string = rf_strings_add(&c->summary->strings, host, strlen(host));
    c->step_place = malloc((steps->n + 1) * sizeof(*c->step_place));
    if (host_string == RF_NO_STRING || c->step_place == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    for (size_t i = 0; i < steps->n && c->status == RF_OK; i++) {
        const bool is_added = is_kept(&limit, start_of(c, &steps->step[i]));
        c->step_place[i] = is_added ? (uint32_t)c->summary->n_steps : RF_NO_INDEX;
        if (is_added)
            c->status = add_step(c, steps, &steps->step[i], host_string);
    }
    c->summary->input[0].n_searched = 1;
    c->summary->input[0].n_steps_left_out = steps->n > most ? steps->n - most : 0;
}

void rf_collect_steps(struct rf_collecting *c)
{
    const struct rf_steps_options options = {.range = c->options.step,
                                             .projections = c->projections};
    if (c->options.without_steps || rf_recording_paths(c->rec) != NULL)
        return;
    c->status = rf_steps_init(&c->steps, c->rec, &options, c->err);
    if (c->status == RF_OK)
        add_steps(c);
}
