/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_figures.h"

#include <stdlib.h>
#include <string.h>

const char *const top_sort_words[TOP_N_SORTS] = {
    [TOP_BY_SELF] = "self", [TOP_BY_TOTAL] = "total", [TOP_BY_COUNT] = "count",
    [TOP_BY_MEAN] = "mean", [TOP_BY_P99] = "p99",     [TOP_BY_MAX] = "max",
};

struct making {
    struct top_figures *f;
    const struct top_session *s;
    const struct top_wanted *wanted;
};

static const struct top_text *text_of(const struct making *m, uint32_t text)
{
    return &m->s->ranges.texts.text[text];
}

/* ---- Ranges ---- */

/* What rows are sorted by. */
struct sorted {
    uint64_t by, by_next;
    uint32_t index;
};

static int compare_sorted(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    if (a->by != b->by)
        return a->by > b->by ? -1 : 1;
    if (a->by_next != b->by_next)
        return a->by_next > b->by_next ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint64_t key_of(const struct top_row *row, enum top_sort sort)
{
    switch (sort) {
    case TOP_BY_SELF:
        return row->self;
    case TOP_BY_TOTAL:
        return row->total;
    case TOP_BY_COUNT:
        return row->n;
    case TOP_BY_MEAN:
        return row->n > 0 ? row->sum / row->n : 0;
    case TOP_BY_P99:
        return row->n > 0 ? top_row_percentile(row, 99) : 0;
    case TOP_BY_MAX:
    case TOP_N_SORTS:
    default:
        return row->max;
    }
}

static struct top_range_figures range_of(const struct making *m, const struct top_row *row)
{
    struct top_range_figures range = {.domain = text_of(m, row->domain),
                                      .name = text_of(m, row->name),
                                      .style = row->style,
                                      .n = row->n,
                                      .n_open = row->n_open,
                                      .total_ns = top_session_ns(m->s, row->total),
                                      .self_ns = top_session_ns(m->s, row->self)};
    if (row->n > 0) {
        range.mean_ns = top_session_ns(m->s, row->sum / row->n);
        range.p50_ns = top_session_ns(m->s, top_row_percentile(row, 50));
        range.p99_ns = top_session_ns(m->s, top_row_percentile(row, 99));
        range.max_ns = top_session_ns(m->s, row->max);
    }
    return range;
}

static bool make_ranges(struct making *m)
{
    const struct top_ranges *r = &m->s->ranges;
    struct top_figures *f = m->f;
    struct sorted *sorted = malloc((r->n_active + 1) * sizeof(*sorted));
    f->n_all_ranges = r->n_active;
    f->n_ranges = r->n_active < m->wanted->n_ranges ? r->n_active : m->wanted->n_ranges;
    f->range = malloc((f->n_ranges + 1) * sizeof(*f->range));
    for (size_t i = 0; sorted != NULL && i < r->n_active; i++) {
        const struct top_row *row = &r->row[r->active[i]];
        sorted[i] = (struct sorted){key_of(row, m->wanted->sort), row->total, r->active[i]};
    }
    if (sorted != NULL && f->range != NULL) {
        qsort(sorted, r->n_active, sizeof(*sorted), compare_sorted);
        for (size_t i = 0; i < f->n_ranges; i++)
            f->range[i] = range_of(m, &r->row[sorted[i].index]);
    }
    free(sorted);
    return sorted != NULL && f->range != NULL;
}

/* ---- Who ---- */

static const char *thread_name(const struct making *m, const struct top_process *p, uint32_t tid,
                               const struct top_thread *t)
{
    const uint32_t given = top_map_find(&p->tid_name, tid);
    if (given != TOP_NONE)
        return text_of(m, given)->bytes;
    return t != NULL ? t->system_name : "";
}

static struct top_who who_of(const struct making *m, uint32_t process, uint32_t tid,
                             const struct top_thread *t)
{
    const struct top_process *p = &m->s->process[process];
    return (struct top_who){.pid = p->header.pid,
                            .tid = tid,
                            .process = text_of(m, p->name),
                            .thread = thread_name(m, p, tid, t)};
}

/* ---- Instances ---- */

static int compare_instances(const void *left, const void *right)
{
    const struct top_instance *a = left, *b = right;
    if (a->duration != b->duration)
        return a->duration > b->duration ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static struct top_instance_figures
instance_of(const struct making *m, const struct top_instance *instance, const struct top_thread *t)
{
    const struct top_row *row = &m->s->ranges.row[instance->row];
    return (struct top_instance_figures){.domain = text_of(m, row->domain),
                                         .name = text_of(m, row->name),
                                         .who = who_of(m, instance->process, instance->tid, t),
                                         .start_ns = top_session_time(m->s, instance->start),
                                         .ns = top_session_ns(m->s, instance->duration)};
}

/* NULL: it has ended. */
static const struct top_thread *find_thread(const struct top_ranges *r,
                                            const struct top_instance *instance)
{
    for (size_t i = 0; i < r->n_threads; i++)
        if (r->thread[i].process == instance->process && r->thread[i].tid == instance->tid)
            return &r->thread[i];
    return NULL;
}

static bool make_slowest(struct making *m)
{
    const struct top_ranges *r = &m->s->ranges;
    struct top_figures *f = m->f;
    struct top_instance sorted[TOP_SLOWEST];
    memcpy(sorted, r->slowest, sizeof(sorted));
    qsort(sorted, r->n_slowest, sizeof(sorted[0]), compare_instances);
    f->n_slowest = r->n_slowest < m->wanted->n_others ? r->n_slowest : m->wanted->n_others;
    f->slowest = malloc((f->n_slowest + 1) * sizeof(*f->slowest));
    for (size_t i = 0; f->slowest != NULL && i < f->n_slowest; i++)
        f->slowest[i] = instance_of(m, &sorted[i], find_thread(r, &sorted[i]));
    return f->slowest != NULL;
}

/* One that is open, and its thread. */
struct open_one {
    struct top_instance instance;
    uint32_t thread; /* TOP_NONE: a start/end range */
};

static int compare_open(const void *left, const void *right)
{
    const struct open_one *a = left, *b = right;
    return compare_instances(&a->instance, &b->instance);
}

/* Keeps the n that have been open for longest. */
static void keep_longest(struct open_one *kept, size_t *n_kept, size_t n,
                         const struct open_one *one)
{
    size_t i = *n_kept;
    if (n == 0 || (i == n && compare_open(one, &kept[n - 1]) >= 0))
        return;
    i = i == n ? n - 1 : i;
    for (; i > 0 && compare_open(one, &kept[i - 1]) < 0; i--)
        kept[i] = kept[i - 1];
    kept[i] = *one;
    *n_kept += *n_kept < n;
}

static uint64_t since(const struct making *m, uint64_t start)
{
    const uint64_t now = m->s->now.ticks;
    return (int64_t)(now - start) > 0 ? now - start : 0;
}

static size_t find_open(const struct making *m, struct open_one *kept, size_t n)
{
    const struct top_ranges *r = &m->s->ranges;
    size_t n_kept = 0;
    for (uint32_t i = 0; i < r->n_threads; i++) {
        const struct top_thread *t = &r->thread[i];
        for (uint32_t k = 0; t->process != TOP_NONE && k < t->n_open; k++) {
            const struct top_open *open = &t->open[k];
            m->f->n_all_open++;
            const struct open_one one = {
                {open->start, since(m, open->start), open->row, t->process, t->tid}, i};
            keep_longest(kept, &n_kept, n, &one);
        }
    }
    for (size_t i = 0; i < r->n_starts; i++) {
        const struct top_start *start = &r->start[i];
        if (start->row == TOP_NONE)
            continue;
        m->f->n_all_open++;
        const struct open_one one = {
            {start->start, since(m, start->start), start->row, start->thread_process, start->tid},
            TOP_NONE};
        keep_longest(kept, &n_kept, n, &one);
    }
    return n_kept;
}

static bool make_open(struct making *m)
{
    struct top_figures *f = m->f;
    const size_t n = m->wanted->n_others;
    struct open_one *kept = malloc((n + 1) * sizeof(*kept));
    f->open = malloc((n + 1) * sizeof(*f->open));
    if (kept != NULL && f->open != NULL) {
        f->n_open = find_open(m, kept, n);
        for (size_t i = 0; i < f->n_open; i++)
            f->open[i] = instance_of(
                m, &kept[i].instance,
                kept[i].thread != TOP_NONE ? &m->s->ranges.thread[kept[i].thread] : NULL);
    }
    free(kept);
    return kept != NULL && f->open != NULL;
}

/* ---- Threads and processes ---- */

static struct top_thread_figures thread_of(const struct making *m, const struct top_thread *t)
{
    const struct top_ranges *r = &m->s->ranges;
    struct top_thread_figures thread = {.who = who_of(m, t->process, t->tid, t),
                                        .counts = t->counts};
    if (t->n_open > 0) {
        const struct top_open *open = &t->open[t->n_open - 1];
        thread.domain = text_of(m, r->row[open->row].domain);
        thread.name = text_of(m, r->row[open->row].name);
        thread.in_ns = top_session_ns(m->s, since(m, open->start));
    }
    return thread;
}

static bool make_threads(struct making *m)
{
    const struct top_ranges *r = &m->s->ranges;
    struct top_figures *f = m->f;
    struct sorted *sorted = malloc((r->n_threads + 1) * sizeof(*sorted));
    size_t n = 0;
    for (uint32_t i = 0; sorted != NULL && i < r->n_threads; i++)
        if (r->thread[i].process != TOP_NONE)
            sorted[n++] = (struct sorted){r->thread[i].counts.n_bytes, r->thread[i].n_open, i};
    f->n_all_threads = n;
    f->n_threads = n < m->wanted->n_others ? n : m->wanted->n_others;
    f->thread = malloc((f->n_threads + 1) * sizeof(*f->thread));
    if (sorted != NULL && f->thread != NULL) {
        qsort(sorted, n, sizeof(*sorted), compare_sorted);
        for (size_t i = 0; i < f->n_threads; i++)
            f->thread[i] = thread_of(m, &r->thread[sorted[i].index]);
    }
    free(sorted);
    return sorted != NULL && f->thread != NULL;
}

static uint32_t threads_in(const struct making *m, uint32_t process)
{
    uint32_t n = 0;
    for (size_t i = 0; i < m->s->ranges.n_threads; i++)
        n += m->s->ranges.thread[i].process == process;
    return n;
}

static bool make_processes(struct making *m)
{
    const struct top_session *s = m->s;
    struct top_figures *f = m->f;
    struct sorted *sorted = malloc((s->n_processes + 1) * sizeof(*sorted));
    size_t n = 0;
    for (uint32_t i = 0; sorted != NULL && i < s->n_processes; i++) {
        f->pool_bytes += s->process[i].pool_bytes;
        f->log_bytes += s->process[i].log_bytes;
        if (s->process[i].is_known && !s->process[i].is_ended)
            sorted[n++] = (struct sorted){s->process[i].counts.n_bytes, 0, i};
    }
    f->n_all_processes = n;
    f->n_processes = n < m->wanted->n_others ? n : m->wanted->n_others;
    f->process = malloc((f->n_processes + 1) * sizeof(*f->process));
    if (sorted != NULL && f->process != NULL) {
        qsort(sorted, n, sizeof(*sorted), compare_sorted);
        for (size_t i = 0; i < f->n_processes; i++) {
            const struct top_process *p = &s->process[sorted[i].index];
            f->process[i] = (struct top_process_figures){p->header.pid, text_of(m, p->name),
                                                         p->counts, threads_in(m, p->index)};
        }
    }
    free(sorted);
    return sorted != NULL && f->process != NULL;
}

int top_figures_make(struct top_figures *figures, const struct top_session *session,
                     const struct top_wanted *wanted)
{
    struct making m = {figures, session, wanted};
    const int64_t ns = session->interval_end_ns - session->interval_begin_ns;
    *figures = (struct top_figures){.session = session,
                                    .seconds = ns > 0 ? (double)ns / 1e9 : 1e-9,
                                    .time_ns = top_session_time(session, session->now.ticks),
                                    .counts = session->reading.counts};
    const bool is_made = make_ranges(&m) && make_slowest(&m) && make_open(&m) && make_threads(&m) &&
                         make_processes(&m);
    return is_made ? RF_OK : RF_ERR_NO_MEMORY;
}

void top_figures_release(struct top_figures *figures)
{
    free(figures->range);
    free(figures->slowest);
    free(figures->open);
    free(figures->thread);
    free(figures->process);
}
