/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/rank_times.h"

#include <stdlib.h>
#include <string.h>

#include "model/collectives/collectives.h"
#include "stats/add_up.h"
#include "summary/summary_steps.h"

static int64_t end_of(const struct rf_summary_step *step)
{
    int64_t end;
    return __builtin_add_overflow(step->start_utc_ns, (int64_t)step->duration, &end) ? INT64_MAX
                                                                                     : end;
}

/* ---- Steps ---- */

static int by_rank_thread(const void *a, const void *b, void *context)
{
    const rf_summary *summary = context;
    const struct rf_summary_step *x = &summary->step[*(const uint32_t *)a];
    const struct rf_summary_step *y = &summary->step[*(const uint32_t *)b];
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return rf_summary_compare_steps(summary, x, y);
}

static int list_steps(struct rf_rank_times *times)
{
    const rf_summary *summary = times->summary;
    times->step = malloc((summary->n_steps + 1) * sizeof(*times->step));
    if (times->step == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < summary->n_steps; i++)
        if (summary->step[i].rank >= 0)
            times->step[times->n_steps++] = (uint32_t)i;
    if (times->n_steps > 0)
        qsort_r(times->step, times->n_steps, sizeof(*times->step), by_rank_thread, (void *)summary);
    return RF_OK;
}

/* Keeps the thread of a rank that has most time in steps; of several the first. */
static void choose_loops(struct rf_rank_times *times, const struct rf_job_ranks *ranks)
{
    const struct rf_summary_step *all = times->summary->step;
    for (size_t begin = 0, end = 0; begin < times->n_steps; begin = end) {
        const struct rf_summary_step *first = &all[times->step[begin]];
        uint64_t total = 0;
        for (; end < times->n_steps && rf_summary_is_same_thread(first, &all[times->step[end]]);
             end++)
            total = rf_add_up(total, all[times->step[end]].duration);
        const uint32_t rank = rf_job_ranks_find(ranks, first->rank);
        struct rf_rank_time *time = rank != RF_NO_INDEX ? &times->rank[rank] : NULL;
        if (time == NULL || (time->n_steps > 0 && time->time_ns >= total))
            continue;
        time->time_ns = total; /* for now */
        time->first_step = begin;
        time->n_steps = end - begin;
    }
}

/* ---- Collectives ---- */

