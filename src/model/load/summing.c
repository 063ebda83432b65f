/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/summing.h"

#include <stdlib.h>
#include <string.h>

#include "model/load/early_ends.h"
#include "model/same_domains.h"

#define MANY_EVENTS     1024u      /* more than fit into a cache cost more */
#define MANY_PATHS      (1u << 17) /* of names: each takes far more than an event */
#define LONG            (1u << 16) /* events behind the start of a range */
#define MANY_OPEN       16u        /* such ranges */
#define TOO_MANY_EVENTS (1u << 20)

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static bool add_event(struct rf_sums *sums, const struct rf_event *event, uint32_t domain,
                      const struct rf_sum_owner *owner)
{
    const struct rf_sum_key key = {domain, event->name, event->kind, 0};
    const struct rf_sum_place place = {(uint64_t)event->end_ns - (uint64_t)event->start_ns,
                                       event->start_ns, *owner};
    return rf_sums_add(sums, &key, &place);
}

/* ---- While a stream is decoded ---- */

void rf_sum_no_paths(struct rf_load *load)
{
    __atomic_store_n(&load->has_no_paths, true, __ATOMIC_RELAXED);
}

bool rf_sum_has_no_paths(const struct rf_load *load)
{
    return __atomic_load_n(&load->has_no_paths, __ATOMIC_RELAXED);
}

/* until_ns: what ends there or later is not over, in sums of paths. */
static bool has_ended(const struct rf_load *load, const struct rf_event *event, int64_t until_ns)
{
    if (load->sums_paths && is_range(event))
        return rf_path_walk_adds(event, until_ns);
    if (event->payload_type == RF_TYPE_EXTENDED)
        return false; /* payloads may say what the event is called */
    return event->kind == RF_EVENT_MARK || (is_range(event) && event->end_ns != RF_NO_TIME);
}

/* Makes room for the numbers of n domains. */
static bool count_domains(struct rf_summed *summed, size_t n)
{
    if (n <= summed->n_domains)
        return true;
    size_t room = 2 * n + 64;
    uint64_t *of_domain = realloc(summed->of_domain, room * sizeof(*of_domain));
    if (of_domain == NULL)
        return false;
    memset(of_domain + summed->n_domains, 0, (room - summed->n_domains) * sizeof(*of_domain));
    summed->of_domain = of_domain;
    summed->n_domains = room;
    return true;
}

static void take_out(struct rf_decoder *d, const struct rf_load_thread *thread,
                     const struct rf_event *event)
{
    const struct rf_sum_owner owner = {thread->process, thread->tid, thread->serial};
    struct rf_summed *summed = &d->n_summed;
    if (!count_domains(summed, (size_t)event->domain + 1)) {
        d->is_out_of_memory = true;
        return;
    }
    summed->of_domain[event->domain]++;
    summed->n_events++;
    if (event->kind == RF_EVENT_MARK) {
        summed->n_marks++;
        return;
    }
    summed->n_cut += event->cut != RF_CUT_NONE;
    summed->n_cut_by[event->cut % RF_CUT_REASONS] += event->cut != RF_CUT_NONE;
    summed->n_ranges++;
    if (!d->load->counts_only && !d->load->sums_paths &&
        !add_event(&d->sums, event, event->domain, &owner))
        d->is_out_of_memory = true;
}

void rf_sum_counted(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain,
                    uint64_t n_ranges, uint64_t n_marks)
{
    struct rf_summed *summed = &d->n_summed;
    if (!count_domains(summed, (size_t)domain + 1)) {
        d->is_out_of_memory = true;
        return;
    }
    summed->of_domain[domain] += n_ranges + n_marks;
    summed->n_events += n_ranges + n_marks;
    summed->n_ranges += n_ranges;
    summed->n_marks += n_marks;
    thread->n_summed += n_ranges + n_marks;
}

/* Open ranges are linked, from the innermost outwards, by their places: each moves to
 * moved[its place]. */
