/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/summing.h"

#include <stdlib.h>
#include <string.h>

#include "model/filter/filter_windows.h"
#include "model/load/early_ends.h"
#include "model/load/payload_tests.h"
#include "model/private_access.h"
#include "model/same_domains.h"

#define MANY_PATHS      (1u << 17) /* of names: each takes far more than an event */
#define MANY_GROUPS     (1u << 14) /* by values in payloads, likewise */
#define LONG            (1u << 16) /* events behind the start of a range */
#define MANY_OPEN       16u        /* such ranges */
#define TOO_MANY_EVENTS (1u << 20)

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

/* value: as payload_tests.h has it; 0: none. */
static bool add_event(struct rf_sums *sums, const struct rf_event *event, uint32_t value,
                      const struct rf_sum_owner *owner)
{
    const struct rf_sum_key key = {event->domain, event->name, event->kind, value};
    const struct rf_sum_place place = {(uint64_t)event->end_ns - (uint64_t)event->start_ns,
                                       event->start_ns, *owner};
    if (!rf_sums_add(sums, &key, &place))
        return false;
    if (rf_is_cut(event)) /* they are few */
        sums->sum[rf_sums_index(sums, &key)].n_cut++;
    return true;
}

static bool has_many_groups(const struct rf_load *load, const struct rf_sums *sums)
{
    return load->group_by != NULL && sums->n > MANY_GROUPS;
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
static inline bool has_ended(bool sums_paths, const struct rf_event *event, int64_t until_ns)
{
    if (sums_paths && is_range(event))
        return rf_path_walk_adds(event, until_ns);
    if (event->payload_type == RF_TYPE_EXTENDED)
        return false; /* payloads may say what the event is called */
    return event->kind == RF_EVENT_MARK || (is_range(event) && event->end_ns != RF_NO_TIME);
}

/* Makes room for the numbers of n domains. */
static __attribute__((noinline)) bool count_domains(struct rf_summed *summed, size_t n)
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

static inline __attribute__((always_inline)) bool count_event(struct rf_summed *summed,
                                                              const struct rf_event *event)
{
    if (event->domain >= summed->n_domains && !count_domains(summed, (size_t)event->domain + 1))
        return false;
    summed->of_domain[event->domain]++;
    summed->n_events++;
    if (event->kind == RF_EVENT_MARK)
        summed->n_marks++;
    else
        summed->n_ranges++;
    if (rf_is_cut(event)) { /* they are few */
        summed->n_cut_at_start += (event->flags & RF_EVENT_CUT_AT_START) != 0;
        summed->n_cut += event->cut != RF_CUT_NONE && event->kind != RF_EVENT_MARK;
        summed->n_cut_by[event->cut % RF_CUT_REASONS] +=
            event->cut != RF_CUT_NONE && event->kind != RF_EVENT_MARK;
    }
    return true;
}

/* Whether an event counts for the filter. */
static bool select_event(struct rf_decoder *d, struct rf_load_thread *thread,
                         const struct rf_event *event)
{
    const struct rf_selecting *of = d->load->selection.of;
    if (of->wanted != NULL && thread->is_selected && is_range(event))
        rf_select_find(&d->selector, event);
    if (of->finds_cut && is_range(event))
        d->is_out_of_memory |= rf_select_find_cut(d->load, thread->process, thread->serial,
                                                  thread->tid, event) != RF_OK;
    if (!thread->is_selected || !rf_select_event(&d->selector, event))
        return false;
    if (thread->n_selected == 0 || event->start_ns < thread->first_selected_ns)
        thread->first_selected_ns = event->start_ns;
    thread->n_selected++;
    d->is_out_of_memory |= !count_event(&d->n_selected, event);
    return true;
}

/* adds: ranges are not in sums yet. */
static inline void take_out(struct rf_decoder *d, struct rf_load_thread *thread,
                            const struct rf_event *event, bool adds)
{
    const struct rf_sum_owner owner = {thread->process, thread->tid, thread->serial};
    if (thread->n_summed == 0 || event->start_ns < thread->first_event_ns)
        thread->first_event_ns = event->start_ns;
    thread->n_summed++;
    if (!count_event(&d->n_summed, event))
        d->is_out_of_memory = true;
    if (d->load->selection.of != NULL && !select_event(d, thread, event))
        return;
    if (!adds || !is_range(event))
        return;
    const uint32_t value = d->load->group_by != NULL ? (uint32_t)event->payload : 0;
    if (!add_event(&d->sums, event, value, &owner))
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

/* Whether a range is cut. Of one that is not over it may be known; where it is not, or it may be
 * another one of that time, paths may be wrong. */
static bool is_cut(struct rf_load *load, const struct rf_load_thread *thread,
                   const struct rf_event *range)
{
    const bool is_known = rf_select_is_cut(load, thread, range->start_ns);
    if (range->end_ns == RF_NO_TIME)
        return is_known;
    if (rf_is_cut(range) ? range->payload_type == RF_PATH_ASSUMED : is_known)
        rf_sum_no_paths(load);
    return rf_is_cut(range);
}

/* Of ranges that are not over it is known where they begin, and that they last until then: such a
 * range may be selected for what comes, but nothing that was selected lies in it, unless it begins
 * where a time ends. That waits. */
static bool is_out(struct rf_decoder *d, const struct rf_load_thread *thread,
                   const struct rf_event *range, int64_t *until_ns)
{
    struct rf_event known = *range;
    if (!rf_select_name(&d->selector, range) ||
        (d->load->selection.filter.has_no_cut && is_cut(d->load, thread, range)))
        return true;
    if (range->end_ns != RF_NO_TIME || range->start_ns >= *until_ns)
        return range->end_ns != RF_NO_TIME && !rf_select_times(&d->selector, range);
    known.end_ns = *until_ns;
    if (rf_select_times(&d->selector, &known))
        return false;
    if (rf_filter_ends_at(&d->load->selection.filter, range->start_ns))
        *until_ns = range->start_ns;
    return true;
}

/* Which events of a thread the filter leaves out of the paths; NULL: out of memory. What is added
 * ends before *until_ns, which may become less. */
static uint8_t *find_out(struct rf_decoder *d, const struct rf_load_thread *thread,
                         int64_t *until_ns)
{
    uint8_t *out = malloc(thread->n + 1);
    d->is_out_of_memory |= out == NULL;
    for (size_t i = 0; i < thread->n && out != NULL; i++)
        out[i] = !thread->is_selected ||
                 (is_range(&thread->event[i]) && is_out(d, thread, &thread->event[i], until_ns));
    return out;
}

/* Adds ranges that ended before by the ranges around them. Returns up to when that was possible. */
static int64_t add_paths(struct rf_decoder *d, struct rf_load_thread *thread, int64_t until_ns)
{
    struct rf_path_thread of = {.event = thread->event,
                                .n = thread->n,
                                .n_kept = thread->n_kept,
                                .settled_ns = thread->settled_ns,
                                .until_ns = until_ns,
                                .first = {thread->process, thread->serial, thread->tid, 0},
                                .owner = {thread->process, thread->tid, thread->serial},
                                .goes_on = d->load->rec->piece.goes_on != 0};
    uint8_t *out = d->load->selection.of != NULL ? find_out(d, thread, &of.until_ns) : NULL;
    of.is_out = out;
    enum rf_path_step step = rf_path_walk(&d->walk, &of, &d->sums);
    free(out);
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
    const bool sums_paths = d->load->sums_paths, adds = !sums_paths && !d->load->counts_only;
    size_t n = 0;
    uint32_t *moved = malloc((thread->n + 1) * sizeof(*moved));
    if (moved == NULL) {
        d->is_out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < thread->n; i++) {
        const struct rf_event *event = &thread->event[i];
        if (event->kind == RF_EVENT_LEFT_OUT)
            continue;
        const bool is_start = event->kind == RF_EVENT_START_END && stream != NULL;
        if (has_ended(sums_paths, event, until_ns)) {
            take_out(d, thread, event, adds);
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
    thread->n = thread->n_kept = n;
    thread->enough = 2 * n;
    if (stream != NULL && thread->has_starts)
        rf_forget_taken(d->load, stream);
}

/* A start/end range is cut to fit into a capture, or left out; where another thread ended it, it is
 * not any more as if that had. */
static enum rf_window_fit fit_start(struct rf_decoder *d, struct rf_load_stream *stream,
                                    struct rf_event *event)
{
    const struct rf_load *load = d->load;
    const uint64_t counter = stream->start[event->link].counter;
    const bool is_elsewhere = event->payload_type == RF_PATH_ELSEWHERE;
    const enum rf_window_fit fit = rf_windows_fit(&load->windows, event);
    if (is_elsewhere && rf_tells_elsewhere(load) && load->streams_work)
        d->is_out_of_memory |= rf_note_cut(load, stream, counter, event, fit) != RF_OK;
    if (fit != RF_WINDOW_LEAVES_OUT)
        return fit;
    event->payload_type = RF_TYPE_NONE;
    d->is_out_of_memory |= rf_note_taken(stream, event) != RF_OK;
    return fit;
}

/* In a focused recording, what ended is cut to fit into a capture, or left out; stream: see
 * take_ended(). */
static void fit_ended(struct rf_decoder *d, const struct rf_load_thread *thread,
                      struct rf_load_stream *stream)
{
    const struct rf_capture_windows *windows = &d->load->windows;
    for (size_t i = 0; i < thread->n; i++) {
        struct rf_event *event = &thread->event[i];
        if (event->payload_type == RF_TYPE_EXTENDED ||
            (event->kind != RF_EVENT_MARK && (!is_range(event) || event->end_ns == RF_NO_TIME)))
            continue;
        const enum rf_window_fit fit = event->kind == RF_EVENT_START_END
                                           ? fit_start(d, stream, event)
                                           : rf_windows_fit(windows, event);
        if (fit == RF_WINDOW_LEAVES_OUT)
            event->kind = RF_EVENT_LEFT_OUT;
    }
}

/* Up to when it is known which ranges of a thread lie in which, if that is not said by ranges. */
static int64_t settled_until(struct rf_load *load, const struct rf_load_thread *thread)
{
    const struct rf_capture_windows *windows = &load->windows;
    if (!windows->is_focused)
        return thread->last_ns;
    for (size_t i = 0; i < thread->n && !windows->keeps_open; i++)
        if (is_range(&thread->event[i]) && thread->event[i].end_ns == RF_NO_TIME &&
            !rf_windows_contain(windows, thread->event[i].start_ns))
            rf_sum_no_paths(load); /* without an end it belongs to no capture */
    return rf_windows_settled(windows, thread->last_ns);
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
    if (!rf_sum_has_many(thread))
        return;
    if (d->load->sums_paths && thread->n > 2 * LONG)
        assume_own(thread);
    if (d->load->windows.is_focused)
        fit_ended(d, thread, stream);
    const int64_t until_ns = d->load->sums_paths
                                 ? add_paths(d, thread, settled_until(d->load, thread))
                                 : thread->last_ns;
    if (!d->is_out_of_memory && !rf_sum_has_no_paths(d->load))
        take_ended(d, thread, stream, until_ns);
    if (has_many_groups(d->load, &d->sums))
        rf_select_fail(&d->load->selection);
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
    to->n_cut_at_start += from->n_cut_at_start;
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
    rf_selector_init(&d.selector, load, d.strings, 0);
    for (uint32_t i = 0; i < load->n_threads && !d.is_out_of_memory && !load->has_no_paths; i++) {
        struct rf_load_thread *thread = load->thread[i];
        find_elsewhere(load, i);
        (void)add_paths(&d, thread, INT64_MAX);
        if (!d.is_out_of_memory && !load->has_no_paths && thread->n > 0)
            take_ended(&d, thread, NULL, INT64_MAX);
    }
    int status = !d.is_out_of_memory && add_counts(&load->n_summed, &d.n_summed) &&
                         add_counts(&load->n_selected, &d.n_selected)
                     ? rf_selector_join(load, &d.selector)
                     : RF_ERR_NO_MEMORY;
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
    bool has_values; /* key.around is a value */
};

static uint32_t renamed_string(uint32_t string, const struct renaming *by)
{
    return by->name != NULL && string != RF_NO_STRING && string >= by->name_base
               ? by->name[string - by->name_base]
               : string;
}

static struct rf_sum_key renamed(struct rf_sum_key key, const struct renaming *by,
                                 const uint32_t *index)
{
    key.name = renamed_string(key.name, by);
    if (by->domain != NULL)
        key.domain = by->domain[key.domain];
    if (key.around != 0 && by->has_values)
        key.around = 1 + renamed_string(key.around - 1, by);
    else if (key.around != 0) /* the sum of the range around has a place before this one */
        key.around = index[key.around - 1] + 1;
    return key;
}

/* is_left_out: by index; NULL: none is. */
static bool merge_some(struct rf_sums *to, const struct rf_sums *from, const struct renaming *by,
                       const uint8_t *is_left_out)
{
    uint32_t *index = malloc((from->n + 1) * sizeof(*index));
    bool is_done = index != NULL;
    for (size_t i = 0; i < from->n && is_done; i++) {
        if (is_left_out != NULL && is_left_out[i])
            continue;
        const struct rf_sum_key key = renamed(from->sum[i].key, by, index);
        is_done = rf_sums_merge(to, &key, &from->sum[i]);
        index[i] = is_done ? rf_sums_index(to, &key) : RF_NO_INDEX;
    }
    free(index);
    return is_done;
}

static bool merge_sums(struct rf_sums *to, const struct rf_sums *from, const struct renaming *by)
{
    return merge_some(to, from, by, NULL);
}

int rf_sums_join(struct rf_load *load, struct rf_decoder *d, const uint32_t *remap)
{
    load->has_crossing |= d->walk.has_crossing;
    const struct renaming by = {
        .name = remap, .name_base = d->name_base, .has_values = load->group_by != NULL};
    return merge_sums(&load->sums, &d->sums, &by) && add_counts(&load->n_summed, &d->n_summed) &&
                   add_counts(&load->n_selected, &d->n_selected) &&
                   rf_selector_join(load, &d->selector) == RF_OK
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

/* By which an event that was kept is grouped. */
static bool find_value(const struct rf_load *load, struct rf_selector *selector,
                       const struct rf_event *event, uint32_t *value)
{
    *value = 0;
    return load->group_by == NULL || selector->tests == NULL ||
           rf_payload_tests_value(selector->tests, event, value) == RF_OK;
}

/* The events that were kept, with their own domains; they go. */
static bool add_kept(struct rf_load *load, struct rf_selector *selector)
{
    rf_recording *rec = load->rec;
    const bool adds = !load->counts_only && !load->sums_paths;
    for (uint32_t t = 0; t < rec->n_threads; t++) {
        struct rf_thread_events *events = &rec->events[t];
        const struct rf_sum_owner owner = {rec->thread[t].process, rec->thread[t].tid,
                                           rec->thread[t].serial};
        uint32_t value;
        for (size_t i = 0; i < events->n && !has_many_groups(load, &load->last_sums); i++)
            if (adds && is_range(&events->event[i]) && !rf_goes_on(rec, &events->event[i]) &&
                (load->selection.of == NULL ||
                 rf_select_kept(selector, rec, t, &events->event[i])) &&
                (!find_value(load, selector, &events->event[i], &value) ||
                 !add_event(&load->last_sums, &events->event[i], value, &owner)))
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
    info->n_cut_at_start += summed->n_cut_at_start;
    for (int i = 0; i < RF_CUT_REASONS; i++)
        info->n_cut_by[i] += summed->n_cut_by[i];
    for (uint32_t i = 0; i < rec->n_domains && i < summed->n_domains; i++) {
        rec->domain[i].n_annotations += summed->of_domain[i];
        rec->process[rec->domain[i].process].n_annotations += summed->of_domain[i];
    }
}

/* Where a filter selects, paths without work may be those of ranges that are left out. */
static bool merge_gpu_sums(const struct rf_load *load, struct rf_sums *to,
                           const struct renaming *by)
{
    const struct rf_sums *from = &load->gpu_sums;
    if (load->selection.of == NULL)
        return merge_sums(to, from, by);
    uint8_t *is_left_out = malloc(from->n + 1);
    if (is_left_out == NULL)
        return false;
    memset(is_left_out, 1, from->n + 1);
    for (size_t i = from->n; i-- > 0;) {
        is_left_out[i] &= from->sum[i].n_gpu == 0;
        if (!is_left_out[i] && from->sum[i].key.around != 0)
            is_left_out[from->sum[i].key.around - 1] = 0;
    }
    const bool is_done = merge_some(to, from, by, is_left_out);
    free(is_left_out);
    return is_done;
}

/* Paths keep the domains of processes apart: of two places the summary takes that of the lower
 * rank, which is not known to sums. */
static bool make_sums(struct rf_load *load, const uint32_t *same_domain)
{
    const struct renaming by = {.domain = load->sums_paths ? NULL : same_domain,
                                .has_values = load->group_by != NULL};
    struct rf_sums *sums = calloc(1, sizeof(*sums));
    *(load->sums_paths ? &load->rec->paths : &load->rec->sums) = sums;
    return sums != NULL && merge_sums(sums, &load->sums, &by) &&
           merge_sums(sums, &load->last_sums, &by) && merge_gpu_sums(load, sums, &by);
}

/* What is looked for among the events that are in memory. */
static bool find_kept(struct rf_load *load, struct rf_selector *selector)
{
    const rf_recording *rec = load->rec;
    int status = RF_OK;
    for (uint32_t t = 0; t < rec->n_threads; t++)
        for (size_t i = 0; i < rec->events[t].n && status == RF_OK; i++) {
            const struct rf_event *event = &rec->events[t].event[i];
            const struct rf_thread *thread = &rec->thread[t];
            if (!is_range(event))
                continue;
            status = rf_select_find_cut(load, thread->process, thread->serial, thread->tid, event);
            if (load->selection.of->wanted != NULL && rf_select_kept(selector, rec, t, event))
                rf_select_find(selector, event);
        }
    return status == RF_OK;
}

/* Where a filter selects, before the events go. */
static bool finish_selection(struct rf_load *load, struct rf_selector *selector)
{
    if (rf_selector_init_final(selector, load) != RF_OK || !find_kept(load, selector))
        return false;
    if (rf_select_finish(load, selector) != RF_OK || rf_selector_join(load, selector) != RF_OK)
        return false;
    rf_select_check_payloads(load);
    load->selection.of->found = load->selection.found;
    load->selection.of->n_found = load->selection.n_found;
    load->selection.found = NULL;
    return true;
}

/* What values there are where no range has one, and groups that are too many, are found in a
 * recording that has all. How many there are does not depend on what was kept. */
static bool finish_groups(struct rf_load *load)
{
    const struct renaming by = {.has_values = true};
    rf_recording *rec = load->rec;
    bool has_any = false;
    if (load->group_by == NULL)
        return true;
    if (!merge_sums(&load->sums, &load->last_sums, &by))
        return false;
    rf_sums_release(&load->last_sums);
    for (size_t i = 0; i < load->sums.n && !has_any; i++)
        has_any = load->sums.sum[i].key.around != 0;
    if (!has_any || has_many_groups(load, &load->sums))
        rf_select_fail(&load->selection);
    rec->group_by = 1 + rf_strings_add(&rec->strings, load->group_by, strlen(load->group_by));
    return rec->group_by != 0;
}

int rf_load_sums(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_selector selector = {.selection = NULL};
    const bool selects = load->selection.of != NULL;
    if (!load->sums_ranges)
        return RF_OK;
    uint32_t *same_domain = rf_same_domains(rec);
    bool is_done = same_domain != NULL &&
                   (!selects || (rf_select_domains(load, same_domain) == RF_OK &&
                                 finish_selection(load, &selector))) &&
                   add_kept(load, &selector) && finish_groups(load) &&
                   (load->counts_only || make_sums(load, same_domain));
    free(same_domain);
    rf_selector_release(&selector);
    show_counts(rec, &load->n_summed);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
