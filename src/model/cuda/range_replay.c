/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/range_replay.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "model/cuda/cuda_read.h"
#include "model/cuda/kept_ranges.h"
#include "model/filter/activities.h"
#include "model/load/handles.h"
#include "model/load/load.h"
#include "model/load/namings.h"
#include "model/load/payload_matters.h"
#include "model/load/payload_records.h"
#include "model/load/timeline.h"
#include "model/private_access.h"

/* How many ranges that ended are held, about 10 MB with their work; and of a thread. */
#define MAX_ENDED       ((size_t)60000)
#define MAX_OF_THREAD   ((size_t)1 << 16)
#define LEAST_OF_THREAD ((size_t)1 << 11)

/* A stream, up to the record that comes next. */
struct rf_replayed_stream {
    struct rf_stream_cursor cursor;
    struct rf_log_read read;
    struct rf_record next;
    int64_t next_ns; /* INT64_MAX: there is none */
    int64_t most_ns; /* of it and the records before it */
    uint32_t thread; /* whose it is; RF_NO_INDEX: of none */
    struct rf_replayed_stream *next_begun;
    bool has_begun;
};

/* A start/end range that is open. */
struct rf_replayed_start {
    uint64_t id;
    uint32_t node;       /* RF_NO_INDEX: it is left out, and to be cut */
    uint32_t collective; /* its number; 0: it is none */
    uint32_t domain;
    int64_t destroyed_ns; /* when its domain is; RF_NO_TIME: never */
};

struct rf_replayed_thread {
    struct rf_load_thread decoded; /* its events are the push/pop ranges that are open, by start:
                                    * their color is their node, or RF_NO_INDEX where it ended with
                                    * its domain or is left out; their category their number among
                                    * the collectives, of one left out not 0 if it is to be cut */
    struct rf_range_stack ranges;
    struct rf_replayed_start *start; /* by id */
    size_t n_starts, start_room;
    int64_t destroyed_ns;       /* when the first of the domains of its open ranges is */
    bool begins_cut;            /* the range that begins now is to be cut */
    struct rf_kept_ranges kept; /* in place of all but ranges */
    struct rf_replayed_thread *next_begun;
    bool has_begun;
};

/* ---- Beginning and end ---- */

/* Whether ranges of a thread that calls may cross. */
static bool may_cross(const struct rf_load *load)
{
    bool may = load->has_crossing;
    for (uint32_t i = 0; i < load->n_threads; i++)
        may |= load->thread[i]->is_needed && load->thread[i]->has_starts;
    return may;
}