static int by_rank_start(const void *a, const void *b)
{
    const struct rf_rank_span *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static int list_collectives(struct rf_rank_times *times, const struct rf_job_ranks *ranks)
{
    const struct rf_summary_collectives *all = &times->summary->collectives;
    times->collective = malloc((all->n + 1) * sizeof(*times->collective));
    if (times->collective == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < all->n; i++) {
        const struct rf_summary_collective *of = &all->item[i];
        const uint32_t rank = rf_job_ranks_find(ranks, of->rank);
        size_t size;
        const char *name = rf_summary_text(times->summary, of->operation, &size);
        if (rank != RF_NO_INDEX && rf_collective_waits(of->kind, name, name != NULL ? size : 0))
            times->collective[times->n_collectives++] =
                (struct rf_rank_span){rank, of->start_utc_ns, of->end_utc_ns};
    }
    if (times->n_collectives > 0)
        qsort(times->collective, times->n_collectives, sizeof(*times->collective), by_rank_start);
    for (size_t i = 0; i < times->n_collectives; i++) {
        struct rf_rank_time *time = &times->rank[times->collective[i].rank];
        if (time->n_collectives++ == 0)
            time->first_collective = i;
    }
    return RF_OK;
}

/* ---- Time ---- */

const struct rf_summary_step *rf_rank_times_step(const struct rf_rank_times *times, size_t rank,
                                                 size_t i)
{
    return &times->summary->step[times->step[times->rank[rank].first_step + i]];
}

static void set_span(struct rf_rank_times *times, const struct rf_job_ranks *ranks, size_t rank)
{
    struct rf_rank_time *time = &times->rank[rank];
    int64_t end;
    if (time->n_steps > 0) {
        time->start_ns = rf_rank_times_step(times, rank, 0)->start_utc_ns;
        end = time->start_ns;
        for (size_t i = 0; i < time->n_steps; i++) {
            const int64_t of_step = end_of(rf_rank_times_step(times, rank, i));
            end = of_step > end ? of_step : end;
        }
    } else if (time->n_collectives > 0) {
        const struct rf_rank_span *first = &times->collective[time->first_collective];
        time->start_ns = first->start_ns;
        end = first->end_ns;
        for (size_t i = 0; i < time->n_collectives; i++)
            end = first[i].end_ns > end ? first[i].end_ns : end;
    } else {
        const struct rf_summary_input *input = &times->summary->input[ranks->rank[rank].input];
        time->start_ns = 0;
        end = input->duration_ns < INT64_MAX ? (int64_t)input->duration_ns : INT64_MAX;
    }
    time->span_ns = rf_add_up(0, (uint64_t)end - (uint64_t)time->start_ns);
}

struct visit {
    const struct rf_rank_span *collective, *end;
    int64_t start_ns; /* of the rank */
    rf_rank_times_fn *fn;
    void *context;
};

static void visit_piece(const struct visit *v, int64_t from, int64_t to, bool is_collective)
{
    if (from < to)
        v->fn(v->context, (uint64_t)from - (uint64_t)v->start_ns,
              (uint64_t)to - (uint64_t)v->start_ns, is_collective);
}

/* From the end of what was visited to the end of a step. */
static void visit_step(struct visit *v, int64_t from, int64_t to)
{
    while (from < to) {
        while (v->collective < v->end && v->collective->end_ns <= from)
            v->collective++;
        const bool has_one = v->collective < v->end && v->collective->start_ns < to;
        const int64_t begin = !has_one                         ? to
                              : v->collective->start_ns < from ? from
                                                               : v->collective->start_ns;
        const int64_t end = has_one && v->collective->end_ns < to ? v->collective->end_ns : to;
        visit_piece(v, from, begin, false);
        visit_piece(v, begin, end, true);
        from = end;
    }
}

void rf_rank_times_visit(const struct rf_rank_times *times, size_t rank, rf_rank_times_fn *fn,
                         void *context)
{
    const struct rf_rank_time *time = &times->rank[rank];
    const struct rf_rank_span *first = &times->collective[time->first_collective];
    struct visit v = {first, first + time->n_collectives, time->start_ns, fn, context};
    int64_t done = time->start_ns;
    for (size_t i = 0; i < time->n_steps; i++) {
        const struct rf_summary_step *step = rf_rank_times_step(times, rank, i);
        const int64_t end = end_of(step);
        visit_step(&v, step->start_utc_ns > done ? step->start_utc_ns : done, end);
        done = end > done ? end : done;
    }
    if (time->n_steps == 0)
        visit_step(&v, time->start_ns, time->start_ns + (int64_t)time->span_ns);
}

static void add_piece(void *context, uint64_t from_ns, uint64_t to_ns, bool is_collective)
{
    struct rf_rank_time *time = context;
    time->time_ns += to_ns - from_ns;
    if (is_collective)
        time->collective_ns += to_ns - from_ns;
}

static void add_gpu(struct rf_rank_times *times, size_t rank)
{
    struct rf_rank_time *time = &times->rank[rank];
    for (size_t i = 0; i < time->n_steps; i++) {
        const struct rf_summary_step *step = rf_rank_times_step(times, rank, i);
        time->gpu_ns = rf_add_up(time->gpu_ns, step->busy);
        time->gpu_wait_ns = rf_add_up(time->gpu_wait_ns, step->wait);
    }
}

int rf_rank_times_init(struct rf_rank_times *times, const struct rf_job *job)
{
    *times = (struct rf_rank_times){.summary = job->summary, .n = job->ranks.n};
    times->rank = calloc(times->n + 1, sizeof(*times->rank));
    int status = times->rank != NULL ? list_steps(times) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        choose_loops(times, &job->ranks);
    if (status == RF_OK)
        status = list_collectives(times, &job->ranks);
    for (size_t i = 0; i < times->n && status == RF_OK; i++) {
        set_span(times, &job->ranks, i);
        times->rank[i].time_ns = 0;
        rf_rank_times_visit(times, i, add_piece, &times->rank[i]);
        add_gpu(times, i);
    }
    for (size_t i = 0; i < job->meetings.n_members && status == RF_OK; i++) {
        const struct rf_member *member = &job->meetings.member[i];
        times->rank[member->rank].wait_ns =
            rf_add_up(times->rank[member->rank].wait_ns, member->wait_ns);
    }
    return status;
}

void rf_rank_times_release(struct rf_rank_times *times)
{
    free(times->rank);
    free(times->step);
    free(times->collective);
    *times = (struct rf_rank_times){.n = 0};
}