static void move_links(struct rf_load_thread *thread, const uint32_t *moved)
{
    for (uint32_t i = 0; i < thread->n_stacks; i++) {
        uint32_t *link = &thread->stack[i].top;
        while (*link != RF_NO_INDEX) {
            *link = moved[*link];
            link = &thread->event[*link].link;
        }
    }
}

/* Adds ranges that ended before by the ranges around them. Returns up to when that was possible. */
static int64_t add_paths(struct rf_decoder *d, struct rf_load_thread *thread, int64_t until_ns)
{
    struct rf_path_thread of = {.event = thread->event,
                                .n = thread->n,
                                .n_kept = thread->n_kept,
                                .settled_ns = thread->settled_ns,
                                .until_ns = until_ns,
                                .seen = {thread->process, thread->serial, thread->tid, 0},
                                .owner = {thread->process, thread->tid, thread->serial},
                                .goes_on = d->load->rec->piece.goes_on != 0};
    enum rf_path_step step = rf_path_walk(&d->walk, &of, &d->sums);
    if (step == RF_PATHS_CROSS || d->sums.n > MANY_PATHS)
        rf_sum_no_paths(d->load);
    d->is_out_of_memory |= step == RF_PATHS_NO_MEMORY;
    thread->settled_ns = of.until_ns;
    return of.until_ns;
}

/* Takes out what ended before; stream: that of the thread's start/end ranges, NULL: it has none. */
static void take_ended(struct rf_decoder *d, struct rf_load_thread *thread,
                       struct rf_load_stream *stream, int64_t until_ns)
{
    size_t n = 0;
    uint32_t *moved = malloc((thread->n + 1) * sizeof(*moved));
    if (moved == NULL) {
        d->is_out_of_memory = true;
        return;
    }
    if (thread->n_summed == 0)
        thread->first_event_ns = thread->event[0].start_ns;
    for (size_t i = 0; i < thread->n; i++) {
        const struct rf_event *event = &thread->event[i];
        if (event->start_ns < thread->first_event_ns)
            thread->first_event_ns = event->start_ns;
        const bool is_start = event->kind == RF_EVENT_START_END && stream != NULL;
        if (has_ended(d->load, event, until_ns)) {
            take_out(d, thread, event);
            if (is_start)
                d->is_out_of_memory |= rf_note_taken(stream, event) != RF_OK;
            continue;
        }
        if (is_start)
            stream->start[event->link].event = (uint32_t)n;
        moved[i] = (uint32_t)n;
        thread->event[n++] = *event;
    }
    move_links(thread, moved);
    free(moved);
    thread->n_summed += thread->n - n;
    thread->n = thread->n_kept = n;
    thread->enough = 2 * n;
    if (stream != NULL && thread->has_starts)
        rf_forget_taken(d->load, stream);
}

static bool is_open_start(const struct rf_event *event)
{
    return event->kind == RF_EVENT_START_END && event->end_ns == RF_NO_TIME &&
           event->payload_type == RF_TYPE_NONE;
}

/* Start/end ranges that have been open for long are taken to be ended by their own thread: all that
 * began behind them would be kept. Where there are many, it is their ends that have not been read.
 */
static void assume_own(struct rf_load_thread *thread)
{
    size_t n = 0;
    for (size_t i = 0; i + LONG < thread->n; i++)
        n += is_open_start(&thread->event[i]);
    for (size_t i = 0; i + LONG < thread->n && n <= MANY_OPEN; i++)
        if (is_open_start(&thread->event[i]))
            thread->event[i].payload_type = RF_PATH_OWN;
}