int rf_range_replay_begin(struct rf_range_replay *r, struct rf_load *load)
{
    *r = (struct rf_range_replay){.load = load,
                                  .are_kept = load->sums_projected && load->keeps_events};
    rf_decoder_init(&r->decoder, load);
    if (r->are_kept && rf_selector_init_final(&r->decoder.selector, load) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (!r->are_kept)
        rf_selector_init(&r->decoder.selector, load, r->decoder.strings, 0);
    rf_range_pool_init(&r->pool, MAX_ENDED, MAX_OF_THREAD, LEAST_OF_THREAD);
    r->holds_nodes = load->sums_projected || load->adds_projected || may_cross(load);
    if (r->holds_nodes && load->sums_paths)
        rf_path_work_begin(&r->path_work, &r->pool, &r->paths);
    if (load->sums_paths && rf_replayed_collectives_begin(&r->collectives, load) != RF_OK)
        return RF_ERR_NO_MEMORY;
    r->decoder.with_payloads = r->collectives.of_domain;
    r->decoder.n_with_payloads = r->collectives.n_domains;
    for (uint32_t i = 0; i < r->collectives.n_domains; i++)
        r->has_collectives |= rf_replayed_collectives_have(&r->collectives, i);
    r->stream = calloc((size_t)load->n_streams + 1, sizeof(*r->stream));
    r->thread = calloc((size_t)load->n_threads + 1, sizeof(*r->thread));
    return r->stream != NULL && r->thread != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static void release_thread(struct rf_replayed_thread *thread)
{
    free(thread->decoded.memory);
    free(thread->decoded.stack);
    rf_map_release(&thread->decoded.stack_of);
    rf_range_stack_release(&thread->ranges);
    rf_kept_ranges_release(&thread->kept);
    free(thread->start);
    *thread = (struct rf_replayed_thread){.has_begun = false};
}

void rf_range_replay_release(struct rf_range_replay *r)
{
    if (r->load == NULL)
        return;
    for (uint32_t i = 0; i < r->load->n_threads && r->thread != NULL; i++)
        release_thread(&r->thread[i]);
    rf_decoder_release(&r->decoder);
    rf_range_pool_release(&r->pool);
    rf_path_work_release(&r->path_work);
    rf_replayed_collectives_release(&r->collectives);
    rf_sums_release(&r->paths);
    free(r->stream);
    free(r->thread);
    *r = (struct rf_range_replay){.load = NULL};
}

bool rf_range_replay_can(const struct rf_load *load)
{
    if (load->sums_projected && load->keeps_events)
        return true;
    if (load->nvtx.n_submitted > 0)
        return false;
    for (uint32_t i = 0; i < load->n_threads; i++)
        if ((load->thread[i]->is_needed || load->sums_projected || load->adds_projected) &&
            (load->thread[i]->is_merged || load->thread[i]->has_dated))
            return false;
    return true;
}

/* ---- Ranges ---- */

static struct rf_replayed_thread *thread_of(struct rf_range_replay *r, uint32_t index)
{
    struct rf_replayed_thread *thread = &r->thread[index];
    const struct rf_load_thread *from = r->load->thread[index];
    if (thread->has_begun)
        return thread;
    rf_range_stack_init(&thread->ranges);
    thread->decoded = (struct rf_load_thread){.process = from->process,
                                              .tid = from->tid,
                                              .serial = from->serial,
                                              .system_name = RF_NO_STRING,
                                              .last_ns = RF_NO_TIME};
    thread->next_begun = r->begun_threads;
    r->begun_threads = thread;
    thread->has_begun = true;
    return thread;
}

/* Ranges have to be in memory. */
static void need_kept(struct rf_range_replay *r)
{
    r->is_uncertain = r->needs_kept = true;
}

/* A range begins, which was decoded as the last event of its thread: its node is the last one that
 * is open. */
static int begin_range(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t place,
                       const struct rf_event *range)
{
    struct rf_range_stack *ranges = &thread->ranges;
    const uint32_t around = ranges->open;
    const uint32_t domain =
        r->are_kept ? range->domain : rf_load_final_domain(r->load, range->domain);
    uint32_t path = 0;
    if (!r->are_kept && range->payload_type == RF_TYPE_EXTENDED) /* it may say what it is called */
        need_kept(r);
    if (!r->holds_nodes) {
        const struct rf_sum_key key = {domain, range->name, range->kind,
                                       around != RF_NO_INDEX ? r->pool.node[around].tag + 1 : 0};
        path = rf_sums_index(&r->paths, &key);
    }
    if (path == RF_NO_INDEX ||
        rf_range_stack_push(ranges, &r->pool, range->start_ns, path) != RF_OK)
        return RF_ERR_NO_MEMORY;
    int status = RF_OK;
    if (r->projected != NULL)
        status = rf_projected_work_push(r->projected, ranges->open, place, domain, range->name,
                                        range->kind);
    if (status == RF_OK && r->path_work.pool != NULL)
        status = rf_path_work_push(&r->path_work, ranges->open, domain, range->name, range->kind);
    return status;
}

/* When the domain of a range that begins is destroyed; RF_NO_TIME: never. */
static int64_t note_destroyed(const struct rf_range_replay *r, struct rf_replayed_thread *thread,
                              const struct rf_event *range)
{
    const int64_t ns = r->load->n_destroys > 0
                           ? rf_load_destroyed_ns(r->load, range->domain, range->start_ns)
                           : RF_NO_TIME;
    if (thread->ranges.open == RF_NO_INDEX)
        thread->destroyed_ns = INT64_MAX;
    if (ns != RF_NO_TIME && ns < thread->destroyed_ns)
        thread->destroyed_ns = ns;
    return ns;
}

/* A range that begins may be a collective: its number, or 0. index: of its thread. */
static int note_collective(struct rf_range_replay *r, struct rf_event *range, uint32_t index,
                           uint32_t *number)
{
    *number = 0;
    return rf_replayed_collectives_have(&r->collectives, range->domain)
               ? rf_replayed_collectives_push(&r->collectives, &r->decoder, range, index, number)
               : RF_OK;
}

static bool leaves_out_cut(const struct rf_range_replay *r)
{
    return r->load->selection.of != NULL && r->load->selection.filter.has_no_cut;
}

/* Whether the filter keeps a range that begins, in which a call lies that it keeps. Payloads that
 * a record alone does not explain may say its name, or what is asked of them. */
static bool is_selected(struct rf_range_replay *r, const struct rf_replayed_thread *thread,
                        const struct rf_event *range)
{
    const struct rf_selection *selection = &r->load->selection;
    if (selection->of == NULL)
        return true;
    if (!r->are_kept && range->payload_type == RF_TYPE_EXTENDED)
        need_kept(r);
    const bool is_cut = r->are_kept ? rf_is_cut(range) : thread->begins_cut;
    return (selection->filter.activities & RF_ACTIVITY_NVTX) != 0 &&
           !(is_cut && selection->filter.has_no_cut) && rf_select_name(&r->decoder.selector, range);
}

static int push(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t index)
{
    uint32_t number;
    if (r->decoder.is_out_of_memory || thread->decoded.n == 0)
        return RF_ERR_NO_MEMORY;
    struct rf_event *range = &thread->decoded.event[thread->decoded.n - 1];
    if (!is_selected(r, thread, range)) {
        range->color = RF_NO_INDEX;
        range->category = thread->begins_cut;
        return RF_OK;
    }
    (void)note_destroyed(r, thread, range);
    int status = note_collective(r, range, index, &number);
    if (status == RF_OK)
        status = begin_range(r, thread, r->load->thread[index]->place, range);
    range->color = thread->ranges.open;
    range->category = number;
    return status;
}

/* collective: its number. node RF_NO_INDEX: it has ended. */
static int end_range(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t node,
                     int64_t end_ns, uint32_t collective)
{
    if (node == RF_NO_INDEX)
        return RF_OK;
    int status = rf_range_stack_take(&thread->ranges, &r->pool, node, end_ns);
    return status == RF_OK ? rf_replayed_collectives_end(&r->collectives, collective, end_ns)
                           : status;
}

/* It is cut, which was not known when it began if those are left out; unless no more is read. */
static int cut_range(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t node,
                     int64_t end_ns, uint32_t collective)
{
    if (node != RF_NO_INDEX && leaves_out_cut(r) && !r->is_uncertain)
        need_kept(r);
    return end_range(r, thread, node, end_ns, collective);
}

static void count_steps(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint64_t n)
{
    rf_range_count_steps(&thread->ranges, &r->pool, n);
}

/* An event goes; links are places. */
static void remove_event(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t i)
{
    struct rf_load_thread *decoded = &thread->decoded;
    if (i + 1 == decoded->n) {
        decoded->n--;
        return;
    }
    count_steps(r, thread, 2 * (decoded->n - i) + decoded->n_stacks);
    for (size_t k = i; k + 1 < decoded->n; k++)
        decoded->event[k] = decoded->event[k + 1];
    decoded->n--;
    for (uint32_t k = 0; k < decoded->n_stacks; k++)
        if (decoded->stack[k].top != RF_NO_INDEX && decoded->stack[k].top > i)
            decoded->stack[k].top--;
    for (size_t k = i; k < decoded->n; k++)
        if (decoded->event[k].link != RF_NO_INDEX && decoded->event[k].link > i)
            decoded->event[k].link--;
}

/* A pop was decoded: a range has an end, most often the last one. */
static int pop(struct rf_range_replay *r, struct rf_replayed_thread *thread)
{
    struct rf_load_thread *decoded = &thread->decoded;
    size_t i = decoded->n;
    while (i > 0 && decoded->event[i - 1].end_ns == RF_NO_TIME)
        i--;
    count_steps(r, thread, decoded->n - i);
    if (i == 0 || decoded->event[i - 1].payload_type == RF_TYPE_EXTENDED) {
        r->is_uncertain = true;
        return RF_OK;
    }
    const struct rf_event *range = &decoded->event[i - 1];
    if (range->color == RF_NO_INDEX && range->category != 0 && range->cut == RF_CUT_NONE)
        need_kept(r); /* it was to be cut, and is not */
    int status = end_range(r, thread, range->color, range->end_ns, range->category);
    remove_event(r, thread, (uint32_t)(i - 1));
    return status;
}

/* ---- Ranges whose domains are destroyed ---- */

/* The range that ends first in this way, of those in each other the inner one. */
struct ending {
    int64_t ns, start_ns;
    struct rf_event *push;
    size_t start; /* 1 + index; 0: it is a push */
};

static void note_ending(struct ending *first, int64_t ns, int64_t start_ns, struct rf_event *push,
                        size_t start)
{
    if (ns < first->ns || (ns == first->ns && start_ns > first->start_ns))
        *first = (struct ending){ns, start_ns, push, start};
}

static struct ending first_ending(const struct rf_range_replay *r,
                                  const struct rf_replayed_thread *thread)
{
    struct ending first = {.ns = INT64_MAX};
    for (size_t i = thread->decoded.n; i-- > 0;) {
        struct rf_event *push = &thread->decoded.event[i];
        const int64_t ns = push->color != RF_NO_INDEX
                               ? rf_load_destroyed_ns(r->load, push->domain, push->start_ns)
                               : RF_NO_TIME;
        if (ns != RF_NO_TIME)
            note_ending(&first, ns, push->start_ns, push, 0);
    }
    for (size_t i = thread->n_starts; i-- > 0;)
        if (thread->start[i].destroyed_ns != RF_NO_TIME)
            note_ending(&first, thread->start[i].destroyed_ns,
                        r->pool.node[thread->start[i].node].start_ns, NULL, i + 1);
    return first;
}

static void remove_start(struct rf_range_replay *r, struct rf_replayed_thread *thread, size_t i)
{
    const size_t at_once = 8; /* as fast as one step elsewhere */
    count_steps(r, thread, (thread->n_starts - i) / at_once);
    for (thread->n_starts--; i < thread->n_starts; i++)
        thread->start[i] = thread->start[i + 1];
}

/* Ranges whose domains were destroyed before ns have ended. */
static int end_destroyed(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    int status = RF_OK;
    while (status == RF_OK && thread->ranges.open != RF_NO_INDEX && ns > thread->destroyed_ns &&
           !thread->ranges.is_uncertain) {
        const struct ending first = first_ending(r, thread);
        count_steps(r, thread, thread->decoded.n + thread->n_starts);
        thread->destroyed_ns = first.ns;
        if (first.ns >= ns)
            break;
        const struct rf_replayed_start start =
            first.start > 0 ? thread->start[first.start - 1]
                            : (struct rf_replayed_start){.node = first.push->color,
                                                         .collective = first.push->category};
        status = cut_range(r, thread, start.node, first.ns, start.collective);
        if (first.start > 0)
            remove_start(r, thread, first.start - 1);
        else
            first.push->color = RF_NO_INDEX;
    }
    return status;
}

/* ---- Ends of threads and processes ---- */

/* The last push/pop range, or start/end range, that is open ends. */
static int end_last_push(struct rf_range_replay *r, struct rf_replayed_thread *thread)
{
    const struct rf_event *range = &thread->decoded.event[--thread->decoded.n];
    return cut_range(r, thread, range->color, range->end_ns, range->category);
}

static int end_last_start(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    const struct rf_replayed_start *last = &thread->start[--thread->n_starts];
    return cut_range(r, thread, last->node,
                     last->destroyed_ns != RF_NO_TIME ? last->destroyed_ns : ns, last->collective);
}

/* All of a thread's push/pop ranges end. */
static int cut(struct rf_range_replay *r, uint32_t index, int64_t ns, enum rf_cut why)
{
    if (index == RF_NO_INDEX)
        return RF_OK;
    struct rf_replayed_thread *thread = thread_of(r, index);
    int status = end_destroyed(r, thread, ns);
    rf_decode_cut(r->load, &thread->decoded, ns, why);
    while (thread->decoded.n > 0 && status == RF_OK)
        status = end_last_push(r, thread);
    r->is_uncertain |= thread->ranges.is_uncertain;
    return status;
}

/* Its process ends, and with it all its ranges, from the last one on. */
static int cut_all(struct rf_range_replay *r, uint32_t index)
{
    if (index == RF_NO_INDEX)
        return RF_OK;
    struct rf_replayed_thread *thread = thread_of(r, index);
    struct rf_load_thread *decoded = &thread->decoded;
    const struct rf_load_process *process = &r->load->process[decoded->process];
    int status = end_destroyed(r, thread, process->end_ns);
    rf_decode_cut(r->load, &thread->decoded, process->end_ns, process->end_cut);
    while (thread->ranges.open != RF_NO_INDEX && status == RF_OK) {
        const uint32_t last = r->pool.node[thread->ranges.open].range;
        while (decoded->n > 0 && decoded->event[decoded->n - 1].color == RF_NO_INDEX)
            decoded->n--;
        status = decoded->n > 0 && decoded->event[decoded->n - 1].color == last
                     ? end_last_push(r, thread)
                     : end_last_start(r, thread, process->end_ns);
    }
    decoded->n = 0;
    r->is_uncertain |= thread->ranges.is_uncertain;
    return status;
}

/* ---- Start/end ranges ---- */

/* A range that another thread ends is in no thread. counter: of its record. */
static int start(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                 struct rf_load_stream *from)
{
    struct rf_replayed_thread *thread = thread_of(r, stream->thread);
    struct rf_record mark = stream->next;
    const uint64_t counter = stream->cursor.n_starts;
    const bool is_elsewhere = rf_sparse_bits_have(&from->elsewhere, counter);
    if (is_elsewhere && !r->has_collectives)
        return RF_OK;
    mark.type = RF_REC_MARK; /* it begins no range of the decoder's */
    rf_decode_record(&r->decoder, &thread->decoded, stream->thread, from, &stream->cursor, &mark);
    if (r->decoder.is_out_of_memory || thread->decoded.n == 0 ||
        rf_grow_array(&thread->start, thread->n_starts, &thread->start_room,
                      sizeof(*thread->start)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    struct rf_event range = thread->decoded.event[--thread->decoded.n];
    range.kind = RF_EVENT_START_END;
    if (is_elsewhere) { /* where it ends as a collective is not known here */
        r->is_uncertain |= rf_replayed_collectives_have(&r->collectives, range.domain);
        return RF_OK;
    }
    struct rf_replayed_start begun = {
        .id = rf_range_id(r->load->process[from->process].number, from->slot, counter),
        .node = RF_NO_INDEX,
        .domain = range.domain,
        .destroyed_ns = RF_NO_TIME};
    int status = RF_OK;
    if (is_selected(r, thread, &range)) {
        begun.destroyed_ns = note_destroyed(r, thread, &range);
        status = note_collective(r, &range, stream->thread, &begun.collective);
        if (status == RF_OK)
            status = begin_range(r, thread, r->load->thread[stream->thread]->place, &range);
        begun.node = thread->ranges.open;
    } else if (!thread->begins_cut) {
        return RF_OK;
    }
    r->is_uncertain |= thread->n_starts > 0 && begun.id <= thread->start[thread->n_starts - 1].id;
    thread->start[thread->n_starts++] = begun;
    return status;
}

/* The place of an open range; n_starts: there is none. */
static size_t find_start(const struct rf_replayed_thread *thread, uint64_t id)
{
    size_t low = 0, high = thread->n_starts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (thread->start[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < thread->n_starts && thread->start[low].id == id ? low : thread->n_starts;
}

/* Of several ends the first one counts. */
static int end(struct rf_range_replay *r, struct rf_replayed_stream *stream)
{
    struct rf_replayed_thread *thread = thread_of(r, stream->thread);
    const uint64_t id = stream->next.n_words > 1 ? rf_load64(stream->next.words + 8) : 0;
    const size_t i = find_start(thread, id);
    const uint32_t domain = i < thread->n_starts ? thread->start[i].domain : RF_NO_INDEX;
    if (rf_data_may_follow(&stream->cursor)) /* it may say what a collective exchanged */
        r->is_uncertain |= rf_decode_needed_data(&r->decoder, &stream->cursor, domain) != 0;
    if (i == thread->n_starts)
        return RF_OK; /* another thread began it, or it has ended */
    const struct rf_replayed_start ended = thread->start[i];
    if (ended.node == RF_NO_INDEX)
        need_kept(r);
    remove_start(r, thread, i);
    return end_range(r, thread, ended.node, stream->next_ns, ended.collective);
}

/* ---- Records ---- */

static int take_record(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                       struct rf_load_stream *from)
{
    struct rf_replayed_thread *thread = thread_of(r, stream->thread);
    struct rf_load_thread *decoded = &thread->decoded;
    const uint64_t n_unmatched = decoded->n_unmatched;
    int status = end_destroyed(r, thread, stream->next_ns);
    if (status != RF_OK)
        return status;
    if (stream->next_ns > decoded->last_ns)
        decoded->last_ns = stream->next_ns;
    thread->begins_cut =
        leaves_out_cut(r) &&
        rf_select_is_cut(r->load, r->load->thread[stream->thread], stream->next_ns);
    switch (stream->next.type) {
    case RF_REC_PUSH:
        rf_decode_record(&r->decoder, decoded, stream->thread, from, &stream->cursor,
                         &stream->next);
        status = push(r, thread, stream->thread);
        break;
    case RF_REC_POP:
    case RF_REC_POP_DOMAIN:
        rf_decode_record(&r->decoder, decoded, stream->thread, from, &stream->cursor,
                         &stream->next);
        if (decoded->n_unmatched == n_unmatched)
            status = pop(r, thread);
        break;
    case RF_REC_THREAD_END:
        status = cut(r, stream->thread, stream->next_ns, RF_CUT_THREAD_ENDED);
        break;
    case RF_REC_START:
        status = start(r, stream, from);
        break;
    case RF_REC_END:
        status = end(r, stream);
        break;
    default:
        break;
    }
    r->is_uncertain |=
        thread->ranges.is_uncertain || (thread->ranges.has_crossed && !r->holds_nodes);
    return r->decoder.is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}

/* ---- Streams ---- */

/* As streams.c enters threads. */
static int enter_thread(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                        const struct rf_load_stream *from, uint32_t tid, uint32_t serial)
{
    const uint32_t old = stream->thread;
    int status = RF_OK;
    const uint32_t found =
        rf_map_find(&r->load->thread_of, (uint64_t)from->process << 32 | serial, tid);
    const uint32_t index = found != RF_MAP_NONE ? found : RF_NO_INDEX;
    if (index != old)
        status =
            cut(r, old, rf_timeline_ns(&r->load->timeline, &r->decoder.line, stream->cursor.ticks),
                RF_CUT_THREAD_ENDED);
    stream->thread = index;
    return status;
}

static int enter_part(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                      const struct rf_load_stream *from, const struct rf_stream_part *part)
{
    rf_cuda_finish_part(r->load, &stream->cursor, from, &stream->read);
    int status = RF_OK;
    if (part->is_gap && stream->thread != RF_NO_INDEX)
        status = cut(r, stream->thread, thread_of(r, stream->thread)->decoded.last_ns, RF_CUT_LOST);
    return status == RF_OK ? enter_thread(r, stream, from, part->tid, part->serial) : status;
}

/* The next record but for DATA of marks, and of what is left out: its times mean nothing. */
static enum rf_stream_step next_step(struct rf_replayed_stream *stream, struct rf_stream_part *part)
{
    enum rf_stream_step step;
    do
        step = rf_stream_next(&stream->cursor, &stream->next, part);
    while (step == RF_STREAM_RECORD && stream->next.type == RF_REC_DATA);
    return step;
}

/* Reads the next record; what ends before it has ended then. */
static int read_next(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                     const struct rf_load_stream *from)
{
    struct rf_stream_part part;
    enum rf_stream_step step;
    int status = RF_OK;
    while (status == RF_OK && (step = next_step(stream, &part)) == RF_STREAM_PART)
        status = enter_part(r, stream, from, &part);
    if (status != RF_OK || r->decoder.parts.is_out_of_memory)
        return RF_ERR_NO_MEMORY;
    if (step == RF_STREAM_END) {
        stream->next_ns = INT64_MAX;
        rf_part_reader_drop(&r->decoder.parts, from->part, stream->cursor.part);
        return cut_all(r, stream->thread);
    }
    stream->next_ns = rf_timeline_ns(&r->load->timeline, &r->decoder.line, stream->next.ticks);
    if (stream->next_ns >= stream->most_ns)
        stream->most_ns = stream->next_ns;
    else if (stream->next.type != RF_REC_CUDA) /* calls before it did not see it */
        need_kept(r);
    if (stream->next.type == RF_REC_THREAD && stream->next.n_words > 1) {
        const uint64_t who = rf_load64(stream->next.words + 8);
        status = enter_thread(r, stream, from, (uint32_t)who, (uint32_t)(who >> 32));
    }
    return status;
}

static int read_up_to(struct rf_range_replay *r, uint32_t index, int64_t ns)
{
    struct rf_replayed_stream *stream = &r->stream[index];
    struct rf_load_stream *from = &r->load->stream[index];
    int status = RF_OK;
    if (!stream->has_begun) {
        rf_stream_init(&stream->cursor, &r->decoder.parts, from->part, from->n_parts);
        stream->thread = RF_NO_INDEX;
        stream->next_begun = r->begun_streams;
        r->begun_streams = stream;
        stream->has_begun = true;
        stream->most_ns = INT64_MIN;
        status = read_next(r, stream, from);
    }
    while (status == RF_OK && stream->next_ns <= ns && stream->next_ns != INT64_MAX &&
           !r->is_uncertain) {
        if (stream->thread != RF_NO_INDEX && stream->next.type != RF_REC_CUDA)
            status = take_record(r, stream, from);
        if (status == RF_OK)
            status = read_next(r, stream, from);
    }
    return status;
}

/* ---- Ranges in memory ---- */

static bool is_of_thread(const struct rf_range_replay *r, const struct rf_event *event,
                         uint32_t place)
{
    return event->kind == RF_EVENT_PUSH_POP ||
           (event->kind == RF_EVENT_START_END &&
            r->load->rec->start_end[event->link].end_thread == place);
}

static int read_kept(struct rf_range_replay *r, uint32_t index, int64_t until_ns)
{
    struct rf_replayed_thread *thread = thread_of(r, index);
    struct rf_kept_ranges *kept = &thread->kept;
    const uint32_t place = r->load->thread[index]->place;
    const struct rf_event *event;
    enum rf_kept_step step;
    uint32_t node;
    int status = RF_OK;
    if (kept->event == NULL) {
        kept->event = r->load->rec->events[place].event;
        kept->n = r->load->rec->events[place].n;
    }
    while (status == RF_OK && !thread->ranges.is_uncertain &&
           (step = rf_kept_ranges_next(kept, until_ns, &event, &node)) != RF_KEPT_NONE) {
        if (step == RF_KEPT_END) {
            status = rf_range_stack_take(&thread->ranges, &r->pool, node, event->end_ns);
        } else if (is_of_thread(r, event, place) && is_selected(r, thread, event)) {
            status = begin_range(r, thread, place, event);
            if (status == RF_OK)
                status = rf_kept_ranges_began(kept, event, thread->ranges.open);
        }
    }
    r->is_uncertain |= thread->ranges.is_uncertain;
    return status;
}

static int find_kept(struct rf_range_replay *r, uint32_t thread, int64_t start_ns, int64_t end_ns,
                     uint32_t *node)
{
    int status = r->is_uncertain ? RF_OK : read_kept(r, thread, end_ns);
    if (status == RF_OK && !r->is_uncertain)
        *node = rf_range_stack_find(&r->thread[thread].ranges, &r->pool, start_ns, end_ns);
    r->is_uncertain |= r->thread[thread].ranges.is_uncertain;
    return status;
}

int rf_range_replay_find(struct rf_range_replay *r, uint32_t thread, int64_t start_ns,
                         int64_t end_ns, uint32_t *node)
{
    const struct rf_load_thread *from = r->load->thread[thread];
    *node = RF_NO_INDEX;
    if (r->are_kept)
        return find_kept(r, thread, start_ns, end_ns, node);
    if (from->first_segment == RF_NO_INDEX || end_ns < from->first_ns || r->is_uncertain)
        return RF_OK; /* it has no ranges, or none yet */
    if (from->is_merged) {
        need_kept(r);
        return RF_OK;
    }
    int status = read_up_to(r, from->stream, end_ns);
    struct rf_range_stack *ranges = &thread_of(r, thread)->ranges;
    if (status == RF_OK)
        status = end_destroyed(r, thread_of(r, thread), end_ns);
    if (status == RF_OK && !r->is_uncertain)
        *node = rf_range_stack_find(ranges, &r->pool, start_ns, end_ns);
    r->is_uncertain |= ranges->is_uncertain || (ranges->has_crossed && !r->holds_nodes);
    return status;
}

/* Collectives may be in threads that called nothing. */
static int begin_all(struct rf_range_replay *r, uint32_t begin, uint32_t end)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < r->load->n_threads; i++)
        r->is_uncertain |= r->load->thread[i]->is_merged;
    for (uint32_t i = begin; i < end && status == RF_OK && !r->is_uncertain; i++)
        if (r->load->stream[i].n_parts > 0)
            status = read_up_to(r, i, INT64_MIN);
    return status;
}

int rf_range_replay_end(struct rf_range_replay *r, uint32_t begin, uint32_t end)
{
    int status = r->has_collectives ? begin_all(r, begin, end) : RF_OK;
    for (; r->begun_streams != NULL && status == RF_OK;
         r->begun_streams = r->begun_streams->next_begun)
        status = read_up_to(r, (uint32_t)(r->begun_streams - r->stream), INT64_MAX);
    while (r->begun_threads != NULL && status == RF_OK) {
        struct rf_replayed_thread *thread = r->begun_threads;
        const uint32_t index = (uint32_t)(thread - r->thread);
        status = r->are_kept ? read_kept(r, index, INT64_MAX) : cut_all(r, index);
        rf_range_stack_end(&thread->ranges, &r->pool);
        r->is_uncertain |= thread->ranges.is_uncertain;
        r->begun_threads = thread->next_begun;
        release_thread(thread);
    }
    if (status == RF_OK) /* of a payload or a name no more was known */
        status = rf_selector_join(r->load, &r->decoder.selector);
    return status == RF_OK && r->path_work.is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}