void rf_sum_ended(struct rf_decoder *d, struct rf_load_thread *thread,
                  struct rf_load_stream *stream)
{
    size_t enough = thread->enough > MANY_EVENTS ? thread->enough : MANY_EVENTS;
    rf_find_ended(d);
    if (thread->n < enough)
        return;
    if (d->load->sums_paths && thread->n > 2 * LONG)
        assume_own(thread);
    const int64_t until_ns =
        d->load->sums_paths ? add_paths(d, thread, thread->last_ns) : thread->last_ns;
    if (!d->is_out_of_memory && !rf_sum_has_no_paths(d->load))
        take_ended(d, thread, stream, until_ns);
    if (thread->n > TOO_MANY_EVENTS && thread->has_starts && d->load->n_workers > 1)
        rf_needs_one_worker(d->load); /* the ends may be in the streams of another one */
    else if (thread->n > TOO_MANY_EVENTS && d->load->sums_paths)
        rf_sum_no_paths(d->load); /* that wait for a range to end */
}

static bool add_counts(struct rf_summed *to, const struct rf_summed *from)
{
    to->n_events += from->n_events;
    to->n_ranges += from->n_ranges;
    to->n_marks += from->n_marks;
    to->n_cut += from->n_cut;
    for (int i = 0; i < RF_CUT_REASONS; i++)
        to->n_cut_by[i] += from->n_cut_by[i];
    if (!count_domains(to, from->n_domains))
        return false;
    for (size_t i = 0; i < from->n_domains; i++)
        to->of_domain[i] += from->of_domain[i];
    return true;
}

/* Marks ranges that other threads ended, now that all have ends. */
static void find_elsewhere(struct rf_load *load, uint32_t index)
{
    struct rf_load_thread *thread = load->thread[index];
    for (size_t i = 0; i < thread->n; i++)
        if (thread->event[i].kind == RF_EVENT_START_END &&
            load->rec->start_end[thread->event[i].link].end_thread != index &&
            !rf_path_walk_elsewhere(&thread->event[i]))
            rf_sum_no_paths(load);
}

int rf_load_paths(struct rf_load *load)
{
    struct rf_decoder d;
    if (!load->sums_paths)
        return RF_OK;
    rf_decoder_init(&d, load);
    for (uint32_t i = 0; i < load->n_threads && !d.is_out_of_memory && !load->has_no_paths; i++) {
        struct rf_load_thread *thread = load->thread[i];
        find_elsewhere(load, i);
        (void)add_paths(&d, thread, INT64_MAX);
        if (!d.is_out_of_memory && !load->has_no_paths && thread->n > 0)
            take_ended(&d, thread, NULL, INT64_MAX);
    }
    int status =
        !d.is_out_of_memory && add_counts(&load->n_summed, &d.n_summed) ? RF_OK : RF_ERR_NO_MEMORY;
    load->has_crossing |= d.walk.has_crossing;
    load->last_sums = d.sums;
    d.sums = (struct rf_sums){.sum = NULL};
    rf_decoder_release(&d);
    return status;
}

/* ---- When all are ---- */

/* What a name or a domain of sums is in others; NULL: the same. */
struct renaming {
    const uint32_t *name; /* from name_base on */
    uint32_t name_base;
    const uint32_t *domain;
};

static struct rf_sum_key renamed(struct rf_sum_key key, const struct renaming *by,
                                 const uint32_t *index)
{
    if (by->name != NULL && key.name != RF_NO_STRING && key.name >= by->name_base)
        key.name = by->name[key.name - by->name_base];
    if (by->domain != NULL)
        key.domain = by->domain[key.domain];
    if (key.around != 0) /* the sum of the range around has a place before this one */
        key.around = index[key.around - 1] + 1;
    return key;
}

static bool merge_sums(struct rf_sums *to, const struct rf_sums *from, const struct renaming *by)
{
    uint32_t *index = malloc((from->n + 1) * sizeof(*index));
    bool is_done = index != NULL;
    for (size_t i = 0; i < from->n && is_done; i++) {
        const struct rf_sum_key key = renamed(from->sum[i].key, by, index);
        is_done = rf_sums_merge(to, &key, &from->sum[i]);
        index[i] = is_done ? rf_sums_index(to, &key) : RF_NO_INDEX;
    }
    free(index);
    return is_done;
}

int rf_sums_join(struct rf_load *load, const struct rf_decoder *d, const uint32_t *remap)
{
    load->has_crossing |= d->walk.has_crossing;
    const struct renaming by = {.name = remap, .name_base = d->name_base};
    return merge_sums(&load->sums, &d->sums, &by) && add_counts(&load->n_summed, &d->n_summed)
               ? RF_OK
               : RF_ERR_NO_MEMORY;
}

/* Whether there is what lies in ranges in ways that paths do not have: times of their own, and
 * CUDA's calls where those are kept. */
static bool has_no_paths(const struct rf_load *load)
{
    bool is_wrong = rf_sum_has_no_paths(load) || load->nvtx.n_submitted > 0;
    for (uint32_t i = 0; i < load->n_threads; i++)
        is_wrong |= load->thread[i]->has_dated;
    for (uint32_t i = 0; i < load->n_streams; i++)
        is_wrong |= load->stream[i].n_cuda > 0 && !load->streams_work;
    return is_wrong;
}

bool rf_sums_are_wrong(const struct rf_load *load)
{
    if ((load->sums_paths && has_no_paths(load)) || load->needs_one_worker || load->has_wrong_ends)
        return true;
    for (uint32_t i = 0; i < load->n_threads; i++)
        if ((load->thread[i]->is_merged || load->thread[i]->has_dated) &&
            load->thread[i]->n_summed > 0)
            return true; /* dated ranges have to nest with all others */
    return false;
}

/* The events that were kept; they go. */
static bool add_kept(rf_recording *rec, const uint32_t *same_domain)
{
    for (uint32_t t = 0; t < rec->n_threads; t++) {
        struct rf_thread_events *events = &rec->events[t];
        const struct rf_sum_owner owner = {rec->thread[t].process, rec->thread[t].tid,
                                           rec->thread[t].serial};
        for (size_t i = 0; i < events->n; i++)
            if (rec->sums != NULL && is_range(&events->event[i]) &&
                !rf_goes_on(rec, &events->event[i]) &&
                !add_event(rec->sums, &events->event[i], same_domain[events->event[i].domain],
                           &owner))
                return false;
        free(events->memory);
        *events = (struct rf_thread_events){.event = NULL};
    }
    return true;
}

/* Adds what was counted to what the recording says of itself. */
static void show_counts(rf_recording *rec, const struct rf_summed *summed)
{
    struct rf_info *info = &rec->info;
    info->n_events += summed->n_events;
    info->n_ranges += summed->n_ranges;
    info->n_marks += summed->n_marks;
    info->n_cut += summed->n_cut;
    for (int i = 0; i < RF_CUT_REASONS; i++)
        info->n_cut_by[i] += summed->n_cut_by[i];
    for (uint32_t i = 0; i < rec->n_domains && i < summed->n_domains; i++) {
        rec->domain[i].n_annotations += summed->of_domain[i];
        rec->process[rec->domain[i].process].n_annotations += summed->of_domain[i];
    }
}

/* Paths keep the domains of processes apart: of two places the summary takes that of the lower
 * rank, which is not known to sums. */
static bool make_sums(struct rf_load *load, const uint32_t *same_domain)
{
    const struct renaming by = {.domain = load->sums_paths ? NULL : same_domain};
    struct rf_sums *sums = calloc(1, sizeof(*sums));
    *(load->sums_paths ? &load->rec->paths : &load->rec->sums) = sums;
    return sums != NULL && merge_sums(sums, &load->sums, &by) &&
           merge_sums(sums, &load->last_sums, &by) && merge_sums(sums, &load->gpu_sums, &by);
}

int rf_load_sums(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    if (!load->sums_ranges)
        return RF_OK;
    uint32_t *same_domain = rf_same_domains(rec);
    bool is_done = same_domain != NULL && (load->counts_only || make_sums(load, same_domain)) &&
                   add_kept(rec, same_domain);
    free(same_domain);
    show_counts(rec, &load->n_summed);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
